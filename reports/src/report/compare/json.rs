//! A comparison as JSON.

use serde_json::{Value, json};

use super::comparison::{Compared, Comparison};
use crate::statistics::PValue;

/// All cells that both records have.
///
/// Each figure has `before` and `after` as people read them. `change`, its `bounds` and `p` are text with four
/// significant digits: differences of shares from −1 to 1, and of rates per 1,000 turns. `p` is corrected for all
/// cells. `paired` says whether the trials were compared as pairs. A figure without meaning in a cell is null.
#[must_use]
pub fn comparison_as_json(comparison: &Comparison) -> Value {
    let share = |it: &Option<Compared>| it.as_ref().map(|it| figure(it, it.change.digits()));
    let rate = |it: &Option<Compared>| it.as_ref().map(|it| figure(it, it.change.per_thousand()));
    let cells: Vec<Value> = comparison
        .cells
        .iter()
        .map(|cell| {
            json!({
                "scenario": cell.scenario,
                "stack": cell.stack,
                "recovery": share(&cell.recovery),
                "done": share(&cell.done),
                "false_per_1000_healthy_turns": rate(&cell.false_rate),
            })
        })
        .collect();
    json!({ "notes": comparison.notes, "only": comparison.only, "cells": cells })
}

fn figure(it: &Compared, [value, low, high]: [String; 3]) -> Value {
    let Compared { before, after, is_paired, p, .. } = it;
    json!({
        "before": before,
        "after": after,
        "change": value,
        "bounds": [low, high],
        "p": p.map(|p| PValue(p).digits()),
        "paired": is_paired,
    })
}
