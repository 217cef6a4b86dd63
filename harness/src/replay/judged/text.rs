//! Judged points as text for people: counts, shares, and the legit points that were hit.

use std::io::{self, Write};

use super::{CAP, Fate, Hit, Judged, Tally};
use crate::replay::labels::{Label, Point};
use crate::replay::one_line;
use crate::replay::text::{WHY_CHARS, heading, name, table};

/// All of it.
///
/// # Errors
/// Those of the writer.
pub fn judged(out: &mut dyn Write, it: &Judged) -> io::Result<()> {
    let label = |label: Label| it.tally(|point| point.label == label);
    let mut rows = vec![counts("stuck", label(Label::Stuck))];
    for kind in it.kinds(Label::Stuck) {
        let hits = it.tally(|point| point.label == Label::Stuck && *point.kind == *kind);
        rows.push(counts(&format!("stuck  {}", name(kind)), hits));
    }
    rows.push(counts("legit", label(Label::Legit)));
    rows.push(counts("unsure", label(Label::Unsure)));
    rows.push(counts("controls", it.tally(|point| point.control)));
    table(out, "judged points", &["points", "hit", "weight", "weight hit"], rows)?;

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
    table(out, "weighted", &["share", "95 % from", "to", "effective n"], rows)?;

    let [not_in_input, at_no_reply] = it.not_replayed();
    let rows = [
        ("points of transcripts not in the input", not_in_input),
        ("points at no message of the assistant", at_no_reply),
        ("transcripts with the id of an earlier one", it.same_ids),
        ("stretches of firings near no judged point", it.stretches_not_judged),
    ];
    let rows = rows.into_iter().map(|(what, n)| vec![what.to_owned(), n.to_string()]);
    table(out, "not judged", &["count"], rows)?;

    let disturbed = it.points().iter().filter(|it| it.point.label == Label::Legit);
    let mut disturbed = disturbed
        .filter_map(|it| match &it.fate {
            Fate::Replayed(hits) => Some((&it.point, hits.first()?)),
            Fate::NoTranscript | Fate::NoReply => None,
        })
        .peekable();
    if disturbed.peek().is_some() {
        heading(out, "legit points that were hit")?;
        for (point, nearest) in disturbed {
            writeln!(out, "  {}", disturbance(point, nearest))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn counts(what: &str, Tally { points, hit, weight, weight_hit }: Tally) -> Vec<String> {
    vec![what.into(), points.to_string(), hit.to_string(), weight.to_string(), weight_hit.to_string()]
}

/// A legit point, and the nearest firing.
fn disturbance(point: &Point, Hit { after: _, fired }: &Hit) -> String {
    let (id, kind, reason) = (name(&point.trajectory), name(&point.kind), one_line(&point.reason, WHY_CHARS));
    format!(
        "{id}  message {}  {kind}  weight {}  hit by {}  {}  turn {}  message {}  {reason}",
        point.message, point.weight, fired.guard, fired.rule, fired.turn, fired.message
    )
}
