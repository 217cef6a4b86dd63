//! A framework that sends its history with each request, with the guards between it and its model.

use std::collections::BTreeMap;

use balk_host::{Answer, Call, Conversations, Failure, Guards, Placed, Request, Said, Tool, Turn};
use serde_json::{Value, from_value, json};

/// A framework with its model: `told` are the answers that its model still has.
struct Framework {
    conversations: Conversations,
    messages: Vec<Said>,
    tools: Vec<Tool>,
    /// What the model was sent with each request.
    sent: Vec<Vec<Placed>>,
}

fn framework(guards: &str) -> Framework {
    let guards = Guards::new(guards, BTreeMap::new()).expect("they are shipped");
    Framework {
        conversations: Conversations::new(guards),
        messages: Vec::new(),
        tools: tools(),
        sent: Vec::new(),
    }
}

fn tool(name: &str, effect: &str) -> Tool {
    from_value(json!({"name": name, "effect": effect})).expect("a tool")
}

fn tools() -> Vec<Tool> {
    vec![tool("read_file", "read-only"), tool("write_file", "write"), tool("run_shell_command", "unknown")]
}

fn answer(value: Value) -> Answer {
    from_value(value).expect("an answer")
}

fn call(id: &str, tool: &str, arguments: &str) -> Value {
    json!({"calls": [{"id": id, "tool": tool, "arguments": arguments}], "finish": "tool_call"})
}

impl Framework {
    fn says(&mut self, text: &str) {
        self.messages.push(Said::User { text: text.into() });
    }

    fn returns(&mut self, id: &str, text: &str, status: &str) {
        self.messages
            .push(from_value(json!({"role": "tool", "id": id, "text": text, "status": status})).unwrap());
    }

    /// Sends the history; the model answers with these, as often as it is asked. Returns what the framework gets.
    fn asks(&mut self, answers: &[Value]) -> Turn {
        let request = Request {
            messages: self.messages.clone(),
            tools: self.tools.clone(),
            model: "some-model".into(),
            protocol: None,
        };
        let mut answers = answers.iter();
        let mut last = Answer::default();
        let (mut exchange, mut turn) = self.conversations.asks(request).expect("a request");
        loop {
            turn = match turn {
                Turn::Send { messages, .. } => {
                    self.sent.push(messages);
                    let Some(next) = answers.next() else {
                        panic!("the model is asked once more than it answers")
                    };
                    last = answer(next.clone());
                    exchange.answered(&last).expect("it was asked")
                }
                Turn::Wait { at_least, .. } => exchange.waited(at_least).expect("it was to wait"),
                Turn::Show { answer: shown, told } => {
                    assert_eq!(answers.next(), None, "the model has answers left");
                    let shown_answer = shown.clone().unwrap_or(last);
                    self.messages.push(Said::Assistant(shown_answer));
                    return Turn::Show { answer: shown, told };
                }
                Turn::Failed { told } => return Turn::Failed { told },
            }
        }
    }

    fn last_sent(&self) -> &[Placed] {
        self.sent.last().expect("the model was asked")
    }
}

fn own(from: usize) -> Placed {
    Placed::Own { from, calls: Vec::new() }
}

#[test]
fn what_no_guard_objects_to_passes_as_it_came() {
    let mut framework = framework("default");
    framework.says("What is in notes.txt?");
    let turn = framework.asks(&[call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    assert_eq!(turn, Turn::Show { answer: None, told: vec![] });
    framework.returns("a", "milk, bread", "ok");
    let turn = framework.asks(&[json!({"text": "Milk and bread."})]);
    assert_eq!(turn, Turn::Show { answer: None, told: vec![] });
    assert_eq!(framework.last_sent(), [own(0), own(1), own(2)]);
}

#[test]
fn a_correction_is_a_request_that_the_framework_never_sees() {
    let mut framework = framework("default");
    framework.says("Read notes.txt and tell me what it says.");
    let announced = json!({"text": "I will read the file now."});
    let turn = framework.asks(&[announced, call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    let Turn::Show { answer: None, told } = turn else { panic!("{turn:?}") };
    assert_eq!((told.len(), &*told[0].guard, told[0].kind), (1, "no-tools", "feedback"));
    // The model sees its own words and the correction; so it does in the next request.
    for sent in [framework.last_sent().to_vec(), {
        framework.returns("a", "milk", "ok");
        framework.asks(&[json!({"text": "It says milk."})]);
        framework.last_sent().to_vec()
    }] {
        assert_eq!(sent[0], own(0));
        let Placed::New { said: Said::Assistant(it) } = &sent[1] else { panic!("{sent:?}") };
        assert_eq!(&*it.text, "I will read the file now.");
        let Placed::New { said: Said::User { text } } = &sent[2] else { panic!("{sent:?}") };
        assert_eq!(*text, told[0].text);
    }
    assert_eq!(framework.last_sent()[3..], [own(1), own(2)]);
}

#[test]
fn a_framework_may_write_arguments_in_other_words() {
    let mut framework = framework("default");
    framework.says("Read notes.txt and tell me what it says.");
    let announced = json!({"text": "I will read the file now."});
    framework.asks(&[announced, call("a", "read_file", r#"{ "path": "notes.txt" }"#)]);
    let read: Answer = answer(call("a", "read_file", r#"{"path":"notes.txt"}"#));
    framework.messages[1] = Said::Assistant(read);
    framework.returns("a", "milk", "ok");
    framework.asks(&[json!({"text": "It says milk."})]);
    // The correction is still there.
    assert_eq!(framework.last_sent().len(), 5, "{:?}", framework.last_sent());
}

#[test]
fn a_refused_call_never_reaches_the_framework() {
    let mut framework = framework("duplicate");
    framework.says("Read notes.txt.");
    let again = |id: &str| call(id, "read_file", r#"{"path":"notes.txt"}"#);
    for id in ["a", "b"] {
        framework.asks(&[again(id)]);
        framework.returns(id, "milk, bread and a long list of other things", "ok");
    }
    let turn = framework.asks(&[again("c"), json!({"text": "Milk and bread."})]);
    let Turn::Show { answer: None, told } = turn else { panic!("{turn:?}") };
    assert_eq!(told[0].kind, "block");
    let sent = framework.last_sent();
    assert!(
        matches!(&sent[5], Placed::New { said: Said::Assistant(it) } if &*it.calls[0].id == "c"),
        "{sent:?}"
    );
    let Placed::New { said: Said::Tool { id, tool, .. } } = &sent[6] else { panic!("{sent:?}") };
    assert_eq!((&**id, &**tool), ("c", "read_file"));
}

#[test]
fn of_several_calls_the_others_run() {
    let mut framework = framework("duplicate");
    framework.says("Read notes.txt.");
    let notes = |id: &str| json!({"id": id, "tool": "read_file", "arguments": r#"{"path":"notes.txt"}"#});
    for id in ["a", "b"] {
        framework.asks(&[json!({"calls": [notes(id)]})]);
        framework.returns(id, "milk, bread and a long list of other things", "ok");
    }
    let other = json!({"id": "d", "tool": "read_file", "arguments": r#"{"path":"more.txt"}"#});
    let turn = framework.asks(&[json!({"calls": [notes("c"), other]})]);
    let Turn::Show { answer: Some(shown), .. } = turn else { panic!("{turn:?}") };
    assert_eq!(shown.calls.iter().map(|it| &*it.id).collect::<Vec<_>>(), ["d"]);
    framework.returns("d", "eggs", "ok");
    framework.asks(&[json!({"text": "Milk, bread and eggs."})]);
    let sent = framework.last_sent();
    let refused: Vec<Call> = vec![from_value(notes("c")).expect("a call")];
    assert_eq!(sent[5], Placed::Own { from: 5, calls: refused });
    assert_eq!(sent[6], own(6));
    let Placed::New { said: Said::Tool { id, tool, .. } } = &sent[7] else { panic!("{sent:?}") };
    assert_eq!((&**id, &**tool), ("c", "read_file"));
}

#[test]
fn a_question_is_put_in_the_models_place_and_answered_in_the_users() {
    let mut framework = framework("no-tools");
    framework.says("Read notes.txt and tell me what it says.");
    let announced =
        |nth: u32| json!({"text": format!("I will read the file now, as step {nth} of my plan.")});
    let turn = framework.asks(&[1, 2].map(announced));
    let Turn::Show { answer: Some(shown), told } = turn else { panic!("{turn:?}") };
    assert_eq!(told.last().map(|it| it.kind), Some("question"));
    assert!(shown.text.contains("1. "), "{}", shown.text);
    framework.says("Read it with read_file.");
    let turn = framework.asks(&[call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    assert_eq!(turn, Turn::Show { answer: None, told: vec![] });
    // The model never said the question.
    assert!(!framework.last_sent().contains(&own(1)), "{:?}", framework.last_sent());
    assert_eq!(framework.last_sent().last(), Some(&own(2)));
}

#[test]
fn a_number_reaches_the_model_as_the_words_of_its_option() {
    let mut framework = framework("no-tools");
    framework.says("Read notes.txt and tell me what it says.");
    let announced =
        |nth: u32| json!({"text": format!("I will read the file now, as step {nth} of my plan.")});
    let turn = framework.asks(&[1, 2].map(announced));
    let Turn::Show { answer: Some(question), .. } = turn else { panic!("{turn:?}") };
    // The option that asks for an instruction lacks it, so the question is still open.
    framework.says("1");
    let turn = framework.asks(&[]);
    assert!(
        matches!(&turn, Turn::Show { answer: Some(again), .. } if again.text == question.text),
        "{turn:?}"
    );
    let option = question.text.lines().find(|it| it.ends_with("switch to another model")).expect("an option");
    framework.says(&option[..1]);
    framework.asks(&[call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    let users = |placed: &&Placed| matches!(placed, Placed::New { said: Said::User { .. } });
    let said = framework.last_sent();
    let words = Placed::New { said: Said::User { text: "switch to another model".into() } };
    assert_eq!(said.iter().rfind(users), Some(&words), "{said:?}");
    assert!(!said.contains(&own(2)) && !said.contains(&own(4)), "{said:?}");
}

#[test]
fn the_end_of_a_run_is_told_once() {
    let mut framework = framework("duplicate,handoff");
    framework.says("Write out.md from notes.txt.");
    framework.asks(&[call("w", "write_file", r#"{"path":"out.md","content":"milk"}"#)]);
    framework.returns("w", "written", "ok");
    let read = |id: &str| call(id, "read_file", r#"{"path":"notes.txt"}"#);
    for id in ["a", "b"] {
        framework.asks(&[read(id)]);
        framework.returns(id, "milk, bread and a long list of other things", "ok");
    }
    framework.asks(&["c", "d", "e"].map(read));
    framework.says("Go on.");
    let turn = framework.asks(&[read("f")]);
    let Turn::Show { answer: Some(answer), told } = turn else { panic!("{turn:?}") };
    assert_eq!(told.iter().map(|it| it.kind).collect::<Vec<_>>(), ["stop", "notice"], "{told:?}");
    assert_eq!(*answer.text, *format!("{}\n\n{}", told[0].text, told[1].text));
}

#[test]
fn another_history_is_folded_anew() {
    let mut framework = framework("duplicate");
    framework.says("Read notes.txt.");
    for id in ["a", "b"] {
        framework.asks(&[call(id, "read_file", r#"{"path":"notes.txt"}"#)]);
        framework.returns(id, "milk, bread and a long list of other things", "ok");
    }
    // The same history in a new conversation: its guards have seen both calls.
    framework.conversations = Conversations::new(Guards::new("duplicate", BTreeMap::new()).expect("shipped"));
    let again = call("c", "read_file", r#"{"path":"notes.txt"}"#);
    let turn = framework.asks(&[again, json!({"text": "Milk and bread."})]);
    assert!(matches!(&turn, Turn::Show { told, .. } if told[0].kind == "block"), "{turn:?}");
    // One message less: nothing of the old way counts.
    framework.messages.truncate(1);
    let turn = framework.asks(&[call("d", "read_file", r#"{"path":"notes.txt"}"#)]);
    assert_eq!(turn, Turn::Show { answer: None, told: vec![] });
    assert_eq!(framework.last_sent(), [own(0)]);
}

#[test]
fn a_lost_connection_is_tried_again_after_a_wait() {
    let mut framework = framework("default");
    framework.says("Read notes.txt.");
    let request = Request {
        messages: framework.messages.clone(),
        tools: tools(),
        model: "some-model".into(),
        protocol: None,
    };
    let lost: Failure = from_value(json!({"cause": "disconnected", "message": "connection reset"})).unwrap();
    let (mut exchange, turn) = framework.conversations.asks(request).unwrap();
    assert!(matches!(turn, Turn::Send { changed: false, .. }));
    let turn = exchange.failed(&lost).unwrap();
    let Turn::Wait { at_least, .. } = turn else { panic!("{turn:?}") };
    assert!(matches!(exchange.waited(at_least).unwrap(), Turn::Send { changed: false, .. }));
    let refused: Failure = from_value(json!({"cause": "status", "code": 401})).unwrap();
    assert!(matches!(exchange.failed(&refused).unwrap(), Turn::Failed { .. }));
    let error = exchange.failed(&refused).unwrap_err().to_string();
    assert_eq!(error, "exchange: expected what the last turn asks for, found a failed attempt");
}

#[test]
fn two_conversations_at_the_same_time_keep_what_each_did_not_show() {
    let mut one = framework("default");
    let mut other = framework("default");
    other.conversations = one.conversations.clone();
    let read = |id: &str| call(id, "read_file", r#"{"path":"notes.txt"}"#);
    one.says("Read notes.txt and tell me what it says.");
    other.says("Read notes.txt, please, and count the words.");
    for framework in [&mut one, &mut other] {
        framework.asks(&[json!({"text": "I will read the file now."}), read("a")]);
        framework.returns("a", "milk", "ok");
    }
    for framework in [&mut one, &mut other] {
        framework.asks(&[json!({"text": "It says milk, which is one word."})]);
        assert_eq!(framework.last_sent().len(), 5, "{:?}", framework.last_sent());
    }
}

#[test]
fn errors_say_what_was_expected() {
    let error = |value: Value| from_value::<Guards>(value).unwrap_err().to_string();
    // The bindings say before it that it is about guards.
    assert!(error(json!({"guards": "dulicate"})).starts_with("expected `default`, `none` or names of "));
    assert_eq!(
        error(json!({"guards": "handoff,handoff"})),
        "expected each guard once, found `handoff` twice"
    );
    assert!(error(json!({"settings": {"handof": {}}})).contains("found `handof`"));
    assert!(error(json!({"guards": "no-tools", "settings": {"no-tools": {"limits": 1}}})).contains("limits"));
    let failure: Failure = from_value(json!({"cause": "status", "code": 200})).unwrap();
    let request = Request { messages: vec![], tools: vec![], model: "".into(), protocol: None };
    let (mut exchange, _) = Conversations::new(Guards::default()).asks(request).unwrap();
    let error = exchange.failed(&failure).unwrap_err().to_string();
    assert!(error.ends_with("found `status` with code 200"), "{error}");
}

/// Two conversations that began alike: what the one had hidden is not put into the other.
#[test]
fn conversations_that_began_alike_are_told_apart_by_their_answers() {
    let mut one = framework("default");
    let mut other = Framework { conversations: one.conversations.clone(), ..framework("default") };
    let read = call("a", "read_file", r#"{"path":"notes.txt"}"#);
    let announced = json!({"text": "I will read the file now."});
    for (framework, answers, text) in
        [(&mut one, &[announced, read.clone()][..], "It says milk."), (&mut other, &[read], "Bread.")]
    {
        framework.says("Read notes.txt and tell me what it says.");
        framework.asks(answers);
        framework.returns("a", "milk, bread", "ok");
        framework.asks(&[json!({"text": text})]);
    }
    for (framework, hidden) in [(&mut one, 2), (&mut other, 0)] {
        framework.says("Thank you.");
        framework.asks(&[json!({"text": "You are welcome."})]);
        assert_eq!(framework.last_sent().len(), framework.messages.len() - 1 + hidden);
    }
}

/// A correction that the framework never saw is in the next request as well, whatever it changed beside the history.
#[track_caller]
fn goes_on_with(change: impl FnOnce(&mut Framework)) -> Framework {
    let mut framework = framework("default");
    framework.messages.push(Said::System { text: "It is 10:00:00. Help the user.".into() });
    framework.says("Read notes.txt and tell me what it says.");
    let announced = json!({"text": "I will read the file now."});
    framework.asks(&[announced, call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    framework.returns("a", "milk", "ok");
    change(&mut framework);
    framework.asks(&[json!({"text": "It says milk."})]);
    let sent = framework.last_sent();
    assert_eq!((&sent[..2], &sent[4..]), (&[own(0), own(1)][..], &[own(2), own(3)][..]));
    framework
}

#[test]
fn instructions_with_the_time_in_them_begin_no_new_conversation() {
    goes_on_with(|it| it.messages[0] = Said::System { text: "It is 10:00:07. Help the user.".into() });
}

#[test]
fn tools_in_another_order_begin_no_new_conversation() {
    goes_on_with(|it| it.tools.reverse());
}

#[test]
fn a_tool_more_begins_no_new_conversation() {
    let mut framework = goes_on_with(|it| it.tools.push(tool("search", "read-only")));
    // Nor does one less.
    framework.says("Thank you.");
    framework.tools.pop();
    framework.asks(&[json!({"text": "You are welcome."})]);
    assert_eq!(framework.last_sent().len(), framework.messages.len() - 1 + 2);
}

/// Without a tool nothing can be announced: a guard that knows of those that came later asks for the call.
#[test]
fn guards_are_told_of_another_offer_and_know_what_was_before() {
    let mut framework = framework("no-tools");
    framework.tools.clear();
    framework.says("What is a good name for a cat?");
    framework.asks(&[json!({"text": "I will think about it now. Tom."})]);
    framework.says("Read notes.txt and tell me what it says.");
    framework.tools = tools();
    let announced =
        |nth: u32| json!({"text": format!("I will read the file now, as step {nth} of my plan.")});
    let turn = framework.asks(&[1, 2].map(announced));
    let Turn::Show { answer: Some(question), told } = turn else { panic!("{turn:?}") };
    assert_eq!(told.last().map(|it| it.kind), Some("question"));
    // The question is still open with other tools, and its number stands for words.
    framework.tools.reverse();
    let option = question.text.lines().find(|it| it.ends_with("switch to another model")).expect("an option");
    framework.says(&option[..1]);
    framework.asks(&[call("a", "read_file", r#"{"path":"notes.txt"}"#)]);
    let words = Placed::New { said: Said::User { text: "switch to another model".into() } };
    assert_eq!(framework.last_sent().last(), Some(&words));
}

#[test]
fn of_conversations_that_say_the_same_one_goes_on_with_its_own_offer_and_instructions() {
    let conversations = framework("default").conversations;
    let mut all: Vec<Framework> = ["a judge", "a critic", "a friend"]
        .map(|who| {
            let mut it = Framework { conversations: conversations.clone(), ..framework("default") };
            it.messages.push(Said::System { text: format!("You are {who}.").into() });
            it.says("Read notes.txt and tell me what it says.");
            it
        })
        .into();
    all[2].tools.pop();
    let announced = json!({"text": "I will read the file now."});
    let said = json!({"text": "It says milk."});
    for (at, framework) in all.iter_mut().enumerate() {
        let answers = [announced.clone(), said.clone()];
        framework.asks(if at == 1 { &answers } else { &answers[1..] });
    }
    for (at, framework) in all.iter_mut().enumerate() {
        framework.says("Thank you.");
        framework.asks(&[json!({"text": "You are welcome."})]);
        let hidden = if at == 1 { 2 } else { 0 };
        assert_eq!(framework.last_sent().len(), framework.messages.len() - 1 + hidden, "{at}");
    }
}
