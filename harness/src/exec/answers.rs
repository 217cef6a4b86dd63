//! What the answers of a child mean, and whether they can mean that.

use std::sync::Arc;

use balk_guards::{
    Blocked, Conclusion, Decision, Gap, Note, Offer, Question, Recovery, Repair, Settlement, Subject,
    Termination, ToolCall, Verdict,
};

use super::lines::{
    AskLine, BlockLine, Concluded, GapLine, NAME_CHARS_MAX, NoteLine, Recovered, Reviewed, Settled,
    SubjectLine, VerdictLine,
};

/// The longest wait that a child can ask for, in ticks (ms): more than thirty years.
const TICKS_MAX: u64 = 1 << 40;

/// What an answer is about, and so what it means.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The name of the guard.
    pub guard: &'a str,
    /// The tools on offer.
    pub offer: &'a Offer,
    /// The calls that it can name.
    pub calls: &'a [Arc<ToolCall>],
}

/// What was expected, and what was found.
type Checked<T> = Result<T, String>;

impl Reader<'_> {
    /// The answer about a completion.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn decision(&self, said: Reviewed) -> Checked<Decision> {
        let verdict = match said.verdict {
            VerdictLine::Pass => Verdict::Pass,
            VerdictLine::Block(blocked) => Verdict::Block(self.blocked(blocked)?),
            VerdictLine::Retry(note) => Verdict::Retry(self.note(note)?),
            VerdictLine::Ask(ask) => Verdict::Ask(self.question(ask)?),
            VerdictLine::Stop(note) => Verdict::Stop(self.note(note)?),
            VerdictLine::Repair { note, completion } => Verdict::Repair(Repair {
                note: self.note(note)?,
                completion: completion.completion(self.offer).into(),
            }),
        };
        Ok(Decision { verdict, notices: self.notes(said.notices)? })
    }

    /// The answer about results.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn settlement(&self, said: Settled) -> Checked<Settlement> {
        Ok(match said {
            Settled::Accept(notes) => Settlement::Accept(self.notes(notes)?),
            Settled::Rerun { call, after } => {
                self.call(call)?;
                Settlement::Rerun { call, after: ticks(after)? }
            }
        })
    }

    /// The answer about a failed attempt.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn recovery(&self, said: Recovered) -> Checked<Recovery> {
        Ok(match said {
            Recovered::Resend { after, notice } => {
                if after.at_least > ticks(after.at_most)? {
                    let (at_least, at_most) = (after.at_least, after.at_most);
                    return Err(format!(
                        "expected a wait of at least {at_least} ticks, found at most {at_most}"
                    ));
                }
                Recovery::Resend { after, notice: notice.map(|it| self.note(it)).transpose()? }
            }
            Recovered::Ask(ask) => Recovery::Ask(self.question(ask)?),
            Recovered::Stop(note) => Recovery::Stop(self.note(note)?),
        })
    }

    /// The answer about an end.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn conclusion(&self, said: Concluded, end: &Termination) -> Checked<Conclusion> {
        let gap = said.gap.map(|gap| self.gap(gap)).transpose()?;
        Ok(Conclusion { end: end.clone(), note: self.note(said.note)?, gap })
    }

    fn gap(&self, said: GapLine) -> Checked<Gap> {
        let GapLine { kind, missing, tried, explanation, could_do, resume, constraint } = said;
        let constraint = constraint.map(|it| self.note(it)).transpose()?;
        Ok(Gap { kind, missing, tried, explanation, could_do, resume, constraint })
    }

    fn blocked(&self, said: Vec<BlockLine>) -> Checked<Vec<Blocked>> {
        let mut blocked: Vec<Blocked> = Vec::with_capacity(said.len());
        let mut are_blocked = vec![false; self.calls.len()];
        for BlockLine { call, note } in said {
            let subject = Subject::Call(self.call(call)?.key);
            if std::mem::replace(&mut are_blocked[call], true) {
                return Err(format!("expected each call once, found {call} twice"));
            }
            blocked.push(Blocked { call, note: self.about(subject, note)? });
        }
        Ok(blocked)
    }

    fn question(&self, AskLine { note, options }: AskLine) -> Checked<Question> {
        if options.is_empty() {
            return Err("expected an option that the user can choose, found none".to_owned());
        }
        Ok(Question { note: self.note(note)?, options })
    }

    fn notes(&self, said: Vec<NoteLine>) -> Checked<Vec<Note>> {
        said.into_iter().map(|it| self.note(it)).collect()
    }

    fn note(&self, said: NoteLine) -> Checked<Note> {
        self.about(Subject::Run, said)
    }

    /// A note about `subject`, unless it says something else.
    fn about(&self, subject: Subject, said: NoteLine) -> Checked<Note> {
        let NoteLine { rule, level, subject: other, text } = said;
        if level == 0 {
            return Err("expected a level from 1, found 0".to_owned());
        }
        // Its name is kept and counted, unlike its words.
        let chars = rule.chars().count();
        if chars > NAME_CHARS_MAX {
            return Err(format!("expected a rule of at most {NAME_CHARS_MAX} characters, found {chars}"));
        }
        if let Some(found) = rule.chars().find(|it| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}'))
        {
            let expected = "a rule on one line, without control characters such as tabs";
            return Err(format!("expected {expected}, found U+{:04X}", u32::from(found)));
        }
        let subject = match other {
            None => subject,
            Some(SubjectLine::Run) => Subject::Run,
            Some(SubjectLine::Tool(tool)) => Subject::Tool(tool),
            Some(SubjectLine::CallAt(call)) => Subject::Call(self.call(call)?.key),
            Some(SubjectLine::Call(key)) => Subject::Call(key),
        };
        Ok(Note { guard: self.guard.to_owned().into(), rule: rule.into(), level, subject, text })
    }

    fn call(&self, at: usize) -> Checked<&ToolCall> {
        self.calls.get(at).map(|it| &**it).ok_or_else(|| match self.calls.len() {
            0 => format!("expected no index of a call, since there is none, found {at}"),
            calls => format!("expected an index of a call below {calls}, found {at}"),
        })
    }
}

fn ticks(ticks: u64) -> Checked<u64> {
    if ticks > TICKS_MAX {
        return Err(format!("expected a wait of at most {TICKS_MAX} ticks, found {ticks}"));
    }
    Ok(ticks)
}
