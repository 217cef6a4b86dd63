//! The endpoint of a model: what it sends, when it asks again, and what becomes of servers that misbehave.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::Duration;

use balk::live::endpoint::{Answered, BODY_BYTES, Endpoint, Key, Listed, Models, Settings};
use balk_guards::wire::Dialect::{self, Anthropic, OpenAi};
use balk_guards::wire::{Form, Refusal, Remedy};
use balk_guards::{AttemptCause, Offer};

use serde_json::json;

use crate::common::program::{balk, ran};
use crate::common::server::{Script, Server};

const KEY: &str = "sk-test-0123456789/secret";

/// Far longer than anything but a test of the limit takes.
const LONG: Duration = Duration::from_secs(60);

const DONE: &str = r#"{"choices":[{"message":{"content":"Done."},"finish_reason":"stop"}]}"#;

fn settings(url: &str) -> Settings {
    Settings { url: url.to_owned(), dialect: OpenAi, key: None, timeout: LONG, tries: 4 }
}

fn key() -> Option<Key> {
    Some(Key::new(KEY).expect("a key"))
}

/// Asks once, and says what was waited for.
fn ask(settings: Settings) -> (Answered, Vec<u64>) {
    let endpoint = Endpoint::new(settings).expect("an address");
    let waits = RefCell::new(Vec::new());
    let answered = endpoint.ask("{}", &|_, it| {
        waits.borrow_mut().push(it.as_secs());
        true
    });
    (answered, waits.into_inner())
}

/// What the dialect reads in an answer.
fn read(answered: &Answered) -> Result<String, Refusal> {
    let completion = OpenAi.answer(answered.reply.as_ref().map_err(Refusal::clone)?, &Offer::default())?;
    Ok(completion.texts().map(|it| &**it).collect())
}

/// The text of an answer that came at the first try.
#[track_caller]
fn answers(scripts: Vec<Script>, expected: &str) {
    let server = Server::of(scripts);
    let (answered, waits) = ask(settings(&server.url()));
    assert_eq!((read(&answered), answered.tries, waits), (Ok(expected.to_owned()), 1, vec![]));
}

/// The refusal of a server that always does this, as its remedy and its words.
#[track_caller]
fn refuses(script: Script, timeout: Duration, expected: &str) {
    let server = Server::of(vec![script]);
    let (answered, waits) = ask(Settings { timeout, tries: 2, ..settings(&server.url()) });
    let refusal = read(&answered).expect_err(expected);
    let text = format!("{:?}: {refusal}", refusal.remedy).replace(&server.url(), "URL");
    assert_eq!(text, expected);
    // A request is sent again exactly where that can help.
    let again = refusal.remedy == Remedy::Again;
    assert_eq!((answered.tries, waits.len()), if again { (2, 1) } else { (1, 0) });
}

#[test]
fn a_request_goes_to_the_path_of_its_dialect_with_the_key_in_the_header_of_the_provider() {
    let server = Server::of(vec![Script::json(200, DONE)]);
    let (answered, _) = ask(Settings { key: key(), ..settings(&server.url()) });
    assert_eq!(read(&answered).as_deref(), Ok("Done."));
    let (answered, _) = ask(Settings { key: key(), dialect: Anthropic, ..settings(&server.url()) });
    assert_eq!(answered.reply.map(|it| it.form), Ok(Form::Whole));
    let [openai, anthropic] = &server.requests()[..] else { panic!("two requests") };
    assert_eq!((&*openai.line, &*openai.body), ("POST /v1/chat/completions HTTP/1.1", "{}"));
    assert_eq!(openai.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(openai.header("content-type"), Some("application/json"));
    assert_eq!(openai.header("cookie"), None);
    assert_eq!(anthropic.line, "POST /v1/messages HTTP/1.1");
    assert_eq!((anthropic.header("x-api-key"), anthropic.header("authorization")), (Some(KEY), None));
    assert_eq!(anthropic.header("anthropic-version"), Some("2023-06-01"));
}

#[test]
fn an_address_is_taken_as_users_know_it() {
    let of = |url: &str, dialect| {
        let made = Endpoint::new(Settings { dialect, ..settings(url) });
        made.map_or_else(|error| format!("{}: {}", error.place, error.found), |it| it.address())
    };
    let cases: [(Dialect, &str, &str); 12] = [
        (OpenAi, "http://h:1/v1", "http://h:1/v1/chat/completions"),
        (OpenAi, "http://h:1/", "http://h:1/v1/chat/completions"),
        (OpenAi, "https://h/api/paas/v4/", "https://h/api/paas/v4/chat/completions"),
        (OpenAi, "https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        (Anthropic, "https://h", "https://h/v1/messages"),
        (Anthropic, "https://h/anthropic", "https://h/anthropic/v1/messages"),
        (Anthropic, "https://h/v1/", "https://h/v1/messages"),
        (Anthropic, "https://h/v1/messages", "https://h/v1/messages"),
        (
            OpenAi,
            "ftp://h/v1",
            "--endpoint: `ftp://h/v1`, which begins with neither `http://` nor `https://`",
        ),
        (
            OpenAi,
            "127.0.0.1:8080",
            "--endpoint: `127.0.0.1:8080`, which begins with neither `http://` nor `https://`",
        ),
        (
            OpenAi,
            "https://me:sk-secret@h/v1",
            "--endpoint: a user name in it; the key comes from an environment variable",
        ),
        (OpenAi, "https://h/v1?key=sk-secret", "--endpoint: a `?` or a `#` in it"),
    ];
    for (dialect, url, expected) in cases {
        assert_eq!(of(url, dialect), expected, "{url}");
    }
}

#[test]
fn a_server_that_is_busy_is_asked_again_when_it_says_or_ever_later() {
    let busy = |status, headers: &str| Script::with(status, headers, "");
    let scripts = vec![
        busy(429, "retry-after: 7"),
        busy(503, "retry-after: 0"),
        busy(529, "retry-after-ms: 1500\nretry-after: 2"),
        Script::json(200, DONE),
    ];
    let server = Server::of(scripts);
    let (answered, waits) = ask(settings(&server.url()));
    assert_eq!((read(&answered).as_deref(), answered.tries), (Ok("Done."), 4));
    assert_eq!(waits, [7, 2, 1]);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_wait_that_says_so_is_the_last() {
    let server = Server::of(vec![Script::json(503, "busy"), Script::json(200, DONE)]);
    let endpoint = Endpoint::new(settings(&server.url())).expect("an address");
    let answered = endpoint.ask("{}", &|_, _| false);
    assert_eq!((answered.tries, server.requests().len()), (1, 1));
    assert_eq!(answered.reply.map(|it| it.status), Ok(503));
}

#[test]
fn tries_and_waits_are_bounded_and_the_last_refusal_is_what_came() {
    let server = Server::of(vec![Script::json(500, r#"{"error":{"message":"Broken."}}"#)]);
    let (answered, waits) = ask(Settings { tries: 9, ..settings(&server.url()) });
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!((answered.tries, server.requests().len()), (9, 9));
    assert_eq!(read(&answered).unwrap_err().to_string(), "the provider refused with status 500: Broken.");
    // A server that wants to be left alone for longer is not asked again.
    let server = Server::of(vec![Script::with(429, "retry-after: 61", "")]);
    let (answered, waits) = ask(settings(&server.url()));
    let cause = AttemptCause::Status { code: 429, retry_after: Some(61_000) };
    assert_eq!((read(&answered).unwrap_err().cause, answered.tries, waits), (cause, 1, vec![]));
}

#[test]
fn what_asking_again_does_not_change_is_asked_once() {
    for status in [400, 401, 403, 404, 422] {
        let expected = format!("Nothing: the provider refused with status {status}: No.");
        refuses(Script::json(status, r#"{"error":{"message":"No."}}"#), LONG, &expected);
    }
    let long = r#"{"error":{"message":"No.","code":"context_length_exceeded"}}"#;
    refuses(Script::json(400, long), LONG, "Shorten: the provider refused with status 400: No.");
}

#[test]
fn a_stream_is_read_to_the_end_of_its_answer_and_no_further() {
    let done = r#"{"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}"#;
    let stream = Script::events(&[done, "[DONE]"]);
    answers(vec![stream.clone()], "Done.");
    let server = Server::of(vec![stream.for_ever(": still here\n\n", Duration::ZERO)]);
    let (answered, _) = ask(settings(&server.url()));
    assert_eq!(read(&answered).as_deref(), Ok("Done."));
    let taken = answered.reply.map(|it| it.body.len());
    assert!(taken.as_ref().is_ok_and(|it| *it < 1 << 16), "{taken:?}");
    // Some servers never say that they are done, and the connection breaks off in the rest.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let chunk = format!("data: {done}\n\n");
    answers(vec![Script::raw(format!("{head}{:x}\r\n{chunk}\r\n5\r\n: k", chunk.len()))], "Done.");
}

#[test]
fn an_answer_that_is_none_is_a_refusal_that_says_what_came() {
    refuses(
        Script::json(200, r#"{"no":1}"#),
        LONG,
        "Nothing: the connection was lost: the answer cannot be read: .: missing field `choices` at line 1 column 8",
    );
    let wrong = "Nothing: the connection was lost: expected JSON, found `not JSON`";
    refuses(Script::json(200, "not JSON"), LONG, wrong);
    let error = r#"{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}"#;
    refuses(Script::json(200, error), LONG, "Again: the provider refused with status 429: Slow down.");
    refuses(
        Script::with(200, "content-type: text/html", "<p>Log in"),
        LONG,
        "Nothing: the connection was lost: expected JSON or an event stream, found `text/html`: <p>Log in",
    );
    refuses(
        Script::with(502, "content-type: text/html", "<p>Bad gateway"),
        LONG,
        "Again: the provider refused with status 502: <p>Bad gateway",
    );
    let empty = "Again: the connection was lost: expected an answer, found an empty body";
    refuses(Script::json(200, ""), LONG, empty);
    refuses(Script::with(204, "", ""), LONG, empty);
    let bytes = [b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\"\xff\"".to_vec()].concat();
    let other = "Nothing: the connection was lost: expected UTF-8, found another byte after 1 bytes";
    refuses(Script::raw(bytes), LONG, other);
}

#[test]
fn half_an_answer_is_lost_wherever_it_breaks_off() {
    let whole = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        DONE.len()
    );
    let chunked = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let halves = [
        String::new(),
        "HTTP/1.1 200 OK\r\ncontent-ty".to_owned(),
        format!("{whole}{}", &DONE[..20]),
        format!("{chunked}40\r\n{}", &DONE[..20]),
        format!("{chunked}zz\r\n{DONE}\r\n0\r\n\r\n"),
        format!("{stream}40\r\ndata: {{\"choices\""),
        "no HTTP at all\r\n\r\n".to_owned(),
    ];
    for half in halves {
        let server = Server::of(vec![Script::raw(half.clone())]);
        let (answered, waits) = ask(Settings { tries: 2, ..settings(&server.url()) });
        let refusal = read(&answered).unwrap_err();
        assert_eq!((refusal.cause, refusal.remedy), (AttemptCause::Disconnected, Remedy::Again), "{half:?}");
        assert_eq!(waits, [1], "{half:?}");
    }
    let events = Script::events(&[r#"{"choices":[{"delta":{"content":"Let"}}]}"#]);
    refuses(events, LONG, "Again: the connection was lost: the stream ended before the answer did");
}

#[test]
fn an_answer_without_an_end_is_bounded_in_size() {
    let endless = |kind: &str, body: &str, piece: &str| {
        let head = Script::with(200, &format!("content-type: {kind}"), body);
        head.for_ever(&piece.repeat(1 << 12), Duration::ZERO)
    };
    let expected =
        format!("Nothing: the connection was lost: expected at most {BODY_BYTES} bytes, found more");
    refuses(endless("application/json", "[", "1234567,"), LONG, &expected);
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"again and again \"}}]}\n\n";
    refuses(endless("text/event-stream", "", event), LONG, &expected);
    let long = Script::with(500, "", "").for_ever(&"no ".repeat(1 << 12), Duration::ZERO);
    let server = Server::of(vec![long]);
    let (answered, _) = ask(Settings { tries: 1, ..settings(&server.url()) });
    let refusal = read(&answered).unwrap_err();
    assert_eq!(refusal.cause, AttemptCause::Status { code: 500, retry_after: None });
    assert!(refusal.message.starts_with("no no no ") && refusal.message.chars().count() == 201);
    // The head of a response has a bound as well.
    for (more, expected) in [
        ("x-more: and more\r\n", "not what HTTP allows: "),
        ("x-more-and-more", "expected a head of at most "),
    ] {
        let head = Script::raw("HTTP/1.1 200 OK\r\n").for_ever(more, Duration::ZERO);
        let server = Server::of(vec![head]);
        let (answered, _) = ask(Settings { tries: 1, ..settings(&server.url()) });
        let refusal = answered.reply.unwrap_err();
        assert!(refusal.message.starts_with(expected), "{more}: {refusal}");
        assert_eq!(refusal.cause, AttemptCause::Disconnected);
    }
}

#[test]
fn an_answer_without_an_end_is_bounded_in_time() {
    let limit = Duration::from_secs(1);
    let expected = "Again: the provider took too long: no complete answer within 1 s";
    let pause = Duration::from_millis(20);
    refuses(Script::raw("").hang(), limit, expected);
    refuses(Script::with(200, "content-type: application/json", "[").for_ever("1,", pause), limit, expected);
    refuses(
        Script::with(200, "content-type: text/event-stream", "").for_ever(": here\n\n", pause),
        limit,
        expected,
    );
    refuses(Script::raw("HTTP/1.1 200 OK\r\nx-more: ").for_ever("y", pause), limit, expected);
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::of(vec![Script::json(200, DONE)]);
    for status in [301, 302, 303, 307, 308] {
        let place = format!("location: {}/chat/completions", elsewhere.url());
        let server = Server::of(vec![Script::with(status, &place, "")]);
        let (answered, _) = ask(Settings { key: key(), ..settings(&server.url()) });
        let expected = format!(
            "the connection failed: redirects are not followed; status {status} points to `{}/chat/completions`",
            elsewhere.url()
        );
        assert_eq!((answered.reply.unwrap_err().to_string(), answered.tries), (expected, 1));
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_server_that_is_not_there_is_asked_again() {
    let url = Server::of(vec![Script::raw("")]).url();
    let (answered, waits) = ask(settings(&url));
    let refusal = answered.reply.unwrap_err();
    assert_eq!((refusal.cause, refusal.remedy, waits), (AttemptCause::Connect, Remedy::Again, vec![1, 2, 4]));
    assert!(refusal.message.starts_with(&format!("no connection to {url}: ")), "{refusal}");
}

#[test]
fn a_server_that_does_not_encrypt_gets_no_request() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let url = format!("https://{}/v1", listener.local_addr().expect("it is bound"));
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client comes");
        let mut greeting = [0; 1024];
        let taken = stream.read(&mut greeting).expect("it greets");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("it listens");
        greeting[..taken].to_vec()
    });
    let (answered, waits) = ask(Settings { key: key(), ..settings(&url) });
    let refusal = answered.reply.unwrap_err();
    assert_eq!((refusal.cause, refusal.remedy, waits), (AttemptCause::Connect, Remedy::Nothing, vec![]));
    let greeting = String::from_utf8_lossy(&server.join().expect("it did not panic")).into_owned();
    assert!(!greeting.contains("POST") && !greeting.contains("sk-test"), "{greeting}");
}

#[test]
fn the_key_is_in_no_text_that_comes_back() {
    let escaped = KEY.replace('/', "\\/");
    let echo = format!(r#"{{"error":{{"message":"{} is wrong: {escaped}"}}}}"#, "x".repeat(190) + KEY);
    let answer = DONE.replace("Done.", &format!("It is {KEY}."));
    let scripts = [
        Script::json(401, &echo),
        Script::json(200, &echo),
        Script::json(200, &answer),
        Script::json(200, &answer.replace('-', "\\u002d")),
        Script::events(&[&answer]),
        Script::with(302, &format!("location: http://h/{}{KEY}", "x".repeat(130)), ""),
        Script::with(200, &format!("content-type: {KEY}/plain"), &echo),
        Script::with(200, "content-type: text/plain", &format!("{}{KEY}", "x".repeat(120))),
        Script::raw(format!("HTTP/1.1 {KEY}\r\n\r\n")),
    ];
    for script in scripts {
        let server = Server::of(vec![script.clone()]);
        let settings = Settings { key: key(), tries: 1, ..settings(&server.url()) };
        let mut shown = format!("{settings:?}");
        let (answered, _) = ask(settings.clone());
        shown += &format!("{answered:?} {:?} {:?}", read(&answered), Endpoint::new(settings).unwrap());
        assert!(!shown.contains("sk-test"), "{script:?}: {shown}");
        assert_eq!(server.requests()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
    }
    for wrong in ["", " ", "sk-test\u{e9}", "sk-test\r\nx: y"] {
        let error = Key::new(wrong).unwrap_err();
        assert!(!format!("{error:?}").contains("sk-test"), "{error:?}");
    }
}

#[test]
fn a_short_key_is_a_word_that_a_model_may_say() {
    let server = Server::of(vec![Script::json(200, &DONE.replace("Done.", "none"))]);
    let (answered, _) = ask(Settings { key: Some(Key::new(" none\n").unwrap()), ..settings(&server.url()) });
    assert_eq!(read(&answered).as_deref(), Ok("none"));
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer none"));
}

#[test]
fn a_server_says_which_models_it_has() {
    let list = r#"{"object":"list","data":[{"id":"qwen\u001b[31m","owned_by":"llamacpp"},{"id":"other"}]}"#;
    let head = "content-type: application/json\nserver: llama.cpp";
    let server =
        Server::of(vec![Script::with(200, head, list), Script::json(404, "{}"), Script::json(200, "{}")]);
    let endpoint = Endpoint::new(Settings { key: key(), ..settings(&server.url()) }).unwrap();
    let listed = |name: &str, owner: Option<&str>| Listed { name: name.into(), owner: owner.map(Into::into) };
    let expected = Models {
        server: Some("llama.cpp".into()),
        listed: vec![listed("qwen[31m", Some("llamacpp")), listed("other", None)],
    };
    assert_eq!(endpoint.models(), Ok(Some(expected)));
    assert_eq!(server.requests()[0].line, "GET /v1/models HTTP/1.1");
    assert!(server.requests()[0].header("authorization").is_some());
    assert_eq!((endpoint.models(), endpoint.models()), (Ok(None), Ok(None)));
}

#[test]
fn a_proxy_in_the_environment_is_not_used() {
    let this = std::env::current_exe().expect("a test runs in a program");
    let mut test = Command::new(this);
    test.args(["--exact", "live_endpoint::a_server_says_which_models_it_has"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        test.env(name, "http://127.0.0.1:9");
    }
    let output = test.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// A count that no model can have is estimated, as one that is missing is.
#[test]
fn counts_of_tokens_that_cannot_be_are_not_believed() {
    for tokens in [1_u64 << 50, u64::MAX] {
        let server = Server::new(move |_, _| {
            let message = json!({"content": "I will write the file now."});
            let usage = json!({"prompt_tokens": tokens, "completion_tokens": tokens});
            let choices = json!([{"message": message, "finish_reason": "stop"}]);
            Script::json(200, &json!({"choices": choices, "usage": usage}).to_string())
        });
        let folder = tempfile::tempdir().expect("a folder");
        let url = server.url();
        let suite = ["--suite", "text-only-chat", "--trials", "2", "--guard", "default", "--out", "r"];
        let live = [&["live", "--endpoint", &url, "--model", "m"], &suite[..]].concat();
        let (code, _, err) = ran(&mut balk(folder.path(), &live));
        assert_eq!(code, 0, "{err}");
        let (code, out, err) = ran(&mut balk(folder.path(), &["report", "r"]));
        assert!(code == 0 && !out.is_empty(), "{err}");
    }
}
