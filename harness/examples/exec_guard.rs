//! One of Balk's own guards in another process: `--guard 'exec:exec_guard no-tools'`. The tests compare it with the
//! same guard in the program, answer by answer.
//!
//! With `--log FILE`, it writes every line in both directions into that file.

#![expect(clippy::disallowed_methods, reason = "a guard in another process keeps a log of its own")]

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;

use balk::exec::lines::{
    AskLine, BlockLine, Concluded, FromGuard, GapLine, Introduction, Loaded, NoteLine, PROTOCOL, Question,
    Recovered, Reviewed, SavedState, Settled, SubjectLine, ToGuard, VerdictLine,
};
use balk_guards::{
    Answer, Completion, Conclusion, Decision, Entry, Gap, Guard, Intervention, InterventionKind, Note,
    Recovery, Repair, Settlement, Subject, ToolResult, Verdict,
};
use balk_reports::records::{CompletionRecord, EntryRecord, transcript};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, log) = match &*arguments {
        [name] => (name, None),
        [name, option, file] if option == "--log" => {
            (name, Some(OpenOptions::new().create(true).append(true).open(file)?))
        }
        _ => return Err(io::Error::other("usage: exec_guard GUARD [--log FILE]")),
    };
    let mut mirror = Mirror { guard: made(name)?, name, entries: Vec::new(), log };
    #[expect(clippy::disallowed_methods, reason = "a program of its own, which speaks in lines")]
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        mirror.write("> ", &line)?;
        if let Some(answer) = mirror.answer(serde_json::from_str(&line)?)? {
            let answer = serde_json::to_string(&answer)?;
            mirror.write("< ", &answer)?;
            writeln!(out, "{answer}")?;
        }
    }
    Ok(())
}

/// The guard of this name, or the one that only passes.
fn made(name: &str) -> io::Result<Box<dyn Guard>> {
    let unknown = || io::Error::other(format!("no guard `{name}`"));
    match name {
        "pass" => Ok(Box::new(())),
        name => Ok(balk_guards::shipped(name, serde_json::Map::new()).ok_or_else(unknown)??),
    }
}

struct Mirror<'a> {
    guard: Box<dyn Guard>,
    name: &'a str,
    entries: Vec<EntryRecord>,
    log: Option<File>,
}

impl Mirror<'_> {
    fn write(&mut self, direction: &str, line: &str) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), |log| writeln!(log, "{direction}{line}"))
    }

    fn answer(&mut self, line: ToGuard) -> io::Result<Option<FromGuard>> {
        Ok(Some(match line {
            ToGuard::Hello { .. } => FromGuard::Hello(Introduction {
                protocol: PROTOCOL,
                guard: self.guard.name().to_owned(),
                answers: vec![Question::Review, Question::Settle, Question::Recover, Question::Conclude],
                keeps_state: true,
            }),
            ToGuard::Begin { .. } => {
                (self.guard, self.entries) = (made(self.name)?, Vec::new());
                return Ok(None);
            }
            ToGuard::Observe(entry) => {
                self.entries.push(entry);
                let entries = transcript(&self.entries).map_err(io::Error::other)?;
                self.guard.observe(entries.last().expect("one was pushed"));
                // A result names a call of the last completion, and everything names the tools of the start.
                if matches!(entries.last(), Some(Entry::Completion(_))) {
                    self.entries.drain(1..self.entries.len() - 1);
                }
                return Ok(None);
            }
            ToGuard::Review { completion } => {
                FromGuard::Review(reviewed(held(self.guard.review(&*self.completion(&completion)?))?))
            }
            ToGuard::Settle { completion, results } => FromGuard::Settle(settled(held({
                let of = results.into_iter().map(EntryRecord::Result);
                let entries = transcript(&self.entries.iter().cloned().chain(of).collect::<Vec<_>>());
                let results: Vec<ToolResult> = entries
                    .map_err(io::Error::other)?
                    .into_iter()
                    .skip(self.entries.len())
                    .filter_map(|entry| if let Entry::Result(it) = entry { Some(it) } else { None })
                    .collect();
                self.guard.settle(&*self.completion(&completion)?, &results)
            })?)),
            ToGuard::Recover { failure } => {
                FromGuard::Recover(held(self.guard.recover(&failure))?.map(recovered))
            }
            ToGuard::Conclude { end } => FromGuard::Conclude(held(self.guard.conclude(&end))?.map(concluded)),
            ToGuard::Save {} => {
                FromGuard::Save(SavedState { version: 1, state: serde_json::to_value(self.saved())? })
            }
            ToGuard::Load(SavedState { version: 1, state }) => {
                let (entries, state) = serde_json::from_value(state)?;
                self.entries = entries;
                FromGuard::Load(match self.guard.load(state) {
                    Ok(()) => Loaded::Ok,
                    Err(fault) => Loaded::Refused(fault.reason),
                })
            }
            ToGuard::Load(SavedState { version, .. }) => {
                FromGuard::Load(Loaded::Refused(format!("expected version 1, found {version}")))
            }
        }))
    }

    /// What the next lines need to be read, and the guard's own state.
    fn saved(&self) -> (&[EntryRecord], serde_json::Value) {
        (&self.entries, self.guard.save())
    }

    /// The last completion that was committed, which is the one that was asked about.
    fn completion(&self, asked: &CompletionRecord) -> io::Result<Arc<Completion>> {
        let entries = transcript(&self.entries).map_err(io::Error::other)?;
        let last = entries.into_iter().rev().find_map(|entry| {
            if let Entry::Completion(completion)
            | Entry::Intervention(Intervention { kind: InterventionKind::Repair(completion), .. }) = entry
            {
                return Some(completion);
            }
            None
        });
        let same = last.filter(|it| CompletionRecord::from(&**it) == *asked);
        same.ok_or_else(|| io::Error::other("the completion is not the last one"))
    }
}

/// A guard in this process breaks only if it was told something impossible.
fn held<T>(answer: Answer<T>) -> io::Result<T> {
    answer.map_err(io::Error::other)
}

fn note(note: Note) -> NoteLine {
    let subject = match note.subject {
        Subject::Run => SubjectLine::Run,
        Subject::Tool(tool) => SubjectLine::Tool(tool),
        Subject::Call(key) => SubjectLine::Call(key),
    };
    NoteLine { rule: note.rule.into(), level: note.level, subject: Some(subject), text: note.text }
}

fn ask(question: balk_guards::Question) -> AskLine {
    AskLine { note: note(question.note), options: question.options }
}

fn reviewed(decision: Decision) -> Reviewed {
    let verdict = match decision.verdict {
        Verdict::Pass => VerdictLine::Pass,
        Verdict::Block(blocked) => VerdictLine::Block(
            blocked.into_iter().map(|it| BlockLine { call: it.call, note: note(it.note) }).collect(),
        ),
        Verdict::Retry(said) => VerdictLine::Retry(note(said)),
        Verdict::Ask(question) => VerdictLine::Ask(ask(question)),
        Verdict::Stop(said) => VerdictLine::Stop(note(said)),
        Verdict::Repair(Repair { note: said, completion }) => {
            VerdictLine::Repair { note: note(said), completion: CompletionRecord::from(&*completion) }
        }
    };
    Reviewed { verdict, notices: decision.notices.into_iter().map(note).collect() }
}

fn settled(settlement: Settlement) -> Settled {
    match settlement {
        Settlement::Accept(notes) => Settled::Accept(notes.into_iter().map(note).collect()),
        Settlement::Rerun { call, after } => Settled::Rerun { call, after },
    }
}

fn recovered(recovery: Recovery) -> Recovered {
    match recovery {
        Recovery::Resend { after, notice } => Recovered::Resend { after, notice: notice.map(note) },
        Recovery::Ask(question) => Recovered::Ask(ask(question)),
        Recovery::Stop(said) => Recovered::Stop(note(said)),
    }
}

fn concluded(conclusion: Conclusion) -> Concluded {
    let gap = conclusion.gap.map(|gap| {
        let Gap { kind, missing, tried, explanation, could_do, resume, constraint } = gap;
        GapLine { kind, missing, tried, explanation, could_do, resume, constraint: constraint.map(note) }
    });
    Concluded { note: note(conclusion.note), gap }
}
