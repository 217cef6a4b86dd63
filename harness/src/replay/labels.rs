//! Judged points of recorded trajectories: a careful reader's verdict on one message of the assistant.
//!
//! Tab-separated lines under a header, one point per line. Lines before the header that begin with `#` are comments:
//!
//! | column | meaning |
//! |---|---|
//! | `trajectory_id` | the transcript's `id` |
//! | `message_index` | the index in `messages` of the judged assistant message, from 0 |
//! | `label` | `stuck`: an intervention there is right; `legit`: it is false; `unsure` |
//! | `kind` | the kind of repetition, in the readers' word |
//! | `onset` | the index in `messages` where the stuck stretch began, or `-` |
//! | `confidence` | 1 to 3 |
//! | `control` | 1 if the point was drawn where nothing looked odd, else 0 |
//! | `weight` | how many points of the pool this one represents: the inverse of its chance to be drawn |
//! | `reason` | the deciding fact |
//! | `place` | where the transcript is, as FILE:LINE:MESSAGE; the column may be missing |

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::error::Error;
use crate::import::one_line;
use crate::input;

/// The columns that every file has, in order.
pub const COLUMNS: [&str; 9] =
    ["trajectory_id", "message_index", "label", "kind", "onset", "confidence", "control", "weight", "reason"];

/// A column that may come after them.
pub const PLACE: &str = "place";

/// The beginning of a comment.
pub const COMMENT: char = '#';

/// One judged point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The id of its transcript.
    pub trajectory: Arc<str>,
    /// Index in `messages` of the judged message.
    pub message: usize,
    /// The judgement.
    pub label: Label,
    /// The kind of repetition.
    pub kind: Box<str>,
    /// Index in `messages` of the message with which the stuck stretch began.
    pub onset: Option<usize>,
    /// The reader's confidence, 1 to 3.
    pub confidence: u8,
    /// Whether the point was drawn where nothing looked odd.
    pub control: bool,
    /// How many points of the pool it represents.
    pub weight: Weight,
    /// The deciding fact.
    pub reason: Box<str>,
    /// Where its transcript is, as FILE:LINE:MESSAGE, if the file of labels says so.
    pub place: Option<Box<str>>,
}

/// A reader's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The agent makes no progress; an intervention is right.
    Stuck,
    /// There is a reason to go on; an intervention is false.
    Legit,
    /// Good readers would disagree.
    Unsure,
}

impl Label {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Stuck, Self::Legit, Self::Unsure];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stuck => "stuck",
            Self::Legit => "legit",
            Self::Unsure => "unsure",
        }
    }
}

/// A weight in thousandths, so that sums are exact in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(pub u64);

impl Weight {
    /// The largest accepted weight: the sum over any file that fits in memory does not overflow.
    pub const MAX: Self = Self(1_000_000_000);
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000, self.0 % 1_000)
    }
}

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A decimal number above 0 with at most three decimals.
impl FromStr for Weight {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (whole, part) = match text.split_once('.') {
            Some((whole, part)) if (1..=3).contains(&part.len()) => (whole, part),
            Some(_) => return Err(()),
            None => (text, ""),
        };
        let weight: u64 = number(&format!("{whole}{part:0<3}")).ok_or(())?;
        if whole.is_empty() || weight == 0 || weight > Self::MAX.0 { Err(()) } else { Ok(Self(weight)) }
    }
}

/// Why a file of labels cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLabels {
    /// The line, and the column if the error is about one.
    pub place: String,
    /// What should have been there.
    pub expected: String,
    /// What was there.
    pub found: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// The judged points in a file.
///
/// # Errors
/// A file that cannot be read, or its first invalid line.
pub fn read(file: &Path) -> Result<Vec<Point>, Error> {
    let text = input::text(file)?;
    parse(&text).map_err(|bad| {
        let error = Error::file(file, &bad.expected, bad.found).hint(bad.hint);
        Error { place: bad.place.into(), ..error }
    })
}

/// The judged points in a text.
///
/// # Errors
/// The first invalid line.
pub fn parse(text: &str) -> Result<Vec<Point>, BadLabels> {
    let mut lines = (1..).zip(text.lines()).skip_while(|(_, line)| line.starts_with(COMMENT));
    let (number, header) = lines.next().unwrap_or((1, ""));
    let Some(with_place) = has_place(header) else {
        let found = if header.trim().is_empty() { "nothing".into() } else { quoted(header) };
        let expected = format!("the header `{}`, separated by tabs", COLUMNS.join(" "));
        return Err(BadLabels { place: format!("line {number}"), expected, found, hint: SEE_HELP });
    };
    let mut points = Vec::new();
    let mut seen: BTreeMap<(Arc<str>, usize), u64> = BTreeMap::new();
    for (number, line) in lines {
        let point = Row::new(number, line, with_place)?.point()?;
        match seen.entry((point.trajectory.clone(), point.message)) {
            Entry::Vacant(entry) => entry.insert(number),
            Entry::Occupied(first) => {
                return Err(BadLabels {
                    place: format!("line {number}"),
                    expected: "a point that no earlier line judges".into(),
                    found: format!(
                        "message {} of {}, as in line {}",
                        point.message,
                        quoted(&point.trajectory),
                        first.get()
                    ),
                    hint: "keep one of the two lines",
                });
            }
        };
        points.push(point);
    }
    if points.is_empty() {
        let (place, expected) = (format!("line {}", number + 1), "a judged point".into());
        return Err(BadLabels { place, expected, found: "nothing".into(), hint: SEE_HELP });
    }
    Ok(points)
}

/// A file of these points; the column for places is there if a point has one. [`parse`] reads them back if no cell has
/// a tab or a line break and none but the place is blank.
#[must_use]
pub fn text(points: &[Point]) -> String {
    let with_place = points.iter().any(|it| it.place.is_some());
    let mut text = COLUMNS.join("\t");
    if with_place {
        text.push('\t');
        text.push_str(PLACE);
    }
    text.push('\n');
    for Point { trajectory, message, label, kind, onset, confidence, control, weight, reason, place } in
        points
    {
        let cells: [&dyn fmt::Display; COLUMNS.len()] = [
            trajectory,
            message,
            &label.word(),
            kind,
            &onset.map_or_else(|| "-".to_owned(), |onset| onset.to_string()),
            confidence,
            &u8::from(*control),
            weight,
            reason,
        ];
        let place = with_place.then(|| place.as_deref().unwrap_or_default().to_owned());
        let cells: Vec<String> = cells.iter().map(ToString::to_string).chain(place).collect();
        text.push_str(&cells.join("\t"));
        text.push('\n');
    }
    text
}

const SEE_HELP: &str = "`balk replay --help` describes the columns";

/// Whether this header has the last column; none if it is no header.
fn has_place(header: &str) -> Option<bool> {
    match header.strip_prefix(&*COLUMNS.join("\t"))? {
        "" => Some(false),
        more => (more.strip_prefix('\t') == Some(PLACE)).then_some(true),
    }
}

/// The cells of one line.
struct Row<'a> {
    number: u64,
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn new(number: u64, line: &'a str, with_place: bool) -> Result<Self, BadLabels> {
        let cells: Vec<&str> = line.split('\t').collect();
        let columns = COLUMNS.len() + usize::from(with_place);
        if cells.len() != columns {
            return Err(BadLabels {
                place: format!("line {number}"),
                expected: format!("{columns} columns, separated by tabs"),
                found: format!("{}", cells.len()),
                hint: "a cell has no tabs and no line breaks",
            });
        }
        Ok(Self { number, cells })
    }

    fn point(&self) -> Result<Point, BadLabels> {
        let text = |cell: &str| (!cell.trim().is_empty()).then(|| cell.to_owned());
        let trajectory: Arc<str> = self.cell(0, "the id of a transcript", text)?.into();
        let message = self.cell(1, "an index in `messages`, from 0", number)?;
        let label = self.cell(2, "`stuck`, `legit` or `unsure`", |cell| {
            Label::ALL.into_iter().find(|label| label.word() == cell)
        })?;
        let kind = self.cell(3, "a word for the repetition, or `none`", text)?.into();
        let onset = self.cell(4, "`-`, or an index up to that of the judged message", |cell| match cell {
            "-" => Some(None),
            cell => number(cell).filter(|onset| *onset <= message).map(Some),
        })?;
        let confidence =
            self.cell(5, "1, 2 or 3", |cell| number(cell).filter(|confidence| (1..=3).contains(confidence)))?;
        let control = self.cell(6, "0 or 1", |cell| match cell {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })?;
        let expected = format!("a number above 0 and up to {}, with at most three decimals", Weight::MAX);
        let weight = self.cell(7, &expected, |cell| cell.parse().ok())?;
        let reason = self.cell(8, "the deciding fact", text)?.into();
        let place = self.cells.get(COLUMNS.len()).map(|place| (*place).into());
        Ok(Point { trajectory, message, label, kind, onset, confidence, control, weight, reason, place })
    }

    fn cell<T>(&self, at: usize, expected: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, BadLabels> {
        read(self.cells[at]).ok_or_else(|| BadLabels {
            place: format!("line {}, column {} ({})", self.number, at + 1, COLUMNS[at]),
            expected: expected.into(),
            found: quoted(self.cells[at]),
            hint: SEE_HELP,
        })
    }
}

/// A number of digits only.
fn number<T: FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|it| it.is_ascii_digit()) { text.parse().ok() } else { None }
}

fn quoted(text: &str) -> String {
    format!("`{}`", one_line(text, 80))
}

#[cfg(test)]
mod tests;
