//! The agreement of two readers, as text for people.

use std::io::{self, Write};

use super::Agreement;
use crate::import::one_line;
use crate::replay::labels::{Label, Point};

/// The maximum length of an id, and of a reason.
const CHARS: usize = 80;

/// Writes how far they agree, then the places where they do not.
///
/// # Errors
/// Those of the writer.
pub fn agreement(out: &mut dyn Write, it: &Agreement) -> io::Result<()> {
    let [one, other] = it.readers.each_ref().map(|reader| one_line(reader, CHARS));
    writeln!(out, "places that {one} and {other} judged: {}", it.same.of)?;
    writeln!(out, "the same label: {} of them, {} %", it.same.count, it.same.percent())?;
    writeln!(out, "Cohen's kappa: {}", it.kappa)?;
    writeln!(out, "in brackets the 95 % intervals; runs, not places, count as independent\n")?;

    let width = one.chars().count() + 1 + "unsure".len();
    let columns: String = Label::ALL.iter().map(|label| format!("  {:>8}", label.word())).collect();
    writeln!(out, "{:width$}{columns}  ({other})", "")?;
    for (label, row) in Label::ALL.iter().zip(&it.table) {
        let counts: String = row.iter().map(|count| format!("  {count:>8}")).collect();
        writeln!(out, "{:width$}{counts}", format!("{one} {}", label.word()))?;
    }
    if !it.apart.is_empty() {
        writeln!(out, "\ndifferent labels: {}", it.apart.len())?;
    }
    for pair in &it.apart {
        writeln!(out, "  {}", place(pair))?;
        for (reader, point) in [&one, &other].into_iter().zip(pair) {
            writeln!(out, "    {reader}: {} ({})", point.label.word(), one_line(&point.reason, CHARS))?;
        }
    }
    for (reader, points) in [&one, &other].into_iter().zip(&it.alone).filter(|(_, points)| !points.is_empty())
    {
        writeln!(out, "\njudged by {reader} alone: {}", points.len())?;
        for point in points {
            writeln!(out, "  {}: {}", place(std::slice::from_ref(point)), point.label.word())?;
        }
    }
    Ok(())
}

/// Where a place is, and what it is known by.
fn place(points: &[Point]) -> String {
    let known_by = format!("message {} of {}", points[0].message, one_line(&points[0].trajectory, CHARS));
    match points.iter().find_map(|it| it.place.as_deref()) {
        Some(place) => format!("{place}, {known_by}"),
        None => known_by,
    }
}
