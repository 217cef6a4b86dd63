//! The file of a reader: the sample that it is about, and the judgements so far.
//!
//! It begins with a comment of one line that says who judges which sample; below are
//! [judged points](crate::replay::labels) in the order of the sample. It is written whole after each judgement, so a
//! program that is killed loses nothing.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answer::Judgement;
use super::sample::{Place, Sample};
use super::source::Source;
use crate::error::Error;
use crate::files;
use crate::import::one_line;
use crate::input;
use crate::replay::labels::{self, Label, Point, Weight};

/// The beginning of the first line.
const MARK: &str = "# balk label: ";

/// The version of the first line.
const VERSION: u32 = 1;

/// Who judges which sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    version: u32,
    reader: String,
    seed: String,
    places: usize,
    sample: String,
    sources: Vec<Source>,
}

impl Plan {
    /// This reader judges this sample, of so many places that were asked for, drawn with this seed from these files.
    #[must_use]
    pub fn new(reader: &str, seed: u64, places: usize, sample: &Sample, sources: Vec<Source>) -> Self {
        let (reader, seed) = (reader.to_owned(), seed.to_string());
        Self { version: VERSION, reader, seed, places, sample: sample.digest(), sources }
    }

    /// Checks that the plan of a file is this one.
    fn check(&self, file: &Path, of_file: &Self) -> Result<(), Error> {
        let check = |name: &str, own: &str, found: &str, hint: &str| {
            if own == found {
                return Ok(());
            }
            let (own, found) = (format!("{name} {own}"), format!("{name} {found}"));
            Err(first_line(Error::file(file, &own, found).hint(hint)))
        };
        check("reader", &self.reader, &of_file.reader, "name another file with --out; each reader has one")?;
        let other =
            "go on with the seed and the number of places of the file, or name another file with --out";
        check("seed", &self.seed, &of_file.seed, other)?;
        check("places", &self.places.to_string(), &of_file.places.to_string(), other)?;
        let count = |plan: &Self| plan.sources.len().to_string();
        check("number of log files", &count(self), &count(of_file), CHANGED)?;
        for (own, found) in self.sources.iter().zip(&of_file.sources) {
            let name = format!("log {} with the digest", own.file);
            check(&name, &own.digest, &found.digest, CHANGED)?;
        }
        let otherwise = "it was drawn by another version of Balk, or with other settings; go on with these, or name \
                         another file with --out";
        check("sample", &self.sample, &of_file.sample, otherwise)
    }
}

const CHANGED: &str = "the logs changed since the sample was drawn; bring them back as they were, or name another file \
                       with --out for a new sample";

/// A file of judgements that grows.
#[derive(Debug)]
pub struct Kept {
    file: PathBuf,
    plan: Plan,
    /// The places of the sample, and the points as they will be in the file.
    points: Vec<(Place, Option<Point>)>,
    /// Where to find each place, as `balk triage --show` takes it: FILE:LINE:MESSAGE or FILE:LINE.NUMBER:MESSAGE.
    named: Vec<String>,
    /// What the file had last; `None` while it is not there.
    last: Option<String>,
}

impl Kept {
    /// The file of this plan, with what it has so far; it is not there before the first judgement.
    ///
    /// # Errors
    /// The file is there, and is not of this plan, or cannot be read.
    pub fn open(file: &Path, plan: Plan, sample: Sample) -> Result<Self, Error> {
        let named = |it: &Place| {
            let file = one_line(&plan.sources[it.file].file, usize::MAX);
            let nth = if it.nth > 1 { format!(".{}", it.nth) } else { String::new() };
            format!("{file}:{}{nth}:{}", it.line, it.message)
        };
        let named = sample.places.iter().map(named).collect();
        let points = sample.places.into_iter().zip(iter::repeat(None)).collect();
        let last = text_of(file)?;
        let mut kept = Self { file: file.to_owned(), plan, points, named, last };
        if kept.last.is_some() {
            let of_file = plan_of(file)?.ok_or_else(|| {
                let error = Error::file(file, "a file that `balk label` began", "another one");
                error.hint("name another file with --out")
            })?;
            kept.plan.check(file, &of_file)?;
            let text = kept.last.as_deref().unwrap_or_default();
            let header = (1..).zip(text.lines()).find(|(_, line)| !line.starts_with(labels::COMMENT));
            let first = header.map_or(1, |(line, _)| line + 1);
            let numbers: BTreeMap<(Arc<str>, usize), usize> =
                kept.places().enumerate().map(|(at, it)| ((it.run.clone(), it.message), at)).collect();
            for (line, point) in (first..).zip(labels::read(file)?) {
                let at = numbers.get(&(point.trajectory.clone(), point.message));
                kept.take(line, at.copied(), point)?;
            }
        }
        Ok(kept)
    }

    /// Takes the point that the file has in this line, of the place with this number. How a place was drawn is known,
    /// so the file has no say in it.
    fn take(&mut self, line: u64, at: Option<usize>, point: Point) -> Result<(), Error> {
        let bad = |expected: &str, found: String, hint: &str| Error {
            place: format!("line {line}").into(),
            ..Error::file(&self.file, expected, found).hint(hint)
        };
        let Some(at) = at else {
            let found = format!("message {} of `{}`", point.message, one_line(&point.trajectory, 80));
            return Err(bad("a place of the sample", found, "take the line out"));
        };
        let drawn =
            |control: bool, weight: Weight| format!("control {} and weight {weight}", u8::from(control));
        let expected = drawn(self.points[at].0.control, self.points[at].0.weight);
        let found = drawn(point.control, point.weight);
        if found != expected {
            return Err(bad(
                &format!("{expected}, as the place was drawn"),
                found,
                "write them back as they were",
            ));
        }
        let place = Some(self.named[at].as_str().into());
        self.points[at].1 = Some(Point { place, ..point });
        Ok(())
    }

    /// The places, in order.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.points.iter().map(|(place, _)| place)
    }

    /// How many places there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The label that a place has so far.
    #[must_use]
    pub fn label(&self, at: usize) -> Option<Label> {
        self.points[at].1.as_ref().map(|it| it.label)
    }

    /// How many places have this label so far.
    #[must_use]
    pub fn count(&self, label: Label) -> usize {
        (0..self.len()).filter(|at| self.label(*at) == Some(label)).count()
    }

    /// How many places are judged.
    #[must_use]
    pub fn judged(&self) -> usize {
        Label::ALL.map(|label| self.count(label)).iter().sum()
    }

    /// The next place to judge after this many: the first later one, or else the first of all.
    #[must_use]
    pub fn next(&self, after: usize) -> Option<usize> {
        let open = |at: &usize| self.points[*at].1.is_none();
        (after..self.len()).find(open).or_else(|| (0..self.len()).find(open))
    }

    /// Keeps the judgement of a place, in the file as well.
    ///
    /// # Errors
    /// The file cannot be written, or something else has written to it.
    pub fn judge(&mut self, at: usize, judgement: Judgement) -> Result<(), Error> {
        let Judgement { label, confidence, kind, onset, reason } = judgement;
        let named = self.named[at].as_str().into();
        let (place, point) = &mut self.points[at];
        let Place { run, message, control, weight, file: _, line: _, nth: _ } = place.clone();
        *point = Some(Point {
            trajectory: run,
            message,
            label,
            kind,
            onset,
            confidence,
            control,
            weight,
            reason,
            place: Some(named),
        });
        let points: Vec<Point> = self.points.iter().filter_map(|(_, point)| point.clone()).collect();
        let plan = serde_json::to_string(&self.plan).expect("plain data");
        if text_of(&self.file)? != self.last {
            let found = "another one: it was changed meanwhile, and this judgement is not kept";
            let error = Error::file(&self.file, "the file as this session wrote it last", found);
            return Err(error.hint("the same command goes on with what the file has; one session at a time"));
        }
        let text = format!("{MARK}{plan}\n{}", labels::text(&points));
        let write = |out: &mut files::Out<'_>| out.write_all(text.as_bytes());
        let unwritable = |error: io::Error| Error::file(&self.file, "a file that can be written", error);
        files::write_whole(&self.file, write).map_err(unwritable)?;
        self.last = Some(text);
        Ok(())
    }
}

/// The text of a file; `None` if it is not there. A link that leads nowhere is there.
fn text_of(file: &Path) -> Result<Option<String>, Error> {
    if file.symlink_metadata().is_ok() { input::text(file).map(Some) } else { Ok(None) }
}

/// The reader that a file of judgements names, if it does.
///
/// # Errors
/// The file cannot be read, or its first line is not as it was written.
pub fn reader_of(file: &Path) -> Result<Option<String>, Error> {
    Ok(plan_of(file)?.map(|plan| plan.reader))
}

/// The plan of a file, if it was begun with one.
fn plan_of(file: &Path) -> Result<Option<Plan>, Error> {
    let text = input::text(file)?;
    let Some(plan) = text.lines().next().unwrap_or_default().strip_prefix(MARK) else { return Ok(None) };
    let bad = |error| first_line(Error::file(file, "the plan as `balk label` wrote it", error));
    let plan: Plan = serde_json::from_str(plan).map_err(bad)?;
    if plan.version != VERSION {
        let error = Error::file(file, &format!("version {VERSION} of the plan"), plan.version);
        return Err(first_line(error.hint("go on with the version of Balk that wrote it")));
    }
    Ok(Some(plan))
}

/// The same error, about the first line.
fn first_line(error: Error) -> Error {
    Error { place: "line 1".into(), ..error }
}
