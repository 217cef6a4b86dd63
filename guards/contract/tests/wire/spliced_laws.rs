//! Whatever is put into whatever request: the messages are those of the edits, and the rest is what it was.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_contract::wire::{Asking, Dialect, Edit};
use balk_contract::{
    Completion, Entry, FinishReason, Message, Offer, Origin, Part, RawCall, Speaker, Start, Status,
    ToolResult, Usage, UserMessage, View,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::common::offer;

const OPENING: &str = "(the assistant speaks first)";

fn text() -> impl Strategy<Value = String> {
    prop_oneof![9 => "[a-zé \"\\\\\n]{0,6}[a-z]", 1 => Just(OPENING.to_owned())]
}

/// The texts of a completion, and the tool and the path of each of its calls.
type Said = (Vec<String>, Vec<(&'static str, String)>);

fn said() -> impl Strategy<Value = Said> {
    (vec(text(), 0..3), vec((select(vec!["ls", "write"]), "[a-z]{0,3}"), 0..3))
        .prop_filter("it says something", |(texts, calls)| texts.len() + calls.len() > 0)
}

fn completion((texts, calls): &Said, prefix: &str, offer: &Offer) -> Completion {
    let parts = texts.iter().map(|text| Part::Text(text.as_str().into()));
    let calls = calls.iter().enumerate().map(|(at, (tool, path))| RawCall {
        id: format!("{prefix}.{at}").into(),
        tool: (*tool).into(),
        arguments: format!("{{\"path\": \"{path}\"}}").into(),
    });
    Completion::new(parts, calls, FinishReason::Stop, Usage::default(), offer)
}

/// A request in a client's own form.
#[derive(Clone, Debug)]
struct Drawn {
    dialect: Dialect,
    request: String,
    has_ids: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let turn = (said(), vec(text(), 0..3), text());
    let turns = (vec(text(), 0..2), vec(turn, 0..5));
    (select(Dialect::ALL.to_vec()), turns, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(dialect, (first, turns), has_ids, is_plain, is_odd)| {
            let has_ids = has_ids || dialect != Dialect::Gemini;
            let view = view(&first, &turns);
            let request = dialect.request(&view, &Asking { system: Some("s".into()), ..Asking::of("m") });
            let request = shaped(dialect, &view, request, has_ids, is_plain, is_odd);
            let has_ids = dialect != Dialect::Gemini || request.contains("\"id\":\"");
            Drawn { dialect, request, has_ids }
        },
    )
}

/// A view that is legal everywhere.
fn view(first: &[String], turns: &[(Said, Vec<String>, String)]) -> View {
    let user = |text: &str| Entry::User(UserMessage { from: Speaker::User, text: text.into() });
    let start = Start { model: "m".into(), protocol: Default::default(), offer: offer().into() };
    let mut entries = vec![Entry::Start(start)];
    entries.extend(first.iter().map(|text| user(text)));
    for (nth, (said, texts, result)) in turns.iter().enumerate() {
        let said = completion(said, &format!("c{nth}"), &offer());
        entries.push(Entry::Completion(said.clone().into()));
        entries.extend(said.calls.iter().map(|call| {
            let status = if result.len() % 2 == 0 { Status::Ok } else { Status::Error };
            let (origin, text) = (Origin::Executed, result.as_str().into());
            Entry::Result(ToolResult { call: call.clone(), origin, status, tries: 1, text })
        }));
        entries.extend(texts.iter().map(|text| user(text)));
        entries.extend((said.calls.is_empty() && texts.is_empty()).then(|| user("on")));
    }
    entries.extend((first.is_empty() && turns.is_empty()).then(|| user("go")));
    View::of(&entries)
}

/// The request as other clients write it: without ids, with strings for single blocks, with unknown members and white
/// space.
fn shaped(
    dialect: Dialect,
    view: &View,
    mut request: String,
    has_ids: bool,
    is_plain: bool,
    is_odd: bool,
) -> String {
    for message in view.messages() {
        match message {
            Message::Assistant(said) if !has_ids => {
                for call in &said.calls {
                    request = request.replace(&format!("\"id\":\"{}\",", call.id), "");
                }
            }
            Message::User(text) if is_plain && dialect == Dialect::Anthropic => {
                let text = serde_json::to_string(text).unwrap();
                let block = format!("\"content\":[{{\"type\":\"text\",\"text\":{text}}}]");
                request = request.replace(&block, &format!("\"content\":{text}"));
            }
            Message::User(_) | Message::Assistant(_) | Message::Result { .. } => {}
        }
    }
    if is_odd {
        for start in
            ["{\"role\":", "{\"type\":\"", "{\"text\":", "{\"functionCall\":", "{\"functionResponse\":"]
        {
            let odd = format!("{{ \"odd\" : {{\"a\":1.0,\"a\":[1e9]}} , {}", &start[1..]);
            request = request.replace(start, &odd);
        }
        request = request.replace("} ,{", "}\n\t,  {").replace("},{", "} ,\n{");
    }
    request
}

/// What a proxy does, at a place.
#[derive(Clone, Debug)]
enum Act {
    Exchange(Said, Vec<String>),
    Note(String),
    More(Said, bool),
    Instead(Said),
}

fn act() -> impl Strategy<Value = (Index, Act)> {
    let act = prop_oneof![
        3 => (said(), vec(text(), 1..3)).prop_map(|(said, texts)| Act::Exchange(said, texts)),
        1 => text().prop_map(Act::Note),
        2 => (said(), any::<bool>()).prop_map(|(said, early)| Act::More(said, early)),
        2 => said().prop_map(Act::Instead),
    ];
    (any::<Index>(), act)
}

fn results(said: &Completion) -> impl Iterator<Item = Message> {
    said.calls.iter().map(|call| Message::Result {
        id: call.id.clone(),
        text: format!("no {}", call.id).into(),
        is_error: true,
    })
}

fn is_said(message: &Message) -> bool {
    matches!(message, Message::Assistant(_))
}

/// The edits of these acts that make sense, each turn changed once. `early` results come before the client's own.
fn edits(messages: &[Message], offer: &Offer, acts: &[(Index, Act)], allow_early: bool) -> Vec<Edit> {
    let turns: Vec<usize> = (0..messages.len()).filter(|&at| is_said(&messages[at])).collect();
    let after = |turn: usize| {
        let rest = messages[turn + 1..].iter().take_while(|it| matches!(it, Message::Result { .. }));
        turn + 1 + rest.count()
    };
    let mut chosen: BTreeMap<usize, (usize, &Act)> = BTreeMap::new();
    for (nth, (at, act)) in acts.iter().enumerate() {
        let place = at.index(turns.len() + 1);
        chosen.entry(place).or_insert((nth, act));
    }
    let mut edits = Vec::new();
    for (place, (nth, act)) in chosen {
        let turn = turns.get(place).copied();
        let prefix = format!("n{nth}");
        match (act, turn) {
            (Act::Exchange(said, texts), turn) => {
                let said = completion(said, &prefix, offer);
                let texts = texts.iter().map(|text| Message::User(text.as_str().into()));
                let messages_of = std::iter::once(Message::Assistant(said.clone().into()))
                    .chain(results(&said))
                    .chain(texts)
                    .collect();
                edits.push(Edit::Put { before: turn.unwrap_or(messages.len()), messages: messages_of });
            }
            (Act::Note(text), Some(turn)) => {
                edits.push(Edit::Put {
                    before: after(turn),
                    messages: vec![Message::User(text.as_str().into())],
                });
            }
            (Act::More(said, early), Some(turn)) => {
                let said = completion(said, &prefix, offer);
                let before = if *early && allow_early { turn + 1 } else { after(turn) };
                edits.push(Edit::Put { before, messages: results(&said).collect() });
                edits.push(Edit::Calls { at: turn, completion: said.into() });
            }
            (Act::Instead(said), Some(turn)) => {
                let said = completion(said, &prefix, offer);
                let mut instead = vec![Message::Assistant(said.clone().into())];
                instead.extend(results(&said));
                let Message::Assistant(own) = &messages[turn] else { continue };
                if !own.calls.is_empty() {
                    instead.extend([Message::User("Go on.".into()), messages[turn].clone()]);
                }
                edits.push(Edit::Replace { at: turn, messages: instead });
            }
            (Act::Note(_) | Act::More(..) | Act::Instead(_), None) => {}
        }
    }
    edits
}

/// Any edits at all, each message changed once.
fn wild(messages: &[Message], offer: &Offer, acts: &[(Index, Act)]) -> Vec<Edit> {
    let mut changed = Vec::new();
    let mut edits = Vec::new();
    for (nth, (at, act)) in acts.iter().enumerate() {
        let prefix = format!("n{nth}");
        let before = at.index(messages.len() + 1);
        let turn = messages.get(before).is_some_and(is_said) && !changed.contains(&before);
        match act {
            Act::Exchange(said, texts) => {
                let mut messages = vec![Message::Assistant(completion(said, &prefix, offer).into())];
                messages.extend(texts.iter().map(|text| Message::User(text.as_str().into())));
                edits.push(Edit::Put { before, messages });
            }
            Act::Note(text) => {
                let result = Message::Result { id: prefix.into(), text: "a".into(), is_error: false };
                edits.push(Edit::Put { before, messages: vec![result, Message::User(text.as_str().into())] });
            }
            Act::More(said, _) if turn => {
                changed.push(before);
                let completion = completion(said, &prefix, offer).into();
                edits.push(Edit::Calls { at: before, completion });
            }
            Act::Instead(_) if turn => {
                changed.push(before);
                edits.push(Edit::Replace { at: before, messages: Vec::new() });
            }
            Act::More(..) | Act::Instead(_) => {}
        }
    }
    edits
}

/// The edits, applied to messages one by one.
fn applied(messages: &[Message], edits: &[Edit]) -> Vec<Message> {
    let mut all = Vec::new();
    for at in 0..=messages.len() {
        for edit in edits {
            match edit {
                Edit::Replace { at: it, messages } if it + 1 == at => all.extend(messages.clone()),
                Edit::Put { .. } | Edit::Replace { .. } | Edit::Calls { .. } => {}
            }
        }
        for edit in edits {
            match edit {
                Edit::Put { before, messages } if *before == at => all.extend(messages.clone()),
                Edit::Put { .. } | Edit::Replace { .. } | Edit::Calls { .. } => {}
            }
        }
        let Some(message) = messages.get(at) else { continue };
        if edits.iter().any(|edit| matches!(edit, Edit::Replace { at: it, .. } if *it == at)) {
            continue;
        }
        let mut message = message.clone();
        for edit in edits {
            if let (Edit::Calls { at: it, completion }, Message::Assistant(said)) = (edit, &mut message)
                && *it == at
            {
                Arc::make_mut(said).calls.extend(completion.calls.iter().cloned());
            }
        }
        all.push(message);
    }
    all
}

/// The messages in neutral form; where the dialect has no two turns of the model in a row, these are one.
fn neutral(dialect: Dialect, messages: &[Message]) -> Vec<Message> {
    let merges = matches!(dialect, Dialect::Anthropic | Dialect::Responses);
    let mut all: Vec<Message> = Vec::new();
    for message in messages {
        match (all.last_mut(), message.neutral()) {
            (Some(Message::Assistant(last)), Message::Assistant(said)) if merges => {
                let last = Arc::make_mut(last);
                last.parts.extend(said.parts.iter().cloned());
                last.calls.extend(said.calls.iter().cloned());
            }
            (_, message) => all.push(message),
        }
    }
    all
}

/// Messages of Gemini without ids: the calls are numbered, and each turn's results are in the order of the calls that
/// they answer.
fn numbered(messages: &[Message]) -> Vec<Message> {
    let mut ids: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    let mut count = 0;
    let mut all: Vec<Message> = Vec::new();
    for message in messages {
        let mut message = message.neutral();
        match &mut message {
            Message::Assistant(said) => {
                for call in &mut Arc::make_mut(said).calls {
                    count += 1;
                    let id: Arc<str> = format!("call-{count:04}").into();
                    ids.insert(call.id.clone(), id.clone());
                    Arc::make_mut(call).id = id;
                }
            }
            Message::Result { id, .. } => *id = ids.get(id).cloned().unwrap_or_else(|| id.clone()),
            Message::User(_) => {}
        }
        all.push(message);
    }
    for turn in all
        .chunk_by_mut(|one, other| matches!((one, other), (Message::Result { .. }, Message::Result { .. })))
    {
        turn.sort_by_key(|message| match message {
            Message::Result { id, .. } => id.clone(),
            Message::User(_) | Message::Assistant(_) => "".into(),
        });
    }
    all
}

/// The elements of the request's list, and where each of them is.
fn elements(dialect: Dialect, request: &str) -> Vec<(usize, usize)> {
    let list = match dialect {
        Dialect::OpenAi | Dialect::Anthropic => "messages",
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
    };
    let members: BTreeMap<String, &serde_json::value::RawValue> = serde_json::from_str(request).unwrap();
    let all: Vec<&serde_json::value::RawValue> = serde_json::from_str(members[list].get()).unwrap();
    let start = |it: &str| it.as_ptr().addr() - request.as_ptr().addr();
    all.iter().map(|it| (start(it.get()), start(it.get()) + it.get().len())).collect()
}

/// How many elements the edits changed: those beyond the common start and end.
fn changed(drawn: &Drawn, spliced: &str) -> usize {
    let common = |one: &mut dyn Iterator<Item = u8>, other: &mut dyn Iterator<Item = u8>| {
        one.zip(other).take_while(|(one, other)| one == other).count()
    };
    let request = &drawn.request;
    let start = common(&mut request.bytes(), &mut spliced.bytes());
    let end = request.len() - common(&mut request.bytes().rev(), &mut spliced.bytes().rev());
    elements(drawn.dialect, request).iter().filter(|(from, to)| *to > start && *from < end).count()
}

proptest! {
    #[test]
    fn without_edits_the_bytes_are_the_same(drawn in drawn()) {
        prop_assert_eq!(&drawn.dialect.spliced(&drawn.request, &[]).unwrap(), &drawn.request);
    }

    #[test]
    fn the_messages_are_those_of_the_edits_and_still_legal(drawn in drawn(), acts in vec(act(), 0..6)) {
        let Drawn { dialect, request, has_ids } = &drawn;
        prop_assert_eq!(dialect.legal(request).unwrap(), Ok(()), "{}", request);
        let asked = dialect.asked(request).unwrap();
        let edits = edits(&asked.messages, &asked.offer, &acts, true);
        let spliced = dialect.spliced(request, &edits).unwrap();
        let found = dialect.asked(&spliced).unwrap().messages;
        let expected = applied(&asked.messages, &edits);
        if *has_ids {
            prop_assert_eq!(neutral(*dialect, &found), neutral(*dialect, &expected), "{}\n{}", request, spliced);
        } else {
            prop_assert_eq!(numbered(&found), numbered(&expected), "{}\n{}", request, spliced);
        }
        prop_assert_eq!(dialect.legal(&spliced).unwrap(), Ok(()), "{}\n{}", request, spliced);
        let odd = |text: &str| text.matches("\"odd\"").count();
        let replaced = edits.iter().any(|edit| matches!(edit, Edit::Replace { .. }));
        prop_assert!(odd(&spliced) >= odd(request) || replaced, "{}\n{}", request, spliced);
    }

    #[test]
    fn edits_that_make_no_sense_are_made_as_well(drawn in drawn(), acts in vec(act(), 1..6)) {
        let Drawn { dialect, request, has_ids } = &drawn;
        let asked = dialect.asked(request).unwrap();
        let edits = wild(&asked.messages, &asked.offer, &acts);
        let spliced = dialect.spliced(request, &edits).unwrap();
        let found = dialect.asked(&spliced).unwrap().messages;
        let expected = applied(&asked.messages, &edits);
        if *has_ids {
            prop_assert_eq!(neutral(*dialect, &found), neutral(*dialect, &expected), "{}\n{}", request, spliced);
        } else {
            prop_assert_eq!(found.len(), expected.len());
        }
    }

    #[test]
    fn one_edit_changes_its_neighbours_at_most(drawn in drawn(), act in act()) {
        let asked = drawn.dialect.asked(&drawn.request).unwrap();
        let edits = edits(&asked.messages, &asked.offer, std::slice::from_ref(&act), false);
        let spliced = drawn.dialect.spliced(&drawn.request, &edits).unwrap();
        // The turn, with its items, and the element behind it.
        let most = match (&act.1, drawn.dialect) {
            (Act::Exchange(..) | Act::Note(_), _) => 1,
            (Act::More(..) | Act::Instead(_), Dialect::OpenAi | Dialect::Anthropic | Dialect::Gemini) => 3,
            (Act::More(..) | Act::Instead(_), Dialect::Responses) => 6,
        };
        let changed = changed(&drawn, &spliced);
        prop_assert!(changed <= most, "{} of {}\n{}", changed, drawn.request, spliced);
    }
}
