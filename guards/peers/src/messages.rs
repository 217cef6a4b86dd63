//! What the products say to the model, word for word, with the file that says it. `{name}` is a hole.
//!
//! These sentences are quotations: they belong to their products, under the licences that each heading names. The
//! rules of this crate are our own code.

use balk_contract::wording::excerpt;

/// The text with its holes filled, in the order in which they come.
pub(super) fn fill(template: &str, holes: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    for (name, value) in holes {
        let hole = format!("{{{name}}}");
        let (before, after) = rest.split_once(&*hole).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Characters of an error or of arguments that are repeated to the model. The products repeat them whole.
const QUOTED_CHARS: usize = 500;

/// What a message repeats, cut if it is long.
pub(super) fn quoted(text: &str) -> String {
    excerpt(text, QUOTED_CHARS)
}

/// OpenHands/software-agent-sdk 611629e699, MIT.
pub(super) mod openhands {
    /// `conversation/stuck_detector.py`, `get_action_error_nudge`.
    pub(crate) const SAME_ERROR: &str = "You've called `{tool}` with the same arguments {count} times in a row and gotten the same error each \
         time: {error}. Repeating the exact same call again will not work — review the error message and either \
         correct the arguments or try a different approach.";
    /// `agent/response_dispatch.py`, `_send_corrective_nudge`.
    pub(crate) const NO_CONTENT: &str = "Your last response did not include a function call or a message. Please use a tool to proceed with the \
         task.";
}

/// MoonshotAI/kimi-cli 4a550effdf, Apache-2.0: `soul/toolset.py`.
pub(super) mod kimi_cli {
    /// `_REMINDER_TEXT_1`.
    pub(crate) const FIRST: &str = "<system-reminder>\nYou are repeating the exact same tool call with identical parameters. Please \
         carefully analyze the previous result. If the task is not yet complete, try a different method or \
         parameters instead of repeating the same call.\n</system-reminder>";
    /// `_make_reminder_text_2`.
    pub(crate) const SECOND: &str = "<system-reminder>\nYou have repeatedly called the same tool with identical parameters many times.\n\
         Repeated tool call detected:\n- tool: {tool}\n- repeated_times: {count}\n- arguments: {arguments}\n\
         The previous repeated calls did not make progress. Do not call this exact same tool with the exact same \
         arguments again.\nCarefully inspect the latest tool result and choose a different next action, different \
         parameters, or finish the task if enough evidence has been gathered.\n</system-reminder>";
    /// `_REMINDER_TEXT_3`.
    pub(crate) const THIRD: &str = "<system-reminder>\nYou are stuck in a dead end and have repeatedly made the same function call without \
         progress.\nStop all function calls immediately. Do not call any tool in your next response.\nIn analysis, \
         review the current execution state and identify why progress is blocked.\nThen return a text-only summary \
         to the user that reports the current problem, what has already been tried, and what information or \
         decision is needed next.\n</system-reminder>";
}
