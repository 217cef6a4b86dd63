//! A trial as a page: its timeline, beside that of the same seed without a guard.

use balk_contract::{Origin, Part, Speaker, Status};

use super::document::figure::{Figure, Lane, Mark, Said, State, Timeline, Turn, Voice};
use super::document::{Block, Document, Text, code, folded, paragraph, strong};
use super::sections::number::{counted, grouped};
use super::words::{answered, attempt, ended, intervened};
use crate::records::{Drawn, EntryRecord, Grade, InterventionRecord, ResultRecord, TrialRecord, Truth};

/// The longest text of one speaker, in characters.
const CHARS_MAX: usize = 4_000;

/// The page of a trial, and if there is one, of the same seed without a guard.
///
/// `about` describes the scenario in one line, and `command` shows the trial again.
#[must_use]
pub fn trial_page(with: &TrialRecord, without: Option<&TrialRecord>, about: &str, command: &str) -> Document {
    let title = format!("{}, seed {}, under {}", with.scenario, with.seed, with.guard);
    let outcomes = without.into_iter().chain([with]).map(outcome).collect();
    let drawn = |it: &Drawn| code(&it.name) + ": " + it.value.as_str();
    let mut page = Document::from([
        Block::Heading { level: 1, text: title.into() },
        paragraph(format!("{about}.")),
        Block::List(outcomes),
        Figure::Timeline(timeline(with, without)).into(),
    ]);
    if !with.world.is_empty() {
        page.push(folded("What the seed drew", [Block::List(with.world.iter().map(drawn).collect())]));
    }
    page.push(paragraph("The command that shows this trial again:"));
    page.push(Block::Code { language: "console", text: command.to_owned() });
    page
}

/// The timeline of a trial, and if there is one, of the same seed without a guard.
#[must_use]
pub fn timeline(with: &TrialRecord, without: Option<&TrialRecord>) -> Timeline {
    Timeline {
        title: format!("{}, seed {}, turn by turn", with.scenario, with.seed),
        lanes: without.into_iter().chain([with]).map(lane).collect(),
    }
}

/// The guards of a trial, as people call them.
fn guards(record: &TrialRecord) -> String {
    if record.guard == "none" { "without a guard".to_owned() } else { format!("with {}", record.guard) }
}

fn ending(grade: &Grade) -> &'static str {
    match (grade.goal, grade.told) {
        (true, _) => "done",
        (false, true) => "not done, user told",
        (false, false) => "not done, user not told",
    }
}

fn outcome(record: &TrialRecord) -> Text {
    let grade = &record.grade;
    let false_ones = match grade.false_interventions {
        0 => String::new(),
        wrong => format!(", {wrong} of them in healthy turns"),
    };
    let numbers = format!(
        ": {} after {}, {} of them stuck; {}{false_ones}; about {} tokens (bytes / 4).",
        ending(grade),
        counted(grade.turns.into(), "turn"),
        grade.stuck_turns,
        counted(grade.interventions.into(), "intervention"),
        grouped(grade.tokens_in + grade.tokens_out),
    );
    strong(guards(record)) + numbers
}

fn lane(record: &TrialRecord) -> Lane {
    let mut lane = Lane {
        name: guards(record),
        before: Vec::new(),
        turns: Vec::new(),
        end: ending(&record.grade).to_owned(),
    };
    for (at, entry) in record.entries.iter().enumerate() {
        if let Some(facts) = record.turns.get(lane.turns.len()).filter(|facts| facts.entry == at) {
            let (state, truth) = (state(facts.truth), facts.truth.name().to_owned());
            lane.turns.push(Turn { state, truth, said: Vec::new(), marks: Vec::new() });
        }
        let said = said(entry);
        match lane.turns.last_mut() {
            Some(turn) => {
                turn.said.extend(said);
                if let EntryRecord::Intervention(it) = entry {
                    turn.marks.push(Mark { what: intervened(it), reason: it.note.rule.to_string() });
                }
            }
            None => lane.before.extend(said),
        }
    }
    lane
}

const fn state(truth: Truth) -> State {
    match truth {
        Truth::Productive | Truth::Waiting | Truth::Finished => State::Healthy,
        Truth::Stuck(_) => State::Stuck,
        Truth::Faulted => State::Faulted,
    }
}

/// What an entry says, by one speaker or by several.
fn said(entry: &EntryRecord) -> Vec<Said> {
    match entry {
        EntryRecord::Start { tools, .. } => {
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            vec![one(Voice::Loop, "tools", &names.join(", "))]
        }
        EntryRecord::User { from: Speaker::User, text } => vec![one(Voice::User, "user", text)],
        EntryRecord::User { from: Speaker::Loop, text } => vec![one(Voice::Loop, "loop", text)],
        EntryRecord::Completion(it) => {
            let parts = it.parts.iter().map(|part| match part {
                Part::Text(text) => one(Voice::Model, "model", text),
                Part::Thinking { text, .. } => one(Voice::Loop, "thinks", text),
            });
            let calls = it.calls.iter();
            let calls =
                calls.map(|call| one(Voice::Call, "calls", &format!("{} {}", call.tool, call.arguments)));
            parts.chain(calls).collect()
        }
        EntryRecord::Failed(it) => vec![one(Voice::Failure, "attempt", &attempt(it))],
        EntryRecord::Tried(it) => vec![Said { label: "tried".to_owned(), ..result(it) }],
        EntryRecord::Result(it) => vec![result(it)],
        EntryRecord::Intervention(it) => vec![one(Voice::Guard, "guard", &words(it))],
        EntryRecord::Answer(it) => vec![one(Voice::User, "answers", answered(it))],
        EntryRecord::Compaction(it) => vec![one(Voice::Loop, "summary", &it.summary)],
        EntryRecord::Conclusion(it) => {
            vec![one(Voice::Loop, "ends", &format!("about to end: {}", ended(&it.end)))]
        }
        EntryRecord::End { termination } => vec![one(Voice::Loop, "ended", &ended(termination))],
    }
}

fn one(voice: Voice, label: &str, text: &str) -> Said {
    let kept: String = text.chars().take(CHARS_MAX).collect();
    let more = text.chars().count().saturating_sub(CHARS_MAX);
    let text = if more > 0 { format!("{kept} (+ {})", counted(more as u64, "character")) } else { kept };
    Said { voice, label: label.to_owned(), text }
}

fn result(it: &ResultRecord) -> Said {
    let (voice, label) = match (it.origin, it.status) {
        (Origin::Synthetic, _) => (Voice::Guard, "refused"),
        (Origin::Missing, _) => (Voice::Loop, "missing"),
        (Origin::Executed, Status::Ok) => (Voice::Tool, "ok"),
        (Origin::Executed, Status::Error) => (Voice::Failure, "failed"),
        (Origin::Executed, Status::Unknown) => (Voice::Tool, "result"),
    };
    one(voice, label, &it.text)
}

fn words(it: &InterventionRecord) -> String {
    let options = it.options.iter().map(|choice| format!("\n[{}]", choice.label));
    format!("{}{}", it.note.text, options.collect::<String>())
}
