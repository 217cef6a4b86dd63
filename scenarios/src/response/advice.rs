//! What a delivered message carries, and which ways out it offers. One classifier reads the messages of our guards, of
//! the rules of other agents, and anything else.
//!
//! A way out is read from words that name it, or from a tool that the message tells the model to call: naming the tool
//! that asks the user is the advice to ask. A tool is named where it is told to be called ("with `ls`", "call `ls`",
//! a list after a colon), not where the message only talks about it ("`ls` failed"), and never where the model has just
//! called it.

use std::sync::Arc;

use balk_contract::{Purpose, Tool};

use super::words::{self, Found, Sense};
use crate::scenario::Way;

/// An intervention as the actor received it, with what the classifier compares it to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivered<'a> {
    /// Everything it says, in the user's role or as a synthetic result.
    pub text: &'a str,
    /// What the intervention before it in the same row said.
    pub previous: Option<&'a str>,
    /// The last answer that reads as a failure.
    pub last_error: Option<&'a str>,
    /// The last answer that does not.
    pub last_success: Option<&'a str>,
    /// The tools on offer.
    pub tools: &'a [Tool],
    /// The names that were called in the turn it answers.
    pub called: &'a [&'a str],
}

/// What a message says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// What it carries.
    pub features: Features,
    /// The ways out that it offers, in its order, each once.
    pub ways: Vec<Offered>,
}

/// A way out that a message offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The way.
    pub way: Way,
    /// The name of the first tool that is named for it.
    pub tool: Option<Arc<str>>,
}

/// What an intervention carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// It says that something is wrong.
    pub complains: bool,
    /// It names the cause: it quotes the last error.
    pub cause: bool,
    /// It states the wanted form.
    pub form: bool,
    /// It shows the wanted form.
    pub example: bool,
    /// It lists at least two options.
    pub options: bool,
    /// It repeats the last call's answer.
    pub shows: bool,
    /// It forbids sending the same again.
    pub forbids: bool,
    /// It says that a tool is missing from the offer now.
    pub withholds: bool,
    /// It says something that the last one did not.
    pub novel: bool,
}

impl Advice {
    /// Whether it says nothing that bears on the work: a word out of place says as much.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty() && self.is_bare()
    }

    /// Whether it gives no reason, and nothing else beside the ways out.
    pub(super) fn is_bare(&self) -> bool {
        Features { novel: false, ..self.features } == Features::default()
    }
}

/// Reads an intervention.
#[must_use]
pub fn read(it: &Delivered<'_>) -> Advice {
    let text = it.text;
    let found: Vec<Found> = words::found(text).collect();
    let says = |sense| found.iter().any(|it| it.sense == sense);
    let quotes = |answer: Option<&str>| answer.is_some_and(|answer| text.contains(quote(answer)));
    let features = Features {
        complains: says(Sense::Complains),
        cause: quotes(it.last_error),
        form: says(Sense::Form),
        example: says(Sense::Example),
        options: text.lines().filter(|line| is_item(line)).count() >= 2,
        shows: quotes(it.last_success),
        forbids: says(Sense::Same) && (says(Sense::Not) || says(Sense::NotBefore)),
        withholds: says(Sense::Withholds),
        novel: it.previous.is_some_and(|previous| !same_words(previous, text)),
    };
    Advice { features, ways: ways(it, &found) }
}

/// The start of an answer's first line: what a message must contain to count as quoting it.
fn quote(answer: &str) -> &str {
    const CHARS: usize = 24;
    let line = answer.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("\0");
    line.char_indices().nth(CHARS).map_or(line, |(cut, _)| &line[..cut])
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("• ")
        || (after_number.len() < line.len() && after_number.starts_with(['.', ')', ':', '、', '．']))
}

/// Equal except for digits: a counter alone says nothing new.
fn same_words(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|text| text.bytes().filter(|byte| !byte.is_ascii_digit()));
    a.eq(b)
}

fn ways(it: &Delivered<'_>, found: &[Found]) -> Vec<Offered> {
    let text = it.text;
    let mut read: Vec<(usize, Offered)> = Vec::new();
    for phrase in found {
        if let Sense::Offers(way) = phrase.sense
            && !is_taken_back(text, phrase.start, phrase.end, found)
        {
            read.push((phrase.start, Offered { way, tool: None }));
        }
    }
    read.sort_by_key(|(at, _)| *at);
    let phrases = read.len();
    for (at, tool) in named(it, found) {
        let way = match tool.purpose {
            Purpose::AskUser => Way::Ask,
            Purpose::Finish => Way::Finish,
            Purpose::Wait => Way::Wait,
            Purpose::Shell | Purpose::Other => {
                let before = read[..phrases].iter().rev().find(|(phrase, _)| *phrase < at);
                match before {
                    Some((phrase, offered)) if !text[*phrase..at].contains(ENDS) => offered.way,
                    Some(_) | None if it.called.is_empty() => Way::Call,
                    Some(_) | None => Way::Tool,
                }
            }
        };
        read.push((at, Offered { way, tool: Some(tool.name.clone()) }));
    }
    read.sort_by_key(|(at, _)| *at);
    let mut ways: Vec<Offered> = Vec::with_capacity(read.len());
    for (_, offered) in read {
        match ways.iter_mut().find(|it| it.way == offered.way) {
            Some(first) => first.tool = first.tool.take().or(offered.tool),
            None => ways.push(offered),
        }
    }
    if ways.is_empty() {
        let perhaps = found.iter().find_map(|it| {
            let Sense::Perhaps(way) = it.sense else { return None };
            (!is_taken_back(text, it.start, it.end, found)).then_some(way)
        });
        ways.extend(perhaps.map(|way| Offered { way, tool: None }));
    }
    ways
}

/// What ends a sentence. A point within a name ends none, but a way out is named in a few words.
const ENDS: [char; 9] = ['.', ';', '!', '?', '\n', '。', '；', '！', '？'];

/// Whether a phrase is about what should not be done.
fn is_taken_back(text: &str, start: usize, end: usize, found: &[Found]) -> bool {
    /// Characters between a word like "not" and what it takes back, in bytes.
    const CLOSE: usize = 16;
    let breaks = |between: &str| between.contains(ENDS) || between.contains([',', ':', '，', '：', '、']);
    let close = |from: usize, to: usize| from <= to && to - from <= CLOSE && !breaks(&text[from..to]);
    found.iter().any(|it| {
        (it.sense == Sense::Not && close(it.end, start))
            || (it.sense == Sense::NotBefore && close(end, it.start))
    })
}

/// The tools that the message tells the model to call, in its order.
fn named<'a>(it: &Delivered<'a>, found: &[Found]) -> Vec<(usize, &'a Tool)> {
    let text = it.text;
    let mut mentioned: Vec<(usize, &'a Tool)> = Vec::new();
    for tool in it.tools.iter().filter(|tool| !it.called.contains(&&*tool.name)) {
        let whole = text.match_indices(&*tool.name).filter(|(at, name)| {
            let (before, after) = (&text[..*at], &text[at + name.len()..]);
            !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
        });
        mentioned.extend(whole.map(|(at, _)| (at, tool)));
    }
    mentioned.sort_by_key(|(at, _)| *at);
    // A list goes on from one name to the next.
    let mut list_ends = None;
    mentioned.retain(|&(at, tool)| {
        let end = at + tool.name.len();
        let goes_on = list_ends.is_some_and(|last| is_between_names(&text[last..at]));
        let is_told = goes_on || is_told(&text[..at], &text[end..]) && !is_taken_back(text, at, end, found);
        list_ends = is_told.then_some(end);
        is_told
    });
    mentioned
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Marks around a name.
const QUOTES: [char; 12] = ['`', '\'', '"', ' ', '“', '”', '「', '」', '*', '(', ')', '<'];

fn is_between_names(between: &str) -> bool {
    let between =
        between.trim_matches(QUOTES).trim_start_matches([',', '、', '，', '/']).trim_matches(QUOTES);
    matches!(between, "" | "or" | "and" | "oder" | "und" | "o" | "y" | "或" | "和" | "か")
}

/// Whether the words around a name tell the model to call it.
fn is_told(before: &str, after: &str) -> bool {
    /// The words before it.
    const BEFORE: [&str; 26] = [
        "call", "calling", "with", "use", "using", "try", "via", "by", "through", "are", ":", "：", "con",
        "usa", "usando", "usar", "llama a", "mit", "nutze", "verwende", "rufe", "ruf", "用", "调用", "使う",
        "tool",
    ];
    /// Japanese puts them after it.
    const AFTER: [&str; 3] = ["を呼", "を使", "で"];
    let before = before.trim_end_matches(QUOTES);
    let after = after.trim_start_matches(QUOTES);
    let ends_with = |word: &str| {
        before.len().checked_sub(word.len()).and_then(|at| before.get(at..).map(|end| (at, end))).is_some_and(
            |(at, end)| {
                let whole = !word.starts_with(is_of_name) || !before[..at].ends_with(is_of_name);
                end.eq_ignore_ascii_case(word) && whole
            },
        )
    };
    BEFORE.into_iter().any(ends_with) || AFTER.into_iter().any(|word| after.starts_with(word))
}
