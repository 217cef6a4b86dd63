//! What a client asks for beside the view.

use balk_contract::wire::Asking;
use balk_contract::wire::Dialect::{self, Anthropic, OpenAi};
use balk_contract::{Completion, Entry, FinishReason, RawCall, Speaker, Usage, UserMessage, View};

use crate::common::offer;

fn view() -> View {
    View::of(&[Entry::User(UserMessage { from: Speaker::User, text: "Go.".into() })])
}

fn asking() -> Asking {
    Asking {
        system: Some("Be brief.".into()),
        max_tokens: Some(64),
        temperature: Some("0.70".parse().unwrap()),
        seed: Some(u64::MAX),
        ..Asking::of("m")
    }
}

#[track_caller]
fn check(dialect: Dialect, asking: &Asking, expected: &str) {
    let request = dialect.request(&view(), asking);
    assert_eq!(request, expected);
    // What is asked is no part of what is seen, and legal.
    let plain = dialect.request(&view(), &Asking::of("m"));
    assert_eq!(dialect.seen(&request, &offer()), dialect.seen(&plain, &offer()));
    assert_eq!(dialect.legal(&request), Ok(Ok(())));
}

#[test]
fn what_is_not_asked_is_not_sent() {
    let message = r#""messages":[{"role":"user","content":"Go."}]"#;
    check(OpenAi, &Asking::of("m"), &format!(r#"{{"model":"m",{message}}}"#));
    let message = r#""messages":[{"role":"user","content":[{"type":"text","text":"Go."}]}]"#;
    let blank = Asking { system: Some(" \n".into()), ..Asking::of("m") };
    for asking in [Asking::of("m"), blank] {
        check(Anthropic, &asking, &format!(r#"{{"model":"m","max_tokens":4096,{message}}}"#));
    }
}

#[test]
fn what_is_asked_is_where_each_provider_expects_it() {
    check(
        OpenAi,
        &asking(),
        &(r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Go."}],"#
            .to_owned()
            + r#""max_tokens":64,"temperature":0.7,"seed":18446744073709551615}"#),
    );
    let newer = Asking { max_tokens: Some(64), max_completion_tokens: true, ..Asking::of("m") };
    let said = r#"{"model":"m","messages":[{"role":"user","content":"Go."}],"max_completion_tokens":64}"#;
    check(OpenAi, &newer, said);
    check(
        Anthropic,
        &asking(),
        &(r#"{"model":"m","max_tokens":64,"system":"Be brief.","messages":[{"role":"user","content":["#
            .to_owned()
            + r#"{"type":"text","text":"Go."}]}],"temperature":0.7}"#),
    );
}

#[test]
fn a_stream_is_asked_for_with_its_tokens() {
    let streamed = Asking { stream: true, ..Asking::of("m") };
    let added = [
        (OpenAi, r#","stream":true,"stream_options":{"include_usage":true}}"#),
        (Anthropic, r#","stream":true}"#),
    ];
    for (dialect, end) in added {
        let plain = dialect.request(&view(), &Asking::of("m"));
        check(dialect, &streamed, &(plain.strip_suffix('}').unwrap().to_owned() + end));
    }
}

#[test]
fn a_request_with_members_of_any_form_can_still_be_read() {
    let request = r#"{"model":"m","messages":[{"role":"user","content":"Go."}],"max_tokens":"64","seed":-1.5,
        "temperature":{},"system":[{"type":"text","text":"Be brief."}]}"#;
    let plain = OpenAi.request(&view(), &Asking::of("m"));
    assert_eq!(OpenAi.seen(request, &offer()), OpenAi.seen(&plain, &offer()));
    let request = request.replace("\"64\"", "64");
    assert_eq!(Anthropic.seen(&request, &offer()), OpenAi.seen(&plain, &offer()));
}

#[test]
fn with_named_calls_equal_completions_are_equal_requests() {
    let completion = |id: &str| {
        let call = |nth: u32| RawCall {
            id: format!("{id}{nth}").into(),
            tool: "ls".into(),
            arguments: format!("{{\"n\":{nth}}}").into(),
        };
        Completion::new([], [call(0), call(1)], FinishReason::ToolCall, Usage::default(), &offer())
    };
    let (mut one, mut other) = (completion("a"), completion("b"));
    assert_ne!(one, other);
    let before = one.clone();
    for it in [&mut one, &mut other] {
        it.name_calls(|at, call| format!("call_7_{at}_{}", call.tool).into());
    }
    assert_eq!(one, other);
    assert_eq!(one.calls.iter().map(|it| &*it.id).collect::<Vec<_>>(), ["call_7_0_ls", "call_7_1_ls"]);
    // Nothing else of a call changes, and a clone keeps its ids.
    assert_eq!((&*before.calls[0].id, before.calls[0].key), ("a0", one.calls[0].key));
}
