//! A guard for these tests, on literal transcripts.

use std::fmt::Write as _;

use balk_guards::{Choice, Decision, Question, Verdict};

use super::*;
use crate::import::reading;
use crate::import::{Setting, join};

/// Fires by rule and logs everything that it observes.
#[derive(Default)]
struct Example {
    keys: Vec<String>,
    log: String,
    faulty_turn: Option<usize>,
}

fn note(rule: &'static str, subject: Subject) -> Note {
    Note { guard: "example".into(), rule: rule.into(), level: 1, subject, text: "why".into() }
}

impl Guard for Example {
    fn name(&self) -> &'static str {
        "example"
    }

    fn observe(&mut self, entry: &Entry) {
        let text = match entry {
            Entry::Start(_) => "start".into(),
            Entry::User(_) => "user".into(),
            Entry::Completion(it) => {
                self.keys.extend(it.calls.iter().map(|call| call.key.to_string()));
                "completion".into()
            }
            Entry::Failed(it) => format!("failed {}", it.failure.attempt),
            Entry::Result(it) => format!("result {:?}", it.origin),
            Entry::Intervention(it) => format!("{} {} seen={}", it.note.rule, it.kind.name(), it.seen),
            Entry::Tried(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => "other".into(),
        };
        writeln!(self.log, "observe {text}").expect("a string takes what is written");
    }

    /// Blocks every call of a family that is called for the third time in a row, and adds a notice. Ends the run, with
    /// a notice, at a call with the argument `stop`.
    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if self.faulty_turn.is_some_and(|turn| turn == self.keys.len()) {
            return Err(GuardFault { guard: "example".into(), reason: "out of order".into() });
        }
        if completion.calls.iter().any(|call| call.arguments.contains("stop")) {
            let verdict = Verdict::Stop(note("over", Subject::Run));
            return Ok(Decision { verdict, notices: vec![note("told", Subject::Run)] });
        }
        let equal =
            self.keys.last().map_or(0, |last| self.keys.iter().rev().take_while(|key| *key == last).count());
        if equal < 3 || completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let subject = || Subject::Call(completion.calls[0].key);
        let blocked = (0..completion.calls.len())
            .map(|call| balk_guards::Blocked { call, note: note("third", subject()) })
            .collect();
        let notices = vec![note("told", Subject::Run)];
        Ok(Decision { verdict: Verdict::Block(blocked), notices })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        Ok(match &*results[0].text {
            "flaky" => Settlement::Rerun { call: 0, after: 50 },
            "wild" => Settlement::Rerun { call: 9, after: 50 },
            "odd" => Settlement::Accept(vec![note("odd", Subject::Tool(results[0].call.tool.clone()))]),
            _ => Settlement::Accept(Vec::new()),
        })
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(match failure.attempt {
            1 => Some(Recovery::resend(Wait::exactly(100))),
            2 => {
                let options: Vec<Choice> = Vec::new();
                Some(Recovery::Ask(Question { note: note("silent", Subject::Run), options }))
            }
            3 => Some(Recovery::Stop(note("silent", Subject::Run))),
            _ => None,
        })
    }
}

/// The fold of a transcript of turns: `.` is text, `_` an empty message, any other word a call of `ls` with that
/// argument; the part after `=` is its result.
fn fold_of(turns: &str, guard: &mut Example) -> Folded {
    let mut messages = Vec::new();
    for (at, turn) in turns.split_whitespace().enumerate() {
        let (what, result) = turn.split_once('=').map_or((turn, None), |(what, result)| (what, Some(result)));
        messages.push(match what {
            "." => r#"{"role": "assistant", "content": "text"}"#.into(),
            "_" => r#"{"role": "assistant", "content": ""}"#.into(),
            what => format!(
                r#"{{"role": "assistant", "tool_calls": [{{"id": "{at}", "function": {{"name": "ls",
                "arguments": "{{\"path\": \"{what}\"}}"}}}}]}}"#
            ),
        });
        if let Some(result) = result {
            messages.push(format!(r#"{{"role": "tool", "tool_call_id": "{at}", "content": "{result}"}}"#));
        }
    }
    let line = format!(r#"{{"messages": [{}]}}"#, messages.join(", "));
    let (_, mut found) = reading::read(line.as_bytes(), None).expect("memory can be read");
    let (_, recording) = found.pop().expect("there is one");
    let recorded = join(recording.expect("the line is good"), &Setting::default());
    fold(&recorded.entries, guard)
}

fn events(folded: &Folded) -> Vec<String> {
    let mut all: Vec<String> = folded
        .events
        .iter()
        .map(|Event { turn, message, what }| match what {
            What::Fired(it) => format!(
                "{turn}@{message} {} {} {} x{} {}{}{}",
                it.asked.word(),
                it.note.rule,
                it.kind,
                it.interventions,
                it.tool.as_deref().unwrap_or("-"),
                if it.opens_stretch { " opens" } else { "" },
                if it.opens_guard_stretch { " opens-guard" } else { "" },
            ),
            What::Rerun { tool, after } => format!("{turn}@{message} rerun {tool} {after}"),
            What::Resend { after } => format!("{turn}@{message} resend {}", after.at_least),
        })
        .collect();
    all.extend(folded.fault.iter().map(|(turn, fault)| format!("{turn} {fault}")));
    all
}

#[track_caller]
fn check(turns: &str, expected: &[&str]) {
    assert_eq!(events(&fold_of(turns, &mut Example::default())), expected);
}

#[test]
fn a_quiet_transcript_is_counted() {
    let folded = fold_of("a=x b . _ c=y", &mut Example::default());
    assert_eq!((folded.turns, folded.calls), (4, 3));
}

#[test]
fn firings_two_turns_apart_are_one_stretch() {
    check(
        "a=x a=x a=x b=x . c=x c=x c=x",
        &[
            "3@4 review third block x1 ls opens opens-guard",
            "3@4 review told notice x1 -",
            "8@13 review third block x1 ls opens opens-guard",
            "8@13 review told notice x1 -",
        ],
    );
    check(
        "a=x a=x a=x b=x b=odd",
        &[
            "3@4 review third block x1 ls opens opens-guard",
            "3@4 review told notice x1 -",
            "5@8 settle odd note x1 ls",
        ],
    );
}

#[test]
fn a_rerun_and_a_resend_are_no_firings() {
    check(
        "a=flaky _ b=odd",
        &["1@0 rerun ls 50", "2@2 resend 100", "2@3 settle odd note x1 ls opens opens-guard"],
    );
    check("a=wild b=odd", &["1 guard example: expected a call below 1 to run again, found 9"]);
}

#[test]
fn failed_attempts_are_asked_about() {
    check(
        "a=x _ _ _ _ b=x",
        &[
            "2@2 resend 100",
            "2@3 recover silent question x1 - opens opens-guard",
            "2@4 recover silent stop x1 -",
        ],
    );
}

/// In a run, the guard would be asked again after its repair, and what is recorded may follow it.
#[test]
fn what_is_said_after_a_repair_that_keeps_the_calls_is_a_firing_too() {
    let chant = "I will now look at the file and then I will go on. ".repeat(20);
    let line = format!(r#"{{"messages": [{{"role": "assistant", "content": "{chant}"}}]}}"#);
    let (_, mut found) = reading::read(line.as_bytes(), None).expect("memory can be read");
    let (_, recording) = found.pop().expect("there is one");
    let recorded = join(recording.expect("the line is good"), &Setting::default());
    assert_eq!(
        events(&fold(&recorded.entries, &mut balk_guards::Repetition::default())),
        ["1@0 review copies-cut repair x1 - opens opens-guard", "1@0 review repeats-itself feedback x1 -",]
    );
}

/// In a run with this guard, nothing of the rest would have happened.
#[test]
fn what_is_recorded_after_the_guard_would_have_ended_the_run_is_not_asked_about() {
    let mut guard = Example::default();
    let folded = fold_of("a=x stop=odd b=odd . c=odd", &mut guard);
    assert_eq!(
        events(&folded),
        ["2@2 review over stop x1 - opens opens-guard", "2@2 review told notice x1 -"]
    );
    assert_eq!((folded.turns, folded.calls), (2, 2));
    assert_eq!(folded.end, Some(End { turn: 2, message: 2, entries: 5, turns_after: 3, calls_after: 2 }));
    assert!(!guard.log.contains("over"), "{}", guard.log);

    // A failed attempt: the third one ends the run, before the turn that would have followed.
    let folded = fold_of("a=x _ _ _ b=x", &mut Example::default());
    assert_eq!(folded.end, Some(End { turn: 2, message: 4, entries: 6, turns_after: 1, calls_after: 1 }));
    // A question ends nothing.
    let folded = fold_of("a=x _ _ b=x", &mut Example::default());
    assert_eq!((folded.end, folded.turns), (None, 2));
}

#[test]
fn interventions_are_observed_unseen_after_the_results_and_insert_none() {
    let mut guard = Example::default();
    let _ = fold_of("a=x a=x a=odd _ _ b", &mut guard);
    assert_eq!(
        guard.log,
        "observe start\nobserve completion\nobserve result Executed\nobserve completion\nobserve result \
         Executed\nobserve completion\nobserve result Executed\nobserve third block seen=false\nobserve told \
         notice seen=false\nobserve odd note seen=false\nobserve failed 1\nobserve failed 2\nobserve silent \
         question seen=false\nobserve completion\nobserve result Missing\n"
    );
}

#[test]
fn a_guard_fault_ends_the_fold() {
    let mut guard = Example { faulty_turn: Some(2), ..Example::default() };
    let folded = fold_of("a=odd b=odd c=odd", &mut guard);
    assert_eq!(
        events(&folded),
        ["1@0 settle odd note x1 ls opens opens-guard", "2 guard example: out of order"]
    );
    assert_eq!(folded.turns, 2);
}
