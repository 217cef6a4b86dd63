//! Which way of a conversation a request goes on: the one it comes from, or one of its own.

use std::path::{Path, PathBuf};

use balk::proxy::{Proxy, Proxying};
use serde_json::{Value, json};

use super::client::{Client, answers, proxy, proxying, shown};
use crate::common::server::Server;

/// A proxy before this server with its log in this folder.
fn logged(server: &Server, folder: &Path) -> Proxy {
    let log = Some(folder.to_owned());
    Proxy::start(Proxying { log, ..proxying(server) }).expect("a port is free")
}

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
        let proxy = logged(&server, folder.path());
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
    let proxy = logged(&server, folder.path());
    let mut client = Client::new(&proxy);
    client.send();
    client.asks();
    client.result("a", "files");
    client.asks();
    let names = || ways(folder.path()).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(), ["it-0.jsonl"]);
    // Something has gone on from this one, and is kept.
    client.messages.truncate(1);
    client.send();
    assert_eq!(names(), ["it-0.jsonl", "it-1.jsonl"]);
}

/// The transcripts of a log by name: the ids of the calls and the texts of the results.
fn ways(folder: &Path) -> Vec<(String, Vec<String>)> {
    let files = std::fs::read_dir(folder).expect("a folder").map(|it| it.expect("a file").path());
    let files = files.filter(|it| it.extension().is_some_and(|it| it == "jsonl"));
    let way = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_str().expect("text").to_owned();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let transcript: Value = serde_json::from_str(&text).expect("one line of JSON");
        let messages = transcript["messages"].as_array().expect("a list");
        let calls = messages.iter().filter_map(|it| it["tool_calls"].as_array()).flatten();
        let results = messages.iter().filter(|it| it["role"] == "tool").map(|it| &it["content"]);
        let said = calls.map(|it| &it["id"]).chain(results);
        (name, said.map(|it| it.as_str().expect("text").to_owned()).collect())
    };
    let mut ways: Vec<_> = files.map(way).collect();
    ways.sort();
    ways
}

#[test]
fn sessions_with_one_task_know_nothing_of_each_other() {
    // The second session's call has a name of its own, or that of the first one's call.
    for id in ["c", "b"] {
        let (server, proxy) = proxy(vec![
            answers("retry", &[("a", "rm")]),
            answers("", &[("b", "ls")]),
            answers("done", &[]),
            answers("", &[(id, "ls")]),
            answers("done", &[]),
        ]);
        let [mut first, mut second] = [Client::new(&proxy), Client::new(&proxy)];
        for (client, id, result) in [(&mut first, "b", "a secret"), (&mut second, id, "files")] {
            client.asks();
            client.result(id, result);
            client.asks();
            client.user("Go on.");
        }
        first.asks();
        second.asks();
        let sent = server.requests();
        let own = ["user: Do it.", &format!("assistant:  {id}"), "tool: files"];
        assert_eq!(shown(&sent[4]), own);
        assert_eq!(shown(&sent[6]), [&own[..], &["assistant: done", "user: Go on."]].concat());
        let hidden = "assistant: retry a";
        assert_eq!((shown(&sent[2])[1].as_str(), shown(&sent[5])[1].as_str()), (hidden, hidden));
    }
}

#[test]
fn sessions_that_take_turns_have_guards_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let scripts = ["a", "b", "c", "d"].map(|id| answers("", &[(id, "ls")]));
    let server = Server::of([&scripts[..], &[answers("done", &[])]].concat());
    let proxy = logged(&server, folder.path());
    let mut clients = [Client::new(&proxy), Client::new(&proxy)];
    for (turn, results) in [["one", "two"], ["one", "two"], ["three", "three"]].into_iter().enumerate() {
        for (client, result) in clients.iter_mut().zip(results) {
            let message = client.asks();
            if turn < 2 {
                client.result(message["tool_calls"][0]["id"].as_str().expect("an id"), result);
            }
        }
    }
    let ways: Vec<String> = ways(folder.path()).into_iter().map(|(_, way)| way.join(" ")).collect();
    assert_eq!(ways, ["b d two two", "a c one one"]);
}

#[test]
fn sessions_whose_calls_have_the_same_names_are_not_mixed_though_they_cut_old_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::new(|_, request| {
        let turn = request.body.matches(r#""role":"tool""#).count();
        answers("", &[(&format!("call_{turn}"), "ls")])
    });
    let proxy = logged(&server, folder.path());
    let mut clients = [Client::new(&proxy), Client::new(&proxy), Client::new(&proxy)];
    for turn in 0..6 {
        for (client, who) in clients.iter_mut().zip(["one", "two", "three"]) {
            client.asks();
            client.result(&format!("call_{turn}"), &format!("{who} {turn}"));
            let old = client.messages.len() - 3;
            if turn > 1 {
                let results = client.messages[..old].iter_mut().filter(|it| it["role"] == "tool");
                results.for_each(|it| it["content"] = "(cut)".into());
            }
        }
    }
    let ways = ways(folder.path());
    for (name, way) in &ways {
        let who = |who: &&str| way.iter().any(|it| it.starts_with(*who));
        assert!(["one", "two", "three"].iter().filter(|it| who(it)).count() < 2, "{name}: {way:?}");
    }
    // One that shows what it showed before goes on.
    let whole = ways.iter().filter(|(_, way)| way.len() >= 11);
    assert_eq!(whole.count(), 3, "{ways:?}");
}

#[test]
fn a_history_is_what_it_shows_whatever_was_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(vec![answers("", &[("a", "ls")]), answers("done", &[])]);
    let proxy = logged(&server, folder.path());
    let mut client = Client::new(&proxy);
    client.asks();
    client.messages[1]["tool_calls"][0]["function"]["name"] = "rm".into();
    client.messages[1]["tool_calls"][0]["id"] = "b".into();
    client.result("b", "gone");
    for _ in 0..2 {
        client.send();
        assert_eq!(
            ways(folder.path())[1],
            ("it-1.jsonl".to_owned(), vec!["b".to_owned(), "gone".to_owned()])
        );
    }
}

#[test]
fn an_agent_that_cuts_old_results_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(vec![
        answers("retry", &[]),
        answers("", &[("a", "ls")]),
        answers("", &[("b", "ls")]),
        answers("done", &[]),
    ]);
    let proxy = logged(&server, folder.path());
    let mut client = Client::new(&proxy);
    client.asks();
    client.result("a", "files");
    client.asks();
    client.messages[2]["content"] = "(cut)".into();
    client.result("b", "files");
    client.asks();
    let way = vec!["a", "b", "files", "files"].into_iter().map(str::to_owned).collect();
    assert_eq!(ways(folder.path()), [("it-0.jsonl".to_owned(), way)]);
    assert_eq!(shown(&server.requests()[3])[1], "assistant: retry");
}

#[test]
fn a_log_keeps_what_an_earlier_proxy_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    for (nth, id) in ["a", "b"].into_iter().enumerate() {
        let server = Server::of(vec![answers("", &[(id, "ls")])]);
        let proxy = logged(&server, folder.path());
        Client::new(&proxy).asks();
        let names: Vec<_> = ["a", "b"].into_iter().enumerate().take(nth + 1).collect();
        let way = |(nth, id)| (format!("it-{nth}.jsonl"), vec![String::from(id)]);
        assert_eq!(ways(folder.path()), names.into_iter().map(way).collect::<Vec<_>>());
    }
}

#[test]
fn no_client_gets_into_the_conversation_of_another_key() {
    for rewrites in [false, true] {
        let (server, proxy) = proxy(vec![
            answers("retry", &[("a", "rm")]),
            answers("", &[("b", "ls")]),
            answers("ask", &[]),
            answers("done", &[]),
        ]);
        let mut client = Client::new(&proxy);
        client.asks();
        client.result("b", "files");
        client.asks();
        client.user("4");
        client.key = "other".into();
        if rewrites {
            // What is found by the bytes of its beginning is not this one.
            client.messages[0]["name"] = "me".into();
        }
        assert_eq!(client.asks()["content"], "done");
        let question = client.messages[3]["content"].as_str().expect("a text");
        let shown_then = ["user: Do it.", "assistant:  b", "tool: files"].map(str::to_owned);
        let then = [format!("assistant: {question}"), "user: 4".to_owned()];
        assert_eq!(shown(&server.requests()[3]), [&shown_then[..], &then].concat());
    }
}
