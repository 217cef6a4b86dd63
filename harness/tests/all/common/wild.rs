//! Guards that do anything at all: their answers are a pure function of a hash of what they folded. The laws of the
//! engine must hold with any guard.

use std::sync::Arc;

use balk_guards::{
    Answer, AttemptFailure, Blocked, Budget, Choice, ChoiceKind, Completion, Conclusion, Decision, Entry,
    FinishReason, Gap, GapKind, Guard, GuardFault, Intervention, InterventionKind, Note, Origin, Part,
    Question, Recovery, Repair, Settlement, Stack, Subject, Termination, ToolResult, Verdict, Wait,
};
use serde_json::{Value, json};

/// How wild a guard is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Temper {
    /// Distinguishes this guard from the others.
    pub(crate) salt: u64,
    /// How many of 16 answers are objections.
    pub(crate) objects: u64,
    /// Whether it sometimes breaks.
    pub(crate) breaks: bool,
}

/// The guard.
pub(crate) struct Wild {
    temper: Temper,
    name: String,
    hash: u64,
    /// Whether it has repaired the current completion, which it may do once.
    repaired: bool,
}

impl Wild {
    fn new(temper: Temper) -> Self {
        Self { temper, name: format!("wild-{}", temper.salt), hash: temper.salt, repaired: false }
    }

    /// The next of some numbers that depend on what was folded.
    fn numbers(&self, question: u64) -> impl FnMut(u64) -> u64 {
        let mut state = mix(self.hash ^ mix(question));
        move |below| {
            state = mix(state);
            state % below
        }
    }

    fn note(&self, what: &str, number: u64) -> Note {
        let text = ["", "Stop.", "Do not send this call again with the same arguments.\n- a\n- b", "  \n "];
        let text = text[usize::try_from(number % 4).expect("a small number")];
        Note {
            guard: self.name.clone().into(),
            rule: what.to_owned().into(),
            level: 1,
            subject: Subject::Run,
            text: if number.is_multiple_of(5) { text.into() } else { format!("{text} {number}").into() },
        }
    }

    fn question(&self, number: u64) -> Question {
        let kinds = [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::SwitchModel, ChoiceKind::Stop];
        let some = usize::try_from(number % 5).expect("a small number");
        let options = kinds.into_iter().take(some).map(|kind| Choice { kind, label: "so".into() });
        Question { note: self.note("question", number), options: options.collect() }
    }

    fn fault(&self) -> GuardFault {
        GuardFault { guard: self.name.clone(), reason: "it just broke".into() }
    }
}

impl Guard for Wild {
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&mut self, entry: &Entry) {
        for byte in format!("{entry:?}").bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if let Entry::Completion(_) = entry {
            self.repaired = false;
        } else if let Entry::Intervention(Intervention { kind: InterventionKind::Repair(_), note, .. }) =
            entry
        {
            self.repaired |= note.guard == self.name;
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let mut next = self.numbers(1);
        if self.temper.breaks && next(24) == 0 {
            return Err(self.fault());
        }
        if next(16) >= self.temper.objects {
            return Ok(Decision::pass());
        }
        let verdict = match next(14) {
            0..=5 => {
                let calls = (0..completion.calls.len()).filter(|_| next(2) == 0).collect::<Vec<_>>();
                let blocked = |call| Blocked { call, note: self.note("block", next(90)) };
                let blocked: Vec<Blocked> = calls.into_iter().map(blocked).collect();
                if blocked.is_empty() { Verdict::Pass } else { Verdict::Block(blocked) }
            }
            6..=8 => Verdict::Retry(self.note("retry", next(90))),
            9 | 10 => Verdict::Ask(self.question(next(90))),
            11 | 12 if !self.repaired => {
                let completion = Arc::new(mended(completion, &mut next));
                Verdict::Repair(Repair { note: self.note("repair", next(90)), completion })
            }
            _ if next(3) == 0 => Verdict::Stop(self.note("stop", next(90))),
            _ => Verdict::Pass,
        };
        let notices = (0..next(3)).map(|_| self.note("notice", next(90))).collect();
        Ok(Decision { verdict, notices })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        // Nothing is folded between two tries of the last call, so the number of tries is part of the question.
        let tries: u64 = results.iter().map(|it| u64::from(it.tries)).sum();
        let mut next = self.numbers(2 + 16 * tries);
        if self.temper.breaks && next(24) == 0 {
            return Err(self.fault());
        }
        if next(16) >= self.temper.objects {
            return Ok(Settlement::Accept(Vec::new()));
        }
        let executed = results.iter().position(|it| it.origin == Origin::Executed);
        Ok(match (next(2), executed) {
            (0, Some(call)) => Settlement::Rerun { call, after: next(2_000) },
            _ => Settlement::Accept((0..next(3)).map(|_| self.note("note", next(90))).collect()),
        })
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        let mut next = self.numbers(3);
        if self.temper.breaks && next(24) == 0 {
            return Err(self.fault());
        }
        Ok(match next(12) {
            0 => None,
            1..=7 => {
                let at_least = next(1_000);
                Some(Recovery::resend(Wait { at_least, at_most: at_least + next(1_000) }))
            }
            8..=10 => Some(Recovery::Ask(self.question(next(90)))),
            _ => Some(Recovery::Stop(self.note("stop", next(90)))),
        })
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let mut next = self.numbers(4);
        if self.temper.breaks && next(24) == 0 {
            return Err(self.fault());
        }
        let kinds =
            [GapKind::MissingCapability, GapKind::MissingInput, GapKind::MalformedCall, GapKind::NoProgress];
        let gap = Gap {
            kind: kinds[usize::try_from(next(4)).expect("below four")],
            missing: "wild".into(),
            tried: Vec::new(),
            explanation: "wild".into(),
            could_do: Vec::new(),
            resume: "wild".into(),
            constraint: (next(2) == 0).then(|| self.note("constraint", next(90))),
        };
        Ok(match next(3) {
            0 => None,
            it => Some(Conclusion {
                end: end.clone(),
                note: self.note("conclusion", next(90)),
                gap: (it == 1).then_some(gap),
            }),
        })
    }

    fn save(&self) -> Value {
        json!([self.hash, self.repaired])
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        (self.hash, self.repaired) = serde_json::from_value(state).map_err(|_| self.fault())?;
        Ok(())
    }
}

/// The completion with fewer calls, with its calls reversed, or with a repeated call and another text.
fn mended(completion: &Completion, next: &mut impl FnMut(u64) -> u64) -> Completion {
    let mut mended = completion.clone();
    // An attempt that broke has to keep a call.
    let least = u64::from(completion.finish == FinishReason::Error);
    match next(3) {
        0 => mended.calls.truncate(usize::try_from(next(2).max(least)).expect("a small number")),
        1 => mended.calls.reverse(),
        _ => {
            let again = completion.calls.first().map(|it| {
                let mut again = (**it).clone();
                again.id = format!("{}-again", it.id).into();
                again
            });
            mended.calls.extend(again.map(Arc::new));
        }
    }
    if next(2) == 0 || mended.is_empty() {
        mended.parts = vec![Part::Text("This is what I meant.".into())];
    }
    mended
}

fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let number = (number ^ (number >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ (number >> 33)
}

/// A stack of such guards.
pub(crate) fn stack(tempers: &[Temper]) -> Stack {
    let members = tempers.iter().map(|&temper| Box::new(Wild::new(temper)) as Box<dyn Guard>).collect();
    // A budget so small that it is often spent: the laws also cover what a stack says then.
    Stack::with_budget(members, Budget { corrections: 2, questions: 3, ..Budget::default() })
}

/// The same stack in an agent that restarts after every entry.
pub(crate) struct Restarted<'a> {
    tempers: &'a [Temper],
    stack: Stack,
}

impl<'a> Restarted<'a> {
    pub(crate) fn new(tempers: &'a [Temper]) -> Self {
        Self { tempers, stack: stack(tempers) }
    }
}

impl Guard for Restarted<'_> {
    fn name(&self) -> &'static str {
        "restarted"
    }

    fn observe(&mut self, entry: &Entry) {
        self.stack.observe(entry);
        let saved = self.stack.save().to_string();
        self.stack = stack(self.tempers);
        let saved = serde_json::from_str(&saved).expect("a state is JSON");
        self.stack.load(saved).expect("a stack takes up its own state");
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.stack.review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.stack.settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.stack.recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.stack.conclude(end)
    }
}
