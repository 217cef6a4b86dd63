//! Calls without ids, with one id for all, and with ids of the client's own: their results are found, and what the
//! agent never saw is put where the provider takes it.

use std::sync::{Arc, Mutex};

use balk::proxy::{Base, Proxy, Proxying};
use balk_guards::wire::{Answering, Dialect};
use balk_guards::{
    Answer, Blocked, Completion, Decision, Entry, FinishReason, Guard, Offer, Part, RawCall, Settlement,
    Stack, ToolResult, Usage, Verdict,
};
use serde_json::{Value, json};

use super::client::{note, post};
use crate::common::path_of;
use crate::common::server::{Script, Server};

/// What the model calls in its answers: tools and paths. The first answer is refused, then a call of each is blocked.
/// The user is told something about the second answer, and hears it with the third.
const CALLS: [&[(&str, &str)]; 4] = [
    &[("ls", "again"), ("rm", "x")],
    &[("ls", "no"), ("ls", "tell")],
    &[("rm", "c"), ("ls", "no"), ("ls", "d")],
    &[("ls", "e"), ("ls", "f")],
];

/// What came of the calls, as the provider is told: of each answer, those that the agent sees come first.
const TOLD: [&str; 9] = [
    "ls again: Not run: the whole turn was refused; see below.",
    "rm x: Not run: the whole turn was refused; see below.",
    "ls tell: did tell",
    "ls no: Not run: no.",
    "rm c: did c",
    "ls d: did d",
    "ls no: Not run: no.",
    "ls e: did e",
    "ls f: did f",
];

/// A guard that does what the paths say, and keeps what it is told of results.
struct Obeys(Arc<Mutex<Vec<String>>>);

impl Guard for Obeys {
    fn name(&self) -> &'static str {
        "obeys"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(it) = entry {
            let call = format!("{} {}: {}", it.call.tool, path(&it.call.arguments), &**it.text.text());
            self.0.lock().expect("no test panicked").push(call);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let has = |what: &str| completion.calls.iter().any(|it| path(&it.arguments) == what);
        if has("again") {
            return Ok(Verdict::Retry(note("Say it again.")).into());
        }
        let calls = completion.calls.iter().enumerate().filter(|(_, it)| path(&it.arguments) == "no");
        let blocked: Vec<Blocked> = calls.map(|(call, _)| Blocked { call, note: note("no.") }).collect();
        let verdict = if blocked.is_empty() { Verdict::Pass } else { Verdict::Block(blocked) };
        let notices = if has("tell") { vec![note("You should know.")] } else { Vec::new() };
        Ok(Decision { verdict, notices })
    }

    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let tells = completion.calls.iter().any(|it| path(&it.arguments) == "tell");
        Ok(Settlement::Accept(if tells { vec![note("Mind it.")] } else { Vec::new() }))
    }
}

fn path(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).expect("an object");
    arguments["path"].as_str().expect("a path").to_owned()
}

/// The ids that a server gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Each,
    None,
    Same,
}

/// The ids that a client gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// Those that it was given.
    None,
    /// Its results have other ones, as those of gemini-cli have where calls have none.
    Results,
    /// Calls and results have other ones.
    All,
    /// They have ids that the server gave other calls.
    Clashing,
}

/// The answer with these calls, which is the nth.
fn answer(dialect: Dialect, given: Given, nth: usize) -> Script {
    let calls = CALLS.get(nth).copied().unwrap_or_default();
    let call = |(at, (tool, path)): (usize, &(&str, &str))| {
        let id = match given {
            Given::Each => format!("given-{nth}-{at}"),
            Given::None => String::new(),
            Given::Same => "same".to_owned(),
        };
        let arguments = json!({ "path": path }).to_string();
        RawCall { id: id.into(), tool: (*tool).into(), arguments: arguments.into() }
    };
    let text = if calls.is_empty() { "Done." } else { "" };
    let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall };
    let calls = calls.iter().enumerate().map(call);
    let said = Completion::new([Part::Text(text.into())], calls, finish, Usage::default(), &Offer::default());
    let body = dialect.response(&said, &Answering::of(&format!("answer-{nth}"), "m"));
    Script::json(200, &body.replace(r#""id":"","#, ""))
}

/// A client with its history.
struct Client {
    dialect: Dialect,
    own: Own,
    url: String,
    history: Vec<Value>,
    turns: usize,
}

impl Client {
    fn new(proxy: &Proxy, dialect: Dialect, own: Own) -> Self {
        let task = match dialect {
            Dialect::OpenAi | Dialect::Responses | Dialect::Anthropic => {
                json!({ "role": "user", "content": "Do it." })
            }
            Dialect::Gemini => json!({ "role": "user", "parts": [{ "text": "Do it." }] }),
        };
        let url = format!("{}/c/it/{}", proxy.url(), path_of(dialect, false));
        Self { dialect, own, url, history: vec![task], turns: 0 }
    }

    /// Asks, and runs the calls of the answer.
    fn turn(&mut self) {
        let body = request(self.dialect, &self.history);
        let got = post(&self.url, &body.to_string());
        assert_eq!(got.status, 200, "{got:?}");
        let answer: Value = serde_json::from_str(&got.body).expect("it is JSON");
        let mut echo = echo(self.dialect, &answer);
        self.turns += 1;
        let mut results = Vec::new();
        for (at, call) in echo.iter_mut().flat_map(|it| calls_of(self.dialect, it)).enumerate() {
            let member = if self.dialect == Dialect::Responses { "call_id" } else { "id" };
            let name = match self.own {
                Own::None | Own::Results | Own::All => format!("own-{}-{at}", self.turns),
                Own::Clashing => format!("given-{}-{at}", self.turns),
            };
            if matches!(self.own, Own::All | Own::Clashing) {
                call[member] = (*name).into();
            }
            let id = if self.own == Own::Results { Some(name.into()) } else { call.get(member).cloned() };
            let Call { tool, path, .. } = Call::of(self.dialect, call);
            results.push(result(self.dialect, id, &tool, &format!("did {path}")));
        }
        self.history.append(&mut echo);
        let element = match self.dialect {
            Dialect::OpenAi | Dialect::Responses => None,
            Dialect::Anthropic => Some(json!({ "role": "user", "content": results })),
            Dialect::Gemini => Some(json!({ "role": "user", "parts": results })),
        };
        self.history.extend(element.map_or(results, |it| vec![it]));
    }
}

fn request(dialect: Dialect, history: &[Value]) -> Value {
    match dialect {
        Dialect::OpenAi => {
            let tools = ["ls", "rm"].map(|it| json!({ "type": "function", "function": { "name": it } }));
            json!({ "model": "m", "tools": tools, "messages": history })
        }
        Dialect::Responses => {
            let tools = ["ls", "rm"].map(|it| json!({ "type": "function", "name": it }));
            json!({ "model": "m", "tools": tools, "input": history })
        }
        Dialect::Anthropic => {
            let tools = ["ls", "rm"].map(|it| json!({ "name": it, "input_schema": { "type": "object" } }));
            json!({ "model": "m", "max_tokens": 9, "tools": tools, "messages": history })
        }
        Dialect::Gemini => {
            let tools = ["ls", "rm"].map(|it| json!({ "name": it }));
            json!({ "tools": [{ "functionDeclarations": tools }], "contents": history })
        }
    }
}

/// The answer as a client keeps it.
fn echo(dialect: Dialect, answer: &Value) -> Vec<Value> {
    match dialect {
        Dialect::OpenAi => vec![answer["choices"][0]["message"].clone()],
        Dialect::Responses => answer["output"].as_array().expect("a list").clone(),
        Dialect::Anthropic => vec![json!({ "role": "assistant", "content": answer["content"] })],
        Dialect::Gemini => vec![answer["candidates"][0]["content"].clone()],
    }
}

fn list<'a>(element: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    element.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// The calls in an element of the history.
fn calls_of(dialect: Dialect, element: &mut Value) -> Vec<&mut Value> {
    match dialect {
        Dialect::OpenAi => list(element, "tool_calls").collect(),
        Dialect::Responses => Some(element).filter(|it| it["type"] == "function_call").into_iter().collect(),
        Dialect::Anthropic => list(element, "content").filter(|it| it["type"] == "tool_use").collect(),
        Dialect::Gemini => list(element, "parts").filter_map(|it| it.get_mut("functionCall")).collect(),
    }
}

/// The results and the words of the user in an element of the history, whose id is none for words.
fn of_user(dialect: Dialect, element: &mut Value) -> Vec<(Option<String>, String, String)> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let said = |it: &Value| (None, String::new(), text(it));
    match dialect {
        Dialect::OpenAi if element["role"] == "tool" => {
            vec![(Some(text(&element["tool_call_id"])), String::new(), text(&element["content"]))]
        }
        Dialect::Responses if element["type"] == "function_call_output" => {
            vec![(Some(text(&element["call_id"])), String::new(), text(&element["output"]))]
        }
        Dialect::OpenAi | Dialect::Responses | Dialect::Anthropic | Dialect::Gemini
            if element["role"] != "user" =>
        {
            Vec::new()
        }
        Dialect::OpenAi | Dialect::Responses => vec![said(&element["content"])],
        Dialect::Anthropic if element["content"].is_string() => vec![said(&element["content"])],
        Dialect::Anthropic => list(element, "content")
            .map(|it| match it["type"] == "tool_result" {
                true => (Some(text(&it["tool_use_id"])), String::new(), text(&it["content"])),
                false => said(&it["text"]),
            })
            .collect(),
        Dialect::Gemini => list(element, "parts")
            .map(|it| match it.get("functionResponse") {
                Some(it) => {
                    let said = &it["response"];
                    let said = said.get("output").or_else(|| said.get("error")).expect("a text");
                    (Some(text(&it["id"])), text(&it["name"]), text(said))
                }
                None => said(&it["text"]),
            })
            .collect(),
    }
}

fn result(dialect: Dialect, id: Option<Value>, tool: &str, text: &str) -> Value {
    let (mut result, member) = match dialect {
        Dialect::OpenAi => (json!({ "role": "tool", "content": text }), "tool_call_id"),
        Dialect::Responses => (json!({ "type": "function_call_output", "output": text }), "call_id"),
        Dialect::Anthropic => (json!({ "type": "tool_result", "content": text }), "tool_use_id"),
        Dialect::Gemini => {
            let mut response = json!({ "name": tool, "response": { "output": text } });
            response.as_object_mut().expect("an object").extend(id.map(|it| ("id".to_owned(), it)));
            return json!({ "functionResponse": response });
        }
    };
    result.as_object_mut().expect("an object").extend(id.map(|it| (member.to_owned(), it)));
    result
}

/// A call, as a provider reads it.
struct Call {
    id: String,
    tool: String,
    path: String,
}

impl Call {
    fn of(dialect: Dialect, call: &Value) -> Self {
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let (id, tool, arguments) = match dialect {
            Dialect::OpenAi => (&call["id"], &call["function"]["name"], &call["function"]["arguments"]),
            Dialect::Responses => (&call["call_id"], &call["name"], &call["arguments"]),
            Dialect::Anthropic => (&call["id"], &call["name"], &call["input"]),
            Dialect::Gemini => (&call["id"], &call["name"], &call["args"]),
        };
        let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        Self { id: text(id), tool: text(tool), path: path(&arguments) }
    }
}

/// What a provider reads of calls and their results: results that directly follow their turn, one for each call, by id
/// or, where calls have none, by tool and order.
#[track_caller]
fn told(dialect: Dialect, body: &str) -> Vec<String> {
    let mut body: Value = serde_json::from_str(body).expect("it is JSON");
    let name = match dialect {
        Dialect::OpenAi | Dialect::Anthropic => "messages",
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
    };
    let (mut told, mut open) = (Vec::<(Call, Option<String>)>::new(), 0);
    for element in list(&mut body, name) {
        let calls: Vec<Call> =
            calls_of(dialect, element).into_iter().map(|it| Call::of(dialect, it)).collect();
        if !calls.is_empty() && told[open..].iter().any(|(_, result)| result.is_some()) {
            assert!(
                told[open..].iter().all(|(_, result)| result.is_some()),
                "a call has no result: {element}"
            );
            open = told.len();
        }
        told.extend(calls.into_iter().map(|it| (it, None)));
        for (id, tool, text) in of_user(dialect, element) {
            let Some(id) = id else {
                assert!(told.iter().all(|(_, result)| result.is_some()), "a call has no result: {element}");
                continue;
            };
            let find = |id: &str| {
                let fits = |call: &Call| *call.id == *id && (tool.is_empty() || call.tool == tool);
                (open..told.len()).find(|at| told[*at].1.is_none() && fits(&told[*at].0))
            };
            let at = find(&id)
                .or_else(|| find(""))
                .unwrap_or_else(|| panic!("a result without a call: {element}"));
            told[at].1 = Some(text);
        }
    }
    let told = told.into_iter().map(|(Call { tool, path, .. }, result)| {
        format!("{tool} {path}: {}", result.expect("each call has a result"))
    });
    told.collect()
}

#[track_caller]
fn check(dialect: Dialect, given: Given, own: Own) {
    let server = Server::new(move |nth, _| answer(dialect, given, nth));
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let guards = {
        let heard = heard.clone();
        move || Stack::new(vec![Box::new(Obeys(heard.clone()))])
    };
    let upstream = Base::parse(&server.url()).expect("an address");
    let proxying = Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    let mut client = Client::new(&proxy, dialect, own);
    (0..4).for_each(|_| client.turn());
    let sent = server.requests();
    assert_eq!(proxy.faults(), [""; 0], "{dialect:?} {given:?} {own:?}");
    assert_eq!(sent.len(), 5, "{dialect:?} {given:?} {own:?}");
    let has_ids = given == Given::Each || dialect == Dialect::Gemini;
    for (request, count) in sent.iter().zip([0, 2, 4, 7, 9]) {
        let about = format!("{dialect:?} {given:?} {own:?} {}", request.body);
        assert_eq!(told(dialect, &request.body), TOLD[..count], "{about}");
        // The rule that no id comes again is kept only where there are ids.
        assert!(!has_ids || dialect.legal(&request.body).expect("it can be read").is_ok(), "{about}");
    }
    let mut in_order = TOLD;
    in_order[2..4].reverse();
    in_order[5..7].reverse();
    assert_eq!(*heard.lock().expect("no test panicked"), in_order, "{dialect:?} {given:?} {own:?}");
}

#[test]
fn calls_of_gemini_without_ids_have_their_results() {
    check(Dialect::Gemini, Given::None, Own::None);
    check(Dialect::Gemini, Given::None, Own::All);
}

#[test]
fn results_of_gemini_cli_have_ids_that_no_call_has() {
    check(Dialect::Gemini, Given::None, Own::Results);
}

#[test]
fn calls_of_chat_without_ids_have_their_results() {
    check(Dialect::OpenAi, Given::None, Own::None);
    check(Dialect::OpenAi, Given::None, Own::Results);
    check(Dialect::OpenAi, Given::None, Own::All);
}

#[test]
fn calls_of_chat_with_one_id_have_their_results() {
    check(Dialect::OpenAi, Given::Same, Own::None);
    check(Dialect::OpenAi, Given::Same, Own::All);
}

#[test]
fn what_an_agent_never_saw_is_put_under_the_ids_of_its_own() {
    for dialect in Dialect::ALL {
        check(dialect, Given::Each, Own::All);
    }
}

#[test]
fn a_call_that_an_agent_never_saw_gets_no_id_that_it_gave_another() {
    for dialect in Dialect::ALL {
        check(dialect, Given::Each, Own::Clashing);
    }
}

#[test]
fn calls_under_the_ids_that_were_given_have_their_results() {
    for dialect in Dialect::ALL {
        check(dialect, Given::Each, Own::None);
    }
}
