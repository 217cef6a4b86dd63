//! Tool calls in text, as agents write them that use a chat schema: `<tool>…</tool>`, or a JSON object that names a
//! tool.

use std::sync::Arc;

use serde_json::Value;

/// Whether the text contains a call of one of these tools: an XML-like block with its name, or a JSON object with the
/// name under `tool`, `name` or `tool_name` and its arguments next to it.
pub(crate) fn calls_one_of(text: &str, tools: &[Arc<str>]) -> bool {
    tools.iter().any(|tool| has_block(text, tool)) || objects(text).any(|it| names_one_of(&it, tools))
}

fn has_block(text: &str, tool: &str) -> bool {
    let mut opens = text.match_indices('<').filter_map(|(at, _)| {
        let rest = text[at + 1..].strip_prefix(tool)?;
        rest.starts_with(['>', ' ', '/', '\n']).then_some(rest)
    });
    let closes = |rest: &str| {
        rest.match_indices("</").any(|(at, _)| {
            rest[at + 2..].strip_prefix(tool).is_some_and(|rest| rest.trim_start().starts_with('>'))
        })
    };
    // A tag that closes a later block also closes the first one.
    opens.next().is_some_and(|first| closes(first) || is_whole(first) || opens.any(is_whole))
}

/// Whether the text after a tool's name ends the tag as self-closing: attributes, if any, and `/>`.
fn is_whole(rest: &str) -> bool {
    rest.split_once('>').is_some_and(|(tag, _)| tag.ends_with('/'))
}

/// The JSON objects that begin a line or a code block, in order.
fn objects(text: &str) -> impl Iterator<Item = Value> {
    let starts = text.match_indices('{').filter(|(at, _)| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '>', '`'])
    });
    starts.filter_map(|(at, _)| {
        serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next().and_then(Result::ok)
    })
}

fn names_one_of(object: &Value, tools: &[Arc<str>]) -> bool {
    let name = ["tool", "name", "tool_name", "function"].iter().find_map(|key| object.get(key)?.as_str());
    let arguments = ["arguments", "parameters", "input", "args", "tool_input"];
    let has_arguments = arguments.iter().any(|key| object.get(key).is_some());
    name.is_some_and(|name| tools.iter().any(|tool| **tool == *name)) && has_arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_calls_in_text_are_found_and_mentions_are_not() {
        let tools = ["read_file".into(), "ls".into()];
        for call in [
            "I'll read it.\n<read_file>\n<path>a.py</path>\n</read_file>",
            "<ls/>",
            "```json\n{\"tool\": \"ls\", \"arguments\": {}}\n```",
            "{\"name\": \"read_file\", \"parameters\": {\"path\": \"a\"}}",
        ] {
            assert!(calls_one_of(call, &tools), "{call}");
        }
        for mention in [
            "I will use <read_file> now.",
            "Use read_file or ls.",
            "<write_file><path>a</path></write_file>",
            "{\"name\": \"read_file\"}",
            "{\"tool\": \"write\", \"arguments\": {}}",
            "{\"tool\": ",
            "<lsx></lsx>",
        ] {
            assert!(!calls_one_of(mention, &tools), "{mention}");
        }
    }
}
