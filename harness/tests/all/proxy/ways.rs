//! Which way of a conversation a request goes on: the one it comes from, or one of its own.

use balk::proxy::{Proxy, Proxying};
use serde_json::json;

use super::client::{Client, answers, proxy, proxying, shown};
use crate::common::server::Server;

#[test]
fn forks_and_rewritten_histories_have_guards_of_their_own() {
    let (server, proxy) =
        proxy(vec![answers("retry", &[]), answers("", &[("b", "ls")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    client.asks();
    client.result("b", "files");
    client.asks();
    // A fork goes on from the same place with what the model was told there.
    client.messages.truncate(2);
    client.result("b", "other files");
    client.asks();
    let hidden = ["user: Do it.", "assistant: retry", "user: Say it again.", "assistant:  b"];
    assert_eq!(shown(&server.requests()[3]), [&hidden[..], &["tool: other files"]].concat());
    // A history that no place knows is as it is shown.
    client.messages = vec![json!({ "role": "user", "content": "A summary." })];
    client.asks();
    assert_eq!(shown(&server.requests()[4]), ["user: A summary."]);
}

#[test]
fn a_history_that_shows_what_was_not_answered_is_a_way_of_its_own() {
    let ways = |rewrites: &dyn Fn(&mut Client)| {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(vec![answers("", &[("a", "ls")]), answers("done", &[])]);
        let log = Some(folder.path().to_owned());
        let proxy = Proxy::start(Proxying { log, ..proxying(&server) }).expect("a port is free");
        let mut client = Client::new(&proxy);
        client.asks();
        rewrites(&mut client);
        client.result("a", "files");
        client.asks();
        std::fs::read_dir(folder.path()).expect("a folder").count()
    };
    assert_eq!(ways(&|_| {}), 1);
    assert_eq!(
        ways(&|it| it.messages[1]["tool_calls"][0]["function"]["name"] = "rm".into()),
        2,
        "another call"
    );
    let again = |it: &mut Client| {
        it.result("a", "files");
        it.messages.push(it.messages[1].clone());
    };
    assert_eq!(ways(&again), 2, "an answer that was not given");
}

#[test]
fn a_request_that_is_sent_again_is_no_other_conversation() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(vec![answers("", &[("a", "ls")]), answers("done", &[])]);
    let log = Some(folder.path().to_owned());
    let proxy = Proxy::start(Proxying { log, ..proxying(&server) }).expect("a port is free");
    let mut client = Client::new(&proxy);
    client.send();
    client.asks();
    client.result("a", "files");
    client.asks();
    let names = || {
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        let mut names: Vec<_> = files.map(|it| it.expect("a file").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["it-0.jsonl"]);
    // Something has gone on from this one, and is kept.
    client.messages.truncate(1);
    client.send();
    assert_eq!(names(), ["it-0.jsonl", "it-1.jsonl"]);
}
