//! What Anthropic sends.

use balk_contract::wire::Dialect::Anthropic;
use balk_contract::{FinishReason, Part};

use crate::common::{check, fed, offer, read};

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",
    "model":"claude-opus-4-1","content":[],"stop_reason":null,"stop_sequence":null,
    "usage":{"input_tokens":20,"cache_creation_input_tokens":3,"cache_read_input_tokens":null,"output_tokens":1}}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

#[test]
fn text_as_the_named_events_of_the_api() {
    let stream = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":25,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"!"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}

event: message_stop
data: {"type":"message_stop"}

"#;
    let whole = r#"{"content":[{"type":"text","text":"Hi!"}],"stop_reason":"end_turn",
        "usage":{"input_tokens":25,"output_tokens":15}}"#;
    let (seen, end) = fed(Anthropic, [stream.as_bytes()]);
    assert_eq!(seen.text, "Hi!");
    assert_eq!(end, Ok(Anthropic.completion(whole, &offer()).unwrap()));
}

#[test]
fn thinking_text_and_calls_beside_tools_of_the_provider() {
    check(
        Anthropic,
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"",
                "signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwK"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"srvtoolu_1",
                "name":"web_search","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta",
                "partial_json":"{\"query\":\"x\"}"}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"web_search_tool_result",
                "tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"t",
                "url":"https://example.org","encrypted_content":"E","page_age":null}]}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"content_block_start","index":4,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"Looking."}}"#,
            r#"{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta",
                "citation":{"type":"web_search_result_location"}}}"#,
            r#"{"type":"content_block_stop","index":4}"#,
            r#"{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"toolu_1",
                "name":"ls","input":{}}}"#,
            r#"{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta",
                "partial_json":"{\"n\": 1000000000000000"}}"#,
            r#"{"type":"content_block_delta","index":5,"delta":{"type":"input_json_delta",
                "partial_json":"00001, \"n\":1.0}"}}"#,
            r#"{"type":"content_block_stop","index":5}"#,
            r#"{"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"toolu_2",
                "name":"ls","input":{}}}"#,
            r#"{"type":"content_block_stop","index":6}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},
                "usage":{"input_tokens":20,"output_tokens":30,"server_tool_use":{"web_search_requests":1}}}"#,
            STOP,
        ],
        r#"{"content":[{"type":"thinking","thinking":"Let me see.","signature":"EqQB"},
            {"type":"redacted_thinking","data":"EmwK"},{"type":"text","text":"Looking."},
            {"type":"tool_use","id":"toolu_1","name":"ls","input":{"n": 100000000000000000001, "n":1.0}},
            {"type":"tool_use","id":"toolu_2","name":"ls","input":{}}],
            "stop_reason":"tool_use","usage":{"input_tokens":23,"output_tokens":30}}"#,
    );
}

#[test]
fn a_call_that_is_cut_off_by_the_limit_has_what_arrived_of_it() {
    let completion = read(
        Anthropic,
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1",
                "name":"write","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",
                "partial_json":"{\"path\": \"a"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":4096}}"#,
            STOP,
        ],
    )
    .unwrap();
    assert_eq!(completion.finish, FinishReason::Length);
    assert_eq!(&*completion.calls[0].arguments, "{\"path\": \"a");
}

#[test]
fn what_nobody_documents_adds_nothing() {
    let completion = read(
        Anthropic,
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"hologram","beam":[1]}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"beam_delta","beam":2}}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"From the "}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"start."}}"#,
            r#"{"type":"applause","volume":11}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        ],
    )
    .unwrap();
    assert_eq!(completion.parts, [Part::Text("From the start.".into())]);
}

#[test]
fn events_that_contradict_each_other_are_unreadable() {
    let delta = r#"{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}"#;
    let broken = read(Anthropic, &[START, delta]).unwrap_err();
    assert_eq!(
        &*broken.message,
        "an event of the stream cannot be read: index: expected a block that has begun, found 3"
    );
    let begin = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}"#;
    let broken = read(Anthropic, &[START, begin, begin]).unwrap_err();
    assert_eq!(
        &*broken.message,
        "an event of the stream cannot be read: index: expected a block that has not begun, found 0"
    );
    let broken = read(Anthropic, &[r#"{"type":"content_block_stop"}"#]).unwrap_err();
    assert!(broken.message.ends_with("index: expected it in an event of this type, found nothing"));
}

#[test]
fn a_byte_order_mark_comments_and_data_in_several_lines() {
    let stream = "\u{feff}: welcome

id: 7
data:{\"type\":\"message_start\",\"message\":{}}

: still here
data: {\"type\":\"content_block_start\",
data: \"index\":0,
data:\"content_block\":{\"type\":\"text\",\"text\":\"é\"}}

retry: 10
dataset: no
data

data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}

";
    for end in ["\n", "\r", "\r\n"] {
        let stream = stream.replace('\n', end);
        let (seen, read) = fed(Anthropic, [stream.as_bytes()]);
        assert_eq!((&*seen.text, read.map(|it| it.finish)), ("é", Ok(FinishReason::Stop)), "{end:?}");
    }
}
