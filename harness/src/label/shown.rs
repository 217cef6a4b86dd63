//! What a reader sees of a place: the task, an outline of what came before, the last messages and the place itself with
//! its direct answer, and what the model did next. It says nothing of how the place was drawn: no model, no outcome, no
//! guard, no name of a run or a file. Its length is bounded, whatever the run has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstream::adapter::strip_str;
use balk_guards::{Entry, Origin, Status};
use serde_json::{Map, Value};

use crate::import::{Placed, one_line, plain};
use crate::triage::show::{Said, said};

/// The number of earlier messages of the model that are shown.
const NEAR: usize = 4;

/// The number of messages of the model before these that have a line each in the outline, with what came between.
const OUTLINE: usize = 20;

/// The maximum length of a line of the outline.
const OUTLINE_CHARS: usize = 110;

/// The number of tools that are named.
const TOOLS: usize = 20;

/// The number of entries of one part that are shown: half from its beginning and half from its end.
const ENTRIES: usize = 40;

/// The number of texts and calls of one message that are shown.
const SAID: usize = 8;

/// How much of a text is shown: lines of its beginning and of its end, and characters of a line.
struct Extent {
    first: usize,
    last: usize,
    chars: usize,
}

const OF_TASK: Extent = Extent { first: 12, last: 4, chars: 600 };
const OF_PLACE: Extent = Extent { first: 24, last: 12, chars: 1_200 };
const OF_OTHERS: Extent = Extent { first: 8, last: 5, chars: 600 };
/// What was shown before is only called to mind.
const OF_REPEATED: Extent = Extent { first: 2, last: 1, chars: 200 };

/// What to show of the message of the model at this index of a run. None if the model said nothing there.
#[must_use]
pub fn shown(entries: &[Placed], message: usize) -> Option<String> {
    let is_reply = |it: &Placed| matches!(it.entry, Entry::Completion(_) | Entry::Failed(_));
    let replies: Vec<usize> = (0..entries.len()).filter(|at| is_reply(&entries[*at])).collect();
    let nth = replies.iter().position(|at| entries[*at].message == message)?;
    let begin = |nth: usize| replies.get(nth).copied().unwrap_or(entries.len());
    // What was said before the first message of the model belongs to it.
    let back = |by: usize| nth.checked_sub(by).filter(|nth| *nth > 0).map_or(0, begin);
    let [outline, near, place, next, end] =
        [back(NEAR + OUTLINE), back(NEAR), begin(nth), begin(nth + 1), begin(nth + 2)];

    let mut view = View { out: String::new(), seen: BTreeMap::new() };
    view.tools(entries);
    view.task(&entries[..near]);
    view.skip(&entries[..outline]);
    view.outline(&entries[outline..near]);
    view.part(&entries[near..place], "   ", &OF_OTHERS);
    view.part(&entries[place..=place], ">>>", &OF_PLACE);
    view.part(&entries[place + 1..next], "   ", &OF_PLACE);
    view.line(if next < entries.len() { "── what came next" } else { "── the record ends here" });
    view.part(&entries[next..end], "   ", &OF_OTHERS);
    Some(view.out)
}

/// A text that grows.
struct View<'a> {
    out: String,
    /// The messages in which something was said before.
    seen: BTreeMap<Said<'a>, Vec<usize>>,
}

impl<'a> View<'a> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// The tools.
    fn tools(&mut self, entries: &[Placed]) {
        if let Some(Placed { entry: Entry::Start(start), .. }) = entries.first() {
            let tools = start.offer.tools();
            let names: Vec<String> =
                tools.iter().take(TOOLS).map(|tool| one_line(&tool.original, OUTLINE_CHARS)).collect();
            let names = if names.is_empty() { "[none is known]".to_owned() } else { names.join(", ") };
            let more = if tools.len() > TOOLS { ", …" } else { "" };
            self.line(&format!("             tools │ {names}{more}"));
        }
    }

    /// The first message of the user, which is the task.
    fn task(&mut self, entries: &[Placed]) {
        if let Some(Placed { message, entry }) = entries.iter().find(|it| matches!(it.entry, Entry::User(_)))
        {
            for said in said(entry) {
                self.said("   ", *message, said, "", &OF_TASK);
            }
        }
    }

    /// Takes note of what is not shown.
    fn skip(&mut self, entries: &'a [Placed]) {
        for Placed { message, entry } in entries {
            said(entry).into_iter().for_each(|it| self.note(*message, it));
        }
        let count = entries.iter().filter(|it| !said(&it.entry).is_empty()).count();
        if count > 0 {
            self.line(&format!("── {count} earlier messages and results"));
        }
    }

    /// A line for each thing that was said.
    fn outline(&mut self, entries: &'a [Placed]) {
        if !entries.is_empty() {
            self.line("── in outline");
        }
        for Placed { message, entry } in entries {
            for it in said(entry).into_iter().take(SAID) {
                let again = self.again(&it);
                let tool = it.tool.map_or_else(String::new, |tool| format!("{tool} "));
                let text = one_line(&format!("{tool}{}", clean(it.text)), OUTLINE_CHARS);
                self.line(&format!("    {message:>4} {:>9} │ {text} {}{again}", it.who, status(entry)));
                self.note(*message, it);
            }
        }
        if !entries.is_empty() {
            self.line("── in full");
        }
    }

    /// What these entries say, with this mark before each line.
    fn part(&mut self, entries: &'a [Placed], mark: &str, extent: &Extent) {
        let hidden = entries.len().saturating_sub(ENTRIES);
        for (at, Placed { message, entry }) in entries.iter().enumerate() {
            let all = said(entry);
            if hidden > 0 && at == ENTRIES / 2 {
                self.line(&format!("── {hidden} messages and results"));
            }
            if !(ENTRIES / 2..ENTRIES / 2 + hidden).contains(&at) {
                for it in all.iter().take(SAID) {
                    let again = self.again(it);
                    let extent = if again.is_empty() { extent } else { &OF_REPEATED };
                    self.said(mark, *message, *it, &format!("{}{again}", status(entry)), extent);
                }
                if all.len() > SAID {
                    self.line(&format!("── {} more in this message", all.len() - SAID));
                }
            }
            all.into_iter().for_each(|it| self.note(*message, it));
        }
    }

    fn said(
        &mut self,
        mark: &str,
        message: usize,
        Said { who, tool, text }: Said<'_>,
        note: &str,
        extent: &Extent,
    ) {
        let text = clean(&if tool.is_some() { arguments(text) } else { text.to_owned() });
        let mut lines = excerpt(&text, extent);
        if lines.is_empty() {
            lines.push(if tool.is_none() { "[empty]" } else { "" }.to_owned());
        }
        lines.extend((!note.is_empty()).then(|| note.to_owned()));
        let tool = tool.map_or_else(String::new, |tool| one_line(tool, OUTLINE_CHARS) + " ");
        for (at, line) in lines.iter().enumerate() {
            if at == 0 {
                self.line(&format!("{mark} {message:>4} {who:>9} │ {tool}{line}"));
            } else {
                self.line(&format!("{mark} {:>4} {:>9} │ {line}", "", ""));
            }
        }
    }

    /// Where the very same was said before.
    fn again(&self, it: &Said<'_>) -> String {
        match self.seen.get(it).map_or(&[][..], Vec::as_slice) {
            [] => String::new(),
            [one] => format!("[the same as in {one}]"),
            all @ [first, ..] => format!("[the same as in {first} and {} more]", all.len() - 1),
        }
    }

    fn note(&mut self, message: usize, it: Said<'a>) {
        if !it.text.trim().is_empty() {
            self.seen.entry(it).or_default().push(message);
        }
    }
}

/// What the source says of a result, beside its text.
fn status(entry: &Entry) -> &'static str {
    match entry {
        Entry::Result(result) if result.origin == Origin::Missing => "[no result was recorded] ",
        Entry::Result(result) if result.status == Status::Error => "[failed] ",
        Entry::Result(_)
        | Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => "",
    }
}

/// The arguments of a call as one reads them: each member with its text, in which line breaks are line breaks.
fn arguments(text: &str) -> String {
    let Ok(members) = serde_json::from_str::<Map<String, Value>>(text) else { return text.to_owned() };
    let mut shown = String::new();
    for (at, (name, value)) in members.iter().enumerate() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let between = if at == 0 { "" } else { "\n" };
        write!(shown, "{between}{name}: {value}").expect("a string takes all");
    }
    shown
}

/// A text without colours and other commands to a terminal. A bar that was drawn again and again has a line each time.
fn clean(text: &str) -> String {
    strip_str(text).to_string().replace("\r\n", "\n").replace('\r', "\n")
}

/// The lines of a text that are shown, each without characters that a terminal would obey.
fn excerpt(text: &str, extent: &Extent) -> Vec<String> {
    let lines: Vec<&str> = text.trim_start_matches('\n').trim_end().lines().collect();
    let cut = |line: &&str| cut(line.trim_end(), extent.chars);
    let hidden = lines.len().saturating_sub(extent.first + extent.last);
    if hidden <= 1 {
        return lines.iter().map(cut).collect();
    }
    let (first, last) = (&lines[..extent.first], &lines[lines.len() - extent.last..]);
    let between = format!("[… {hidden} lines …]");
    first.iter().map(cut).chain([between]).chain(last.iter().map(cut)).collect()
}

/// A line of at most about this many characters: two thirds of its beginning and one third of its end.
fn cut(line: &str, chars: usize) -> String {
    let all: Vec<char> =
        line.chars().flat_map(|c| if c == '\t' { [' '; 4].to_vec() } else { vec![plain(c)] }).collect();
    let hidden = all.len().saturating_sub(chars);
    if hidden == 0 {
        return all.into_iter().collect();
    }
    let (first, last) = (chars * 2 / 3, chars / 3);
    let [first, last] = [&all[..first], &all[all.len() - last..]].map(|part| part.iter().collect::<String>());
    format!("{first}[… {hidden} characters …]{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Extent = Extent { first: 2, last: 1, chars: 9 };

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(excerpt("a\nb\nc\nd\n\n", &SHORT), ["a", "b", "c", "d"]);
        assert_eq!(excerpt("a\nb\nc\nd\ne", &SHORT), ["a", "b", "[… 2 lines …]", "e"]);
        assert_eq!(cut("123456789", 9), "123456789");
        assert_eq!(cut("1234567890x", 9), "123456[… 2 characters …]90x");
    }

    #[test]
    fn a_terminal_gets_nothing_to_obey() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m\u{7}\r\n10 %\r20 %"), "red\n10 %\n20 %");
        assert_eq!(excerpt("\n\u{1}\tred\u{202e}x", &Extent { chars: 99, ..SHORT }), ["?    red?x"]);
    }

    #[test]
    fn arguments_are_shown_as_they_are_read() {
        assert_eq!(
            arguments(r#"{"path": "a.py", "text": "one\ntwo", "n": 3}"#),
            "n: 3\npath: a.py\ntext: one\ntwo"
        );
        assert_eq!(arguments("not JSON"), "not JSON");
    }
}
