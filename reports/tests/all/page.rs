//! Pages: what a browser makes of them.

use balk_reports::records::{Bench, Beside, Cell, PlannedScenario, Suite};
use balk_reports::report::Report;
use balk_reports::report::document::figure::{Figure, Role};
use balk_reports::report::document::{html, markdown, svg};
use balk_reports::report::page::{Beside as Page, bench_page, scatter};
use base64::Engine as _;
use sha2::{Digest, Sha256};

use crate::common::parsed::{Element, elements};
use crate::common::small;
use crate::common::with_text::recorded_with;

fn role(stack: &str) -> Role {
    match stack {
        "none" => Role::Yardstick,
        "default" => Role::Ours,
        _ => Role::Peer,
    }
}

/// The page of a bench, with a page for each trial.
pub(crate) fn page_of(bench: &Bench) -> String {
    let report = Report::new(bench, &Beside { cost: small::cost(), ..Beside::default() });
    let trial =
        |scenario: usize, stack: usize, seed: u64| Some(format!("trials/{scenario}-{stack}-{seed}.html"));
    html(&bench_page(bench, &report, Page { role: &role, trial: &trial }))
}

/// A recorded run has one lane, and what a guard would have said is beside the turn that it is about.
#[test]
fn firings_are_in_the_margin_of_their_turn() {
    let page = elements(&html(&recorded_with("text")));
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

/// The page as Markdown, with what a turn of `peer` costs.
fn words_of(bench: &Bench, change: impl FnOnce(&mut Report)) -> String {
    let mut cost = small::cost();
    let mut slow = cost.timed[0].clone();
    (slow.guard, slow.bytes, slow.p50_ns, slow.p99_ns) = ("peer".into(), 51_200, 44_746, 1_115_222);
    cost.timed.push(slow);
    let mut report = Report::new(bench, &Beside { cost, ..Beside::default() });
    change(&mut report);
    markdown(&bench_page(bench, &report, Page { role: &role, trial: &|_, _, _| None }))
}

#[test]
fn the_answer_is_made_from_the_record() {
    let said = |bench: &Bench, loses_none: bool| {
        let page = words_of(bench, |report| {
            for row in report.suites.iter_mut().flat_map(|it| &mut it.rows).filter(|_| loses_none) {
                row.figures.healthy_lost.count = 0;
            }
        });
        page.lines().skip(2).take(9).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(said(&small::bench(small::SEEDS), true));
    // What disturbs no one and loses healthy runs is not to be taken.
    assert!(said(&small::bench(small::SEEDS), false).starts_with("No stack under test brings"));
    assert!(said(&small::bench(3), true).contains("This record is not whole"));
}

/// The small bench, in which `peer` is to be taken, and a stubborn scenario in a file, in which `default` is: the words
/// about it after a change of the report.
fn answer_of_two(change: impl FnOnce(&mut Report)) -> String {
    let one = small::bench(small::SEEDS);
    let mut plan = one.plan.clone();
    let repeating = plan.scenarios[0].clone();
    let set = Vec::new();
    plan.scenarios.push(PlannedScenario { name: "wobbly".into(), set, suite: Suite::File, ..repeating });
    let mut two = Bench::new(plan);
    for (at, like) in [0, 1, 2, 0].into_iter().enumerate() {
        let cells: Vec<Cell> = (0..3).map(|stack| one.cell(like, stack).clone()).collect();
        two.add(at, &one.done[like], &cells).expect("every seed once");
    }
    let page = words_of(&two, |report| {
        for row in &mut report.suites[0].rows {
            row.figures.healthy_lost.count = 0;
        }
        change(report);
    });
    page.lines().skip(2).take(5).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_suite_in_which_no_stack_is_to_be_taken_is_named() {
    let said = answer_of_two(|report| {
        for row in &mut report.suites[1].rows {
            row.figures.false_on_controls.events = 1;
        }
    });
    assert!(
        said.contains(
            "without a guard 6.2 %). No stack under test qualifies in files: each brings back no stuck run, disturbs \
             more than one of 1,000 healthy turns, or loses more than one of 500 healthy runs.\n"
        ),
        "{said}"
    );
    assert!(said.contains("**It fails most** on `repeating (n=1, m=2)` (18.8 % "), "{said}");
    assert!(!said.contains("wobbly"), "{said}");
}

/// Each scenario is one of the stack that is to be taken in its suite.
#[test]
fn where_suites_have_different_winners_each_answers_for_its_own_scenarios() {
    let said = answer_of_two(|_| {});
    assert!(said.starts_with("**Take `peer` and `default`**: of the runs that get stuck, "), "{said}");
    assert!(
        said.ends_with(
            "**It fails most** on `repeating (n=1, m=2)` (18.8 % of the stuck runs come back) and `wobbly` (62.5 %). \
             On none of 1 scenario some other stack is significantly better."
        ),
        "{said}"
    );
}

#[test]
fn too_few_seeds_show_nothing_about_other_stacks() {
    let said = answer_of_two(|report| report.head.seeds = ["0", "2"].map(str::to_owned));
    assert!(
        said.ends_with("too few seeds to tell whether some other stack is better on any of 1 scenario."),
        "{said}"
    );
}

#[test]
fn columns_are_explained_before_their_table() {
    let page = words_of(&small::bench(small::SEEDS), |_| {});
    for (part, explained, column) in [
        ("## In numbers", "Saved minus lost", "saved minus lost, points"),
        ("## What a turn costs", "Anchors", "p50, anchors"),
    ] {
        let (_, part) = page.split_once(part).expect("a part");
        let place = |words: &str| part.find(words).expect("it is said");
        assert!(place(explained) < place(column), "{explained}");
    }
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
