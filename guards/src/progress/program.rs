//! Calls that carry what they do.

use memchr::memmem;

use balk_contract::ToolCall;

/// A call with arguments of so many bytes carries what it does: a program, a patch, the text of a file. What it answers
/// depends on itself more than on what else was done.
const WHOLE_BYTES: usize = 200;

/// Whether this call carries what it does.
pub(super) fn is_whole(call: &ToolCall) -> bool {
    call.arguments.len() >= WHOLE_BYTES
}

/// Whether this call is a program: it carries what it does, or has several lines.
pub(super) fn is_program(call: &ToolCall) -> bool {
    is_whole(call) || memmem::find(call.arguments.as_bytes(), b"\\n").is_some()
}
