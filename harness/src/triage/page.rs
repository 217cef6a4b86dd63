//! What a pile of logs shows, as a page: what the text says, and each of the worst runs turn by turn.

use balk_reports::report::document::figure::Figure;
use balk_reports::report::document::{
    Block, Document, Side, Table, Text, code, folded, marked, paragraph, strong,
};

use super::{Stuck, Triage, WORST, Worst, sentences};

/// The page.
#[must_use]
pub fn page(it: &Triage) -> Document {
    let counts = &it.counts;
    let title = format!("{} of {} recorded runs were stuck", counts.stuck_runs, counts.runs);
    let mut page = Document::from([
        Block::Heading { level: 1, text: title.into() },
        paragraph(format!("{}. Stuck: {}.", sentences::read(it), sentences::stuck(it))),
    ]);
    if !it.worst.is_empty() {
        page.blocks.extend(worst(&it.worst).blocks);
    }
    let parts = [
        ("What the guards would have disturbed", paragraph(format!("{}.", sentences::disturbed(it)))),
        ("Tools", paragraph(format!("{}.", sentences::tools(it)))),
        ("What this is blind to", Block::List(sentences::blind_to(it).iter().map(|it| marked(it)).collect())),
    ];
    for (heading, content) in parts {
        page.push(Block::Heading { level: 2, text: heading.into() });
        page.push(content);
    }
    page
}

fn worst(runs: &[Worst]) -> Document {
    let mut part = Document::from([
        Block::Heading { level: 2, text: "The worst runs".into() },
        paragraph(format!(
            "At most {WORST}, by turns in which the run was stuck. What came after the first firing is counted as \
             turns, as tokens (of requests and answers, as the source counts them; ~ where it does not: bytes / 4), \
             and as time. The recorded model heard nothing of what is in the margins."
        )),
    ]);
    let words = ["run", "place", "why"].map(|name| (Text::from(name), Side::Left));
    let numbers = ["turns", "turns stuck", "turns after", "tokens after", "time after"];
    let numbers = numbers.map(|name| (Text::from(name), Side::Right));
    let mut table = Table::new(words.into_iter().chain(numbers).chain([("outcome".into(), Side::Left)]));
    for (at, Worst { stuck, .. }) in (1..).zip(runs) {
        table.row(row(at, stuck));
    }
    part.push(table);
    for (at, run) in (1..).zip(runs) {
        part.blocks.extend(one(at, run).blocks);
    }
    part
}

fn row(at: u64, it: &Stuck) -> [Text; 9] {
    let number = |number: u64| Text::from(number.to_string());
    [
        number(at),
        code(it.place()),
        (&*it.why).into(),
        number(it.turns),
        number(it.turns_stuck),
        number(it.turns_after),
        sentences::tokens(it).into(),
        it.seconds_after.map_or("unknown".into(), |seconds| sentences::time(seconds).into()),
        it.outcome.word().into(),
    ]
}

fn one(at: u64, Worst { stuck, timeline }: &Worst) -> Document {
    let turn_by_turn = format!("Run {at}, turn by turn");
    let mut part = Document::from([
        Block::Heading { level: 3, text: Text::from(format!("{at}. ")) + code(stuck.place()) },
        paragraph(strong(&*stuck.why) + "\n" + sentences::fired(stuck)),
    ]);
    if let Some(timeline) = timeline {
        part.push(folded(turn_by_turn, [Block::Figure(Figure::Timeline(timeline.clone()))]));
    }
    part
}
