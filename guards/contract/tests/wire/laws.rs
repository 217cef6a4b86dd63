//! Whatever a model answers, and however its stream is cut: the same completion as in one piece.

use balk_contract::wire::{Delta, Dialect, Form, Remedy, Reply};
use balk_contract::{AttemptCause, Completion, is_blank};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::common::{add, fed, finished, offer, sse};

/// An answer, in one piece and as events.
#[derive(Clone, Debug)]
struct Answer {
    dialect: Dialect,
    whole: String,
    events: Vec<String>,
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-zé\u{1F600}\"\\\\ \n]{1,16}", 1 => "[ \n]{0,2}", 1 => any::<String>()]
}

fn object() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{}".to_owned()),
        Just("{\n  \"b\": 100000000000000000001,\n  \"a\": 1.0, \"a\": 1, \"c\": 1e999\n}".to_owned()),
        Just("{\"__raw_arguments\":\"[1, 2]\"}".to_owned()),
        text().prop_map(|value| format!("{{\"path\": {}}}", json(&value))),
    ]
}

/// Cuts a text at these places.
fn pieces(text: &str, cuts: &[Index]) -> Vec<String> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.retain(|&at| text.is_char_boundary(at));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| text[ends[0]..ends[1]].to_owned()).collect()
}

fn cuts() -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..4)
}

fn openai() -> impl Strategy<Value = Answer> {
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

fn anthropic() -> impl Strategy<Value = Answer> {
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

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![openai(), anthropic()]
}

/// The events as bytes, with what else a server may send between them.
fn bytes(events: &[String], end: &str, mark: bool) -> Vec<u8> {
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let stream = sse(&events).replace("data: {", ": alive\nevent: x\ndata: {").replace('\n', end);
    format!("{}{stream}", if mark { "\u{feff}" } else { "" }).into_bytes()
}

/// Cuts bytes at these places, be it within a character.
fn cut<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

/// What of a completion's texts a person can see.
fn shown(completion: &Completion) -> String {
    completion.texts().map(|text| &**text).collect()
}

fn whole(answer: &Answer) -> Completion {
    answer.dialect.completion(&answer.whole, &offer()).expect("a whole response")
}

proptest! {
    #[test]
    fn a_stream_brings_the_completion_that_the_whole_response_brings(
        answer in answer(), end in select(vec!["\n", "\r", "\r\n"]), mark: bool, cuts in vec(any::<Index>(), 0..12),
    ) {
        let bytes = bytes(&answer.events, end, mark);
        let (seen, completion) = fed(answer.dialect, cut(&bytes, &cuts));
        let completion = completion.expect("a stream that ends well");
        prop_assert_eq!(&completion, &whole(&answer), "{:?}", &answer);
        // Blank texts are shown as they arrive, and dropped at the end.
        let squeezed = |text: &str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
        prop_assert_eq!(squeezed(&seen.text), squeezed(&shown(&completion)));
    }

    #[test]
    fn a_reply_is_read_whole_and_as_a_stream_and_a_cut_one_is_lost(answer in answer(), at: Index) {
        let stream = sse(&answer.events.iter().map(String::as_str).collect::<Vec<_>>());
        let reply = |form, body: &str| Reply { status: 200, retry_after: None, form, body: body.into() };
        let all = Ok(whole(&answer));
        prop_assert_eq!(&answer.dialect.answer(&reply(Form::Stream, &stream), &offer()), &all);
        prop_assert_eq!(&answer.dialect.answer(&reply(Form::Whole, &answer.whole), &offer()), &all);
        let cut = (0..at.index(answer.whole.len())).rfind(|&it| answer.whole.is_char_boundary(it)).unwrap_or(0);
        let refusal = answer.dialect.answer(&reply(Form::Whole, &answer.whole[..cut]), &offer()).unwrap_err();
        prop_assert_eq!((refusal.cause, refusal.remedy), (AttemptCause::Disconnected, Remedy::Again));
    }

    #[test]
    fn one_piece_single_bytes_and_events_are_the_same(answer in answer(), end in select(vec!["\n", "\r", "\r\n"])) {
        let bytes = bytes(&answer.events, end, false);
        let at_once = fed(answer.dialect, [&*bytes]);
        prop_assert_eq!(&fed(answer.dialect, bytes.chunks(1)), &at_once);
        let mut reader = answer.dialect.stream();
        let mut seen = Delta::default();
        for event in &answer.events {
            add(&mut seen, &reader.push(event));
        }
        prop_assert_eq!((seen, finished(reader)), at_once);
    }

    #[test]
    fn a_stream_that_is_cut_off_brings_the_completion_or_what_arrived_of_it(answer in answer(), at: Index) {
        let bytes = bytes(&answer.events, "\n", false);
        let bytes = &bytes[..at.index(bytes.len())];
        let all = whole(&answer);
        let (seen, end) = fed(answer.dialect, [bytes]);
        match end {
            // Of OpenAI chat, tokens may be what is missing.
            Ok(completion) => prop_assert_eq!(Completion { usage: all.usage, ..completion }, all),
            Err(broken) => {
                let facts = broken.facts;
                prop_assert_eq!(facts.provider_progress, Some(!bytes.is_empty()));
                prop_assert_eq!(facts.visible_output, Some(!is_blank(&seen.text)));
                prop_assert_eq!(facts.tool_call_materialized, Some(!broken.partial.calls.is_empty()));
                prop_assert!(!broken.partial.calls.is_empty() <= (facts.tool_input_started == Some(true)));
                // The calls that are whole are calls of the whole answer.
                for call in &broken.partial.calls {
                    prop_assert!(all.calls.contains(call), "{call:?} of {all:?}");
                }
            }
        }
    }

    #[test]
    fn reading_never_panics(
        bytes in vec(any::<u8>(), 0..64),
        text: String,
        answer in answer(),
        at: Index,
        status in select(vec![0_u16, 200, 204, 302, 400, 429, 503, 999]),
        form in select(vec![Form::Whole, Form::Stream]),
    ) {
        for dialect in Dialect::ALL {
            let noise = format!("data: {text}\n\n");
            drop(fed(dialect, [&*bytes, noise.as_bytes()]));
            for body in [noise, text.clone(), String::from_utf8_lossy(&bytes).into_owned()] {
                drop(dialect.answer(&Reply { status, retry_after: None, form, body: body.into() }, &offer()));
            }
            // Events of the other dialect, and one with a byte changed.
            let mut bytes = self::bytes(&answer.events, "\n", false);
            drop(fed(dialect, [&*bytes]));
            // An answer that is cut, as a reply.
            for body in [&answer.whole[..], &answer.events.join("\n")] {
                let cut = (0..=at.index(body.len() + 1)).rfind(|&it| body.is_char_boundary(it)).unwrap_or(0);
                let reply = Reply { status, retry_after: None, form, body: body[..cut].into() };
                let read = dialect.answer(&reply, &offer());
                prop_assert!(read.is_err() || (200..300).contains(&status), "{:?}", reply);
            }
            let at = at.index(bytes.len());
            bytes[at] = bytes[at].wrapping_add(1);
            let at_once = fed(dialect, [&*bytes]);
            prop_assert_eq!(fed(dialect, bytes.chunks(1)), at_once);
        }
    }
}
