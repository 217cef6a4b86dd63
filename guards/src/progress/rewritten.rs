//! What is written as a whole several times in a row, while nothing else is changed or learnt: a file, or what a tool
//! without a path keeps, such as a todo list, which the model has in its own call.
//!
//! Four ways of going over a text are counted:
//!
//! - writes with *a look at it* in between, each about as long as the one before;
//! - writes with *nothing* in between, none longer than all before. A text that grows is written piece by piece. Of a
//!   plan, in whatever words; of anything else, in those of the first two;
//! - the same text in *numbered files*, such as versions of a report, as if they were one;
//! - writes of what a tool without a path keeps, in *words that were there before*, none longer than all before, with
//!   or without looks at what is known in between: a plan that is put in another order, or back into an earlier form.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::look::Look;
use crate::arguments::beginning;
use crate::last_read::LastRead;
use balk_contract::key::{PathKey, ToolKey};
use balk_contract::{Effect, ResultKey, ToolCall};

/// A rewritten file that grows or shrinks by more than one part of this many is worked on.
const PARTS: usize = 20;
/// Bytes of a few words: a text that is longer by so much than all before grows.
const MORE: usize = 12;
/// The shortest arguments, in bytes, that may be a plan: less is a value, which may be set to one of few.
const PLAN: usize = 48;
/// The shortest arguments, in bytes, that may be copies: many files are empty, or begin with the same line.
const COPY: usize = 96;

/// What was written last, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rewritten {
    tool: ToolKey,
    /// The path of the file.
    path: Option<PathKey>,
    /// What it would be under any other number ([`ToolCall::numbered`]), unless it is short.
    numbered: Option<u64>,
    bytes: usize,
    /// The most bytes of all these writes.
    longest: usize,
    /// The words of the newest, if it followed another directly: most writes are the only ones, and need no reading.
    words: Option<Words>,
    /// The words of all, without a path.
    all: Option<Words>,
    /// Whether it was looked at since.
    looked_at: bool,
    /// Whether nothing was called since.
    is_last: bool,
    /// Writes of the three kinds.
    looked: u32,
    bare: u32,
    known: u32,
    /// What the tool answered.
    answer: ResultKey,
    turn: u64,
}

impl Rewritten {
    /// Folds one call that ran in this turn; `is_new` if it never gave this answer before.
    pub(super) fn fold(it: &mut Option<Self>, call: &ToolCall, look: &Look, is_new: bool, turn: u64) {
        let failed = look.failure.is_some();
        let writes = call.effect == Effect::IdempotentWrite && !failed;
        if !writes && it.is_none() {
            return;
        }
        let before = it.take();
        *it = if writes {
            Some(Self::written(before.filter(|it| it.is_of(call)), call, look.result, turn))
        } else if call.effect.is_known_change() || failed {
            // Something else was changed, or tells it what to write instead.
            None
        } else {
            // What it wrote itself tells it nothing; anything else that is new is a reason to write once more.
            let path = call.path_key();
            let is_look = |it: &Self| path.is_some() && it.path == path;
            let kept = before.filter(|it| is_look(it) || !is_new);
            kept.map(|it| Self { looked_at: it.looked_at || is_look(&it), is_last: false, ..it })
        };
    }

    fn written(before: Option<Self>, call: &ToolCall, answer: ResultKey, turn: u64) -> Self {
        let bytes = call.arguments.len();
        let path = call.path_key();
        let looked = before
            .as_ref()
            .map_or(1, |it| if it.looks_again(call) { it.looked.saturating_add(1) } else { 1 });
        let bare =
            before.as_ref().map_or(1, |it| it.bare.saturating_add(u32::from(it.is_bare_again(call, turn))));
        // An answer of its own is what the model wrote it for.
        let is_known = |it: &Self| it.answer == answer && it.has_words_of(call, turn);
        let known = before.as_ref().map_or(1, |it| it.known.saturating_add(u32::from(is_known(it))));
        let longest = before.as_ref().map_or(bytes, |it| it.longest.max(bytes));
        let looked_at = path.is_none();
        let words = before.as_ref().filter(|it| it.is_last).map(|_| Words::of(&call.arguments));
        let earlier = before.as_ref().and_then(|it| it.all);
        let all = path.is_none().then(|| words.unwrap_or_else(|| Words::of(&call.arguments)).and(earlier));
        Self {
            tool: call.tool_key,
            path,
            numbered: numbered(call),
            bytes,
            longest,
            words,
            all,
            looked_at,
            is_last: true,
            looked,
            bare,
            known,
            answer,
            turn,
        }
    }

    /// How often in a row that was written which this call writes, when it last was, whether it is a file that was not
    /// looked at (the model keeps what it looks at, as a plan), and whether this one has another number.
    pub(super) fn by(&self, call: &ToolCall) -> Option<(u32, u64, bool, bool)> {
        if call.effect != Effect::IdempotentWrite || !self.is_of(call) {
            return None;
        }
        let looked = if self.looks_again(call) { self.looked } else { 0 };
        let next = self.turn.saturating_add(1);
        let bare = if self.is_bare_again(call, next) { self.bare } else { 0 };
        let known = if self.has_words_of(call, next) { self.known } else { 0 };
        let seen = looked.max(bare).max(known);
        let is_unread = bare > looked && self.path.is_some();
        (seen > 0).then_some((seen, self.turn, is_unread, self.path != call.path_key()))
    }

    /// Whether this call writes to the same place. Several tools may write one file.
    fn is_of(&self, call: &ToolCall) -> bool {
        let path = call.path_key();
        let is_copy = || self.numbered.is_some() && self.numbered == numbered(call);
        self.path == path && (path.is_some() || self.tool == call.tool_key) || is_copy()
    }

    /// Whether this write follows a look, and is about as long.
    fn looks_again(&self, call: &ToolCall) -> bool {
        let bytes = call.arguments.len();
        self.looked_at && self.bytes.abs_diff(bytes) <= bytes / PARTS
    }

    /// Whether this write in a later turn follows the last one directly, and is not the longest. Without a path, a tool
    /// with several arguments keeps several things.
    fn is_bare_again(&self, call: &ToolCall, turn: u64) -> bool {
        let is_plan = self.path.is_none() && keeps_a_plan(&call.tool);
        let is_one = self.path.is_some() || is_plan || call.members.iter().count() == 1;
        let grows = call.arguments.len() > self.longest.saturating_add(MORE);
        let is_same = || is_plan || self.words.is_none_or(|words| words.has_most_of(&call.arguments));
        self.is_last && turn > self.turn && is_one && !grows && is_same()
    }

    /// Whether this write in a later turn, of what a tool keeps without a path, has hardly a word that those before it
    /// had not, and is not the longest.
    fn has_words_of(&self, call: &ToolCall, turn: u64) -> bool {
        let is_one = self.path.is_none() && call.members.iter().count() == 1;
        let grows = call.arguments.len() > self.longest.saturating_add(MORE);
        let has_words = |it: Words| !it.are_many() && it.has_most_of(&call.arguments);
        let is_plan = call.arguments.len() >= PLAN;
        turn > self.turn && is_one && is_plan && !grows && self.all.is_some_and(has_words)
    }
}

/// Whether a tool keeps the model's own plan: `TodoWrite` (Claude Code), `write_todos` (gemini-cli), `manage_todo_list`
/// (Copilot), `update_todo_list` (Roo Code), `update_plan` (Codex).
fn keeps_a_plan(tool: &str) -> bool {
    let is_todo = |it: &[u8]| it.eq_ignore_ascii_case(b"todo");
    tool == "update_plan" || tool.as_bytes().windows(4).any(is_todo)
}

fn numbered(call: &ToolCall) -> Option<u64> {
    thread_local! {
        static LAST: LastRead<1, Option<u64>> = const { LastRead::new() };
    }
    if call.arguments.len() < COPY {
        return None;
    }
    // It is asked before the call runs, beside its answer, and after it.
    LAST.with(|last| last.of([&call.arguments], || call.numbered()))
}

/// Which words a text has: one bit for each hash, so two texts are compared without keeping either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Words([u64; 16]);

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self([0; 16]);
        for (place, bit) in bits(text) {
            words.0[place] |= bit;
        }
        words
    }

    /// These words, and the earlier ones.
    fn and(mut self, earlier: Option<Self>) -> Self {
        let all = self.0.iter_mut().zip(earlier.iter().flat_map(|it| it.0));
        all.for_each(|(bits, earlier)| *bits |= earlier);
        self
    }

    /// Whether three in four words of this text are among them: then it is the same text, gone over.
    fn has_most_of(&self, text: &str) -> bool {
        let (mut all, mut known) = (0_usize, 0);
        for (place, bit) in bits(text) {
            all += 1;
            known += usize::from(self.0[place] & bit != 0);
        }
        known * 4 >= all * 3
    }

    /// Whether these are so many that any text may have most of them.
    fn are_many(self) -> bool {
        self.0.iter().map(|it| it.count_ones()).sum::<u32>() > 64 * 16 / 4
    }
}

/// The bit of each word in the beginning of a text.
fn bits(text: &str) -> impl Iterator<Item = (usize, u64)> + '_ {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let words =
        beginning(text).as_bytes().split(move |byte| !is_of_word(byte)).filter(|word| !word.is_empty());
    words.map(|word| {
        let hash = xxh3_64(word);
        ((hash >> 6) as usize % 16, 1 << (hash % 64))
    })
}
