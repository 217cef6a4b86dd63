//! The report of a bench as people read it: what answers the question first, what is long folded away.

mod compared;
mod disturbed;
mod found;
mod head;
mod model;
mod number;
mod scenarios;
mod stacks;

use super::document::{Block, Document, marked};
use super::tables::Report;

/// A part of a report that can stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The answer in a few lines.
    Short,
    /// Every stack, with what matters most.
    Stacks,
    /// Which stack is surely before which.
    Ranking,
    /// Where another stack is better than `default`.
    Default,
    /// How stuck runs come back.
    Runs,
    /// Whom a stack disturbs.
    Healthy,
    /// The same under other response models.
    Models,
    /// Interventions in healthy turns, by shape, language and rule.
    FalseInterventions,
    /// What the uncertain numbers do.
    Sensitivity,
    /// What should not happen.
    Slips,
    /// What a turn costs.
    Cost,
    /// Every scenario.
    Scenarios,
    /// How it was measured.
    Command,
    /// What this does not show.
    Limits,
}

impl Section {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 14] = [
        Self::Short,
        Self::Stacks,
        Self::Ranking,
        Self::Default,
        Self::Runs,
        Self::Healthy,
        Self::Models,
        Self::FalseInterventions,
        Self::Sensitivity,
        Self::Slips,
        Self::Cost,
        Self::Scenarios,
        Self::Command,
        Self::Limits,
    ];

    /// What a marker in a file calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Stacks => "stacks",
            Self::Ranking => "ranking",
            Self::Default => "default",
            Self::Runs => "runs",
            Self::Healthy => "healthy",
            Self::Models => "models",
            Self::FalseInterventions => "false-interventions",
            Self::Sensitivity => "sensitivity",
            Self::Slips => "slips",
            Self::Cost => "cost",
            Self::Scenarios => "scenarios",
            Self::Command => "command",
            Self::Limits => "limits",
        }
    }

    /// The section that is called so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::Short => "In short",
            Self::Stacks => "Stacks",
            Self::Ranking => "Ranking",
            Self::Default => "Better than `default`",
            Self::Runs => "Stuck runs",
            Self::Healthy => "Healthy turns and safety",
            Self::Models => "Other response models",
            Self::FalseInterventions => "False interventions",
            Self::Sensitivity => "Sensitivity",
            Self::Slips => "Slips",
            Self::Cost => "Cost of a turn",
            Self::Scenarios => "Scenarios",
            Self::Command => "How it was measured",
            Self::Limits => "What this does not show",
        }
    }

    /// What it says, without its heading.
    #[must_use]
    pub fn document(self, report: &Report) -> Document {
        match self {
            Self::Short => head::short(report),
            Self::Stacks => stacks::stacks(report),
            Self::Ranking => compared::ranking(report),
            Self::Default => compared::default(report),
            Self::Runs => stacks::runs(report),
            Self::Healthy => stacks::healthy(report),
            Self::Models => model::models(report),
            Self::FalseInterventions => disturbed::false_interventions(report),
            Self::Sensitivity => model::sensitivity(report),
            Self::Slips => found::slips(report),
            Self::Cost => found::cost(report),
            Self::Scenarios => scenarios::scenarios(report),
            Self::Command => head::command(report),
            Self::Limits => head::limits(report),
        }
    }
}

/// The whole report.
#[must_use]
pub fn bench_report(report: &Report) -> Document {
    let heading = |level: u8, words: &str| Block::Heading { level, text: marked(words) };
    let mut document = Document::from([heading(1, "Bench report")]);
    for section in Section::ALL {
        document.push(heading(2, section.heading()));
        document.blocks.extend(section.document(report).blocks);
    }
    document
}
