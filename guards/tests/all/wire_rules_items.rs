//! For each rule of OpenAI Responses and of Gemini, a request that breaks it and nothing else.

use crate::wire_rules::{breaks, holds};
use balk_guards::wire::{Dialect, Rule};

const ASK: &str = r#"{"role":"user","content":"go"}"#;
const CALL: &str = r#"{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}"#;
const RESULT: &str = r#"{"type":"function_call_output","call_id":"c1","output":"a.py"}"#;
const TALK: &str = r#"{"role":"assistant","content":"done"}"#;

/// The same for Gemini.
const USER: &str = r#"{"role":"user","parts":[{"text":"go"}]}"#;
const USE: &str = r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]}"#;
const ANSWER: &str =
    r#"{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}}]}"#;
const SAID: &str = r#"{"role":"model","parts":[{"text":"done"}]}"#;

fn items(items: &[&str]) -> String {
    format!(r#"{{"model":"m","input":[{}]}}"#, items.join(","))
}

fn contents(contents: &[&str]) -> String {
    format!(r#"{{"contents":[{}]}}"#, contents.join(","))
}

#[test]
fn the_rules_of_responses() {
    let broken: [(Rule, &str, &[&str]); 6] = [
        (Rule::NoMessages, "input", &[]),
        (
            Rule::ToolName,
            "input[1].name",
            &[ASK, r#"{"type":"function_call","call_id":"c1","name":"a.b","arguments":"{}"}"#, RESULT],
        ),
        (
            Rule::ArgumentsText,
            "input[1].arguments",
            &[ASK, r#"{"type":"function_call","call_id":"c1","name":"ls","arguments":{}}"#, RESULT],
        ),
        (
            Rule::ArgumentsText,
            "input[1].input",
            &[ASK, r#"{"type":"custom_tool_call","call_id":"c1","name":"ls"}"#, RESULT],
        ),
        (Rule::UnansweredCall, "input", &[ASK, CALL, ASK]),
        (Rule::OrphanedResult, "input[1].call_id", &[ASK, RESULT, CALL]),
    ];
    for (rule, place, said) in broken {
        breaks(Dialect::Responses, &items(said), rule, place);
    }
    let tool =
        r#"{"model":"m","input":"go","tools":[{"type":"web_search"},{"type":"function","name":"a.b"}]}"#;
    breaks(Dialect::Responses, tool, Rule::ToolName, "tools[1].name");
}

#[test]
fn turns_of_responses_that_are_legal() {
    holds(Dialect::Responses, r#"{"model":"m","input":"go"}"#);
    holds(Dialect::Responses, &items(&[ASK, CALL, RESULT, TALK]));
    // What comes between a call and its result is not checked: the order of items is not known to matter.
    holds(Dialect::Responses, &items(&[CALL, TALK, RESULT]));
}

#[test]
fn a_result_may_answer_a_call_of_the_response_that_it_follows() {
    let follows = format!(r#"{{"model":"m","previous_response_id":"r","input":[{RESULT}]}}"#);
    holds(Dialect::Responses, &follows);
    holds(Dialect::Responses, r#"{"model":"m","previous_response_id":"r"}"#);
    breaks(Dialect::Responses, &items(&[RESULT]), Rule::OrphanedResult, "input[0].call_id");
}

#[test]
fn the_rules_of_gemini() {
    let nameless = r#"{"role":"model","parts":[{"functionCall":{"name":"1st"}}]}"#;
    let text = r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":"{}"}}]}"#;
    let broken: [(Rule, &str, &[&str]); 13] = [
        (Rule::NoMessages, "contents", &[]),
        (Rule::EmptyMessage, "contents[0]", &[r#"{"role":"user","parts":[]}"#]),
        (Rule::Role, "contents[0].parts[0]", &[r#"{"parts":[{"functionCall":{"name":"ls"}}]}"#, ANSWER]),
        (
            Rule::Role,
            "contents[2].parts[0]",
            &[USER, USE, r#"{"role":"model","parts":[{"functionResponse":{"name":"ls"}}]}"#],
        ),
        (Rule::ToolName, "contents[1].parts[0].functionCall.name", &[USER, nameless, ANSWER]),
        (Rule::InputObject, "contents[1].parts[0].functionCall.args", &[USER, text, ANSWER]),
        (Rule::UnansweredCall, "contents[2]", &[USER, USE, USER]),
        (Rule::UnansweredCall, "contents", &[USER, USE]),
        (Rule::OrphanedResult, "contents[0]", &[ANSWER]),
        (Rule::OrphanedResult, "contents[3]", &[USER, USE, ANSWER, ANSWER]),
        (
            Rule::ResultPlace,
            "contents[2]",
            &[
                USER,
                USE,
                r#"{"parts":[{"functionResponse":{"name":"ls"}},{"functionResponse":{"name":"ls"}}]}"#,
            ],
        ),
        (Rule::FirstUser, "contents[0]", &[USE, ANSWER]),
        (Rule::Alternate, "contents[2]", &[USER, SAID, USE, ANSWER]),
    ];
    for (rule, place, said) in broken {
        breaks(Dialect::Gemini, &contents(said), rule, place);
    }
    let tool = format!(r#"{{"contents":[{USER}],"tools":[{{"functionDeclarations":[{{"name":"-a"}}]}}]}}"#);
    breaks(Dialect::Gemini, &tool, Rule::ToolName, "tools[0].functionDeclarations[0].name");
}

#[test]
fn turns_of_gemini_that_are_legal() {
    holds(Dialect::Gemini, &contents(&[USER, USE, ANSWER, USER, SAID]));
    holds(Dialect::Gemini, &contents(&[SAID, USER, USE, ANSWER, USE, ANSWER]));
    let dotted =
        format!(r#"{{"contents":[{USER}],"tools":[{{"functionDeclarations":[{{"name":"a.b-c"}}]}}]}}"#);
    holds(Dialect::Gemini, &dotted);
}
