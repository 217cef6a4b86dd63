//! `balk proxy` over real sockets, between a client and a scripted provider.

mod amended;
mod breaks;
pub(crate) mod client;
mod coded;
mod followed;
mod hostile;
mod ids;
mod kept;
mod keys;
mod paid;
mod passes;
mod slow;
mod streamed;
mod ways;

use std::io::Read as _;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use balk::proxy::{Base, Bounds, Proxy, Proxying};
use balk_guards::{Repetition, Stack, Usage};
use serde_json::{Value, json};

use self::client::{Client, answers, post, proxy, proxying, says, shown};
use crate::common::server::{Script, Server};

#[test]
fn what_no_guard_changes_passes_byte_for_byte() {
    let request = r#"{ "model":"m","tools":[{"type":"function","function":{"name":"ls"}}],
        "messages" : [{"role":"user","content":"Do it.","cache_control":{"type":"ephemeral"}}],"x":1e0 }"#;
    let stream = Script::events(&[
        r#"{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":"fine"}}],"odd":  1}"#,
        r#"{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    for script in
        [answers("fine", &[]), answers("", &[("a", "ls")]), stream, Script::json(401, "{\"no\": 1}")]
    {
        let server = Server::of(vec![script]);
        let direct = post(&format!("{}/chat/completions?a=%20b", server.url()), request);
        let with = |guarded: bool, dry_run: bool| {
            let proxying = proxying(&server);
            let guards = proxying.guards.filter(|_| guarded);
            Proxy::start(Proxying { guards, dry_run, ..Proxying::new(proxying.upstream) }).expect("a port")
        };
        for proxy in [with(false, false), with(true, true), with(true, false)] {
            assert_eq!(post(&format!("{}/v1/chat/completions?a=%20b", proxy.url()), request), direct);
        }
        let sent = server.requests();
        assert_eq!(sent.len(), 4);
        for other in &sent[1..] {
            assert_eq!((&other.line, &other.body), (&sent[0].line, &sent[0].body));
            for name in ["authorization", "content-type", "content-length", "user-agent"] {
                assert_eq!(other.header(name), sent[0].header(name), "{name}");
            }
            // It is about the connection of the client.
            assert_eq!((sent[0].header("te"), other.header("te")), (Some("x"), None));
        }
    }
}

#[test]
fn a_correction_is_between_the_proxy_and_the_model() {
    let (server, proxy) =
        proxy(vec![answers("retry", &[("a", "rm")]), answers("", &[("b", "ls")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    assert_eq!(client.asks()["tool_calls"][0]["id"], "b");
    client.result("b", "files");
    assert_eq!(client.asks()["content"], "done");
    let hidden = [
        "user: Do it.",
        "assistant: retry a",
        "tool: Not run: the whole turn was refused; see below.",
        "user: Say it again.",
    ];
    let sent = server.requests();
    assert_eq!(shown(&sent[1]), hidden);
    assert_eq!(shown(&sent[2]), [&hidden[..], &["assistant:  b", "tool: files"]].concat());
    let counted = proxy.counted();
    assert_eq!((counted.turns, counted.hidden, counted.changed), (2, 1, 0));
    assert_eq!(counted.hidden_usage, Usage { input_tokens: 7, output_tokens: 3 });
    assert_eq!(counted.interventions["obeys/r/feedback"], 1);
}

#[test]
fn a_blocked_call_is_answered_by_the_proxy() {
    let (server, proxy) = proxy(vec![
        answers("block", &[("a", "rm"), ("b", "ls")]),
        answers("block", &[("c", "rm")]),
        answers("done", &[]),
    ]);
    let mut client = Client::new(&proxy);
    let message = client.asks();
    assert_eq!(
        (&message["tool_calls"][0]["id"], message["tool_calls"].as_array().map(Vec::len)),
        (&json!("b"), Some(1))
    );
    client.result("b", "files");
    // Nothing of the next answer is left to run.
    assert_eq!(client.asks()["content"], "done");
    let sent = server.requests();
    let first = ["user: Do it.", "assistant: block b,a", "tool: files", "tool: Not run: no."];
    assert_eq!(shown(&sent[1]), first);
    assert_eq!(shown(&sent[2]), [&first[..], &["assistant: block c", "tool: Not run: no."]].concat());
}

#[test]
fn a_repaired_call_is_in_the_answer() {
    let (server, proxy) = proxy(vec![answers("repair", &[]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    let message = client.asks();
    assert_eq!(message["tool_calls"][0]["function"], json!({ "name": "ls", "arguments": "{}" }));
    client.result("made", "files");
    client.asks();
    assert_eq!(shown(&server.requests()[1]), ["user: Do it.", "assistant:  made", "tool: files"]);
}

#[test]
fn a_question_is_a_message_and_the_next_words_are_its_answer() {
    let (server, proxy) = proxy(vec![answers("ask", &[("a", "rm")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    let asked = client.asks();
    assert_eq!(
        asked["content"],
        "What now?\n\n1. say what to do (in your own words)\n2. switch to another model\n\
         3. let it continue\n4. end the run"
    );
    assert_eq!(asked["tool_calls"], Value::Null);
    assert_eq!(client.usage, json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 }));
    client.user("Use ls.");
    assert_eq!(client.asks()["content"], "done");
    let last =
        ["user: Do it.", "assistant: ask a", "tool: Not run: the user is asked first.", "user: Use ls."];
    assert_eq!(shown(&server.requests()[1]), last);
    assert_eq!(proxy.told().iter().map(|it| &**it).collect::<Vec<_>>(), ["What now?"]);
}

#[test]
fn what_a_user_chooses_at_an_end_comes_before_what_the_model_is_told_then() {
    let (server, proxy) = proxy(vec![answers("gap", &[("a", "rm")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    let asked = client.asks()["content"].as_str().expect("a text").to_owned();
    assert!(asked.starts_with("It is stopped.\n\nIt lacks a tool.\n\n1. try again with only"), "{asked}");
    client.user("1");
    assert_eq!(client.asks()["content"], "done");
    let results = ["user: Do it.", "assistant: gap a", "tool: Not run: the run ends here."];
    let then = ["user: 1", "user: Only with what there is."];
    assert_eq!(shown(&server.requests()[1]), [&results[..], &then].concat());
}

#[test]
fn what_comes_after_an_end_that_the_user_chose_is_another_task() {
    let (server, proxy) = proxy(vec![answers("gap", &[("a", "rm")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    client.asks();
    client.user("2");
    client.asks();
    assert_eq!(server.requests().len(), 1);
    client.user("Then do that.");
    assert_eq!(client.asks()["content"], "done");
    let results = ["user: Do it.", "assistant: gap a", "tool: Not run: the run ends here."];
    let then = ["user: 2", "user: Then do that."];
    assert_eq!(shown(&server.requests()[1]), [&results[..], &then].concat());
}

#[test]
fn an_agent_that_answers_every_question_by_itself_is_asked_again() {
    let (server, proxy) = proxy(vec![answers("ask", &[])]);
    let mut client = Client::new(&proxy);
    let question = client.asks();
    for _ in 0..2 {
        client.user("Error: call a tool.");
        assert_eq!(client.asks(), question);
    }
    assert_eq!(server.requests().len(), 3);
    client.user("Error: call a tool.");
    assert_eq!(client.asks()["content"], question["content"]);
    assert_eq!(server.requests().len(), 3, "the model is not asked");
}

#[test]
fn what_an_agent_has_said_to_each_message_is_no_answer_to_the_first_question() {
    let (server, proxy) = proxy(vec![answers("done", &[]), answers("done", &[]), answers("ask", &[])]);
    let mut client = Client::new(&proxy);
    for _ in 0..2 {
        assert_eq!(client.asks()["content"], "done");
        client.user("Error: call a tool.");
    }
    let question = client.asks();
    client.user("Error: call a tool.");
    assert_eq!(client.asks()["content"], question["content"]);
    assert_eq!(server.requests().len(), 3, "the model is not asked");
}

#[test]
fn a_tool_that_seems_to_write_counts_as_one() {
    let (server, proxy) = proxy(vec![
        answers("effect", &[("a", "write_file")]),
        answers("effect", &[("b", "ls")]),
        answers("done", &[]),
    ]);
    Client::new(&proxy).asks();
    let told: Vec<String> =
        shown(&server.requests()[2]).into_iter().filter(|it| it.contains("It is")).collect();
    assert_eq!(told, ["user: It is Write.", "user: It is Unknown."]);
    assert_eq!(proxy.counted().guessed_to_write.into_iter().collect::<Vec<_>>(), ["write_file"]);
}

#[test]
fn a_stop_says_why_and_a_user_can_go_on() {
    let (server, proxy) = proxy(vec![answers("stop", &[("a", "rm")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    assert_eq!(client.asks()["content"], "It is stopped.");
    client.user("Go on all the same.");
    assert_eq!(client.asks()["content"], "done");
    let last = [
        "user: Do it.",
        "assistant: stop a",
        "tool: Not run: the run ends here.",
        "user: Go on all the same.",
    ];
    assert_eq!(shown(&server.requests()[1]), last);
}

#[test]
fn what_is_open_after_a_stop_is_said_once() {
    let (_server, proxy) = proxy(vec![answers("stop, open", &[("a", "rm")])]);
    assert_eq!(Client::new(&proxy).asks()["content"], "It is stopped.\n\nSomething is open.");
}

#[test]
fn a_user_who_ends_the_run_is_heard_and_the_model_is_not_asked() {
    let (server, proxy) = proxy(vec![answers("ask", &[]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    client.asks();
    client.user("4");
    assert_eq!(client.asks()["content"], "The run has ended, as you asked.");
    assert_eq!(server.requests().len(), 1);
    // What comes then is another task.
    client.user("Then do that.");
    assert_eq!(client.asks()["content"], "done");
    assert_eq!(shown(&server.requests()[1]).last().map(|it| &**it), Some("user: Then do that."));
}

#[test]
fn a_notice_is_below_the_answer_and_no_word_of_the_model() {
    let (server, proxy) =
        proxy(vec![answers("notice", &[("a", "ls")]), answers("notice", &[]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    // What is said about a turn with calls comes when they have run.
    assert_eq!(client.asks()["content"], "notice");
    client.result("a", "files");
    assert_eq!(client.asks()["content"], "notice\n\nYou should know.\n\nYou should know.");
    client.user("Thanks.");
    client.asks();
    let last = ["user: Do it.", "assistant: notice a", "tool: files", "assistant: notice", "user: Thanks."];
    assert_eq!(shown(&server.requests()[2]), last);
}

#[test]
fn what_is_open_at_an_end_is_said_once() {
    let (server, proxy) = proxy(vec![answers("open", &[])]);
    let mut client = Client::new(&proxy);
    assert_eq!(client.asks()["content"], "open\n\nSomething is open.");
    for _ in 0..2 {
        client.user("Thanks.");
        assert_eq!(client.asks()["content"], "open");
    }
    assert_eq!(proxy.counted().interventions["obeys/r/notice"], 1);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn corrections_have_a_bound_and_then_the_answer_passes() {
    let server = Server::of(vec![answers("retry", &[("a", "rm")])]);
    let bounds = Bounds { tries: 3, ..Bounds::default() };
    let proxy = Proxy::start(Proxying { bounds, ..proxying(&server) }).expect("a port is free");
    let mut client = Client::new(&proxy);
    let message = client.asks();
    assert_eq!(server.requests().len(), 3);
    assert_eq!(message["tool_calls"][0]["id"], "a");
    let text = message["content"].as_str().expect("a text");
    assert!(text.starts_with("retry") && text.ends_with("shows it as it is.)"), "{text}");
    client.result("a", "gone");
    client.asks();
    assert_eq!(shown(&server.requests()[3]), ["user: Do it.", "assistant: retry a", "tool: gone"]);
}

#[test]
fn what_fails_is_sent_again_and_a_refusal_is_passed_on() {
    let busy = Script::json(503, r#"{"error":{"message":"busy"}}"#);
    let cut = Script::with(200, "content-type: text/event-stream", "data: {\"id\":\"a\",\"choices\":[]}\n\n");
    let long = Script::with(200, "content-type: application/json\ncontent-length: 9999", "{\"id\":");
    for broken in [busy.clone(), cut, long] {
        let (server, proxy) = proxy(vec![broken, answers("done", &[])]);
        assert_eq!(Client::new(&proxy).asks()["content"], "done");
        assert_eq!(server.requests().len(), 2);
    }
    let (server, proxy) = proxy(vec![busy]);
    let got = Client::new(&proxy).send();
    assert_eq!((got.status, &*got.body), (503, r#"{"error":{"message":"busy"}}"#));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn the_tokens_of_an_empty_answer_are_hidden_if_the_model_is_asked_again() {
    let (_server, proxy) = proxy(vec![answers("", &[]), answers("", &[]), answers("done", &[])]);
    assert_eq!(Client::new(&proxy).asks()["content"], "done");
    assert_eq!(proxy.counted().hidden_usage, Usage { input_tokens: 14, output_tokens: 6 });
}

#[test]
fn a_provider_that_is_not_there_is_a_502_in_the_shape_of_its_dialect() {
    let nowhere = || Base::parse("http://127.0.0.1:9").expect("an address");
    let guards = || -> Box<balk::proxy::Guards> { Box::new(|| Stack::new(vec![])) };
    let tools = r#"[{"name":"ls","input_schema":{"type":"object"}}]"#;
    let request = format!(
        r#"{{"model":"m","max_tokens":9,"tools":{tools},"messages":[{{"role":"user","content":"a"}}]}}"#
    );
    for guards in [None, Some(guards())] {
        let proxy = Proxy::start(Proxying { guards, ..Proxying::new(nowhere()) }).expect("a port is free");
        let got = post(&format!("{}/v1/messages", proxy.url()), &request);
        assert_eq!((got.status, got.retry_after.as_deref()), (502, Some("1")), "{got:?}");
        let body: Value = serde_json::from_str(&got.body).expect("it is JSON");
        assert_eq!((&body["type"], &body["error"]["type"]), (&json!("error"), &json!("api_error")));
        let message = body["error"]["message"].as_str().expect("a message");
        assert!(message.starts_with("no connection to http://127.0.0.1:9"), "{message}");
        assert_eq!(proxy.unreached().as_deref(), Some(message));
        // The limits and ids of a provider are not the proxy's to invent.
        let own: Vec<&str> = got.headers.iter().map(|it| &**it).collect();
        assert_eq!(own, ["content-type", "retry-after"]);
    }
}

#[test]
fn a_guard_that_breaks_lets_the_answer_pass_and_is_named() {
    let (server, proxy) = proxy(vec![answers("break", &[("a", "ls")]), answers("done", &[])]);
    let mut client = Client::new(&proxy);
    assert_eq!(client.send().body, says("break", &[("a", "ls")]));
    assert_eq!(proxy.faults(), ["guard obeys: it broke"]);
    assert_eq!(proxy.faults(), [""; 0]);
    assert_eq!(proxy.counted().faults, 1);
    assert_eq!(client.asks()["content"], "done");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_is_no_loop_of_an_agent_passes() {
    let server = Server::of(vec![answers("retry", &[])]);
    let proxy = Proxy::start(proxying(&server)).expect("a port is free");
    let url = format!("{}/v1/chat/completions", proxy.url());
    for body in [r#"{"model":"m","messages":[{"role":"user","content":"A title?"}]}"#, "{not JSON"] {
        assert_eq!(post(&url, body).body, says("retry", &[]));
    }
    let searches = r#"{"model":"m","max_tokens":9,"tools":[{"type":"web_search_20250305","name":"web_search"}],
        "messages":[{"role":"user","content":"?"}]}"#;
    assert_eq!(post(&format!("{}/v1/messages", proxy.url()), searches).body, says("retry", &[]));
    assert_eq!(post(&format!("{}/v1/embeddings", proxy.url()), "{}").body, says("retry", &[]));
    let passed = [("no-tools", 2), ("other-path", 1), ("unreadable", 1)];
    assert_eq!((proxy.counted().passed, proxy.counted().turns), (passed.into(), 0));
    let unread = proxy.unread().expect("one could not be read");
    assert!(unread.starts_with("a request of OpenAi cannot be read: .: key must be a string"), "{unread}");
    let paths: Vec<String> = server.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(paths[3], "POST /v1/embeddings HTTP/1.1");
}

#[test]
fn a_dry_run_watches_and_its_log_is_a_transcript() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(vec![answers("retry", &[("a", "ls")]), answers("stop", &[])]);
    let log = Some(folder.path().to_owned());
    let proxy = Proxy::start(Proxying { dry_run: true, log, ..proxying(&server) }).expect("a port is free");
    let mut client = Client::new(&proxy);
    assert_eq!(client.asks()["tool_calls"][0]["id"], "a");
    client.result("a", "files");
    assert_eq!(client.asks()["content"], "stop");
    assert_eq!(shown(&server.requests()[1]), ["user: Do it.", "assistant: retry a", "tool: files"]);
    let counted = proxy.counted();
    assert_eq!((counted.turns, counted.hidden, counted.changed), (2, 0, 0));
    assert_eq!(counted.interventions.keys().collect::<Vec<_>>(), ["obeys/r/feedback", "obeys/r/stop"]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("it is there");
    let did = read("interventions.log");
    assert_eq!(did.lines().count(), 2, "{did}");
    assert!(did.contains(r#""dry_run":true"#) && !did.contains("Bearer"), "{did}");
    let transcript: Value = serde_json::from_str(&read("it-0.jsonl")).expect("one line of JSON");
    assert_eq!(
        (&transcript["id"], transcript["messages"].as_array().map(Vec::len)),
        (&json!("it-0"), Some(4))
    );
}

/// What follows a repair is counted in a dry run as well, if the repair leaves the calls as they are.
#[test]
fn a_dry_run_goes_on_after_a_repair_of_a_text() {
    let chant = "I will now look at the file and then I will go on. ".repeat(20);
    let server = Server::of(vec![answers(&chant, &[])]);
    let guards = || Stack::new(vec![Box::new(Repetition::default())]);
    let proxying = Proxying { guards: Some(Box::new(guards)), dry_run: true, ..proxying(&server) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    assert_eq!(Client::new(&proxy).asks()["content"], chant);
    assert_eq!(
        proxy.counted().interventions.keys().collect::<Vec<_>>(),
        ["repetition/copies-cut/repair", "repetition/repeats-itself/feedback"]
    );
}

#[test]
fn a_stream_that_is_held_is_kept_by_comments() {
    let event = r#"{"id":"a","choices":[{"index":0,"delta":{"content":"done"},"finish_reason":"stop"}]}"#;
    // The provider answers once the client has read a comment.
    let (has_read, may_answer) = mpsc::channel();
    let may_answer = Mutex::new(may_answer);
    let server = Server::new(move |_, _| {
        may_answer.lock().expect("no test panicked").recv().expect("the client reads");
        Script::events(&[event, "[DONE]"])
    });
    let bounds = Bounds { silence: Duration::ZERO, ..Bounds::default() };
    let proxy = Proxy::start(Proxying { bounds, ..proxying(&server) }).expect("a port is free");
    let body = r#"{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"ls"}}],
        "messages":[{"role":"user","content":"Do it."}]}"#;
    let url = format!("{}/v1/chat/completions", proxy.url());
    let mut response = ureq::post(&url).send(body).expect("the proxy answers");
    let mut reader = response.body_mut().as_reader();
    let mut first = [0; 8];
    reader.read_exact(&mut first).expect("a comment comes");
    assert_eq!(&first, b": held\n\n");
    has_read.send(()).expect("the provider waits");
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("the answer comes");
    assert_eq!(rest.replace(": held\n\n", ""), format!("data: {event}\n\ndata: [DONE]\n\n"));
}
