//! The tables, and the same for programs.

use balk_reports::report::document::{Block, Side, Table, paragraph};
use serde_json::{Value, json};

use super::counts::{Counts, Part, Row, misread};
use crate::import::one_line;

const SHOWN_CHARS: usize = 100;

/// The confusion table of a part, and how each language is read.
pub(super) fn part(part: &Part) -> [Block; 3] {
    let name = if part.reserve {
        "Reserve, which the reading is not tuned on"
    } else {
        "Open, which the reading is tuned on"
    };
    let title = format!("{name}: {} messages of {} tools", part.all.messages, part.tools);
    let columns = [
        "messages",
        "failed",
        "right, %",
        "passing",
        "lasting",
        "unknown",
        "prospect right, %",
        "cause told",
        "cause right, %",
    ];
    let mut classes = Table::of_numbers(["class"].into_iter().chain(columns));
    let all = Row { name: "all", counts: part.all };
    for row in part.classes.iter().copied().chain([all]) {
        classes.row(cells(row));
    }
    let mut languages = Table::of_numbers(["language"].into_iter().chain(columns));
    for row in &part.languages {
        languages.row(cells(*row));
    }
    [paragraph(title), classes.into(), languages.into()]
}

fn cells(Row { name, counts }: Row) -> [String; 10] {
    let Counts { messages, failed, right, passing, lasting, unknown, asked, told, causes, right_causes } =
        counts;
    let number = |it: u32| it.to_string();
    [
        name.to_owned(),
        number(messages),
        number(failed),
        percent(right, messages),
        number(passing),
        number(lasting),
        number(unknown),
        percent(told, asked),
        number(causes),
        percent(right_causes, causes),
    ]
}

/// A share in per cent, rounded to a tenth.
fn percent(part: u32, of: u32) -> String {
    if of == 0 {
        return "–".into();
    }
    let tenths = (u64::from(part) * 2_000 + u64::from(of)) / (2 * u64::from(of));
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The messages that are read wrong.
pub(super) fn wrong() -> Block {
    let mut table = Table {
        title: "Open messages that are read wrong:".into(),
        ..Table::new(["tool", "class", "language", "wrong", "message"].map(|name| (name, Side::Left)))
    };
    for (tool, message, mistake) in misread() {
        let text = one_line(&message.example(), SHOWN_CHARS);
        table.row([tool.name.as_str(), message.class.name(), &message.language, mistake.name(), &text]);
    }
    table.into()
}

/// The counts as JSON.
pub(super) fn json(parts: &[Part], with_wrong: bool) -> serde_json::Result<String> {
    let mut document = json!({ "parts": parts });
    if with_wrong {
        let rows = misread().map(|(tool, message, mistake)| {
            json!({
                "tool": tool.name,
                "class": message.class.name(),
                "language": message.language,
                "wrong": mistake.name(),
                "text": message.example(),
            })
        });
        document["wrong"] = Value::Array(rows.collect());
    }
    serde_json::to_string_pretty(&document)
}
