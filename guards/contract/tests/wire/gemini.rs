//! What Gemini sends, in its own form.

use balk_contract::wire::gemini::Response;
use balk_contract::{Completion, FinishReason, Part};

use crate::common::offer;

fn read(json: &str) -> Completion {
    Response::parse(json).expect("a response").read(&offer()).expect("a completion")
}

/// Tools and arguments of the calls.
fn calls(completion: &Completion) -> Vec<[&str; 2]> {
    completion.calls.iter().map(|it| [&*it.tool, &*it.arguments]).collect()
}

#[test]
fn n1_a_function_call_is_a_call() {
    let completion = read(
        r#"{"candidates": [{"content": {"role": "model", "parts": [
            {"text": "They want a list.", "thought": true},
            {"text": "Looking.", "thoughtSignature": "EqQB"},
            {"functionCall": {"name": "ls", "args": {"n": 1000000000000000000000, "p": "a"}}, "thoughtSignature": "Cq"},
            {"functionCall": {"id": "call-2", "name": "write"}},
            {"executableCode": {"language": "PYTHON", "code": "1"}}]},
            "finishReason": "STOP", "index": 0}],
          "usageMetadata": {"promptTokenCount": 25, "candidatesTokenCount": 15, "thoughtsTokenCount": 4,
            "totalTokenCount": 44}, "modelVersion": "gemini-2.5-pro"}"#,
    );
    assert_eq!(calls(&completion), [["ls", r#"{"n": 1000000000000000000000, "p": "a"}"#], ["write", "{}"]]);
    assert_eq!([&*completion.calls[0].id, &*completion.calls[1].id], ["", "call-2"]);
    assert_eq!(
        completion.parts,
        [Part::Thinking { text: "They want a list.".into(), signature: None }, Part::Text("Looking.".into())]
    );
    assert_eq!(completion.finish, FinishReason::ToolCall);
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (25, 19));
}

/// A call that is printed in the text is no call, whatever its form.
#[test]
fn n1_a_printed_function_call_is_text() {
    let completion = read(
        r#"{"candidates": [{"content": {"parts": [{"text": "{\"functionCall\": {\"name\": \"ls\", \"args\": {}}}"}]},
            "finishReason": "STOP"}]}"#,
    );
    assert_eq!(calls(&completion), [[""; 2]; 0]);
    assert_eq!(completion.finish, FinishReason::Stop);
}

#[test]
fn the_end_is_told_in_our_words() {
    for (name, finish) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", FinishReason::ContentFilter),
        ("RECITATION", FinishReason::ContentFilter),
        ("MALFORMED_FUNCTION_CALL", FinishReason::NotGiven),
        ("OTHER", FinishReason::NotGiven),
    ] {
        let json = format!(r#"{{"candidates": [{{"finishReason": "{name}"}}]}}"#);
        assert_eq!(read(&json).finish, finish, "{name}");
    }
    // A call that was cut is no call to run.
    let cut = r#"{"candidates": [{"content": {"parts": [{"functionCall": {"name": "ls", "args": null}}]},
        "finishReason": "MAX_TOKENS"}]}"#;
    assert_eq!(read(cut).finish, FinishReason::Length);
    let blocked = read(r#"{"promptFeedback": {"blockReason": "SAFETY"}}"#);
    assert_eq!((blocked.finish, blocked.is_empty()), (FinishReason::ContentFilter, false));
}

#[test]
fn what_is_no_response_is_refused_with_its_place() {
    let wrong = |json: &str| match Response::parse(json).and_then(|it| it.read(&offer())) {
        Ok(completion) => panic!("it was read: {completion:?}"),
        Err(error) => error.place,
    };
    assert_eq!(wrong("{}"), "candidates");
    assert_eq!(wrong(r#"{"candidates": []}"#), "candidates");
    assert_eq!(
        wrong(r#"{"candidates": [{"content": {"parts": [{"functionCall": {"args": {}}}]}}]}"#),
        "candidates[0].content.parts[0].functionCall"
    );
}
