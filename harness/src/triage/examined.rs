//! One run, examined.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::sync::Arc;

use balk_guards::{Completion, Entry, Guard as _, InterventionKind, Part, Stack, Usage};
use balk_reports::report::document::figure::Timeline;
use balk_reports::report::{Recorded, firing};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::why::why;
use crate::import::{Outcome, Placed};
use crate::redact;
use crate::replay::{Event, Firing, Folded, What, completion, fold_until_end};

/// The largest distance, in turns, between neighbouring firings of one stretch, as in a replay.
pub const STRETCH_TURNS: u64 = 2;

/// The largest distance between a firing with which a guard would have ended the run, and the next one of the same
/// stretch: guards that start anew see what repeats itself at its third turn.
pub const ANEW_TURNS: u64 = 3;

/// The number of turns with a firing from which a stretch counts as stuck.
pub const STUCK_TURNS: u64 = 2;

/// One run.
pub(super) struct Run<'a> {
    /// Its file.
    pub(super) file: &'a str,
    /// The line of its transcript in it, from 1.
    pub(super) line: u64,
    /// Its number among those that begin on this line, from 1.
    pub(super) nth: u64,
    /// Its id; may be empty.
    pub(super) id: &'a str,
    /// How it ended, as the source says.
    pub(super) outcome: Outcome,
    /// What happened.
    pub(super) entries: &'a [Placed],
    /// When a message was said, by its index, in order, where the source says it.
    pub(super) times: &'a [(usize, Timestamp)],
}

/// Makes the guards anew, each time it is asked.
pub type StackMaker<'a> = dyn Fn() -> Stack + 'a;

/// A run that was stuck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// Its file.
    pub file: String,
    /// The line of its transcript in the file, from 1.
    pub line: u64,
    /// Its number among the transcripts that begin on this line, from 1.
    pub nth: u64,
    /// Index of the message with the first firing of its longest stretch, as the recording counts its messages.
    pub message: usize,
    /// Its id; empty where it has none.
    pub id: String,
    /// How it ended, as the source says.
    pub outcome: Outcome,
    /// Its completions.
    pub turns: u64,
    /// The turns from the first to the last firing of each stretch.
    pub turns_stuck: u64,
    /// The turn of the first firing, from 1.
    pub first_turn: u64,
    /// The completions after that turn.
    pub turns_after: u64,
    /// The bytes of what came after the message of the first firing, each counted once.
    pub bytes_after: u64,
    /// The tokens that the answers after it cost, request and answer, where the source says it of each.
    pub tokens_after: Option<u64>,
    /// The seconds from that message to the end, where the source has times.
    pub seconds_after: Option<u64>,
    /// The guard that fired first in the longest stretch.
    pub guard: Arc<str>,
    /// Its rule.
    pub rule: Arc<str>,
    /// What the rule says of the run.
    pub why: Arc<str>,
    /// The turn of that firing.
    pub turn: u64,
    /// What would have happened.
    pub kind: Arc<str>,
    /// What the guard would have said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Arc<str>>,
}

impl Stuck {
    /// The worst is the greatest: turns in which it was stuck, then turns and bytes after the first firing, and then
    /// the first in the input.
    pub(super) fn rank(&self) -> (u64, u64, u64) {
        (self.turns_stuck, self.turns_after, self.bytes_after)
    }

    /// The place, as `--show` takes it.
    #[must_use]
    pub fn place(&self) -> String {
        let nth = if self.nth > 1 { format!(".{}", self.nth) } else { String::new() };
        format!("{}:{}{nth}:{}", self.file, self.line, self.message)
    }
}

/// What is known of one run.
pub(super) struct Examined {
    /// Its completions.
    pub(super) turns: u64,
    /// Stretches of firings of any kind.
    pub(super) stretches: u64,
    /// How it was stuck, if it was.
    pub(super) stuck: Option<Stuck>,
    /// Whether its end was asked about: guards start anew only so often.
    pub(super) is_whole: bool,
    fired: Vec<Fired>,
}

/// A firing, with its place.
struct Fired {
    turn: u64,
    message: usize,
    /// What it says of a model without progress, if it says that.
    why: Option<&'static str>,
    firing: Firing,
}

/// Neighbouring firings of a stuck model.
struct Stretch<'a> {
    firings: &'a [&'a Fired],
}

impl Stretch<'_> {
    fn ends(&self) -> [u64; 2] {
        [self.firings[0].turn, self.firings[self.firings.len() - 1].turn]
    }

    fn turns(&self) -> u64 {
        let [first, last] = self.ends();
        last - first + 1
    }

    fn is_stuck(&self) -> bool {
        let others = self.firings.windows(2).filter(|pair| pair[0].turn != pair[1].turn).count();
        others as u64 + 1 >= STUCK_TURNS
    }
}

impl Examined {
    pub(super) fn new(run: &Run<'_>, folded: Folded, stack: &StackMaker<'_>) -> Self {
        let turns = completions(run.entries);
        let Firings { fired, stretches, is_whole } = firings(run.entries, folded, stack);
        let stuck = stuck(run, turns, &of_a_stuck_model(&fired));
        Self { turns, stretches, stuck, is_whole, fired }
    }

    /// Whether there is a firing of a stuck model.
    pub(super) fn was_told(&self) -> bool {
        self.fired.iter().any(|it| it.why.is_some())
    }

    /// The transcript with all firings in its margin, and the stretches in which it was stuck.
    pub(super) fn timeline(&self, run: &Run<'_>, stuck: &Stuck, redacts: bool) -> Timeline {
        let small = |turn: u64| usize::try_from(turn).unwrap_or(usize::MAX);
        let range = |it: &Stretch<'_>| -> RangeInclusive<usize> {
            let [first, last] = it.ends().map(small);
            first..=last
        };
        let mark = |it: &Fired| {
            let note = &it.firing.note;
            let said = if redacts { redact::text(&note.text) } else { note.text.to_string() };
            (small(it.turn), firing(&note.guard, it.firing.kind, &note.rule, &said))
        };
        let told = of_a_stuck_model(&self.fired);
        let recorded = Recorded {
            title: format!("{}, turn by turn", stuck.place()),
            entries: redact::records(run.entries.iter().map(|it| &it.entry), redacts),
            firings: self.fired.iter().map(mark).collect(),
            stuck: stretches(&told).iter().map(range).collect(),
            start: small(stuck.turn),
            end: run.outcome.ending().to_owned(),
        };
        recorded.timeline()
    }
}

fn of_a_stuck_model(fired: &[Fired]) -> Vec<&Fired> {
    fired.iter().filter(|it| it.why.is_some()).collect()
}

/// The stretches in which a run was stuck, of the firings of a stuck model.
fn stretches<'a>(told: &'a [&'a Fired]) -> Vec<Stretch<'a>> {
    let ends_the_run = |it: &Fired| it.firing.kind == InterventionKind::Stop.name();
    let most = |it: &Fired| if ends_the_run(it) { ANEW_TURNS } else { STRETCH_TURNS };
    let all = told.chunk_by(|one, next| next.turn - one.turn <= most(one));
    all.map(|firings| Stretch { firings }).filter(Stretch::is_stuck).collect()
}

fn stuck(run: &Run<'_>, turns: u64, told: &[&Fired]) -> Option<Stuck> {
    let stretches = stretches(told);
    let longest = stretches.iter().enumerate().max_by_key(|(at, it)| (it.turns(), Reverse(*at)))?.1;
    let (first, worst) = (&stretches[0].firings[0], &longest.firings[0]);
    let note = &worst.firing.note;
    Some(Stuck {
        file: run.file.into(),
        line: run.line,
        nth: run.nth,
        message: worst.message,
        id: run.id.into(),
        outcome: run.outcome,
        turns,
        turns_stuck: stretches.iter().map(Stretch::turns).sum(),
        first_turn: first.turn,
        turns_after: turns.saturating_sub(first.turn),
        bytes_after: run
            .entries
            .iter()
            .filter(|it| it.message > first.message)
            .map(|it| bytes(&it.entry))
            .sum(),
        tokens_after: tokens(run.entries.iter().filter(|it| it.message > first.message)),
        seconds_after: seconds_after(run.times, first.message),
        guard: (&*note.guard).into(),
        rule: (&*note.rule).into(),
        why: worst.why?.into(),
        turn: worst.turn,
        kind: worst.firing.kind.into(),
        said: Some(note.text.clone()),
    })
}

/// What the answers cost in tokens, request and answer, if the source says it of each.
fn tokens<'a>(entries: impl IntoIterator<Item = &'a Placed>) -> Option<u64> {
    let answers = entries.into_iter().filter_map(|it| completion(&it.entry));
    let cost = |it: &Completion| {
        let Usage { input_tokens, output_tokens } = it.usage;
        Some(input_tokens.saturating_add(output_tokens)).filter(|tokens| *tokens > 0)
    };
    answers.map(cost).try_fold(0_u64, |sum, tokens| Some(sum.saturating_add(tokens?)))
}

/// The seconds from a message to the end: from the last time up to it, else from the first.
fn seconds_after(times: &[(usize, Timestamp)], message: usize) -> Option<u64> {
    let [first, _, ..] = times else { return None };
    let (_, from) = times.iter().rfind(|(at, _)| *at <= message).unwrap_or(first);
    let to = times.iter().map(|(_, time)| time).max()?;
    u64::try_from(to.duration_since(*from).as_secs()).ok()
}

/// How often guards start anew in a run: after each end, but in one that was made to take long. They read all tools
/// each time, and together that takes no longer than to read the run.
fn starts(entries: &[Placed]) -> usize {
    let tools = if let [Placed { entry: Entry::Start(start), .. }, ..] = entries {
        start.offer.tools().len()
    } else {
        0
    };
    100 + 16 * entries.len() / tools.max(1)
}

/// What guards said of a run.
struct Firings {
    fired: Vec<Fired>,
    /// Stretches of firings of any kind.
    stretches: u64,
    /// Whether they were asked about all of it.
    is_whole: bool,
}

/// After each end that the guards would have made, they start anew with what came after it.
fn firings(entries: &[Placed], mut folded: Folded, stack: &StackMaker<'_>) -> Firings {
    let (mut fired, mut stretches, mut before) = (Vec::new(), 0, 0);
    let (mut rest, mut starts) = (entries, starts(entries));
    loop {
        for Event { turn, message, what } in std::mem::take(&mut folded.events) {
            let What::Fired(firing) = what else { continue };
            stretches += u64::from(firing.opens_stretch);
            let why = why(&firing.note.guard, &firing.note.rule);
            let why = why.filter(|_| !matches!(firing.kind, "notice" | "repair"));
            fired.push(Fired { turn: before + turn, message, why, firing });
        }
        let Some(end) = folded.end else { return Firings { fired, stretches, is_whole: true } };
        before += end.turn;
        rest = &rest[end.entries..];
        let is_whole = !rest.iter().any(|it| completion(&it.entry).is_some());
        if is_whole || starts == 0 {
            return Firings { fired, stretches, is_whole };
        }
        starts -= 1;
        let mut stack = stack();
        stack.observe(&entries[0].entry);
        folded = fold_until_end(rest, &mut stack);
    }
}

fn completions(entries: &[Placed]) -> u64 {
    entries.iter().filter_map(|it| completion(&it.entry)).count() as u64
}

/// The length of what an entry adds to the conversation, in bytes.
fn bytes(entry: &Entry) -> u64 {
    let length = match entry {
        Entry::User(said) => said.text.len(),
        Entry::Result(result) => result.text.len(),
        Entry::Completion(completion) => {
            let texts = completion.parts.iter().map(|part| match part {
                Part::Text(text) | Part::Thinking { text, .. } => text.len(),
            });
            let calls = completion.calls.iter().map(|call| call.tool.len() + call.arguments.len());
            texts.chain(calls).sum()
        }
        Entry::Intervention(said) => said.note.text.len(),
        Entry::Start(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => 0,
    };
    length as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_from_the_last_message_that_has_one() {
        let times = |seconds: &[(usize, i64)]| -> Vec<(usize, Timestamp)> {
            let time = |second| Timestamp::from_second(second).expect("it is in this age");
            seconds.iter().map(|(at, second)| (*at, time(*second))).collect()
        };
        let after = |seconds: &[(usize, i64)], message| seconds_after(&times(seconds), message);
        assert_eq!(after(&[(2, 100), (4, 160), (9, 400)], 4), Some(240));
        assert_eq!(after(&[(2, 100), (4, 160), (9, 400)], 8), Some(240));
        assert_eq!(after(&[(2, 100), (4, 160), (9, 400)], 0), Some(300), "from the first there is");
        assert_eq!(after(&[(2, 100), (4, 400), (9, 160)], 3), Some(300), "to the latest, wherever it is");
        assert_eq!(after(&[(2, 100), (9, 50)], 9), Some(50));
        assert_eq!(after(&[(2, 100)], 1), None, "one time is no duration");
        assert_eq!(after(&[], 1), None);
    }
}
