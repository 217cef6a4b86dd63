//! Pages: what a browser makes of them, whatever the texts in them are.

use std::borrow::Cow;

use balk_contract::{FinishReason, Note, Origin, Part, Speaker, Status, Subject, Termination, Usage};
use balk_reports::records::{
    Bench, Beside, CallRecord, CompletionRecord, Drawn, EntryRecord, Grade, InterventionRecord, Lapse,
    ResultRecord, SCHEMA, Stuck, TrialRecord, Truth, TurnRecord,
};
use balk_reports::report::document::figure::{Figure, Role, Timeline};
use balk_reports::report::document::{Block, Document, folded, html, svg};
use balk_reports::report::page::{Beside as Page, bench_page, scatter};
use balk_reports::report::{Recorded, Report, firing, timeline, trial_page};
use base64::Engine as _;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::common::parsed::{Element, elements};
use crate::common::small;

fn role(stack: &str) -> Role {
    match stack {
        "none" => Role::Yardstick,
        "default" => Role::Ours,
        _ => Role::Peer,
    }
}

/// The page of a bench, with a page for each trial.
fn page_of(bench: &Bench) -> String {
    let report = Report::new(bench, &Beside { cost: small::cost(), ..Beside::default() });
    let trial =
        |scenario: usize, stack: usize, seed: u64| Some(format!("trials/{scenario}-{stack}-{seed}.html"));
    html(&bench_page(bench, &report, Page { role: &role, trial: &trial }))
}

/// A bench with this text wherever foreign text can be.
fn bench_with(text: &str) -> Bench {
    let mut bench = small::bench(small::SEEDS);
    bench.plan.config.insert(text.into(), serde_json::json!({ text: [text] }));
    bench.plan.set.push(Drawn { name: text.into(), value: text.into() });
    bench.plan.stacks[2].guard = format!("p{text}");
    for stack in &mut bench.plan.stacks {
        stack.about = text.into();
    }
    for scenario in &mut bench.plan.scenarios {
        scenario.name = format!("{}{text}", scenario.name);
        scenario.target = text.into();
        scenario.title = text.into();
    }
    for cell in &mut bench.cells {
        cell.fired(text, text, true);
        cell.counts.interventions += 1;
        cell.lapses.insert(Lapse::NotTold, 7);
    }
    bench
}

/// A trial with this text wherever a scenario, a model, a tool or a guard can put it.
fn trial_with(text: &str, guard: &str, intervenes: bool) -> TrialRecord {
    let called = CompletionRecord {
        parts: vec![Part::Text(text.into()), Part::Thinking { text: text.into(), signature: None }],
        calls: vec![CallRecord { id: text.into(), tool: text.into(), arguments: text.into(), effect: None }],
        finish: FinishReason::Stop,
        usage: Usage::default(),
    };
    let result = ResultRecord {
        call: text.into(),
        origin: Origin::Executed,
        status: Status::Error,
        tries: 1,
        text: text.into(),
    };
    let note = Note {
        guard: Cow::Owned(text.to_owned()),
        rule: Cow::Owned(text.to_owned()),
        level: 1,
        subject: Subject::Run,
        text: text.into(),
    };
    let intervention = InterventionRecord {
        kind: text.to_owned().into(),
        options: Vec::new(),
        completion: None,
        note,
        seen: true,
    };
    let mut entries = vec![
        EntryRecord::User { from: Speaker::User, text: text.into() },
        EntryRecord::Completion(called.clone()),
        EntryRecord::Result(result.clone()),
        EntryRecord::Completion(called),
        EntryRecord::Result(result),
    ];
    if intervenes {
        entries.push(EntryRecord::Intervention(intervention));
    }
    entries.push(EntryRecord::End { termination: Termination::FatalExecution(text.into()) });
    let turn = |entry, truth| TurnRecord { entry, truth, tells_user: false, failed_attempts: 0 };
    TrialRecord {
        schema: SCHEMA,
        balk: "0".into(),
        scenario: text.into(),
        skeleton: text.into(),
        seed: "7".into(),
        guard: guard.into(),
        set: Vec::new(),
        world: vec![Drawn { name: text.into(), value: text.into() }],
        entries,
        turns: vec![turn(1, Truth::Productive), turn(3, Truth::Stuck(Stuck::SameFailure))],
        failed: Vec::new(),
        grade: Grade { turns: 2, stuck_turns: 1, interventions: intervenes.into(), ..Grade::default() },
    }
}

fn trial_page_with(text: &str) -> Document {
    trial_page(&trial_with(text, text, true), Some(&trial_with(text, "none", false)), text, text)
}

/// The same trial as a recorded run, with firings in its margin.
fn recorded_with(text: &str) -> Timeline {
    let firings = vec![(1, firing(text, text, text, text)), (2, firing(text, "stop", text, text))];
    let entries = trial_with(text, text, true).entries;
    let (title, end) = (text.to_owned(), text.to_owned());
    Recorded { title, entries, firings, stuck: vec![2..=2], start: 2, end }.timeline()
}

fn recorded_page_with(text: &str) -> Document {
    [
        Block::Heading { level: 1, text: text.into() },
        folded(text, [Block::Figure(Figure::Timeline(recorded_with(text)))]),
    ]
    .into()
}

/// What a page is apart from its texts. Lines that lead to labels depend on the length of these.
fn skeleton(page: &str) -> Vec<(String, Vec<String>)> {
    let is_lead = |it: &Element| it.get("class") == Some("lead");
    let names = |it: &Element| it.attributes.iter().map(|(name, _)| name.clone()).collect();
    elements(page).iter().filter(|it| !is_lead(it)).map(|it| (it.name.clone(), names(it))).collect()
}

/// Whether a character acts on what is around it.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "</script>",
        "</title>",
        "</style>",
        "</textarea>",
        "<!--",
        "-->",
        "--!>",
        "]]>",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\" onload=\"x",
        "' onload='x",
        "&lt;",
        "&#60;",
        "&",
        "<",
        ">",
        "`",
        "\\",
        "\0",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{85}",
        "\u{202e}",
        "\u{2066}",
        "\u{61c}",
        "\u{fffe}",
        "\u{10ffff}",
        "\u{2028}",
        "javascript:x",
        "漢",
        "a",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 1..6)
        .prop_map(|it| format!("t{}", it.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(40), ..ProptestConfig::default() })]

    #[test]
    fn no_text_becomes_markup(text in hostile()) {
        let pages = [
            |text: &str| page_of(&bench_with(text)),
            |text: &str| html(&trial_page_with(text)),
            |text: &str| html(&recorded_page_with(text)),
        ];
        for page in pages {
            let found = page(&text);
            prop_assert_eq!(skeleton(&found), skeleton(&page("text")));
            prop_assert!(!found.contains(acts));
            for element in elements(&found) {
                let texts = element.attributes.iter().map(|(_, value)| value).chain([&element.text]);
                prop_assert!(texts.into_iter().all(|it| !it.contains(acts)), "{:?}", element);
            }
        }
    }

    #[test]
    fn no_text_leaves_a_picture(text in hostile()) {
        let both = |text: &str| timeline(&trial_with(text, text, true), Some(&trial_with(text, "none", false)));
        for figure in [both, recorded_with] {
            let draw = |text: &str| svg(&Figure::Timeline(figure(text))).expect("it can be drawn");
            prop_assert_eq!(skeleton(&draw(&text)), skeleton(&draw("text")));
            prop_assert!(!draw(&text).contains(acts));
        }
    }
}

/// A recorded run has one lane, and what a guard would have said is beside the turn that it is about.
#[test]
fn firings_are_in_the_margin_of_their_turn() {
    let page = elements(&html(&recorded_page_with("text")));
    let at = |wanted: &dyn Fn(&Element) -> bool| page.iter().position(wanted).expect("it is there");
    let turn = |number: &'static str| {
        at(&move |it: &Element| it.name == "li" && it.get("data-turn") == Some(number))
    };
    let class = |name: &'static str| move |it: &Element| it.get("class") == Some(name);
    let margins: Vec<usize> = (0..page.len()).filter(|at| class("margin")(&page[*at])).collect();
    assert!(turn("1") < margins[0] && margins[0] < turn("2") && turn("2") < margins[1], "{margins:?}");
    assert_eq!(page[margins[1] + 1].text, "⚑ text: stop to the user (text)");
    assert_eq!((page[margins[1] + 2].get("class"), &*page[margins[1] + 2].text), (Some("would"), "text"));
    let slider = &page[at(&|it| it.name == "input")];
    assert_eq!(["min", "value", "max"].map(|name| slider.get(name)), [Some("1"), Some("2"), Some("2")]);
    let signs: Vec<_> =
        page.iter().filter_map(|it| it.get("class")).filter(|it| it.starts_with("sign")).collect();
    assert_eq!(signs[..2], ["sign unknown", "sign stuck"]);
}

#[test]
fn a_page_allows_its_own_style_and_script_and_nothing_else() {
    let page = elements(&page_of(&small::bench(small::SEEDS)));
    let code = |name: &str| {
        let it = page.iter().find(|it| it.name == name && it.get("type").is_none()).expect("it has one");
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(&it.text)))
    };
    let policy = page.iter().find(|it| it.get("http-equiv").is_some()).expect("a policy");
    assert_eq!(
        policy.get("content"),
        Some(&*format!(
            "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
            code("style"),
            code("script")
        ))
    );
    for element in &page {
        for (name, value) in &element.attributes {
            let is_code = name == "style" || name.starts_with("on");
            let is_request = matches!(&**name, "src" | "srcset" | "action" | "data" | "poster");
            assert!(!is_code && !is_request, "{element:?}");
            assert!(name != "href" || value.starts_with('#'), "{element:?}");
        }
    }
}

#[test]
fn each_cell_leads_to_its_data_and_each_figure_has_its_numbers() {
    let page = elements(&page_of(&small::bench(small::SEEDS)));
    let data = page.iter().find(|it| it.get("id") == Some("cells")).expect("data of cells");
    let data: serde_json::Value = serde_json::from_str(&data.text).expect("JSON");
    let links: Vec<&str> =
        page.iter().filter_map(|it| it.get("href")).filter(|it| it.starts_with("#cell-")).collect();
    assert_eq!(links.len(), 9);
    for link in links {
        let at: Vec<usize> = link[6..].split('-').map(|it| it.parse().expect("a number")).collect();
        let cell = &data["maps"][at[0]]["rows"][at[1]]["cells"][at[2]];
        let text = |at: &serde_json::Value| data["texts"][at.as_u64().expect("an index") as usize].clone();
        let words = cell[4].as_array().expect("a command").iter().map(text);
        let command: Vec<String> = words.map(|it| it.as_str().expect("a word").to_owned()).collect();
        assert!(command.join(" ").starts_with("balk scenario "), "{command:?}");
    }
    let count = |wanted: &dyn Fn(&Element) -> bool| page.iter().filter(|it| wanted(it)).count();
    assert_eq!(count(&|it| it.get("class") == Some("numbers")), count(&|it| it.name == "figcaption") - 2);
}

#[test]
fn the_answer_is_made_from_the_record() {
    let said = |bench: &Bench, loses_none: bool| {
        let mut report = Report::new(bench, &Beside { cost: small::cost(), ..Beside::default() });
        for row in report.suites.iter_mut().flat_map(|it| &mut it.rows).filter(|_| loses_none) {
            row.figures.healthy_lost.count = 0;
        }
        let page = bench_page(bench, &report, Page { role: &role, trial: &|_, _, _| None });
        balk_reports::report::document::markdown(&page).lines().skip(2).take(5).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(said(&small::bench(small::SEEDS), true));
    // What disturbs no one and loses healthy runs is not to be taken.
    assert!(said(&small::bench(small::SEEDS), false).starts_with("No stack under test brings"));
    assert!(said(&small::bench(3), true).contains("This record is not whole"));
}

#[test]
fn pictures_are_the_same_bytes_each_time() {
    let report = Report::new(&small::bench(small::SEEDS), &Beside::default());
    let draw = || svg(&Figure::Scatter(scatter(&report.suites[0], &role)));
    assert_eq!(draw(), draw());
    insta::assert_snapshot!(
        draw().expect("it can be drawn").split_once("</style>").expect("it has a style").1
    );
}
