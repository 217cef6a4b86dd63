//! Calls printed as tags.

use std::borrow::Cow;

use super::call::{Arguments, Call, IsTool, bare, name};
use super::json;

/// The call in the tag at the start of the text, and its length: `<function=NAME>`, `<invoke name="NAME">`, or the
/// tool's own name as a tag.
pub(super) fn read<'t>(text: &'t str, is_tool: IsTool<'_>) -> Option<(Call<'t>, usize)> {
    let inside = text.strip_prefix('<')?;
    let (kind, called, attributes, body) = if let Some(rest) = inside.strip_prefix("function=") {
        let (called, body) = rest.split_once('>')?;
        (Kind::Function, called, "", body)
    } else if let Some(rest) = inside.strip_prefix("invoke ") {
        let (head, body) = rest.split_once('>')?;
        (Kind::Invoke, attribute(head, "name")?, "", body)
    } else {
        let called = name(inside)?;
        let (head, body) = inside[called.len()..].split_once('>')?;
        let is_tag = head.is_empty() || head.starts_with([' ', '\n', '/']);
        is_tag.then_some((Kind::Own(called), called, head, body))?
    };
    let called = bare(called.trim().trim_matches(['"', '\'']), is_tool)?;
    let call = |arguments, is_strange| Call { name: called.into(), arguments, is_strange, is_code: false };
    let length = |rest: &str| text.len() - rest.len();
    if let Some(attributes) = attributes.strip_suffix('/') {
        return Some((call(Arguments::Texts(all(attributes)?), false), length(body)));
    }
    let (arguments, rest) = kind.arguments(body)?;
    Some((call(arguments, !attributes.trim().is_empty()), length(rest)))
}

#[derive(Clone, Copy)]
enum Kind<'t> {
    /// `<function=NAME>`, with `<parameter=KEY>` inside: Qwen3-Coder. Llama 3.1 writes JSON inside.
    Function,
    /// `<invoke name="NAME">`, with `<parameter name="KEY">` inside.
    Invoke,
    /// `<NAME>`, with `<KEY>` inside.
    Own(&'t str),
}

impl<'t> Kind<'t> {
    /// The arguments up to the tag that closes the call, and the text behind it.
    fn arguments(self, body: &'t str) -> Option<(Arguments<'t>, &'t str)> {
        let start = body.trim_start();
        if let Some((object, length)) = json::object(start)
            && let Some(rest) = self.closed(&start[length..])
        {
            return Some((Arguments::Json(Cow::Borrowed(object)), rest));
        }
        let (mut values, mut rest) = (Vec::new(), body);
        loop {
            if let Some(rest) = self.closed(rest) {
                return Some((Arguments::Texts(values), rest));
            }
            let (key, after) = self.opens(rest)?;
            let (value, after) = self.value(key, after)?;
            values.push((key, value));
            rest = after;
        }
    }

    /// The text behind the tag that closes the call, if it comes next.
    fn closed(self, text: &str) -> Option<&str> {
        let inside = text.trim_start().strip_prefix("</")?;
        let closes = match self {
            Self::Function => "function",
            Self::Invoke => "invoke",
            Self::Own(name) => name,
        };
        inside.strip_prefix(closes)?.trim_start().strip_prefix('>')
    }

    /// The argument whose tag comes next, and the text behind the tag.
    fn opens(self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let inside = text.trim_start().strip_prefix('<')?;
        let (head, rest) = inside.split_once('>')?;
        let key = match self {
            Self::Function => head.strip_prefix("parameter=")?.trim().trim_matches(['"', '\'']),
            Self::Invoke => attribute(head.strip_prefix("parameter ")?, "name")?,
            Self::Own(_) => head,
        };
        (name(key)? == key).then_some((key, rest))
    }

    /// The value of an argument, and the text behind its closing tag: the first such tag behind which the call goes
    /// on or ends, because a value may contain the tag as well.
    fn value(self, key: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
        let closes = match self {
            Self::Function | Self::Invoke => "</parameter>".to_owned(),
            Self::Own(_) => format!("</{key}>"),
        };
        text.match_indices(&closes).find_map(|(at, _)| {
            let rest = &text[at + closes.len()..];
            let goes_on = self.closed(rest).is_some() || self.opens(rest).is_some();
            goes_on.then(|| (unpadded(&text[..at]), rest))
        })
    }
}

/// The value without the line breaks that set it apart from its tags.
fn unpadded(value: &str) -> &str {
    let value = value.strip_prefix('\n').unwrap_or(value);
    value.strip_suffix('\n').unwrap_or(value)
}

/// The value of one attribute.
fn attribute<'t>(head: &'t str, wanted: &str) -> Option<&'t str> {
    all(head)?.into_iter().find(|(key, _)| *key == wanted).map(|(_, value)| value)
}

/// All attributes of a tag.
fn all(head: &str) -> Option<Vec<(&str, &str)>> {
    let (mut found, mut rest) = (Vec::new(), head.trim());
    while !rest.is_empty() {
        let key = name(rest)?;
        let value = rest[key.len()..].strip_prefix('=')?;
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = value[1..].split_once(quote)?;
        found.push((key, value));
        rest = after.trim_start();
    }
    Some(found)
}
