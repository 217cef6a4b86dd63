//! Answers that show something which no text holds.
//!
//! A picture is not in the transcript: its type in brackets is left of it, or nothing at all. Two such answers are not
//! known to be equal, so they are no evidence of a loop: a rule that compares them ends healthy runs that look at a
//! screen.

use memchr::memmem;

use balk_contract::ToolResult;

/// What the wire leaves of a part that is not text.
const PARTS: [&str; 7] =
    ["[image]", "[image_url]", "[input_image]", "[document]", "[file]", "[audio]", "[input_audio]"];
/// A longer answer has a text of its own, and a longer call does more than look.
const BYTES: usize = 200;
const LOOK: &[u8] = b"screenshot";

/// Whether the answer shows something that the transcript does not have.
pub(crate) fn is_unseen(result: &ToolResult) -> bool {
    let text = &*result.text;
    if text.len() > BYTES {
        return false;
    }
    let is_part = |line: &str| PARTS.contains(&line.trim_ascii());
    text.lines().any(is_part) || text.trim_ascii().is_empty() && takes_a_picture(result)
}

fn takes_a_picture(result: &ToolResult) -> bool {
    let arguments = result.call.arguments.as_bytes();
    let has = |text: &[u8]| memmem::find(text, LOOK).is_some();
    has(result.call.tool.as_bytes()) || arguments.len() <= BYTES && has(arguments)
}
