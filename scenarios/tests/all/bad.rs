//! One bad file, one snapshot of what is said about it; and nothing, however bad, makes the reader panic.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use balk_scenarios::format::{Diagnostics, Document, names, parse, template_of};
use balk_scenarios::scenario::{Bound, Kind, Profile, Scenario, Way};
use balk_scenarios::{agents, reactions, texts, toolsets};
use proptest::prelude::*;

const GOOD: &str = include_str!("../good.toml");
const PROFILE: &str = include_str!("../../agents/gemini-cli.toml");
const REACTIONS: &str = include_str!("../reactions.toml");

fn read(name: &str, text: &str, sets: &[(&str, &str)]) -> Result<(), Diagnostics> {
    if sets.is_empty() {
        return parse(name, text, toolsets::catalogue()).map(|_| ());
    }
    played(name, text, sets).map(|_| ())
}

/// The stubborn scenario of a text with these settings.
fn played(name: &str, text: &str, sets: &[(&str, &str)]) -> Result<Arc<Scenario>, Diagnostics> {
    let sets: Vec<(String, String)> =
        sets.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Document::new(name, text, Kind::Stubborn, &sets)?.scenario(toolsets::catalogue())
}

fn explained(result: Result<(), Diagnostics>) -> String {
    match result {
        Ok(()) => "nothing is wrong".to_owned(),
        Err(wrong) => wrong.render(false),
    }
}

#[test]
fn the_good_file_is_good() {
    assert_eq!(explained(read("good.toml", GOOD, &[])), "nothing is wrong");
}

#[test]
fn every_bad_file_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the folder of bad files")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a readable name"))
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 25, "only {} bad files", names.len());
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).expect("a readable file");
        let result = if name.starts_with("toolsets-") {
            toolsets::parse(&name, &text).map(|_| ())
        } else if name.starts_with("reactions-") {
            reactions::parse(&name, &text).map(|_| ())
        } else if name.starts_with("agents-") {
            agents::parse(&name, &text).map(|_| ())
        } else if name.starts_with("texts") {
            texts::parse(&name, &text).map(|_| ())
        } else {
            read(&name, &text, &[])
        };
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
                                snapshot_path => "../bad" }, {
            insta::assert_snapshot!(name.trim_end_matches(".toml"), explained(result));
        });
    }
}

#[test]
fn the_starter_is_good_and_has_both_actors() {
    let text = template_of("my-scenario");
    let both =
        parse("my-scenario.toml", &text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let [stubborn, control] = &both[..] else { panic!("{} scenarios", both.len()) };
    let (name, twin) = (Arc::from("my-scenario"), Arc::from("my-scenario-control"));
    assert_eq!((&stubborn.name, &stubborn.twin), (&name, &Some(twin)));
    assert_eq!(
        (&control.twin, &control.name),
        (&Some(name.clone()), stubborn.twin.as_ref().expect("a twin"))
    );
    assert_eq!((stubborn.kind, control.kind), (Kind::Stubborn, Kind::Control));
    assert_eq!((&stubborn.world, &control.world), (&name, &name));
    let named =
        [("my-scenario".to_owned(), Kind::Stubborn), ("my-scenario-control".to_owned(), Kind::Control)];
    assert_eq!(names(&text), named);
    assert_eq!(stubborn.languages, [Arc::from("de"), Arc::from("en")]);
}

#[test]
fn every_bad_set_is_explained() {
    let cases: &[(&str, &str)] = &[
        ("limits.turnz", "10"),
        ("limit", "10"),
        ("limits", "10"),
        ("actor.state", "[]"),
        ("limits.turns.more", "1"),
        ("limits.turns", "ten"),
        ("limits.turns", "\"10\""),
        ("limits.turns", "0"),
        ("limits.turns", "-4"),
        ("limits.turns", "10\n[evil]"),
        ("limits.turns", ""),
        ("actor.title", "10"),
        ("actor.title", "\"open"),
        ("title", "mine"),
        ("response.profile", "strongg"),
        ("response.stubbornness", "3/2"),
        ("actor.spontaneous", "1/0"),
        ("actor.spontanous", "1/10"),
        ("actor.state.talk.next.0.visits", "patence"),
        ("actor.state.talk.next.0.visits", "0"),
        ("phrases.excuse.en", "[\"{hexx} now\"]"),
        ("goal.all", "[{ fact = \"a\", file = \"b\" }]"),
        ("goal.all", "[{ fakt = \"a\" }]"),
        ("numbers.patience", "{ from = 9 }"),
        ("", ""),
    ];
    let text: Vec<String> =
        cases.iter().map(|(path, value)| explained(read("good.toml", GOOD, &[(path, value)]))).collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
                            snapshot_path => "../bad" }, {
        insta::assert_snapshot!("set", text.join("\n————\n\n"));
    });
}

#[test]
fn a_set_takes_the_place_of_what_the_file_says() {
    let sets = [
        ("limits.turns", "7"),
        ("limits.turns", "8"),
        ("actor.title", "bare words, and \"quotes\""),
        ("actor.source", "'quoted'"),
        ("actor.spontaneous", "1/10"),
        ("actor.state.talk.next.0.visits", "4"),
        ("user.replies", "[\"task\", \"task\"]"),
        ("user.replies.1", "excuse"),
        ("response.profile", "strong"),
        ("actor.stubbornness", "1/4"),
    ];
    let scenario = played("good.toml", GOOD, &sets).expect("good sets");
    assert_eq!(scenario.limits.turns, 8);
    assert_eq!(scenario.title, "bare words, and \"quotes\"");
    assert_eq!(scenario.source, "quoted");
    let next = &scenario.actor.states[0].next[0];
    assert_eq!((next.chance[0].num, next.chance[0].den), (1, 10));
    assert_eq!(next.visits, Bound::Fixed(4));
    assert_eq!(scenario.user.replies.len(), 2);
    assert_ne!(scenario.user.replies[0], scenario.user.replies[1]);
    assert_eq!(scenario.response.profile, Profile::Strong);
    assert_eq!((scenario.response.stubbornness.num, scenario.response.stubbornness.den), (1, 4));
}

#[test]
fn roles_that_no_agent_has_are_explained() {
    let tool = |role: &str, arguments: &str| {
        format!(
            "[[toolset.tool]]\nrole = \"{role}\"\nname = \"{role}\"\ndescription = \"\"\n\
             effect = \"unknown\"\narguments = {{ {arguments} }}\n"
        )
    };
    let write = format!("[[toolset]]\nname = \"w\"\n{}", tool("write", "path = \"p\", content = \"c\""));
    let read = format!("[[toolset]]\nname = \"r\"\n{}", tool("read", "path = \"p\""));
    let with = |tools: &str| {
        let toolsets = toolsets::parse("toolsets.toml", tools).expect("good tool sets");
        explained(parse("good.toml", GOOD, &toolsets).map(|_| ()))
    };
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
                            snapshot_path => "../bad" }, {
        insta::assert_snapshot!("roles", [with(&write), with(&(write.clone() + &read))].join("\n————\n\n"));
    });
}

/// A good text with some bytes cut out, doubled or overwritten.
fn mutated(texts: &[String]) -> impl Strategy<Value = String> + use<> {
    let edit = (any::<prop::sample::Index>(), 0..40_usize, "[\\[\\]{}\"'=.,#\n a-z0-9/é語]{0,6}");
    (prop::sample::select(texts.to_vec()), prop::collection::vec(edit, 1..5)).prop_map(|(mut text, edits)| {
        for (at, length, new) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, &new);
        }
        text
    })
}

/// Reading must end in a scenario or in diagnostics that can be shown.
fn survives(text: &str, sets: &[(&str, &str)]) {
    if let Err(wrong) = read("any.toml", text, sets) {
        assert!(!wrong.all().is_empty(), "bad, but nothing is said");
        assert!(wrong.render(true).contains("error"), "an error that says nothing");
    }
}

/// Any path, and some that lead to values.
const PATHS: &str = "[a-z.\"0-2é]{0,12}|limits\\.turns|title|goal\\.all|\
                     actor\\.state\\.talk\\.next\\.0\\.visits|phrases\\.excuse\\.en";

proptest! {
    #[test]
    fn no_mutation_makes_it_panic(text in mutated(&[GOOD.to_owned(), template_of("mine")])) {
        survives(&text, &[]);
        survives(&text, &[("limits.turns", "7"), ("title", "bare words")]);
    }

    #[test]
    fn no_mutation_of_reactions_makes_it_panic(text in mutated(&[REACTIONS.to_owned()])) {
        match reactions::parse("any.toml", &text) {
            Ok(read) => prop_assert_eq!(reactions::parse("any.toml", &reactions::write(&read)), Ok(read)),
            Err(wrong) => prop_assert!(wrong.render(true).contains("error"), "an error that says nothing"),
        }
    }

    #[test]
    fn no_mutation_of_a_profile_makes_it_panic(text in mutated(&[PROFILE.to_owned()])) {
        if let Err(wrong) = agents::parse("any.toml", &text) {
            prop_assert!(wrong.render(true).contains("error"), "an error that says nothing");
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        survives(&text, &[]);
    }

    #[test]
    fn no_set_makes_it_panic(path in PATHS, value in "\\PC{0,12}|[\\[\\]{}\"'=,#\n a-z0-9/é語]{0,12}") {
        survives(GOOD, &[(&path, &value)]);
        survives(GOOD, &[(&path, &value), ("title", "again"), (&path, &value)]);
    }
}

#[test]
fn both_actors_of_a_file_have_one_world_and_settings_of_their_own() {
    let sets = |kind| {
        let sets = [("actor.start".to_owned(), "work".to_owned())];
        Document::new("good.toml", GOOD, kind, &sets)?.scenario(toolsets::catalogue())
    };
    let healthy = sets(Kind::Control).expect("the healthy actor has this state");
    assert_eq!((&*healthy.name, &*healthy.world), ("minimal-control", "minimal"));
    // Nothing leads to the state that it started in.
    let stubborn = sets(Kind::Stubborn).map(|_| ()).expect_err("its first state is not reached");
    assert!(stubborn.render(false).contains("the state `talk` is never reached"), "{stubborn}");
}

#[test]
fn ways_are_those_of_the_file() {
    let text = GOOD.replace(
        "when = \"user-spoke\"\nvisits = \"patience\"\nchance = [\"spontaneous\", \"2/3\"]",
        "when = \"corrected\"\nways = [\"call\", \"tell\"]",
    );
    let scenario = played("good.toml", &text, &[]).expect("a good file");
    assert_eq!(scenario.actor.states[0].next[0].ways, [Way::Call, Way::Tell]);
}
