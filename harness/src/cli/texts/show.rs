//! The tables, and the same for programs.

use balk_reports::report::document::{Block, Side, Table, paragraph};
use serde_json::{Value, json};

use super::counts::{Counts, Part, Read, Reader, Row, misread};
use crate::replay::one_line;

const SHOWN_CHARS: usize = 100;

/// The confusion table of a part, and how each language is read.
pub(super) fn part(part: &Part) -> [Block; 3] {
    let name = if part.reserve {
        "Reserve, which no reading is tuned on"
    } else {
        "Open, which readings are tuned on"
    };
    let title = format!("{name}: {} messages of {} tools", part.all.messages, part.tools);
    let columns = [
        "class",
        "messages",
        "guards: failed",
        "temporary",
        "waiting",
        "right, %",
        "actors: failed",
        "right, %",
    ];
    let mut classes = Table::of_numbers(columns);
    let all = Row { name: "all", counts: part.all };
    for Row { name, counts } in part.classes.iter().copied().chain([all]) {
        let Counts { messages, guards, temporary, waiting, actors } = counts;
        classes.row([
            name.to_owned(),
            messages.to_string(),
            guards.failed.to_string(),
            temporary.to_string(),
            waiting.to_string(),
            percent(guards, messages),
            actors.failed.to_string(),
            percent(actors, messages),
        ]);
    }
    let mut languages = Table::of_numbers(["language", "messages", "guards right, %", "actors right, %"]);
    for Row { name, counts } in &part.languages {
        let right = [counts.guards, counts.actors].map(|it| percent(it, counts.messages));
        let [guards, actors] = right;
        languages.row([(*name).to_owned(), counts.messages.to_string(), guards, actors]);
    }
    [paragraph(title), classes.into(), languages.into()]
}

/// The share of messages that are read right, in per cent.
fn percent(read: Read, messages: u32) -> String {
    // Rounded to a tenth.
    let tenths = (u64::from(read.right) * 2_000 + u64::from(messages)) / (2 * u64::from(messages.max(1)));
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The messages that a reader gets wrong.
pub(super) fn wrong(reader: Reader) -> Block {
    let who = match reader {
        Reader::Guards => "guards",
        Reader::Actors => "actors",
    };
    let mut table = Table {
        title: format!("Open messages that {who} read wrong:").into(),
        ..Table::new(["tool", "class", "language", "message"].map(|name| (name, Side::Left)))
    };
    for (tool, message) in misread(reader) {
        let text = one_line(&message.example(), SHOWN_CHARS);
        table.row([tool.name.as_str(), message.class.name(), &message.language, &text]);
    }
    table.into()
}

/// The counts as JSON.
pub(super) fn json(parts: &[Part], wrong: Option<Reader>) -> serde_json::Result<String> {
    let mut document = json!({ "parts": parts });
    if let Some(reader) = wrong {
        let rows = misread(reader).map(|(tool, message)| {
            json!({
                "tool": tool.name,
                "class": message.class.name(),
                "language": message.language,
                "text": message.example(),
            })
        });
        document["wrong"] = Value::Array(rows.collect());
    }
    serde_json::to_string_pretty(&document)
}
