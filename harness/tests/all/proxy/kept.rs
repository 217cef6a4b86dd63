//! What a proxy keeps of conversations has a bound: the oldest places are forgotten.

use balk::proxy::{Limits, Proxy, Proxying};
use serde_json::json;

use super::client::{Client, answers, post, proxying, says, shown};
use crate::common::server::Server;

/// Whether a proxy that may keep 1 MiB forgets a conversation once others have come.
#[track_caller]
fn check(forgets: bool, others: impl Fn(&Proxy)) {
    let server = Server::new(|nth, _| match nth {
        0 => answers("retry", &[]),
        1 => answers("", &[("b", "ls")]),
        _ => answers("done", &[]),
    });
    let limits = Limits { kept: 1 << 20, ..Limits::default() };
    let proxy = Proxy::start(Proxying { limits, ..proxying(&server) }).expect("a port is free");
    let mut client = Client::new(&proxy);
    client.asks();
    others(&proxy);
    client.result("b", "files");
    client.asks();
    let sent = server.requests();
    let hidden = shown(sent.last().expect("there are some")).contains(&"user: Say it again.".to_owned());
    assert_eq!(hidden, !forgets);
}

/// Conversations of one request, each with a tool that is described in so many bytes.
fn one_request_each(proxy: &Proxy, conversations: usize, described: usize) {
    for nth in 0..conversations {
        let text = format!("{nth} {}", "y".repeat(described));
        let tool = json!({ "type": "function", "function": { "name": "ls", "description": text } });
        let task = json!({ "role": "user", "content": "Another one." });
        let body = json!({ "model": "m", "tools": [tool], "messages": [task] });
        let url = format!("{}/c/{nth}/v1/chat/completions", proxy.url());
        assert_eq!(post(&url, &body.to_string()).body, says("done", &[]));
    }
}

#[test]
fn the_guards_of_a_conversation_count() {
    check(false, |proxy| one_request_each(proxy, 10, 0));
    check(true, |proxy| one_request_each(proxy, 100, 0));
}

#[test]
fn the_tools_of_a_conversation_count() {
    check(true, |proxy| one_request_each(proxy, 15, 100_000));
}
