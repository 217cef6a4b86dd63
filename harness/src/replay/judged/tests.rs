use balk_guards::{Note, Subject};

use super::super::fold::{Asked, End, Firing, Folded};
use super::super::labels::COLUMNS;
use super::*;
use crate::import::{Oddities, Outcome};

/// A transcript whose assistant speaks in every second message (1, 3, 5 …), with firings of a guard at these
/// messages.
fn replayed(id: &str, messages: &[usize]) -> Replayed {
    let mut last = None;
    let events = messages.iter().map(|&message| {
        let turn = (message as u64).div_ceil(2);
        let opens_stretch = last.replace(turn).is_none_or(|last| turn - last > 2);
        let (guard, rule) = ("example".into(), format!("at-{message}").into());
        Event {
            turn,
            message,
            what: What::Fired(Firing {
                asked: Asked::Review,
                note: Note { guard, rule, level: 1, subject: Subject::Run, text: "why".into() },
                kind: "feedback",
                tool: None,
                interventions: 1,
                opens_stretch,
                opens_guard_stretch: opens_stretch,
            }),
        }
    });
    Replayed {
        id: id.into(),
        model: "".into(),
        outcome: Outcome::Unknown,
        replies: (0..50).map(|at| 2 * at + 1).collect(),
        oddities: Oddities::default(),
        times: Vec::new(),
        entries: Vec::new(),
        folded: Folded { turns: 50, events: events.collect(), ..Folded::default() },
        blind: false,
    }
}

/// Points as `id message label kind weight`, followed by `control` for a control.
fn judged(points: &[&str]) -> Judged {
    let mut text = COLUMNS.join("\t");
    for point in points {
        let cells: Vec<&str> = point.split(' ').collect();
        let control = u8::from(cells.get(5).is_some());
        let [id, message, label, kind, weight] = cells[..5] else { panic!("five cells in `{point}`") };
        text.push_str(&format!("\n{id}\t{message}\t{label}\t{kind}\t-\t3\t{control}\t{weight}\twhy"));
    }
    Judged::new(super::super::labels::parse(&text).expect("the labels are good"))
}

/// The fate of each point: the distances of its firings.
fn fates(judged: &Judged) -> Vec<Result<Vec<isize>, &'static str>> {
    let fate = |it: &Judgement| match &it.fate {
        Fate::NoTranscript => Err("no transcript"),
        Fate::NoReply => Err("no reply"),
        Fate::Replayed { near, .. } => Ok(near.iter().map(|it| it.after).collect()),
    };
    judged.points().iter().map(fate).collect()
}

fn messages(stretches: &[FiredAt]) -> Vec<usize> {
    stretches.iter().map(|it| it.message).collect()
}

/// What became of each point that was replayed.
fn reached(judged: &Judged) -> Vec<Option<Reach>> {
    judged.points().iter().map(Judgement::reach).collect()
}

#[test]
fn a_firing_at_a_point_or_up_to_three_messages_of_the_assistant_before_it_hits() {
    let points = [13, 15, 21, 27, 29].map(|message| format!("run {message} stuck cycle 1"));
    let mut judged = judged(&points.each_ref().map(String::as_str));
    let open = judged.add(&replayed("run", &[21]));
    assert_eq!(fates(&judged), [Ok(vec![]), Ok(vec![3]), Ok(vec![0]), Ok(vec![-3]), Ok(vec![])]);
    assert_eq!((messages(&open), judged.stretches_not_judged), (vec![], 0));
    let [missed, followed, hit] = [Reach::Missed, Reach::Followed, Reach::Hit].map(Some);
    assert_eq!(reached(&judged), [missed, followed, hit, hit, missed]);
}

#[test]
fn a_firing_after_a_point_counts_apart() {
    let mut judged = judged(&["run 21 stuck cycle 2", "run 41 stuck cycle 1", "run 61 legit none 4"]);
    judged.add(&replayed("run", &[23, 39, 43, 65]));
    assert_eq!(fates(&judged), [Ok(vec![1]), Ok(vec![-1, 1]), Ok(vec![2])]);
    let tally = |label| judged.tally(|it| it.label == label);
    let Tally { hit, followed, weight_hit, weight_followed, .. } = tally(Label::Stuck);
    assert_eq!((hit, followed, weight_hit, weight_followed), (1, 1, Weight(1_000), Weight(2_000)));
    let Tally { hit, followed, weight_hit, weight_followed, .. } = tally(Label::Legit);
    assert_eq!((hit, followed, weight_hit, weight_followed), (0, 1, Weight(0), Weight(4_000)));
    let rates = judged.rates(None);
    assert_eq!([rates.recall.share, rates.precision.share], [Some(1.0 / 3.0), Some(1.0)]);
}

#[test]
fn a_point_far_after_the_end_that_a_guard_chose_is_missed_and_counted() {
    let mut judged = judged(&["run 21 stuck cycle 1", "run 23 stuck cycle 1", "run 61 legit none 1"]);
    let mut run = replayed("run", &[19]);
    run.folded.end = Some(End { turn: 11, message: 21, entries: 0, turns_after: 39, calls_after: 0 });
    judged.add(&run);
    assert_eq!(reached(&judged), [Some(Reach::Hit), Some(Reach::Hit), Some(Reach::Missed)]);
    assert_eq!(judged.missed_after_end(), 1);
}

#[test]
fn firings_before_or_at_a_point_come_first_each_the_nearest_first() {
    let mut judged = judged(&["run 21 stuck cycle 1"]);
    judged.add(&replayed("run", &[11, 15, 19, 23, 25, 29]));
    let Fate::Replayed { near, .. } = &judged.points()[0].fate else { panic!("it was replayed") };
    assert_eq!(near.iter().map(|it| it.after).collect::<Vec<_>>(), [-1, -3, 1, 2]);
    assert_eq!((near[0].fired.message, &*near[0].fired.rule), (19, "at-19"));
}

/// A file of labels and a log of strangers may have hundreds of thousands of both, in one run.
#[test]
fn many_points_and_many_firings_cost_linear_work() {
    let points: Vec<String> =
        (0..50_000).rev().map(|at| format!("run {} stuck cycle 1", 2 * at + 1)).collect();
    let mut judged = judged(&points.iter().map(String::as_str).collect::<Vec<_>>());
    let firings: Vec<usize> = (0..25_000).map(|at| 8 * at + 1).collect();
    let run = Replayed { replies: (0..100_000).map(|at| 2 * at + 1).collect(), ..replayed("run", &firings) };
    let open = judged.add(&run);
    // Every fourth message has a firing, and the first half of them a point.
    assert_eq!(judged.tally(|_| true).hit, 50_000);
    assert_eq!((open.len(), open[0].message), (12_499, 100_009));
}

#[test]
fn turns_are_counted_in_messages_of_the_assistant_however_many_others_are_between() {
    let mut run = replayed("run", &[40]);
    run.replies = vec![1, 7, 8, 20, 40];
    let mut judged = judged(&["run 1 stuck cycle 1", "run 7 stuck cycle 1", "run 2 legit none 1"]);
    judged.add(&run);
    assert_eq!(fates(&judged), [Ok(vec![]), Ok(vec![3]), Err("no reply")]);
}

#[test]
fn a_stretch_is_judged_where_any_firing_of_it_is_near_a_point() {
    // Messages 1 to 9 are one stretch, the last of them near the point; 41 and 43 are another.
    let mut judged = judged(&["run 15 unsure cycle 1", "other 41 stuck cycle 1"]);
    assert_eq!(messages(&judged.add(&replayed("run", &[1, 5, 9, 41, 43]))), [41]);
    assert_eq!(messages(&judged.add(&replayed("unknown", &[1, 5, 9, 41, 43]))), [1, 41]);
    assert_eq!(judged.stretches_not_judged, 3);
}

#[test]
fn of_two_transcripts_with_one_id_the_first_is_judged() {
    let mut judged = judged(&["run 21 stuck cycle 1", "gone 21 legit none 1"]);
    judged.add(&replayed("run", &[21]));
    judged.add(&replayed("run", &[]));
    assert_eq!(fates(&judged), [Ok(vec![0]), Err("no transcript")]);
    assert_eq!((judged.same_ids, judged.not_replayed()), (1, [1, 0]));
}

#[test]
fn shares_weigh_what_was_replayed() {
    let mut judged = judged(&[
        "a 21 stuck cycle 30",
        "a 61 stuck cycle 10",
        "b 21 stuck identical-call 2.5",
        "b 61 unsure cycle 100",
        "c 21 legit none 4",
        "c 61 legit none 300 control",
        "gone 21 stuck cycle 50",
    ]);
    judged.add(&replayed("a", &[21]));
    judged.add(&replayed("b", &[21, 61]));
    judged.add(&replayed("c", &[21]));

    let weight = |it: f64| Some(it.to_string());
    let share = |it: ClusteredShare| (it.share.map(|it| it.to_string()), it.effective_digits());
    let rates = judged.rates(None);
    // 32.5 of 42.5, and 42.5² / (40² + 2.5²) trajectories; 32.5 of 36.5, and 36.5² / (30² + 2.5² + 4²).
    assert_eq!(share(rates.recall), (weight(32.5 / 42.5), "1.1".into()));
    assert_eq!(share(rates.precision), (weight(32.5 / 36.5), "1.4".into()));
    let capped = judged.rates(Some(CAP));
    assert_eq!(share(capped.recall), (weight(22.5 / 32.5), "1.2".into()));
    assert_eq!(share(capped.precision), (weight(22.5 / 26.5), "1.7".into()));

    let tally = |points, hit, weight, weight_hit| Tally {
        points,
        hit,
        weight: Weight(weight),
        weight_hit: Weight(weight_hit),
        ..Tally::default()
    };
    assert_eq!(judged.tally(|it| it.label == Label::Stuck), tally(3, 2, 42_500, 32_500));
    assert_eq!(judged.tally(|it| &*it.kind == "cycle"), tally(3, 2, 140_000, 130_000));
    assert_eq!(judged.tally(|it| it.control), tally(1, 0, 300_000, 0));
    assert_eq!(judged.kinds(Label::Stuck), ["cycle", "identical-call"]);
}
