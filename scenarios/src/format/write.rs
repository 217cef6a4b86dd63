//! Writes scenarios as the text of a file, so that reading it gives the same scenarios again.
//!
//! Parameters of an actor are written as the chances that they name, and a text with adjoining plain pieces as one.
//! What a scenario was drawn as is left out: a scenario in a file goes by its name.

use std::sync::Arc;

use crate::scenario::{Kind, Scenario};

use super::convert::actor_table;
use super::wire::VERSION;
use sheet::Sheet;

mod actor;
mod sheet;
mod values;
mod world;

/// The text of a file with these scenarios: one, or the stubborn one and its healthy twin.
///
/// The first one's name is that of the file, so it must be kebab-case. If the tools of one agent alone can be drawn,
/// the file names that agent. A stubborn scenario alone gets a stand-in for its twin, which does nothing.
///
/// # Panics
/// If there is no scenario.
#[must_use]
pub fn write(scenarios: &[Arc<Scenario>]) -> String {
    let first = scenarios.first().expect("a file has a scenario");
    let mut sheet = Sheet::new(first);
    sheet.line("format", VERSION.to_string());
    world::write(&mut sheet);
    for scenario in scenarios {
        let own = match scenario.kind {
            Kind::Control if !Arc::ptr_eq(scenario, first) => Some(&*scenario.name),
            Kind::Control | Kind::Stubborn => None,
        };
        actor::write(&mut sheet, actor_table(scenario.kind), scenario, own);
    }
    let text = sheet.text();
    if scenarios.iter().any(|it| it.kind == Kind::Control) { text } else { text + STAND_IN }
}

/// What a file has in the place of a healthy twin that is not at hand.
const STAND_IN: &str = "
[healthy]
title = \"Says nothing, and stands in for the healthy twin\"
why = \"A file with a stubborn actor has a healthy one; this one was written without it.\"
source = \"The program that wrote this file\"
start = \"silent\"

[[healthy.state]]
name = \"silent\"
truth = [{ is = \"finished\" }]
";
