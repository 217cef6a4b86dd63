//! An answer that was paid for: its agent gets it where asking again fails, and else its tokens are counted.

use balk::proxy::{Bounds, Proxy, Proxying};
use balk_guards::{Answer, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Stack, Usage, Wait};

use super::client::{Client, Obeys, answers, proxy, proxying, shown};
use crate::common::server::{Script, Server};

fn busy() -> Script {
    Script::json(503, r#"{"error":{"message":"busy"}}"#)
}

/// The agent gets the answer that was corrected, after so many requests, and goes on from it.
#[track_caller]
fn passes(server: &Server, proxy: &Proxy, asked: usize) {
    let mut client = Client::new(proxy);
    let message = client.asks();
    assert_eq!(server.requests().len(), asked);
    assert_eq!(message["tool_calls"][0]["id"], "a");
    let text = message["content"].as_str().expect("a text");
    assert!(text.starts_with("retry") && text.ends_with("shows it as it is.)"), "{text}");
    let counted = proxy.counted();
    assert_eq!((counted.failed, counted.hidden_usage), (0, Usage::default()));
    client.result("a", "gone");
    client.asks();
    assert_eq!(shown(&server.requests()[asked]), ["user: Do it.", "assistant: retry a", "tool: gone"]);
}

fn corrected(failures: usize) -> Server {
    let mut scripts = vec![answers("retry", &[("a", "rm")])];
    scripts.extend(vec![busy(); failures]);
    scripts.push(answers("done", &[]));
    Server::of(scripts)
}

#[test]
fn the_last_answer_passes_where_no_guard_asks_again_after_a_failure() {
    let server = corrected(3);
    let proxy = Proxy::start(proxying(&server)).expect("a port is free");
    passes(&server, &proxy, 4);
}

#[test]
fn the_last_answer_passes_where_the_model_may_not_be_asked_once_more() {
    let server = corrected(1);
    let bounds = Bounds { tries: 2, ..Bounds::default() };
    let proxy = Proxy::start(Proxying { bounds, ..proxying(&server) }).expect("a port is free");
    passes(&server, &proxy, 2);
}

/// A guard that wants to wait for longer than any request may take.
#[derive(Default)]
struct Waits(Obeys);

impl Guard for Waits {
    fn name(&self) -> &'static str {
        "waits"
    }

    fn observe(&mut self, entry: &Entry) {
        self.0.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.0.review(completion)
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(Some(Recovery::resend(Wait::exactly(u64::MAX))))
    }
}

#[test]
fn the_last_answer_passes_where_a_wait_is_too_long() {
    let server = corrected(1);
    let guards = || Stack::new(vec![Box::new(Waits::default())]);
    let proxying = Proxying { guards: Some(Box::new(guards)), ..proxying(&server) };
    passes(&server, &Proxy::start(proxying).expect("a port is free"), 2);
}

#[test]
fn the_tokens_of_an_answer_behind_which_something_else_came_are_counted() {
    let page = Script::with(200, "content-type: text/html", "<html>Log in.</html>");
    let (_server, proxy) = proxy(vec![answers("retry", &[]), page]);
    assert_eq!(Client::new(&proxy).send().body, "<html>Log in.</html>");
    let counted = proxy.counted();
    assert_eq!(counted.passed, [("unreadable-answer", 1)].into());
    assert_eq!(counted.hidden_usage, Usage { input_tokens: 7, output_tokens: 3 });
}
