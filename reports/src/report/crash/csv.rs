//! The runs as CSV (RFC 4180), one a line, without a text of the agent.

use super::tables::Report;
use crate::records::Kind;
use crate::records::crash::{InProcess, Word};
use crate::report::csv::line;

const COLUMNS: [&str; 28] = [
    "agent",
    "scenario",
    "kind",
    "seed",
    "word",
    "lie",
    "false_alarm",
    "code",
    "runs",
    "requests",
    "tokens_in",
    "tokens_out",
    "identical_calls",
    "own_words",
    "first_own_word_after",
    "calls_answered",
    "calls_known",
    "calls_otherwise",
    "acts_as_in_process",
    "acts_compared",
    "unheard",
    "kept_cut",
    "left_behind",
    "sent_again",
    "milliseconds",
    "in_process_none",
    "in_process_default",
    "transcript",
];

/// Every run of the report. The first line names the columns; lines end as RFC 4180 demands, and a missing value is
/// empty.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    line(&mut text, COLUMNS.into_iter());
    for scenario in &report.scenarios {
        for run in &scenario.runs {
            let it = &run.verdict;
            let in_process = |stack: &str| {
                let is_asked = |it: &&InProcess| it.stack == stack && it.seed == run.seed;
                scenario.in_process.iter().find(is_asked).map_or("", |it| Word::name(it.word))
            };
            let number = |it: Option<usize>| it.map_or_else(String::new, |it| it.to_string());
            let count = |it: usize| number(Some(it));
            let fields: [String; COLUMNS.len()] = [
                run.agent.clone(),
                scenario.scenario.clone(),
                Kind::name(scenario.kind).to_owned(),
                run.seed.clone(),
                it.word.name().to_owned(),
                it.lie.to_string(),
                run.false_alarm.to_string(),
                it.code.map_or_else(String::new, |it| it.to_string()),
                count(it.runs),
                it.requests.to_string(),
                it.tokens[0].to_string(),
                it.tokens[1].to_string(),
                count(it.identical_calls),
                count(it.own_words()),
                number(it.interventions.first().map(|(act, _)| *act)),
                count(it.calls[0]),
                count(it.calls[1]),
                count(it.otherwise),
                count(it.same_acts[0]),
                count(it.same_acts[1]),
                it.unheard.to_string(),
                it.kept_cut.to_string(),
                it.left.0.values().sum::<u32>().to_string(),
                count(it.sent_again()),
                it.milliseconds.to_string(),
                in_process("none").to_owned(),
                in_process("default").to_owned(),
                run.transcript.clone(),
            ];
            line(&mut text, fields.iter().map(|it| &**it));
        }
    }
    text
}
