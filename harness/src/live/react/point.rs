//! A point of a run where the model is due, and what can be played from there.

use std::sync::Arc;

use balk_guards::{Completion, Entry, Guard, View};
use balk_scenarios::{Stuck, Truth, User, World};

use crate::engine::{Due, Host};
use crate::live::model::{Model, Stop};
use crate::live::play::{place, summary};
use crate::live::store::Place;
use crate::live::told;
use crate::live::truth::Rounds;

/// Whom a host asks: a guard, and the scenario's user.
pub(super) struct Hands {
    guard: Box<dyn Guard>,
    person: User,
    see: fn(&Entry),
}

impl Hands {
    pub(super) fn of(world: &Arc<World>, guard: Box<dyn Guard>) -> Self {
        Self { guard, person: User::new(world), see: |_| {} }
    }
}

/// A point of a run. The model is due, or the run is over.
pub(super) struct Point<'t> {
    world: Arc<World>,
    host: Host<'t>,
    rounds: Rounds,
    /// Completions before this point.
    turns: usize,
    /// How often the model was shown this view, if it is due.
    due: Option<u32>,
}

impl<'t> Point<'t> {
    /// The start of a run.
    pub(super) fn start(world: &Arc<World>, model: &Model<'_>, hands: &'t mut Hands) -> Self {
        let Hands { guard, person, see } = hands;
        let host = Host::new(world, &model.asking.model, &mut **guard, person, see);
        let mut point = Self { world: world.clone(), host, rounds: Rounds::default(), turns: 0, due: None };
        point.go_on();
        point
    }

    /// Whether the model is due.
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some()
    }

    /// How often the model was shown this view, with this time. None if the run is over.
    pub(super) fn due(&self) -> Option<u32> {
        self.due
    }

    /// What the model is shown.
    pub(super) fn view(&self) -> &View {
        self.host.view()
    }

    /// Bytes of the view, about.
    pub(super) fn view_bytes(&self) -> u64 {
        self.host.view_bytes()
    }

    /// The world.
    pub(super) fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Whether the goal holds.
    pub(super) fn has_goal(&self) -> bool {
        self.host.environment().goal()
    }

    /// What was committed so far.
    pub(super) fn transcript(&self) -> &[Entry] {
        self.host.transcript()
    }

    /// The model's completion here: the sample with this number. None if the messages do not fit into its context.
    pub(super) fn sample(&self, model: &Model<'_>, number: u32) -> Result<Option<Completion>, Stop> {
        let place = Place { sample: number, ..place(&self.world, &self.host, self.turns) };
        match model.complete(self.host.view(), &place, self.world.offer()) {
            Ok(answer) => Ok(Some(answer.completion)),
            Err(Stop::Overflow) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// The model has answered.
    pub(super) fn take(&mut self, completion: Completion) {
        if !completion.is_empty() {
            self.rounds.open(&self.host);
            self.turns += 1;
        }
        self.host.completed(completion);
        self.go_on();
        self.rounds.close(&self.host);
    }

    /// The point after this completion, with another guard. Where the user speaks then, or a result comes back, the
    /// user says `says`, if anything.
    pub(super) fn after<'s>(
        &self,
        completion: &Completion,
        says: Option<&str>,
        hands: &'s mut Hands,
    ) -> Point<'s> {
        let Hands { guard, person, see } = hands;
        let host = self.host.fork(&mut **guard, person, see);
        let mut after = Point {
            world: self.world.clone(),
            host,
            rounds: self.rounds.clone(),
            turns: self.turns,
            due: None,
        };
        if let Some(text) = says {
            after.host.says(text);
        }
        // Without a guard, an answer with nothing in it ends the run. But users speak then, too.
        if completion.is_empty() && says.is_some() {
            after.go_on();
        } else {
            after.take(completion.clone());
        }
        after
    }

    /// What goes on if the model answers this, and nothing stands between it and the world.
    pub(super) fn truth(&self, completion: &Completion) -> Truth {
        if completion.is_empty() {
            return Truth::Stuck(Stuck::Empty);
        }
        let mut hands = Hands::of(&self.world, Box::new(()));
        self.after(completion, None, &mut hands).rounds.last().expect("the round is over")
    }

    /// How the model balks with this answer, if it does: it calls nothing while the goal is open, it sends a call again
    /// that moved nothing before, or it answers nothing. Who says that the task cannot be done does not balk where that
    /// is so.
    pub(super) fn balked(&self, completion: &Completion) -> Option<Truth> {
        let truth = self.truth(completion);
        let is_right = self.world.scenario().unreachable.is_some() && told::says_unable(completion);
        let balks = match truth {
            Truth::Stuck(Stuck::IdenticalCall | Stuck::Empty) => true,
            Truth::Stuck(Stuck::TextOnly | Stuck::Fence | Stuck::ThinkingOnly) => !is_right,
            Truth::Stuck(
                Stuck::NearDuplicate
                | Stuck::SameFailure
                | Stuck::Cycle
                | Stuck::NoOp
                | Stuck::Wandering
                | Stuck::RepeatedText
                | Stuck::Truncated,
            )
            | Truth::Productive
            | Truth::Waiting
            | Truth::Finished
            | Truth::Faulted => false,
        };
        balks.then_some(truth)
    }

    fn go_on(&mut self) {
        self.due = loop {
            match self.host.next() {
                Due::Completion { asked } => break Some(asked),
                Due::Summary => self.host.summarises(summary(&self.world)),
                Due::Over => break None,
            }
        };
    }
}
