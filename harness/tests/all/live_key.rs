//! What `balk live` keeps of a key, and what it counts of answers that were lost.

use std::path::Path;

use serde_json::json;

use crate::common::program::{balk, ran};
use crate::common::server::{Script, Server};
use crate::live::{asked, fickle, files, folder, live};

const KEY: &str = "sk-0123456789-secret";

const LINE: [&str; 8] = ["--model", "m", "--trials", "1", "--suite", "text-only-chat", "--key-env", "A_KEY"];

/// No file below this folder has the key.
#[track_caller]
fn has_no_key(folder: &Path) {
    for (name, bytes) in files(folder) {
        let is_packed = name.extension().is_some_and(|it| it == "zst");
        let bytes = if is_packed { zstd::stream::decode_all(&bytes[..]).expect("it unpacks") } else { bytes };
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{}", name.display());
    }
}

#[test]
fn a_key_is_sent_to_the_server_and_stands_nowhere_else() {
    let (folder, server) = (folder(), Server::new(fickle));
    let url = server.url();
    let line = [&["live", "--endpoint", &url][..], &LINE, &["--out", "r"]].concat();
    let (code, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    assert_eq!(code, 0, "{err}");
    assert!(server.requests().iter().all(|it| it.header("authorization").is_some_and(|it| it.contains(KEY))));
    assert!(!out.contains(KEY) && !err.contains(KEY));
    has_no_key(&folder.path().join("r"));
    let (code, _, err) = ran(&mut balk(folder.path(), &line));
    assert!(code == 2 && err.contains("no variable `A_KEY`"), "{err}");
}

/// An error may be longer than what is read of it, and end within the key.
#[test]
fn a_key_that_is_cut_at_the_bound_of_an_error_stands_nowhere() {
    let error = |text: &str| format!(r#"{{"error": {{"message": "prompt is too long: {text}"#);
    let text = "p".repeat((64 << 10) - error("").len() - (KEY.len() - 1));
    let body = error(&(text + KEY + r#""}}"#));
    let script = move |at: usize, request: &_| {
        if at < 4 { fickle(at, request) } else { Script::json(400, &body) }
    };
    let (folder, server) = (folder(), Server::new(script));
    let url = server.url();
    let line = [&["live", "--endpoint", &url][..], &LINE, &["--out", "r"]].concat();
    let (_, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    for (name, bytes) in files(folder.path()) {
        let is_packed = name.extension().is_some_and(|it| it == "zst");
        let bytes = if is_packed { zstd::stream::decode_all(&bytes[..]).expect("it unpacks") } else { bytes };
        assert!(!String::from_utf8_lossy(&bytes).contains("sk-01234"), "{}", name.display());
    }
    assert!(!out.contains("sk-01234") && !err.contains("sk-01234"), "{out}{err}");
}

/// The parts of a stream have no key, and the text that they make has.
#[test]
fn an_answer_with_the_key_in_parts_is_none() {
    let delta = |text: &str| json!({"choices": [{"delta": {"content": text}}]}).to_string();
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}).to_string();
    let parts = [delta("It is sk-0123"), delta("456789-secret."), end];
    let (folder, server) =
        (folder(), Server::new(move |_, _| Script::events(&parts.each_ref().map(|it| &**it))));
    let url = server.url();
    let line = [&["live", "--endpoint", &url, "--stream"][..], &LINE, &["--out", "r"]].concat();
    let (code, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    assert!(code != 0 && err.contains("the answer has the key in it, in parts"), "{code}: {out}{err}");
    assert!(!out.contains(KEY) && !err.contains(KEY), "{out}{err}");
    has_no_key(folder.path());
}

/// A provider may want to be paid for an answer that was lost on its way, and each try may take as much.
#[test]
fn answers_that_are_lost_count_with_all_that_they_may_take() {
    let lost = |at: usize, request: &_| {
        if at < 4 {
            fickle(at, request)
        } else {
            Script::raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")
        }
    };
    let (folder, server) = (folder(), Server::new(lost));
    let more = ["--guard", "default", "--max-tokens", "3000", "--budget-tokens", "9000", "--out", "r"];
    let (_, out, err) = live(folder.path(), &server, &more);
    let lost = asked(&server).len().saturating_sub(4);
    assert!((1..=3).contains(&lost), "{lost} lost: {out}{err}");
}
