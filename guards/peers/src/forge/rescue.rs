//! Calls that a model printed as text, in the forms that forge reads (`docs/peers.md#forge`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use balk_contract::RawCall;

/// A tool's name and its arguments.
type Printed = (String, Value);

/// The printed calls of tools that are on offer: of the first form in which there are any.
pub(super) fn rescue(text: &str, is_offered: &dyn Fn(&str) -> bool) -> Vec<RawCall> {
    let text = without_thoughts(text);
    let forms: [fn(&str) -> Vec<Printed>; 4] = [json, rehearsed, qwen, mistral];
    let found = forms.into_iter().map(|read| {
        let mut calls = read(text.trim());
        calls.retain(|(tool, _)| is_offered(tool));
        calls
    });
    let calls = found.into_iter().find(|calls| !calls.is_empty()).unwrap_or_default();
    let named = |(at, (tool, arguments)): (usize, Printed)| RawCall {
        id: format!("call_{at:09}").into(),
        tool: tool.into(),
        arguments: arguments.to_string().into(),
    };
    calls.into_iter().enumerate().map(named).collect()
}

/// The text without what stands between marks of thinking.
fn without_thoughts(text: &str) -> String {
    let marks = [("[THINK]", "[/THINK]"), ("<think>", "</think>")];
    let mut marks = marks.map(|(open, close)| [Next::of(text, open), Next::of(text, close)]);
    let mut kept = String::new();
    let mut at = 0;
    loop {
        let spans = marks.iter_mut().filter_map(|[open, close]| {
            let from = open.since(at)?;
            Some((from, close.since(from)? + close.mark.len()))
        });
        let Some((from, to)) = spans.min() else { return kept + &text[at..] };
        kept.push_str(&text[at..from]);
        at = to;
    }
}

/// Where a mark is. No place of the text is searched twice.
struct Next<'t> {
    text: &'t str,
    mark: &'static str,
    at: Option<usize>,
}

impl<'t> Next<'t> {
    fn of(text: &'t str, mark: &'static str) -> Self {
        Self { text, mark, at: text.find(mark) }
    }

    /// The first one from here on; each time from the same place or a later one.
    fn since(&mut self, from: usize) -> Option<usize> {
        if self.at? < from {
            self.at = self.text[from..].find(self.mark).map(|at| from + at);
        }
        self.at
    }
}

/// Objects with a tool's name and its arguments, in fences or not, one after the other.
fn json(text: &str) -> Vec<Printed> {
    let text = text.replace("```json", "").replace("```", "");
    let ends = ends(&text);
    let mut found = Vec::new();
    let mut from = 0;
    for (open, end) in ends {
        if open >= from {
            found.extend(serde_json::from_str(&text[open..end]).ok().and_then(call));
            from = end;
        }
    }
    found
}

/// Where each brace that is closed opens, and the end of the one that closes it, in order. Braces in strings count.
fn ends(text: &str) -> BTreeMap<usize, usize> {
    let mut open = Vec::new();
    let mut ends = BTreeMap::new();
    for (at, brace) in text.bytes().enumerate() {
        match brace {
            b'{' => open.push(at),
            b'}' => ends.extend(open.pop().map(|from| (from, at + 1))),
            _ => {}
        }
    }
    ends
}

/// `tool` and `args`, or `name` and `arguments`.
fn call(mut members: Map<String, Value>) -> Option<Printed> {
    let name = ["tool", "name"]
        .into_iter()
        .find_map(|name| members.get(name)?.as_str().filter(|it| !it.is_empty()))?;
    let name = name.to_owned();
    let arguments = members.remove("args").filter(|it| !it.is_null()).or_else(|| members.remove("arguments"));
    Some((name, arguments.unwrap_or_else(|| Value::Object(Map::new()))))
}

/// The length of the text up to the brace that closes its first one. Braces in strings do not count.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        if is_escaped || c == '\\' {
            is_escaped = !is_escaped;
            continue;
        }
        if c == '"' {
            in_string = !in_string;
        }
        match c {
            _ if in_string => {}
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// `name[ARGS]{…}`, up to the last brace of the text.
fn rehearsed(text: &str) -> Vec<Printed> {
    let read = || {
        let (before, after) = text.split_once("[ARGS]{")?;
        let name: String = before.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let name: String = name.chars().rev().collect();
        let arguments = format!("{{{}", &after[..=after.rfind('}')?]);
        let arguments: Map<String, Value> = serde_json::from_str(&arguments).ok()?;
        (!name.is_empty()).then_some((name, Value::Object(arguments)))
    };
    read().into_iter().collect()
}

/// `<function=name><parameter=key>value</parameter></function>`; all values are texts.
fn qwen(text: &str) -> Vec<Printed> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<function=") {
        let Some((body, after)) = after.split_once("</function>") else { break };
        rest = after;
        let Some((name, body)) = body.split_once('>') else { continue };
        let parameters = body.split("<parameter=").skip(1).filter_map(|part| {
            let (key, value) = part.split_once('>')?;
            let value = value.split_once("</parameter>").map_or(value, |(value, _)| value);
            let value = value.strip_prefix('\n').unwrap_or(value);
            Some((key.trim().to_owned(), Value::from(value.strip_suffix('\n').unwrap_or(value))))
        });
        found.push((name.trim().to_owned(), Value::Object(parameters.collect())));
    }
    found
}

/// `[TOOL_CALLS]name{…}`, one or more.
fn mistral(text: &str) -> Vec<Printed> {
    let read = |part: &str| {
        let (name, _) = part.split_once('{')?;
        let body = &part[name.len()..];
        let arguments: Map<String, Value> = serde_json::from_str(&body[..balanced(body)?]).ok()?;
        let name = name.trim_end();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| (name.to_owned(), Value::Object(arguments)))
    };
    text.split("[TOOL_CALLS]").skip(1).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::without_thoughts;

    #[test]
    fn thoughts_of_both_kinds_are_left_out() {
        for (text, kept) in [
            ("a<think>b</think>c<think>d</think>", "ac"),
            ("a[THINK]b<think>c[/THINK]d</think>e", "ad</think>e"),
            ("<think>[THINK]</think>a[/THINK]b", "a[/THINK]b"),
            ("[THINK]a<think>b</think>c", "[THINK]ac"),
            ("<think>a", "<think>a"),
            ("</think><think>a</think>é", "</think>é"),
        ] {
            assert_eq!(without_thoughts(text), kept, "{text}");
        }
    }
}
