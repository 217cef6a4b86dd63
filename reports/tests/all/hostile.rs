//! Whatever a text is: it becomes no markup of a page, and no code.
//!
//! These are property tests and no targets of `cargo-fuzz`, which needs a nightly compiler. Each puts a text wherever
//! foreign text can be, and compares what a browser makes of the page with the page of a harmless text. `.ci/full` runs
//! them for minutes, each time with a new seed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use balk_reports::records::crash::{Agent, CRASH_SCHEMA, InProcess, Left, Record, Run, Verdict, Word};
use balk_reports::records::{Bench, Drawn, Kind, Lapse};
use balk_reports::report::compare::{Comparison, comparison_as_page};
use balk_reports::report::crash::{Changes, Report as CrashReport, crash_report};
use balk_reports::report::document::figure::{
    Curve, Detail, Fact, Failure, Figure, Forest, ForestRow, HeatCell, HeatColumn, HeatMap, HeatRow,
    Histogram, Interval, Lane, Line, Mark, Marked, Point, Ramp, Role, Said, Scatter, State, Timeline, Trial,
    Turn, Unit, Voice,
};
use balk_reports::report::document::{Block, Document, Side, Span, Table, Text, html, svg};
use balk_reports::report::{timeline, trial_page};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::parsed::{Element, elements};
use crate::common::small;
use crate::common::with_text::{recorded_with, trial_with};
use crate::page::page_of;

/// A bench with this text wherever foreign text can be.
pub(crate) fn bench_with(text: &str, seeds: u64) -> Bench {
    let mut bench = small::bench(seeds);
    bench.plan.config.insert(text.into(), serde_json::json!({ text: [text] }));
    bench.plan.set.push(Drawn { name: text.into(), value: text.into() });
    bench.plan.stacks[2].guard = format!("p{text}");
    for stack in &mut bench.plan.stacks {
        stack.about = text.into();
    }
    for scenario in &mut bench.plan.scenarios {
        scenario.name = format!("{}{text}", scenario.name);
        scenario.title = text.into();
    }
    for cell in &mut bench.cells {
        cell.fired(text, text, true);
        cell.counts.interventions += 1;
        cell.lapses.insert(Lapse::NotTold, 7);
    }
    bench
}

fn trial_page_with(text: &str) -> Document {
    trial_page(&trial_with(text, text, true), Some(&trial_with(text, "none", false)), text, text)
}

pub(crate) fn crash_with(text: &str) -> Record {
    let told = Verdict {
        word: Word::Told,
        line: Some(text.into()),
        interventions: vec![(3, text.into())],
        left: Left(BTreeMap::from([(text.into(), 2)])),
        ..Verdict::not_run(text.into())
    };
    let run = |kind, verdict| Run {
        agent: text.into(),
        scenario: text.into(),
        kind,
        seed: text.into(),
        folder: text.into(),
        record: Some(text.into()),
        verdict,
    };
    let in_process = InProcess {
        scenario: text.into(),
        seed: text.into(),
        stack: text.into(),
        word: Word::RanOn,
        turns: 40,
        interventions: 1,
    };
    Record {
        schema: CRASH_SCHEMA,
        balk: text.into(),
        command: text.into(),
        isolated: true,
        planned: 2,
        agents: vec![Agent { name: text.into(), version: Some(text.into()) }],
        runs: vec![run(Kind::Stubborn, told), run(Kind::Control, Verdict::not_run(text.into()))],
        in_process: vec![in_process],
    }
}

/// A document with this text in each kind of block and figure. Every field is named, so that a new one is not left out.
fn everything(text: &str) -> Document {
    let plain = || Text::from(text);
    let words = Text(vec![
        Span::Plain(text.into()),
        Span::Emphasis(plain()),
        Span::Strong(Text(vec![Span::Code(text.into())])),
        Span::Code(text.into()),
    ]);
    let table = Table {
        title: words.clone(),
        columns: vec![(words.clone(), Side::Left), (words.clone(), Side::Right)],
        rows: vec![vec![words.clone(), words.clone()]],
        notes: vec![words.clone()],
    };
    let mut blocks = vec![
        Block::Heading { level: 1, text: words.clone() },
        Block::Heading { level: 2, text: words.clone() },
        Block::Paragraph(words.clone()),
        Block::List(vec![words.clone()]),
        Block::Heading { level: 2, text: words.clone() },
        Block::Table(table.clone()),
        Block::Code { language: "console", text: text.into() },
        Block::Folded { summary: words.clone(), inside: Document { blocks: vec![Block::Table(table)] } },
    ];
    blocks.extend(figures(text, &words).map(Block::Figure));
    Document { blocks }
}

fn figures(text: &str, caption: &Text) -> [Figure; 5] {
    let interval = Interval { value: 2.0, low: 1.0, high: f64::INFINITY };
    let point = Point {
        name: text.into(),
        role: Role::Ours,
        across: interval,
        up: interval,
        shown: [text.into(), text.into()],
    };
    let row = ForestRow {
        of: [text.into(), text.into()],
        difference: interval,
        shown: text.into(),
        p: text.into(),
        is_sure: true,
    };
    let said = |voice| Said { voice, label: text.into(), text: text.into() };
    let turn = Turn {
        state: State::Stuck,
        truth: text.into(),
        said: vec![said(Voice::Model), said(Voice::Call), said(Voice::Tool)],
        marks: vec![Mark { what: text.into(), reason: text.into(), words: text.into() }],
    };
    let lane = |turns: Vec<Turn>| Lane {
        name: text.into(),
        before: vec![said(Voice::User)],
        turns,
        end: text.into(),
    };
    [
        Figure::Scatter(Scatter {
            title: text.into(),
            caption: caption.clone(),
            across: "across",
            up: "up",
            points: vec![point],
        }),
        Figure::HeatMap(heat_map(text, caption)),
        Figure::Curve(Curve {
            title: text.into(),
            turns: 9,
            lines: vec![Line { name: text.into(), of: 9, steps: vec![(1, 2)] }],
        }),
        Figure::Forest(Forest {
            title: text.into(),
            caption: caption.clone(),
            unit: Unit::Events,
            rows: vec![row],
        }),
        Figure::Timeline(Timeline {
            title: text.into(),
            lanes: vec![lane(vec![turn.clone()]), lane(vec![turn.clone(), turn])],
            marked: Marked::Firings,
            first: 1,
            start: 1,
        }),
    ]
}

fn heat_map(text: &str, caption: &Text) -> HeatMap {
    let fact = || Fact { name: text.into(), value: text.into() };
    let trial = || Trial { command: text.into(), page: Some(text.into()) };
    let detail = Detail {
        facts: vec![fact()],
        histograms: vec![Histogram { name: "Helped", of: 9, steps: vec![(1, 2)] }],
        rules: vec![fact()],
        failures: vec![Failure { what: text.into(), trial: trial() }],
        command: text.into(),
        trial: Some(trial()),
    };
    HeatMap {
        title: text.into(),
        caption: caption.clone(),
        ramp: Ramp::Bad,
        levels: ["0", "1", "2", "3", "4", "5"],
        columns: vec![HeatColumn { name: text.into(), role: Role::Peer, about: text.into() }],
        rows: vec![HeatRow {
            name: text.into(),
            group: "group",
            about: text.into(),
            cells: vec![Some(HeatCell { level: 2, shown: text.into(), order: 7, detail })],
        }],
    }
}

/// The pictures, each by itself.
fn pictures(text: &str) -> String {
    let (one, other) = (trial_with(text, text, true), trial_with(text, "none", false));
    let timeline = Figure::Timeline(timeline(&one, Some(&other)));
    figures(text, &Text::from(text)).iter().chain([&timeline]).filter_map(svg).collect()
}

/// Everything that is written as HTML or SVG, by the text in it.
const PAGES: [fn(&str) -> String; 8] = [
    pictures,
    |text| html(&everything(text)),
    |text| page_of(&bench_with(text, small::SEEDS)),
    |text| html(&trial_page_with(text)),
    |text| html(&recorded_with(text)),
    |text| {
        let [before, after] = [16, small::SEEDS].map(|seeds| bench_with(text, seeds));
        html(&comparison_as_page(&Comparison::new(&before, &after), [text, text]))
    },
    |text| html(&crash_report(&CrashReport::new(&[crash_with(text)]))),
    |text| {
        let mut after = crash_with(text);
        after.runs[0].verdict.word = Word::Silent;
        html(&Changes::new(&crash_with(text), &after).page())
    },
];

/// The same with harmless texts of different lengths.
static HARMLESS: LazyLock<Vec<[Vec<Element>; 2]>> = LazyLock::new(|| {
    PAGES.iter().map(|page| ["text", "other words"].map(|it| skeleton(&page(it)))).collect()
});

/// The elements of a page, apart from those whose number depends on texts: ends of lines, and lines to labels.
fn skeleton(page: &str) -> Vec<Element> {
    let depends = |it: &Element| it.name == "br" || it.get("class") == Some("lead");
    elements(page).into_iter().filter(|it| !depends(it)).collect()
}

/// Whether a character acts on what is around it.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Fails unless this page has the elements and the attributes of the harmless ones, and whatever is the same in both of
/// these. What differs between them is the text, which has no character that acts. A label is where it has room.
fn check(found: &str, [one, other]: &[Vec<Element>; 2]) -> Result<(), TestCaseError> {
    prop_assert!(!found.contains(acts));
    let found = skeleton(found);
    let shape = |all: &[Element]| -> Vec<(usize, String, Vec<String>)> {
        let names = |it: &Element| it.attributes.iter().map(|(name, _)| name.clone()).collect();
        all.iter().map(|it| (it.depth, it.name.clone(), names(it))).collect()
    };
    prop_assert_eq!(shape(&found), shape(one));
    let is_place = |it: &Element, name: &str| it.name == "text" && matches!(name, "x" | "y" | "text-anchor");
    let values = |it: &Element| -> Vec<String> {
        let attributes = it.attributes.iter().filter(|(name, _)| !is_place(it, name));
        attributes.map(|(_, value)| value.clone()).chain([it.text.clone()]).collect()
    };
    for (element, (one, other)) in found.iter().zip(one.iter().zip(other)) {
        for (value, (one, other)) in values(element).iter().zip(values(one).iter().zip(&values(other))) {
            prop_assert!(one != other || value == one, "{element:?}");
            prop_assert!(!value.contains(acts), "{element:?}");
        }
        if element.get("type") == Some("application/json") {
            let data = serde_json::from_str::<serde_json::Value>(&element.text);
            prop_assert!(data.is_ok(), "{element:?}");
        }
    }
    Ok(())
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "</script>",
        "</title>",
        "</style>",
        "</textarea>",
        "</template>",
        "</svg>",
        "</td></table>",
        "<table>",
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<?xml",
        "<plaintext>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href=\"javascript:x\">",
        "\" onload=\"x",
        "' onload='x",
        "&lt;",
        "&#60;",
        "&#x3c",
        "&",
        "<",
        ">",
        "`",
        "\\",
        "\\ud800",
        "\\u003c",
        "\0",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
        "\u{202e}",
        "\u{2066}",
        "\u{61c}",
        "\u{feff}",
        "\u{fffe}",
        "\u{fdd0}",
        "\u{10ffff}",
        "\u{2028}",
        "\r",
        "\n",
        "\t",
        " ",
        "javascript:x",
        "url(x)",
        "漢",
        "a",
    ];
    let pieces = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 1..6);
    prop_oneof![
        6 => pieces.prop_map(|it| it.concat()),
        2 => any::<String>(),
        1 => (any::<char>(), 1_000..5_000_usize).prop_map(|(c, times)| c.to_string().repeat(times)),
    ]
    .prop_map(|it| format!("t{it}"))
}

/// The pages are many and long, so there are fewer cases than usual. (`proptest!` would take `PROPTEST_CASES` as it is,
/// whatever a configuration says.)
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(8), failure_persistence: None, ..usual }
}

#[test]
fn no_text_becomes_markup() {
    let ran = TestRunner::new(config()).run(&hostile(), |text| {
        PAGES.iter().zip(&*HARMLESS).try_for_each(|(page, harmless)| check(&page(&text), harmless))
    });
    ran.unwrap_or_else(|why| panic!("{why}"));
}
