//! Two readers of the same places, and the file that a reader writes.

use std::collections::{BTreeMap, BTreeSet};

use balk::label::{Agreement, Side};
use balk::replay::labels::{self, Label, Point, Weight};
use proptest::prelude::*;

pub(crate) fn point((trajectory, message): (&str, usize), label: Label) -> Point {
    Point {
        trajectory: trajectory.into(),
        message,
        label,
        kind: "-".into(),
        onset: None,
        confidence: 2,
        control: false,
        weight: Weight(1_000),
        reason: "-".into(),
        place: None,
    }
}

/// Points of a few runs, each at a place of its own.
fn judged() -> impl Strategy<Value = Vec<Point>> {
    let places = proptest::collection::btree_map((0..4_usize, 0..9_usize), 0..3_usize, 1..20);
    places.prop_map(|places: BTreeMap<_, _>| {
        let point = |((run, message), label): ((usize, usize), usize)| {
            point((["a", "b", "c", "#d"][run], message), Label::ALL[label])
        };
        places.into_iter().map(point).collect()
    })
}

fn side(reader: &str, points: &[Point]) -> Side {
    Side { reader: reader.into(), points: points.to_vec() }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reader_agrees_with_themselves(points in judged()) {
        let found = Agreement::new(side("ann", &points), side("ann", &points));
        prop_assert_eq!((found.same.count, found.same.of), (points.len() as u64, points.len() as u64));
        let labels: BTreeSet<Label> = points.iter().map(|it| it.label).collect();
        // With one label alone, chance says the same.
        prop_assert_eq!(found.kappa.kappa, (labels.len() > 1).then_some(1.0));
        prop_assert_eq!(found.kappa.high, 1.0);
        prop_assert!(found.apart.is_empty() && found.alone == [vec![], vec![]]);
    }

    #[test]
    fn two_readers_agree_as_much_in_either_order(one in judged(), other in judged()) {
        let [there, back] = [(&one, &other), (&other, &one)].map(|(a, b)| Agreement::new(side("a", a), side("b", b)));
        prop_assert_eq!((there.same, there.kappa), (back.same, back.kappa));
        prop_assert_eq!(there.apart.len(), back.apart.len());
        prop_assert_eq!(&there.alone[0], &back.alone[1]);
        let judged = one.len() + other.len();
        let counted = 2 * there.same.of as usize + there.alone[0].len() + there.alone[1].len();
        prop_assert_eq!(counted, judged, "each judgement is in one place of the report");
    }

    #[test]
    fn what_is_written_is_read_back(
        points in judged(),
        reason in "[a-z#][a-z #-]{0,8}[a-z]",
        place in proptest::option::of("[a-z/.:#]{1,9}"),
        onset: bool,
        confidence in 1..=3_u8,
        weight in 1..=Weight::MAX.0,
    ) {
        let more = |it: Point| Point {
            onset: onset.then_some(it.message / 2),
            confidence,
            weight: Weight(weight),
            reason: reason.as_str().into(),
            place: place.as_deref().map(Into::into),
            ..it
        };
        let points: Vec<Point> = points.into_iter().map(more).collect();
        prop_assert_eq!(labels::parse(&labels::text(&points)), Ok(points));
    }
}
