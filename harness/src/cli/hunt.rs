//! `balk hunt`: searches drawn worlds for the trials in which a stack does worst.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_reports::report::document::{Document, Screen, Table, Text, code, markdown, paragraph, terminal};
use balk_scenarios::drawn::{DRAWN, Target};
use balk_scenarios::{Pools, Worlds};
use clap::Args;

use super::context::Context;
use super::interrupt::Interrupt;
use super::out;
use super::say::say;
use super::set_from::SetFrom;
use super::{load, progress, screen};
use crate::bench::Stopwatch;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{Config, NONE, ORACLE, Recipe};
use crate::hunt::{self, Hunted, Kept, Prey};
use crate::lock::{check_new_folder, write_folder};
use crate::program;

/// Arguments of `balk hunt`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Hunt {
    /// The stack to hunt
    #[arg(long, value_name = "SET", default_value = "default")]
    guard: String,

    /// What to hunt; may be given again [default: all of them]
    #[arg(long = "for", value_enum, value_name = "WHAT")]
    prey: Vec<Prey>,

    /// How many worlds to play, each with another skeleton
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = load::trials())]
    trials: u64,

    /// The seed with which the search begins
    #[arg(long, value_name = "N", default_value_t = load::SEED)]
    #[arg(value_parser = load::seed, allow_negative_numbers = true)]
    seed: u64,

    /// How many of the worst finds to shrink, at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    finds: usize,

    /// Hunt in the reserved plans, slips and surfaces
    #[arg(long)]
    reserve: bool,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    set_from: SetFrom,

    /// A new or empty folder for the finds: a scenario file and a transcript for each, README.md, and finds.jsonl with
    /// the records of their trials
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Half of the worlds are played where most was found before (by plan and slip), the others where the fewest were played.
The worst find of each problem and slip comes first (or plan, where nothing slips); the problems take turns. Each is
shrunk to a small scenario that still shows the problem, and dropped if an earlier one shrank to the same. The same
arguments write the same bytes.

  balk hunt --guard default --for missed --out finds
  balk scenario finds/NAME.toml --seed N     plays one
  balk bench --suite finds/NAME.toml         measures stacks on it

Exit codes: 0 fine, with or without finds; 2 usage; 3 a bad file, or a folder with other files; 130 interrupted: nothing
is written.";

/// The records of all finds.
const RECORDS: &str = "finds.jsonl";
const README: &str = "README.md";

impl Hunt {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, a folder with other files, an output that cannot be written. An invalid file of
    /// reactions is shown, and returns its exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if let Some(folder) = &self.out {
            check_new_folder(folder)?;
        }
        let reactions = match self.set_from.reactions() {
            Ok(reactions) => reactions,
            Err(failure) => return failure.or_exit(),
        };
        let config = context.config(self.config.as_deref())?;
        let recipe = |spec| Recipe::new(&context.registry, spec, &config);
        let (stack, contrasts) = (recipe(&self.guard)?, [recipe(NONE)?, recipe(ORACLE)?]);
        let hunt = hunt::Hunt {
            worlds: &Worlds::from(Target::Any),
            stack: &stack,
            prey: if self.prey.is_empty() { &Prey::ALL } else { &self.prey },
            pools: if self.reserve { Pools::Reserve } else { Pools::Open },
            reactions,
            seed: self.seed,
            trials: self.trials,
        };
        let interrupt = Interrupt::catch();
        let watch = Stopwatch::start();
        let hunted = self.hunted(&hunt, &interrupt);
        let taken_ms = (watch.nanoseconds() / 1_000_000).max(1);
        let a_minute = hunted.trials * 60_000 / taken_ms;
        say(format_args!("{} skeletons played, {a_minute} a minute", hunted.trials));
        if interrupt.came() {
            return Ok(Exit::Interrupted);
        }
        let kept = hunt::keep(&hunt, &hunted, &contrasts, self.finds, &interrupt.flag());
        if interrupt.came() {
            return Ok(Exit::Interrupted);
        }
        let again = |it: &Kept, folder: Option<&Path>| self.again(it, folder, &config);
        if let Some(folder) = &self.out {
            let inside = self.document(&hunted, &kept, |it| again(it, Some(Path::new(""))));
            write_folder(folder, &written(&kept, &inside))?;
        }
        let document = self.document(&hunted, &kept, |it| again(it, self.out.as_deref()));
        write!(out::people(), "{}", terminal(&document, screen::output()))?;
        Ok(Exit::Fine)
    }

    /// Hunts, and says where something is found for the first time.
    fn hunted(&self, hunt: &hunt::Hunt<'_>, interrupt: &Interrupt) -> Hunted {
        let bar = progress::counted(self.trials, "worlds");
        let (mut shown, mut seen) = (BTreeSet::new(), 0);
        let hunted = hunt::hunt(hunt, |hunted| {
            for find in &hunted.finds[seen..] {
                if shown.insert((find.prey, find.field.clone())) {
                    let place = format_args!("{} (seed {})", find.skeleton, find.seed);
                    bar.suspend(|| say(format_args!("{}: {place}", find.prey.name())));
                }
            }
            seen = hunted.finds.len();
            bar.set_position(hunted.trials);
            if interrupt.came() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        bar.finish_and_clear();
        hunted
    }

    /// What was found; `again` is the command that plays a find.
    fn document(&self, hunted: &Hunted, kept: &[Kept], again: impl Fn(&Kept) -> String) -> Document {
        let mut document = Document::default();
        let with_finds = hunted.fields.values().filter(|[_, found]| *found > 0).count();
        document.push(paragraph(format!(
            "{} · {} worlds played of {} composed, each with another skeleton; problems in {with_finds} of {} \
             combinations of plan and slip",
            self.guard,
            hunted.trials,
            hunted.composed,
            hunted.fields.len(),
        )));
        let mut table = Table::of_numbers(["find", "how bad", "skeleton", "seed", "lines"]);
        table.title = "the worst, shrunk".into();
        for it in kept {
            table.row([
                it.name.clone(),
                it.find.severity.to_string(),
                it.find.skeleton.clone(),
                it.find.seed.to_string(),
                it.shrunk.text.lines().count().to_string(),
            ]);
        }
        document.push(table.or("Nothing was found."));
        document.push(paragraph(
            "how bad: false interventions, stuck turns without an intervention, turns of a run that is lost, or \
             effects that happened twice. skeleton, seed: the drawn world. lines: of the scenario.",
        ));
        let mut table = Table::of_numbers(["plan and slip", "worlds", "with a problem"]);
        table.title = "where".into();
        let mut fields: Vec<_> = hunted.fields.iter().filter(|(_, [_, found])| *found > 0).collect();
        fields.sort_by_key(|(_, [trials, found])| std::cmp::Reverse(found * 1_000 / trials));
        for (field, [trials, found]) in fields.into_iter().take(FIELDS) {
            table.row([field.to_string(), trials.to_string(), found.to_string()]);
        }
        document.push(table.or("No plan and no slip shows the problem."));
        for it in kept {
            document.push(paragraph(Text::from("play again: ") + code(again(it))));
        }
        document
    }

    /// The command that plays a find: its scenario in this folder, or the drawn world if no scenario is written.
    fn again(&self, it: &Kept, folder: Option<&Path>, config: &Config) -> String {
        let (target, seed, reserve) = match folder {
            Some(folder) => (folder.join(format!("{}.toml", it.name)), it.shrunk.seed, false),
            None => (DRAWN.into(), it.find.seed, self.reserve),
        };
        let (target, guard) = (quoted(&target.display().to_string()), quoted(&self.guard));
        let mut command = program::command(&format!("scenario {target} --seed {seed} --guard {guard}"));
        command.push_str(&config.again());
        command.push_str(&self.set_from.again());
        if reserve {
            command.push_str(" --reserve");
        }
        command
    }
}

/// Combinations of plan and slip in the table, the worst ones.
const FIELDS: usize = 20;

/// The files of a folder of finds.
fn written(kept: &[Kept], document: &Document) -> Vec<(String, String)> {
    let mut files = vec![(README.to_owned(), format!("# Finds of a hunt\n\n{}", markdown(document)))];
    let mut records = String::new();
    for Kept { name, find, shrunk } in kept {
        let transcript = balk_reports::report::show(&shrunk.record, Screen::default());
        let head = format!("shows {}, found as {}, seed {}", find.prey.shows(), find.skeleton, find.seed);
        files.push((format!("{name}.toml"), shrunk.text.clone()));
        files.push((format!("{name}.txt"), format!("{head}\n\n{transcript}")));
        records.push_str(&serde_json::to_string(&shrunk.record).expect("a record is JSON"));
        records.push('\n');
    }
    files.push((RECORDS.to_owned(), records));
    files
}
