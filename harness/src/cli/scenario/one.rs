//! One trial: as a transcript, as a record, or with a person who takes part in it.

use std::io::{IsTerminal, Write};

use balk_guards::ChoiceKind;
use balk_reports::{Chat, Drawn, GapRun, HandedOver, Palette, TrialRecord, gaps, issue_link};
use balk_scenarios::{Scenario as Model, User, World};

use super::{Scenario, exit, quoted};
use crate::cli::events::Events;
use crate::cli::terminal::Terminal;
use crate::cli::watch::Watch;
use crate::cli::{Format, config, gaps as reports, state_dir};
use crate::engine::Trial;
use crate::error::Error;
use crate::exit::Exit;
use crate::grade;
use crate::simulate::Simulation;

impl Scenario {
    /// Runs one trial, and shows it.
    pub(super) fn one(&self, scenario: &Model) -> Result<Exit, Error> {
        let [guard] = &self.guard[..] else {
            return Err(Error::usage(
                "--guard",
                "one stack for one trial",
                format!("{} of them", self.guard.len()),
            )
            .hint("with --seeds A-B each --guard gets a row of counts"));
        };
        let config = config(self.config.as_deref())?;
        let simulation = Simulation::new(scenario, guard, &config, self.pools())?;
        let world = simulation.world(self.seed);
        let mut watch = Watch::new(self.log(scenario, guard)?);
        let trial = if self.interactive {
            self.take_part(scenario, guard, &simulation, &world, &mut watch)?
        } else {
            simulation.watched(&world, &mut |entry| watch.see(entry), &mut User::new(&world))
        };
        watch.finish()?;
        let record = grade::record(&world, guard, &self.set, &trial);
        match self.format {
            Format::Json => {
                let mut out = std::io::stdout().lock();
                serde_json::to_writer(&mut out, &record).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
            Format::Text => {
                let mut out = anstream::stdout().lock();
                if self.interactive {
                    write!(out, "\n{}", balk_reports::show_outcome(&record.grade, self.palette()))?;
                } else {
                    writeln!(out, "{}\n", scenario.title)?;
                    write!(out, "{}", balk_reports::show(&record, self.palette()))?;
                }
            }
        }
        self.hand_over(&record)?;
        if let Format::Text = self.format {
            writeln!(std::io::stdout(), "\nrun again: {}", self.command(&quoted(guard)))?;
        }
        let exit = exit(record.grade.guard_fault, record.grade.double_effects > 0);
        let unmet = exit == Exit::Fine && self.interactive && !record.grade.goal;
        Ok(if unmet { Exit::Unmet } else { exit })
    }

    /// The event log, where one is asked for.
    fn log(&self, scenario: &Model, guard: &str) -> Result<Option<Events>, Error> {
        let drawn = |(name, value): &(String, String)| Drawn { name: name.clone(), value: value.clone() };
        let run = GapRun {
            scenario: scenario.name.to_string(),
            seed: self.seed.to_string(),
            guard: guard.to_owned(),
            set: self.set.iter().map(drawn).collect(),
        };
        self.events.as_deref().map(|path| Events::new(path, run)).transpose()
    }

    /// A trial that is shown as it happens, with a person at the terminal.
    fn take_part<'a>(
        &self,
        scenario: &Model,
        guard: &str,
        simulation: &Simulation<'a>,
        world: &World<'a>,
        watch: &mut Watch,
    ) -> Result<Trial, Error> {
        let mut to = self.chat();
        writeln!(to, "{}\n\n{} · seed {} · guard {guard}\n", scenario.title, scenario.name, self.seed)?;
        watch.show(Chat::new(self.palette()), to);
        let stdin = std::io::stdin();
        let input = stdin.is_terminal().then(|| stdin.lock());
        let mut person = Terminal::new(User::new(world), input, self.chat());
        Ok(simulation.watched(world, &mut |entry| watch.see(entry), &mut person))
    }

    /// Where people read: beside a record, not in it.
    fn chat(&self) -> Box<dyn Write + Send> {
        match self.format {
            Format::Text => Box::new(anstream::stdout()),
            Format::Json => Box::new(anstream::stderr()),
        }
    }

    fn palette(&self) -> Palette {
        let colour = match self.format {
            Format::Text => std::io::stdout().is_terminal(),
            Format::Json => std::io::stderr().is_terminal(),
        };
        if colour { Palette::Colour } else { Palette::Plain }
    }

    /// Writes the reports that the user chose to write, and says where they are and how to send them; where
    /// nobody chose anything, how to send one (spec H3).
    fn hand_over(&self, record: &TrialRecord) -> Result<(), Error> {
        if !self.interactive && self.state_dir.is_none() {
            return Ok(());
        }
        let mut out = self.chat();
        for HandedOver { report, choice } in gaps(record) {
            let link = issue_link(&self.repository.url, &report);
            match choice {
                Some(ChoiceKind::Report) => {
                    writeln!(out, "\nreport it:\n{link}")?;
                    let path = state_dir(self.state_dir.as_deref())
                        .and_then(|folder| reports::keep(&folder, &report))?;
                    writeln!(out, "the report: {}", path.display())?;
                }
                None => writeln!(out, "\nto report what is lacking ({}):\n{link}", report.lacking())?,
                Some(
                    ChoiceKind::Continue
                    | ChoiceKind::Instruct
                    | ChoiceKind::SwitchModel
                    | ChoiceKind::Constrain
                    | ChoiceKind::Stop,
                ) => {}
            }
        }
        Ok(())
    }
}
