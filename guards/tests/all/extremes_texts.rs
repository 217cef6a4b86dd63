//! The texts of entries may have any length and any form. No guard calls itself once for each level of a nest, and none
//! compares everything with everything: the stack is small here, and the texts are so long that the work would take
//! minutes.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{self, Builder};
use std::time::Duration;

use balk_guards::{
    Answer, AttemptCause, AttemptFailure, Blocked, ChoiceKind, Compaction, Completion, Decision, Effect,
    Entry, FinishReason, Guard, Intervention, InterventionKind, Note, Offer, Part, Protocol, RawCall,
    Speaker, Stack, Start, Status, Subject, Tool, ToolResult, Usage, UserAnswer, UserMessage, Verdict, View,
};

use crate::common::{PEERS, all_guards};
use crate::laws::ends;

/// The bytes of a text, and of the stack of a thread: a frame for each level of a nest is more.
const BYTES: usize = 1 << 20;
const STACK: usize = 512 << 10;
/// So many texts are at work at once.
const THREADS: usize = 4;
/// Linear work takes a second, or some where many programs are at work.
const LIMIT: Duration = Duration::from_secs(60);

/// As many of these as a text has bytes for.
fn many(unit: &str) -> String {
    unit.repeat(BYTES / unit.len())
}

/// Four times as many: comparing each with each takes minutes, also where one comparison is a search in the rest.
fn very_many(unit: &str) -> String {
    many(unit).repeat(4)
}

/// So many bytes of different ones, counted from 0.
fn counted(bytes: usize, unit: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes + 64);
    for at in 0.. {
        if text.len() >= bytes {
            break;
        }
        text += &unit(at);
    }
    text
}

/// So many levels around a core.
fn nest(open: &str, core: &str, close: &str) -> String {
    let levels = BYTES / (open.len() + close.len());
    format!("{}{core}{}", open.repeat(levels), close.repeat(levels))
}

/// JSON text in a fence in JSON text in a fence, and so on. Each quotation mark is spelled so that it grows by five
/// bytes a level.
fn spelled() -> String {
    let mut text = "{'a':1".to_owned();
    while text.len() < BYTES {
        let inner = text.replace('\\', "\\u005c").replace('"', "\\u0022").replace('\n', "\\u000a");
        text = format!("```\n\"{inner}\"\n```");
    }
    text
}

/// Texts whose nests, members, tags, marks, numbers and words are as many as there is room for.
fn texts() -> Vec<(&'static str, String)> {
    let call = r#"{"name":"ls","arguments":{}}"#;
    let members = |quote: char| counted(4 * BYTES, |at| format!("{quote}a{at}{quote}:{at},"));
    vec![
        ("nested calls", nest(r#"{"function":"#, call, "}")),
        ("nested lists of calls", nest(r#"{"tool_calls":["#, call, "]}")),
        ("calls in calls of print", nest("print(", "ls()", ")")),
        ("a chant of print", format!("ls: \n{}", many("print("))),
        ("calls in calls", many("ls(")),
        ("arguments of a printed call", format!("ls({})", counted(BYTES, |at| format!("a{at}='{at}', ")))),
        ("printed calls", many("ls()\n")),
        ("objects that are calls", many(&format!("{call}\n"))),
        ("calls in tags", format!("<ls>{}</ls>", counted(BYTES, |at| format!("<a{at}></a{at}>")))),
        ("values with their own closing tags", format!("<ls><a>{}</ls>", many("</a>"))),
        ("marks of calls", format!("ls {}", many("<tool_call>"))),
        ("fences of calls", format!("ls\n{}", many("```json\n{\n```\n"))),
        ("members", format!("{{{}}}", members('"').trim_end_matches(','))),
        ("members that are nearly JSON", format!("{{{}}}", members('\''))),
        ("members in a fence", format!("```json\n{{{}}}\n```", members('\''))),
        ("text in text", spelled()),
        ("open objects", many("{")),
        ("open lists", many("[")),
        ("objects in objects", nest("{\"a\":", "1", "}")),
        ("lists in lists", nest("[", "1", "]")),
        ("brackets that close", many("}]")),
        ("tags and one that closes", format!("{}</a>", very_many("<a>\n"))),
        ("tags with others that close", format!("{}</a>", very_many("<a>\n</b>\n"))),
        ("tags without an end", format!("{}>", very_many("<a\n"))),
        ("closing tags without an end", format!("{}>", very_many("</\n"))),
        ("tags of many names", counted(BYTES, |at| format!("<a{at}>\n</b{at}>\n"))),
        ("thoughts", very_many("<think></think>")),
        ("open thoughts", format!("{}[/THINK]", very_many("<think>[THINK]</think>"))),
        ("thoughts of two kinds", very_many("[THINK]<think>[/THINK]</think>")),
        ("arguments of rehearsed calls", many("ls[ARGS]{")),
        ("functions", many("<function=ls>")),
        ("numbers", counted(BYTES, |at| format!("{at} "))),
        ("one number", many("7")),
        ("numbers in a list", format!("[{}1]", many("1,"))),
        ("numbers with points", many("1.2.3:")),
        ("quotation marks", many("\"")),
        ("escaped quotation marks", format!("\"{}", many("\\\""))),
        ("names of members", many("\"a\":")),
        ("fences", many("```\n")),
        ("long and short fences", many("````\n```\n")),
        ("one fence", many("`")),
        ("blanks", many(" ")),
        ("lines", many("\n")),
        ("lines of two kinds", many("a\nb\n\n")),
        ("announcements", many("I will read the file now. ")),
        ("questions", many("Shall I? ")),
        ("paths", counted(BYTES, |at| format!("src/a{at}.py "))),
        ("one path", many("a/")),
        ("errors", many("error: no such file: a.py\n")),
        ("words", counted(BYTES, |at| format!("word{at} "))),
        ("one word", many("é")),
        ("comments", format!("{{'a': 1 {}", many("/* */"))),
        ("lists of a text", many("1. a\n- b\n")),
        ("quoted lines", many("> a\n")),
        ("times", many("2026-01-01T00:00:00Z ")),
    ]
}

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("ls").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
    ]))
}

fn completion(said: &[&Arc<str>], calls: &[(&str, &Arc<str>)], finish: FinishReason) -> Arc<Completion> {
    let raw = |(tool, arguments): &(&str, &Arc<str>)| RawCall {
        id: "call".into(),
        tool: (*tool).into(),
        arguments: (*arguments).clone(),
    };
    let parts = said.iter().map(|it| Part::Text((*it).clone()));
    Arc::new(Completion::new(parts, calls.iter().map(raw), finish, Usage::default(), &offer()))
}

fn user(text: &Arc<str>) -> Entry {
    Entry::User(UserMessage { from: Speaker::User, text: text.clone() })
}

/// What a guard sees and is asked.
enum Step {
    Sees(Entry),
    /// The model says this, and its calls are answered so.
    Turn(Arc<Completion>, Vec<ToolResult>),
    Recovers(AttemptFailure),
    /// The guard has said this.
    Said(Arc<str>),
}

/// The model says this, and its calls are answered with this text.
fn turn(said: Arc<Completion>, status: Status, text: &Arc<str>) -> Step {
    let results = said.calls.iter().map(|it| ToolResult::executed(it, status, text.clone())).collect();
    Step::Turn(said, results)
}

/// A run that has this text wherever an entry has one. All guards see the same answers, so each is read once.
fn steps(text: &Arc<str>) -> Vec<Step> {
    let task: Arc<str> = "Look at what is in the folder.".into();
    let start = Start { model: "test".into(), protocol: Protocol::Text, offer: offer() };
    let calls = || completion(&[], &[("ls", text)], FinishReason::ToolCall);
    let failure = AttemptFailure { cause: AttemptCause::Connect, ..AttemptFailure::empty(1) };
    vec![
        Step::Sees(Entry::Start(start)),
        Step::Sees(user(&task)),
        turn(completion(&[text], &[], FinishReason::Length), Status::Ok, text),
        turn(completion(&[text], &[], FinishReason::Stop), Status::Ok, text),
        turn(calls(), Status::Error, text),
        turn(calls(), Status::Unknown, text),
        turn(calls(), Status::Error, text),
        turn(completion(&[], &[(text, &"{}".into())], FinishReason::ToolCall), Status::Error, text),
        Step::Recovers(AttemptFailure { message: text.clone(), ..failure }),
        Step::Said(text.clone()),
        Step::Sees(Entry::Answer(UserAnswer { choice: ChoiceKind::Continue, text: text.clone() })),
        Step::Sees(user(text)),
        turn(completion(&[&task], &[], FinishReason::Stop), Status::Ok, text),
        Step::Sees(Entry::Compaction(Compaction { summary: text.clone() })),
    ]
}

fn run(guard: &mut dyn Guard, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Sees(entry) => guard.observe(entry),
            Step::Recovers(failure) => drop(guard.recover(failure).expect("never breaks")),
            Step::Said(text) => {
                let text = text.clone();
                let guard_name = guard.name().to_owned().into();
                let note =
                    Note { guard: guard_name, rule: "r".into(), level: 1, subject: Subject::Run, text };
                let kind = InterventionKind::Feedback;
                guard.observe(&Entry::Intervention(Intervention { kind, note, seen: true }));
            }
            Step::Turn(said, results) => {
                guard.observe(&Entry::Completion(said.clone()));
                let decision = guard.review(said).expect("never breaks");
                guard.settle(said, results).expect("never breaks");
                results.iter().for_each(|it| guard.observe(&Entry::Result(it.clone())));
                for it in decision.interventions(true) {
                    guard.observe(&Entry::Intervention(it));
                }
                for end in ends() {
                    guard.conclude(&end).expect("never breaks");
                }
            }
        }
    }
}

/// Does this in a thread with a small stack. The thread has the name, so an overflow tells it.
#[track_caller]
fn in_time(name: String, work: impl FnOnce() + Send + 'static) {
    let (done, is_done) = channel();
    let thread = Builder::new().name(name.clone()).stack_size(STACK);
    let thread = thread.spawn(move || {
        work();
        done.send(()).expect("the test waits");
    });
    let thread = thread.expect("there is room for a thread");
    match is_done.recv_timeout(LIMIT) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => thread.join().expect("it panics nowhere"),
        Err(RecvTimeoutError::Timeout) => panic!("{name}: takes more than {LIMIT:?}"),
    }
}

#[test]
fn a_text_of_any_form_costs_linear_work_and_little_stack() {
    let shipped = all_guards().len();
    let all = |form: &str, text: &Arc<str>| {
        let steps = Arc::new(steps(text));
        for at in 0..shipped + PEERS.len() {
            let steps = steps.clone();
            let make = move || match at.checked_sub(shipped) {
                Some(peer) => PEERS[peer](),
                None => all_guards().swap_remove(at),
            };
            in_time(format!("{}: {form}", make().name()), move || run(&mut *make(), &steps));
        }
    };
    let texts: Vec<(&str, Arc<str>)> = texts().into_iter().map(|(form, text)| (form, text.into())).collect();
    // It is the longest of these tests, so no core waits for it.
    thread::scope(|scope| {
        for part in texts.chunks(texts.len().div_ceil(THREADS)) {
            scope.spawn(move || part.iter().for_each(|(form, text)| all(form, text)));
        }
    });
}

/// Blocks every call.
struct Refusing(&'static str);

impl Guard for Refusing {
    fn name(&self) -> &str {
        self.0
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let note = Note {
            guard: self.0.into(),
            rule: "r".into(),
            level: 1,
            subject: Subject::Run,
            text: self.0.into(),
        };
        let blocked = (0..completion.calls.len()).map(|call| Blocked { call, note: note.clone() });
        Ok(Verdict::Block(blocked.collect()).into())
    }
}

#[test]
fn many_calls_of_one_answer_that_two_guards_block_cost_linear_work() {
    in_time("blocks".into(), || {
        let nothing = "{}".into();
        let calls = vec![("ls", &nothing); 500_000];
        let stack = Stack::new(vec![Box::new(Refusing("one")), Box::new(Refusing("other"))]);
        let decision = stack.review(&completion(&[], &calls, FinishReason::ToolCall)).expect("never breaks");
        let Verdict::Block(blocked) = decision.verdict else { panic!("both block") };
        assert!(blocked.iter().map(|it| it.call).eq(0..calls.len()));
        assert!(blocked.iter().all(|it| &*it.note.text == "one"), "the first one says why");
    });
}

#[test]
fn many_repaired_calls_with_one_id_cost_linear_work() {
    in_time("ids".into(), || {
        let said = completion(&[], &[("ls", &"{}".into())], FinishReason::ToolCall);
        let note =
            Note { guard: "g".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: "".into() };
        let kind = InterventionKind::Repair(said.clone());
        let repair = Entry::Intervention(Intervention { kind, note, seen: true });
        let result = Entry::Result(ToolResult::executed(&said.calls[0], Status::Ok, "ok"));
        let mut view = View::default();
        for _ in 0..60_000 {
            [&Entry::Completion(said.clone()), &repair, &result].into_iter().for_each(|it| view.push(it));
        }
        assert_eq!(view.messages().len(), 120_000);
    });
}
