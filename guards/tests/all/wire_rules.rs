//! For each rule, a request that breaks it and nothing else; and requests of real providers.

use std::collections::BTreeSet;

use balk_guards::wire::{Dialect, Rule};
use balk_guards::{Completion, FinishReason, Message, Offer, Part, RawCall, Usage};

/// Messages of a chat request that are legal together.
const ASK: &str = r#"{"role":"user","content":"go"}"#;
const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[
    {"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
const RESULT: &str = r#"{"role":"tool","tool_call_id":"c1","content":"a.py"}"#;
const TALK: &str = r#"{"role":"assistant","content":"done"}"#;

/// The same for Anthropic.
const USE: &str = r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"ls","input":{}}]}"#;
const ANSWER: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a"}]}"#;

fn request(messages: &[&str]) -> String {
    format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","))
}

#[track_caller]
pub(crate) fn breaks(dialect: Dialect, request: &str, rule: Rule, place: &str) {
    let illegal = dialect.legal(request).unwrap().unwrap_err();
    assert_eq!((illegal.rule, illegal.place.as_str()), (rule, place), "{illegal}");
}

#[track_caller]
pub(crate) fn holds(dialect: Dialect, request: &str) {
    assert_eq!(dialect.legal(request), Ok(Ok(())));
}

/// The rules of OpenAI chat, each with messages that break it.
fn openai_examples() -> Vec<(Rule, &'static str, Vec<&'static str>)> {
    vec![
        (Rule::NoMessages, "messages", vec![]),
        (Rule::NoMessages, "messages", vec![r#"{"role":"system","content":"be good"}"#]),
        (Rule::EmptyMessage, "messages[1]", vec![ASK, r#"{"role":"assistant","content":""}"#, ASK]),
        (Rule::EmptyMessage, "messages[1]", vec![ASK, r#"{"role":"assistant"}"#, ASK]),
        (Rule::EmptyMessage, "messages[0]", vec![r#"{"role":"user","content":[]}"#]),
        (Rule::BlankText, "messages[0].content", vec![r#"{"role":"user","content":" \n"}"#]),
        (
            Rule::BlankText,
            "messages[0].content",
            vec![r#"{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":""}]}"#],
        ),
        (
            Rule::Role,
            "messages[0].tool_calls",
            vec![
                r#"{"role":"user","content":"x","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{}"}}]}"#,
            ],
        ),
        (
            Rule::ToolName,
            "messages[1].tool_calls[0].function.name",
            vec![
                ASK,
                r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"fs.ls","arguments":"{}"}}]}"#,
                RESULT,
            ],
        ),
        (Rule::RepeatedId, "messages[3].tool_calls[0].id", vec![ASK, CALL, RESULT, CALL, RESULT]),
        (Rule::UnansweredCall, "messages[2]", vec![ASK, CALL, ASK]),
        (Rule::UnansweredCall, "messages", vec![ASK, CALL]),
        (Rule::OrphanedResult, "messages[1].tool_call_id", vec![ASK, RESULT]),
        (Rule::OrphanedResult, "messages[0].tool_call_id", vec![r#"{"role":"tool","content":"a"}"#]),
        (Rule::ResultPlace, "messages[3].tool_call_id", vec![ASK, CALL, RESULT, RESULT]),
        (Rule::ResultPlace, "messages[4].tool_call_id", vec![ASK, CALL, RESULT, ASK, RESULT]),
        (Rule::EndsWithAssistant, "messages[1]", vec![ASK, TALK]),
        (
            Rule::ArgumentsText,
            "messages[1].tool_calls[0].function.arguments",
            vec![
                ASK,
                r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":{}}}]}"#,
                RESULT,
            ],
        ),
    ]
}

/// Anthropic's rules about messages and calls, each with messages that break it.
fn anthropic_examples() -> Vec<(Rule, &'static str, Vec<&'static str>)> {
    vec![
        (Rule::NoMessages, "messages", vec![]),
        (Rule::EmptyMessage, "messages[0]", vec![r#"{"role":"user","content":[]}"#]),
        (Rule::BlankText, "messages[0].content[0]", vec![r#"{"role":"user","content":" "}"#]),
        (
            Rule::BlankText,
            "messages[1].content[0]",
            vec![
                ASK,
                r#"{"role":"assistant","content":[{"type":"text","text":""},{"type":"text","text":"x"}]}"#,
                ASK,
            ],
        ),
        (
            Rule::BlankText,
            "messages[2].content[0].content",
            vec![
                ASK,
                USE,
                r#"{"role":"user","content":[
                    {"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":" "}]}]}"#,
            ],
        ),
        (
            Rule::Role,
            "messages[0].content[0]",
            vec![r#"{"role":"user","content":[{"type":"tool_use","id":"c1","name":"ls","input":{}}]}"#],
        ),
        (
            Rule::Role,
            "messages[1].content[0]",
            vec![ASK, r#"{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"c1"}]}"#, ASK],
        ),
        (
            Rule::ToolName,
            "messages[1].content[0].name",
            vec![
                ASK,
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"fs.ls","input":{}}]}"#,
                ANSWER,
            ],
        ),
        (Rule::RepeatedId, "messages[3].content[0].id", vec![ASK, USE, ANSWER, USE, ANSWER]),
        (Rule::UnansweredCall, "messages[2]", vec![ASK, USE, ASK]),
        (Rule::OrphanedResult, "messages[0].content[0].tool_use_id", vec![ANSWER]),
        (
            Rule::ResultPlace,
            "messages[2].content[1].tool_use_id",
            vec![
                ASK,
                USE,
                r#"{"role":"user","content":[
                    {"type":"tool_result","tool_use_id":"c1"},{"type":"tool_result","tool_use_id":"c1"}]}"#,
            ],
        ),
    ]
}

/// Anthropic's rules about turns and blocks, each with messages that break it.
fn anthropic_turn_examples() -> Vec<(Rule, &'static str, Vec<&'static str>)> {
    vec![
        (Rule::EndsWithAssistant, "messages[1]", vec![ASK, TALK]),
        (Rule::FirstUser, "messages[0]", vec![TALK, ASK]),
        (Rule::Alternate, "messages[1]", vec![ASK, ASK]),
        (
            Rule::ResultsFirst,
            "messages[2].content[1]",
            vec![
                ASK,
                USE,
                r#"{"role":"user","content":[
                    {"type":"text","text":"look"},{"type":"tool_result","tool_use_id":"c1"}]}"#,
            ],
        ),
        (
            Rule::CallId,
            "messages[1].content[0].id",
            vec![
                ASK,
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"ls:0","name":"ls","input":{}}]}"#,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"ls:0"}]}"#,
            ],
        ),
        (
            Rule::InputObject,
            "messages[1].content[0].input",
            vec![
                ASK,
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"ls","input":"{}"}]}"#,
                ANSWER,
            ],
        ),
        (
            Rule::ThinkingFirst,
            "messages[1].content[1]",
            vec![
                ASK,
                r#"{"role":"assistant","content":[
                    {"type":"text","text":"x"},{"type":"thinking","thinking":"hm","signature":"s"}]}"#,
                ASK,
            ],
        ),
        (
            Rule::ThinkingSigned,
            "messages[1].content[0]",
            vec![
                ASK,
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}]}"#,
                ASK,
            ],
        ),
    ]
}

#[test]
fn each_rule_has_an_example_that_breaks_it() {
    let mut broken = BTreeSet::new();
    for (rule, place, messages) in openai_examples() {
        breaks(Dialect::OpenAi, &request(&messages), rule, place);
        broken.insert(rule);
    }
    for (rule, place, messages) in anthropic_examples().into_iter().chain(anthropic_turn_examples()) {
        breaks(Dialect::Anthropic, &request(&messages), rule, place);
        broken.insert(rule);
    }
    assert_eq!(broken, BTreeSet::from(Rule::ALL));
}

#[test]
fn the_turns_of_the_examples_are_legal() {
    holds(Dialect::OpenAi, &request(&[ASK, CALL, RESULT]));
    holds(Dialect::OpenAi, &request(&[r#"{"role":"developer","content":"be good"}"#, ASK, TALK, ASK, ASK]));
    holds(Dialect::Anthropic, &request(&[ASK, USE, ANSWER]));
    holds(Dialect::Anthropic, &request(&[ASK, TALK, ASK]));
}

#[test]
fn the_names_of_offered_tools_are_checked() {
    let openai = r#"{"model":"m","messages":[{"role":"user","content":"go"}],
        "tools":[{"type":"function","function":{"name":"a.b"}}]}"#;
    breaks(Dialect::OpenAi, openai, Rule::ToolName, "tools[0].function.name");
    let anthropic = r#"{"model":"m","messages":[{"role":"user","content":"go"}],
        "tools":[{"name":"ok"},{"name":"a.b"}]}"#;
    breaks(Dialect::Anthropic, anthropic, Rule::ToolName, "tools[1].name");
}

#[test]
fn an_illegal_request_is_told_what_where_expected_and_found() {
    let illegal = Dialect::OpenAi.legal(&request(&[ASK, CALL, ASK])).unwrap().unwrap_err();
    assert_eq!(
        illegal.to_string(),
        "messages[2]: expected a result for every call before anything else, found user while call `c1` has \
         none"
    );
}

fn call(id: &str, tool: &str, arguments: &str) -> RawCall {
    RawCall { id: id.into(), tool: tool.into(), arguments: arguments.into() }
}

fn completion(
    parts: Vec<Part>,
    calls: Vec<RawCall>,
    finish: FinishReason,
    input_tokens: u64,
    output_tokens: u64,
) -> Completion {
    Completion::new(parts, calls, finish, Usage { input_tokens, output_tokens }, &Offer::default())
}

#[track_caller]
fn reads(dialect: Dialect, response: &str, expected: Completion) {
    assert_eq!(dialect.completion(response, &Offer::default()), Ok(expected));
}

#[test]
fn a_response_of_openai_is_read() {
    reads(
        Dialect::OpenAi,
        r#"{"id":"chatcmpl-1","object":"chat.completion","created":1741570283,"model":"gpt-4o-2024-08-06",
            "choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],
            "tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{\"p\": 1.0}"}},
            {"id":"call_2","type":"function","function":{"name":"ls","arguments":""}}]},
            "logprobs":null,"finish_reason":"tool_calls"}],
            "usage":{"prompt_tokens":82,"completion_tokens":17,"total_tokens":99,
            "prompt_tokens_details":{"cached_tokens":0}},"service_tier":"default"}"#,
        completion(
            vec![],
            vec![call("call_1", "ls", "{\"p\": 1.0}"), call("call_2", "ls", "{}")],
            FinishReason::ToolCall,
            82,
            17,
        ),
    );
}

#[test]
fn the_variants_of_compatible_servers_are_read() {
    reads(
        Dialect::OpenAi,
        r#"{"choices":[{"message":{"reasoning_content":"hm","content":"hi","tool_calls":null}}]}"#,
        completion(
            vec![Part::Thinking { text: "hm".into(), signature: None }, Part::Text("hi".into())],
            vec![],
            FinishReason::NotGiven,
            0,
            0,
        ),
    );
    reads(
        Dialect::OpenAi,
        r#"{"choices":[{"message":{"content":"","tool_calls":[{"function":{"name":"ls","arguments":"{}"}}]},
            "finish_reason":"eos"}],"usage":null}"#,
        completion(vec![], vec![call("", "ls", "{}")], FinishReason::NotGiven, 0, 0),
    );
    reads(
        Dialect::OpenAi,
        r#"{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}"#,
        completion(vec![Part::Text("I cannot.".into())], vec![], FinishReason::ContentFilter, 0, 0),
    );
}

#[test]
fn a_response_of_anthropic_is_read() {
    reads(
        Dialect::Anthropic,
        r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-1","content":[
            {"type":"thinking","thinking":"hm","signature":"EqQB"},{"type":"redacted_thinking","data":"EmwK"},
            {"type":"text","text":"Looking.","citations":null},
            {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},
            {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1",
             "content":{"type":"web_search_tool_result_error","error_code":"unavailable"}},
            {"type":"tool_use","id":"toolu_1","name":"ls","input":{"n": 100000000000000000001, "n":1.0}}],
            "stop_reason":"tool_use","stop_sequence":null,"container":null,
            "usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":null,
            "cache_creation":{"ephemeral_5m_input_tokens":20},"output_tokens":30,"service_tier":"standard"}}"#,
        completion(
            vec![
                Part::Thinking { text: "hm".into(), signature: Some("EqQB".into()) },
                Part::Thinking { text: "".into(), signature: Some("redacted_thinking:EmwK".into()) },
                Part::Text("Looking.".into()),
            ],
            vec![call("toolu_1", "ls", r#"{"n": 100000000000000000001, "n":1.0}"#)],
            FinishReason::ToolCall,
            23,
            30,
        ),
    );
}

#[test]
fn a_stop_reason_that_tells_nothing_is_none() {
    for reason in [r#""pause_turn""#, r#""new_reason""#, "null"] {
        let response =
            format!(r#"{{"content":[{{"type":"text","text":"hi"}}],"stop_reason":{reason},"usage":{{}}}}"#);
        let expected = completion(vec![Part::Text("hi".into())], vec![], FinishReason::NotGiven, 0, 0);
        reads(Dialect::Anthropic, &response, expected);
    }
}

#[track_caller]
fn refuses(dialect: Dialect, response: &str, message: &str) {
    let unreadable = dialect.completion(response, &Offer::default()).unwrap_err();
    assert_eq!(unreadable.to_string(), message);
}

#[test]
fn what_cannot_be_read_names_the_place() {
    refuses(
        Dialect::OpenAi,
        r#"{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":3,"arguments":"{}"}}]}}]}"#,
        "choices[0].message.tool_calls[0].function.name: invalid type: integer `3`, expected a string at line \
         1 column 69",
    );
    refuses(
        Dialect::OpenAi,
        r#"{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":{"a":1}}}]}}]}"#,
        r#"choices[0].message.tool_calls[0].function.arguments: expected a string, found `{"a":1}`"#,
    );
    refuses(Dialect::OpenAi, r#"{"choices":[]}"#, "choices: expected at least one choice, found none");
    refuses(Dialect::OpenAi, "<html>", ".: expected value at line 1 column 1");
    refuses(
        Dialect::Anthropic,
        r#"{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c1","name":"ls","input":[1]}]}"#,
        "content[1].input: expected an object, found `[1]`",
    );
    refuses(
        Dialect::Anthropic,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ".: missing field `content` at line 1 column 75",
    );
}

#[test]
fn what_is_not_text_in_a_request_is_seen_as_its_type() {
    let openai = r#"{"model":"m","stream":false,"messages":[{"role":"system","content":"be good"},
        {"role":"user","name":"me","content":[{"type":"text","text":"look"},
        {"type":"image_url","image_url":{"url":"data:"}}]}],"tools":[{"type":"custom","custom":{}}]}"#;
    let anthropic = r#"{"model":"m","max_tokens":9,"system":"be good","messages":[{"role":"user","content":[
        {"type":"text","text":"look","cache_control":{"type":"ephemeral"}},
        {"type":"image_url","source":{"type":"base64","data":"x"}}]}]}"#;
    let seen = |dialect: Dialect, request| dialect.seen(request, &Offer::default()).unwrap();
    let expected = vec![Message::User("look".into()), Message::User("[image_url]".into())];
    assert_eq!(seen(Dialect::OpenAi, openai).messages, expected);
    assert_eq!(seen(Dialect::OpenAi, openai), seen(Dialect::Anthropic, anthropic));
}

/// What an embedder writes to send more than a view with a request.
#[derive(serde::Serialize)]
struct Tempered {
    temperature: u8,
    #[serde(flatten)]
    request: balk_guards::wire::anthropic::Request,
}

#[test]
fn raw_arguments_survive_beside_members_of_the_embedder() {
    let calls = r#"[{"type":"tool_use","id":"c1","name":"ls","input":{"b":1.0, "a":100000000000000000001}}]"#;
    let said = format!(r#"{{"role":"assistant","content":{calls}}}"#);
    let request = balk_guards::wire::anthropic::Request::parse(&request(&[ASK, &said, ANSWER])).unwrap();
    let sent = serde_json::to_string(&Tempered { temperature: 1, request }).unwrap();
    assert!(sent.starts_with(r#"{"temperature":1,"model":"m","#), "{sent}");
    assert!(sent.contains(calls), "{sent}");
}
