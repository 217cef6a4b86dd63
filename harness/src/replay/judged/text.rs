//! Judged points as text for people: counts, shares, and the legit points near which a guard fired.

use balk_reports::report::document::Side::{Left, Right};
use balk_reports::report::document::{Document, Table, strong};

use super::{CAP, Fate, Judged, Near, Tally};
use crate::import::one_line;
use crate::replay::labels::{Label, Point};
use crate::replay::text::{WHY_CHARS, name, table};

/// The whole text.
#[must_use]
pub fn judged(it: &Judged) -> Document {
    let label = |label: Label| it.tally(|point| point.label == label);
    let mut rows = vec![counts("stuck", label(Label::Stuck))];
    for kind in it.kinds(Label::Stuck) {
        let hits = it.tally(|point| point.label == Label::Stuck && *point.kind == *kind);
        rows.push(counts(&format!("stuck  {}", name(kind)), hits));
    }
    rows.push(counts("legit", label(Label::Legit)));
    rows.push(counts("unsure", label(Label::Unsure)));
    rows.push(counts("controls", it.tally(|point| point.control)));
    let mut document = Document::default();
    let columns = ["points", "hit", "only after", "weight", "weight hit", "only after"];
    document.blocks.extend(table("judged points", &columns, rows));

    let capped = format!("  weights capped at {}", CAP.0 / 1_000);
    let mut rows = Vec::new();
    for (cap, weights) in [(None, ""), (Some(CAP), &*capped)] {
        let rates = it.rates(cap);
        for (what, rate) in [("pool recall", rates.recall), ("precision", rates.precision)] {
            let mut row = vec![format!("{what}{weights}")];
            row.extend(rate.percent());
            row.push(rate.effective_digits());
            rows.push(row);
        }
    }
    document.blocks.extend(table("weighted", &["share", "95 % from", "to", "effective n"], rows));

    let [not_in_input, at_no_reply] = it.not_replayed();
    let rows = [
        ("points of transcripts not in the input", not_in_input),
        ("points at no message of the assistant", at_no_reply),
        ("transcripts with the id of an earlier one", it.same_ids),
        ("stretches of firings near no judged point", it.stretches_not_judged),
        ("points missed because a guard ended the run before", it.missed_after_end()),
    ];
    let rows = rows.into_iter().map(|(what, n)| vec![what.to_owned(), n.to_string()]);
    document.blocks.extend(table("not judged", &["count"], rows));

    let disturbed = it.points().iter().filter(|it| it.point.label == Label::Legit);
    let mut fired = Table::new([
        (strong("legit points with a firing near"), Left),
        ("message".into(), Right),
        ("kind".into(), Left),
        ("weight".into(), Right),
        ("fired".into(), Left),
        ("distance".into(), Right),
        ("turn".into(), Right),
        ("message".into(), Right),
        ("reason".into(), Left),
    ]);
    for it in disturbed {
        if let Fate::Replayed { near, .. } = &it.fate
            && let Some(first) = near.first()
        {
            fired.row(disturbance(&it.point, first));
        }
    }
    if !fired.is_empty() {
        document.push(fired);
    }
    document
}

fn counts(what: &str, it: Tally) -> Vec<String> {
    let Tally { points, hit, followed, weight, weight_hit, weight_followed } = it;
    let numbers = [points, hit, followed].map(|it| it.to_string());
    let weights = [weight, weight_hit, weight_followed].map(|it| it.to_string());
    [what.to_owned()].into_iter().chain(numbers).chain(weights).collect()
}

/// A legit point, and the firing that counts for it. A distance above 0 is a firing after the point.
fn disturbance(point: &Point, Near { after, fired }: &Near) -> [String; 9] {
    [
        name(&point.trajectory),
        point.message.to_string(),
        name(&point.kind),
        point.weight.to_string(),
        format!("{}  {}", fired.guard, fired.rule),
        after.to_string(),
        fired.turn.to_string(),
        fired.message.to_string(),
        one_line(&point.reason, WHY_CHARS),
    ]
}
