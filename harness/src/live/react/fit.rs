//! Numbers of the response model from measured reactions.
//!
//! The response model has more numbers than this measurement can tell apart, so the fit is plain:
//!
//! | number | from |
//! |---|---|
//! | profile | that whose first base is nearest; numbers without a row here stay its own |
//! | base, 1st and 2nd | the share that is moved by the message of `default` (or the first stack), and by the same again |
//! | base, 3rd and 4th | not measured: each falls as the second from the first, and may be anything below the second |
//! | cause, form, options, shows | 0: what that message says is in its base already |
//! | names | 1,000, for the same reason |
//! | empty | the share that `Proceed.` moves, over that of the first message |
//! | finds | of those whom `Proceed.` or no message moves, the share that serves the task |
//! | named | of the calls after a message that names a tool, the share that is of that tool |
//!
//! A model is moved if it calls a tool, other than with a call that moved nothing before. Shares without a sample are
//! not fitted. Ranges are the 95 % intervals over worlds; that of `empty` is from the lowest share over the highest to
//! the highest over the lowest.

#![expect(clippy::float_arithmetic, reason = "bounds of shares; the numbers of a file are whole")]

use balk_reports::records::{ReactionCounts, Reactions};
use balk_reports::statistics::{Cluster, Share};
use balk_scenarios::reactions::Measured;
use balk_scenarios::response::Span;
use balk_scenarios::scenario::Profile;

use crate::guards::{DEFAULT, NONE};

/// The numbers that fit these reactions. None if the message that they rest on was never sampled.
#[must_use]
pub fn fit(record: &Reactions) -> Option<Measured> {
    let stack = record.messages().into_iter().map(|(message, _)| message);
    let stacks: Vec<&str> = stack.filter(|it| ![NONE, Reactions::PROCEED].contains(it)).collect();
    let stack = stacks.iter().find(|it| **it == DEFAULT).or(stacks.first())?;
    let moved = |it: &ReactionCounts| [it.moved, it.samples];
    let first = share(record, &[(stack, false)], moved)?;
    let second = share(record, &[(stack, true)], moved);
    let option = if record.scripted { "--messages" } else { "--react" };
    let measured =
        format!("balk live {option}: {} trials, samples of a message: {}", record.trials, record.samples);
    let mut fitted = Measured::new(&record.model, &measured, nearest(first.value()));
    if let Some(second) = second {
        fitted.base = Some(base(first, second));
    }
    for name in ["cause", "form", "options", "shows"] {
        fitted.set(name, Span::new(0, 0, 0));
    }
    fitted.set("names", Span::new(1_000, 1_000, 1_000));
    let proceed = (Reactions::PROCEED, false);
    if let Some(empty) = share(record, &[proceed], moved).and_then(|it| over(it, first)) {
        fitted.set("empty", empty);
    }
    if let Some(finds) = share(record, &[(NONE, false), proceed], |it| [it.serves, it.moved]) {
        fitted.set("finds", finds);
    }
    if let Some(named) = share(record, &record.messages(), |it| [it.named_called, it.named]) {
        fitted.set("named", named);
    }
    Some(fitted)
}

/// The share over these messages, clustered by world; none without samples.
fn share(
    record: &Reactions,
    messages: &[(&str, bool)],
    count: impl Fn(&ReactionCounts) -> [u64; 2],
) -> Option<Span> {
    let clusters = record.by_world(messages).into_iter().map(|it| count(&it));
    let clusters: Vec<Cluster> = clusters.map(|[count, of]| Cluster { count, of }).collect();
    let share = Share::of_clusters(&clusters);
    let value = thousandths(share.count as f64 / (share.of.max(1)) as f64);
    (share.of > 0)
        .then(|| Span::new(thousandths(share.low).min(value), value, thousandths(share.high).max(value)))
}

/// The four rows; each number is at most the one before it.
fn base(first: Span, second: Span) -> [Span; 4] {
    let next = |it: u32| it * second.value().min(first.value()) / first.value().max(1);
    let third = next(second.value());
    let later = |value| Span::new(0, value, second.high().max(value));
    [first, second, later(third), later(next(third))]
}

/// A share of a share; none where the whole is nothing.
fn over(part: Span, whole: Span) -> Option<Span> {
    let ratio = |part: u32, whole: u32| match (part * 1_000).checked_div(whole) {
        None => 1_000,
        Some(ratio) => ratio.min(1_000),
    };
    let value = (whole.value() > 0).then(|| ratio(part.value(), whole.value()))?;
    Some(Span::new(
        ratio(part.low(), whole.high()).min(value),
        value,
        ratio(part.high(), whole.low()).max(value),
    ))
}

/// The profile whose first base is nearest: 410, 650, 760 and 900, divided at the midpoints.
fn nearest(first: u32) -> Profile {
    match first {
        0..530 => Profile::Weak,
        530..705 => Profile::Gpt35,
        705..830 => Profile::Gpt4o,
        830.. => Profile::Strong,
    }
}

fn thousandths(share: f64) -> u32 {
    (share * 1_000.0).round() as u32
}

#[cfg(test)]
mod tests {
    use balk_reports::records::{REACTIONS_SCHEMA, ReactionRow};
    use balk_scenarios::reactions::write;
    use balk_scenarios::{Stuck, Truth};

    use super::*;

    fn row(message: &str, again: bool, [samples, moved, serves]: [u64; 3]) -> ReactionRow {
        let counts = ReactionCounts {
            places: samples,
            samples,
            calls: moved,
            moved,
            serves,
            ..ReactionCounts::default()
        };
        let (message, world) = (message.to_owned(), "w".to_owned());
        ReactionRow { message, again, rule: None, world, balked: Truth::Stuck(Stuck::TextOnly), counts }
    }

    fn record(rows: Vec<ReactionRow>) -> Reactions {
        let (balk, model) = ("0".to_owned(), "m".to_owned());
        let schema = REACTIONS_SCHEMA;
        Reactions { schema, balk, model, samples: 2, scripted: false, most_places: 4, trials: 5, rows }
    }

    #[test]
    fn known_counts_give_known_numbers() {
        let mut named = row("default", false, [40, 20, 10]);
        (named.counts.named, named.counts.named_called) = (20, 15);
        let rows = vec![
            row(NONE, false, [40, 0, 0]),
            row(Reactions::PROCEED, false, [40, 4, 1]),
            named,
            row("default", true, [20, 5, 1]),
            row("other", false, [40, 40, 40]),
        ];
        let fitted = fit(&record(rows)).expect("there are samples");
        let value = |name: &str| fitted.span(name).map(Span::value);
        // 20 of 40, 5 of 20, and half of it each time.
        assert_eq!(fitted.base.map(|it| it.map(Span::value)), Some([500, 250, 125, 62]));
        assert_eq!(fitted.profile, Profile::Weak);
        // 4 of 40 over 20 of 40; 1 of 4; 15 of 20.
        assert_eq!([value("empty"), value("finds"), value("named")], [Some(200), Some(250), Some(750)]);
        assert_eq!([value("cause"), value("names"), value("easy")], [Some(0), Some(1_000), None]);
        // One world says nothing about others.
        let range = fitted.span("named").map(|it| it.low() < 200 && it.high() > 900);
        assert_eq!(range, Some(true));
        assert_eq!(balk_scenarios::reactions::parse("f", &write(&fitted)).expect("it can be read"), fitted);
    }

    #[test]
    fn what_was_not_sampled_is_not_fitted() {
        assert_eq!(fit(&record(vec![row(NONE, false, [4, 1, 1]), row("default", false, [0, 0, 0])])), None);
        let fitted = fit(&record(vec![row("default", false, [10, 0, 0])])).expect("there are samples");
        let (empty, finds) = (fitted.span("empty"), fitted.span("finds"));
        assert_eq!((fitted.base, empty, finds, fitted.span("named")), (None, None, None, None));
        assert!(record(Vec::new()).rows.is_empty() && fit(&record(Vec::new())).is_none());
    }
}
