//! `balk list`: the scenarios of the catalogue, the guards that can be named, and what they are compared
//! with.

use std::io::Write;

use balk_scenarios::Kind;
use balk_scenarios::catalogue::CATALOGUE;
use clap::Args;

use super::context::Context;
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
    /// An output that takes no more.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let mut out = std::io::stdout().lock();
        if !self.guards {
            scenarios(&mut out)?;
            writeln!(out)?;
        }
        show_guards(&mut out, &context.registry)?;
        Ok(Exit::Fine)
    }
}

fn scenarios(out: &mut impl Write) -> Result<(), Error> {
    let width = CATALOGUE.iter().map(|it| it.name.len()).max().unwrap_or(0);
    writeln!(out, "scenarios (balk scenario NAME)")?;
    for listed in CATALOGUE {
        let scenario = listed.read(&[]).expect("a test reads every file of the catalogue");
        let kind = match listed.kind {
            Kind::Stubborn => "stubborn",
            Kind::Control => "control",
        };
        writeln!(out, "  {:width$} {kind:8}  {} (twin: {})", listed.name, scenario.title, scenario.twin)?;
    }
    Ok(())
}

fn show_guards(out: &mut impl Write, registry: &Registry) -> Result<(), Error> {
    writeln!(
        out,
        "guards (--guard NAME[=VARIANT][{{key=value,…}}],…; `default` takes those with a star, `none` takes none)"
    )?;
    let (peers, guards): (Vec<_>, Vec<_>) = registry.guards().partition(|it| it.role() == Role::Peer);
    show_rows(out, &guards)?;
    writeln!(out)?;
    writeln!(
        out,
        "peers (named in the same way: rules of other agents, as documented in the version named, never the \
         agents themselves; and naive readings of the field designs)"
    )?;
    show_rows(out, &peers)
}

fn show_rows(out: &mut impl Write, rows: &[&Registered]) -> Result<(), Error> {
    let width = rows.iter().flat_map(|row| row.spelled()).map(|it| it.len()).max().unwrap_or(0);
    for row in rows {
        let star = if row.role() == Role::Default { '*' } else { ' ' };
        writeln!(out, "{star} {:width$}  {}", row.name(), row.about())?;
        for variant in row.variants() {
            writeln!(out, "  {:width$}  {}", format!("{}={}", row.name(), variant.name), variant.about)?;
        }
    }
    Ok(())
}
