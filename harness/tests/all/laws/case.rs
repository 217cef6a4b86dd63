//! A random case of the laws, its trial, and helpers to search it.

use std::sync::{Arc, LazyLock};

use balk::engine::{self, Trial, TruthChannel};
use balk_guards::{Completion, Entry, InterventionKind, ToolResult};
use balk_scenarios::catalogue;
use balk_scenarios::format::{self, Document};
use balk_scenarios::{Kind, Scenario, World, WorldOptions, toolsets};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::between;
use crate::common::wild::{self, Temper};

/// The catalogue and the field suite, a scenario with all that can come between turns, and one with narrow limits
/// whose model sometimes sends empty completions and several calls at once.
pub(super) static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> = LazyLock::new(|| {
    let mut all: Vec<Arc<Scenario>> =
        catalogue::listed().map(|it| it.read(&[]).expect("the catalogue is good")).collect();
    let text = format::template_of("transient");
    let empty = [("write", 1), ("talk", 2)].into_iter().fold(text, |text, (state, attempts)| {
        let head = format!("name = \"{state}\"\n");
        assert!(text.contains(&head), "the template has the state `{state}`");
        text.replace(&head, &format!("{head}empty = [{}\"0/1\"]\n", "\"1/1\", ".repeat(attempts)))
    });
    let one = r##"calls = [{ tool = "write", arguments = { path = "{page.path}", content = "# {page.what}\n" } }]"##;
    assert!(empty.contains(one), "the template has this call");
    let three = r##"calls = [
      { tool = "list", arguments = { path = "." } },
      { tool = "write", arguments = { path = "{page.path}", content = "# {page.what}\n" } },
      { tool = "shell", arguments = { command = "docs status {visit}" } },
    ]"##;
    let empty = empty.replace(one, three);
    for attempts in ["2", "3"] {
        let sets = [("limits.attempts", attempts), ("limits.calls", "2")];
        let sets = sets.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let read = Document::new("transient.toml", &empty, Kind::Stubborn, &sets);
        all.push(read.and_then(|it| it.scenario(toolsets::catalogue())).expect("it is good"));
    }
    all.push(between());
    all
});

/// A stack, a scenario and a seed.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) tempers: Vec<Temper>,
    pub(super) scenario: usize,
    pub(super) seed: u64,
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    let temper = (any::<u64>(), 0..=8_u64, prop::bool::weighted(0.2))
        .prop_map(|(salt, objects, breaks)| Temper { salt, objects, breaks });
    (vec(temper, 0..=3), 0..SCENARIOS.len(), any::<u64>()).prop_map(|(tempers, scenario, seed)| Case {
        tempers,
        scenario,
        seed,
    })
}

impl Case {
    pub(super) fn world(&self) -> Arc<World> {
        World::draw(&SCENARIOS[self.scenario], self.seed, WorldOptions::default())
    }

    pub(super) fn trial(&self, world: &Arc<World>) -> Trial {
        engine::run(world, &mut wild::stack(&self.tempers), &TruthChannel::default())
    }
}

/// The entries after this index, up to the next completion.
pub(super) fn following(entries: &[Entry], at: usize) -> &[Entry] {
    let rest = &entries[at + 1..];
    &rest[..rest.iter().position(|it| completion(it).is_some()).unwrap_or(rest.len())]
}

pub(super) fn completion(entry: &Entry) -> Option<&Arc<Completion>> {
    if let Entry::Completion(it) = entry { Some(it) } else { None }
}

pub(super) fn repaired(entry: &Entry) -> Option<&Arc<Completion>> {
    if let Some(InterventionKind::Repair(it)) = kind(entry) { Some(it) } else { None }
}

pub(super) fn result(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Result(it) = entry { Some(it) } else { None }
}

pub(super) fn tried(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Tried(it) = entry { Some(it) } else { None }
}

pub(super) fn kind(entry: &Entry) -> Option<&InterventionKind> {
    if let Entry::Intervention(it) = entry { Some(&it.kind) } else { None }
}
