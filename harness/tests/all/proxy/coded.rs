//! Bodies in codings. `identity` is none.

use balk_guards::wire::{Asking, Dialect};

use super::client::{Client, answers, proxy, says};
use super::streamed::view;
use crate::common::path_of;
use crate::common::server::Script;

#[test]
fn an_answer_without_a_coding_may_say_so() {
    for (coding, is_read) in [
        ("identity", true),
        (" Identity , identity", true),
        ("", true),
        ("gzip", false),
        ("identity, br", false),
    ] {
        let headers = format!("content-type: application/json\ncontent-encoding:{coding}");
        let (server, proxy) =
            proxy(vec![Script::with(200, &headers, &says("retry", &[])), answers("done", &[])]);
        let got = Client::new(&proxy).send();
        let passed = proxy.counted().passed;
        let expected = if is_read { [].into() } else { [("unreadable-answer", 1)].into() };
        assert_eq!((server.requests().len(), passed), (1 + usize::from(is_read), expected), "{coding}");
        assert_eq!(got.body.contains("done"), is_read, "{coding}");
    }
}

#[test]
fn a_request_without_a_coding_may_say_so() {
    for (coding, counts) in [("identity", None), ("IDENTITY", None), ("gzip", Some("compressed"))] {
        let (_server, proxy) = proxy(vec![answers("done", &[])]);
        let request = Dialect::OpenAi.request(&view(), &Asking { stream: false, ..Asking::of("m") });
        let url = format!("{}/{}", proxy.url(), path_of(Dialect::OpenAi, false));
        ureq::post(&url).header("content-encoding", coding).send(request).expect("it passes");
        let passed: Vec<&str> = proxy.counted().passed.into_keys().collect();
        assert_eq!(passed, counts.into_iter().collect::<Vec<_>>(), "{coding}");
    }
}
