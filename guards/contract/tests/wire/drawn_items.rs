//! Answers of OpenAI Responses and of Gemini, drawn: each in one piece and as events.

use balk_contract::wire::Dialect;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::drawn::{Answer, cuts, json, object, pieces, text};

/// An item of a response, with the places where its text is cut.
#[derive(Clone, Debug)]
enum Item {
    Message(Vec<(&'static str, String)>, Vec<Index>),
    Reasoning(String, Option<String>, Vec<Index>),
    Call(String, String, Vec<Index>),
    Custom(String, Vec<Index>),
    Search,
}

pub(crate) fn responses() -> impl Strategy<Value = Answer> {
    let part = (select(vec!["output_text", "output_text", "refusal"]), text());
    let arguments = prop_oneof![3 => object(), 1 => text()];
    let item = prop_oneof![
        3 => (vec(part, 0..3), cuts()).prop_map(|(parts, cuts)| Item::Message(parts, cuts)),
        2 => (text(), option::of("[A-Za-z0-9]{1,9}"), cuts())
            .prop_map(|(text, seal, cuts)| Item::Reasoning(text, seal, cuts)),
        3 => ("call_[a-z]{6}", arguments, cuts()).prop_map(|(id, text, cuts)| Item::Call(id, text, cuts)),
        1 => (text(), cuts()).prop_map(|(text, cuts)| Item::Custom(text, cuts)),
        1 => Just(Item::Search),
    ];
    let end = select(vec![
        ("completed", "null"),
        ("incomplete", r#"{"reason":"max_output_tokens"}"#),
        ("incomplete", r#"{"reason":"content_filter"}"#),
    ]);
    // Some servers send the items in the last event alone, some leave them out of it.
    (vec(item, 0..5), end, any::<(u32, u32)>(), 0..3_u8).prop_map(responses_answer)
}

fn responses_answer(
    (items, (status, why), (input, output), style): (Vec<Item>, (&str, &str), (u32, u32), u8),
) -> Answer {
    let usage = format!(r#""usage":{{"input_tokens":{input},"output_tokens":{output}}}"#);
    let response = |status: &str, items: &str| {
        let head = format!(r#""id":"r","object":"response","status":"{status}","incomplete_details":{why}"#);
        format!(r#"{{{head},"output":[{items}],{usage}}}"#)
    };
    let mut events =
        vec![event("response.created", &format!(r#""response":{}"#, response("in_progress", "")))];
    let mut whole = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let (start, deltas, all) = responses_item(item, at);
        let place = format!(r#""output_index":{at}"#);
        if style != 0 {
            events.push(event("response.output_item.added", &format!(r#"{place},"item":{start}"#)));
            events.extend(deltas.iter().map(|(kind, delta)| event(kind, &format!("{place},{delta}"))));
            events.push(event("response.output_item.done", &format!(r#"{place},"item":{all}"#)));
        }
        whole.push(all);
    }
    let all = response(status, &whole.join(","));
    let last = if style == 2 { response(status, "") } else { all.clone() };
    events.push(event(&format!("response.{status}"), &format!(r#""response":{last}"#)));
    Answer { dialect: Dialect::Responses, whole: all, events }
}

fn event(kind: &str, members: &str) -> String {
    format!(r#"{{"type":"{kind}",{members}}}"#)
}

/// How an item begins, the kinds and members of its events, and all of it.
fn responses_item(item: &Item, at: usize) -> (String, Vec<(&'static str, String)>, String) {
    let deltas = |kind, place: &str, text: &str, cuts: &[Index]| -> Vec<(&'static str, String)> {
        let delta = |piece: &String| (kind, format!(r#"{place}"item_id":"i{at}","delta":{}"#, json(piece)));
        pieces(text, cuts).iter().map(delta).collect()
    };
    match item {
        Item::Message(parts, cuts) => {
            let mut events = Vec::new();
            let mut all = Vec::new();
            // OpenAI begins with text or with a refusal, never with both in one message the other way round.
            let mut parts = parts.clone();
            parts.sort_by_key(|(kind, _)| *kind == "refusal");
            for (nth, (kind, text)) in parts.iter().enumerate() {
                let place = format!(r#""content_index":{nth},"#);
                let (name, member) = match *kind {
                    "refusal" => ("response.refusal.delta", "refusal"),
                    _ => ("response.output_text.delta", "text"),
                };
                events.extend(deltas(name, &place, text, cuts));
                all.push(format!(r#"{{"type":"{kind}","{member}":{}}}"#, json(text)));
            }
            let message = |content: &str| {
                format!(r#"{{"type":"message","id":"i{at}","role":"assistant","content":[{content}]}}"#)
            };
            (message(""), events, message(&all.join(",")))
        }
        Item::Reasoning(text, seal, cuts) => {
            let seal = seal.as_ref().map_or_else(|| "null".to_owned(), |it| json(it));
            let reasoning = |summary: &str, seal: &str| {
                let summary = format!(r#""summary":[{summary}],"encrypted_content":{seal}"#);
                format!(r#"{{"type":"reasoning","id":"i{at}",{summary}}}"#)
            };
            let events = deltas("response.reasoning_summary_text.delta", r#""summary_index":0,"#, text, cuts);
            let summary = format!(r#"{{"type":"summary_text","text":{}}}"#, json(text));
            (reasoning("", "null"), events, reasoning(&summary, &seal))
        }
        Item::Call(id, arguments, cuts) => {
            let call = |arguments: &str| {
                let call = format!(r#""call_id":"{id}","name":"ls","arguments":{}"#, json(arguments));
                format!(r#"{{"type":"function_call","id":"i{at}",{call}}}"#)
            };
            let events = deltas("response.function_call_arguments.delta", "", arguments, cuts);
            (call(""), events, call(arguments))
        }
        Item::Custom(input, cuts) => {
            let call = |input: &str| {
                let call = format!(r#""call_id":"c{at}","name":"patch","input":{}"#, json(input));
                format!(r#"{{"type":"custom_tool_call","id":"i{at}",{call}}}"#)
            };
            (call(""), deltas("response.custom_tool_call_input.delta", "", input, cuts), call(input))
        }
        Item::Search => {
            let all = format!(r#"{{"type":"web_search_call","id":"i{at}","status":"completed"}}"#);
            (all.clone(), vec![("response.web_search_call.searching", r#""item_id":"i""#.to_owned())], all)
        }
    }
}

/// A part of a response of Gemini.
#[derive(Clone, Debug)]
enum Part {
    Text(String, Vec<Index>),
    Thought(String, Vec<Index>),
    Call(Option<String>, String),
    Code,
}

pub(crate) fn gemini() -> impl Strategy<Value = Answer> {
    let part = prop_oneof![
        3 => (text(), cuts()).prop_map(|(text, cuts)| Part::Text(text, cuts)),
        2 => (text(), cuts()).prop_map(|(text, cuts)| Part::Thought(text, cuts)),
        3 => (option::of("[a-z]{6}"), object()).prop_map(|(id, args)| Part::Call(id, args)),
        1 => Just(Part::Code),
    ];
    let stop = select(vec!["STOP", "MAX_TOKENS", "SAFETY", "OTHER"]);
    (vec(part, 0..5), stop, any::<(u32, u32, u32)>()).prop_map(gemini_answer)
}

fn gemini_answer((parts, stop, (prompt, thought, answer)): (Vec<Part>, &str, (u32, u32, u32))) -> Answer {
    let usage = |answer: u32| {
        let thought = format!(r#""thoughtsTokenCount":{thought}"#);
        format!(
            r#""usageMetadata":{{"promptTokenCount":{prompt},"candidatesTokenCount":{answer},{thought}}}"#
        )
    };
    let response = |parts: &str, end: &str, answer: u32| {
        let content = format!(r#""content":{{"parts":[{parts}],"role":"model"}}"#);
        format!(r#"{{"candidates":[{{{content}{end},"index":0}}],{}}}"#, usage(answer))
    };
    let mut events = Vec::new();
    let mut whole: Vec<String> = Vec::new();
    // Neighbouring texts of one kind are one in a stream, so none are drawn.
    let mut last = u8::MAX;
    for part in &parts {
        let (kind, cut, all) = gemini_part(part);
        if kind == last && kind < 2 {
            continue;
        }
        last = kind;
        events.extend(cut.iter().map(|piece| response(piece, "", 0)));
        whole.push(all);
    }
    let end = format!(r#","finishReason":"{stop}""#);
    events.push(response("", &end, answer));
    Answer { dialect: Dialect::Gemini, whole: response(&whole.join(","), &end, answer), events }
}

/// Its kind (0 and 1 are texts), the pieces in which it arrives, and all of it.
fn gemini_part(part: &Part) -> (u8, Vec<String>, String) {
    let said = |text: &str, more: &str| format!(r#"{{"text":{}{more}}}"#, json(text));
    let cut = |text: &str, cuts: &[Index], more: &str| {
        (pieces(text, cuts).iter().map(|it| said(it, more)).collect(), said(text, more))
    };
    match part {
        Part::Text(text, cuts) => {
            let (cut, all) = cut(text, cuts, "");
            (0, cut, all)
        }
        Part::Thought(text, cuts) => {
            let (cut, all) = cut(text, cuts, r#","thought":true"#);
            (1, cut, all)
        }
        Part::Call(id, args) => {
            let id = id.as_ref().map_or_else(String::new, |id| format!(r#""id":"{id}","#));
            let call = format!(r#"{{"functionCall":{{{id}"name":"ls","args":{args}}}}}"#);
            (2, vec![call.clone()], call)
        }
        Part::Code => {
            let code = r#"{"executableCode":{"language":"PYTHON","code":"1"}}"#.to_owned();
            (3, vec![code.clone()], code)
        }
    }
}
