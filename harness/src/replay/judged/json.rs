//! Judged points as JSON lines: `stretch-not-judged` as they come; at the end one `judged-point` for each, in the
//! order of their file, and one `judged` with the sums.
//!
//! Weights have three decimals, shares four significant digits; both are strings, so that no reader rounds them.

use std::io::{self, Write};

use serde::Serialize;

use super::{CUT, Found, Hits, Judged, Judgement, NEAR, Shot};
use crate::replay::labels::{Label, Weight};
use crate::replay::run::Replayed;
use crate::stats::ClusteredShare;

/// A stretch of firings near no judged point, by its first firing.
///
/// # Errors
/// Those of the writer.
pub fn stretch(out: &mut dyn Write, file: &str, line: u64, it: &Replayed, first: &Shot) -> io::Result<()> {
    let Shot { turn, message, guard, rule } = first;
    let (turn, message) = (*turn, *message);
    record(out, &Record::StretchNotJudged { file, line, id: &it.id, turn, message, guard, rule })
}

/// All points, and the sums.
///
/// # Errors
/// Those of the writer.
pub fn judged(out: &mut dyn Write, it: &Judged) -> io::Result<()> {
    for judgement in it.points() {
        record(out, &point(judgement))?;
    }
    let [not_in_input, at_no_reply] = it.not_replayed();
    let rates = |weights: &'static str, cut| {
        let rates = it.rates(cut);
        Rates { weights, recall: Rate::from(rates.recall), precision: Rate::from(rates.precision) }
    };
    record(
        out,
        &Record::Judged {
            near: NEAR,
            rates: [rates("whole", None), rates("cut", Some(CUT))],
            cut: CUT,
            stuck: Sums::from(it.hits(|it| it.label == Label::Stuck)),
            legit: Sums::from(it.hits(|it| it.label == Label::Legit)),
            unsure: Sums::from(it.hits(|it| it.label == Label::Unsure)),
            controls: Sums::from(it.hits(|it| it.control)),
            stuck_kinds: it
                .kinds(Label::Stuck)
                .into_iter()
                .map(|kind| Kind {
                    kind,
                    sums: Sums::from(it.hits(|it| it.label == Label::Stuck && *it.kind == *kind)),
                })
                .collect(),
            not_in_input,
            at_no_reply,
            same_ids: it.same_ids,
            stretches_not_judged: it.stretches_not_judged,
        },
    )
}

fn point(Judgement { point, found }: &Judgement) -> Record<'_> {
    let firings = match found {
        Found::NoTranscript | Found::NoReply => &[][..],
        Found::Firings(firings) => firings,
    };
    Record::JudgedPoint {
        id: &point.trajectory,
        message: point.message,
        label: point.label,
        kind: &point.kind,
        onset: point.onset,
        confidence: point.confidence,
        control: point.control,
        weight: point.weight,
        reason: &point.reason,
        found: match found {
            Found::NoTranscript => "not-in-input",
            Found::NoReply => "at-no-reply",
            Found::Firings(firings) if firings.is_empty() => "missed",
            Found::Firings(_) => "hit",
        },
        firings: firings
            .iter()
            .map(|near| Firing {
                after: near.after,
                turn: near.shot.turn,
                message: near.shot.message,
                guard: &near.shot.guard,
                rule: &near.shot.rule,
            })
            .collect(),
    }
}

fn record(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Record<'a> {
    StretchNotJudged {
        file: &'a str,
        line: u64,
        id: &'a str,
        turn: u64,
        message: usize,
        guard: &'a str,
        rule: &'a str,
    },
    JudgedPoint {
        id: &'a str,
        message: usize,
        label: Label,
        kind: &'a str,
        onset: Option<usize>,
        confidence: u8,
        control: bool,
        weight: Weight,
        reason: &'a str,
        found: &'a str,
        firings: Vec<Firing<'a>>,
    },
    Judged {
        near: usize,
        rates: [Rates; 2],
        cut: Weight,
        stuck: Sums,
        legit: Sums,
        unsure: Sums,
        controls: Sums,
        stuck_kinds: Vec<Kind<'a>>,
        not_in_input: u64,
        at_no_reply: u64,
        same_ids: u64,
        stretches_not_judged: u64,
    },
}

#[derive(Serialize)]
struct Firing<'a> {
    after: isize,
    turn: u64,
    message: usize,
    guard: &'a str,
    rule: &'a str,
}

#[derive(Serialize)]
struct Rates {
    weights: &'static str,
    recall: Rate,
    precision: Rate,
}

#[derive(Serialize)]
struct Rate {
    share: Option<String>,
    low: String,
    high: String,
    effective_n: String,
}

impl From<ClusteredShare> for Rate {
    fn from(it: ClusteredShare) -> Self {
        let (share, [low, high]) = it.digits();
        Self { share, low, high, effective_n: it.effective_digits() }
    }
}

#[derive(Serialize)]
struct Sums {
    points: u64,
    hit: u64,
    weight: Weight,
    weight_hit: Weight,
}

impl From<Hits> for Sums {
    fn from(Hits { points, hit, weight, weight_hit }: Hits) -> Self {
        Self { points, hit, weight, weight_hit }
    }
}

#[derive(Serialize)]
struct Kind<'a> {
    kind: &'a str,
    #[serde(flatten)]
    sums: Sums,
}
