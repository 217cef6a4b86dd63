//! The suites of a report: what its tables are about, and what their intervals treat as independent.

use super::number::counted;
use crate::records::Suite;
use crate::report::document::{Block, Document, Text, paragraph};
use crate::report::tables::{Report, StackTable};

/// The blocks of each suite, below a heading of its own if there is more than one.
pub(super) fn each(report: &Report, blocks: impl Fn(&StackTable) -> Vec<Block>) -> Document {
    let mut document = Document::default();
    for table in &report.suites {
        if report.suites.len() > 1 {
            document.push(Block::Heading { level: 3, text: heading(table.suite).into() });
        }
        document.blocks.extend(blocks(table));
    }
    if document.blocks.is_empty() {
        document.push(paragraph("No scenario."));
    }
    document
}

/// What a suite is called.
pub(in crate::report) const fn heading(suite: Suite) -> &'static str {
    match suite {
        Suite::Written => "Written scenarios",
        Suite::Field => "Field scenarios",
        Suite::Drawn => "Drawn worlds",
        Suite::File => "Files",
    }
}

/// What a row of a suite's table is, and the unit of its intervals.
pub(super) fn caption(table: &StackTable) -> Text {
    let scenarios = format!(
        "{} and {}",
        counted(table.stubborn, "stubborn scenario"),
        counted(table.controls, "control")
    );
    let unit = match table.suite {
        Suite::Written | Suite::Field | Suite::File => {
            "The 95 % intervals in brackets treat scenarios as independent. If one scenario is behind a figure, its \
             interval treats trials as independent, and speaks of that scenario alone."
        }
        Suite::Drawn => {
            "The 95 % intervals in brackets treat skeletons as independent: what a world is without names, texts and \
             languages."
        }
    };
    Text::from(format!(
        "A row is a stack over {scenarios}. {unit} The effective number is in square brackets after n: so many \
         independent trials would say as much."
    ))
}
