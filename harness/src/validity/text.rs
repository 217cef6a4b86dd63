//! The comparison as text for people and as JSON for programs.

use balk_reports::report::document::{Document, Table, paragraph};
use balk_reports::statistics::ClusteredShare;
use serde_json::{Value, json};

use super::Kinds;
use super::compared::{Comparison, StackFigures};

/// The whole text.
#[must_use]
pub fn validity(it: &Comparison) -> Document {
    let mut document = Document::default();
    document.push(detection(it));
    document.push(paragraph(agreement(it)));
    document.push(by_kind(it));
    document.push(disturbance(it));
    document.push(paragraph(without_counterpart(it)));
    document
}

/// One JSON object.
#[must_use]
pub fn json(it: &Comparison) -> Value {
    let share = |it: &ClusteredShare| {
        let (share, bounds) = it.digits();
        json!({"share": share, "ci95": bounds, "effective_n": it.effective_digits()})
    };
    let (tau, bounds) = it.tau().digits();
    let stacks = it.stacks.iter().map(|row| {
        let kinds = row.by_kind.iter().map(|(kind, [simulated, recorded])| {
            (kind.to_string(), json!({"simulated": share(simulated), "recorded": share(recorded)}))
        });
        json!({
            "stack": row.stack,
            "simulated": format!("{:.4}", row.all.simulated),
            "recorded": share(&row.all.recorded),
            "precision": share(&row.precision),
            "kinds": kinds.collect::<serde_json::Map<_, _>>(),
            "simulated_stretches": row.simulated_stretches,
            "recorded_stretches": row.recorded_stretches,
        })
    });
    json!({
        "stacks": stacks.collect::<Vec<_>>(),
        "mean_absolute_difference": it.mean_difference().map(|it| format!("{it:.4}")),
        "tau": {"tau": tau, "ci95": bounds},
        "weight": it.kinds.values().chain(it.without_counterpart.values()).sum::<u64>(),
        "without_counterpart": it.without_counterpart.keys().collect::<Vec<_>>(),
        "share_without_counterpart": format!("{:.4}", share_without(it)),
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn with_bounds(share: &ClusteredShare) -> String {
    let [share, low, high] = share.percent();
    format!("{share} ({low}–{high})")
}

fn detection(it: &Comparison) -> Table {
    let columns =
        ["stack", "simulated", "recorded (95 %)", "effective n", "difference", "recorded precision (95 %)"];
    let mut table = Table { title: "detection of stuck points".into(), ..Table::of_numbers(columns) };
    for StackFigures { stack, all, precision, .. } in &it.stacks {
        let difference = all.recorded.share.map(|recorded| 100.0 * (all.simulated - recorded));
        table.row([
            stack.clone(),
            percent(all.simulated),
            with_bounds(&all.recorded),
            all.recorded.effective_digits(),
            difference.map_or_else(|| "–".into(), |points| format!("{points:+.1}")),
            with_bounds(precision),
        ]);
    }
    table
}

fn agreement(it: &Comparison) -> String {
    let tau = it.tau();
    let tau_text = tau.tau.map_or_else(
        || "not defined, since one side does not tell the stacks apart".into(),
        |value| format!("{value:.2} (95 %: {:.2} to {:.2})", tau.low, tau.high),
    );
    let mean = it.mean_difference().map_or_else(|| "–".into(), |mean| format!("{:.1}", 100.0 * mean));
    format!(
        "Mean absolute difference over the stacks: {mean} points. Kendall's tau of their order: {tau_text}."
    )
}

/// Where the two sides part: each kind, with the stacks' mean difference.
fn by_kind(it: &Comparison) -> Table {
    let columns: Vec<String> = std::iter::once("kind".to_owned())
        .chain(["weight".to_owned()])
        .chain(it.stacks.iter().map(|row| row.stack.clone()))
        .collect();
    let mut table = Table {
        title: "simulated and recorded detection by kind, in percent".into(),
        ..Table::of_numbers(columns)
    };
    let all: u64 = it.kinds.values().chain(it.without_counterpart.values()).sum();
    for (kind, weight) in &it.kinds {
        let whole = |share: &ClusteredShare| {
            share.share.map_or_else(|| "–".to_owned(), |share| format!("{:.0}", 100.0 * share))
        };
        let cells = it.stacks.iter().map(|row| {
            let [simulated, recorded] = &row.by_kind[kind];
            format!("{} / {}", whole(simulated), whole(recorded))
        });
        let weight = if all == 0 { 0.0 } else { *weight as f64 / all as f64 };
        table.row([kind.to_string(), percent(weight)].into_iter().chain(cells));
    }
    table
}

fn disturbance(it: &Comparison) -> Table {
    let columns = ["stack", "healthy simulated runs", "resolved recorded runs"];
    let mut table =
        Table { title: "stretches of firings per 1,000 turns".into(), ..Table::of_numbers(columns) };
    for row in &it.stacks {
        let rate = |[stretches, turns]: [u64; 2]| {
            if turns == 0 {
                "–".to_owned()
            } else {
                format!("{:.2}", 1_000.0 * stretches as f64 / turns as f64)
            }
        };
        table.row([row.stack.clone(), rate(row.simulated_stretches), rate(row.recorded_stretches)]);
    }
    table
}

fn without_counterpart(it: &Comparison) -> String {
    if it.without_counterpart.is_empty() && it.kinds.is_empty() {
        return "No stuck point was replayed, so no kind is compared.".into();
    }
    if it.without_counterpart.is_empty() {
        return "Every recorded kind has a counterpart in the simulation.".into();
    }
    let names: Vec<&str> = it.without_counterpart.keys().map(|kind| &**kind).collect();
    format!(
        "{} of the recorded weight is of kinds that the simulation does not have: {}.",
        percent(share_without(it)),
        names.join(", ")
    )
}

/// The share of the recorded weight without a counterpart, from 0 to 1.
fn share_without(it: &Comparison) -> f64 {
    let sum = |kinds: &Kinds| kinds.values().sum::<u64>();
    let (without, with) = (sum(&it.without_counterpart), sum(&it.kinds));
    if without + with == 0 { 0.0 } else { without as f64 / (without + with) as f64 }
}
