//! What a run is in a chat, in a queue worker and in a one-shot job, and what gives the budget of a stack back
//! (spec P4).

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, offer, says};
use balk_guards::{
    Answer, Budget, ChoiceKind, Completion, Decision, Entry, Guard, Handoff, Intervention, InterventionKind,
    NoTools, Note, Protocol, Question, Speaker, Stack, Start, Status, Subject, Termination, ToolResult,
    UserAnswer, UserMessage, Verdict, default_stack,
};
use proptest::prelude::*;

const CORRECTED: &str = "retry no-call 1";

fn run(guard: impl Guard + 'static, protocol: Protocol) -> Loop {
    Loop::begun(guard, Start { model: "test".into(), protocol, offer: offer() })
}

/// A sentence in place of the call that it announces.
fn slip() -> Turn {
    says("Let me look at the folder:")
}

/// A productive turn, another one for each number.
fn works(nth: usize) -> Turn {
    calls("append", &format!("[{nth}]"))
}

// What a run is

#[test]
fn p4_a_chat_of_forty_requests_is_corrected_in_each() {
    let mut run = run(default_stack(), Protocol::Text);
    for nth in 0..40 {
        run.user(&format!("Write part {nth} of the report."));
        run.check(&slip(), CORRECTED);
        run.check(&works(nth), "pass");
        run.check(&says(&format!("Part {nth} is written.")), "pass");
    }
}

#[test]
fn p4_a_short_request_after_work_is_one_too() {
    let mut run = run(default_stack(), Protocol::Text);
    for nth in 0..40 {
        run.user("and the next one");
        // Two slips: more than the work of the request gives back.
        run.check(&Turn::default().and_thinks("hm"), "retry thinking-only 1");
        run.check(&Turn::default().and_thinks("hm"), "retry thinking-only 2");
        run.check(&works(nth), "pass");
        run.check(&says(&format!("Part {nth} is written.")), "pass");
    }
}

#[test]
fn p4_a_queue_worker_is_corrected_in_each_of_a_hundred_tasks() {
    for task in [|nth: usize| format!("Task {nth}: resize image {nth}."), |_| "Process the next task.".into()]
    {
        let mut run = run(default_stack(), Protocol::Tool);
        for nth in 0..100 {
            run.user(&task(nth));
            run.check(&slip(), CORRECTED);
            run.check(&works(nth), "pass");
        }
    }
}

#[test]
fn p4_a_one_shot_job_of_a_thousand_turns_is_corrected_whenever_it_slips() {
    for protocol in [Protocol::Text, Protocol::Tool] {
        let mut run = run(default_stack(), protocol);
        for nth in 1..=1_000 {
            match nth % 20 {
                0 => run.check(&slip(), CORRECTED),
                _ => run.check(&works(nth), "pass"),
            };
        }
    }
}

// What gives the budget back

/// A member that wants one thing in every turn, unless the model calls a tool.
#[derive(Clone, Debug)]
struct Wants(Verdict);

impl Guard for Wants {
    fn name(&self) -> &'static str {
        "wants"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let is_text = completion.calls.is_empty();
        Ok(if is_text { self.0.clone().into() } else { Decision::pass() })
    }
}

fn note() -> Note {
    Note {
        guard: "wants".into(),
        rule: "r".into(),
        level: 1,
        subject: Subject::Run,
        text: "Do something else.".into(),
    }
}

fn retries() -> Wants {
    Wants(Verdict::Retry(note()))
}

fn asks() -> Wants {
    Wants(Verdict::Ask(Question { note: note(), options: vec![] }))
}

fn stack_of(member: Wants) -> Loop {
    run(Stack::new(vec![Box::new(member)]), Protocol::Text)
}

/// The strengths of the verdicts about so many messages without a call, ten turns apart.
fn verdicts(run: &mut Loop, messages: usize) -> Vec<u8> {
    let mut verdicts = Vec::new();
    for _ in 0..messages {
        run.pass(&calls("read", "{}"), 9);
        verdicts.push(run.turn(&says("Hm.")).verdict.strength());
    }
    verdicts
}

const RETRY: u8 = 2;
const ASK: u8 = 3;
const STOP: u8 = 4;

#[test]
fn p4_a_request_has_the_whole_budget_and_a_nudge_begins_none() {
    let mut run = stack_of(retries());
    assert_eq!(verdicts(&mut run, 12), [RETRY; 12]);
    for said in ["Proceed.", "ok", "继续", "Write hello.py."] {
        run.user(said);
        run.check(&calls("read", "{}"), "pass");
    }
    run.prompt();
    assert_eq!(verdicts(&mut run, 1), [ASK], "nothing new was said, and nothing moved");
    run.user("Look into src/main.rs instead.");
    assert_eq!(verdicts(&mut run, 16), [[RETRY; 12].as_slice(), &[ASK, ASK, ASK, STOP]].concat());
}

#[test]
fn p4_what_moved_makes_any_message_a_request() {
    let mut run = stack_of(retries());
    assert_eq!(verdicts(&mut run, 12), [RETRY; 12]);
    run.check(&works(1), "pass");
    assert_eq!(verdicts(&mut run, 1), [ASK], "one productive turn is too few");
    run.check(&works(2), "pass");
    run.user("ok");
    assert_eq!(verdicts(&mut run, 12), [RETRY; 12]);
}

#[test]
fn p4_five_productive_turns_give_one_correction_back() {
    let mut run = stack_of(retries());
    assert_eq!(verdicts(&mut run, 12), [RETRY; 12]);
    (0..4).for_each(|nth| drop(run.check(&works(nth), "pass")));
    assert_eq!(verdicts(&mut run, 1), [ASK]);
    // A question is no correction: it does not begin the count anew.
    run.check(&works(4), "pass");
    assert_eq!(verdicts(&mut run, 2), [RETRY, ASK]);
    (5..15).for_each(|nth| drop(run.check(&works(nth), "pass")));
    assert_eq!(verdicts(&mut run, 4), [RETRY, RETRY, ASK, STOP]);
}

#[test]
fn p4_twenty_productive_turns_give_one_question_back() {
    let mut run = stack_of(asks());
    assert_eq!(verdicts(&mut run, 3), [ASK; 3]);
    (0..20).for_each(|nth| drop(run.check(&works(nth), "pass")));
    assert_eq!(verdicts(&mut run, 2), [ASK, STOP]);
    (20..39).for_each(|nth| drop(run.check(&works(nth), "pass")));
    assert_eq!(verdicts(&mut run, 1), [STOP]);
}

#[test]
fn p4_who_is_corrected_again_and_again_runs_out() {
    let mut run = stack_of(retries());
    let mut corrected = 0;
    for nth in 0..1_000 {
        run.check(&works(nth), "pass");
        if nth % 4 == 3 {
            match run.turn(&says("Hm.")).verdict.strength() {
                RETRY => corrected += 1,
                other => {
                    assert_eq!((other, corrected), (ASK, 12));
                    return;
                }
            }
        }
    }
    panic!("it never runs out");
}

#[test]
fn p4_an_instruction_and_another_model_give_corrections_back_and_no_question() {
    for (choice, text, expected) in [
        (ChoiceKind::Instruct, "Read the file a.txt first.", RETRY),
        (ChoiceKind::Instruct, "Go on.", ASK),
        (ChoiceKind::Continue, "Read the file a.txt first.", ASK),
        (ChoiceKind::SwitchModel, "switch to another model", RETRY),
    ] {
        let mut run = stack_of(retries());
        assert_eq!(verdicts(&mut run, 12), [RETRY; 12]);
        run.commit(Entry::Answer(UserAnswer { choice, text: text.into() }));
        assert_eq!(verdicts(&mut run, 1), [expected], "{choice:?}: {text}");
        let mut run = stack_of(asks());
        assert_eq!(verdicts(&mut run, 3), [ASK; 3]);
        run.commit(Entry::Answer(UserAnswer { choice, text: text.into() }));
        assert_eq!(verdicts(&mut run, 1), [STOP], "{choice:?}: {text}");
    }
}

// The caps of single guards

const SECOND: &str = "retry no-call 2";
const ASKED: &str = "ask limit 3";
const STOPPED: &str = "stop questions-spent 3";

#[test]
fn n4_each_request_has_its_own_questions() {
    let mut run = run(NoTools::default(), Protocol::Tool);
    for request in 1..10 {
        run.user(&format!("Now write part {request}."));
        run.check(&calls("append", "{}"), "pass");
        for expected in [CORRECTED, SECOND, ASKED] {
            run.check(&slip(), expected);
        }
    }
    for last in [ASKED, ASKED, STOPPED] {
        run.user("Proceed.");
        for expected in [CORRECTED, SECOND, last] {
            run.check(&slip(), expected);
        }
    }
}

#[test]
fn n4_work_gives_questions_back() {
    let mut run = run(NoTools::default(), Protocol::Tool);
    for stretch in 0..10 {
        for step in 0..20 {
            run.check(&calls("append", &format!("[{stretch}, {step}]")), "pass");
        }
        for expected in [CORRECTED, SECOND, ASKED] {
            run.check(&slip(), expected);
        }
    }
    for _ in 0..3 {
        run.pass(&calls("append", "[]"), 20);
    }
    for expected in [CORRECTED, SECOND, ASKED, CORRECTED, SECOND, ASKED, CORRECTED, SECOND, STOPPED] {
        run.check(&slip(), expected);
    }
}

#[test]
fn n8_work_gives_the_one_correction_back() {
    let mut run = run(NoTools::default(), Protocol::Text);
    for stretch in 0..10 {
        run.check(&slip(), CORRECTED);
        for step in 0..5 {
            run.check(&calls("append", &format!("[{stretch}, {step}]")), "pass");
        }
    }
    run.check(&slip(), CORRECTED);
    assert_eq!(run.turn(&slip()).verdict.strength(), ASK, "no work");
}

#[test]
fn n8_a_correction_that_a_step_followed_has_worked_and_three_of_them_are_enough() {
    let mut run = run(NoTools::default(), Protocol::Text);
    for step in 0..3 {
        run.check(&slip(), CORRECTED);
        run.check(&calls("append", &format!("[{step}]")), "pass");
    }
    assert_eq!(run.turn(&slip()).verdict.strength(), ASK);
    let mut run = self::run(NoTools::default(), Protocol::Text);
    run.check(&slip(), CORRECTED);
    run.check(&calls("send_mail", "{}").fails("no such address"), "pass");
    assert_eq!(run.turn(&slip()).verdict.strength(), ASK, "a step that failed is none");
}

#[test]
fn h3_each_request_may_be_retried_once() {
    let mut run = run(Handoff::default(), Protocol::Text);
    let stuck = Termination::NoProgress;
    let may_retry = |run: &Loop| {
        let conclusion = run.guard.conclude(&stuck).expect("nothing breaks").expect("a conclusion");
        conclusion.gap.expect("a gap").constraint
    };
    run.turn(&calls("bash", "{}").fails("jq: command not found"));
    let note = may_retry(&run).expect("a retry");
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Note, note, seen: true }));
    run.user("Proceed.");
    assert_eq!(may_retry(&run), None);
    run.user("Read a.json instead.");
    assert!(may_retry(&run).is_some());
}

// What ends

/// What a user says to every message and to every question.
#[derive(Clone, Copy, Debug)]
enum Script {
    Nothing,
    Same(&'static str),
    /// Something else each time.
    New,
}

impl Script {
    fn text(self, nth: usize) -> Option<Arc<str>> {
        match self {
            Self::Nothing => None,
            Self::Same(text) => Some(text.into()),
            Self::New => Some(format!("Attempt {nth}: do it in another way.").into()),
        }
    }
}

fn script() -> impl Strategy<Value = Script> {
    prop_oneof![
        Just(Script::Nothing),
        Just(Script::Same("Proceed.")),
        Just(Script::Same("weiter")),
        Just(Script::Same("Please read src/main.rs.")),
        Just(Script::New),
    ]
}

/// Corrections and questions until a stop.
fn said_until_the_end(
    mut stack: Stack,
    turns: &[Turn],
    scripts: [Script; 2],
    choice: ChoiceKind,
) -> [u32; 2] {
    let mut said = [0; 2];
    let (offer, mut ids) = (offer(), 0);
    let start = Start { model: "test".into(), protocol: Protocol::Text, offer: offer.clone() };
    stack.observe(&Entry::Start(start));
    for (nth, turn) in turns.iter().cycle().take(4_000).enumerate() {
        if let Some(text) = scripts[0].text(nth) {
            stack.observe(&Entry::User(UserMessage { from: Speaker::User, text }));
        }
        let completion = Arc::new(turn.completion(&offer, &mut ids));
        stack.observe(&Entry::Completion(completion.clone()));
        let decision = stack.review(&completion).expect("nothing breaks");
        let mut has_asked = false;
        for intervention in decision.interventions(true) {
            match intervention.kind {
                InterventionKind::Feedback => said[0] += 1,
                InterventionKind::Question(_) => (said[1], has_asked) = (said[1] + 1, true),
                InterventionKind::Stop => return said,
                InterventionKind::Block
                | InterventionKind::Note
                | InterventionKind::Notice
                | InterventionKind::Repair(_) => unreachable!("no member wants it"),
            }
            stack.observe(&Entry::Intervention(intervention));
        }
        if has_asked {
            let text = scripts[1].text(nth).unwrap_or_else(|| "let it continue".into());
            stack.observe(&Entry::Answer(UserAnswer { choice, text }));
        }
        for call in &completion.calls {
            stack.observe(&Entry::Result(ToolResult::executed(call, Status::Ok, "ok")));
        }
    }
    panic!("it never ends");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn p4_where_nothing_moves_a_run_ends_whatever_the_user_says(
        calls in 0..6_usize,
        members in proptest::collection::vec(prop_oneof![Just(retries()), Just(asks())], 1..3),
        scripts in [script(), script()],
        choice in prop_oneof![
            Just(ChoiceKind::Continue), Just(ChoiceKind::Instruct), Just(ChoiceKind::SwitchModel)
        ],
    ) {
        let turns: Vec<Turn> = (0..calls).map(works).chain([says("Hm.")]).collect();
        let members = members.into_iter().map(|it| Box::new(it) as Box<dyn Guard>).collect();
        let [corrections, questions] = said_until_the_end(Stack::new(members), &turns, scripts, choice);
        let Budget { corrections: most, questions: most_asked, .. } = Budget::default();
        // Before the first word nothing is remembered, so one round of calls is new.
        prop_assert!(corrections <= 4 * most + 2, "{} corrections", corrections);
        prop_assert!(questions <= 4 * most_asked + 1, "{} questions", questions);
    }
}
