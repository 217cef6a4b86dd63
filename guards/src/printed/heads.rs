//! Calls that are printed as a name and then the arguments.

use super::call::{Arguments, Call, IsTool, bare, name};
use super::json;
use crate::mend::value;

/// The call at the start of the text, and its length. `is_marked`: a mark of a chat template came before, so that a
/// bare object may follow the name.
pub(super) fn read<'t>(text: &'t str, is_marked: bool, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    if !may_begin(text, is_marked) {
        return None;
    }
    harmony(text, is_tool)
        .or_else(|| react(text, is_tool))
        .or_else(|| deepseek(text, is_tool))
        .or_else(|| headed(text, is_marked, is_tool))
        .or_else(|| arguments_by_tags(text, is_marked, is_tool))
        .or_else(|| function(text, is_tool))
}

/// Whether the text may begin with one of these forms: most lines begin with a word that nothing of them follows.
fn may_begin(text: &str, is_marked: bool) -> bool {
    let called = name(text).map_or(0, str::len);
    let behind = || text[called..].trim_start().starts_with(['(', '[', '<', ':', '=']);
    is_marked || called == 0 || behind() || text.starts_with("commentary to=")
}

/// `[name(argument="value"), …]`: Llama 3.2 and 4, and other models that are trained to write Python.
pub(super) fn list<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Vec<Call<'t>>, usize)> {
    let mut rest = text.strip_prefix('[')?.trim_start();
    let mut calls = Vec::new();
    loop {
        let (call, length) = function(rest, is_tool)?;
        calls.push(call);
        rest = rest[length..].trim_start();
        if let Some(rest) = rest.strip_prefix(']') {
            return Some((calls, text.len() - rest.len()));
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// `name` with the object behind these texts.
fn with_object<'t>(called: &'t str, object: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let (arguments, length) = json::object(object)?;
    let name = bare(called, is_tool)?.into();
    let arguments = Arguments::Json(arguments.into());
    Some((Call { name, arguments, is_strange: false, is_code: false }, length))
}

/// `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}`: gpt-oss.
fn harmony<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let begins = ["<|channel|>", "<|start|>", "commentary to=", "to=functions."];
    if !begins.iter().any(|it| text.starts_with(it)) {
        return None;
    }
    let (head, object) = text.split_once("<|message|>")?;
    // The head is one line of marks.
    if head.contains('\n') {
        return None;
    }
    let (_, called) = head.split_once("to=")?;
    let object = object.trim_start();
    let (call, length) = with_object(name(called)?, object, is_tool)?;
    Some((call, text.len() - object.len() + length))
}

/// `Action: NAME`, and on the next line `Action Input: {…}`: prompts in the manner of ReAct.
fn react<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let (called, rest) = text.strip_prefix("Action:")?.split_once('\n')?;
    let object = rest.trim_start().strip_prefix("Action Input:")?.trim_start();
    let (call, length) = with_object(called.trim(), object, is_tool)?;
    Some((call, text.len() - object.len() + length))
}

/// `function<sep>NAME` with a fenced object: DeepSeek V3 and R1.
fn deepseek<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let (called, rest) = text.strip_prefix("function<｜tool▁sep｜>")?.split_once('\n')?;
    let object = rest.strip_prefix("```json")?.trim_start();
    let (call, length) = with_object(called.trim(), object, is_tool)?;
    let rest = object[length..].trim_start().strip_prefix("```")?;
    Some((call, text.len() - rest.len()))
}

/// `name[ARGS]{…}`, `name<sep>{…}`, `functions.name:0<begin>{…}`, and `name{…}` behind a mark: Mistral, DeepSeek V3.1,
/// Kimi.
fn headed<'t>(text: &'t str, is_marked: bool, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let called = name(text)?;
    let rest = &text[called.len()..];
    let number = rest.strip_prefix(':').map(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()));
    let rest = number.unwrap_or(rest);
    let rest = match rest.strip_prefix("[CALL_ID]") {
        Some(id) => id.trim_start_matches(|c: char| c.is_ascii_alphanumeric()),
        None => rest,
    };
    let separators = ["[ARGS]", "<｜tool▁sep｜>", "<|tool_call_argument_begin|>"];
    let behind = separators.iter().find_map(|it| rest.trim_start().strip_prefix(it));
    let object = match behind {
        Some(object) => object.trim_start(),
        None if is_marked => rest.trim_start(),
        None => return None,
    };
    let (call, length) = with_object(called, object, is_tool)?;
    Some((call, text.len() - object.len() + length))
}

/// `name`, and then `<arg_key>…</arg_key><arg_value>…</arg_value>`, behind a mark: GLM 4.
fn arguments_by_tags<'t>(text: &'t str, is_marked: bool, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let called = name(text).filter(|_| is_marked)?;
    let (mut rest, mut values) = (&text[called.len()..], Vec::new());
    while let Some(after) = rest.trim_start().strip_prefix("<arg_key>") {
        let (key, after) = after.split_once("</arg_key>")?;
        let (value, after) = after.trim_start().strip_prefix("<arg_value>")?.split_once("</arg_value>")?;
        values.push((key.trim(), value));
        rest = after;
    }
    let name = bare(called, is_tool).filter(|_| !values.is_empty())?.into();
    let call = Call { name, arguments: Arguments::Texts(values), is_strange: false, is_code: false };
    Some((call, text.len() - rest.len()))
}

/// `name(argument="value", …)`; Gemini writes `print(default_api.name(…))`.
fn function<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let (mut inside, mut prints) = (text, 0_usize);
    while let Some(printed) = inside.strip_prefix("print(") {
        (inside, prints) = (printed, prints + 1);
    }
    let called = name(inside)?;
    let tool = bare(called, is_tool)?;
    let mut rest = inside[called.len()..].strip_prefix('(')?.trim_start();
    let mut arguments = String::from("{");
    while !rest.starts_with(')') {
        let key = name(rest).filter(|it| !it.contains('.'))?;
        let after = rest[key.len()..].trim_start().strip_prefix('=')?;
        let length = extent(after)?;
        let json = value(&after[..length])?;
        let comma = if arguments.len() > 1 { "," } else { "" };
        arguments.push_str(&format!("{comma}\"{key}\":{json}"));
        rest = after[length..].trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    arguments.push('}');
    rest = &rest[1..];
    for _ in 0..prints {
        rest = rest.trim_start().strip_prefix(')')?;
    }
    let arguments = Arguments::Json(arguments.into());
    let call = Call { name: tool.into(), arguments, is_strange: false, is_code: true };
    Some((call, text.len() - rest.len()))
}

/// The length of a value in code: up to the comma or the bracket that ends it.
fn extent(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ',') if depth == 0 => return Some(at),
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, _) => {}
        }
    }
    None
}
