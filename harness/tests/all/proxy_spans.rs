//! The spans of `balk proxy`, as a collector gets them.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use balk::bench::Stopwatch;
use balk::proxy::{Collector, Proxy, Proxying};
use flate2::read::GzDecoder;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;

use crate::common::program::balk;
use crate::common::server::{Request, Script, Server};
use crate::proxy::client::{Client, answers, proxying};

/// What a collector was sent in one request.
struct Sent {
    service: String,
    spans: Vec<Span>,
}

impl Sent {
    fn of(request: &Request) -> Self {
        let mut bytes = request.bytes.clone();
        if request.header("content-encoding") == Some("gzip") {
            bytes = Vec::new();
            GzDecoder::new(&*request.bytes).read_to_end(&mut bytes).expect("it is gzip");
        }
        let mut sent = ExportTraceServiceRequest::decode(&*bytes).expect("it is OTLP");
        assert_eq!(sent.resource_spans.len(), 1);
        let mut sent = sent.resource_spans.remove(0);
        let service = read(&sent.resource.expect("a resource").attributes).remove("service.name");
        let scope = sent.scope_spans.remove(0);
        assert_eq!(scope.scope.expect("a scope").name, "balk");
        Self { service: service.expect("a name"), spans: scope.spans }
    }
}

/// Attributes as text.
fn read(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |it: &KeyValue| match it.value.clone().and_then(|AnyValue { value }| value) {
        Some(Value::StringValue(it)) => format!("{it:?}").trim_matches('"').to_owned(),
        Some(Value::IntValue(it)) => it.to_string(),
        Some(Value::BoolValue(it)) => it.to_string(),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|it| (it.key.clone(), text(it))).collect()
}

fn takes() -> Server {
    Server::of(vec![Script::with(200, "content-type: application/x-protobuf\ncontent-length: 0", "")])
}

/// How long the provider takes.
const TAKES: Duration = Duration::from_millis(5);

/// A proxy before a provider with these answers, whose spans go to this address.
fn exports(scripts: Vec<Script>, collector: &str, dry_run: bool) -> (Server, Proxy) {
    // The start and the end of a turn are this far apart at least.
    let server = Server::new(move |at, _| {
        thread::sleep(TAKES);
        scripts[at.min(scripts.len() - 1)].clone()
    });
    let mut collector = Collector::parse(collector).expect("an address");
    collector.timeout = Duration::from_millis(300);
    let proxying = Proxying { collector: Some(collector), dry_run, ..proxying(&server) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    (server, proxy)
}

const TRACE: [u8; 16] =
    [0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36];
const PARENT: [u8; 8] = [0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7];
const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// A repair, then an answer that no guard changes.
fn repaired() -> Vec<Script> {
    vec![answers("repair", &[("a", "ls")]), answers("done", &[])]
}

#[test]
fn an_intervention_is_a_span_in_the_trace_of_the_agent() {
    let collector = takes();
    let (_server, proxy) = exports(repaired(), &format!("{}/traces?a=b", collector.url()), false);
    let mut client = Client::at(&proxy.url(), Some(SAMPLED));
    client.asks();
    client.result("made", "files");
    assert_eq!(client.asks()["content"], "done");
    assert_eq!(proxy.counted().turns, 2);
    drop(proxy);
    let [request] = &collector.requests()[..] else { panic!("{:?}", collector.requests()) };
    assert_eq!(request.line, "POST /v1/traces?a=b HTTP/1.1");
    assert_eq!(request.header("content-type"), Some("application/x-protobuf"));
    assert_eq!(request.header("authorization"), None);
    let sent = Sent::of(request);
    assert_eq!(sent.service, "balk");
    let [span] = &sent.spans[..] else { panic!("{:?}", sent.spans) };
    assert_eq!((&*span.name, span.kind()), ("balk.intervention", SpanKind::Internal));
    assert_eq!((&*span.trace_id, &*span.parent_span_id), (&TRACE[..], &PARENT[..]));
    assert!(span.span_id.len() == 8 && span.span_id != PARENT, "{:?}", span.span_id);
    let lasted = span.end_time_unix_nano.checked_sub(span.start_time_unix_nano).expect("an order");
    let begins_in_this_century = span.start_time_unix_nano > 1_700_000_000_000_000_000;
    assert!(begins_in_this_century && Duration::from_nanos(lasted) >= TAKES, "{span:?}");
    let expected = [
        ("balk.conversation", "it-0"),
        ("balk.dry_run", "false"),
        ("balk.guard", "obeys"),
        ("balk.kind", "repair"),
        ("balk.level", "1"),
        ("balk.rule", "r"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "m"),
    ];
    assert_eq!(read(&span.attributes), expected.map(|(key, it)| (key.to_owned(), it.to_owned())).into());
    for text in ["Do it.", "made", "files"] {
        assert!(!request.body.contains(text), "{}", request.body);
    }
}

#[test]
fn a_dry_run_says_so_and_without_a_trace_of_the_agent_there_is_a_new_one() {
    let collector = takes();
    let (_server, proxy) = exports(vec![answers("stop", &[])], &collector.url(), true);
    for _ in 0..2 {
        Client::new(&proxy).asks();
    }
    drop(proxy);
    let spans: Vec<Span> = collector.requests().iter().flat_map(|it| Sent::of(it).spans).collect();
    let [first, second] = &spans[..] else { panic!("{spans:?}") };
    let is_new = |it: &Span| it.trace_id.iter().any(|it| *it != 0) && it.parent_span_id.is_empty();
    assert!(is_new(first) && is_new(second) && first.trace_id != second.trace_id, "{spans:?}");
    assert_eq!(
        (&*read(&first.attributes)["balk.dry_run"], &*read(&first.attributes)["balk.kind"]),
        ("true", "stop")
    );
}

#[test]
fn a_trace_that_its_agent_does_not_keep_gets_no_spans() {
    let collector = takes();
    let (_server, proxy) = exports(repaired(), &collector.url(), false);
    Client::at(&proxy.url(), Some(UNSAMPLED)).asks();
    assert_eq!(proxy.counted().interventions.len(), 1);
    proxy.flush();
    assert_eq!((collector.requests().len(), proxy.counted().unexported), (0, 0));
}

#[test]
fn a_collector_that_is_down_or_refuses_or_never_answers_changes_nothing() {
    let nowhere = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        format!("http://{}", listener.local_addr().expect("it is bound"))
    };
    let refuses = Server::of(vec![Script::json(500, "{}")]);
    let silent = Server::of(vec![Script::raw("").hang()]);
    for (address, why) in [
        (nowhere, "Connection refused"),
        (refuses.url(), "it answered 500 Internal Server Error"),
        (silent.url(), "it did not answer within 300ms"),
    ] {
        let (server, proxy) = exports(repaired(), &address, false);
        let mut client = Client::new(&proxy);
        assert_eq!(client.asks()["tool_calls"][0]["id"], "made");
        client.result("made", "files");
        assert_eq!(client.asks()["content"], "done");
        assert_eq!((server.requests().len(), proxy.unexported()), (2, None));
        proxy.flush();
        let told = proxy.unexported().expect("a span is lost");
        assert!(told.starts_with(&address) && told.contains(why), "{told}");
        assert_eq!((proxy.counted().unexported, proxy.counted().failed), (1, 0));
        // The agent goes on, and what comes after the end is lost as well.
        client.messages.truncate(1);
        client.asks();
        assert_eq!(proxy.counted().turns, 3);
    }
}

#[test]
fn a_collector_that_never_answers_does_not_keep_the_proxy_from_its_end() {
    let silent = Server::of(vec![Script::raw("").hang()]);
    let mut collector = Collector::parse(&silent.url()).expect("an address");
    collector.timeout = Duration::from_secs(60);
    let server = Server::of(repaired());
    let proxying = Proxying { collector: Some(collector), ..proxying(&server) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    Client::new(&proxy).asks();
    let watch = Stopwatch::start();
    proxy.flush();
    assert_eq!(proxy.unexported(), Some(format!("{}: it did not answer in time", silent.url())));
    assert_eq!(proxy.counted().unexported, 1);
    drop(proxy);
    let took = Duration::from_nanos(watch.nanoseconds());
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
#[cfg(unix)]
fn the_program_reads_the_environment_and_sends_the_last_spans_when_it_ends() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().expect("a folder");
    // The stack finds a call of a name that is not on offer.
    let provider = Server::of(vec![answers("", &[("a", "LS")])]);
    for is_off in [false, true] {
        let collector = takes();
        let base = collector.url();
        let mut command = balk(folder.path(), &["proxy", "--guard", "repair", "--upstream", &provider.url()]);
        command
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", base.trim_end_matches("/v1"))
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b")
            .env("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
            .env("OTEL_SERVICE_NAME", "mine")
            .env("OTEL_SDK_DISABLED", is_off.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().expect("the program starts");
        let mut url = String::new();
        let out = running.stdout.as_mut().expect("it has a pipe");
        BufReader::new(out).read_line(&mut url).expect("it says where it is");
        let message = Client::at(url.trim_end(), None).asks();
        assert_eq!(message["tool_calls"][0]["function"]["name"], "ls", "{message}");
        kill_process(Pid::from_child(&running), Signal::INT).expect("it is running");
        let ended = running.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && !said.contains("warning"), "{said}");
        let requests = collector.requests();
        if is_off {
            assert_eq!(requests.len(), 0);
            continue;
        }
        let [request] = &requests[..] else { panic!("{requests:?}") };
        assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
        assert_eq!(request.header("x-key"), Some("a b"));
        let sent = Sent::of(request);
        assert_eq!(sent.service, "mine");
        let guards = sent.spans.iter().map(|it| read(&it.attributes).remove("balk.guard"));
        let guards: Vec<_> = guards.map(Option::unwrap_or_default).collect();
        assert!(!guards.is_empty() && guards.iter().all(|it| it == "repair"), "{guards:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_collector_that_is_down_is_said_once() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().expect("a folder");
    let provider = Server::of(vec![answers("", &[("a", "LS")])]);
    let collector = Server::of(vec![Script::json(401, "{}")]);
    let mut command = balk(folder.path(), &["proxy", "--guard", "repair", "--upstream", &provider.url()]);
    command.env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.url()).env("OTEL_BSP_SCHEDULE_DELAY", "10");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().expect("the program starts");
    let mut url = String::new();
    let out = running.stdout.as_mut().expect("it has a pipe");
    BufReader::new(out).read_line(&mut url).expect("it says where it is");
    for count in 1..=2 {
        Client::at(url.trim_end(), None).asks();
        crate::common::program::wait_for("a request", || collector.requests().len() == count);
    }
    thread::sleep(Duration::from_millis(200));
    kill_process(Pid::from_child(&running), Signal::INT).expect("it is running");
    let ended = running.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let warnings: Vec<&str> = said.lines().filter(|it| it.contains("warning")).collect();
    let url = url.trim_end();
    let expected = format!(
        "warning: {}: it answered 401 Unauthorized; spans are lost, and {url}/_balk counts them",
        collector.url()
    );
    assert!(warnings.len() == 1 && warnings[0].ends_with(&expected), "{said}");
}
