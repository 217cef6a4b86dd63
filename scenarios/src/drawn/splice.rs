//! Splices a slip into a plan: states with their truth, and the ways that lead back.

use std::sync::Arc;

use balk_contract::FinishReason;

use crate::scenario::template::{Piece, Template};
use crate::scenario::{
    Bound, CallSpec, Called, Condition, Delivery, Phrase, PhraseId, Ratio, Role, Rule, Scenario, Sent, State,
    StateId, Stuck, Toolset, ToolsetTool, Transition, Trigger, Truth, TruthSpan, Way,
};

use super::lot::Lot;
use super::place::Place;
use super::words::words;

/// A turn of a slip.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    pub(super) says: Option<PhraseId>,
    pub(super) thinks: Option<PhraseId>,
    pub(super) calls: Vec<CallSpec>,
    pub(super) finish: Option<FinishReason>,
    /// How likely each attempt of it is to come back empty. Such a turn is healthy once something comes, and leads out.
    pub(super) empty: Vec<Ratio>,
}

/// Turns that follow one another, again and again, until a way out is taken.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    /// How the actor is stuck in them.
    pub(super) how: Stuck,
    /// At least one.
    pub(super) turns: Vec<Turn>,
    /// How many laps are still fair: before that, nothing shows that they lead nowhere.
    pub(super) fair: u32,
    /// How many laps the plan itself took just before.
    pub(super) taken: u32,
    /// The ways that lead out.
    pub(super) ways: &'static [Way],
    /// What the actor does on its way back to the plan.
    pub(super) out: Vec<Turn>,
}

/// A ring without fair laps, from which every way leads straight back to the plan.
pub(super) fn ring(how: Stuck, turns: Vec<Turn>, ways: &'static [Way]) -> Ring {
    Ring { how, turns, fair: 0, taken: 0, ways, out: Vec::new() }
}

/// A plan while a slip is spliced into it.
#[derive(Debug)]
pub(super) struct Splice<'p, 'l> {
    pub(super) place: Place<'p>,
    pub(super) scenario: Scenario,
    pub(super) lot: &'l mut Lot,
    /// The numbers that belong to the skeleton.
    pub(super) numbers: Vec<u32>,
    added: u32,
}

impl<'p, 'l> Splice<'p, 'l> {
    /// The scenario has one language and one tool set.
    pub(super) fn new(place: Place<'p>, scenario: Scenario, lot: &'l mut Lot) -> Self {
        Self { place, scenario, lot, numbers: Vec::new(), added: 0 }
    }

    /// A number that makes another skeleton.
    pub(super) fn number(&mut self, from: u32, to: u32) -> u32 {
        let number = self.lot.within(from, to);
        self.numbers.push(number);
        number
    }

    /// An index that makes another skeleton.
    pub(super) fn choice(&mut self, len: usize) -> usize {
        let last = u32::try_from(len).expect("lists are short") - 1;
        usize::try_from(self.number(0, last)).expect("an index fits")
    }

    /// A phrase with these variants.
    pub(super) fn phrase(&mut self, variants: Vec<Template>) -> PhraseId {
        self.added += 1;
        Self::add_phrase(&mut self.scenario, &format!("slip-{}", self.added), variants)
    }

    /// Adds a phrase to a scenario of one language.
    pub(super) fn add_phrase(scenario: &mut Scenario, name: &str, variants: Vec<Template>) -> PhraseId {
        scenario.phrases.push(Phrase { name: name.to_owned(), pinned: false, variants: vec![variants] });
        scenario.phrases.len() - 1
    }

    /// A phrase with the words of this name.
    pub(super) fn word(&mut self, name: &str) -> PhraseId {
        let target = self.target();
        let variants = self.words(name, &target);
        self.phrase(variants)
    }

    /// What a tool answers: a phrase with one of these words in a world.
    pub(super) fn answer(&mut self, name: &str) -> PhraseId {
        let phrase = self.word(name);
        self.scenario.phrases[phrase].pinned = true;
        phrase
    }

    /// The words of this name, in the language of the scenario.
    pub(super) fn words(&self, name: &str, target: &Template) -> Vec<Template> {
        words(name, &self.scenario.languages[0], target)
    }

    /// What the plan does next: the path, the command or the question of its next call.
    pub(super) fn target(&self) -> Template {
        match self.place.due().map(|call| call.sent) {
            Some(Sent::Arguments(values)) => values.into_iter().next().unwrap_or_else(|| text("it")),
            Some(Sent::Raw(_)) | None => text("it"),
        }
    }

    fn toolset(&self) -> &Arc<Toolset> {
        self.scenario.toolsets.first().expect("a composed scenario has one tool set")
    }

    /// The tool that plays a role.
    pub(super) fn tool(&self, role: Role) -> &ToolsetTool {
        let tools = &self.toolset().tools;
        tools.iter().find(|it| it.role == role).expect("the tool set has the roles of plan and slip")
    }

    /// A rule before all others.
    pub(super) fn rule(&mut self, rule: Rule) {
        self.scenario.environment.rules.insert(0, rule);
    }

    /// The user's replies to the messages of a slip that only talks: a drawn number of "go on".
    pub(super) fn urge(&mut self, word: &str) {
        if self.place.is_text() {
            let replies = self.number(0, 5);
            let phrase = self.word(word);
            self.scenario.user.replies = (0..replies).map(|_| phrase).collect();
        }
    }

    /// Adds the states, and returns the scenario with the numbers of the slip.
    pub(super) fn close(mut self, ring: Ring) -> (Scenario, Vec<u32>) {
        let home = self.place.next().state;
        let first = self.scenario.actor.states.len();
        let way_out = if ring.out.is_empty() { home } else { first + ring.turns.len() };
        let leaving = *self.lot.pick(LEAVING);
        for (nth, turn) in ring.turns.iter().enumerate() {
            let next = (nth + 1 < ring.turns.len()).then_some(first + nth + 1);
            let state = stuck(nth, turn, &ring, leaving, (way_out, next.unwrap_or(first)));
            self.scenario.actor.states.push(state);
        }
        let last = ring.out.len();
        for (nth, turn) in ring.out.into_iter().enumerate() {
            let to = if nth + 1 < last { way_out + nth + 1 } else { home };
            let truth = vec![TruthSpan { until: u32::MAX, is: Truth::Productive }];
            let next = vec![goes(Trigger::Always, to)];
            self.scenario.actor.states.push(state(format!("slip-out-{}", nth + 1), turn, truth, next));
        }
        self.enter(first);
        (self.scenario, self.numbers)
    }

    /// Leads into the slip after the round before its place.
    fn enter(&mut self, first: StateId) {
        match self.place.last() {
            None => self.scenario.actor.start = first,
            Some(last) => {
                let once = Transition {
                    visits: Bound::Fixed(last.visit),
                    chance: vec![ratio(1, 1), ratio(0, 1)],
                    ..goes(Trigger::Always, first)
                };
                self.scenario.actor.states[last.state].next.insert(0, once);
            }
        }
    }
}

fn stuck(nth: usize, turn: &Turn, ring: &Ring, leaving: &[Ratio], (out, next): (StateId, StateId)) -> State {
    let name = format!("slip-{}", nth + 1);
    if !turn.empty.is_empty() {
        let truth = vec![TruthSpan { until: u32::MAX, is: Truth::Productive }];
        return state(name, turn.clone(), truth, vec![goes(Trigger::Always, out)]);
    }
    let is = Truth::Stuck(ring.how);
    let mut truth = vec![TruthSpan { until: u32::MAX, is }];
    if ring.fair > 0 {
        truth.insert(0, TruthSpan { until: ring.fair, is: Truth::Productive });
    }
    let talks = turn.calls.is_empty();
    let unasked = Transition {
        visits: Bound::Fixed(if talks { 1 } else { PATIENCE + ring.fair - ring.taken }),
        chance: if talks { vec![PERSUADED] } else { leaving.to_vec() },
        ..goes(if talks { Trigger::UserSpoke } else { Trigger::Always }, out)
    };
    let mut transitions = vec![
        goes(Trigger::Switched, out),
        goes(Trigger::Answered, out),
        Transition { ways: ring.ways.to_vec(), ..goes(Trigger::Corrected, out) },
        unasked,
    ];
    if ring.turns.len() > 1 {
        transitions.push(goes(Trigger::Always, next));
    }
    state(name, turn.clone(), truth, transitions)
}

/// The lap after which a model may find its way back unasked. Before that it is no slip, but a second try.
const PATIENCE: u32 = 3;
/// How likely it then is after each turn, by lap: that the next call differs after three, four, five, six and more
/// equal calls with equal results, as x of n (`docs/reactions.md`). A model of one of these rows is drawn.
const LEAVING: &[&[Ratio]] = &[
    // MINT, 17 models, in at most five turns.
    &[ratio(96, 474), ratio(46, 250)],
    // gpt-4o in SUPER.
    &[ratio(11, 48), ratio(3, 36), ratio(8, 32), ratio(22, 318)],
    // gpt-3.5 in RepairAgent.
    &[ratio(8, 24), ratio(3, 15), ratio(4, 12), ratio(5, 67)],
    // gpt-4, gpt-3.5 and starchat in InterCode.
    &[ratio(27, 167), ratio(24, 125), ratio(5, 87), ratio(3, 114)],
    &[ratio(32, 209), ratio(3, 147), ratio(2, 116), ratio(2, 138)],
    &[ratio(25, 888), ratio(0, 825), ratio(1, 770), ratio(0, 1765)],
];
/// How likely a bare "go on" of the user is to bring it back: assumed as for the written scenarios, 0 to 1/4.
const PERSUADED: Ratio = ratio(1, 10);

fn state(name: String, turn: Turn, truth: Vec<TruthSpan>, next: Vec<Transition>) -> State {
    State {
        name,
        steps: None,
        truth,
        says: turn.says,
        thinks: turn.thinks,
        calls: turn.calls,
        provider: Vec::new(),
        tells_user: false,
        empty: turn.empty,
        breaks: Vec::new(),
        delivery: Delivery::default(),
        finish: turn.finish,
        next,
    }
}

fn goes(when: Trigger, to: StateId) -> Transition {
    Transition {
        when,
        visits: Bound::Fixed(1),
        chance: vec![ratio(1, 1)],
        contains: None,
        ways: Vec::new(),
        to,
    }
}

pub(super) const fn ratio(num: u32, den: u32) -> Ratio {
    Ratio { num, den }
}

/// A template of plain text.
pub(super) fn text(plain: &str) -> Template {
    Template { pieces: vec![Piece::Text(plain.into())] }
}

/// The templates, one after the other.
pub(super) fn join(parts: impl IntoIterator<Item = Template>) -> Template {
    Template { pieces: parts.into_iter().flat_map(|it| it.pieces).collect() }
}

/// A call of a role with these arguments, in the order of the role.
pub(super) fn call(role: Role, arguments: impl IntoIterator<Item = Template>) -> CallSpec {
    CallSpec { called: Called::Role(role), sent: Sent::Arguments(arguments.into_iter().collect()) }
}

/// A rule for calls of a role, which then does what the role does.
pub(super) fn rule(role: Role, when: Vec<Condition>) -> Rule {
    Rule {
        role,
        when,
        times: None,
        fails: false,
        does: true,
        fatal: false,
        takes: None,
        says: None,
        sets: Vec::new(),
        clears: Vec::new(),
        writes: Vec::new(),
        deletes: Vec::new(),
    }
}
