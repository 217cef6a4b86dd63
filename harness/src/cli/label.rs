//! `balk label`: places of recorded runs for people to judge.

mod session;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};
use indicatif::ProgressBar;
use rayon::ThreadPool;

use super::context::Context;
use super::format::Format;
use super::load;
use super::out;
use super::recordings::{self, Recordings, Sought, Unknown};
use super::say::say;
use super::threads::threads;
use super::{document, progress};
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::guards::{DEFAULT, Recipes};
use crate::import::reading::{Ending, Input, Reading, Taken};
use crate::import::{self, Piece, Setting, join};
use crate::label::{self, Agreement, Digested, Draw, Kept, Left, Place, Plan, Sample, Side, Source};
use crate::replay::{Replay, labels};
use crate::triage::Begun;
use session::Session;

/// Arguments of `balk label`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Label {
    /// Recorded runs, as `balk replay` reads them: files or folders
    #[arg(required_unless_present = "agreement", value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    /// The file of judgements; each is kept there at once, and the same command goes on with it
    #[arg(long, required_unless_present = "agreement", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Who judges
    #[arg(long, required_unless_present = "agreement", value_name = "NAME")]
    reader: Option<String>,

    /// How many places to draw
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = places)]
    places: usize,

    /// Which places to draw; two readers give the same one
    #[arg(long, default_value_t = load::SEED, value_name = "N", value_parser = load::seed)]
    seed: u64,

    #[command(flatten)]
    recordings: Recordings,

    /// Show how far two readers agree, from their files
    #[arg(long, num_args = 2, action = ArgAction::Set, value_names = ["FILE", "FILE"],
          conflicts_with_all = ["inputs", "out", "reader", "places", "seed", "from", "tools", "protocol"])]
    agreement: Vec<PathBuf>,

    /// The agreement as text for people, or as one JSON object for programs
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "agreement")]
    format: Format,
}

const AFTER_HELP: &str = "\
Half of the places are first firings of stretches of `default`, by rule; half are decoys far from any firing. Both come
from runs that the source says were resolved and from others, and each such stratum has its part. A reader sees neither
how a place was drawn nor the model, the outcome, or the name of a file.

One line judges a place:
  s, stuck    stepping in is right, or harmless and useful
  l, legit    there is a reason to go on
  u, unsure   it cannot be decided
  b, back     show the place before
  q, quit     stop; the same command goes on
  ?           show the guide
More can be said of a judgement, in this order: the confidence (1 to 3; 2 if none is given) at the word, #KIND,
@MESSAGE (where the stretch began) and the reason, as in: s3 #cycle @17 the same two queries

The file is what `balk replay --labels` reads. The weight of a place is the inverse of the chance with which it was
drawn from its stratum. Only runs with an id can be labelled; `balk replay` finds them by it.

Exit codes: 0 fine, also where places are left; 2 usage, or no input to judge by; 3 if a log or a file of judgements
cannot be used, or is of another sample.";

/// The largest number of places to draw: far more than anybody judges.
const PLACES_MAX: usize = 100_000;

fn places(text: &str) -> Result<usize, String> {
    let expected = || format!("expected a whole number from 1 to {PLACES_MAX}");
    text.parse().ok().filter(|places| (1..=PLACES_MAX).contains(places)).ok_or_else(expected)
}

impl Label {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, logs or a file of judgements that cannot be used, no input.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        match (&self.agreement[..], &self.out, &self.reader) {
            ([one, other], ..) => self.agree(one, other),
            (_, Some(out), Some(reader)) => self.label(context, out, reader),
            _ => unreachable!("the command line has both"),
        }
    }

    fn agree(&self, one: &Path, other: &Path) -> Result<Exit, Error> {
        let agreement = Agreement::new(side(one)?, side(other)?);
        if agreement.same.of == 0 {
            let expected = format!("places that {} judges, too", one.display());
            let error = Error::file(other, &expected, "none");
            return Err(error.hint("two readers judge the same logs with the same seed and number of places"));
        }
        let mut out = BufWriter::new(self.format.output());
        match self.format {
            Format::Text => label::text::agreement(&mut out, &agreement)?,
            Format::Json => label::json::agreement(&mut out, &agreement)?,
        }
        out.flush()?;
        Ok(Exit::Fine)
    }

    fn label(&self, context: &Context, out: &Path, reader: &str) -> Result<Exit, Error> {
        files::check_place(out).map_err(|error| Error::file(out, "a file that can be written", error))?;
        let config = context.config(None)?;
        let recipes = Recipes::new(&context.registry, &config);
        let setting = self.recordings.setting()?;
        let pool = threads(0)?;
        let replay = Replay {
            from: self.recordings.from.from,
            setting: &setting,
            guard: Some(DEFAULT),
            stack: &|spec, channel| recipes.stack(spec, channel),
            pool: &pool,
        };
        recipes.stack(DEFAULT, &TruthChannel::default())?;
        let mut logs = Vec::new();
        for input in &self.inputs {
            if document::is_standard(input) {
                let error = Error::usage("standard input", "the reader's judgements", "the name of an input");
                return Err(error.hint("name a file; `balk import - --out FILE` makes one"));
            }
            logs.extend(recordings::expand(input)?);
        }
        // A folder of logs may have the file of judgements in it, which grows.
        logs.retain(|it| !files::is_same(&it.path, out));
        let (sample, sources) = self.draw(&replay, &logs)?;
        let plan = Plan::new(reader, self.seed, self.places, &sample, sources);
        let kept = Kept::open(out, plan, sample)?;
        let shown = shown(&kept, &logs, replay.from, &setting, &pool)?;
        let input = io::stdin().lock();
        let output = out::people();
        Session { input, output, kept, shown, file: out, inputs: &self.inputs }.run()
    }

    /// Draws the sample from these files; each file as it was read.
    fn draw(&self, replay: &Replay<'_>, files: &[Sought]) -> Result<(Sample, Vec<Source>), Error> {
        let digests: Vec<Digested> = files.iter().map(|_| Digested::default()).collect();
        let total = files.iter().filter_map(|file| file.path.metadata().ok()).map(|it| it.len()).sum();
        let bar = progress::bytes(total);
        let reading = bar.clone();
        let mut inputs =
            recordings::inputs(files, &reading).zip(&digests).map(|(Input { content, sought }, digest)| {
                Input { content: Box::new(digest.reading(content)), sought }
            });
        let mut draw = Draw::new(self.seed, self.places);
        let mut begun: Vec<Begun> = files.iter().map(|_| Begun::default()).collect();
        let (mut bad, mut unknown, mut broken) = (0_u64, Unknown::default(), None);
        replay.files(&mut inputs, &mut |batch| {
            for taken in batch {
                match taken {
                    Taken::Found(file, items) => {
                        for item in items {
                            let nth = begun[file].nth("", item.line);
                            match &item.found {
                                Ok(found) => draw.add(file, item.line, nth, found),
                                Err(_) => bad += 1,
                            }
                        }
                    }
                    Taken::Ended(_, Ending::Read(_)) => {}
                    Taken::Ended(file, Ending::Unknown) => unknown.add(&files[file].path),
                    Taken::Ended(file, Ending::Broken { after_line, error }) => {
                        broken
                            .get_or_insert_with(|| recordings::broken(&files[file].path, after_line, error));
                    }
                }
            }
            Ok(())
        })?;
        bar.finish_and_clear();
        if let Some(error) = broken {
            return Err(error.hint("a sample is drawn from whole files; make or copy the file again"));
        }
        unknown.show();
        say_left(draw.left(), bad);
        let sample = draw.sample().map_err(|enough| {
            Error::usage("--places", &format!("at least {enough}, one for each stratum"), self.places)
        })?;
        if sample.places.is_empty() {
            let error = Error::file(&self.inputs[0], "runs with an id and messages of a model", "none");
            return Err(error.hint("`balk import --format summary` says what the logs have"));
        }
        let source = |(file, digest): (&Sought, &Digested)| Source {
            file: file.path.display().to_string(),
            digest: digest.digest(),
        };
        Ok((sample, files.iter().zip(&digests).map(source).collect()))
    }
}

/// What one reader judged.
fn side(file: &Path) -> Result<Side, Error> {
    let reader = label::reader_of(file)?.unwrap_or_else(|| file.display().to_string());
    Ok(Side { reader, points: labels::read(file)? })
}

/// Says what was left out of the draw.
fn say_left(left: Left, bad: u64) {
    let Left { without_id, same_id, own, guard_faults } = left;
    for (count, what) in [
        (bad, "lines that cannot be used; `balk import` says why"),
        (without_id, "runs without an id"),
        (same_id, "runs with the id of an earlier one"),
        (own, "records of trials, whose truth is known"),
        (guard_faults, "runs in which a guard broke"),
    ] {
        if count > 0 {
            say(format_args!("left out ({what}): {count}"));
        }
    }
}

/// Places of one file by the line of their run, each with its number in the sample.
type ByLine<'a> = BTreeMap<u64, Vec<(usize, &'a Place)>>;

/// What is shown of each place of the sample, read from the files once more.
fn shown(
    kept: &Kept,
    files: &[Sought],
    from: Option<import::Format>,
    setting: &Setting,
    pool: &ThreadPool,
) -> Result<Vec<String>, Error> {
    let mut wanted: BTreeMap<usize, ByLine<'_>> = BTreeMap::new();
    for (at, place) in kept.places().enumerate() {
        wanted.entry(place.file).or_default().entry(place.line).or_default().push((at, place));
    }
    let (numbers, read): (Vec<usize>, Vec<Sought>) =
        wanted.keys().map(|file| (*file, files[*file].clone())).unzip();
    let work = |file: usize, piece: &Piece| {
        let lines = &wanted[&numbers[file]];
        let mut found: Vec<(usize, String)> = Vec::new();
        for (line, recording) in piece.recordings(from) {
            let Some(places) = lines.get(&line) else { continue };
            let Ok(recording) = recording else { continue };
            let recorded = join(recording, setting);
            let its = places.iter().filter(|(_, place)| place.run == recorded.id);
            found.extend(its.filter_map(|(at, place)| {
                Some((*at, label::shown::shown(&recorded.entries, place.message)?))
            }));
        }
        found
    };
    let mut shown = BTreeMap::new();
    let hidden = ProgressBar::hidden();
    Reading { from, pool }.read(&mut recordings::inputs(&read, &hidden), &work, &mut |batch| {
        for taken in batch {
            if let Taken::Found(_, found) = taken {
                found.into_iter().for_each(|(at, text)| {
                    shown.entry(at).or_insert(text);
                });
            }
        }
        Ok(())
    })?;
    let missing = kept.places().enumerate().find(|(at, _)| !shown.contains_key(at));
    if let Some((_, place)) = missing {
        let expected = format!("message {} of `{}`", place.message, place.run);
        let error = Error::file(&files[place.file].path, &expected, "another run");
        let error = Error { place: format!("line {}", place.line).into(), ..error };
        return Err(error.hint("the file changed while the sample was drawn; start again"));
    }
    Ok(shown.into_values().collect())
}
