//! `balk explain retry` and `balk schema` (spec R5).

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{balk, ran, whole};
use balk_reports::records::{FieldReport, Incident, Kept};
use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The incident of the field report: refused before the first byte, 16 tools on offer, 10 of them undeclared.
fn incident() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/examples/incident-503.json")
}

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// Explains this text, as a file named `it.json`.
fn explain(text: impl AsRef<[u8]>, more: &[&str]) -> (i32, String, String) {
    let folder = empty();
    fs::write(folder.path().join("it.json"), text).expect("it can be written");
    ran(&mut balk(folder.path(), &[&["explain", "retry", "it.json"], more].concat()))
}

#[test]
fn r5_the_incident_of_the_field_under_each_policy() {
    let folder = empty();
    fs::copy(incident(), folder.path().join("incident.json")).expect("it is there");
    let mut table = String::new();
    for policy in ["conservative", "fast-path", "facts"] {
        let arguments = ["explain", "retry", "incident.json", "--policy", policy];
        insta::assert_snapshot!(format!("incident_{policy}"), whole(&mut balk(folder.path(), &arguments)));
        let (_, out, _) = ran(&mut balk(folder.path(), &[&arguments[..], &["--format", "json"]].concat()));
        let said: Value = serde_json::from_str(&out).expect("it is JSON");
        let cells = ["recommendation", "reason", "missing_provenance", "tool"].map(|it| said[it].to_string());
        table += &format!("{policy}: {}\n", cells.join(" "));
    }
    let conservative =
        r#""ask_user_before_retry" "side_effect_facts_incomplete" ["side_effect.boundary_unknown"]"#;
    assert_eq!(
        table,
        format!(
            r#"conservative: {conservative} "memory_store"
fast-path: "retry_automatically" "early_transport_failure" [] null
facts: "retry_automatically" "early_transport_failure" [] null
"#
        )
    );
}

/// The same incident as the agent of the report exports it.
fn export() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/examples/incident-export.json");
    serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("it is JSON")
}

#[test]
fn r5_the_export_of_the_field_report_under_each_policy() {
    let text = export().to_string();
    let mut table = String::new();
    for policy in ["conservative", "fast-path", "facts"] {
        let (code, out, err) = explain(&text, &["--policy", policy]);
        assert_eq!((code, &*err), (0, ""));
        insta::assert_snapshot!(format!("export_{policy}"), out);
        let (_, out, _) = explain(&text, &["--policy", policy, "--format", "json"]);
        let said: Value = serde_json::from_str(&out).expect("it is JSON");
        let cells = ["recommendation", "reason", "missing_provenance", "tool"].map(|it| said[it].to_string());
        let agrees = ["retry_safety", "incident.recovery"].map(|it| said["report"][it]["agrees"].to_string());
        table += &format!("{policy}: {} | {}\n", cells.join(" "), agrees.join(" "));
        // The understood part is a report itself, with the same result, and nothing is lost.
        let (_, again, _) =
            explain(said["understood"].to_string(), &["--policy", policy, "--format", "json"]);
        let again: Value = serde_json::from_str(&again).expect("it is JSON");
        assert_eq!((&again["reason"], &again["understood"]), (&said["reason"], &said["understood"]));
        assert_eq!(said["not_used"], json!({"side_effect_facts_complete": false}));
    }
    let asks =
        r#""ask_user_before_retry" "side_effect_facts_incomplete" ["side_effect.boundary_unknown"] null"#;
    let retries = r#""retry_automatically" "early_transport_failure" [] null"#;
    assert_eq!(
        table,
        format!(
            "conservative: {asks} | false true\nfast-path: {retries} | true false\nfacts: {retries} | true false\n"
        )
    );
}

/// Its facts and its counts decide, and not the answer that it brings along.
#[test]
fn r5_the_facts_of_an_export_are_used() {
    let reason = |change: &dyn Fn(&mut Value), policy: &str| {
        let mut it = export();
        change(&mut it);
        let (code, out, err) = explain(it.to_string(), &["--policy", policy, "--format", "json"]);
        assert_eq!((code, &*err), (0, ""), "{it}");
        let said: Value = serde_json::from_str(&out).expect("it is JSON");
        said["reason"].as_str().expect("a reason").to_owned()
    };
    for (member, value, expected) in [
        ("visible_output_seen", json!(true), "visible_output_only"),
        ("provider_progress_seen", json!(true), "no_tool_executed"),
        ("unsafe_side_effect_started", json!(true), "unsafe_execution_started"),
        ("tool_execution_started", json!(true), "only_harmless_executions"),
        ("incident", Value::Null, "early_transport_failure"),
        ("side_effect_boundary_snapshot", Value::Null, "early_transport_failure"),
    ] {
        assert_eq!(reason(&|it| it[member] = value.clone(), "facts"), expected, "{member}");
    }
    let unknown = |count: u32| {
        move |it: &mut Value| it["side_effect_boundary_snapshot"]["unknown_tool_count"] = json!(count)
    };
    assert_eq!(reason(&unknown(1), "conservative"), "side_effect_facts_incomplete");
    assert_eq!(reason(&unknown(0), "conservative"), "early_transport_failure");
    let of_provider = |it: &mut Value| {
        it["side_effect_boundary_snapshot"]["provider_executed_capability_present"] = json!(true);
    };
    assert_eq!(reason(&of_provider, "facts"), "provider_executed_tool");
    let unseen = |it: &mut Value| {
        for member in ["provider_progress_seen", "tool_input_started", "tool_call_materialized"] {
            it.as_object_mut().expect("an object").remove(member);
        }
        it["tool_execution_started"] = Value::Null;
        it["unsafe_side_effect_started"] = Value::Null;
    };
    assert_eq!(reason(&unseen, "facts"), "attempt_facts_incomplete", "what is not said is not known");
}

#[test]
fn r5_a_wrong_export_is_an_error_with_its_place() {
    let error = |change: &dyn Fn(&mut Value)| {
        let mut it = export();
        change(&mut it);
        let (code, out, err) = explain(it.to_string(), &[]);
        assert_eq!((code, &*out), (3, ""), "{it}");
        err
    };
    for (change, parts) in [
        (
            (|it: &mut Value| it["classification"] = json!("tool_failure")) as fn(&mut Value),
            ["classification", "`external_stream_disconnect`", "`tool_failure`"],
        ),
        (|it| it["visible_output_seen"] = json!("no"), ["visible_output_seen", "a boolean", "string \"no\""]),
        (
            |it| it["side_effect_boundary_snapshot"]["exposed_tool_count"] = json!(-1),
            ["side_effect_boundary_snapshot.exposed_tool_count", "a whole number", "-1"],
        ),
        (
            |it| it["side_effect_boundary_snapshot"]["unknown_tool_count"] = json!(17),
            ["side_effect_boundary_snapshot.unknown_tool_count", "no more than", "17, of 16"],
        ),
        (|it| it["incident"]["recovery"] = json!([]), ["incident.recovery", "an object", "an array"]),
        (
            |it| it["incident"]["missing_provenance"] = json!("x"),
            ["incident.missing_provenance", "an array", "\"x\""],
        ),
    ] {
        let error = error(&change);
        for part in parts {
            assert!(error.contains(part), "{part} is missing in: {error}");
        }
    }
}

#[test]
fn r5_the_incident_as_json_and_from_standard_input() {
    let folder = empty();
    let arguments = ["explain", "retry", "-", "--format", "json"];
    let file = fs::File::open(incident()).expect("it is there");
    let (code, out, err) = ran(balk(folder.path(), &arguments).stdin(file));
    assert_eq!((code, &*err), (0, ""));
    let said: Value = serde_json::from_str(&out).expect("it is JSON");
    insta::assert_snapshot!("incident_json", serde_json::to_string_pretty(&said).expect("plain data"));
    // The understood part is an incident itself, with the same result.
    let (_, again, _) = explain(said["understood"].to_string(), &["--format", "json"]);
    let again: Value = serde_json::from_str(&again).expect("it is JSON");
    assert_eq!((&again["reason"], &again["understood"]), (&said["reason"], &said["understood"]));
    assert_eq!(again["not_used"], json!({}));
}

#[test]
fn r5_each_reason_is_explained() {
    const READ: &str = r#"{"name": "read", "side_effect": "read-only"}"#;
    const PAY: &str = r#"{"name": "pay now", "side_effect": "external"}"#;
    const TWINS: &str =
        r#"{"name": "x", "side_effect": "read-only"}, {"name": "x", "side_effect": "external"}"#;
    let mut shown = String::new();
    for (cause, facts, offer) in [
        (r#""cause": "status", "status": 422"#, "", PAY),
        (r#""cause": "disconnected""#, r#""started": ["pay now"]"#, PAY),
        (r#""cause": "disconnected""#, r#""started": ["x"]"#, TWINS),
        (r#""cause": "disconnected""#, r#""unsafe_side_effect_started": true"#, ""),
        (r#""cause": "timed-out""#, "", r#"{"name": "web_search", "executed_by": "provider"}"#),
        (r#""cause": "timed-out""#, "", PAY),
        (r#""cause": "connect""#, "", PAY),
        (r#""cause": "timed-out""#, r#""provider_progress": false"#, PAY),
        (r#""cause": "disconnected""#, r#""visible_output": true, "tool_input_started": false"#, PAY),
        (r#""cause": "disconnected""#, r#""provider_progress": true, "tool_execution_started": false"#, PAY),
        (r#""cause": "disconnected""#, r#""started": ["read"]"#, READ),
    ] {
        let text = format!("{{{cause}, \"facts\": {{{facts}}}, \"offer\": [{offer}]}}");
        let (code, out, err) = explain(&text, &[]);
        assert_eq!((code, &*err), (0, ""), "{text}");
        let short: Vec<&str> = out.lines().take_while(|line| !line.starts_with("cause")).collect();
        shown += &format!("{text}\n{}\n", short.join("\n"));
    }
    insta::assert_snapshot!("reasons", shown);
}

#[test]
fn r5_what_is_not_understood_is_shown_with_what_was_perhaps_meant() {
    let text = r#"{"cause": "disconnected", "status": 200, "visible_output": true, "region": "eu\u001b[31m",
        "facts": {"tool_execution_start": true, "phase": ["tls"]},
        "offer": [{"name": "read", "side_effects": "read-only"}, {"name": "fs.write"}]}"#;
    let (code, out, err) = explain(text, &[]);
    assert_eq!((code, &*err), (0, ""));
    insta::assert_snapshot!("not_understood", out);
}

#[test]
fn documents_that_are_none() {
    let folder = empty();
    fs::create_dir(folder.path().join("folder")).expect("it can be made");
    let long = format!("{{\"cause\": \"{}\", \"offer\": []}}", "x".repeat(10 << 20));
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("blank", b" \n\t\n"),
        ("binary", &[0, 159, 146, 150]),
        ("word", b"service unavailable"),
        ("array", b"[\"connect\", []]"),
        ("cut", b"{\"cause\": \"connect\",\n  \"off"),
        ("two", b"{\"cause\": \"connect\", \"offer\": []}\n{}"),
        ("no-cause", b"{\"offer\": []}"),
        ("no-offer", b"{\"cause\": \"connect\"}"),
        ("cause", b"{\"cause\": \"conect\", \"offer\": []}"),
        ("fact", b"{\"cause\": \"connect\",\n \"facts\": {\"visible_output\": \"no\"},\n \"offer\": []}"),
        (
            "effect",
            b"{\"cause\": \"connect\", \"offer\": [{\"name\": \"a\"},\n \
              {\"name\": \"b\", \"side_effect\": \"reads\"}]}",
        ),
        ("name", b"{\"cause\": \"connect\", \"offer\": [{\"side_effect\": \"write\"}]}"),
        ("twice", b"{\"cause\": \"connect\", \"cause\": \"empty\", \"offer\": []}"),
        ("status", b"{\"cause\": \"status\", \"offer\": []}"),
        ("status-200", b"{\"cause\": \"status\", \"status\": 200, \"offer\": []}"),
        ("status-big", b"{\"cause\": \"status\", \"status\": 70000, \"offer\": []}"),
        ("long", long.as_bytes()),
    ] {
        fs::write(folder.path().join(format!("{name}.json")), bytes).expect("it can be written");
    }
    let mut shown = String::new();
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|it| it.expect("a file").file_name()).collect();
    names.push("nowhere.json".into());
    names.sort();
    for name in names {
        let name = name.to_str().expect("our names");
        let (code, out, err) = ran(&mut balk(folder.path(), &["explain", "retry", name]));
        assert_eq!((code, &*out), (3, ""), "{name}: {err}");
        assert!(err.len() < 500, "{name}: {} bytes", err.len());
        shown += &err;
    }
    let (code, _, err) = ran(&mut balk(folder.path(), &["explain", "retry", "-"]));
    assert_eq!(code, 3);
    insta::assert_snapshot!("bad_documents", shown + &err);
}

#[test]
fn a_long_document_is_read_and_a_longer_one_is_not() {
    let with = |bytes: usize| {
        format!("{{\"cause\": \"connect\", \"offer\": [], \"log\": \"{}\"}}", "x".repeat(bytes))
    };
    let (code, out, _) = explain(with(10 << 20), &[]);
    assert_eq!(code, 0);
    assert!(out.len() < 2_000, "what is long is cut: {}", out.len());
    let (code, _, err) = explain(with(33 << 20), &[]);
    assert_eq!(
        (code, &*err),
        (3, "error: it.json: expected an incident of at most 32 MiB, found a longer one\n")
    );
}

#[test]
fn usage() {
    let folder = empty();
    for (name, arguments) in [
        ("explain", &["explain"][..]),
        ("retry", &["explain", "retry"]),
        ("policy", &["explain", "retry", "it.json", "--policy", "brave"]),
        ("schema", &["schema", "incidents"]),
        ("help_retry", &["explain", "retry", "--help"]),
        ("help_gap", &["explain", "gap", "--help"]),
    ] {
        insta::assert_snapshot!(format!("usage_{name}"), whole(&mut balk(folder.path(), arguments)));
    }
}

/// The printed schema of incidents.
fn schema() -> (Schemas, SchemaIndex) {
    let (code, out, err) = ran(&mut balk(empty().path(), &["schema", "incident"]));
    assert_eq!((code, &*err), (0, ""));
    let mut compiler = Compiler::new();
    compiler.enable_format_assertions();
    compiler
        .add_resource("file:///incident.json", serde_json::from_str(&out).expect("it is JSON"))
        .expect("a place of its own");
    let mut schemas = Schemas::new();
    let index = compiler.compile("file:///incident.json", &mut schemas).expect("it is a schema");
    insta::assert_snapshot!("schema_incident", out);
    (schemas, index)
}

#[test]
fn the_schema_and_the_reader_agree() {
    let (schemas, index) = schema();
    let field: Value =
        serde_json::from_str(&fs::read_to_string(incident()).expect("it is there")).expect("JSON");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut it = field.clone();
        change(&mut it);
        it
    };
    for (good, document) in [
        (true, field.clone()),
        (true, json!({"cause": "empty", "offer": []})),
        (true, json!({"cause": "connect", "facts": {}, "offer": [{"name": "a", "x": 1}], "y": {}})),
        (true, changed(&|it| it["facts"]["visible_output"] = Value::Null)),
        (true, changed(&|it| it["offer"][0]["side_effect"] = Value::Null)),
        (true, changed(&|it| it["retry_after_ms"] = json!(2_000))),
        (true, changed(&|it| it["facts"]["started"] = json!(["read_file"]))),
        (false, json!([])),
        (false, json!({"cause": "connect"})),
        (false, json!({"cause": "status", "offer": []})),
        (false, json!({"cause": "status", "status": null, "offer": []})),
        (false, changed(&|it| it["status"] = json!(200))),
        (false, changed(&|it| it["status"] = json!("503"))),
        (false, changed(&|it| it["cause"] = json!("refused"))),
        (false, changed(&|it| it["message"] = json!(7))),
        (false, changed(&|it| it["retry_after_ms"] = json!(-1))),
        (false, changed(&|it| it["facts"]["visible_output"] = json!("no"))),
        (false, changed(&|it| it["facts"]["started"] = json!("read_file"))),
        (false, changed(&|it| it["offer"][0]["side_effect"] = json!("reads"))),
        (false, changed(&|it| it["offer"][0]["executed_by"] = Value::Null)),
        (false, changed(&|it| it["offer"][0]["name"] = Value::Null)),
    ] {
        let read = serde_json::from_value::<Kept<Incident>>(document.clone())
            .ok()
            .filter(|it| it.known.failure().is_ok());
        assert_eq!(schemas.validate(&document, index).is_ok(), good, "the schema: {document}");
        assert_eq!(read.is_some(), good, "the reader: {document}");
    }
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut it = export();
        change(&mut it);
        it
    };
    for (good, document) in [
        (true, export()),
        (true, json!({"classification": "external_stream_disconnect"})),
        (true, changed(&|it| it["more"] = json!({}))),
        (true, changed(&|it| it["tool_input_started"] = Value::Null)),
        (false, changed(&|it| it["classification"] = json!("success"))),
        (false, changed(&|it| it["tool_input_started"] = json!(1))),
        (false, changed(&|it| it["side_effect_boundary_snapshot"]["unknown_tool_count"] = json!("ten"))),
        (false, changed(&|it| it["retry_safety"] = json!({}))),
        (false, changed(&|it| it["incident"]["missing_provenance"] = Value::Null)),
    ] {
        let read = serde_json::from_value::<Kept<FieldReport>>(document.clone());
        assert_eq!(schemas.validate(&document, index).is_ok(), good, "the schema: {document}");
        assert_eq!(read.is_ok(), good, "the reader: {document}");
    }
}
