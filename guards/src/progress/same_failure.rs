//! Different arguments, the same failure, loosely compared ([`failure`](crate::failure)).

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::{Look, Step};
use super::program::is_program;
use super::rounds::{Round, Rounds};
use crate::failure::{Failure, is_failure};
use balk_contract::key::CallKey;
use balk_contract::reading::Prospect;
use balk_contract::{Origin, ResultKey, Subject, ToolCall, ToolResult};

/// Rounds in which one tool, with arguments that it did not have before, failed in the same way, and every call of it
/// did, or in one of a few ways by turns. Before a call runs its answer is unknown, so then the newest round must be
/// one of them. Trying numbers one after another gets twice the patience, and so does an answer that names nothing,
/// because it may have a different cause each time.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let failure = match now.results {
        Some(_) => common_failure(rounds, &call.tool, now)?,
        None if rounds.before().was_other_than(call) => return None,
        None => How::of(rounds.newest()?.looks.iter().find(|look| look.tool == call.tool_key)?)?,
    };
    let is_now = |call: CallKey| now.results.is_some() && now.calls.iter().any(|it| it.key == call);
    let (mut seen, mut exact, mut is_exact_so_far) = (0_usize, 0, true);
    let (mut counted, mut renamed) = (0, 0);
    let mut ways = Ways([Some(failure), None, None]);
    // If something may have changed in between, it is another failure.
    for round in rounds.still().take_while(|round| !round.may_change()) {
        let looks = || round.looks.iter().filter(|look| look.tool == call.tool_key);
        if looks().next().is_none() {
            continue;
        }
        if !looks().all(|look| How::of(look).is_some_and(|it| ways.has(it))) {
            break;
        }
        counted += round.looks.iter().filter(|look| look.step == Step::Counted).count();
        renamed += round.looks.iter().filter(|look| look.step == Step::Renamed).count();
        // Arguments that came again count once.
        if looks().any(|look| !look.is_made_again && !is_now(look.call)) {
            seen += 1;
            is_exact_so_far &= looks().all(|look| How::of(look).is_some_and(|it| it.is_same(failure)));
            exact += usize::from(is_exact_so_far);
        }
    }
    // The first time that a failure was seen it was new.
    let seen = seen.saturating_sub(ways.others());
    // Trying one number after another excludes them one by one, but a program is not written anew for each.
    let counts = counted * 2 >= seen.max(1);
    let turn = rounds.newest().map_or(0, |round| round.turn);
    // Another version of a file is another attempt; the guard against abandonment counts those.
    let tries = counts || renamed > 0 || call.effect.is_known_change();
    let excludes = counts && !is_program(call);
    let is_vague = excludes || failure.is_vague();
    // Errors that differ in what they name each rule something out, and so do names that are tried one by one.
    let is_exact = exact * 2 >= seen;
    let patience = match (is_vague, tries || !is_exact) {
        (true, _) => 4,
        (false, true) => 2,
        (false, false) => 1,
    };
    let seen = if is_exact && patience == 1 { exact } else { seen };
    let found = Finding::new(Rule::SameFailure, Subject::Tool(call.tool.clone()), now.counted(seen), turn);
    Some(Finding { failed: true, patience, varies: ways.others() > 0, ..found })
}

/// Whether it can be seen as often as this, by the rounds in which this tool failed: to compare how costs more.
pub(super) fn may_be_seen(least: u32, rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> bool {
    let fails = |round: &&Round| round.looks.iter().any(|look| look.tool == call.tool_key && look.failed);
    let enough = usize::try_from(least).unwrap_or(usize::MAX);
    now.results.is_none() || now.counted(rounds.still().filter(fails).take(enough).count()) >= least
}

/// The common failure of all of this tool's calls, if they failed in the same way.
fn common_failure(rounds: &Rounds, tool: &str, now: CurrentRound<'_>) -> Option<How> {
    let mut failures = now
        .looked_at()
        .filter(|(it, _)| *it.call.tool == *tool && it.origin == Origin::Executed)
        .map(|(it, failure)| How::of_result(rounds, now, it, failure));
    let first = failures.next()??;
    failures.all(|other| other.is_some_and(|it| it.is_alike(first))).then_some(first)
}

/// The few ways in which the calls of a row fail by turns.
struct Ways([Option<How>; 3]);

impl Ways {
    /// Whether a call that failed so belongs to the row.
    fn has(&mut self, how: How) -> bool {
        let place = self.0.iter_mut().find(|it| it.is_none_or(|it| it.is_alike(how)));
        place.map(|it| it.get_or_insert(how)).is_some()
    }

    /// How many there are beside the first.
    fn others(&self) -> usize {
        self.0.iter().flatten().count() - 1
    }
}

/// How a call failed.
#[derive(Clone, Copy)]
enum How {
    Said(Failure),
    /// With an answer that says too little to be compared loosely ("timeout"): it has to be the same.
    Bare(ResultKey),
}

impl How {
    fn of(look: &Look) -> Option<Self> {
        look.failure.map(Self::Said).or_else(|| look.failed.then_some(Self::Bare(look.result)))
    }

    fn of_result(
        rounds: &Rounds,
        now: CurrentRound<'_>,
        result: &ToolResult,
        failure: Option<Failure>,
    ) -> Option<Self> {
        failure.map(Self::Said).or_else(|| is_failure(result).then(|| Self::Bare(now.key(rounds, result))))
    }

    fn is_alike(self, other: Self) -> bool {
        match (self, other) {
            (Self::Said(one), Self::Said(other)) => one.is_alike(other),
            (Self::Bare(one), Self::Bare(other)) => one == other,
            (Self::Said(_), Self::Bare(_)) | (Self::Bare(_), Self::Said(_)) => false,
        }
    }

    fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Said(one), Self::Said(other)) => one.is_same(other),
            (Self::Bare(_), _) | (_, Self::Bare(_)) => self.is_alike(other),
        }
    }

    /// Whether it may have another cause each time.
    fn is_vague(self) -> bool {
        match self {
            Self::Said(it) => !it.specific || it.prospect == Prospect::Passing,
            Self::Bare(_) => true,
        }
    }
}
