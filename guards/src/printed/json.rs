//! Calls printed as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::call::{Arguments, Call, IsTool, bare};

/// Members that hold the name of a tool, and members that hold its arguments.
const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "action"];
const ARGUMENTS: [&str; 6] = ["arguments", "parameters", "input", "args", "tool_input", "action_input"];
/// Members that hold a whole call, and members that hold a list of them.
const CALLS: [&str; 5] = ["function", "functionCall", "function_call", "tool_call", "toolCall"];
const LISTS: [&str; 2] = ["tool_calls", "calls"];
/// How often a call may be wrapped: each level is read once more.
const WRAPS: usize = 4;
/// Other members that a call may have.
const BESIDE: [&str; 9] =
    ["id", "type", "index", "call_id", "tool_call_id", "thought", "thoughts", "reasoning", "role"];

/// The members of an object, each with its value as it is spelled.
type Members<'t> = BTreeMap<Cow<'t, str>, &'t RawValue>;

/// The calls in the JSON at the start of the text, and its length. Every element of a list must be one.
pub(super) fn read<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Vec<Call<'t>>, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    Some((calls(value, is_tool)?, values.byte_offset()))
}

/// The object at the start of the text, and its length.
pub(super) fn object(text: &str) -> Option<(&str, usize)> {
    if !text.starts_with('{') {
        return None;
    }
    let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    Some((value.get(), values.byte_offset()))
}

fn calls<'t>(value: &'t RawValue, is_tool: IsTool<'_>) -> Option<Vec<Call<'t>>> {
    if value.get().starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        let all: Vec<Call<'_>> = elements.into_iter().map(|it| call(it, is_tool)).collect::<Option<_>>()?;
        return (!all.is_empty()).then_some(all);
    }
    let members: Members<'_> = serde_json::from_str(value.get()).ok()?;
    if let Some(list) = LISTS.iter().find_map(|it| members.get(*it)).filter(|it| it.get().starts_with('[')) {
        return calls(list, is_tool);
    }
    Some(vec![of(members, is_tool)?])
}

fn call<'t>(value: &'t RawValue, is_tool: IsTool<'_>) -> Option<Call<'t>> {
    let members: Members<'_> = serde_json::from_str(value.get()).ok()?;
    of(members, is_tool)
}

fn of<'t>(mut members: Members<'t>, is_tool: IsTool<'_>) -> Option<Call<'t>> {
    let is_beside = |key: &str| BESIDE.contains(&key);
    let (mut wraps, mut is_strange) = (0, false);
    let is_whole =
        |members: &Members<'_>, key: &str| members.get(key).is_some_and(|it| it.get().starts_with('{'));
    while let Some(whole) = CALLS.iter().find(|it| is_whole(&members, it)) {
        wraps += 1;
        if wraps > WRAPS {
            return None;
        }
        is_strange |= members.keys().any(|key| key != whole && !is_beside(key));
        members = serde_json::from_str(members[*whole].get()).ok()?;
    }
    let text = |key: &&&str| members.get(**key).is_some_and(|value| value.get().starts_with('"'));
    let name_key = NAMES.iter().find(text)?;
    let name: String = serde_json::from_str(members[*name_key].get()).ok()?;
    let name = bare(&name, is_tool)?.to_owned();
    let arguments_key = ARGUMENTS.iter().find(|it| members.contains_key(**it))?;
    let arguments = arguments(members[*arguments_key])?;
    // The two belong together; other objects have an action with details of their own.
    if (*name_key == "action") != (*arguments_key == "action_input") {
        return None;
    }
    let is_known = |key: &str| key == *name_key || key == *arguments_key || is_beside(key);
    is_strange |= members.keys().any(|key| !is_known(key)) || defines(&arguments);
    Some(Call { name: name.into(), arguments: Arguments::Json(arguments), is_strange, is_code: false })
}

/// The object, also where it is text once more, as OpenAI writes it.
fn arguments(value: &RawValue) -> Option<Cow<'_, str>> {
    match value.get().as_bytes().first()? {
        b'{' => Some(value.get().into()),
        b'"' => {
            let inner: String = serde_json::from_str(value.get()).ok()?;
            object(inner.trim()).filter(|(_, length)| *length == inner.trim().len())?;
            Some(inner.trim().to_owned().into())
        }
        b'n' => Some("{}".into()),
        _ => None,
    }
}

/// Whether this is the schema of a tool's arguments, and no arguments.
fn defines(arguments: &str) -> bool {
    let members: Option<Members<'_>> = serde_json::from_str(arguments).ok();
    members.is_some_and(|it| {
        it.contains_key("properties") && it.get("type").is_some_and(|kind| kind.get() == "\"object\"")
    })
}
