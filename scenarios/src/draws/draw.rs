//! What is drawn in a trial, and the name under which each draw has its own random words.

/// One thing that chance decides.
///
/// States, phrases, pools and numbers go by their names, so an edit of one part of a scenario leaves the draws of
/// the others as they are. A visit counts from 1, and so does an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw<'n> {
    /// The language of the world.
    Language,
    /// The tool set of the world.
    Toolset,
    /// The distractors of the world, and the order of its tools.
    Offer,
    /// The program text that is the same at every use in one world.
    Draft,
    /// The item of a pool.
    Pool(&'n str),
    /// The value of a number of the scenario.
    Number(&'n str),
    /// The value of a number of the response model.
    Parameter(&'n str),
    /// Whether the actor takes a transition, by its place in the state.
    Transition { state: &'n str, transition: usize, visit: u32 },
    /// Whether an attempt brings nothing.
    Empty { state: &'n str, attempt: u32, visit: u32 },
    /// Whether an attempt breaks off in one of the ways of its state.
    Break { state: &'n str, place: usize, attempt: u32, visit: u32 },
    /// Whether the provider had run its own calls before the attempt broke off in that way.
    RanBefore { state: &'n str, place: usize, attempt: u32, visit: u32 },
    /// The model of the population that the actor is.
    Model,
    /// How the actor takes a correction, by the detours that it has taken since the visit.
    Reaction { state: &'n str, visit: u32, detours: u32 },
    /// Which variant of a phrase is said, and what fills its placeholders.
    Phrase { phrase: &'n str, occasion: Occasion, visit: u32 },
    /// Which variant of a phrase is said at every use in one world.
    Pinned(&'n str),
    /// What fills the placeholders of a call, by its place in the state.
    Call { state: &'n str, call: usize, visit: u32 },
    /// What fills the placeholders of a file that a rule writes, by their places.
    Written { rule: usize, place: usize, visit: u32 },
    /// How long the loop waits, by the waits before.
    Wait(u32),
}

/// Where a phrase is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The actor says it in the state of this index.
    State(usize),
    /// The provider says it when an attempt breaks off.
    Break { place: usize, attempt: u32 },
    /// The user says it first.
    Opening,
    /// The user says it to a message without a call.
    Reply,
    /// The user says it in answer to a question.
    Answer,
    /// The loop says it to a message without a call.
    Prompt,
    /// The loop says it when it summarises.
    Summary,
    /// A tool answers it under the rule of this index.
    Rule(usize),
    /// The user says it under the rule of this index.
    ReplyRule(usize),
    /// The user says it while calls run.
    Interrupt(usize),
    /// The environment says it between turns.
    Notification(usize),
    /// It stands before the answer of a call.
    Before,
    /// It stands after it.
    After,
    /// It is not said: every variant is listed.
    Listing,
}

/// The name of a draw. Every number in it is part of the format of a record: a change makes other worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<'n> {
    pub(super) drawer: Drawer,
    pub(super) name: &'n str,
    /// What tells apart the draws of one drawer under one name.
    pub(super) part: u32,
    pub(super) visit: u32,
}

/// Who draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawer {
    World = 0,
    Actor = 1,
    Response = 2,
    Phrase = 3,
    Loop = 4,
}

impl<'n> Draw<'n> {
    pub(super) fn key(self) -> Key<'n> {
        let key = |drawer, name, part, visit| Key { drawer, name, part, visit };
        match self {
            Self::Language => key(Drawer::World, "language", 0, 0),
            Self::Toolset => key(Drawer::World, "toolset", 0, 0),
            Self::Offer => key(Drawer::World, "offer", 0, 0),
            Self::Draft => key(Drawer::World, "draft", 0, 0),
            Self::Parameter(name) => key(Drawer::World, name, 0, 0),
            Self::Pool(name) => key(Drawer::World, name, 1, 0),
            Self::Number(name) => key(Drawer::World, name, 2, 0),
            Self::Transition { state, transition, visit } => {
                key(Drawer::Actor, state, part_of(transition), visit)
            }
            Self::Empty { state, attempt, visit } => key(Drawer::Actor, state, EMPTY + attempt, visit),
            Self::Break { state, place, attempt, visit } => {
                key(Drawer::Actor, state, BREAK + attempt_of(place, attempt), visit)
            }
            Self::RanBefore { state, place, attempt, visit } => {
                key(Drawer::Actor, state, RAN_BEFORE + attempt_of(place, attempt), visit)
            }
            Self::Model => key(Drawer::Response, "model", MODEL, 0),
            Self::Reaction { state, visit, detours } => {
                key(Drawer::Response, state, detours.min(MODEL - 1), visit)
            }
            Self::Phrase { phrase, occasion, visit } => key(Drawer::Phrase, phrase, occasion.part(), visit),
            Self::Pinned(phrase) => key(Drawer::World, phrase, 3, 0),
            Self::Call { state, call, visit } => key(Drawer::Phrase, state, CALL + part_of(call), visit),
            // No phrase and no state has this name.
            Self::Written { rule, place, visit } => {
                key(Drawer::Phrase, "", part_of(rule) * WRITTEN + part_of(place), visit)
            }
            Self::Wait(before) => key(Drawer::Loop, "wait", 0, before),
        }
    }
}

impl Occasion {
    fn part(self) -> u32 {
        match self {
            Self::State(at) => part_of(at),
            Self::Opening => 10,
            Self::Reply => 11,
            Self::Answer => 12,
            Self::Prompt => 13,
            Self::Summary => 14,
            Self::Before => 15,
            Self::After => 16,
            Self::Rule(at) => RULE + part_of(at),
            Self::ReplyRule(at) => REPLY_RULE + part_of(at),
            Self::Interrupt(at) => INTERRUPT + part_of(at),
            Self::Notification(at) => NOTIFICATION + part_of(at),
            Self::Break { place, attempt } => BREAK + attempt_of(place, attempt),
            Self::Listing => u32::MAX,
        }
    }
}

/// Above the detours of a visit.
const MODEL: u32 = 1_000;
/// Above the transitions of a state.
const EMPTY: u32 = 1_000;
/// Above the empty attempts of a state.
const BREAK: u32 = 1_000_000;
/// Above its breaks.
const RAN_BEFORE: u32 = 2_000_000;
/// Attempts that a way to break off has for itself; later ones share the last.
const ATTEMPTS: u32 = 1_000;
/// Files that a rule can write.
const WRITTEN: u32 = 1_000;
/// Above the states of an actor.
const CALL: u32 = 1_000;
/// Above the states of an actor.
const RULE: u32 = 1_000;
/// Above the rules of the environment.
const REPLY_RULE: u32 = 2_000;
/// Above the rules of the person.
const INTERRUPT: u32 = 3_000;
/// Above the interrupts.
const NOTIFICATION: u32 = 4_000;

fn attempt_of(place: usize, attempt: u32) -> u32 {
    part_of(place) * ATTEMPTS + attempt.min(ATTEMPTS - 1)
}

fn part_of(place: usize) -> u32 {
    u32::try_from(place).expect("lists in scenarios are short")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(draw: Draw<'_>, drawer: u64, name: &str, part: u32, visit: u32) {
        let key = draw.key();
        assert_eq!(
            (key.drawer as u64, key.name, key.part, key.visit),
            (drawer, name, part, visit),
            "{draw:?}"
        );
    }

    /// A record is only ever run again under the same keys.
    #[test]
    fn every_draw_keeps_its_key() {
        check(Draw::Language, 0, "language", 0, 0);
        check(Draw::Toolset, 0, "toolset", 0, 0);
        check(Draw::Offer, 0, "offer", 0, 0);
        check(Draw::Draft, 0, "draft", 0, 0);
        check(Draw::Parameter("novel"), 0, "novel", 0, 0);
        check(Draw::Pool("page"), 0, "page", 1, 0);
        check(Draw::Number("pause"), 0, "pause", 2, 0);
        check(Draw::Pinned("done"), 0, "done", 3, 0);
        let (state, visit) = ("write", 7);
        check(Draw::Transition { state, transition: 3, visit }, 1, state, 3, visit);
        check(Draw::Empty { state, attempt: 2, visit }, 1, state, 1_002, visit);
        check(Draw::Break { state, place: 1, attempt: 2, visit }, 1, state, 1_001_002, visit);
        check(Draw::Break { state, place: 1, attempt: 5_000, visit }, 1, state, 1_001_999, visit);
        check(Draw::RanBefore { state, place: 1, attempt: 2, visit }, 1, state, 2_001_002, visit);
        check(Draw::Model, 2, "model", 1_000, 0);
        check(Draw::Reaction { state, visit, detours: 0 }, 2, state, 0, visit);
        check(Draw::Reaction { state, visit, detours: 2 }, 2, state, 2, visit);
        check(Draw::Call { state, call: 4, visit }, 3, state, 1_004, visit);
        check(Draw::Written { rule: 2, place: 1, visit }, 3, "", 2_001, visit);
        check(Draw::Wait(6), 4, "wait", 0, 6);
    }

    #[test]
    fn every_occasion_keeps_its_part() {
        let parts = [
            (Occasion::State(2), 2),
            (Occasion::Opening, 10),
            (Occasion::Reply, 11),
            (Occasion::Answer, 12),
            (Occasion::Prompt, 13),
            (Occasion::Summary, 14),
            (Occasion::Before, 15),
            (Occasion::After, 16),
            (Occasion::Rule(2), 1_002),
            (Occasion::ReplyRule(2), 2_002),
            (Occasion::Interrupt(2), 3_002),
            (Occasion::Notification(2), 4_002),
            (Occasion::Break { place: 1, attempt: 2 }, 1_001_002),
            (Occasion::Listing, u32::MAX),
        ];
        for (occasion, part) in parts {
            check(Draw::Phrase { phrase: "done", occasion, visit: 3 }, 3, "done", part, 3);
        }
    }
}
