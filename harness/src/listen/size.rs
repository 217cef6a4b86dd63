//! About how many bytes it takes to keep what a model said.

use balk_guards::{Completion, Part, ToolCall};

/// An answer with its texts.
pub(crate) fn of_completion(it: &Completion) -> usize {
    let part = |it: &Part| match it {
        Part::Text(text) => text.len(),
        Part::Thinking { text, signature } => text.len() + signature.as_ref().map_or(0, |it| it.len()),
    };
    let parts: usize = it.parts.iter().map(|it| size_of::<Part>() + part(it)).sum();
    let call = |it: &ToolCall| size_of::<ToolCall>() + it.id.len() + it.tool.len() + it.arguments.len();
    size_of::<Completion>() + parts + it.calls.iter().map(|it| call(it)).sum::<usize>()
}
