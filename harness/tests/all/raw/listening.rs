//! Commands that listen, with clients that are hostile: what they print until Ctrl-C ends them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::media::Medium;
use super::place::{Place, begin};

/// What listens. Those with a log lose its folder before the first request.
const LINES: [&str; 7] = [
    "serve made-up.toml --log log0",
    "serve --suite made-up.toml --agent agent.toml --max-requests 2",
    "proxy --upstream http://127.0.0.1:9/@NAME --log log1",
    "proxy --upstream URL --guard 'exec:sh breaks.sh' --agent agent.toml",
    "proxy --upstream URL --guard 'no-tools,exec:sh guard.sh' --config settings.toml --tools tools.toml --log log2",
    "proxy --upstream URL --guard @ --dry-run",
    "proxy --upstream URL --guard none",
];

/// Runs all of them: what is wrong.
pub(super) fn wrong(place: &Place) -> Vec<String> {
    LINES.iter().filter_map(|line| wrong_in(place, line)).collect()
}

fn wrong_in(place: &Place, line: &str) -> Option<String> {
    let mut running =
        place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    let mut url = String::new();
    out.read_line(&mut url).expect("UTF-8");
    if let Some(address) = url.trim().strip_prefix("http://") {
        for log in ["log0", "log1"] {
            // It is that of another command, or it is gone.
            let _ = fs::remove_dir_all(place.hostile.path().join(log));
        }
        for request in requests(place) {
            ask(address, &request);
        }
        kill_process(Pid::from_child(&running), Signal::INT).expect("it is running");
    }
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("UTF-8");
    let err = running.wait_with_output().expect("it ends").stderr;
    let text = format!("{url}{rest}{}", String::from_utf8(err).expect("UTF-8"));
    let wrong = Medium::Text.wrong(&text).or_else(|| text.is_empty().then(|| "no output".to_owned()));
    wrong.map(|it| format!("{line}\n  {it}\n  {}", begin(&text)))
}

/// Requests with the hostile text in the path, in a header, in the body, and as a body.
fn requests(place: &Place) -> Vec<Vec<u8>> {
    let text = &place.hostile.text;
    let path: String = text.bytes().map(|it| format!("%{it:02X}")).collect();
    let function = json!({"name": text, "description": text, "parameters": {"type": "object"}});
    let messages = json!([
        {"role": "system", "content": text},
        {"role": "user", "content": text},
        {"role": "assistant", "tool_calls": [{"id": text, "type": "function",
            "function": {"name": text, "arguments": text}}]},
        {"role": "tool", "tool_call_id": text, "content": text},
    ]);
    let tools = json!([{"type": "function", "function": function}]);
    let body = json!({"model": text, "messages": messages, "tools": tools}).to_string();
    let chat = "/v1/chat/completions";
    let request = |method: &str, path: &str, header: &str, body: &str| {
        let head = format!("{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{header}");
        format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let header: String = text.chars().filter(|it| !matches!(it, '\r' | '\n' | '\0')).collect();
    vec![
        request("POST", chat, "", &body),
        request("POST", chat, "authorization: Bearer b\r\n", &body),
        request("POST", &format!("/c/{path}{chat}"), "", &body),
        request("POST", &format!("/c/{path}/v1/messages"), &format!("x-api-key: {header}\r\n"), &body),
        request("POST", &format!("/v1beta/models/{path}:generateContent"), "", &body),
        request("POST", &format!("/{path}"), "", text),
        request("POST", chat, "", text),
        request("GET", &format!("/c/{path}/_balk/transcript"), "", ""),
        [b"POST /".as_slice(), text.as_bytes(), b" HTTP/1.1\r\n\r\n"].concat(),
    ]
}

/// Sends a request, and reads the answer to its end. A server may refuse what it has not read yet.
fn ask(address: &str, request: &[u8]) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a patience");
    let _ = stream.write_all(request);
    let _ = stream.read_to_end(&mut Vec::new());
}
