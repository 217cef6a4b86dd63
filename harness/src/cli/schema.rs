//! `balk schema`: the JSON Schema of a document that Balk reads or writes.

use std::io::Write;

use balk_reports::records::crash::Record;
use balk_reports::records::{FieldReport, GapReport, Incident, Kept};
use balk_reports::report::{Report, crash::Report as CrashReport};
use clap::{Args, ValueEnum};
use schemars::{JsonSchema, Schema, schema_for};

use super::out;
use crate::error::Error;
use crate::exec::lines::Line;
use crate::exit::Exit;

/// Arguments of `balk schema`.
#[derive(Args, Clone, Debug)]
pub struct PrintSchema {
    /// The document
    #[arg(value_enum)]
    document: Document,
}

/// A document with a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// A broken attempt, as `balk explain retry` reads it
    Incident,
    /// What an agent lacked in a run, as `balk explain gap` reads it
    Gap,
    /// What the record of a bench shows, as `balk report --format json` writes it
    Report,
    /// What came of real agents, as `balk crash` writes it
    Crash,
    /// What records of `balk crash` show, as `balk report --format json` writes it
    CrashReport,
    /// The lines that Balk and a guard in another process send each other
    Guard,
}

/// One failed attempt at a completion, for `balk explain retry`: an incident, or the export of the agent of the field
/// report.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "BrokenAttempt")]
#[expect(dead_code, reason = "only its schema is used")]
enum BrokenAttempt {
    Incident(Kept<Incident>),
    Report(Kept<FieldReport>),
}

impl Document {
    fn schema(self) -> Schema {
        match self {
            Self::Incident => schema_for!(BrokenAttempt),
            Self::Gap => schema_for!(GapReport),
            Self::Report => Report::schema(),
            Self::Crash => schema_for!(Record),
            Self::CrashReport => CrashReport::schema(),
            Self::Guard => schema_for!(Line),
        }
    }
}

impl PrintSchema {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        let mut out = out::json();
        serde_json::to_writer_pretty(&mut out, &self.document.schema()).map_err(std::io::Error::from)?;
        writeln!(out)?;
        Ok(Exit::Fine)
    }
}
