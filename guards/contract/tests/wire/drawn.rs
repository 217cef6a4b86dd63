//! Answers of OpenAI chat and of Anthropic, drawn: each in one piece and as events.

use balk_contract::wire::Dialect;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// An answer, in one piece and as events.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) dialect: Dialect,
    pub(crate) whole: String,
    pub(crate) events: Vec<String>,
}

pub(crate) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-zé\u{1F600}\"\\\\ \n]{1,16}", 1 => "[ \n]{0,2}", 1 => any::<String>()]
}

pub(crate) fn object() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{}".to_owned()),
        Just("{\n  \"b\": 100000000000000000001,\n  \"a\": 1.0, \"a\": 1, \"c\": 1e999\n}".to_owned()),
        Just("{\"__raw_arguments\":\"[1, 2]\"}".to_owned()),
        text().prop_map(|value| format!("{{\"path\": {}}}", json(&value))),
    ]
}

/// Cuts a text at these places.
pub(crate) fn pieces(text: &str, cuts: &[Index]) -> Vec<String> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.retain(|&at| text.is_char_boundary(at));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| text[ends[0]..ends[1]].to_owned()).collect()
}

pub(crate) fn cuts() -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..4)
}

pub(crate) fn openai() -> impl Strategy<Value = Answer> {
    let arguments = prop_oneof![3 => object(), 1 => text()];
    let call = ("call_[a-z]{6}", select(vec!["ls", "write", "other"]), arguments, cuts());
    let said = || option::of((text(), cuts()));
    let end =
        (select(vec!["stop", "length", "tool_calls", "eos"]), option::of(any::<(u32, u32)>()), any::<bool>());
    (said(), said(), said(), vec(call, 0..4), vec(any::<Index>(), 32), end).prop_map(
        |(thinking, content, refusal, calls, order, end)| {
            let texts = [("reasoning_content", thinking), ("content", content), ("refusal", refusal)];
            openai_answer(texts, &calls, &order, end)
        },
    )
}

/// A text with its cuts, under the name of its member.
type Said = (&'static str, Option<(String, Vec<Index>)>);
/// The id, the tool, the arguments and their cuts.
type Call = (String, &'static str, String, Vec<Index>);

/// The answer out of its texts, its calls, the order in which pieces of calls arrive, and the finish reason with
/// tokens and whether the stream says that it is done.
fn openai_answer(
    texts: [Said; 3],
    calls: &[Call],
    order: &[Index],
    (finish, usage, done): (&str, Option<(u32, u32)>, bool),
) -> Answer {
    let mut events = vec![chunk("\"role\":\"assistant\",\"content\":\"\"")];
    let mut members = Vec::new();
    for (name, said) in texts {
        let Some((text, cuts)) = said else { continue };
        members.push(format!("\"{name}\":{}", json(&text)));
        let delta = |piece: &String| chunk(&format!("\"{name}\":{}", json(piece)));
        events.extend(pieces(&text, &cuts).iter().map(delta));
    }
    let mut waiting = Vec::new();
    let mut whole = Vec::new();
    for (at, (id, name, arguments, cuts)) in calls.iter().enumerate() {
        let function = |arguments: &str| format!("\"name\":\"{name}\",\"arguments\":{}", json(arguments));
        let head = format!("\"id\":\"{id}\",\"type\":\"function\"");
        whole.push(format!("{{{head},\"function\":{{{}}}}}", function(arguments)));
        let delta = |head: &str, function: &str| {
            chunk(&format!("\"tool_calls\":[{{\"index\":{at}{head},\"function\":{{{function}}}}}]"))
        };
        let rest = pieces(arguments, cuts);
        let rest = rest.iter().rev().map(|piece| delta("", &format!("\"arguments\":{}", json(piece))));
        let mut chunks: Vec<String> = rest.collect();
        chunks.push(delta(&format!(",{head}"), &function("")));
        waiting.push(chunks);
    }
    if !whole.is_empty() {
        members.push(format!("\"tool_calls\":[{}]", whole.join(",")));
    }
    // The pieces of several calls come in any order, those of one call in theirs.
    let mut order = order.iter().cycle();
    while !waiting.is_empty() {
        let at = order.next().map_or(0, |it| it.index(waiting.len()));
        events.extend(waiting[at].pop());
        waiting.retain(|it| !it.is_empty());
    }
    events.push(format!("{{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}"));
    let mut tokens = String::new();
    if let Some((prompt, completion)) = usage {
        tokens = format!(",\"usage\":{{\"prompt_tokens\":{prompt},\"completion_tokens\":{completion}}}");
        events.push(format!("{{\"choices\":[]{tokens}}}"));
    }
    events.extend(done.then(|| "[DONE]".to_owned()));
    let whole = format!(
        "{{\"choices\":[{{\"message\":{{{}}},\"finish_reason\":\"{finish}\"}}]{tokens}}}",
        members.join(",")
    );
    Answer { dialect: Dialect::OpenAi, whole, events }
}

fn chunk(delta: &str) -> String {
    format!(
        "{{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{{delta}}},\"finish_reason\":null}}],\"usage\":null}}"
    )
}

/// A block: how it begins, what the whole of it adds to that, and the deltas with their cuts.
#[derive(Clone, Debug)]
enum Block {
    Text(String, Vec<Index>),
    Thinking(String, Vec<Index>, String),
    Redacted(String),
    Use(String, String, Vec<Index>),
    Search,
}

pub(crate) fn anthropic() -> impl Strategy<Value = Answer> {
    let block = prop_oneof![
        3 => (text(), cuts()).prop_map(|(text, cuts)| Block::Text(text, cuts)),
        2 => (text(), cuts(), "[A-Za-z0-9]{0,9}").prop_map(|(text, cuts, seal)| Block::Thinking(text, cuts, seal)),
        1 => "[A-Za-z0-9]{1,9}".prop_map(Block::Redacted),
        3 => ("toolu_[a-z]{6}|hex-61", object(), cuts()).prop_map(|(id, input, cuts)| Block::Use(id, input, cuts)),
        1 => Just(Block::Search),
    ];
    let stop = select(vec!["end_turn", "max_tokens", "tool_use", "pause_turn"]);
    (vec(block, 0..5), stop, any::<(u32, u32, u32)>(), any::<bool>()).prop_map(anthropic_answer)
}

fn anthropic_answer(
    (blocks, stop, (input, cached, output), is_last): (Vec<Block>, &str, (u32, u32, u32), bool),
) -> Answer {
    let request = format!("\"input_tokens\":{input},\"cache_read_input_tokens\":{cached}");
    let mut events = vec![format!(
        "{{\"type\":\"message_start\",\"message\":{{\"content\":[],\"usage\":{{{request},\"output_tokens\":0}}}}}}"
    )];
    let mut whole = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let (start, deltas, all) = anthropic_block(block);
        events.push(format!("{{\"type\":\"content_block_start\",\"index\":{at},\"content_block\":{start}}}"));
        let delta = |delta: &String| {
            format!("{{\"type\":\"content_block_delta\",\"index\":{at},\"delta\":{{{delta}}}}}")
        };
        events.extend(deltas.iter().map(delta));
        events.push("{\"type\": \"ping\"}".to_owned());
        events.push(format!("{{\"type\":\"content_block_stop\",\"index\":{at}}}"));
        whole.push(all);
    }
    let stop = format!("\"stop_reason\":\"{stop}\"");
    events.push(format!(
        "{{\"type\":\"message_delta\",\"delta\":{{{stop}}},\"usage\":{{\"output_tokens\":{output}}}}}"
    ));
    events.extend(is_last.then(|| "{\"type\":\"message_stop\"}".to_owned()));
    let usage = format!("\"usage\":{{{request},\"output_tokens\":{output}}}");
    let whole = format!("{{\"content\":[{}],{stop},{usage}}}", whole.join(","));
    Answer { dialect: Dialect::Anthropic, whole, events }
}

/// How a block begins, what is added to it, and all of it.
fn anthropic_block(block: &Block) -> (String, Vec<String>, String) {
    let deltas = |kind: &str, member: &str, text: &str, cuts: &[Index]| -> Vec<String> {
        let delta = |piece: &String| format!("\"type\":\"{kind}\",\"{member}\":{}", json(piece));
        pieces(text, cuts).iter().map(delta).collect()
    };
    match block {
        Block::Text(text, cuts) => (
            "{\"type\":\"text\",\"text\":\"\"}".to_owned(),
            deltas("text_delta", "text", text, cuts),
            format!("{{\"type\":\"text\",\"text\":{}}}", json(text)),
        ),
        Block::Thinking(text, cuts, seal) => {
            let mut thinking = deltas("thinking_delta", "thinking", text, cuts);
            thinking.extend(deltas("signature_delta", "signature", seal, &[]));
            let all = format!("\"thinking\":{},\"signature\":{}", json(text), json(seal));
            let start = "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}";
            (start.to_owned(), thinking, format!("{{\"type\":\"thinking\",{all}}}"))
        }
        Block::Redacted(data) => {
            let all = format!("{{\"type\":\"redacted_thinking\",\"data\":\"{data}\"}}");
            (all.clone(), Vec::new(), all)
        }
        Block::Use(id, input, cuts) => {
            let head = format!("\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"ls\"");
            let start = format!("{{{head},\"input\":{{}}}}");
            // No arguments come as no delta at all.
            let deltas =
                if input == "{}" { vec![] } else { deltas("input_json_delta", "partial_json", input, cuts) };
            (start, deltas, format!("{{{head},\"input\":{input}}}"))
        }
        Block::Search => {
            let all = "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}}";
            (all.to_owned(), deltas("input_json_delta", "partial_json", "{\"q\":1}", &[]), all.to_owned())
        }
    }
}
