//! `balk validity --live`: how well the simulation predicts what a real model did.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use balk_reports::records::{Bench as Record, Reactions as Reacted, Suite};
use balk_reports::report::document::terminal;
use balk_reports::statistics::Cluster;
use balk_scenarios::reactions::parse;
use balk_scenarios::{Reactions, WorldOptions, Worlds};
use clap::Args;
use indicatif::ProgressBar;
use xxhash_rust::xxh3::xxh3_128;

use crate::bench::{Folder, RECORD};
use crate::cli::context::Context;
use crate::cli::format::Format;
use crate::cli::load::{self, Failure, Named};
use crate::cli::say::say;
use crate::cli::set_from::SetFrom;
use crate::cli::{progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{NONE, Recipe};
use crate::input;
use crate::live::{self, fit};
use crate::validity::Half;
use crate::validity::live::{Acts, LiveComparison, Sides, WorldSides, text};

/// Arguments about live records.
#[derive(Args, Clone, Debug)]
pub(super) struct Live {
    /// In place of transcripts, the record of `balk live`: what scripted actors do in its worlds, under its stacks.
    /// With --half, the worlds of that half are compared, with reactions that are fitted on the others
    #[arg(long, value_name = "DIR")]
    #[arg(conflicts_with_all = ["inputs", "labels", "suite", "tools", "protocol"])]
    live: Option<PathBuf>,

    #[command(flatten)]
    set_from: SetFrom,
}

/// What the other options of the command ask for.
pub(super) struct Asked<'a> {
    pub(super) guards: &'a [String],
    pub(super) seeds: &'a RangeInclusive<u64>,
    pub(super) half: Half,
    pub(super) config: Option<&'a Path>,
    pub(super) format: Format,
}

/// Fitted reactions, and where they come from.
struct Fitted {
    reactions: Reactions,
    origin: String,
}

impl Live {
    /// The folder of the record; none if recordings are compared.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.live.as_deref()
    }

    /// Compares the record in this folder.
    pub(super) fn run(&self, context: &Context, path: &Path, asked: &Asked<'_>) -> Result<Exit, Error> {
        let (_, record) = Folder::open(path)?;
        let Some(planned) = &record.plan.live else {
            let (expected, found) = ("the record of a live run", "the record of a simulated one");
            return Err(Error::file(&path.join(RECORD), expected, found));
        };
        let stacks = stacks(context, &record, asked)?;
        let reactions = Folder::reactions(path)?;
        let fitted = match self.fitted(path, reactions.as_ref(), asked.half) {
            Ok(fitted) => fitted,
            Err(failure) => return failure.or_exit(),
        };
        let worlds = match worlds(&record, asked.half) {
            Ok(worlds) => worlds,
            Err(failure) => return failure.or_exit(),
        };
        let seeds = asked.seeds.end() - asked.seeds.start() + 1;
        let sides = 1 + u64::from(fitted.is_some());
        let bar = progress::counted((worlds.len() * stacks.len()) as u64 * sides * seeds, "trials");
        let play = Play {
            record: &record,
            stacks: &stacks,
            fitted: fitted.as_ref(),
            reactions: reactions.as_ref(),
            seeds: asked.seeds,
            bar: &bar,
        };
        let compared = LiveComparison {
            model: planned.model.clone(),
            origin: fitted.as_ref().map(|it| it.origin.clone()),
            stacks: stacks.iter().map(|(_, recipe)| recipe.spec().to_owned()).collect(),
            worlds: worlds.iter().map(|(place, worlds)| play.world(*place, worlds)).collect(),
        };
        bar.finish_and_clear();
        let mut out = asked.format.output();
        match asked.format {
            Format::Text => write!(out, "{}", terminal(&text::live(&compared), screen::output()))?,
            Format::Json => writeln!(out, "{}", text::json(&compared))?,
        }
        Ok(Exit::Fine)
    }

    /// The reactions in the named file, or those that the record has. With halves they are fitted on the worlds that
    /// are not compared.
    fn fitted(&self, path: &Path, all: Option<&Reacted>, half: Half) -> Result<Option<Fitted>, Failure> {
        if let (Some(reactions), Some(origin)) = (self.set_from.reactions()?, self.set_from.file()) {
            return Ok(Some(Fitted { reactions, origin }));
        }
        if half == Half::All {
            let Some(file) = Folder::fitted(path)? else { return Ok(None) };
            let text = input::text(&file)?;
            let file = file.display().to_string();
            let reactions = parse(&file, &text)?.reactions();
            let origin = format!("{file}, from the worlds that are compared; --half keeps the two apart");
            return Ok(Some(Fitted { reactions, origin }));
        }
        let Some(all) = all else { return Ok(None) };
        let other = half.other();
        let rows: Vec<_> = all.rows.iter().filter(|it| other.has(&it.world)).cloned().collect();
        let worlds = rows.iter().map(|it| &it.world).collect::<BTreeSet<_>>().len();
        let fitted = fit(&Reacted { rows, ..all.clone() });
        let origin = format!("the {} half (the model balked in {worlds} of its worlds)", other.name());
        Ok(fitted.map(|it| Fitted { reactions: it.reactions(), origin }))
    }
}

/// The stacks to compare, each with its place in the plan.
fn stacks(context: &Context, record: &Record, asked: &Asked<'_>) -> Result<Vec<(usize, Recipe)>, Error> {
    let config = context.config(asked.config)?;
    if config.as_json() != record.plan.config {
        let expected = "the settings of guards that the record was made with";
        return Err(Error::usage("--config", expected, "others"));
    }
    let known: Vec<&str> = record.plan.stacks.iter().map(|it| &*it.guard).collect();
    if let Some(other) = asked.guards.iter().find(|it| !known.contains(&&***it)) {
        let expected = format!("a stack of the record: {}", known.join(", "));
        return Err(Error::usage("--guard", &expected, format!("`{other}`")));
    }
    let is_asked = |it: &str| asked.guards.is_empty() || asked.guards.iter().any(|guard| guard == it);
    let recipe = |(place, spec): (usize, &str)| {
        let none = spec == NONE;
        if asked.guards.is_empty() {
            Recipe::without_command(spec)?;
        }
        let recipe = if none { Recipe::none() } else { Recipe::new(&context.registry, spec, &config)? };
        Ok((place, recipe))
    };
    known.into_iter().enumerate().filter(|(_, it)| is_asked(it)).map(recipe).collect()
}

/// The worlds of a half that were played, each with its place in the plan.
fn worlds(record: &Record, half: Half) -> Result<Vec<(usize, Worlds)>, Failure> {
    let (mut worlds, mut changed) = (Vec::new(), Vec::new());
    for (place, planned) in record.plan.scenarios.iter().enumerate() {
        if record.done[place].count() > 0 && half.has(&planned.label()) {
            if planned.suite == Suite::File || !load::is_ours(&planned.target()) {
                let found = format!("`{}`, which was in a file", planned.name);
                return Err(Error::usage("--live", "a record of worlds that Balk has", found).into());
            }
            let named = Named::one(&planned.target())?;
            if planned.text != format!("{:032x}", xxh3_128(named.text().as_bytes())) {
                changed.push(planned.label());
            }
            worlds.push((place, named.read(&[])?));
        }
    }
    if !changed.is_empty() {
        say(format_args!("these worlds have changed since the record was made: {}", changed.join(", ")));
    }
    Ok(worlds)
}

/// What is played beside the record.
struct Play<'a> {
    record: &'a Record,
    stacks: &'a [(usize, Recipe)],
    fitted: Option<&'a Fitted>,
    reactions: Option<&'a Reacted>,
    seeds: &'a RangeInclusive<u64>,
    bar: &'a ProgressBar,
}

impl Play<'_> {
    /// One world under every stack.
    fn world(&self, place: usize, worlds: &Worlds) -> WorldSides {
        let planned = &self.record.plan.scenarios[place];
        let label = planned.label();
        let played = |recipe: &Recipe, reactions: Option<Reactions>| {
            let options = WorldOptions { reactions, ..live::options(&self.record.plan) };
            Acts::play(worlds, recipe, options, self.seeds.clone(), &|| self.bar.inc(1))
        };
        let sides = |(stack, recipe): &(usize, Recipe)| Sides {
            live: Acts {
                counts: self.record.cell(place, *stack).counts,
                reacted: self.reacted(&label, recipe),
            },
            assumed: played(recipe, None),
            fitted: self.fitted.map(|it| played(recipe, Some(it.reactions))),
        };
        WorldSides {
            is_stubborn: planned.is_stubborn(),
            is_reachable: planned.unreachable.is_none(),
            stacks: self.stacks.iter().map(sides).collect(),
            name: planned.label(),
        }
    }

    /// How often the first message of a stack moved the real model in this world, as far as that was sampled.
    fn reacted(&self, world: &str, stack: &Recipe) -> Cluster {
        let rows = self.reactions.iter().flat_map(|it| &it.rows);
        let own = rows.filter(|it| it.world == world && it.message == stack.spec() && !it.again);
        own.fold(Cluster::default(), |sum, it| Cluster {
            count: sum.count + it.counts.moved,
            of: sum.of + it.counts.samples,
        })
    }
}
