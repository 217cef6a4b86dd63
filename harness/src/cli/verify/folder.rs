//! `balk verify DIR`: whether a folder of a bench is as it was written, and says what its trials do.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::Path;

use balk_reports::records::{Bench, Plan, PlannedScenario, Suite};
use balk_scenarios::Pools;

use crate::bench::{self, Asked, COMPLETIONS, Folder, Matrix, RECORD, Setting};
use crate::cli::context::Context;
use crate::cli::load::{self, Failure};
use crate::cli::say::say;
use crate::cli::set_from::SetFrom;
use crate::cli::suite;
use crate::crash::record;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{NONE, Recipe};
use crate::live::Store;

/// What the command line names that a record does not say, or may not.
pub(super) struct Named<'a> {
    pub(super) set_from: &'a SetFrom,
    /// Its scenarios, if they are in files.
    pub(super) suite: Option<&'a str>,
    /// Stacks whose commands may be started.
    pub(super) stacks: &'a [String],
    /// A file of settings.
    pub(super) config: Option<&'a Path>,
}

/// Whether this names a folder, which has to be one of a bench or of `balk crash`.
pub(super) fn is_record(path: &str) -> bool {
    let place = Path::new(path);
    place.is_dir() && (place.join(RECORD).is_file() || record::is_there(place) || !load::is_ours(path))
}

/// Checks a folder: every checksum, and of a bench the plan, the build, and a sample of its trials. The stacks of its
/// plan are removed from `unknown`.
pub(super) fn verify(
    path: &str,
    context: &Context,
    named: &Named<'_>,
    unknown: &mut Vec<&String>,
) -> Result<Exit, Failure> {
    if record::is_there(Path::new(path)) {
        return runs(path);
    }
    let (folder, record) = Folder::open(Path::new(path))?;
    unknown.retain(|stack| record.plan.stacks.iter().all(|it| it.guard != **stack));
    bench(path, &folder, &record, (context, named))
}

/// Checks a folder of `balk crash`.
fn runs(path: &str) -> Result<Exit, Failure> {
    let place = Path::new(path);
    let record = record::read(place)?;
    let checked = record::check(place, &record)?;
    writeln!(
        crate::cli::out::people(),
        "{path}: as it was written: {} of {} runs; what happened in {checked} of them",
        record.runs.len(),
        record.planned
    )
    .map_err(|error| Failure::Other(error.into()))?;
    Ok(Exit::Fine)
}

fn bench(
    path: &str,
    folder: &Folder,
    record: &Bench,
    (context, named): (&Context, &Named<'_>),
) -> Result<Exit, Failure> {
    let place = Path::new(path);
    let kept = folder.check_transcripts(record)?;
    let done: u64 = record.done.iter().map(balk_reports::records::Seeds::count).sum();
    let (scenarios, stacks) = (record.plan.scenarios.len(), record.plan.stacks.len());
    let show = |error: io::Error| Failure::Other(error.into());
    let mut out = crate::cli::out::people();
    let whole = if record.is_whole() { "" } else { ", not all that are planned" };
    if record.plan.live.is_some() {
        let completions = completions(place, folder, record)?;
        writeln!(out, "{path}: as they were written: {completions} completions of the model")
            .map_err(show)?;
    }
    writeln!(
        out,
        "{path}: as it was written: {done} seeds of {scenarios} scenarios under {stacks} stacks{whole}; {kept} kept \
         seeds with transcripts"
    )
    .map_err(show)?;
    let beside = folder.check_beside()?.join(", ");
    if !beside.is_empty() {
        writeln!(out, "{path}: beside the record, without a checksum: {beside}").map_err(show)?;
    }
    if record.plan.build.as_deref() != bench::BUILD {
        let of = record.plan.build.as_deref().map_or("none that it names".to_owned(), |it| format!("`{it}`"));
        let own = bench::BUILD.unwrap_or("of a registry");
        writeln!(out, "{path}: made by another build of Balk: {of}; this one is `{own}`").map_err(show)?;
    }
    if let Some(why) = unplayable(&record.plan, named) {
        writeln!(out, "{path}: no trial was played again: {why}").map_err(show)?;
        return Ok(Exit::Fine);
    }
    let matrix = matrix(&record.plan, context, named)?;
    check_plan(place, record, &matrix)?;
    let again = bench::again(&matrix, record, folder)?;
    match again.difference {
        None if again.cells == 0 && again.transcripts == 0 => {
            let why =
                "no scenario has so few seeds that its counts could be compared, and no transcripts are kept";
            writeln!(out, "{path}: no trial was played again: {why}").map_err(show)?;
            Ok(Exit::Fine)
        }
        None => {
            writeln!(
                out,
                "{path}: {} seeds played again: {} cells and {} transcripts are the same",
                again.units, again.cells, again.transcripts
            )
            .map_err(show)?;
            Ok(Exit::Fine)
        }
        Some(differs) => {
            writeln!(out, "{path}: played again, this differs: {differs}").map_err(show)?;
            if record.plan.build.as_deref() != bench::BUILD {
                say(format_args!("the build is another one, so its trials may differ"));
            }
            Ok(Exit::NotDeterministic)
        }
    }
}

/// How many completions a live record has. Each unit that was measured has some, unless `balk live --offline` played it
/// from another record: that asks no model.
fn completions(place: &Path, folder: &Folder, record: &Bench) -> Result<usize, Error> {
    let store = Store::read(place)?;
    if store.count() == 0 && folder.answered()?.is_empty() {
        return Ok(0);
    }
    for (scenario, done) in record.plan.scenarios.iter().zip(&record.done) {
        let mut seeds = done.ranges().iter().flat_map(|[from, to]| *from..=*to);
        if let Some(seed) = seeds.find(|seed| !store.has(&scenario.name, *seed)) {
            let expected = format!("the completions of {}, seed {seed}, which was measured", scenario.name);
            return Err(Error::file(&place.join(COMPLETIONS), &expected, "none")
                .hint("some were removed: put the file back"));
        }
    }
    Ok(store.count())
}

/// Why the trials of a plan cannot be played from the plan and what is named.
fn unplayable(plan: &Plan, named: &Named<'_>) -> Option<String> {
    if plan.live.is_some() {
        return Some("a real model played them; `balk live --offline DIR` plays what it said".to_owned());
    }
    if let Some(scenario) = in_file(plan).filter(|_| named.suite.is_none()) {
        let way_out = "and a record does not say where: name it with --suite";
        return Some(format!("{} is in a file, {way_out}", scenario.name));
    }
    let is_named = |guard: &String| named.stacks.contains(guard);
    let with_command =
        plan.stacks.iter().find(|it| !is_named(&it.guard) && Recipe::without_command(&it.guard).is_err())?;
    Some(format!("a record may not start the command of `{0}`: name it with --guard", with_command.guard))
}

/// A scenario of the plan that no build has.
fn in_file(plan: &Plan) -> Option<&PlannedScenario> {
    plan.scenarios.iter().find(|it| it.suite == Suite::File || !load::is_ours(&it.name))
}

/// What the plan asks for, from this build.
fn matrix(plan: &Plan, context: &Context, named: &Named<'_>) -> Result<Matrix, Failure> {
    let pairs = |set: &[balk_reports::records::Drawn]| -> Vec<(String, String)> {
        set.iter().map(|it| (it.name.clone(), it.value.clone())).collect()
    };
    let set = pairs(&plan.set);
    let asked = match named.suite.filter(|_| in_file(plan).is_some()) {
        Some(suite) => {
            let mut swept: Vec<_> = plan.scenarios.iter().map(|it| pairs(&it.set)).collect();
            let mut once = BTreeSet::new();
            swept.retain(|it| once.insert(it.clone()));
            suite::asked(suite, plan.pools, &set, &swept)?
        }
        None => {
            let each = plan.scenarios.iter();
            let each = each.map(|it| suite::asked(&it.name, plan.pools, &set, &[pairs(&it.set)]));
            each.collect::<Result<Vec<Vec<Asked>>, Failure>>()?.concat()
        }
    };
    let config = context.config(named.config)?;
    let stacks: Vec<String> = plan.stacks.iter().map(|it| it.guard.clone()).filter(|it| it != NONE).collect();
    let setting = Setting {
        suite: &plan.suite,
        sweep: plan.sweep.as_deref(),
        stacks: Recipe::all(&context.registry, &stacks, &config).map_err(Error::from)?,
        config: &config,
        pools: match plan.pools {
            Pools::Open => Pools::Open,
            Pools::Reserve => Pools::Reserve,
        },
        seeds: plan.seeds,
        set: &set,
    };
    let matrix = Matrix::new(asked, setting).keeping(plan.transcripts);
    Ok(match (&plan.reactions, named.set_from.file_name(), named.set_from.read()?) {
        (Some(_), Some(file), Some(measured)) => matrix.reacting(file, &measured),
        (Some(_) | None, _, _) => matrix,
    })
}

/// Checks that this build makes the same plan, but for its own name.
fn check_plan(place: &Path, record: &Bench, matrix: &Matrix) -> Result<(), Failure> {
    let (mut plan, mut own) = (record.plan.clone(), matrix.plan().clone());
    plan.allow_build_of(&mut own);
    plan.same(&own).map_err(|unlike| {
        let expected = format!("the plan that this build makes, with {} {}", unlike.place, unlike.second);
        let hint = match &*unlike.place {
            "reactions" => "name the file of the reactions with --set-from",
            "config" => {
                "name the settings that it was made with by --config, or go to the folder of its balk.toml"
            }
            place if place.starts_with("scenarios") && in_file(&plan).is_some() => {
                "name the files that it was made with by --suite"
            }
            _ => "verify it with the build that made it",
        };
        let of_file =
            |file: &String| format!("the command of a guard names {file}, which was changed since then");
        let changed = unlike.file.as_ref().map(of_file);
        Error::file(&place.join(RECORD), &expected, unlike.first)
            .hint(changed.as_deref().unwrap_or(hint))
            .into()
    })
}
