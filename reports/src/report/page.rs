//! The report of a bench as a page for a browser: the answer, then the pictures, then everything that they are made of.

mod answer;
mod beside;
mod detail;
mod heat;
mod plots;

use super::document::{Block, Document, folded, marked, paragraph};
use super::sections::number::{counted, grouped};
use super::sections::{Section, bench_report, stacks};
use super::tables::Report;
use crate::records::Bench;

pub use beside::Beside;
pub use plots::scatter;

/// The page of a record. That of a live record has the report and no figures: its worlds are few.
#[must_use]
pub fn bench_page(bench: &Bench, report: &Report, beside: Beside<'_>) -> Document {
    if report.live.is_some() {
        return bench_report(report);
    }
    let head = &report.head;
    let title = format!(
        "Which guards bring stuck agents back: {} on {}",
        counted(head.stacks, "stack"),
        counted(report.scenarios.len() as u64, "scenario")
    );
    let mut page = Document::from([Block::Heading { level: 1, text: title.into() }]);
    let mut push = |document: Document| page.blocks.extend(document.blocks);
    push(answer::answer(report));
    push(plots::scatters(report, beside.role));
    push(part("Scenario by scenario", heat::heat_maps(bench, report, beside)));
    push(part("In numbers", numbers(report)));
    push(part("Against `default`", compared(report)));
    push(part("What a turn costs", Section::Cost.document(report)));
    push(part("How far to trust it", validity(report)));
    push(part("What it does not show", Section::Limits.document(report)));
    push(part("How it was measured", Section::Command.document(report)));
    page
}

/// A part of the page, below its heading.
fn part(heading: &str, content: Document) -> Document {
    let mut part = Document::from([Block::Heading { level: 2, text: marked(heading) }]);
    part.blocks.extend(content.blocks);
    part
}

fn numbers(report: &Report) -> Document {
    // What a column means is said before the first table.
    let mut document = Document::from([stacks::terms(report)]);
    document.blocks.extend(stacks::main_figures(report).blocks);
    document.push(folded("How stuck runs recover, or do not", Section::Runs.document(report)));
    document.push(folded("Healthy turns and safety", Section::Healthy.document(report)));
    document.push(folded(
        "Which controls, languages and rules are behind false interventions",
        Section::FalseInterventions.document(report),
    ));
    document
}

fn compared(report: &Report) -> Document {
    let mut document = plots::forests(report);
    document.push(folded("Scenario by scenario", Section::Default.document(report)));
    document.push(folded("Which stack is ahead of which", Section::Ranking.document(report)));
    document
}

/// Simulation against recordings: what the record itself says, and how to compare it with recordings.
fn validity(report: &Report) -> Document {
    let mut document = Document::from([paragraph(marked(&format!(
        "Every one of these {} trials is simulated. Three checks say how much that matters. First, the same runs with \
         other models of how an actor takes a correction: in the flat one every correction works alike, in the drawn \
         one its numbers are drawn from their ranges. A difference between stacks that is gone there comes from what \
         these models assume.",
        grouped(report.head.done)
    )))]);
    document.blocks.extend(Section::Models.document(report).blocks);
    document.push(paragraph(marked(
        "Second, recordings of real agents: `balk validity RUNS --labels FILE` plays guards on recorded and on \
         simulated runs with the same code, and says how well the share of stuck points that they hit agrees. Third, \
         real models in the same worlds: `balk live` and `balk validity --live DIR`. Neither is in this record.",
    )));
    document.push(folded("What each assumed number does", Section::Sensitivity.document(report)));
    document
}
