//! The report of a bench as a document: the answer first, long tables folded.

mod compared;
mod disturbed;
mod found;
mod head;
mod live;
mod model;
pub(super) mod number;
mod scenarios;
pub(super) mod stacks;
pub(super) mod suites;

use super::document::{Block, Document, marked, paragraph};
use super::tables::{LiveTable, Report};

pub(super) use head::can_be_sure;

/// A part of a report that can stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The summary.
    Short,
    /// How a real model did; only in the report of a live record.
    Live,
    /// Every stack, with the main figures.
    Stacks,
    /// Which stack is ahead of which.
    Ranking,
    /// Where another stack is better than `default`.
    Default,
    /// How stuck runs recover.
    Runs,
    /// How often a stack disturbs healthy turns.
    Healthy,
    /// Recovery under other response models.
    Models,
    /// Interventions in healthy turns, by control, language and rule.
    FalseInterventions,
    /// What the uncertain parameters do.
    Sensitivity,
    /// What should not happen in any trial.
    Lapses,
    /// The cost of a turn.
    Cost,
    /// Every scenario.
    Scenarios,
    /// How the bench was measured.
    Command,
    /// What a bench does not show.
    Limits,
}

impl Section {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 15] = [
        Self::Short,
        Self::Live,
        Self::Stacks,
        Self::Ranking,
        Self::Default,
        Self::Runs,
        Self::Healthy,
        Self::Models,
        Self::FalseInterventions,
        Self::Sensitivity,
        Self::Lapses,
        Self::Cost,
        Self::Scenarios,
        Self::Command,
        Self::Limits,
    ];

    /// The name that a marker in a file uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Live => "live",
            Self::Stacks => "stacks",
            Self::Ranking => "ranking",
            Self::Default => "default",
            Self::Runs => "runs",
            Self::Healthy => "healthy",
            Self::Models => "models",
            Self::FalseInterventions => "false-interventions",
            Self::Sensitivity => "sensitivity",
            Self::Lapses => "lapses",
            Self::Cost => "cost",
            Self::Scenarios => "scenarios",
            Self::Command => "command",
            Self::Limits => "limits",
        }
    }

    /// The section of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::Short => "In short",
            Self::Live => "The real model",
            Self::Stacks => "Stacks",
            Self::Ranking => "Ranking",
            Self::Default => "Better than `default`",
            Self::Runs => "Stuck runs",
            Self::Healthy => "Healthy turns and safety",
            Self::Models => "Other response models",
            Self::FalseInterventions => "False interventions",
            Self::Sensitivity => "Sensitivity",
            Self::Lapses => "Lapses",
            Self::Cost => "Cost of a turn",
            Self::Scenarios => "Scenarios",
            Self::Command => "How it was measured",
            Self::Limits => "What this does not show",
        }
    }

    /// Whether a report to read has it. That of a bench has what one reads in five minutes. A live record has no
    /// scripted actor and no response model, so it leaves out what is about them; its tables of the stacks are in
    /// [`Self::Live`]. One of messages alone has no trial, so it has nothing else.
    fn is_shown(self, report: &Report) -> bool {
        let is_live = report.live.is_some();
        if report.live.as_ref().is_some_and(|it| it.asked.messages) {
            return self == Self::Live;
        }
        match self {
            Self::Short | Self::Lapses | Self::Command | Self::Limits => true,
            Self::Live => is_live,
            Self::Cost => is_live && !report.expense.is_empty(),
            Self::Stacks | Self::Ranking => !is_live,
            Self::Default
            | Self::Runs
            | Self::Healthy
            | Self::Models
            | Self::FalseInterventions
            | Self::Sensitivity
            | Self::Scenarios => false,
        }
    }

    /// The content, without the heading. A part that the record does not have says so.
    #[must_use]
    pub fn document(self, report: &Report) -> Document {
        match &report.live {
            Some(live) => self.of_live(report, live),
            None => self.of_simulated(report),
        }
    }

    fn of_live(self, report: &Report, live: &LiveTable) -> Document {
        match self {
            Self::Short => head::short_of_live(report, live),
            Self::Live => live::live(live),
            Self::Stacks => live::stacks(live),
            Self::Lapses => found::lapses(report),
            Self::Cost => found::cost(report),
            Self::Command => head::command_of_live(report, live),
            Self::Limits => head::limits(report),
            Self::Ranking
            | Self::Default
            | Self::Runs
            | Self::Healthy
            | Self::Models
            | Self::FalseInterventions
            | Self::Sensitivity
            | Self::Scenarios => [paragraph(
                "This part is about scripted actors and their response model. In this record, a real model took their \
                 place.",
            )]
            .into(),
        }
    }

    fn of_simulated(self, report: &Report) -> Document {
        match self {
            Self::Short => head::short(report),
            Self::Live => [paragraph("No real model took part in this record.")].into(),
            Self::Stacks => stacks::stacks(report),
            Self::Ranking => compared::ranking(report),
            Self::Default => compared::default(report),
            Self::Runs => stacks::runs(report),
            Self::Healthy => stacks::healthy(report),
            Self::Models => model::models(report),
            Self::FalseInterventions => disturbed::false_interventions(report),
            Self::Sensitivity => model::sensitivity(report),
            Self::Lapses => found::lapses(report),
            Self::Cost => found::cost(report),
            Self::Scenarios => scenarios::scenarios(report),
            Self::Command => head::command(report),
            Self::Limits => head::limits(report),
        }
    }
}

/// The report to read, and which formats have the rest.
#[must_use]
pub fn bench_report(report: &Report) -> Document {
    let heading = |level: u8, words: &str| Block::Heading { level, text: marked(words) };
    let mut document = Document::from([heading(1, "Bench report")]);
    let is_live = report.live.is_some();
    if !is_live {
        document.push(paragraph(marked(
            "This is what one reads in five minutes. `balk report DIR --format html` is a page with figures, every \
             scenario under every stack, and what each failure looks like. `json` and `csv` have every number.",
        )));
    }
    for section in Section::ALL.into_iter().filter(|it| it.is_shown(report)) {
        document.push(heading(2, section.heading()));
        let is_short = section == Section::Lapses && !is_live;
        let content = if is_short { found::serious_lapses(report) } else { section.document(report) };
        document.blocks.extend(content.blocks);
    }
    document
}
