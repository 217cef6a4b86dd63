//! Judged points as JSON lines: `stretch-not-judged` as they come; at the end one `judged-point` for each point, in
//! the order of their file, and one `judged` with the sums.
//!
//! Weights have three decimals, shares have four significant digits; both are strings, so that no reader rounds them.

use std::io::{self, Write};

use serde::Serialize;

use super::{CAP, Fate, FiredAt, Judged, Judgement, Reach, Tally, WINDOW};
use crate::replay::json::record;
use crate::replay::labels::{Label, Weight};
use crate::replay::run::Replayed;
use balk_reports::statistics::ClusteredShare;

/// Writes the first firing of a stretch that is near no judged point.
///
/// # Errors
/// Those of the writer.
pub fn stretch(out: &mut dyn Write, file: &str, line: u64, it: &Replayed, first: &FiredAt) -> io::Result<()> {
    let FiredAt { reply: _, turn, message, guard, rule, opens_stretch: _ } = first;
    let (turn, message) = (*turn, *message);
    record(out, &StretchNotJudged { file, line, id: &it.id, turn, message, guard, rule })
}

/// Writes all points and the sums.
///
/// # Errors
/// Those of the writer.
pub fn judged(out: &mut dyn Write, it: &Judged) -> io::Result<()> {
    for judgement in it.points() {
        record(out, &point(judgement))?;
    }
    let [not_in_input, at_no_reply] = it.not_replayed();
    record(
        out,
        &JudgedSums {
            window: WINDOW,
            uncapped: Rates::from(it.rates(None)),
            cap: CAP,
            capped: Rates::from(it.rates(Some(CAP))),
            stuck: Sums::new(None, it.tally(|it| it.label == Label::Stuck)),
            legit: Sums::new(None, it.tally(|it| it.label == Label::Legit)),
            unsure: Sums::new(None, it.tally(|it| it.label == Label::Unsure)),
            controls: Sums::new(None, it.tally(|it| it.control)),
            stuck_kinds: it
                .kinds(Label::Stuck)
                .into_iter()
                .map(|kind| {
                    Sums::new(Some(kind), it.tally(|it| it.label == Label::Stuck && *it.kind == *kind))
                })
                .collect(),
            not_in_input,
            at_no_reply,
            same_ids: it.same_ids,
            stretches_not_judged: it.stretches_not_judged,
            missed_after_end: it.missed_after_end(),
        },
    )
}

fn point(judgement: &Judgement) -> JudgedPoint<'_> {
    let Judgement { point, fate } = judgement;
    let near = match fate {
        Fate::NoTranscript | Fate::NoReply => &[][..],
        Fate::Replayed { near, .. } => near,
    };
    let found = match (fate, judgement.reach()) {
        (Fate::NoReply, _) => "at-no-reply",
        (Fate::NoTranscript, _) | (_, None) => "not-in-input",
        (_, Some(Reach::Hit)) => "hit",
        (_, Some(Reach::Followed)) => "followed",
        (_, Some(Reach::Missed)) => "missed",
    };
    JudgedPoint {
        id: &point.trajectory,
        message: point.message,
        label: point.label,
        kind: &point.kind,
        onset: point.onset,
        confidence: point.confidence,
        control: point.control,
        weight: point.weight,
        reason: &point.reason,
        found,
        firings: near
            .iter()
            .map(|it| Firing {
                after: it.after,
                turn: it.fired.turn,
                message: it.fired.message,
                guard: &it.fired.guard,
                rule: &it.fired.rule,
            })
            .collect(),
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "stretch-not-judged")]
struct StretchNotJudged<'a> {
    file: &'a str,
    line: u64,
    id: &'a str,
    turn: u64,
    message: usize,
    guard: &'a str,
    rule: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "judged-point")]
struct JudgedPoint<'a> {
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
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "judged")]
struct JudgedSums<'a> {
    window: usize,
    uncapped: Rates,
    cap: Weight,
    capped: Rates,
    stuck: Sums<'a>,
    legit: Sums<'a>,
    unsure: Sums<'a>,
    controls: Sums<'a>,
    stuck_kinds: Vec<Sums<'a>>,
    not_in_input: u64,
    at_no_reply: u64,
    same_ids: u64,
    stretches_not_judged: u64,
    missed_after_end: u64,
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
    recall: Rate,
    precision: Rate,
}

impl From<super::Rates> for Rates {
    fn from(it: super::Rates) -> Self {
        Self { recall: it.recall.into(), precision: it.precision.into() }
    }
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
struct Sums<'a> {
    /// A kind of being stuck; none for the sums of a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    points: u64,
    hit: u64,
    followed: u64,
    weight: Weight,
    weight_hit: Weight,
    weight_followed: Weight,
}

impl<'a> Sums<'a> {
    const fn new(kind: Option<&'a str>, it: Tally) -> Self {
        let Tally { points, hit, followed, weight, weight_hit, weight_followed } = it;
        Self { kind, points, hit, followed, weight, weight_hit, weight_followed }
    }
}
