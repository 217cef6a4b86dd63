//! Which conversation a request belongs to, what it may have, and what is told about it.

use std::sync::atomic::Ordering;

use balk::serve::{Limits, Serve};
use balk_guards::wire::Dialect;
use serde_json::{Value, json};

use super::client::{Agent, TOOLS, get, opening, path, plain, send, serving, start, steps, told};
use crate::serve::client::Got;

#[test]
fn conversations_are_apart_by_path_header_and_key() {
    let server = start(serving(vec![plain("")]));
    let ask = |path: &str, headers: &[(&str, &str)]| {
        let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
        send(&server, "POST", path, headers, body.as_bytes()).fine();
    };
    let url = path(Dialect::OpenAi, false);
    ask(&format!("/c/one{url}"), &[("authorization", "Bearer a")]);
    ask(&format!("/c/one{url}"), &[("authorization", "Bearer b")]);
    ask(url, &[("x-balk-conversation", "two"), ("authorization", "Bearer a")]);
    ask(url, &[("authorization", "Bearer a")]);
    ask(url, &[("x-api-key", "a")]);
    ask(url, &[("x-goog-api-key", "b")]);
    ask(&format!("{url}?key=b"), &[]);
    ask(url, &[]);
    let names = get(&server, "/_balk/").json()["conversations"].clone();
    let names: Vec<&str> =
        names.as_array().expect("a list").iter().map(|it| it.as_str().expect("a name")).collect();
    let requests: Vec<u64> = names.iter().map(|it| told(&server, it).verdict.requests).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!([names[0], names[3], names[4]], ["default", "one", "two"]);
    assert!(names[1].starts_with("key-") && names[2].starts_with("key-"), "{names:?}");
    assert_eq!(requests, [1, 2, 2, 2, 1]);
}

#[test]
fn a_suite_plays_what_the_name_says() {
    let read = |name: &str| {
        balk_scenarios::catalogue::find(name).expect("it is listed").read(&[]).expect("it is good")
    };
    let server = start(serving(vec![read("repeating"), read("text-only")]));
    let ask = |name: &str| {
        let path = format!("/c/{name}{}", path(Dialect::Anthropic, false));
        let mut tools = TOOLS.to_vec();
        tools.push(("finish", &["summary"]));
        let body = opening(Dialect::Anthropic, false, &tools).to_string();
        send(&server, "POST", &path, &[], body.as_bytes())
    };
    for (name, scenario, seed) in [
        ("repeating", "repeating", "7"),
        ("repeating:12", "repeating", "12"),
        ("repeating:12:second", "repeating", "12"),
        ("text-only:x", "text-only", "7"),
        ("text%2Donly:3", "text-only", "3"),
    ] {
        ask(name).fine();
        let verdict = told(&server, &name.replace("%2D", "-")).verdict;
        assert_eq!((&*verdict.scenario, &*verdict.seed), (scenario, seed), "{name}");
    }
    let unknown = ask("unheard-of");
    assert_eq!(unknown.status, 404);
    let message = unknown.error(Dialect::Anthropic);
    assert!(message.contains("one of repeating, text-only"), "{message}");
}

#[test]
fn tools_that_cannot_play_are_refused_in_every_shape() {
    let server = start(serving(vec![plain("")]));
    for (at, dialect) in Dialect::ALL.into_iter().enumerate() {
        for stream in [false, true] {
            let body = opening(dialect, stream, &[("paint", &["colour"])]).to_string();
            let path = format!("/c/{dialect:?}{}", path(dialect, stream));
            let refused = send(&server, "POST", &path, &[], body.as_bytes());
            assert_eq!(refused.status, 400, "{refused:?}");
            let message = refused.error(dialect);
            assert!(message.contains("shell") && message.contains("paint"), "{message}");
            // The next request may bring others.
        }
        assert_eq!(server.answered(), at as u64);
        let body = opening(dialect, false, TOOLS).to_string();
        let path = format!("/c/{dialect:?}{}", path(dialect, false));
        send(&server, "POST", &path, &[], body.as_bytes()).fine();
    }
}

#[test]
fn a_conversation_has_so_many_requests() {
    let server = start(Serve { max_requests: Some(2), ..serving(vec![plain("")]) });
    let bound = server.bound();
    for dialect in Dialect::ALL {
        let body = opening(dialect, false, TOOLS).to_string();
        let path = format!("/c/{dialect:?}{}", path(dialect, false));
        let ask = || send(&server, "POST", &path, &[], body.as_bytes());
        ask().fine();
        ask().fine();
        assert_eq!(bound.load(Ordering::Relaxed), dialect != Dialect::ALL[0], "{dialect:?}");
        let refused = ask();
        assert_eq!((refused.status, refused.header("retry-after")), (403, None));
        assert!(refused.error(dialect).contains("2 requests"), "{refused:?}");
        assert!(bound.load(Ordering::Relaxed));
        assert_eq!(told(&server, &format!("{dialect:?}")).verdict.requests, 2);
    }
    assert_eq!(server.answered(), 2 * 4, "those that were refused are not counted");
}

#[test]
fn the_control_endpoints_tell_what_happened() {
    let server = start(serving(vec![plain("")]));
    let list = |got: Got| got.fine()["conversations"].clone();
    assert_eq!(list(get(&server, "/_balk")), json!([]));
    assert_eq!(get(&server, "/_balk/state").status, 404);
    let mut agent = Agent::new(&server, "mine");
    agent.asks();
    agent.answers("Notes.");
    agent.asks();
    // The only conversation needs no name.
    for base in ["/c/mine/_balk", "/_balk"] {
        let state = get(&server, &format!("{base}/state")).fine();
        assert_eq!(state, json!({ "requests": 2, "place": { "state": "write", "visit": 1 } }));
        let transcript = get(&server, &format!("{base}/transcript"));
        assert_eq!(transcript.header("content-type"), Some("application/jsonl"));
        let steps: Vec<Value> =
            transcript.body.lines().map(|it| serde_json::from_str(it).expect("a line of JSON")).collect();
        assert_eq!(
            steps.iter().map(|it| it["step"].as_str()).collect::<Vec<_>>(),
            [Some("opened"), Some("act"), Some("result"), Some("act")]
        );
        let verdict = get(&server, &format!("{base}/verdict")).fine();
        let expected = json!({
            "scenario": "plain", "seed": "7", "goal": false, "stuck": false, "recovered": false, "told": null,
            "requests": 2, "interventions": 0, "identical_calls": 1,
        });
        assert_eq!(verdict, expected);
    }
    assert_eq!(get(&server, "/c/other/_balk/state").status, 404);
    assert_eq!(get(&server, "/_balk/reset").status, 405);
    assert_eq!(send(&server, "POST", "/_balk/reset", &[], b"").fine(), json!({ "reset": true }));
    assert_eq!(get(&server, "/c/mine/_balk/state").status, 404);
    assert_eq!(list(get(&server, "/_balk")), json!([]));
    // The same history is new to it.
    agent.messages().truncate(1);
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine"), ["look 1.1"]);
}

#[test]
fn a_model_is_what_the_list_of_models_says() {
    let server = start(serving(vec![plain("")]));
    for (base, all, headers) in [
        ("/v1", "data", &[][..]),
        ("/v1", "data", &[("anthropic-version", "2023-06-01")]),
        ("/v1beta", "models", &[]),
    ] {
        let get = |path: &str| send(&server, "GET", &format!("{base}/models{path}"), headers, b"");
        assert_eq!(get("/balk-actor").fine(), get("").fine()[all][0], "{base} {headers:?}");
        let other = get("/other");
        assert!(other.status == 404 && other.body.contains("expected `balk-actor`"), "{other:?}");
    }
}

#[test]
fn a_log_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let server = start(Serve { log: Some(log.clone()), ..serving(vec![plain("")]) });
    let mut agent = Agent::new(&server, "mine");
    agent.asks();
    assert_eq!(server.unlogged(), None);
    std::fs::remove_dir_all(&log).expect("it is there");
    agent.answers("Notes.");
    agent.asks();
    let (file, why) = server.unlogged().expect("its folder is gone");
    assert_eq!(file, log.join("mine.jsonl"));
    assert!(!why.is_empty());
    assert!(told(&server, "mine").steps.len() > 2, "the steps are kept all the same");
}

#[test]
fn every_conversation_has_a_log_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = Some(folder.path().join("log"));
    let server = start(Serve { log, ..serving(vec![plain("")]) });
    let names = ["mine", "plain:3", "a%2Fb", "a_b", "a%20b", "..%2F..%2Fup", "caf%C3%A9"];
    for name in names {
        let mut agent = Agent::new(&server, name);
        agent.asks();
        agent.answers("Notes.");
        agent.asks();
    }
    send(&server, "POST", "/c/mine/_balk/reset", &[], b"").fine();
    Agent::new(&server, "mine").asks();
    let files = std::fs::read_dir(folder.path().join("log")).expect("a folder");
    let mut files: Vec<(String, usize)> = files
        .map(|it| it.expect("a file").path())
        .map(|it| {
            let lines = std::fs::read_to_string(&it).expect("a text").lines().count();
            (it.file_name().expect("a name").to_string_lossy().into_owned(), lines)
        })
        .collect();
    files.sort();
    assert_eq!(files.len(), names.len(), "{files:?}");
    assert!(files.contains(&("plain.3.jsonl".to_owned(), 4)), "{files:?}");
    assert!(files.contains(&("mine.jsonl".to_owned(), 6)), "{files:?}");
    assert!(files.iter().all(|(name, lines)| *lines == 4 || name == "mine.jsonl"), "{files:?}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_world_counts_as_often_as_it_is_kept() {
    let limits = Limits { kept: 8 << 20, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let mut agent = Agent::new(&server, "mine");
    agent.sends().fine();
    let wrote = |at: usize, content: &str| {
        let arguments = json!({ "path": format!("{at}.txt"), "content": content }).to_string();
        let function = json!({ "name": "write_file", "arguments": arguments });
        let call = json!({ "id": format!("c{at}"), "type": "function", "function": function });
        let result = json!({ "role": "tool", "tool_call_id": format!("c{at}"), "content": "ok" });
        [json!({ "role": "assistant", "content": null, "tool_calls": [call] }), result]
    };
    // One file is long; each that comes beside it is another world.
    let refused = (0..20).position(|at| {
        let before = agent.messages().len();
        agent.messages().extend(wrote(at, &"x".repeat(if at == 0 { 1 << 20 } else { 1 })));
        let status = agent.sends().status;
        // The agent cuts what it wrote.
        agent.messages().truncate(before);
        agent.messages().extend(wrote(at, ""));
        status == 403
    });
    assert!(refused.is_some_and(|it| (6..=8).contains(&it)), "{refused:?}");
}

#[test]
fn a_conversation_that_is_reset_leaves_its_room_to_others() {
    let limits = Limits { kept: 1 << 20, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let control = |name: &str, what: &str| {
        let got = send(&server, "POST", &format!("/c/{name}/_balk/{what}"), &[], b"");
        got.status
    };
    for round in 0..3 {
        let name = |at: usize| format!("r{round}-{at}");
        let begun = (0..1_000).position(|at| control(&name(at), "begin") == 403);
        assert_eq!(begun, Some(63), "round {round}");
        for at in 0..63 {
            assert_eq!(control(&name(at), "reset"), 200);
        }
        assert_eq!(get(&server, "/_balk").fine()["conversations"], json!([]));
        assert_eq!(control(&name(0), "reset"), 404, "it is forgotten");
    }
}
