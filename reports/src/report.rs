//! What people and programs read: the report of a bench, the comparison of two, gates, the transcript of a trial.

pub mod compare;
pub mod crash;
pub mod csv;
pub mod document;
pub mod gate;
mod issue;
pub mod junit;
mod lapses;
pub mod page;
mod reactions;
mod recorded;
mod said;
mod sections;
mod splice;
mod tables;
mod transcript;
mod trial;
mod words;

pub use issue::{LINK_CHARS_MAX, REPOSITORY_CHARS_MAX, issue_link};
pub use lapses::lapses;
pub use reactions::reactions;
pub use recorded::{Recorded, TURNS_MAX, firing};
pub use sections::{Section, bench_report};
pub use splice::{BadMarker, splice};
pub use tables::{
    CEILING, CellShift, Comparison, DEFAULT, Expense, FalseByLanguage, FalseByRule, FalseByShape,
    FalseInterventions, Figures, Head, InstructionRow, LIMITS, LIVE_LIMITS, LapseRow, LiveEffect, LiveJudged,
    LiveJudgements, LiveRow, LiveRule, LiveTable, LiveTokens, LiveWorld, Measure, Missing, ORACLE,
    ParameterRange, REPORT_SCHEMA, Ranked, Ranking, Report, ScenarioRow, ScenarioTable, Sensitivity,
    ShapeRate, Shift, StackRow, StackShift, StackTable, TimedRow, Versus, VersusCell, VersusCount,
    VersusSuite,
};
pub use transcript::{Chat, show, show_live, show_outcome};
pub use trial::{timeline, trial_page};
