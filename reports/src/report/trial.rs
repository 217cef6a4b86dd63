//! A trial as a page: its timeline, beside that of the same seed without a guard.

use super::document::figure::{Figure, Lane, Mark, Marked, State, Timeline, Turn};
use super::document::{Block, Document, Text, code, folded, paragraph, strong};
use super::said::said;
use super::sections::number::{counted, grouped};
use super::words::intervened;
use crate::records::{Drawn, EntryRecord, Grade, TrialRecord, Truth};

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
        marked: Marked::Interventions,
        first: 1,
        start: 1,
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
        let said = said(entry, CHARS_MAX);
        match lane.turns.last_mut() {
            Some(turn) => {
                turn.said.extend(said);
                if let EntryRecord::Intervention(it) = entry {
                    let (what, reason) = (intervened(&it.note.guard, &it.kind), it.note.rule.to_string());
                    turn.marks.push(Mark { what, reason, words: String::new() });
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
