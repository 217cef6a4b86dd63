//! `balk crash --learn`: proposes what the profile of an agent should say.

use std::io::Write as _;
use std::path::Path;

use balk_reports::records::crash::{Run, Word};
use balk_scenarios::agents::{Learnt, Shown};
use balk_scenarios::{Kind, Pools, World, WorldOptions};
use similar::TextDiff;

use super::targets::worlds;
use crate::cli::load::Failure;
use crate::cli::out;
use crate::cli::say::say;
use crate::crash::Job;
use crate::crash::learn::{self, Lesson};
use crate::error::Error;
use crate::files;

/// Shows for each agent what a profile should say that this one does not, and writes that into a file.
///
/// # Errors
/// A transcript cannot be read, or a file cannot be written.
pub(super) fn learn(out: &Path, jobs: &[(Job, Kind)], runs: &[Run]) -> Result<(), Failure> {
    for of_agent in jobs.chunk_by(|(a, _), (b, _)| a.name == b.name) {
        // A run that was stopped shows habits all the same.
        let has_run =
            |job: &Job| runs.iter().any(|it| it.folder == job.folder && it.verdict.word != Word::NotRun);
        let played = of_agent.iter().map(|(job, _)| job).filter(|it| has_run(it));
        let lessons = played.map(lesson).collect::<Result<Vec<_>, _>>()?;
        for it in runs.iter().filter(|it| of_agent.iter().any(|(job, _)| job.folder == it.folder)) {
            if !matches!(it.verdict.word, Word::Reached | Word::NotRun) {
                say(format_args!(
                    "{} ended before its healthy work was done (`{}`): what comes later is not learnt",
                    it.folder, it.verdict.word
                ));
            }
        }
        let (job, _) = &of_agent[0];
        if lessons.is_empty() {
            say(format_args!("{}: nothing is learnt, because no run was played", job.name));
            continue;
        }
        let (file, before) = job.agent.text()?;
        let learnt = learn::learn(&file, &before, &lessons)?;
        show(&out.join(format!("{}.toml", job.name)), &file, &before, &learnt)?;
    }
    Ok(())
}

fn lesson(job: &Job) -> Result<Lesson, Failure> {
    let scenario = worlds(&job.target)?.scenario(job.seed, Pools::Open);
    let task = World::draw(&scenario, job.seed, WorldOptions::default()).opening().clone();
    Ok(Lesson::read(&job.out, &job.folder, &task)?)
}

/// So many texts that no pattern tells are shown.
const EXAMPLES: usize = 3;
/// So much of each.
const CHARS: usize = 120;

fn show(path: &Path, file: &str, before: &str, learnt: &Learnt) -> Result<(), Error> {
    let Learnt { profile, new, left } = learnt;
    files::write_one(path, |out| out.write_all(profile.as_bytes()))
        .map_err(|error| Error::file(path, "a file that can be written", error))?;
    if *new > 0 {
        let diff = TextDiff::from_lines(before, profile);
        let to = path.display().to_string();
        write!(out::people(), "{}", diff.unified_diff().header(file, &to))?;
        say(format_args!(
            "new tables in {to}: {new}. Review them: a guard that fires in healthy work looks like a habit. Then \
             learn again with --agent {to}, until nothing is new"
        ));
    } else {
        say(format_args!("{file}: nothing is new, and {} says the same", path.display()));
    }
    if let Some((first, _)) = left.split_first() {
        say(format_args!(
            "{} texts have more than what the user or a tool said, and no table tells what: it is in one run alone, \
             or always differs, as in {}",
            left.len(),
            first.run
        ));
        for Shown { text, .. } in left.iter().take(EXAMPLES) {
            say(format_args!("  {:?}", text.chars().take(CHARS).collect::<String>()));
        }
    }
    Ok(())
}
