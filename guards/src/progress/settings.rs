//! How often each pattern must be seen.

use serde::{Deserialize, Serialize};

/// Settings of the guard; zero turns a rule off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgressSettings {
    /// Looks at something that is still in progress before the model is told to wait in one call; twice as many
    /// before one is refused. If all answers were the same, it is told to look whether anything runs, and one is
    /// refused after half as many more. Ten: the number at which others begin to warn about polling
    /// (`docs/peers.md#other-rules`). Of pauses one after another, which look at nothing, no more than `same_answers`.
    pub waits: u32,
    /// Laps of a cycle. Two, while others use three (`docs/peers.md#other-rules`): two laps are stuck in 85 % of
    /// judged points, whatever the answers (`docs/labels.md#what-single-rules-find`), and this rule also requires
    /// equal answers and no change. One more lap if there was a compaction in between.
    pub laps: u32,
    /// Looks with the same failure, between other calls. Three: stuck in 71 to 74 %
    /// (`docs/labels.md#what-single-rules-find`).
    pub equal_failures: u32,
    /// Looks with the same successful answer; twice as many if the model learns something new in between. Three as
    /// well: both together hit no legitimate point among the judged ones (`balk replay --labels`, all other
    /// thresholds at zero).
    pub equal_answers: u32,
    /// Calls in a row that can never run: of tools that are not on offer, or without what the tool requires. Three:
    /// the number at which others count them as mistakes (`docs/peers.md#roo-code`).
    pub unfit_calls: u32,
    /// Times that the task is wrongly declared finished, without a change in between. Three, as with other failures.
    pub refused_ends: u32,
    /// Calls in a row that each contain the previous one and return the same answer. Four: a command that is
    /// assembled step by step has returned something by then. Assumed; no recorded figure supports it.
    pub grown_calls: u32,
    /// Writes in a row that bring a file back to an earlier state. Two: undoing one change is legitimate work.
    pub returns: u32,
    /// Times that one file is written as a whole, about as long as before and read in between, or not longer and in
    /// nearly the same words with nothing in between, while nothing else is changed or learnt; twice as many before a
    /// write is refused. Five: a text is seldom gone over five times without a reason from outside. Assumed; the plan
    /// of the field report was written 217 times (`docs/field.md`).
    pub rewrites: u32,
    /// Failures of the same call, in the same way, whatever was changed in between; twice as many before one is
    /// refused. Five: three tries to mend something are work (spec P2), and so may be a fourth, after a look at what is
    /// wrong (the control of `successful-no-op`).
    pub persisting_failures: u32,
    /// The same for a call that carries what it does (a program, a patch: 200 bytes of arguments and more). Two: in
    /// recorded runs, 92 % of the weight of judged points there is stuck, at shorter calls 38 %
    /// (`docs/labels.md#failures-that-come-back`). One more where the user spoke or a write worked in between: those
    /// were second tries with a reason, in six of six judged stretches (`docs/labels.md#firings-judged-again`).
    pub whole_failures: u32,
    /// Calls in a row with nearly the same arguments and exactly the same answer, a failure or not; twice as many
    /// before one is refused, and of a program that works, with another number each time. Three: right in three of four
    /// judged points (`balk replay --labels`, all other thresholds at zero). One more where the same element of a page
    /// is used by another reference, or one question is asked in another order or form of its words (assumed).
    pub near_calls: u32,
    /// Replies in a row without a call that got the same answer before one is corrected. Two: readers judge the
    /// second in a row as stuck (`docs/labels.md#how-points-were-judged`). One is enough if that answer refused a reply
    /// before the last call, too.
    pub refused_replies: u32,
    /// Times that the same text is sent without a call, or that the user is asked the same and says yes. Three: two
    /// would include honest closing messages. Twice as many of a short text, in a row.
    pub same_texts: u32,
    /// Different calls of one tool in a row that get the same error, word for word, in an answer of as many lines;
    /// twice as many before one is refused. Three (`docs/labels.md#failures-that-come-back`); three failures in a row,
    /// alike or not, are stuck in only 41 % (`docs/labels.md#what-single-rules-find`). Twice as many if the errors
    /// differ in what they name, as when candidates are tried out: others refuse at six (`docs/peers.md#other-rules`).
    /// Twice as many again if the error names nothing, may be temporary, or most calls count a number up, unless they
    /// are programs of several lines.
    pub same_failures: u32,
    /// Calls of one tool in a row that turn pages, use other words or have another token and get the same answer, which
    /// is no failure; twice as many before one is refused, and twice as many again where a number in a text counts up.
    /// Six: the number at which others refuse equal failures (`docs/peers.md#other-rules`). The factor for what counts
    /// up is assumed: a batch of so many items with one long answer is rare.
    pub same_answers: u32,
    /// Rounds that return nothing new; a new result halves the count. Twelve: half of the look-ups, new or not, at
    /// which others give a hint (`docs/peers.md#other-rules`).
    pub wandering: u32,
    /// Turns after which a refusal lapses and the call may run once more. Five, as with
    /// [`duplicate`](crate::duplicate).
    pub lapse: u64,
}

impl Default for ProgressSettings {
    fn default() -> Self {
        Self {
            waits: 10,
            laps: 2,
            equal_failures: 3,
            equal_answers: 3,
            unfit_calls: 3,
            refused_ends: 3,
            grown_calls: 4,
            returns: 2,
            rewrites: 5,
            persisting_failures: 5,
            whole_failures: 2,
            near_calls: 3,
            refused_replies: 2,
            same_texts: 3,
            same_failures: 3,
            same_answers: 6,
            wandering: 12,
            lapse: 5,
        }
    }
}
