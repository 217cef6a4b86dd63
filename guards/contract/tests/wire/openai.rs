//! What OpenAI and compatible servers send.

use balk_contract::wire::Dialect::OpenAi;

use crate::common::{check, fed, read, sse};

#[test]
fn text_with_usage_in_a_last_chunk_without_choices() {
    check(
        OpenAi,
        &[
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741570283,"model":"gpt-4o",
                "system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"",
                "refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}"#,
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"},
                "finish_reason":null}],"usage":null}"#,
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"lo."},
                "finish_reason":null}],"usage":null}"#,
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},
                "finish_reason":"stop"}],"usage":null}"#,
            r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,
                "completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0}}}"#,
            "[DONE]",
        ],
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
    );
}

#[test]
fn parallel_calls_whose_arguments_come_interleaved() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,
                "id":"call_a","type":"function","function":{"name":"ls","arguments":""}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function",
                "function":{"name":"write","arguments":""}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"path\":"}},
                {"index":0,"function":{"arguments":"{\"p\": "}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1.0}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"a\"}"}}]}}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "[DONE]",
        ],
        r#"{"choices":[{"message":{"content":null,"tool_calls":[
            {"id":"call_a","type":"function","function":{"name":"ls","arguments":"{\"p\": 1.0}"}},
            {"id":"call_b","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\"}"}}]},
            "finish_reason":"tool_calls"}]}"#,
    );
}

/// Two calls of one tool, in one response.
const TWO_CALLS: &str = r#"{"choices":[{"message":{"tool_calls":[
    {"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},
    {"id":"b","function":{"name":"ls","arguments":"{\"p\":2}"}}]},"finish_reason":"tool_calls"}]}"#;

#[test]
fn servers_that_give_no_index() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{\"p\""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"ls","arguments":"{\"p\":2"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"arguments":"}"}}]},
                "finish_reason":"tool_calls"}]}"#,
        ],
        TWO_CALLS,
    );
}

#[test]
fn servers_that_give_every_call_the_first_index() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls",
                "arguments":"{\"p\":1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"ls",
                "arguments":"{\"p\":2}"}}]},"finish_reason":"tool_calls"}]}"#,
        ],
        TWO_CALLS,
    );
}

#[test]
fn servers_that_repeat_the_id_and_the_name_or_an_empty_id() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls",
                "arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls",
                "arguments":"{\"p\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls",
                "arguments":"1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"ls",
                "arguments":"{"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"","function":{"name":"",
                "arguments":"\"p\":2}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":null,"function":{"name":null,
                "arguments":null}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":null},"finish_reason":"tool_calls"}]}"#,
        ],
        TWO_CALLS,
    );
}

#[test]
fn calls_without_an_id_or_an_index() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"ls","arguments":"{}"}},
                {"function":{"name":"ls","arguments":"{\"p\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"1}"}}]},
                "finish_reason":"tool_calls"}]}"#,
        ],
        r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"ls","arguments":"{}"}},
            {"function":{"name":"ls","arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}]}"#,
    );
}

#[test]
fn the_old_form_of_a_call() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"role":"assistant","function_call":{"name":"ls","arguments":""}}}]}"#,
            r#"{"choices":[{"delta":{"function_call":{"arguments":"{\"p\":1}"}}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#,
            "[DONE]",
        ],
        r#"{"choices":[{"message":{"content":null,"function_call":{"name":"ls","arguments":"{\"p\":1}"}},
            "finish_reason":"function_call"}]}"#,
    );
}

#[test]
fn thinking_under_either_name_or_both() {
    let whole =
        r#"{"choices":[{"message":{"reasoning_content":"hm, so","content":"ok"},"finish_reason":"stop"}]}"#;
    for member in [r#""reasoning_content":"#, r#""reasoning":"#] {
        let events = [
            format!(r#"{{"choices":[{{"delta":{{{member}"hm,"}}}}]}}"#),
            format!(r#"{{"choices":[{{"delta":{{{member}" so","content":null}}}}]}}"#),
            r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#.to_owned(),
        ];
        check(OpenAi, &events.each_ref().map(String::as_str), whole);
    }
    let both = [
        r#"{"choices":[{"delta":{"reasoning":"hm, so","reasoning_content":"hm, so"}}]}"#,
        r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#,
    ];
    check(OpenAi, &both, whole);
    let (seen, _) = fed(OpenAi, [sse(&both).as_bytes()]);
    assert_eq!((&*seen.text, &*seen.thinking), ("ok", "hm, so"));
}

#[test]
fn a_refusal_is_text_that_was_withheld() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"delta":{"role":"assistant","refusal":"I can"}}]}"#,
            r#"{"choices":[{"delta":{"refusal":"not."}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
        r#"{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}"#,
    );
}

#[test]
fn only_the_first_choice_counts() {
    check(
        OpenAi,
        &[
            r#"{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"mine"}}]}"#,
            r#"{"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}"#,
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        ],
        r#"{"choices":[{"message":{"content":"mine"},"finish_reason":"stop"}]}"#,
    );
}

#[test]
fn a_stream_that_ends_and_says_nothing_is_an_empty_completion() {
    let completion = read(OpenAi, &["[DONE]"]).unwrap();
    assert!(completion.is_empty());
}

#[test]
fn nothing_is_read_after_the_end() {
    let done = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    let late = r#"{"choices":[{"delta":{"content":"b"}}]}"#;
    let completion = read(OpenAi, &[done, "[DONE]", late, "{"]).unwrap();
    assert_eq!(completion.texts().map(|text| &**text).collect::<Vec<_>>(), ["a"]);
    let mut reader = OpenAi.stream();
    reader.push(done);
    assert!(!reader.is_over());
    reader.push("[DONE]");
    assert!(reader.is_over());
}
