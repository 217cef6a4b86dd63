//! Commands that listen: who may ask them, and when they end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::program::balk;
use crate::common::server::{Script, Server};

/// A command that listens, and ends with the test.
struct Listens {
    running: Child,
    url: String,
}

impl Listens {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let mut command = balk(folder.path(), arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = command.spawn().expect("it starts");
        let mut url = String::new();
        let output = running.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut url).expect("it prints where it listens");
        Self { running, url: url.trim().to_owned() }
    }

    /// The address, and the path of the URL.
    fn parts(&self) -> (&str, &str) {
        let behind = self.url.strip_prefix("http://").expect("a URL");
        behind.split_at(behind.find('/').unwrap_or(behind.len()))
    }

    /// The status of the answer to a request.
    fn status(&self, path: &str, header: &str) -> u16 {
        let mut stream = TcpStream::connect(self.parts().0).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{header}\r\n")
            .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status")
    }
}

impl Drop for Listens {
    fn drop(&mut self) {
        let _ = self.running.kill();
        let _ = self.running.wait();
    }
}

#[test]
fn other_machines_need_the_token_that_is_printed() {
    for command in [&["serve", "repeating"][..], &["proxy", "--upstream", "http://127.0.0.1:9"]] {
        let server = Listens::start(&[command, &["--host", "0.0.0.0"]].concat());
        let token = server.parts().1.strip_prefix("/t/").expect("a token").to_owned();
        assert_eq!(token.len(), 32, "{token}");
        assert_eq!(server.status("/_balk", ""), 401);
        assert_eq!(server.status("/t/00000000000000000000000000000000/_balk", ""), 401);
        assert_ne!(server.status(&format!("/t/{token}/_balk"), ""), 401);
        assert_ne!(server.status("/_balk", &format!("x-balk-token: {token}\r\n")), 401);
    }
}

#[test]
fn this_machine_needs_none_unless_one_is_named() {
    let server = Listens::start(&["serve", "repeating"]);
    assert!(server.url.starts_with("http://127.0.0.1:") && server.parts().1.is_empty(), "{}", server.url);
    assert_eq!(server.status("/", ""), 200);
    let server = Listens::start(&["serve", "repeating", "--token", "a-token-of-my-own"]);
    assert_eq!(server.parts().1, "/t/a-token-of-my-own");
    assert_eq!((server.status("/", ""), server.status("/t/a-token-of-my-own/", "")), (401, 200));
}

#[test]
fn the_provider_does_not_get_the_token() {
    let provider = Server::of(vec![Script::json(200, "{}"), Script::json(200, "{}")]);
    let upstream = provider.url();
    let proxy = Listens::start(&["proxy", "--upstream", &upstream, "--token", "a-token-of-my-own"]);
    assert_eq!(proxy.status("/t/a-token-of-my-own/v1/files?a=b", ""), 200);
    assert_eq!(proxy.status("/v1/files?a=b", "x-balk-token: a-token-of-my-own\r\n"), 200);
    let requests = format!("{:?}", provider.requests());
    assert!(requests.contains("/v1/files") && !requests.contains("a-token-of-my-own"), "{requests}");
}

/// The program that started it may be killed: then nothing else tells it to end.
#[test]
fn a_server_ends_with_its_input_only_if_it_is_told_to() {
    for command in [&["serve", "repeating"][..], &["proxy", "--upstream", "http://127.0.0.1:9"]] {
        let mut ends = Listens::start(&[command, &["--until-input-ends"]].concat());
        assert_eq!(ends.running.try_wait().expect("it is a child"), None);
        drop(ends.running.stdin.take());
        assert_eq!(ends.running.wait().expect("it is a child").code(), Some(0));
        let mut stays = Listens::start(command);
        drop(stays.running.stdin.take());
        // The other one looks every 50 ms.
        thread::sleep(Duration::from_millis(300));
        assert_eq!(stays.running.try_wait().expect("it is a child"), None);
    }
}
