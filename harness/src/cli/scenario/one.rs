//! One trial: as a transcript, as a record, or with a person who takes part.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use balk_guards::{ChoiceKind, Phraser};
use balk_reports::records::{Drawn, GapRun, HandedOver, TrialRecord, gaps, quoted};
use balk_reports::report::document::{Screen, html, visible};
use balk_reports::report::{Chat, trial_page};
use balk_scenarios::{Reactions, Scenario as Model, User, World, WorldOptions};

use super::args::Asked;
use super::exit::exit;
use crate::cli::context::Context;
use crate::cli::events::Events;
use crate::cli::format::Medium;
use crate::cli::out;
use crate::cli::phraser::{Child, Phrased};
use crate::cli::terminal::Terminal;
use crate::cli::watch::Watch;
use crate::cli::{gaps as reports, screen};
use crate::engine::Trial;
use crate::error::Error;
use crate::exit::Exit;
use crate::grade;
use crate::guards::{NONE, Recipe};
use crate::simulate::Simulation;

impl Asked {
    /// Runs one trial, and shows it.
    pub(super) fn one(
        &self,
        context: &Context,
        scenario: &Arc<Model>,
        reactions: Option<Reactions>,
    ) -> Result<Exit, Error> {
        let [guard] = &self.guard[..] else {
            return Err(Error::usage(
                "--guard",
                "one stack for one trial",
                format!("{} of them", self.guard.len()),
            )
            .hint("with --seeds A-B each --guard gets a row of counts"));
        };
        if self.interactive && self.format == Medium::Html {
            return Err(Error::usage("--format html", "a trial without a person in it", "--interactive"));
        }
        let config = context.config(self.config.as_deref())?;
        let recipe = Recipe::new(&context.registry, guard, &config)?;
        let options = self.options(self.response.into(), reactions);
        let simulation = Simulation::new(scenario, &recipe, options);
        let world = simulation.world(self.seed);
        let child = self.phraser.as_deref().map(Child::new);
        let phraser = child.as_ref().map(|it| it as &dyn Phraser);
        let mut watch = Watch::new(self.log(scenario, guard)?);
        let trial = if self.interactive {
            self.take_part(scenario, guard, &simulation, &world, &mut watch, phraser)?
        } else {
            simulation.watched(&world, &mut |entry| watch.see(entry), &mut User::new(&world))
        };
        let logged = watch.finish();
        let record = grade::record(&world, guard, &self.set, &trial);
        // A report that the user chose is stored before any output can fail.
        let gaps: Vec<_> = self.gaps(&record).into_iter().map(|gap| (self.keep(&gap), gap)).collect();
        let told = self.told(&trial, phraser).map(|trial| grade::record(&world, guard, &self.set, &trial));
        let told = told.as_ref().unwrap_or(&record);
        let command = self.command(&config, &quoted(guard));
        let shown = self.show((scenario, options), &record, told, &gaps, &command);
        // Errors about results that cannot be produced again come first, and a reader who has gone away last.
        for (kept, _) in gaps {
            kept?;
        }
        logged?;
        shown?;
        let exit = exit(record.grade.guard_fault, record.grade.double_effects > 0);
        let unmet = exit == Exit::Fine && self.interactive && !record.grade.goal;
        Ok(if unmet { Exit::Unmet } else { exit })
    }

    /// Writes the outcome, and what was not shown of the trial as it happened: as a record, as text for people, or as
    /// a page.
    fn show(
        &self,
        (scenario, options): (&Arc<Model>, WorldOptions),
        record: &TrialRecord,
        told: &TrialRecord,
        gaps: &[(Kept, HandedOver)],
        command: &str,
    ) -> io::Result<()> {
        match self.format {
            Medium::Json => {
                let mut out = out::json();
                serde_json::to_writer(&mut out, record)?;
                writeln!(out)?;
            }
            Medium::Html => {
                // The same seed, without a guard.
                let without = (record.guard != NONE).then(|| {
                    Simulation::new(scenario, &Recipe::none(), options).record(self.seed, &self.set)
                });
                let page = trial_page(record, without.as_ref(), &scenario.title, command);
                out::markup().write_all(html(&page).as_bytes())?;
            }
            Medium::Text => {
                let mut out = out::people();
                if self.interactive {
                    write!(out, "\n{}", balk_reports::report::show_outcome(&record.grade, self.screen()))?;
                } else {
                    writeln!(out, "{}\n", visible(&scenario.title))?;
                    write!(out, "{}", balk_reports::report::show(told, self.screen()))?;
                }
            }
        }
        self.hand_over(gaps)?;
        if let Medium::Text = self.format {
            writeln!(out::people(), "\nrun again: {command}")?;
        }
        Ok(())
    }

    /// The trial in a phraser's words, if it is shown as a whole.
    fn told(&self, trial: &Trial, phraser: Option<&dyn Phraser>) -> Option<Trial> {
        let whole = matches!(self.format, Medium::Text) && !self.interactive;
        let phraser = phraser.filter(|_| whole)?;
        let mut phrased = Phrased::new(Some(phraser));
        let entries = trial.entries.iter().map(|entry| phrased.entry(entry)).collect();
        Some(Trial { entries, ..trial.clone() })
    }

    /// The event log, if one was asked for.
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
    fn take_part<'a, 'p>(
        &self,
        scenario: &Arc<Model>,
        guard: &str,
        simulation: &Simulation<'a>,
        world: &Arc<World>,
        watch: &mut Watch<'p>,
        phraser: Option<&'p dyn Phraser>,
    ) -> Result<Trial, Error> {
        let mut to = self.chat();
        writeln!(
            to,
            "{}\n\n{} · seed {} · guard {guard}\n",
            visible(&scenario.title),
            scenario.name,
            self.seed
        )?;
        watch.show(Chat::new(self.screen()), phraser, to);
        let stdin = io::stdin();
        let input = stdin.is_terminal().then(|| stdin.lock());
        let mut person = Terminal::new(User::new(world), input, self.chat());
        Ok(simulation.watched(world, &mut |entry| watch.see(entry), &mut person))
    }

    /// The output for people: kept apart from a record.
    fn chat(&self) -> Box<dyn Write + Send> {
        match self.format {
            Medium::Text => out::people(),
            Medium::Json | Medium::Html => out::aside(),
        }
    }

    fn screen(&self) -> Screen {
        match self.format {
            Medium::Text => screen::output(),
            Medium::Json | Medium::Html => screen::errors(),
        }
    }

    /// The gaps of a trial, if a person takes part or a folder for reports was given.
    fn gaps(&self, record: &TrialRecord) -> Vec<HandedOver> {
        if self.interactive || self.state_dir.is_some() { gaps(record) } else { Vec::new() }
    }

    /// Writes the report if the user chose to report the gap (spec H3).
    fn keep(&self, gap: &HandedOver) -> Kept {
        if gap.choice != Some(ChoiceKind::Report) {
            return Ok(None);
        }
        let folder = reports::state_dir(self.state_dir.as_deref())?;
        reports::keep(&folder, &gap.report).map(Some)
    }

    /// Says where the reports are and how to send them; if no choice was made, how to send one (spec H3).
    fn hand_over(&self, gaps: &[(Kept, HandedOver)]) -> io::Result<()> {
        let mut out = self.chat();
        for (kept, HandedOver { report, choice }) in gaps {
            let link = self.repository.link(report);
            match choice {
                Some(ChoiceKind::Report) => writeln!(out, "\nreport it:\n{link}")?,
                None => writeln!(out, "\nto report this gap ({}):\n{link}", report.lacking())?,
                Some(
                    ChoiceKind::Continue
                    | ChoiceKind::Instruct
                    | ChoiceKind::SwitchModel
                    | ChoiceKind::Constrain
                    | ChoiceKind::Stop,
                ) => {}
            }
            if let Ok(Some(path)) = kept {
                writeln!(out, "the report: {}", path.display())?;
            }
        }
        Ok(())
    }
}

/// The path of a report, if one was to be written.
type Kept = Result<Option<PathBuf>, Error>;
