//! What is written reads back as it was.

use std::fmt::Debug;
use std::sync::Arc;

use balk_scenarios::drawn::{Target, plans};
use balk_scenarios::format::{parse, write};
use balk_scenarios::{Pools, Scenario, catalogue, toolsets};

fn read(text: &str) -> Vec<Arc<Scenario>> {
    parse("written.toml", text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"))
}

#[track_caller]
fn same(one: &impl Debug, other: &impl Debug, what: &str) {
    let [one, other] = [format!("{one:#?}"), format!("{other:#?}")];
    let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    assert!(one == other, "{what}: {line:?}");
}

#[test]
fn every_file_of_the_catalogue_and_every_plan_reads_back() {
    let of_catalogue = catalogue::listed().map(|it| (it.file, it.text));
    for (file, text) in of_catalogue.chain(plans().iter().map(|it| (it.file, it.text))) {
        let scenarios = read(text);
        same(&scenarios, &read(&write(&scenarios)), file);
    }
}

/// No file of the catalogue has these keys.
#[test]
fn what_is_on_the_wire_reads_back() {
    let of_answers = "name = \"work\"\nfirst_byte_ms = 250\ndoubled_event = true\n";
    let text = include_str!("../good.toml").replacen("name = \"work\"\n", of_answers, 1);
    for (at, wires) in [("output", ["clean-end", "malformed-event"]), ("nothing", ["empty-body", "html"])] {
        let breaks = wires.map(|wire| {
            format!("[[stubborn.state.break]]\nuntil = 1\ncause = \"disconnected\"\nat = \"{at}\"\nwire = \"{wire}\"\n")
        });
        let text =
            text.replacen("[[stubborn.state.next]]", &(breaks.concat() + "[[stubborn.state.next]]"), 1);
        let scenarios = read(&text);
        let written = write(&scenarios);
        for says in [wires[0], wires[1], "first_byte_ms = 250", "doubled_event = true"] {
            assert!(written.contains(says), "{says}: {written}");
        }
        same(&scenarios, &read(&written), at);
    }
}

/// In a file, phrases are in the order of their names; so what names one is compared by the lines that are written.
#[test]
fn every_drawn_world_reads_back() {
    for pools in [Pools::Open, Pools::Reserve] {
        for seed in 0..400 {
            let mut drawn = Target::Any.scenario(seed, pools);
            Arc::make_mut(&mut drawn).name = "drawn-world".into();
            let what = format!("seed {seed} {}", drawn.skeleton.as_deref().unwrap_or_default());
            let text = write(std::slice::from_ref(&drawn));
            // The second one stands in for a healthy twin.
            let written = read(&text);
            let again = &written[0];
            assert_eq!(lines(&text), lines(&write(std::slice::from_ref(again))), "{what}");
            same(&shared(&drawn), &shared(again), &what);
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// What names no phrase.
fn shared(it: &Arc<Scenario>) -> impl Debug {
    let toolsets: Vec<String> = it.toolsets.iter().map(|set| set.name.clone()).collect();
    let names =
        (it.name.clone(), it.world.clone(), it.kind, it.title.clone(), it.why.clone(), it.source.clone());
    let tools = (it.roles.clone(), it.provider.clone(), it.distractors, toolsets);
    let drawn = (it.pools.clone(), it.numbers.clone(), it.languages.clone());
    (names, it.protocol, it.limits, tools, drawn, it.goal.clone(), it.response)
}
