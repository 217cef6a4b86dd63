//! The pictures of the README follow from the reference record and from a scenario, byte for byte.
//!
//! `INSTA_UPDATE=always cargo test -p balk pictures` draws them anew.

use std::path::{Path, PathBuf};

use balk::bench::Folder;
use balk::guards::{Recipe, Registry};
use balk::simulate::Simulation;
use balk_reports::records::{Beside, Suite};
use balk_reports::report::document::figure::Figure;
use balk_reports::report::document::svg;
use balk_reports::report::page::scatter;
use balk_reports::report::{Report, timeline};
use balk_scenarios::WorldOptions;

use crate::common::recipe::recipe;
use crate::common::same::same;
use crate::common::scenario;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[track_caller]
fn check(name: &str, figure: Figure) {
    same(&root().join("docs/pictures").join(name), &svg(&figure).expect("it can be drawn"));
}

#[test]
fn the_scatter_is_that_of_the_reference_record() {
    let (_, bench) = Folder::open(&root().join("reports/reference")).expect("a record");
    let report = Report::new(&bench, &Beside::default());
    let drawn = report.suites.iter().find(|it| it.suite == Suite::Drawn).expect("drawn worlds");
    let registry = Registry::standard();
    check("stacks.svg", Figure::Scatter(scatter(drawn, &|stack| Recipe::role(&registry, stack))));
}

#[test]
fn the_timeline_is_that_of_a_trial() {
    let scenario = scenario("abandonment", &[]);
    let record =
        |guard: &str| Simulation::new(&scenario, &recipe(guard), WorldOptions::default()).record(3, &[]);
    check("trial.svg", Figure::Timeline(timeline(&record("default"), Some(&record("none")))));
}
