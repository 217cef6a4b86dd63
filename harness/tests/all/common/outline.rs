//! A run in short: a line for each turn and for each thing that comes between turns.

use std::fmt::Write;

use balk::engine::Trial;
use balk_guards::wording::one_line;
use balk_guards::{
    Completion, Entry, FinishReason, Intervention, InterventionKind, Part, Status, ToolResult,
};

use super::runs::Run;

/// Characters of a text of the model, of an argument list, and of a result.
const SAID: usize = 60;
const CALLED: usize = 50;
const ANSWERED: usize = 50;

/// The run as lines: the seed and the end, then what happened.
pub(crate) fn outline(run: &Run) -> String {
    let mut text = format!("seed {}: {}\n", run.seed, end(run));
    let mut last: Option<(String, u32)> = None;
    for line in lines(&run.trial) {
        match &mut last {
            Some((same, more)) if *same == line => *more += 1,
            _ => {
                flush(last.replace((line, 0)), &mut text);
            }
        }
    }
    flush(last, &mut text);
    text
}

fn flush(line: Option<(String, u32)>, text: &mut String) {
    match line {
        None => {}
        Some((line, 0)) => writeln!(text, "  {line}").expect("writing to a string never fails"),
        Some((line, more)) => {
            writeln!(text, "  {line} ({more} more)").expect("writing to a string never fails")
        }
    }
}

/// How it ended, in words.
fn end(run: &Run) -> String {
    let grade = &run.grade;
    let done = match (grade.goal, grade.told) {
        (true, _) => "done",
        (false, true) => "not done, and the user knows",
        (false, false) => "not done, and the user does not know",
    };
    let false_ones = match grade.false_interventions {
        0 => String::new(),
        some => format!(" ({some} false)"),
    };
    format!(
        "{done}; {} turns, {} of them stuck; {} interventions{false_ones}",
        grade.turns, grade.stuck_turns, grade.interventions
    )
}

fn lines(trial: &Trial) -> impl Iterator<Item = String> {
    let mut truths = trial.turns.iter().map(|turn| turn.truth.name());
    trial.entries.iter().filter_map(move |entry| {
        Some(match entry {
            Entry::Start(_) => return None,
            Entry::User(it) => format!("user · {}", one_line(&it.text, SAID)),
            Entry::Completion(it) => {
                format!("[{}] {}", truths.next().expect("each turn has a truth"), completion(it))
            }
            Entry::Failed(it) => format!("broken · {} after {:?}", it.failure.cause.name(), it.response),
            Entry::Tried(it) => format!("  tried · {}", result(it)),
            Entry::Result(it) => format!("  {}", result(it)),
            Entry::Intervention(it) => format!("GUARD {}", intervention(it)),
            Entry::Answer(it) => format!("answer · {:?}", it.choice),
            Entry::Compaction(_) => "the view is cut down".to_owned(),
            Entry::Conclusion(it) => format!("GUARD {}: conclusion ({})", it.note.guard, it.note.rule),
            Entry::End(it) => format!("end · {it:?}"),
        })
    })
}

fn completion(it: &Completion) -> String {
    let mut said: Vec<String> = Vec::new();
    for part in &it.parts {
        match part {
            Part::Text(text) => said.push(format!("“{}”", one_line(text, SAID))),
            Part::Thinking { text, .. } => said.push(format!("({})", one_line(text, SAID))),
        }
    }
    said.extend(it.calls.iter().map(|call| format!("{} {}", call.tool, one_line(&call.arguments, CALLED))));
    if it.finish == FinishReason::Length {
        said.push("cut off".to_owned());
    }
    said.join(" · ")
}

fn result(it: &ToolResult) -> String {
    let status = match it.status {
        Status::Ok => "ok",
        Status::Error => "failed",
        Status::Unknown => "answered",
    };
    format!("{status} · {}", one_line(&it.text, ANSWERED))
}

fn intervention(it: &Intervention) -> String {
    let kind = match it.kind {
        InterventionKind::Repair(_) => "repair",
        InterventionKind::Feedback => "feedback",
        InterventionKind::Note => "note",
        InterventionKind::Question(_) => "question",
        InterventionKind::Notice => "notice",
        InterventionKind::Block => "block",
        InterventionKind::Stop => "stop",
    };
    format!("{}: {kind} ({}, level {})", it.note.guard, it.note.rule, it.note.level)
}
