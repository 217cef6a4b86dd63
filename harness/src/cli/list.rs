//! `balk list`: the scenarios of the catalogue, the guards, and the peers they are compared with.

use std::io::Write;

use balk_reports::report::document::{Block, Document, Side, Table, Text, lines, terminal};
use balk_scenarios::Kind;
use balk_scenarios::catalogue::{CATALOGUE, FIELD, Listed};
use balk_scenarios::drawn::{Target, plans, slips};
use clap::Args;

use super::context::Context;
use super::out;
use super::screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{Registered, Registry, Role};

/// Arguments of `balk list`.
#[derive(Args, Clone, Debug)]
pub struct List {
    /// Only the guards
    #[arg(long)]
    guards: bool,
}

impl List {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let mut document = Document::default();
        if !self.guards {
            document.push(scenarios("Scenarios, for `balk scenario NAME`:", CATALOGUE));
            document.push(scenarios(OF_FIELD, FIELD));
            document.push(drawn());
        }
        document.blocks.extend(guards(&context.registry));
        write!(out::people(), "{}", terminal(&document, screen::output()))?;
        Ok(Exit::Fine)
    }
}

const OF_FIELD: &str = "The field suite, for `balk bench --suite field`; no guard may be tuned on it:";

/// Two lines for each scenario, because a title is longer than what a row leaves to it on a narrow terminal.
fn scenarios(title: &str, listed: &[Listed]) -> Block {
    let name = listed.iter().map(|listed| listed.name.len()).max().unwrap_or_default();
    let head = format!("{:name$}  {:8}  twin", "scenario", "kind");
    let each = listed.iter().flat_map(|listed| {
        let scenario = listed.read(&[]).expect("a test reads every file of the catalogue");
        let kind = match listed.kind {
            Kind::Stubborn => "stubborn",
            Kind::Control => "control",
        };
        let row = format!("{:name$}  {kind:8}  {}", listed.name, scenario.twin.as_deref().unwrap_or("–"));
        [Text::from(row), format!("    {}", scenario.title).into()]
    });
    lines([title.into(), head.into()].into_iter().chain(each))
}

/// A line for everything, then two lines for each slip and each plan.
fn drawn() -> Block {
    let slips = slips().iter().map(|it| (Target::Slip(it), it.reserve));
    let plans = plans().iter().map(|it| (Target::Plan(it), it.reserve));
    let each = [(Target::Any, false)].into_iter().chain(slips).chain(plans).flat_map(|(it, reserve)| {
        let kind = match it.kind() {
            Some(Kind::Stubborn) => "slip",
            Some(Kind::Control) => "plan",
            None => "all",
        };
        let reserve = if reserve { ", reserve" } else { "" };
        [Text::from(format!("{}  {kind}{reserve}", it.name())), format!("    {}", it.title()).into()]
    });
    let title = "Drawn worlds, for `balk scenario NAME`; those in reserve are drawn only with --reserve:";
    lines([title.into()].into_iter().chain(each))
}

/// A table of the guards, and one of the peers.
fn guards(registry: &Registry) -> [Block; 2] {
    let (peers, guards): (Vec<_>, Vec<_>) = registry.guards().partition(|it| it.role() == Role::Peer);
    let guards = rows(
        "Guards, for `--guard NAME[=VARIANT][{key=value,…}],…`. `default` has those with a star, `none` has none:",
        &guards,
    );
    let peers = rows(
        "Peers, named in the same way: rules of other agents in one version, not the agents themselves, \
         and naive versions of the field designs:",
        &peers,
    );
    [guards, peers].map(Block::from)
}

fn rows(title: &str, listed: &[&Registered]) -> Table {
    let mut table = Table { title: title.into(), ..Table::new(["", ""].map(|name| (name, Side::Left))) };
    for guard in listed {
        let star = if guard.role() == Role::Default { '*' } else { ' ' };
        table.row([format!("{star} {}", guard.name()), guard.about().to_owned()]);
        for variant in guard.variants() {
            table.row([format!("  {}={}", guard.name(), variant.name), variant.about.to_string()]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use balk_reports::report::document::Screen;

    use super::*;

    #[test]
    fn a_terminal_of_80_columns_is_enough() {
        let registry = Registry::standard();
        let document = Document {
            blocks: [scenarios("All:", CATALOGUE), scenarios(OF_FIELD, FIELD), drawn()]
                .into_iter()
                .chain(guards(&registry))
                .collect(),
        };
        let shown = terminal(&document, Screen { colour: false, columns: Some(80) });
        let wide: Vec<&str> = shown.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, [""; 0]);
        assert!(shown.contains("\nrepeating "), "{shown}");
        assert!(shown.lines().count() < 600, "{} lines", shown.lines().count());
    }
}
