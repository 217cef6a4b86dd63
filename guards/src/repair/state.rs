//! What the guard remembers, and how it learns it.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::offered::{Offered, Tools};
use super::{PRINTED, UNKNOWN};
use crate::failure::is_failure;
use crate::files::files;
use crate::printed::{Printed, may_name, printed};
use crate::showing;
use crate::showing::follow_up::{FollowUp, wants_it_done};
use balk_contract::key::{CallKey, PathKey, Shape};
use balk_contract::nudge::is_nudge;
use balk_contract::{Completion, Effect, Note, Subject, ToolCall, ToolResult};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RepairState {
    pub(super) offered: Tools,
    /// What the user's request says about printed calls.
    pub(super) wish: Wish,
    pub(super) demand: Demand,
    /// Repairs, refused calls and questions in this run, so that each message has different words.
    pub(super) repairs: u32,
    pub(super) refused: u32,
    pub(super) questions: u32,
    /// The call that the user was asked about since their request, and whether they agreed to it.
    pub(super) asked: Option<CallKey>,
    pub(super) agreed: bool,
    /// The printed calls that were made since the request, newest last.
    pub(super) made: VecDeque<CallKey>,
    /// The paths that calls wrote in this request, newest last, and of those before it. A request that
    /// names a file may want it written again, so it empties the second.
    pub(super) written: VecDeque<PathKey>,
    pub(super) finished: VecDeque<PathKey>,
    /// Calls since the request whose arguments the host could not read.
    pub(super) unreadable: u32,
    /// Calls since the request of names that the host does not know either.
    pub(super) unknown: u32,
    /// Digests of the files that the request names.
    pub(super) named: Vec<u64>,
    /// Calls since the request that the guard answered in the host's place.
    pub(super) answered: Faults,
    /// Names that the host runs without offering them.
    pub(super) unlisted: VecDeque<Arc<str>>,
}

/// Calls with a fault in the name, and with one in the arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Faults {
    pub(super) names: u32,
    pub(super) arguments: u32,
}

/// What the user's request says about printed calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Wish {
    /// Nothing.
    #[default]
    None,
    /// It speaks of them, so a printed one may be an answer.
    Open,
    /// It speaks of them, and one was printed.
    Shown,
    /// They saw one, and had nothing to say but that the model should go on; or the request speaks of an example, or
    /// may want to see a call.
    Perhaps,
}

impl Wish {
    /// What is left of it after a message that does not speak of calls: a short question without an order asks for
    /// more, and one that may want to see a call does so after another that did.
    fn kept(self, text: &str, asked: showing::Wish) -> Self {
        if self == Self::None {
            return self;
        }
        let is_certain = matches!(self, Self::Open | Self::Shown);
        match FollowUp::of(text) {
            FollowUp::Surely if is_certain => Self::Open,
            FollowUp::Perhaps if is_certain && asked.may_want_calls() => Self::Open,
            FollowUp::Surely | FollowUp::Perhaps => Self::Perhaps,
            FollowUp::No => Self::None,
        }
    }
}

/// Whether a guard asked for a call in place of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Demand {
    /// No.
    #[default]
    None,
    /// Yes, and the model has not answered yet.
    Open,
    /// The last completion is the answer.
    Answered,
}

/// Printed calls that are remembered; a model that prints more between two words of the user has another problem.
const MADE: usize = 16;
/// Files that are remembered; a print that would overwrite an older one is made.
const FILES: usize = 16;
/// Names that are not on offer and work.
const UNLISTED: usize = 16;

impl RepairState {
    pub(super) fn printed<'t>(&self, text: &'t str) -> Vec<Printed<'t>> {
        let has_none =
            |all: &[Offered]| !may_name(text, all.iter().flat_map(|it| [&*it.name, &*it.original]));
        if self.offered.compared().is_some_and(has_none) {
            return Vec::new();
        }
        printed(text, &|name| self.offered.printed(name).is_some())
    }

    /// The model has answered.
    pub(super) fn answered_with(&mut self, completion: &Completion) {
        self.demand = match self.demand {
            Demand::Open => Demand::Answered,
            Demand::None | Demand::Answered => Demand::None,
        };
        if self.wish == Wish::Open && completion.texts().any(|text| !self.printed(text).is_empty()) {
            self.wish = Wish::Shown;
        }
    }

    /// The user speaks: a nudge goes on with the request, anything else is a new one.
    pub(super) fn heard(&mut self, text: &Arc<str>) {
        self.demand = Demand::None;
        let asked = showing::Wish::of(text);
        let names_tool = showing::calls::asks_about_one_of(text, |name| self.offered.named(name).is_some());
        let of_calls = asked.speaks_of_calls() || names_tool && asked.may_want_calls();
        let may_be = names_tool || asked.may_want_calls() || asked.speaks_of_examples();
        if !of_calls && is_nudge(text) && !asked.asks_to_see() && !asked.may_want_calls() {
            self.wish = match self.wish {
                Wish::Shown | Wish::Perhaps if wants_it_done(text) => Wish::None,
                Wish::Shown | Wish::Perhaps => Wish::Perhaps,
                kept @ (Wish::None | Wish::Open) => kept,
            };
            return;
        }
        self.finished.extend(self.written.drain(..));
        self.named.clear();
        self.named.extend(files(text).take(FILES));
        if !self.named.is_empty() {
            self.finished.clear();
        }
        let old = self.finished.len().saturating_sub(FILES);
        self.finished.drain(..old);
        self.wish = match self.wish.kept(text, asked) {
            _ if of_calls => Wish::Open,
            Wish::None if may_be => Wish::Perhaps,
            kept @ (Wish::None | Wish::Open | Wish::Shown | Wish::Perhaps) => kept,
        };
        (self.asked, self.agreed) = (None, false);
        self.made.clear();
        (self.unreadable, self.unknown, self.answered) = (0, 0, Faults::default());
    }

    /// A call ran: what the host makes of names that are not on offer, and of arguments that are no object.
    pub(super) fn ran(&mut self, result: &ToolResult) {
        let call = &result.call;
        if call.effect != Effect::ReadOnly
            && let Some(path) = call.path_key()
            && !self.written.contains(&path)
            && !is_failure(result)
        {
            if self.written.len() == FILES {
                self.written.pop_front();
            }
            self.written.push_back(path);
        }
        if self.offered.named(&call.tool).is_some() {
            if call.shape != Shape::Object && is_failure(result) {
                self.unreadable = self.unreadable.saturating_add(1);
            }
        } else if is_failure(result) {
            self.unknown = self.unknown.saturating_add(1);
        } else if !self.unlisted.contains(&call.tool) {
            if self.unlisted.len() == UNLISTED {
                self.unlisted.pop_front();
            }
            self.unlisted.push_back(call.tool.clone());
        }
    }

    /// Whether a call does what the request asks for: it changes a file that the request names, for the first time.
    pub(super) fn is_asked_for(&self, call: &ToolCall) -> bool {
        let is_new = |path| !self.written.contains(&path) && !self.finished.contains(&path);
        call.path().is_some_and(|it| files(&it).any(|file| self.named.contains(&file)))
            && call.path_key().is_some_and(is_new)
    }

    /// The completion was repaired.
    pub(super) fn repaired(&mut self, rule: &str, completion: &Completion) {
        self.repairs = self.repairs.saturating_add(1);
        if rule == PRINTED {
            (self.asked, self.agreed) = (None, false);
            for call in &completion.calls {
                if self.made.len() == MADE {
                    self.made.pop_front();
                }
                self.made.push_back(call.key);
            }
        }
    }

    /// The guard answered a call.
    pub(super) fn refused(&mut self, rule: &str) {
        self.refused = self.refused.saturating_add(1);
        let answered = if rule == UNKNOWN { &mut self.answered.names } else { &mut self.answered.arguments };
        *answered = answered.saturating_add(1);
    }

    /// The user was asked about a call.
    pub(super) fn asked(&mut self, note: &Note) {
        self.questions = self.questions.saturating_add(1);
        if let Subject::Call(key) = note.subject {
            (self.asked, self.agreed) = (Some(key), false);
        }
    }
}
