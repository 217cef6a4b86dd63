//! The key of a client is in no file and no count, even if the provider quotes it.

use balk::guards::{Config, Recipe, Registry};
use balk::proxy::{Base, Proxy, Proxying};
use serde_json::json;

use super::client::{answers, post_with, proxy};
use crate::common::server::{Script, Server};

const KEY: &str = "sk-verysecretkey";

/// All that a proxy writes and says when its provider answers this to two requests.
fn written(script: Script) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(vec![script]);
    let recipe = Recipe::new(&Registry::standard(), "default", &Config::default()).expect("it is known");
    let guards = move || recipe.stack(&Default::default());
    let log = Some(folder.path().to_owned());
    let upstream = Base::parse(&server.url()).expect("an address");
    let proxying = Proxying { guards: Some(Box::new(guards)), log, ..Proxying::new(upstream) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    let tool = json!({ "type": "function", "function": { "name": "ls" } });
    let task = json!({ "role": "user", "content": format!("My key is {KEY}.") });
    let body = json!({ "model": "m", "tools": [tool], "messages": [task] }).to_string();
    for name in ["it", KEY] {
        post_with(KEY, &format!("{}/c/{name}/v1/chat/completions", proxy.url()), &body);
    }
    let files = std::fs::read_dir(folder.path()).expect("a folder").map(|it| it.expect("a file").path());
    let files = files.map(|it| format!("{it:?} {}", std::fs::read_to_string(&it).expect("it is text")));
    let counted = serde_json::to_string(&proxy.counted()).expect("it is JSON");
    files.chain([counted, proxy.told().concat(), proxy.faults().concat()]).collect()
}

#[test]
fn a_key_that_a_provider_quotes_is_written_nowhere() {
    let wrong = |before: &str| {
        let said = format!("{before} key provided: Bearer {KEY}");
        Script::json(401, &json!({ "error": { "message": said, "code": "invalid_api_key" } }).to_string())
    };
    // A text of a failure has 200 characters.
    let cut = "x".repeat(200 - " key provided: Bearer ".len() - 12);
    for (script, quotes) in [
        (wrong("Incorrect API"), true),
        (wrong(&cut), true),
        (Script::json(200, &super::client::says(&format!("It is {KEY}."), &[])), false),
    ] {
        let written = written(script);
        assert!(!written.contains(&KEY[..8]), "{written}");
        assert!(written.contains("[key]") && (!quotes || written.contains("key provided")), "{written}");
    }
}

#[test]
fn guards_do_not_see_a_request_with_many_keys() {
    // One is in a header.
    for (more, counts) in [(7, None), (8, Some("many-keys"))] {
        let (_server, proxy) = proxy(vec![answers("done", &[])]);
        let tool = json!({ "type": "function", "function": { "name": "ls" } });
        let task = json!({ "role": "user", "content": "Do it." });
        let body = json!({ "model": "m", "tools": [tool], "messages": [task] }).to_string();
        let query = vec!["key=x"; more].join("&");
        post_with(KEY, &format!("{}/v1/chat/completions?{query}", proxy.url()), &body);
        let passed: Vec<&str> = proxy.counted().passed.into_keys().collect();
        assert_eq!(passed, counts.into_iter().collect::<Vec<_>>(), "{more}");
    }
}
