//! A report as CSV (RFC 4180): one row per cell, with raw counts, bounds, and the shifts by parameters of the response
//! model.
//!
//! A live record has what its trials took from the model instead of other response models.
//!
//! The first line names the columns. A missing figure and its bounds are empty, and so is a shift that is 0 in every
//! draw. The open bound of a figure is `inf` or `-inf`.

use std::collections::BTreeMap;

use super::document::visible;
use super::tables::{Comparison, Figures, Report, ScenarioRow, ScenarioTable, Shift};
use crate::statistics::{BlockDifference, Median, Rate, Share};

/// A cell of a table: column and value.
type Field = (String, String);

/// The cells of a report, one per line; lines end as RFC 4180 demands.
#[must_use]
pub fn render(report: &Report) -> String {
    let shifts: BTreeMap<[&str; 3], &Shift> = report
        .sensitivity
        .cells
        .iter()
        .map(|it| ([&*it.scenario, &*it.stack, &*it.parameter], &it.shift))
        .collect();
    let mut text = String::new();
    for table in &report.scenarios {
        for row in &table.rows {
            let mut fields = fields(table, row);
            for parameter in &report.sensitivity.parameters {
                let shift = shifts.get(&[&*table.scenario, &*row.stack, &*parameter.name]);
                let done = shift.and_then(|it| it.done.as_ref());
                let disturbed = shift.map(|it| &it.false_interventions);
                fields.extend(blocks(&format!("done_by_{}", parameter.name), done));
                fields.extend(blocks(&format!("false_by_{}", parameter.name), disturbed));
            }
            if text.is_empty() {
                line(&mut text, fields.iter().map(|(name, _)| &**name));
            }
            line(&mut text, fields.iter().map(|(_, value)| &**value));
        }
    }
    text
}

fn fields(table: &ScenarioTable, row: &ScenarioRow) -> Vec<Field> {
    let it = &row.figures;
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut fields = vec![
        field("scenario", &table.scenario),
        field("suite", table.suite.name()),
        field("kind", table.kind.name()),
        field("unreachable", table.unreachable.as_deref().unwrap_or_default()),
        field("stack", &row.stack),
    ];
    fields.extend(row.counts.named().map(|(name, count)| field(name, &count.to_string())));
    if let Some(live) = &row.live {
        fields.extend(live.named().map(|(name, count)| field(&format!("live_{name}"), &count.to_string())));
        fields.push(field(
            "in_doubt",
            &(row.counts.interventions - row.counts.false_interventions).to_string(),
        ));
    }
    let has_models = row.live.is_none();
    for (name, share) in shares(it).into_iter().filter(|(name, _)| has_models || !MODELS.contains(name)) {
        fields.extend(share_fields(name, &share));
    }
    fields.extend(rate("false_on_controls", &it.false_on_controls));
    fields.extend(rate("false_on_stubborn", &it.false_on_stubborn));
    fields.extend(median("until_help", &it.until_help));
    fields.extend(median("stuck_for", &it.stuck_for));
    fields.extend(comparison(it.against.as_ref().or(it.against_on_controls.as_ref())));
    fields
}

/// Figures under other response models, which a live record does not have.
const MODELS: [&str; 2] = ["recovered_flat", "recovered_drawn"];

/// The shares whose counts are not all among the raw counts.
fn shares(it: &Figures) -> [(&'static str, Share); 11] {
    [
        ("recovered", it.recovered),
        ("recovered_flat", it.recovered_flat),
        ("recovered_drawn", it.recovered_drawn),
        ("unprompted", it.unprompted),
        ("missed", it.missed),
        ("late", it.late),
        ("told", it.told),
        ("not_told", it.not_told),
        ("healthy_done", it.healthy_done),
        ("healthy_lost", it.healthy_lost),
        ("done_twice", it.done_twice),
    ]
}

fn share_fields(name: &str, it: &Share) -> [Field; 5] {
    let [low, high] = it.bounds();
    [
        (format!("{name}_share_count"), it.count.to_string()),
        (format!("{name}_share_of"), it.of.to_string()),
        (format!("{name}_share_low"), low),
        (format!("{name}_share_high"), high),
        (format!("{name}_share_effective"), it.effective_count().to_string()),
    ]
}

fn rate(name: &str, it: &Rate) -> [Field; 3] {
    let (rate, [low, high]) = match it.per_thousand() {
        (Some(rate), bounds) => (rate, bounds),
        (None, _) => Default::default(),
    };
    named(&format!("{name}_per_thousand"), rate, low, high)
}

fn median(name: &str, it: &Median) -> [Field; 3] {
    let [median, low, high] =
        [it.median, it.low, it.high].map(|it| it.map_or_else(String::new, |it| it.to_string()));
    named(&format!("{name}_median"), median, low, high)
}

fn blocks(name: &str, it: Option<&BlockDifference>) -> [Field; 3] {
    let (difference, [low, high]) = it.map_or_else(Default::default, BlockDifference::digits);
    named(name, difference.unwrap_or_default(), low, high)
}

fn named(name: &str, value: String, low: String, high: String) -> [Field; 3] {
    [(name.to_owned(), value), (format!("{name}_low"), low), (format!("{name}_high"), high)]
}

fn comparison(it: Option<&Comparison>) -> [Field; 6] {
    let [low, high] = it.map_or_else(Default::default, |it| it.difference.bounds());
    let text = |value: fn(&Comparison) -> String| it.map_or_else(String::new, value);
    [
        ("saved".into(), text(|it| it.difference.saved.to_string())),
        ("lost".into(), text(|it| it.difference.lost.to_string())),
        ("difference_low".into(), low),
        ("difference_high".into(), high),
        ("p".into(), text(|it| it.p.digits())),
        ("p_corrected".into(), text(|it| it.p_corrected.digits())),
    ]
}

/// Appends a line with these fields. A field that a spreadsheet would compute gets an apostrophe before it, so that it
/// is shown as text (OWASP, *CSV injection*); an open bound (`-inf`) is no formula.
pub(super) fn line<'f>(text: &mut String, fields: impl Iterator<Item = &'f str>) {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            text.push(',');
        }
        let mut field = visible(field);
        if field.contains('\n') {
            field = field.replace('\n', "␊").into();
        }
        if field.starts_with(['=', '+', '-', '@', '\t']) && field.parse::<f64>().is_err() {
            field.to_mut().insert(0, '\'');
        }
        // GitHub Actions obeys a line that begins with two colons, but no quotation mark.
        if field.contains(['"', ',']) || field.starts_with("::") {
            text.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            text.push_str(&field);
        }
    }
    text.push_str("\r\n");
}
