//! The report as a document: the answer first, the runs folded.

use super::happened::{foreign, happened, happened_in_process};
use super::tables::{AgentRow, Report, ScenarioRuns, Tally};
use crate::records::crash::{InProcess, Word};
use crate::records::{Kind, quoted};
use crate::report::document::{
    Block, Document, Side, Table, Text, code, folded, joined, marked, paragraph, strong,
};
use crate::report::sections::number::{counted, grouped};

/// A part of a report that can stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The summary.
    Short,
    /// Every agent, with its verdicts.
    Agents,
    /// Every run, and the same actor in process beside it.
    Runs,
    /// How it was measured.
    Command,
}

impl Section {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Short, Self::Agents, Self::Runs, Self::Command];

    /// The name that a marker in a file uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Agents => "agents",
            Self::Runs => "runs",
            Self::Command => "command",
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
            Self::Agents => "Agents",
            Self::Runs => "Runs",
            Self::Command => "How it was measured",
        }
    }

    /// The content, without the heading.
    #[must_use]
    pub fn document(self, report: &Report) -> Document {
        match self {
            Self::Short => [Block::List(short(report))].into(),
            Self::Agents => agents(report),
            Self::Runs => Document { blocks: report.scenarios.iter().map(runs).collect() },
            Self::Command => command(report),
        }
    }
}

/// The whole report.
#[must_use]
pub fn crash_report(report: &Report) -> Document {
    let heading = |level: u8, words: &str| Block::Heading { level, text: words.into() };
    let mut document = Document::from([heading(1, "Crash report")]);
    for section in Section::ALL {
        document.push(heading(2, section.heading()));
        document.blocks.extend(section.document(report).blocks);
    }
    document
}

fn short(report: &Report) -> Vec<Text> {
    let mut points = Vec::new();
    let Report { planned, played, calls: [answered, known], same_acts: [same, compared], .. } = report;
    if played < planned {
        let said = format!(": {} of {} runs have a verdict.", grouped(*played), grouped(*planned));
        points.push(strong("This record is not whole") + said);
    }
    let [stubborn, control] = [Kind::Stubborn, Kind::Control].map(|it| report.total(it));
    if stubborn.runs > 0 {
        points.push(strong(format!("Of {} with a model that balks", runs_of(&stubborn))) + words(&stubborn));
        let lies = stubborn.lies;
        if lies > 0 {
            let said = "Ended with exit code 0, without the goal and without a word";
            points.push(strong(said) + format!(": {} of {}", grouped(lies), grouped(stubborn.runs)));
        }
    }
    if control.runs > 0 {
        points.push(strong(format!("Of {} with healthy work", runs_of(&control))) + words(&control));
        let count = format!(": {} of {}", grouped(control.false_alarms), grouped(control.runs));
        let named = report.agents.iter().filter(|it| it.control.false_alarms > 0);
        let named = joined(named.map(|it| foreign(&it.name)));
        let named = if named == Text::default() { named } else { Text::from(", by ") + named };
        points.push(strong("Healthy runs with a false alarm") + count + named);
    }
    points.extend(in_process(report));
    if *answered > 0 {
        let said = format!(": {} of {}", grouped(*known), grouped(*answered));
        points.push(strong("Calls of which the world knows what came of them") + said);
    }
    if *compared > 0 {
        let said = format!(": {} of {}", grouped(*same), grouped(*compared));
        points.push(
            strong("Runs with the acts of the actor in process, up to the agent's first own word") + said,
        );
    }
    points.extend(repeats(report));
    points
}

fn runs_of(tally: &Tally) -> String {
    counted(tally.runs, "run")
}

/// The verdicts that there are.
fn words(tally: &Tally) -> Text {
    let counted = Word::ALL.into_iter().map(|it| (it, tally.count(it))).filter(|(_, count)| *count > 0);
    Text::from(": ")
        + joined(counted.map(|(word, count)| Text::from(grouped(count) + " ") + code(word.name())))
}

/// How the actors that balk end in process, stack by stack.
fn in_process(report: &Report) -> Option<Text> {
    let rows =
        || report.scenarios.iter().filter(|it| it.kind == Kind::Stubborn).flat_map(|it| &it.in_process);
    let mut stacks: Vec<&str> = Vec::new();
    rows().for_each(|it| {
        if !stacks.contains(&&*it.stack) {
            stacks.push(&it.stack);
        }
    });
    let of_stack = stacks.iter().map(|stack| {
        let all = rows().filter(|it| it.stack == *stack);
        let is_well = |it: &&InProcess| matches!(it.word, Word::Reached | Word::Told);
        Text::from(format!("{} of {} with ", all.clone().filter(is_well).count(), all.count())) + guard(stack)
    });
    let said = joined(of_stack);
    (said != Text::default()).then(|| strong("The same models in process, reached or told") + ": " + said)
}

fn guard(stack: &str) -> Text {
    if stack == "none" { "no guard".into() } else { foreign(stack) }
}

fn repeats(report: &Report) -> Option<Text> {
    let it = report.repeats.as_ref()?;
    let said = format!(
        ": {}, of which {} have the same bytes in every record and {} the same word",
        grouped(it.of),
        grouped(it.same_record),
        grouped(it.same_word),
    );
    let others = joined(it.different.iter().map(|it| foreign(it)));
    let others = if others == Text::default() { others } else { Text::from(". Other bytes: ") + others };
    Some(strong("Runs that were repeated") + said + others)
}

fn agents(report: &Report) -> Document {
    let table = |kind: Kind, name: &str, last: &str, count: fn(&Tally) -> u64| {
        let words = Word::ALL.into_iter().map(|it| code(it.name()));
        let columns = [name.into(), "runs".into()].into_iter().chain(words).chain([last.into()]);
        let mut table = Table::of_numbers::<Text>(columns);
        let mut row = |name: Text, tally: &Tally| {
            let words = Word::ALL.into_iter().map(|it| grouped(tally.count(it)).into());
            table.row(
                [name, grouped(tally.runs).into()]
                    .into_iter()
                    .chain(words)
                    .chain([grouped(count(tally)).into()]),
            );
        };
        let of_kind = || report.agents.iter().filter(|it| it.of(kind).runs > 0);
        of_kind().for_each(|it| row(named(it), it.of(kind)));
        if of_kind().count() > 1 {
            row("all".into(), &report.total(kind));
        }
        table
    };
    let with_words = table(Kind::Stubborn, "a model that balks", "with own words", |it| it.with_own_words);
    let healthy = table(Kind::Control, "healthy work", "false alarms", |it| it.false_alarms);
    let tables = [with_words, healthy].into_iter().filter(|it| !it.is_empty());
    let blocks: Vec<Block> = tables.map(Block::Table).collect();
    if blocks.is_empty() { [paragraph("No run has a verdict.")].into() } else { Document { blocks } }
}

fn named(agent: &AgentRow) -> Text {
    let version = agent.version.as_ref().map_or_else(Text::default, |it| Text::from(" ") + foreign(it));
    foreign(&agent.name) + version
}

/// The runs of a scenario, and the same actor in process below.
fn runs(scenario: &ScenarioRuns) -> Block {
    let (left, right) = (Side::Left, Side::Right);
    let mut table = Table::new([
        ("agent", left),
        ("seed", right),
        ("word", left),
        ("exit code", right),
        ("requests", right),
        ("tokens", right),
        ("seconds", right),
        ("what happened", left),
        ("step by step", left),
    ]);
    let mut tally = Tally::default();
    for run in &scenario.runs {
        let it = &run.verdict;
        *tally.words.entry(it.word).or_default() += 1;
        let is_played = it.word != Word::NotRun;
        let code_of = || it.code.map_or_else(|| "signal".to_owned(), |it| it.to_string());
        let alarm = if run.false_alarm { strong("false alarm") + "; " } else { Text::default() };
        table.row([
            foreign(&run.agent),
            foreign(&run.seed),
            code(it.word.name()),
            if is_played { code_of() } else { "–".into() }.into(),
            grouped(it.requests).into(),
            grouped(it.tokens.iter().sum()).into(),
            format!("{}.{}", it.milliseconds / 1000, it.milliseconds % 1000 / 100).into(),
            alarm + happened(it),
            foreign(&run.transcript),
        ]);
    }
    for it in &scenario.in_process {
        let command = ["scenario", &*it.scenario, "--seed", &*it.seed, "--guard", &*it.stack].map(quoted);
        table.row([
            Text::from("in process, with ") + guard(&it.stack),
            foreign(&it.seed),
            code(it.word.name()),
            "–".into(),
            it.turns.to_string().into(),
            "–".into(),
            "–".into(),
            happened_in_process(it),
            foreign(&format!("balk {}", command.join(" "))),
        ]);
    }
    let kind = match scenario.kind {
        Kind::Stubborn => " (a model that balks)",
        Kind::Control => " (healthy work)",
    };
    folded(foreign(&scenario.scenario) + kind + words(&tally), table)
}

fn command(report: &Report) -> Document {
    let mut document = Document::default();
    document.push(Block::Code { language: "console", text: report.commands.join("\n") });
    let places = if report.isolated {
        "Each run had its own network, mounts and processes."
    } else {
        "Not every run had its own network, mounts and processes."
    };
    let versions = joined(report.balk.iter().map(|it| foreign(it)));
    document.push(paragraph(
        Text::from("Played by Balk ")
            + versions
            + ". "
            + places
            + marked(
                " In each folder, `transcript.jsonl` has every step, `stdout-0.txt` what the agent printed, and \
                 `verdict.json` the reasons. The version of an agent is the one that its profile is of.",
            ),
    ));
    document
}
