//! One remembered call: its last result, and how often it was equal.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use crate::ladder::Ladder;
use crate::search::find;
use balk_contract::reading::{Prospect, Reading};
use balk_contract::wording::first_line;
use balk_contract::words::{Lists, folded};
use balk_contract::{Effect, ResultKey, Status, ToolCall, ToolResult};

/// The longest answer, in bytes, that may be the state of something, with what a host adds to it. On the open
/// recordings, such answers are in none of the judged points that a third equal call finds
/// (`docs/labels.md#what-single-rules-find`).
const STATE_BYTES: usize = 100;
/// The longest arguments of a step, in bytes: a direction, a key, an amount. A message to somebody is longer.
const STEP_BYTES: usize = 64;
/// Bytes of the letters of a word: four letters, or two of a script that writes a word in one or two.
const WORD_BYTES: usize = 4;
/// The factor by which more looks are allowed at what may be the state of something: as in
/// [`progress`](crate::progress), twice the patience for a model that may be watching what others change. A log says
/// nothing until something happens, so it has that twice over.
const STATE_PATIENCE: u32 = 2;
/// The factor at a step in a direction, or by one: a page has many screens, and nothing is lost by one more. Assumed.
const STEP_PATIENCE: u32 = 4;
/// The factor at a call whose answer has moved: a job that got further stands still for longer now and then. Assumed.
const MOVING_PATIENCE: u32 = 3;

/// One call and its last result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) tool: Arc<str>,
    pub(crate) effect: Effect,
    pub(crate) status: Status,
    /// The turn in which it last ran.
    pub(crate) turn: u64,
    /// In how many turns it returned an equal result, without a possible change in between and, unless it failed,
    /// without any other call in between.
    pub(crate) equal_results: u32,
    /// If it failed: whether it may work later.
    pub(crate) prospect: Prospect,
    /// Whether it counts failures, as a run of tests does.
    pub(crate) counts: bool,
    /// Whether it is a write that worked and changed nothing.
    pub(crate) changed_nothing: bool,
    /// Whether it names a file or a folder as its path.
    pub(super) is_of_file: bool,
    /// Whether its arguments can be those of a step.
    pub(super) step: Step,
    /// How many messages of the user had come when it last ran.
    pub(super) messages: u64,
    /// Whether its arguments have the number that the user gave.
    pub(super) has_number: bool,
    /// Whether its arguments may be those that the user wants so often.
    pub(super) is_meant: bool,
    /// Whether its equal results had another id each time: it did something each time, and is no look at anything.
    pub(crate) is_done_anew: bool,
    /// Whether its equal results are looks at a log.
    pub(super) is_of_log: bool,
    /// Whether its answer has changed with nothing in between that may have changed it: it looks at what others change.
    pub(super) moves: bool,
    /// Whether it waits, or its last result says that something is still in progress.
    pub(crate) waits: bool,
    /// The beginning of its last result.
    pub(crate) result: String,
    /// The state of an escalation about it.
    pub(crate) ladder: Ladder,
    pub(super) result_key: ResultKey,
    pub(super) possible_changes: u64,
    pub(super) begun: u64,
    /// All pauses of the run before the first of the equal results.
    pub(super) pauses_before: u32,
}

impl Remembered {
    /// The line of its last answer that says what failed, else the first one, or that it had none. The first line of a
    /// failure may be a clock or a heading.
    pub(crate) fn answer(&self, chars: usize) -> String {
        let failed = if self.status == Status::Error { Reading::of(&self.result).line } else { None };
        let line = first_line(failed.unwrap_or(&self.result), chars);
        if line.is_empty() { "(nothing)".into() } else { line }
    }

    /// Whether it is a step that worked: it scrolls, presses, turns louder, undoes. Its answer acknowledges it and says
    /// no more, so the same answer again does not show that nothing happened.
    pub(crate) fn is_step(&self) -> bool {
        self.status != Status::Error && self.may_be_step_with(&self.result)
    }

    /// Whether it can be a step with this answer.
    pub(super) fn may_be_step_with(&self, answer: &str) -> bool {
        self.step != Step::No && is_acknowledgement(answer)
    }

    /// Whether this other result says that the call looks at what others change, if nothing in between did.
    pub(super) fn may_move_to(&self, status: Status, result: &ToolResult) -> bool {
        match (self.status, status) {
            (Status::Error, Status::Error) => false,
            // A test that failed and then passes, or the other way round, is flaky.
            (Status::Error, _) => self.counts,
            (_, Status::Error) => result.text.reading().counts,
            (Status::Ok | Status::Unknown, Status::Ok | Status::Unknown) => true,
        }
    }

    /// The factor by which more looks are allowed at what others change, and more steps.
    pub(crate) fn patience(&self) -> u32 {
        match self.is_of_log {
            true => STATE_PATIENCE * STATE_PATIENCE,
            false if self.step == Step::Onwards && self.is_step() => STEP_PATIENCE,
            false if self.moves => MOVING_PATIENCE,
            false if self.reports_a_state() => STATE_PATIENCE,
            false if self.step == Step::Bare && self.is_step() && self.may_be_taken_again() => STATE_PATIENCE,
            false => 1,
        }
    }

    /// Whether it is known to change something, or its answer is a word that says so and shows nothing: "ok".
    fn may_be_taken_again(&self) -> bool {
        let says = self.result.trim().trim_end_matches(['.', '!']);
        self.effect.is_known_change() || !says.is_empty() && says.chars().all(char::is_alphabetic)
    }

    /// Whether its last answer may be the state of something, in whatever words: the call is not known to change
    /// anything and names no file, and the answer is short and has a word in its first line. Rows of a table, numbers,
    /// ids, labels and tags are no words.
    fn reports_a_state(&self) -> bool {
        let answer = self.result.trim();
        if self.effect.is_known_change() || self.is_of_file || self.is_done_anew || answer.len() > STATE_BYTES
        {
            return false;
        }
        let line = answer.lines().next().unwrap_or_default();
        line.split_inclusive(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| {
            let letters = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            letters.len() >= WORD_BYTES
                && letters.chars().all(char::is_alphabetic)
                && !word.ends_with([':', '：', '>'])
        })
    }
}

/// Whether a call can be a step, by its effect and its arguments: it may change something each time, names no file, and
/// has a word or two and no code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Step {
    #[default]
    No,
    /// It has a number or an address, so it may be about something that is paid or sent once.
    OfThing,
    Bare,
    /// It goes on in a direction, or by one: it scrolls, turns a page, presses an arrow, undoes.
    Onwards,
}

/// What a byte of arguments says: that they are code, or name a thing.
const CODE: u8 = 1;
const NAMES: u8 = 2;
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut at = 0;
    while at < 256 {
        kinds[at] = match at as u8 {
            b'$' | b'(' | b')' | b'|' | b';' | b'=' | b'<' | b'>' | b'&' | b'/' | b'\\' | b'*' | b'\''
            | b'`' => CODE,
            b'0'..=b'9' | b'@' => NAMES,
            _ => 0,
        };
        at += 1;
    }
    kinds
};

impl Step {
    pub(super) fn of(call: &ToolCall) -> Self {
        let may_change_again = matches!(call.effect, Effect::Write | Effect::External | Effect::Unknown);
        let arguments = call.arguments.as_bytes();
        if !may_change_again || arguments.len() > STEP_BYTES || call.path_key().is_some() {
            return Self::No;
        }
        let is_command = COMMANDS.iter().any(|it| find(arguments, it.as_bytes()).is_some());
        if !is_command && (names_a_step(&call.tool) || names_a_step(&call.arguments)) {
            return Self::Onwards;
        }
        match arguments.iter().fold(0, |kinds, it| kinds | KINDS[usize::from(*it)]) {
            kinds if kinds & CODE != 0 => Self::No,
            kinds if kinds & NAMES != 0 => Self::OfThing,
            _ => Self::Bare,
        }
    }
}

/// Members with a command, a program or a query. The words in them are of another language.
const COMMANDS: [&str; 6] = ["\"command\"", "\"cmd\"", "\"script\"", "\"code\"", "\"query\"", "\"sql\""];

/// Words of interfaces for a direction, each alone or behind `scroll`, `page`, `arrow`, `swipe`: `scroll_down`,
/// `{"key":"ArrowRight"}`.
#[rustfmt::skip]
const DIRECTIONS: [&str; 11] = [
    "down", "up", "left", "right", "next", "previous", "prev", "forward", "forwards", "backward", "backwards",
];
const MOVES: [&str; 4] = ["scroll", "swipe", "page", "arrow"];
/// Words for one key more, one degree more, one change less.
#[rustfmt::skip]
const BY_ONE: [&str; 20] = [
    "scroll", "swipe", "tab", "enter", "backspace", "undo", "redo", "skip", "zoom", "more", "less", "louder",
    "quieter", "warmer", "cooler", "brighter", "darker", "higher", "lower", "raise",
];

/// Whether a short text has a word for a step after which there is another one like it.
fn names_a_step(text: &str) -> bool {
    let is_one_of = |word: &str, all: &[&str]| all.iter().any(|it| it.eq_ignore_ascii_case(word));
    let behind = |word: &'_ str| {
        let begins = |it: &&&str| word.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it));
        MOVES.iter().find(begins).map_or(0, |it| it.len())
    };
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|it| !it.is_empty());
    words.any(|word| is_one_of(&word[behind(word)..], &DIRECTIONS) || is_one_of(word, &BY_ONE))
}

/// The shortest id, in bytes: what is shorter may be a duration or a size with its unit.
const ID_BYTES: usize = 6;

/// Whether a call did something in both of two answers, which are equal but for what is volatile: they say that
/// something was done, and name it by another id each time, letters with digits such as `rf_aaeb13a0`. The answer to a
/// look may have an id of its own as well, but says what is, and a clock or a count is no id.
pub(super) fn is_done_anew(before: &str, now: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_ascii_alphanumeric())
    }
    let is_id = |word: &str| {
        let has = |is_so: fn(&u8) -> bool| word.bytes().any(|it| is_so(&it));
        word.len() >= ID_BYTES && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    };
    let is_other = |(one, other): (&str, &str)| one != other && is_id(one) && is_id(other);
    words(before).zip(words(now)).any(is_other) && says_done(now)
}

/// Whether an answer says that something was done, of which there is one more now.
fn says_done(answer: &str) -> bool {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::beginning_words(&[DONE]));
    LISTS.find(&folded(answer)).has(0)
}

#[rustfmt::skip]
const DONE: &[&str] = &[
    "created", "sent", "booked", "reserved", "added", "submitted", "posted", "published", "issued", "placed", "ordered",
    "charged", "refund", "paid", "transferred", "uploaded", "registered", "opened", "started", "scheduled", "queued",
    "accepted", "delivered", //
    "gesendet", "versendet", "erstellt", "angelegt", "gebucht", "bestellt", "erstattet", "überwiesen", //
    "enviad", "cread", "reservad", "registrad", "reembols", "envoyé", "créé", "réservé", "rembours", "inviat", "creat",
    "prenotat", "rimbors", "criad", "verzonden", "aangemaakt", "geboekt", "wysłan", "utworzon", "отправлен", "создан",
    "забронирован", "возвращ", "надіслан", "створен", "gönderildi", "oluşturuldu", //
    "已发送", "已创建", "创建成功", "发送成功", "已预订", "已退款", //
    "送信しました", "作成しました", "予約しました", "返金しました", //
    "전송", "생성되었습니다", "예약되었습니다",
];

/// Whether an answer is one short line.
fn is_acknowledgement(answer: &str) -> bool {
    let answer = answer.trim();
    answer.len() <= STATE_BYTES && !answer.contains('\n')
}
