//! The agreement of two readers, as one JSON object for programs.

use std::io::{self, Write};

use balk_reports::statistics::{Kappa, Share};
use serde::Serialize;

use super::Agreement;
use crate::replay::labels::{Label, Point};

/// Writes the object, on one line.
///
/// # Errors
/// Those of the writer.
pub fn agreement(out: &mut dyn Write, it: &Agreement) -> io::Result<()> {
    let document = Document {
        readers: &it.readers,
        same: it.same,
        kappa: it.kappa,
        labels: Label::ALL,
        table: &it.table,
        apart: it.apart.iter().map(Apart::new).collect(),
        alone: it.alone.each_ref().map(|points| points.iter().map(Alone::new).collect()),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Document<'a> {
    readers: &'a [String; 2],
    same: Share,
    kappa: Kappa,
    /// The labels of the rows and columns of the table.
    labels: [Label; 3],
    table: &'a [[u64; 3]; 3],
    apart: Vec<Apart<'a>>,
    alone: [Vec<Alone<'a>>; 2],
}

#[derive(Serialize)]
struct Apart<'a> {
    trajectory: &'a str,
    message: usize,
    place: Option<&'a str>,
    labels: [Label; 2],
    reasons: [&'a str; 2],
}

impl<'a> Apart<'a> {
    fn new([one, other]: &'a [Point; 2]) -> Self {
        Self {
            trajectory: &one.trajectory,
            message: one.message,
            place: one.place.as_deref().or(other.place.as_deref()),
            labels: [one.label, other.label],
            reasons: [&one.reason, &other.reason],
        }
    }
}

#[derive(Serialize)]
struct Alone<'a> {
    trajectory: &'a str,
    message: usize,
    place: Option<&'a str>,
    label: Label,
}

impl<'a> Alone<'a> {
    fn new(it: &'a Point) -> Self {
        Self { trajectory: &it.trajectory, message: it.message, place: it.place.as_deref(), label: it.label }
    }
}
