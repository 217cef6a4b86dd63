//! Messages that depend on the world: replies of the person, messages that come between turns, and summaries.

use super::condition::Condition;
use super::numbers::Bound;
use super::template::Template;
use super::texts::PhraseId;

/// What the person says to a message without a call, if the conditions hold. The first that applies decides.
#[derive(Clone, Debug)]
pub struct ReplySpec {
    /// The conditions on the world and on the message.
    pub when: Vec<Condition>,
    /// The greatest number of messages to which it applies. `None` is no bound.
    pub times: Option<Bound>,
    /// What is said. `None` where the person leaves.
    pub says: Option<PhraseId>,
    /// Facts that hold from then on.
    pub sets: Vec<Template>,
    /// Facts that no longer hold from then on.
    pub clears: Vec<Template>,
}

/// A message that comes between turns.
#[derive(Clone, Debug)]
pub struct NewsSpec {
    /// The conditions on the world.
    pub when: Vec<Condition>,
    /// The least number of turns before it.
    pub turns: Bound,
    /// The greatest number of times that it comes.
    pub times: Bound,
    /// What is said.
    pub says: PhraseId,
    /// Facts that hold from then on.
    pub sets: Vec<Template>,
    /// Facts that no longer hold from then on.
    pub clears: Vec<Template>,
}

/// When the loop replaces the messages so far by a summary. It never does so twice without a turn in between.
#[derive(Clone, Debug)]
pub struct CompactionSpec {
    /// After this many turns since the start or the last summary.
    pub turns: Option<Bound>,
    /// Once the view has this many tokens, at four bytes each.
    pub tokens: Option<Bound>,
    /// What the summary says, before the task and the progress. `None` is a neutral sentence.
    pub says: Option<PhraseId>,
}
