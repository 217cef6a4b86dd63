//! What a pile of logs shows, as one JSON object for programs.

use std::io::{self, Write};

use balk_reports::records::RateSums;
use balk_reports::statistics::{Rate, Share};
use serde::Serialize;

use super::{Counts, Stuck, Tools, Triage};
use crate::import::Oddities;

/// Writes the object, on one line.
///
/// # Errors
/// Those of the writer.
pub fn triage(out: &mut dyn Write, it: &Triage) -> io::Result<()> {
    let Triage { counts, worst, disturbed, tools, oddities, .. } = it;
    let document = Document {
        counts,
        stuck: Share::new(counts.stuck_runs, counts.runs),
        worst: worst.iter().map(|it| &it.stuck).collect(),
        disturbed: Rate::new(disturbed),
        tools,
        oddities,
        disturbed_sums: disturbed,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Document<'a> {
    counts: &'a Counts,
    stuck: Share,
    worst: Vec<&'a Stuck>,
    disturbed: Rate,
    tools: &'a Tools,
    oddities: &'a Oddities,
    /// What `disturbed` is computed from.
    disturbed_sums: &'a RateSums,
}
