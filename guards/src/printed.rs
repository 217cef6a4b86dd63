//! Calls that a model printed as text in place of making them. One reader for every guard.
//!
//! The forms are those that chat templates and agents define, each with the family of models that prints it
//! (`docs/guards.md#repairs`):
//!
//! - JSON with a tool's name and its arguments, alone, in a list or in a code fence (`json.rs`);
//! - tags: `<function=…>`, `<invoke name=…>`, `<tool>…</tool>` (`tags.rs`);
//! - a name and then the arguments: `name[ARGS]{…}`, `to=functions.name … {…}`, `Action: name`, and the form of a
//!   function call, `name(argument="value")` (`heads.rs`).
//!
//! Marks of chat templates around them (`<tool_call>`, `[TOOL_CALLS]`, `<|python_tag|>`) belong to the call
//! (`marks.rs`).
//! A call begins a line or follows such a mark; what is quoted is not read: behind `>` at the start of a line, or a
//! quotation mark, or a backtick. Only whole calls are found.

use std::mem;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2_iter, memchr3};

pub(crate) use call::{Arguments, Call};

use crate::search::find;
use call::IsTool;
use marks::Mark;

mod call;
mod heads;
mod json;
mod marks;
mod tags;

/// Calls that follow each other with nothing but marks, white space and commas between them.
#[derive(Debug)]
pub(crate) struct Printed<'t> {
    /// The calls, in order; at least one.
    pub(crate) calls: Vec<Call<'t>>,
    /// Where they are, with the marks around them.
    pub(crate) span: Range<usize>,
    /// Whether marks of a chat template are around them.
    pub(crate) is_marked: bool,
    /// Whether they are one list.
    pub(crate) is_list: bool,
    /// Whether they share a code fence with something else, or with the rest of the text.
    pub(crate) is_in_code: bool,
}

/// Places in a text that are read; a text with more of them is no message with a call.
const TRIES: usize = 64;

/// Whether the text contains a call of one of these tools. The form of a function call alone is also code, and does
/// not count.
pub(crate) fn calls_one_of<S: AsRef<str>>(text: &str, tools: &[S]) -> bool {
    if !may_name(text, tools.iter().map(AsRef::as_ref)) {
        return false;
    }
    let is_tool = |name: &str| tools.iter().any(|tool| tool.as_ref() == name);
    let is_call = |it: &Printed<'_>| it.is_list || it.is_marked || it.calls.iter().any(|call| !call.is_code);
    printed(text, &is_tool).iter().any(is_call)
}

/// Whether the text may have the name of one of these tools; most texts have none.
pub(crate) fn may_name<'n>(text: &str, mut tools: impl Iterator<Item = &'n str>) -> bool {
    let text = text.as_bytes();
    // JSON can spell any character with an escape, but letters only in one way.
    let (has_escape, has_long_escape) = (memchr(b'\\', text).is_some(), find(text, b"\\u").is_some());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    tools.any(|name| {
        has_long_escape || has_escape && !name.bytes().all(is_plain) || find(text, name.as_bytes()).is_some()
    })
}

/// The printed calls of a text, in order.
pub(crate) fn printed<'t>(text: &'t str, is_tool: IsTool<'_>) -> Vec<Printed<'t>> {
    let mut found = Vec::new();
    // Every form has one of these.
    if memchr3(b'{', b'<', b'(', text.as_bytes()).is_none() {
        return found;
    }
    let mut end = 0;
    for at in starts(text).take(TRIES) {
        if at < end {
            continue;
        }
        if let Some(calls) = Group::new(text, at).read(is_tool) {
            end = calls.span.end;
            found.push(calls);
        }
    }
    found
}

/// Where a call may begin: at the first character of a line, and at the marks of a chat template.
fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain([text.len()]);
    let lines = ends.map(move |end| mem::replace(&mut from, end)..end);
    lines.flat_map(|line| {
        let (from, line) = (line.start, &text[line]);
        let first = line.len() - line.trim_start().len();
        let is_read = first < line.len() && !line[first..].starts_with('>');
        let begins = is_read && line[first..].starts_with(can_begin);
        let inside = memchr2_iter(b'<', b'[', line.as_bytes()).filter_map(move |at| {
            let is_mark = is_read && at > first && Mark::at(&line[at..]).is_some();
            let is_quoted = || line[..at].ends_with(['`', '"', '\'', '“', '«', '「']);
            (is_mark && !is_quoted()).then_some(from + at)
        });
        begins.then_some(from + first).into_iter().chain(inside)
    })
}

fn can_begin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '{' | '<' | '[' | '`' | '_')
}

/// Calls that are being read.
struct Group<'t> {
    text: &'t str,
    start: usize,
    at: usize,
    /// Where the last call or the last mark behind one ended.
    end: usize,
    calls: Vec<Call<'t>>,
    is_marked: bool,
    is_list: bool,
    /// The backticks of the fence that is open; 0 if none is.
    fence: usize,
}

impl<'t> Group<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let (at, end) = (start, start);
        Self { text, start, at, end, calls: Vec::new(), is_marked: false, is_list: false, fence: 0 }
    }

    fn read(mut self, is_tool: IsTool<'_>) -> Option<Printed<'t>> {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if let Some((mark, length)) = Mark::at(rest) {
                self.is_marked = true;
                self.at += length;
                if mark == Mark::Closes && !self.calls.is_empty() {
                    self.end = self.at;
                }
            } else if let Some(length) = self.fence(rest) {
                self.at += length;
            } else if let Some(length) = self.call(rest, is_tool) {
                self.at += length;
                self.end = self.at;
            } else if !self.calls.is_empty() && rest.starts_with([',', ';']) {
                self.at += 1;
            } else {
                break;
            }
        }
        let Self { start, end, calls, is_marked, is_list, fence, .. } = self;
        let is_in_code = fence > 0;
        (!calls.is_empty()).then_some(Printed { calls, span: start..end, is_marked, is_list, is_in_code })
    }

    /// The line that opens a fence, or the marks that close it.
    fn fence(&mut self, rest: &str) -> Option<usize> {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        if ticks < 3 {
            return None;
        }
        if self.fence > 0 {
            let is_closed = ticks >= self.fence && !self.calls.is_empty();
            return is_closed.then(|| {
                self.fence = 0;
                self.end = self.at + ticks;
                ticks
            });
        }
        let (info, _) = rest.split_once('\n')?;
        self.fence = ticks;
        // Gemini writes its calls into a fence of this name.
        self.is_marked |= info[ticks..].trim() == "tool_code";
        Some(info.len() + 1)
    }

    fn call(&mut self, rest: &'t str, is_tool: IsTool<'_>) -> Option<usize> {
        match rest.as_bytes().first()? {
            b'{' => {
                let (calls, length) = json::read(rest, is_tool)?;
                // An object may have a list of calls.
                self.is_list |= calls.len() > 1;
                self.calls.extend(calls);
                Some(length)
            }
            b'[' => {
                let (calls, length) = json::read(rest, is_tool).or_else(|| heads::list(rest, is_tool))?;
                self.is_list = true;
                self.calls.extend(calls);
                Some(length)
            }
            b'<' => {
                let (call, length) =
                    tags::read(rest, is_tool).or_else(|| heads::read(rest, false, is_tool))?;
                self.calls.push(call);
                Some(length)
            }
            _ => {
                if let Some(list) = rest.strip_prefix("functools")
                    && list.starts_with('[')
                {
                    let (calls, length) = json::read(list, is_tool)?;
                    self.is_marked = true;
                    self.is_list = true;
                    self.calls.extend(calls);
                    return Some(rest.len() - list.len() + length);
                }
                let (call, length) = heads::read(rest, self.is_marked, is_tool)?;
                self.calls.push(call);
                Some(length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_calls_in_text_are_found_and_mentions_are_not() {
        let tools = ["read_file", "ls"];
        for call in [
            "I'll read it.\n<read_file>\n<path>a.py</path>\n</read_file>",
            "<ls/>",
            "<read_file path=\"a\"/>",
            "```json\n{\"tool\": \"ls\", \"arguments\": {}}\n```",
            "{\"name\": \"read_file\", \"parameters\": {\"path\": \"a\"}}",
            "{\"functionCall\": {\"name\": \"ls\", \"args\": {}}}",
            "{\"name\": \"l\\u0073\", \"parameters\": {}}",
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
            "The call `{\"name\": \"ls\", \"arguments\": {}}` lists.",
            "> {\"name\": \"ls\", \"arguments\": {}}",
            "```python\nls(path=\"a\")\n```",
            "{\"action\": \"ls\", \"parameters\": {}}",
        ] {
            assert!(!calls_one_of(mention, &tools), "{mention}");
        }
    }
}
