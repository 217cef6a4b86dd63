//! Recognises a format by what its values have inside.

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::bad::BadLine;
use super::format::Format;
use super::rows::{Container, ROWS, Row};
use super::shape::Shape;

/// What has the marks of a form, for each of [`ROWS`].
static MARKED: LazyLock<Vec<Shape>> = LazyLock::new(|| ROWS.iter().map(|row| Shape::of(row.marks)).collect());

/// The form of values in a file, by what they have inside.
///
/// # Errors
/// No format has it, or several have.
pub(super) fn recognise(
    shape: Shape,
    container: Container,
    from: Option<Format>,
) -> Result<&'static Row, BadLine> {
    match special(shape, container, from) {
        (Some(row), None) => Ok(row),
        (Some(first), Some(other)) => {
            let (one, other) = (first.format.name(), other.format.name());
            let why = format!("expected one format, found `{one}` and `{other}`: choose with --from");
            Err(BadLine::UnknownFormat { why })
        }
        (None, _) => Err(unknown(shape, &asked(ROWS.iter(), container, from).collect::<Vec<_>>(), from)),
    }
}

/// The same, without the reason why there is none.
pub(super) fn recognised(shape: Shape, container: Container, from: Option<Format>) -> Option<&'static Row> {
    match special(shape, container, from) {
        (row, None) => row,
        (_, Some(_)) => None,
    }
}

/// The most special form that fits, and one of another format that is as special.
fn special(
    shape: Shape,
    container: Container,
    from: Option<Format>,
) -> (Option<&'static Row>, Option<&'static Row>) {
    let fits = ROWS.iter().zip(&*MARKED).filter(|(_, marked)| shape.has_all(**marked)).map(|(row, _)| row);
    let fitting: Vec<&'static Row> = asked(fits, container, from).collect();
    // A form that demands all that another one does, and more, is the other one with something added.
    let is_general = |row: &Row| fitting.iter().any(|other| covers(other, row) && !covers(row, other));
    let mut special = fitting.iter().copied().filter(|row| !is_general(row));
    let first = special.next();
    (first, special.find(|row| first.is_some_and(|first| row.format != first.format)))
}

/// Those of some forms that values may have.
fn asked(
    rows: impl Iterator<Item = &'static Row>,
    container: Container,
    from: Option<Format>,
) -> impl Iterator<Item = &'static Row> {
    let rows = rows.filter(move |row| row.containers.contains(&container));
    rows.filter(move |row| from.is_none_or(|from| row.format == from))
}

/// The same, if it is known what the format is: values that lack what tells it are read as the nearest of its forms,
/// and the reader says where they are something else.
///
/// # Errors
/// The format has no form for such a file.
pub(super) fn forced(shape: Shape, container: Container, from: Format) -> Result<&'static Row, BadLine> {
    recognise(shape, container, Some(from)).or_else(|unknown| {
        let found = |row: &&Row| row.marks.iter().filter(|mark| shape.has(mark)).count();
        let rows = ROWS.iter().filter(|row| row.format == from && row.containers.contains(&container));
        // Of forms that are as near, the first.
        rows.rev().max_by_key(found).ok_or(unknown)
    })
}

/// Whether no form is this one with something added: then what comes later in a value cannot change what it is.
pub(super) fn is_most_special(row: &Row) -> bool {
    ROWS.iter().all(|other| !covers(other, row) || covers(row, other))
}

/// Whether a whole text with its marks can be of no other form, whatever else it has: at most, of several formats.
pub(super) fn is_settled(row: &Row, container: Container) -> bool {
    let is_other = |other: &Row| {
        !std::ptr::eq(other, row) && other.format == row.format && other.containers.contains(&container)
    };
    is_most_special(row) && !ROWS.iter().any(is_other)
}

/// Whether a value with all marks of `special` has all of `general`.
fn covers(special: &Row, general: &Row) -> bool {
    let implies = |mark: &str, path: &str| {
        mark.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '=']))
    };
    general.marks.iter().all(|path| special.marks.iter().any(|mark| implies(mark, path)))
}

/// Which format it nearly is, and what is missing.
fn unknown(shape: Shape, rows: &[&Row], from: Option<Format>) -> BadLine {
    let found = |row: &Row| row.marks.iter().filter(|mark| shape.has(mark)).count();
    let mut why = match from {
        None => "expected a format that is known, found none".to_owned(),
        Some(from) => format!("expected `{}`, found something else", from.name()),
    };
    // Of two that are as near, the one of which less is missing.
    let nearest = rows.iter().filter(|row| found(row) * 2 >= row.marks.len() && found(row) > 0);
    let nearest = nearest.max_by_key(|row| (found(row), usize::MAX - row.marks.len()));
    if let Some(row) = nearest.or(rows.first().filter(|_| from.is_some())) {
        let missing: Vec<&str> = row.marks.iter().copied().filter(|mark| !shape.has(mark)).collect();
        let name = row.format.name();
        write!(why, ": for `{name}`, this is missing: {}", missing.join(", "))
            .expect("a string takes what is written");
    } else {
        why.push_str(" (`balk import --help` lists them)");
    }
    BadLine::UnknownFormat { why }
}
