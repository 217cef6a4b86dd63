use balk_contract::{AttemptFailure, AttemptResponse, FailedAttempt, FinishReason, Part, Speaker, Usage};

use super::*;
use crate::records::CompletionRecord;

fn answer(text: &str) -> EntryRecord {
    let parts = vec![Part::Text(text.into())];
    EntryRecord::Completion(CompletionRecord {
        parts,
        calls: Vec::new(),
        finish: FinishReason::Stop,
        usage: Usage::default(),
    })
}

fn user(text: &str) -> EntryRecord {
    EntryRecord::User { from: Speaker::User, text: text.into() }
}

fn failed() -> EntryRecord {
    let response = AttemptResponse::Resent { after: 0 };
    EntryRecord::Failed(FailedAttempt { failure: AttemptFailure::empty(1), response })
}

fn recorded(entries: &[EntryRecord], fired: &[usize], start: usize) -> Timeline {
    let firings =
        fired.iter().map(|turn| (*turn, firing("progress", "feedback", "repeat", "Stop."))).collect();
    let stuck = vec![start..=start + 1];
    let entries = entries.to_vec();
    Recorded { title: String::new(), entries, firings, stuck, start, end: String::new() }.timeline()
}

/// The texts of a turn.
fn texts(turn: &Turn) -> Vec<&str> {
    turn.said.iter().map(|it| &*it.text).collect()
}

#[test]
fn a_failed_attempt_belongs_to_the_turn_that_it_delays() {
    let entries = [user("a"), answer("b"), failed(), user("c"), answer("d"), failed()];
    let it = recorded(&entries, &[2, 3, 4, 0], 1);
    let [one, two, three] = &it.lanes[0].turns[..] else { panic!("{it:?}") };
    assert_eq!(it.lanes[0].before.iter().map(|it| &*it.text).collect::<Vec<_>>(), ["a"]);
    assert_eq!(texts(one), ["b"]);
    assert_eq!(texts(two)[1..], ["c", "d"]);
    assert_eq!([one.state, two.state, three.state], [State::Stuck, State::Stuck, State::Faulted]);
    let marks = [one, two, three].map(|it| it.marks.len());
    assert_eq!(marks, [0, 1, 1], "what has no turn is at none");
    assert_eq!(two.marks[0].to_string(), "progress: feedback to the model (repeat)");
}

#[test]
fn of_a_long_run_the_turns_around_the_one_to_look_at_are_shown() {
    let entries: Vec<EntryRecord> = (1..=500).map(|nth| answer(&nth.to_string())).collect();
    let it = recorded(&entries, &[1, 300], 300);
    let turns = &it.lanes[0].turns;
    assert_eq!([it.first, it.start, it.last(), turns.len()], [280, 300, 479, TURNS_MAX]);
    assert_eq!([texts(&turns[0])[0], texts(&turns[20])[0]], ["280", "300"]);
    assert_eq!(turns.iter().map(|it| it.marks.len()).sum::<usize>(), 1);
    assert!(it.lanes[0].before[0].text.starts_with("turns 1 to 279"), "{:?}", it.lanes[0].before);
    assert!(texts(&turns[TURNS_MAX - 1])[1].starts_with("turns 480 to 500"));
    let it = recorded(&entries, &[], 499);
    assert_eq!([it.first, it.last()], [301, 500]);
    let it = recorded(&entries[..200], &[], 190);
    assert_eq!([it.first, it.last(), it.lanes[0].before.len()], [1, 200, 0]);
}

#[test]
fn long_texts_are_clipped() {
    let it = recorded(&[answer(&"é".repeat(CHARS_MAX + 2))], &[], 1);
    assert!(texts(&it.lanes[0].turns[0])[0].ends_with("é (+ 2 characters)"));
}
