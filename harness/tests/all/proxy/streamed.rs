//! Streams of which a part is passed on while the rest is held back.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use balk::proxy::{Base, Bounds, Proxy, Proxying};
use balk_guards::wire::{Answering, Asking, Dialect, Failure, FailureKind};
use balk_guards::{
    Answer, Blocked, Choice, Completion, Decision, Entry, FinishReason, Guard, Offer, Part, Protocol,
    Question, RawCall, Recovery, Repair, Sight, Speaker, Stack, Start, Tool, Usage, UserMessage, Verdict,
    View, Wait,
};

use super::client::note;
use crate::common::path_of;
use crate::common::server::{Script, Server};

/// A guard that does what the first call says, and sees nothing but calls.
pub(super) struct ObeysCalls(pub(super) Sight);

impl Guard for ObeysCalls {
    fn name(&self) -> &'static str {
        "obeys"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let verdict = match completion.calls.first().map_or("", |it| &it.tool) {
            "block" => Verdict::Block(vec![Blocked { call: 0, note: note("no.") }]),
            "retry" => Verdict::Retry(note("Say it again.")),
            "stop" => Verdict::Stop(note("It is stopped.")),
            "ask" => {
                let options = Choice::for_stuck("say what to do", true);
                Verdict::Ask(Question { note: note("What now?"), options })
            }
            "repair" => {
                let completion = Completion { parts: completion.parts.clone(), ..said("", &["ls"]) };
                Verdict::Repair(Repair { note: note("made"), completion: completion.into() })
            }
            "notice" => {
                return Ok(Decision { notices: vec![note("You should know.")], ..Decision::pass() });
            }
            _ => Verdict::Pass,
        };
        Ok(verdict.into())
    }

    fn recover(&self, _: &balk_guards::AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(Some(Recovery::resend(Wait::exactly(0))))
    }

    fn must_see(&self) -> Sight {
        self.0
    }
}

pub(super) fn said(text: &str, calls: &[&str]) -> Completion {
    let call =
        |it: &&str| RawCall { id: format!("id-{it}").into(), tool: (*it).into(), arguments: "{}".into() };
    let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall };
    let usage = Usage { input_tokens: 3, output_tokens: 5 };
    Completion::new([Part::Text(text.into())], calls.iter().map(call), finish, usage, &offer())
}

pub(super) fn offer() -> Offer {
    let names = ["ls", "block", "retry", "stop", "ask", "repair", "notice"];
    Offer::new(names.map(Tool::new))
}

/// The events of an answer in two parts: up to its first call, and from there on.
pub(super) fn stream(dialect: Dialect, said: &Completion) -> (String, String) {
    stream_of(dialect, said, "resp_1")
}

fn stream_of(dialect: Dialect, said: &Completion, id: &str) -> (String, String) {
    let events = dialect.events(said, &Answering::of(id, "m"));
    let events: Vec<String> = events.iter().map(ToString::to_string).collect();
    let mut reader = dialect.stream();
    let is_text = |it: &&String| {
        reader.feed(it.as_bytes());
        !reader.has_call()
    };
    let texts = events.iter().take_while(is_text).count();
    (events[..texts].concat(), events[texts..].concat())
}

const STREAM: &str = "content-type: text/event-stream";

pub(super) fn answer(dialect: Dialect, completion: &Completion) -> Script {
    let (text, calls) = stream(dialect, completion);
    Script::with(200, STREAM, &(text + &calls))
}

fn proxy(sight: Sight, server: &Server) -> Proxy {
    let guards = move || Stack::new(vec![Box::new(ObeysCalls(sight))]);
    let upstream = Base::parse(&server.url()).expect("an address");
    let proxying = Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) };
    Proxy::start(proxying).expect("a port is free")
}

pub(super) fn view() -> View {
    let start = Start { model: "m".into(), protocol: Protocol::Tool, offer: Arc::new(offer()) };
    View::of(&[Entry::Start(start), Entry::User(UserMessage { from: Speaker::User, text: "Do it.".into() })])
}

/// The body of the answer; what came of it, if the connection broke.
fn ask(proxy: &Proxy, dialect: Dialect, view: &View) -> impl std::io::Read + use<> {
    let request = dialect.request(view, &Asking { stream: true, ..Asking::of("m") });
    let url = format!("{}/{}", proxy.url(), path_of(dialect, true));
    let http =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(20))).build().new_agent();
    let post = http.post(&url).header("content-type", "application/json").header("authorization", "Bearer k");
    let response = post.send(request);
    response.expect("the proxy answers").into_body().into_reader()
}

fn read(mut from: impl std::io::Read) -> String {
    let mut bytes = Vec::new();
    // What came before the connection broke.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8(bytes).expect("it is text")
}

#[test]
fn text_is_passed_on_before_its_answer_has_ended() {
    for (dialect, sight) in Dialect::ALL.into_iter().flat_map(|it| [(it, Sight::Nothing), (it, Sight::Calls)])
    {
        let (text, calls) = stream(dialect, &said("I look.", &["ls"]));
        let (has_read, may_go_on) = mpsc::channel::<()>();
        let may_go_on = Mutex::new(Some(may_go_on));
        let (text_sent, calls_sent) = (text.clone(), calls.clone());
        let server = Server::new(move |_, _| {
            let may_go_on = may_go_on.lock().expect("no test panicked").take().expect("one request");
            let head = format!("HTTP/1.1 200 Said\r\nconnection: close\r\n{STREAM}\r\n\r\n{text_sent}");
            Script::raw(head).then(may_go_on, calls_sent.clone())
        });
        let proxy = self::proxy(sight, &server);
        let mut body = ask(&proxy, dialect, &view());
        let mut first = vec![0; text.len()];
        // The provider says no more until this has come.
        body.read_exact(&mut first).expect("the text comes");
        assert_eq!(String::from_utf8_lossy(&first), text, "{dialect:?}");
        has_read.send(()).expect("the provider waits");
        assert_eq!(read(body), calls, "{dialect:?}");
    }
}

/// A provider can keep a body open behind its answer, and a client can go away once it has that.
#[test]
fn a_turn_is_kept_when_its_client_has_the_answer() {
    let sights =
        [(Sight::Nothing, false), (Sight::Calls, false), (Sight::Whole, false), (Sight::Whole, true)];
    // A stream of Gemini has no end but that of its body.
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Responses] {
        for (sight, dry_run) in sights {
            let (text, calls) = stream(dialect, &said("I look.", &["ls"]));
            let whole = text + &calls;
            let server = Server::of(vec![Script::with(200, STREAM, &whole).hang()]);
            let guards = move || Stack::new(vec![Box::new(ObeysCalls(sight))]);
            let upstream = Base::parse(&server.url()).expect("an address");
            let proxying = Proxying { guards: Some(Box::new(guards)), dry_run, ..Proxying::new(upstream) };
            let proxy = Proxy::start(proxying).expect("a port is free");
            let mut body = ask(&proxy, dialect, &view());
            let mut came = vec![0; whole.len()];
            body.read_exact(&mut came).expect("the answer comes");
            assert_eq!(String::from_utf8_lossy(&came), whole, "{dialect:?} {sight:?}");
            drop(body);
            assert_eq!(proxy.counted().turns, 1, "{dialect:?} {sight:?} {dry_run}");
        }
    }
}

#[test]
fn an_objection_goes_on_below_the_text() {
    let question = "What now?\n\n1. say what to do (in your own words)\n\
                    2. switch to another model\n3. let it continue\n4. end the run";
    for dialect in Dialect::ALL {
        for (calls, text, left) in [
            (&["block", "ls"][..], "I look.", &["ls"][..]),
            (&["retry"], "I look.\n\nDone.", &[]),
            (&["ask"], &format!("I look.\n\n{question}"), &[]),
            (&["stop"], "I look.\n\nIt is stopped.", &[]),
            (&["repair"], "I look.", &["ls"]),
        ] {
            let at = format!("{dialect:?} {}", calls[0]);
            let first = said("I look.", calls);
            let (done, end) = stream_of(dialect, &said("Done.", &[]), "resp_2");
            let second = Script::with(200, STREAM, &(done + &end));
            let server = Server::of(vec![answer(dialect, &first), second]);
            let proxy = self::proxy(Sight::Calls, &server);
            let body = read(ask(&proxy, dialect, &view()));
            assert!(body.starts_with(&stream(dialect, &first).0), "{at}: {body}");
            let mut reader = dialect.stream();
            reader.feed(body.as_bytes());
            let read = reader.finish(&offer()).unwrap_or_else(|why| panic!("{at}: {why}\n{body}"));
            let called: Vec<&str> = read.calls.iter().map(|it| &*it.tool).collect();
            assert_eq!(
                (read.texts().map(|it| &**it).collect::<String>(), called),
                (text.into(), left.to_vec()),
                "{at}"
            );
            check_numbers(dialect, &body);
        }
    }
}

/// Blocks and items come one after another, and so do the numbers of events.
fn check_numbers(dialect: Dialect, body: &str) {
    let (mut blocks, mut number, mut items) = (0, 0, BTreeSet::new());
    for data in body.lines().filter_map(|it| it.strip_prefix("data: ")) {
        let Ok(event) = serde_json::from_str::<serde_json::Value>(data) else { continue };
        let kind = event["type"].as_str().unwrap_or_default();
        if ["content_block_start", "response.output_item.added"].contains(&kind) {
            let at = if dialect == Dialect::Anthropic { &event["index"] } else { &event["output_index"] };
            assert_eq!(*at, blocks, "{body}");
            blocks += 1;
            assert!(dialect == Dialect::Anthropic || items.insert(event["item"]["id"].to_string()), "{body}");
        }
        if dialect == Dialect::Responses {
            assert_eq!(event["sequence_number"], number, "{body}");
            number += 1;
        }
        if kind == "response.completed" {
            assert_eq!(event["response"]["id"], "resp_1", "{body}");
            assert_eq!(event["response"]["output"].as_array().map(Vec::len), Some(blocks), "{body}");
        }
    }
}

#[test]
fn the_model_is_shown_its_own_answers() {
    let dialect = Dialect::OpenAi;
    let server = Server::of(
        [said("I look.", &["retry"]), said("Now.", &["ls"]), said("Done.", &[])]
            .map(|it| answer(dialect, &it))
            .into(),
    );
    let proxy = self::proxy(Sight::Calls, &server);
    let mut view = view();
    let mut reader = dialect.stream();
    reader.feed(read(ask(&proxy, dialect, &view)).as_bytes());
    let shown = Arc::new(reader.finish(&offer()).expect("an answer"));
    view.push(&Entry::Completion(shown.clone()));
    let result = balk_guards::ToolResult::executed(&shown.calls[0], balk_guards::Status::Ok, "files");
    view.push(&Entry::Result(result));
    read(ask(&proxy, dialect, &view));
    let expected = [
        "user: Do it.",
        "assistant: I look. id-retry",
        "tool: Not run: the whole turn was refused; see below.",
        "user: Say it again.",
        "assistant: Now. id-ls",
        "tool: files",
    ];
    assert_eq!(super::client::shown(&server.requests()[2]), expected);
}

#[test]
fn an_answer_is_asked_for_again_until_some_of_it_was_passed_on() {
    for dialect in Dialect::ALL {
        let (text, _) = stream(dialect, &said("I look.", &["ls"]));
        let events: Vec<&str> = text.split_inclusive("\n\n").collect();
        let whole = said("Done.", &[]);
        // Before its first word.
        let opening = if dialect == Dialect::Gemini { ": hi\n\n".into() } else { events[0].to_owned() };
        let server = Server::of(vec![Script::with(200, STREAM, &opening), answer(dialect, &whole)]);
        let proxy = self::proxy(Sight::Calls, &server);
        let body = read(ask(&proxy, dialect, &view()));
        assert_eq!(body, stream(dialect, &whole).0 + &stream(dialect, &whole).1, "{dialect:?}");
        // The provider says in the stream that it has failed.
        let failure =
            Failure::of(dialect, FailureKind::Overloaded, "later").in_stream(dialect, 0).to_string();
        let server = Server::of(vec![Script::with(200, STREAM, &failure), answer(dialect, &whole)]);
        let proxy = self::proxy(Sight::Calls, &server);
        let body = read(ask(&proxy, dialect, &view()));
        assert_eq!(body, stream(dialect, &whole).0 + &stream(dialect, &whole).1, "{dialect:?}");
        // After it.
        let (has_read, may_break) = mpsc::channel();
        let head = format!("HTTP/1.1 200 Said\r\nconnection: close\r\n{STREAM}\r\n\r\n{text}");
        let server =
            Server::of(vec![Script::raw(head).then(may_break, String::new()), answer(dialect, &whole)]);
        let proxy = self::proxy(Sight::Calls, &server);
        let mut body = ask(&proxy, dialect, &view());
        let mut bytes = vec![0; text.len()];
        body.read_exact(&mut bytes).expect("the text comes");
        has_read.send(()).expect("the provider waits");
        assert_eq!(String::from_utf8_lossy(&bytes), text, "{dialect:?}");
        body.read_to_end(&mut Vec::new()).expect_err("the connection is cut");
        assert_eq!((server.requests().len(), proxy.counted().failed), (1, 1));
    }
}

#[test]
fn a_refusal_that_comes_late_is_in_the_words_of_its_provider() {
    for (dialect, event) in [
        (Dialect::OpenAi, r#"data: {"error":{"code":null,"message":"no key","type":"t"}}"#),
        (Dialect::Gemini, r#"data: {"error":{"code":null,"message":"no key","type":"t"}}"#),
        (
            Dialect::Anthropic,
            "event: error\ndata: {\"error\":{\"code\":null,\"message\":\"no key\",\"type\":\"t\"}}",
        ),
        (
            Dialect::Responses,
            "event: error\ndata: {\"code\":\"t\",\"message\":\"no key\",\"sequence_number\":0,\"type\":\"error\"}",
        ),
    ] {
        // The provider refuses once the client has read a comment.
        let (has_read, may_answer) = mpsc::channel();
        let may_answer = Mutex::new(may_answer);
        let server = Server::new(move |_, _| {
            may_answer.lock().expect("no test panicked").recv().expect("the client reads");
            Script::json(
                401,
                r#"{"error": {"type": "t", "message": "no key",
                "code": null}}"#,
            )
        });
        let guards = || Stack::new(vec![Box::new(super::client::Obeys::default())]);
        let bounds = Bounds { silence: Duration::ZERO, ..Bounds::default() };
        let upstream = Base::parse(&server.url()).expect("an address");
        let proxying = Proxying { bounds, guards: Some(Box::new(guards)), ..Proxying::new(upstream) };
        let proxy = Proxy::start(proxying).expect("a port is free");
        let mut body = ask(&proxy, dialect, &view());
        let mut first = [0; 8];
        body.read_exact(&mut first).expect("a comment comes");
        has_read.send(()).expect("the provider waits");
        let mut rest = String::new();
        body.read_to_string(&mut rest).expect("the answer ends");
        assert_eq!(rest.replace(": held\n\n", ""), format!("{event}\n\n"), "{dialect:?}");
        assert_eq!(proxy.counted().failed, 1);
    }
}

#[test]
fn what_follows_a_stream_by_its_id_gets_what_its_agent_never_saw() {
    let dialect = Dialect::Responses;
    let (text, calls) = stream_of(dialect, &said("Now.", &["ls"]), "resp_2");
    let server = Server::of(vec![
        answer(dialect, &said("I look.", &["retry"])),
        Script::with(200, STREAM, &(text + &calls)),
        answer(dialect, &said("Done.", &[])),
    ]);
    let proxy = proxy(Sight::Calls, &server);
    assert!(read(ask(&proxy, dialect, &view())).contains("resp_1"));
    let result = serde_json::json!({ "type": "function_call_output", "call_id": "id-ls", "output": "files" });
    let next = serde_json::json!({
        "model": "m", "stream": true, "previous_response_id": "resp_1", "input": [result],
        "tools": [{ "type": "function", "name": "ls" }],
    });
    super::client::post(&format!("{}/v1/responses", proxy.url()), &next.to_string());
    let request: serde_json::Value = serde_json::from_str(&server.requests()[2].body).expect("it is JSON");
    let input = request["input"].as_array().expect("a list").iter();
    let said = |it: &serde_json::Value| {
        let text = it["output"].as_str().or(it["content"].as_str()).or(it["content"][0]["text"].as_str());
        text.or(it["name"].as_str()).unwrap_or_default().to_owned()
    };
    let told = "Not run: the whole turn was refused; see below.";
    assert_eq!(input.map(said).collect::<Vec<_>>(), [told, "Say it again.", "Now.", "ls", "files"]);
}

#[test]
fn a_text_waits_for_what_its_user_is_told_below_it() {
    for dialect in Dialect::ALL {
        let said_first = answer(dialect, &said("I look.", &["notice"]));
        let server = Server::of(vec![said_first, answer(dialect, &said("Done.", &[]))]);
        let proxy = self::proxy(Sight::Calls, &server);
        let mut view = view();
        let next = |view: &View| {
            let mut reader = dialect.stream();
            reader.feed(read(ask(&proxy, dialect, view)).as_bytes());
            Arc::new(reader.finish(&offer()).expect("an answer"))
        };
        let first = next(&view);
        view.push(&Entry::Completion(first.clone()));
        let result = balk_guards::ToolResult::executed(&first.calls[0], balk_guards::Status::Ok, "files");
        view.push(&Entry::Result(result));
        let text: String = next(&view).texts().map(|it| &**it).collect();
        assert_eq!(text, "Done.\n\nYou should know.", "{dialect:?}");
    }
}
