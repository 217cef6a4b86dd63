//! The lines of both directions, and their schema.

use std::fs;

use balk::exec::lines::{FromGuard, ToGuard};
use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use super::{mirror, quoted};
use crate::common::program::{balk, ran};

/// The printed schema: of lines to guards, and of lines from them.
fn schema() -> (Schemas, [SchemaIndex; 3]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = ran(&mut balk(folder.path(), &["schema", "guard"]));
    assert_eq!((code, &*err), (0, ""));
    let mut compiler = Compiler::new();
    let document = serde_json::from_str(&out).expect("it is JSON");
    compiler.add_resource("file:///guard.json", document).expect("a place of its own");
    let mut schemas = Schemas::new();
    let compiled = ["", "#/$defs/ToGuard", "#/$defs/FromGuard"].map(|part| {
        compiler.compile(&format!("file:///guard.json{part}"), &mut schemas).expect("it is a schema")
    });
    (schemas, compiled)
}

/// What a mirrored guard was told and said in runs with attempts that break, results, questions and ends.
#[test]
fn real_lines_fit_the_schema() {
    let (schemas, [line, to_guard, from_guard]) = schema();
    let folder = tempfile::tempdir().expect("a folder");
    let program = quoted(&mirror().display().to_string());
    let mut names = std::collections::BTreeSet::new();
    for (guard, scenario) in [
        ("retry-safety", "outage"),
        ("repair", "call-as-text"),
        ("no-tools", "text-only"),
        ("duplicate", "repeating"),
        ("handoff", "capability-gap"),
        ("progress", "alternating"),
    ] {
        let spec = format!("exec:{program} {guard} --log lines");
        let arguments = ["scenario", scenario, "--seed", "0", "--guard", &spec, "--format", "json"];
        let (code, _, err) = ran(&mut balk(folder.path(), &arguments));
        assert_eq!((code, &*err), (0, ""), "{guard}");
    }
    for text in fs::read_to_string(folder.path().join("lines")).expect("it was written").lines() {
        let (direction, said) = text.split_at(2);
        let json: Value = serde_json::from_str(said).expect("a line is JSON");
        let fits =
            |index: SchemaIndex| schemas.validate(&json, index).map_err(|why| format!("{said}: {why}"));
        fits(line).expect("it is a line");
        fits(if direction == "> " { to_guard } else { from_guard }).expect("it has its direction");
        let name = json.as_object().and_then(|it| it.keys().next()).expect("one member");
        let entry = json[name]["entry"].as_str().unwrap_or_default();
        names.insert(format!("{direction}{name} {entry}").trim_end().to_owned());
    }
    let names: Vec<String> = names.into_iter().collect();
    insta::assert_snapshot!("lines_of_guards", names.join("\n"));
}

#[test]
fn the_schema_and_the_reader_agree() {
    let (schemas, [_, to_guard, from_guard]) = schema();
    let note = r#"{"rule":"r","text":"t"}"#;
    for (good, line) in [
        (true, r#"{"hello":{"protocol":1,"guard":"g","answers":["review"]}}"#.to_owned()),
        (true, r#"{"hello":{"protocol":1,"guard":"g","answers":["settle"],"keeps_state":true}}"#.to_owned()),
        (false, r#"{"hello":{"protocol":1,"guard":"g"}}"#.to_owned()),
        (false, r#"{"hello":{"protocol":1,"guard":"g","answers":["judge"]}}"#.to_owned()),
        (true, r#"{"review":{"verdict":"pass"}}"#.to_owned()),
        (true, format!(r#"{{"review":{{"verdict":"pass","notices":[{note}]}}}}"#)),
        (true, format!(r#"{{"review":{{"verdict":{{"retry":{note}}}}}}}"#)),
        (true, format!(r#"{{"review":{{"verdict":{{"block":[{{"call":0,"note":{note}}}]}}}}}}"#)),
        (false, format!(r#"{{"review":{{"verdict":{{"block":[{{"call":-1,"note":{note}}}]}}}}}}"#)),
        (false, format!(r#"{{"review":{{"verdict":{{"block":{note}}}}}}}"#)),
        (false, r#"{"review":{"verdict":"retry"}}"#.to_owned()),
        (false, r#"{"review":{"verdict":"pass","notice":[]}}"#.to_owned()),
        (false, r#"{"review":{"verdict":{"retry":{"rule":"r"}}}}"#.to_owned()),
        (false, r#"{"review":"pass"}"#.to_owned()),
        (true, format!(r#"{{"settle":{{"accept":[{note}]}}}}"#)),
        (true, r#"{"settle":{"rerun":{"call":0,"after":1}}}"#.to_owned()),
        (false, r#"{"settle":{"rerun":{"call":0}}}"#.to_owned()),
        (true, r#"{"recover":null}"#.to_owned()),
        (true, r#"{"recover":{"resend":{"after":{"at_least":0,"at_most":1}}}}"#.to_owned()),
        (false, r#"{"recover":{"resend":{}}}"#.to_owned()),
        (true, r#"{"conclude":null}"#.to_owned()),
        (true, format!(r#"{{"conclude":{{"note":{note}}}}}"#)),
        (false, r#"{"conclude":{}}"#.to_owned()),
        (true, r#"{"save":{"version":1,"state":{"any":[1]}}}"#.to_owned()),
        (false, r#"{"save":{"version":"1","state":0}}"#.to_owned()),
        (true, r#"{"load":"ok"}"#.to_owned()),
        (true, r#"{"load":{"refused":"why"}}"#.to_owned()),
        (false, r#"{"load":"yes"}"#.to_owned()),
        (false, r#"{"judge":{}}"#.to_owned()),
        (false, r#"{}"#.to_owned()),
    ] {
        let json: Value = serde_json::from_str(&line).expect("it is JSON");
        assert_eq!(schemas.validate(&json, from_guard).is_ok(), good, "the schema: {line}");
        assert_eq!(serde_json::from_str::<FromGuard>(&line).is_ok(), good, "the reader: {line}");
    }
    for (good, line) in [
        (true, r#"{"begin":{"run":1}}"#),
        (true, r#"{"save":{}}"#),
        (true, r#"{"observe":{"entry":"user","from":"user","text":"hi"}}"#),
        (false, r#"{"observe":{"entry":"user","from":"nobody","text":"hi"}}"#),
        (false, r#"{"observe":{"entry":"thought","text":"hi"}}"#),
        (true, r#"{"conclude":{"end":{"limit":"turns"}}}"#),
        (true, r#"{"recover":{"failure":{"attempt":1,"cause":"timed-out"}}}"#),
        (false, r#"{"begin":{}}"#),
    ] {
        let json: Value = serde_json::from_str(line).expect("it is JSON");
        assert_eq!(schemas.validate(&json, to_guard).is_ok(), good, "the schema: {line}");
        assert_eq!(serde_json::from_str::<ToGuard>(line).is_ok(), good, "the reader: {line}");
    }
}

/// The reader of lines takes any rule, and the check of an answer only those that the schema allows.
#[test]
fn the_schema_says_what_a_rule_may_be() {
    let (schemas, [_, _, from_guard]) = schema();
    for (good, rule) in [
        (true, "third-call".to_owned()),
        (true, "é, and more".repeat(10)),
        (false, "x".repeat(201)),
        (false, "a\tb".to_owned()),
        (false, "a\nb".to_owned()),
        (false, "a\n".to_owned()),
        (false, "a\u{85}b".to_owned()),
        (false, "a\u{2028}b".to_owned()),
    ] {
        let line = json!({"conclude": {"note": {"rule": rule, "text": "t"}}});
        assert_eq!(schemas.validate(&line, from_guard).is_ok(), good, "{line}");
    }
}
