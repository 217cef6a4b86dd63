//! `balk hunt`: searches drawn worlds for the trials in which a stack does worst.

use std::io::Write;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_reports::report::document::{Document, Screen, Table, Text, code, paragraph, terminal};
use balk_scenarios::{Pools, World, WorldOptions, format, toolsets};
use clap::{Args, ValueEnum};

use super::context::Context;
use super::load;
use super::say::say;
use super::{progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::guards::{Config, NONE, ORACLE, Recipe};
use crate::hunt::{self, Find, Hunted};
use crate::program;
use crate::shrink::{self, Case, Shrunk};

/// Arguments of `balk hunt`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Hunt {
    /// The stack to hunt
    #[arg(long, value_name = "SET", default_value = "default")]
    guard: String,

    /// What to hunt [default: all of them]
    #[arg(long = "for", value_enum, value_name = "WHAT")]
    prey: Vec<Prey>,

    /// Where to hunt: `drawn`, or `drawn/NAME` for one slip or one plan
    #[arg(long, default_value = "drawn", value_name = "SUITE")]
    suite: String,

    /// How many worlds to play
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    trials: u64,

    /// The seed with which the search begins
    #[arg(long, value_name = "N", default_value_t = load::SEED)]
    seed: u64,

    /// How many finds to shrink and to keep
    #[arg(long, value_name = "N", default_value_t = 10)]
    finds: usize,

    /// How many smaller trials to run at most for each find
    #[arg(long, value_name = "N", default_value_t = 500)]
    tries: u32,

    /// Hunt in the reserved plans, slips and surfaces
    #[arg(long)]
    reserve: bool,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A new folder for the finds: a scenario file and a transcript each, and their records in finds.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What is hunted.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Prey {
    /// Interventions in healthy turns
    False,
    /// Stuck runs in which nobody steps in
    Missed,
    /// Healthy runs that do not reach their goal
    Lost,
    /// Something that happens twice and should happen once
    Twice,
}

const AFTER_HELP: &str = "\
Half of the worlds are played where problems were found before, the others where the fewest were played. A skeleton (a
world without what does not matter) is played once. The worst find of each plan, slip and problem comes first; each is
shrunk to the smallest scenario that still shows the problem, and dropped if it is then the same as an earlier one.

  balk hunt --guard default --for false --out finds
  balk scenario finds/NAME.toml --seed N     shows one again
  balk bench --suite finds/NAME.toml         measures other stacks on it
  balk replay finds                          exit code 4 if a guard no longer decides as it did

Exit codes: 0 fine, with or without finds; 2 usage.";

/// The records of all finds.
const RECORDS: &str = "finds.jsonl";

/// A find, shrunk.
struct Kept<'a> {
    name: String,
    find: &'a Find,
    shrunk: Shrunk,
}

impl Hunt {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if let Some(folder) = &self.out
            && folder.exists()
        {
            return Err(Error::exists(folder).hint("name a new folder"));
        }
        let config = context.config(self.config.as_deref())?;
        let recipe = |spec| Recipe::new(&context.registry, spec, &config);
        let (stack, contrasts) = (recipe(&self.guard)?, [recipe(NONE)?, recipe(ORACLE)?]);
        let worlds = match load::worlds(&self.suite, load::SUITE, &[]) {
            Ok(worlds) => worlds,
            Err(failure) => return failure.or_exit(),
        };
        let all = hunt::Prey::ALL.to_vec();
        let prey = if self.prey.is_empty() { all } else { self.prey.iter().map(|it| it.hunted()).collect() };
        let bar = progress::counted(self.trials, "worlds");
        let hunted = hunt::hunt(
            &hunt::Hunt {
                worlds: &worlds,
                stack: &stack,
                prey: &prey,
                pools: self.pools(),
                seed: self.seed,
                trials: self.trials,
            },
            &|| bar.inc(1),
        );
        bar.finish_and_clear();
        let kept = self.shrunk(&hunted, &worlds, &stack, &contrasts);
        if let Some(folder) = &self.out {
            self.write(folder, &kept, &config)?;
        }
        let document = self.document(&hunted, &kept, &config);
        write!(std::io::stdout().lock(), "{}", terminal(&document, screen::output()))?;
        Ok(Exit::Fine)
    }

    fn pools(&self) -> Pools {
        if self.reserve { Pools::Reserve } else { Pools::Open }
    }

    /// The worst finds, each shrunk, without those that are then the same.
    fn shrunk<'h>(
        &self,
        hunted: &'h Hunted,
        worlds: &balk_scenarios::Worlds,
        stack: &Recipe,
        contrasts: &[Recipe],
    ) -> Vec<Kept<'h>> {
        let options = WorldOptions { pools: self.pools(), ..WorldOptions::default() };
        let mut kept: Vec<Kept<'h>> = Vec::new();
        for find in hunted.worst(usize::MAX) {
            if kept.len() == self.finds {
                break;
            }
            say(format_args!("shrinking {} {} (seed {})", find.prey.name(), find.skeleton, find.seed));
            let drawn = worlds.scenario(find.seed, self.pools());
            let text = format::write(&drawn);
            let scenario = format::parse_one(&text, toolsets::catalogue());
            let shows = find.prey.shows();
            let case = Case {
                text: &text,
                scenario: &scenario,
                seed: find.seed,
                stack,
                contrasts,
                options,
                shows: &shows,
                tries: self.tries,
            };
            let Ok(shrunk) = shrink::shrink(&case, |_| {}) else { continue };
            if kept.iter().all(|it| it.shrunk.text != shrunk.text) {
                let name = format!("{}-{}", find.prey.name(), kept.len() + 1);
                kept.push(Kept { name, find, shrunk });
            }
        }
        kept
    }

    /// Writes the folder.
    fn write(&self, folder: &Path, kept: &[Kept<'_>], config: &Config) -> Result<(), Error> {
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            files::write_whole(&path, |out| out.write_all(text.as_bytes()))
                .map_err(|error| Error::file(&path, "a writable file", error))
        };
        let mut records = String::new();
        for it in kept {
            let again = self.again(it, config);
            let transcript = balk_reports::report::show(&it.shrunk.record, Screen::default());
            let head = format!("shows {}, found as {}", it.find.prey.shows(), it.find.skeleton);
            put(&format!("{}.toml", it.name), &it.shrunk.text)?;
            put(&format!("{}.txt", it.name), &format!("{head}\n\n{transcript}\nrun again: {again}\n"))?;
            records.push_str(&serde_json::to_string(&it.shrunk.record).expect("a record is JSON"));
            records.push('\n');
        }
        put(RECORDS, &records)
    }

    /// The command that shows a find again.
    fn again(&self, it: &Kept<'_>, config: &Config) -> String {
        let file = self.out.as_deref().unwrap_or(Path::new(".")).join(format!("{}.toml", it.name));
        let file = quoted(&file.display().to_string()).into_owned();
        let trial = format!("scenario {file} --seed {} --guard {}", it.shrunk.seed, quoted(&self.guard));
        let mut command = program::command(&trial);
        if let Some(file) = config.file() {
            command.push_str(&format!(" --config {}", quoted(&file.display().to_string())));
        }
        command
    }

    fn document(&self, hunted: &Hunted, kept: &[Kept<'_>], config: &Config) -> Document {
        let mut document = Document::default();
        document.push(paragraph(format!(
            "{} · {} worlds played of {} composed, each another skeleton · {} finds in {} of {} fields",
            self.guard,
            hunted.trials,
            hunted.composed,
            hunted.finds.len(),
            hunted.fields.values().filter(|[_, found]| *found > 0).count(),
            hunted.fields.len(),
        )));
        let columns = ["find", "how bad", "skeleton", "lines", "seed"];
        let mut table = Table { title: "the worst, shrunk".into(), ..Table::of_numbers(columns) };
        for it in kept {
            table.row([
                it.name.clone(),
                it.find.severity.to_string(),
                it.find.skeleton.clone(),
                it.shrunk.text.lines().count().to_string(),
                it.shrunk.seed.to_string(),
            ]);
        }
        document.push(table.or("nothing found"));
        let columns = ["plan and slip", "worlds", "with a find"];
        let mut table = Table { title: "where".into(), ..Table::of_numbers(columns) };
        let mut fields: Vec<_> = hunted.fields.iter().filter(|(_, [_, found])| *found > 0).collect();
        fields.sort_by_key(|(field, [trials, found])| (std::cmp::Reverse(found * 1_000 / trials), *field));
        for (field, [trials, found]) in fields {
            table.row([field.to_string(), trials.to_string(), found.to_string()]);
        }
        document.push(table.or("every world was played without a find"));
        if self.out.is_some() {
            for it in kept {
                document.push(paragraph(Text::from("run again: ") + code(self.again(it, config))));
            }
        }
        document
    }
}

impl Prey {
    const fn hunted(self) -> hunt::Prey {
        match self {
            Self::False => hunt::Prey::False,
            Self::Missed => hunt::Prey::Missed,
            Self::Lost => hunt::Prey::Lost,
            Self::Twice => hunt::Prey::Twice,
        }
    }
}
