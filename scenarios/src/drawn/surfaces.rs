//! Surfaces: what varies and does not matter.

use std::sync::Arc;

use balk_contract::record::Pools;

use crate::scenario::{CallSpec, Called, PhraseId, Role, Scenario, Sent, State, Toolset};
use crate::toolsets;

use super::lot::Lot;
use super::plan::is_reserve;
use super::splice::{Splice, call, join, text};
use super::words::words;

/// A switch that varies what does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The language of all texts, which is English otherwise.
    Language,
    /// Whose tools are offered, which are those of the first tool set otherwise.
    ToolNames,
    /// Whether the actor thinks aloud before it calls.
    Thinking,
    /// Whether the actor calls without a word.
    Silence,
    /// How many tools are offered that have nothing to do with the task.
    Distractors,
    /// Whether the actor says something pleasant beside each call.
    Chatter,
    /// Whether every answer of a tool ends with the time.
    Clocks,
    /// Whether it ends with an id.
    Ids,
    /// Whether it ends with the number of calls so far.
    Counters,
    /// Whether it ends with a revision of the workspace.
    Revisions,
    /// Whether it ends with a notice that says nothing.
    Footers,
    /// Whether it begins with a warning that has nothing to do with it.
    Warnings,
    /// Whether every other state spells its paths with `./`.
    Paths,
    /// Whether the actor lists each file that it reads, in the same message. In recordings 63 of 270 runs
    /// have a message with several calls.
    ParallelLooks,
}

/// All surfaces, in the order in which they were written: a new one goes to the end.
pub const SURFACES: &[Surface] = &[
    Surface::Language,
    Surface::ToolNames,
    Surface::Thinking,
    Surface::Silence,
    Surface::Distractors,
    Surface::Chatter,
    Surface::Clocks,
    Surface::Ids,
    Surface::Counters,
    Surface::Revisions,
    Surface::Footers,
    Surface::Warnings,
    Surface::Paths,
    Surface::ParallelLooks,
];

impl Surface {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::ToolNames => "tool-names",
            Self::Thinking => "thinking",
            Self::Silence => "silence",
            Self::Distractors => "distractors",
            Self::Chatter => "chatter",
            Self::Clocks => "clocks",
            Self::Ids => "ids",
            Self::Counters => "counters",
            Self::Revisions => "revisions",
            Self::Footers => "footers",
            Self::Warnings => "warnings",
            Self::Paths => "paths",
            Self::ParallelLooks => "parallel-looks",
        }
    }

    /// It is on once in this many worlds.
    const fn one_in(self) -> u32 {
        match self {
            Self::Language | Self::ToolNames | Self::Distractors => 2,
            Self::Thinking
            | Self::Silence
            | Self::Chatter
            | Self::Clocks
            | Self::Ids
            | Self::Counters
            | Self::Revisions
            | Self::Footers
            | Self::Warnings
            | Self::Paths
            | Self::ParallelLooks => 4,
        }
    }

    /// Whether it is drawn only from reserved pools: every third, by its place in the list.
    #[must_use]
    pub fn is_reserve(self) -> bool {
        SURFACES.iter().position(|it| *it == self).is_some_and(is_reserve)
    }
}

/// The surface of one world.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// Below any number of languages that a plan has; it is taken modulo that number.
    pub(super) language: usize,
    /// Below any number of tool sets, as the language is.
    toolset: usize,
    pools: Pools,
    distractors: usize,
    on: Vec<Surface>,
}

impl Look {
    /// The tools of one agent that has these roles: of the asked pools, if any of those agents has them.
    pub(super) fn toolset(&self, roles: &[Role]) -> Arc<Toolset> {
        let fitting: Vec<&Arc<Toolset>> = toolsets::catalogue().iter().filter(|it| has(it, roles)).collect();
        let asked = |it: &&&Arc<Toolset>| it.reserve == (self.pools == Pools::Reserve);
        let count = fitting.iter().filter(asked).count();
        match count {
            0 => Arc::clone(fitting[self.toolset % fitting.len()]),
            _ => Arc::clone(
                fitting.iter().filter(asked).nth(self.toolset % count).expect("it is below the count"),
            ),
        }
    }

    #[cfg(test)]
    pub(super) fn has(&self, surface: Surface) -> bool {
        self.on.contains(&surface)
    }
}

/// Whether the tools of some agent have all these roles.
pub(super) fn are_played(roles: Vec<Role>) -> bool {
    toolsets::catalogue().iter().any(|it| has(it, &roles))
}

fn has(set: &Toolset, roles: &[Role]) -> bool {
    roles.iter().all(|role| set.tools.iter().any(|tool| tool.role == *role))
}

/// The place of English among the languages, which are in the order of their codes.
const ENGLISH: usize = 1;
/// More than the languages of a plan or the tool sets, and divisible by any number of them that is likely.
const MANY: usize = 27_720;

/// Draws a surface. Reserved pools have all switches; the open ones lack those that are reserve.
pub(super) fn looks(pools: Pools, lot: &mut Lot) -> Look {
    let (language, toolset, distractors) = (lot.index(MANY), lot.index(MANY), lot.index(4));
    let mut on = Vec::new();
    for surface in SURFACES {
        let is_on = lot.once_in(surface.one_in());
        if is_on && (pools == Pools::Reserve || !surface.is_reserve()) {
            on.push(*surface);
        }
    }
    Look {
        language: if on.contains(&Surface::Language) { language } else { ENGLISH },
        toolset: if on.contains(&Surface::ToolNames) { toolset } else { 0 },
        pools,
        distractors,
        on,
    }
}

/// Puts the surface on a composed scenario.
pub(super) fn apply(look: &Look, scenario: &mut Scenario) {
    let mut after = Vec::new();
    for surface in &look.on {
        match surface {
            Surface::Language | Surface::ToolNames => {}
            Surface::Clocks | Surface::Ids | Surface::Counters | Surface::Revisions | Surface::Footers => {
                after.extend(words(surface.name(), &scenario.languages[0], &text("")));
            }
            Surface::Warnings => {
                let phrase = phrase(scenario, surface.name());
                scenario.phrases[phrase].pinned = true;
                scenario.environment.before = Some(phrase);
            }
            Surface::Distractors => scenario.distractors = look.distractors,
            Surface::Silence => {
                for state in scenario.actor.states.iter_mut().filter(|it| !it.calls.is_empty()) {
                    state.says = None;
                }
            }
            Surface::Paths => {
                for state in scenario.actor.states.iter_mut().skip(1).step_by(2) {
                    state.calls.iter_mut().for_each(with_dot);
                }
            }
            Surface::ParallelLooks if scenario.roles.contains(&Role::List) => {
                scenario.actor.states.iter_mut().for_each(looks_twice);
            }
            Surface::ParallelLooks => {}
            Surface::Thinking => {
                let phrase = phrase(scenario, "thinking");
                for state in scenario.actor.states.iter_mut().filter(|it| !it.calls.is_empty()) {
                    state.thinks.get_or_insert(phrase);
                }
            }
            Surface::Chatter => {
                let phrase = phrase(scenario, "chatter");
                for state in scenario.actor.states.iter_mut().filter(|it| !it.calls.is_empty()) {
                    state.says.get_or_insert(phrase);
                }
            }
        }
    }
    if !after.is_empty() {
        let lines = after.into_iter().reduce(|one, other| join([one, text(" "), other]));
        let phrase = Splice::add_phrase(scenario, "after", lines.into_iter().collect());
        scenario.environment.after = Some(phrase);
    }
}

fn is_of(call: &CallSpec, role: Role) -> bool {
    call.called == Called::Role(role)
}

/// Lists the file that it reads, too.
fn looks_twice(state: &mut State) {
    if let [CallSpec { called: Called::Role(Role::Read), sent: Sent::Arguments(values) }] = &state.calls[..] {
        let path = values.clone();
        state.calls.push(call(Role::List, path));
    }
}

/// Spells the path of a file with a dot before it, which means the same.
fn with_dot(call: &mut CallSpec) {
    let names_file = [Role::Read, Role::Write, Role::Edit].into_iter().any(|role| is_of(call, role));
    if let (true, Sent::Arguments(values)) = (names_file, &mut call.sent)
        && let Some(path) = values.first_mut()
    {
        *path = join([text("./"), path.clone()]);
    }
}

fn phrase(scenario: &mut Scenario, name: &str) -> PhraseId {
    let variants = words(name, &scenario.languages[0], &text(""));
    Splice::add_phrase(scenario, name, variants)
}
