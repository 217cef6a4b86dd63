//! How far a turn is, and what came of it.

use std::sync::Arc;

use balk_guards::wire::Amendment;
use balk_guards::{AttemptCause, AttemptFacts, Completion, Entry, Intervention, Usage, View};

use super::attempt::{Came, Failed};
use super::counts::add;
use super::history::intervention;
use super::passing::Passing;
use super::place::Answer;
use super::places::{Going, Places};

/// What the agent gets.
pub(super) enum Outcome {
    /// What the provider sent, as it came.
    AsItCame(Came),
    /// This in place of what the provider sent last; with a change, that with it, if it can be made there.
    Changed(Arc<Completion>, Option<Came>, Option<Amendment>),
    /// No answer of the model: what came in its place, if anything did.
    Failed(Failed),
}

impl Outcome {
    /// Whether the model gave no answer.
    pub(super) fn has_failed(&self) -> bool {
        match self {
            Self::AsItCame(came) => !came.status.is_success(),
            Self::Changed(..) => false,
            Self::Failed(_) => true,
        }
    }
}

/// What happened in a turn.
pub(super) struct Happened {
    pub(super) outcome: Outcome,
    /// What guards did, or would have done.
    pub(super) interventions: Vec<Intervention>,
    /// How often the model was asked.
    pub(super) asked: u32,
    /// The tokens of answers that the agent does not see.
    pub(super) hidden_usage: Usage,
    /// A guard that broke.
    pub(super) fault: Option<String>,
    /// Why no guard saw the answer, if none did.
    pub(super) unseen: Option<&'static str>,
    /// If it is logged, the conversation as the model is shown it now.
    pub(super) view: Option<View>,
    /// Which way of the conversation it is on, if it goes on from here.
    pub(super) branch: Option<usize>,
    /// What the agent has already of an answer.
    pub(super) sent: Vec<u8>,
}

/// A turn that has begun.
pub(super) struct State {
    pub(super) going: Going,
    /// Everything committed for the answer.
    pub(super) entries: Vec<Entry>,
    pub(super) interventions: Vec<Intervention>,
    /// The last answer of the model that was not empty.
    pub(super) last: Option<(Came, Arc<Completion>)>,
    /// Why the last attempt failed, if it did.
    pub(super) failed: Option<Failed>,
    pub(super) asked: u32,
    /// The tokens of the answers before the last one.
    pub(super) hidden_usage: Usage,
    /// The tokens of the last answer, if it was empty.
    pub(super) empty: Usage,
    pub(super) fault: Option<String>,
    /// Why no guard saw the answer, if none did.
    pub(super) unseen: Option<&'static str>,
    /// What the agent gets while the model speaks.
    pub(super) passing: Passing,
}

impl Happened {
    /// The provider was asked once, and no guard was.
    pub(super) fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            interventions: Vec::new(),
            asked: 1,
            hidden_usage: Usage::default(),
            fault: None,
            unseen: None,
            view: None,
            branch: None,
            sent: Vec::new(),
        }
    }
}

impl State {
    /// A turn that begins here.
    pub(super) fn of(mut going: Going) -> Self {
        going.run.take_news();
        let interventions = std::mem::take(&mut going.fresh);
        let (entries, last, failed, fault, unseen, hidden_usage, empty) = Default::default();
        let (asked, passing) = (0, Passing::new(None));
        Self {
            going,
            entries,
            interventions,
            last,
            failed,
            asked,
            hidden_usage,
            empty,
            fault,
            unseen,
            passing,
        }
    }

    /// The agent does not see the last answer, if it was empty.
    pub(super) fn hides_empty(&mut self) {
        add(&mut self.hidden_usage, std::mem::take(&mut self.empty));
    }

    /// The agent does not see the last answer that was not empty, if there is one.
    pub(super) fn hides_last(&mut self) {
        if let Some((_, last)) = self.last.take() {
            add(&mut self.hidden_usage, last.usage);
        }
    }

    /// Takes what was committed.
    pub(super) fn takes_news(&mut self) {
        let news = self.going.run.take_news();
        self.interventions.extend(news.iter().filter_map(intervention));
        self.entries.extend(news);
        self.takes_interventions();
    }

    /// Takes what guards would have done that only watch.
    fn takes_interventions(&mut self) {
        let would = self.going.run.guard().would_have();
        self.interventions.extend(would);
    }

    /// Nothing more can be done about a failed attempt.
    pub(super) fn gives_up(mut self) -> Happened {
        let failed = self.failed.take().unwrap_or_else(|| Failed {
            cause: AttemptCause::Empty,
            message: "the model was not asked".into(),
            facts: AttemptFacts::default(),
            came: None,
        });
        self.ends(Outcome::Failed(failed))
    }

    /// Keeps where the conversation came to, and says it if it is logged.
    pub(super) fn keeps(
        self,
        (places, is_logged): (&Places, bool),
        outcome: Outcome,
        answer: Answer,
    ) -> Happened {
        let view = is_logged.then(|| self.going.run.view().clone());
        let branch = Some(self.going.branch);
        let (happened, going) = self.leaves(outcome);
        places.keeps(going, answer);
        Happened { view, branch, ..happened }
    }

    pub(super) fn ends(self, outcome: Outcome) -> Happened {
        self.leaves(outcome).0
    }

    /// What happened, and where the request is.
    fn leaves(self, outcome: Outcome) -> (Happened, Going) {
        let Self { going, interventions, asked, hidden_usage, fault, unseen, passing, .. } = self;
        let (view, branch, sent) = (None, None, passing.sent);
        let happened =
            Happened { outcome, interventions, asked, hidden_usage, fault, unseen, view, branch, sent };
        (happened, going)
    }
}
