//! The progress guard: failures that come back, calls that are nearly the same, and what looks like it (spec P3).

use std::sync::Arc;

use crate::common::{Loop, Turn, again, calls, says};
use balk_guards::{Duplicate, Effect, Offer, Progress, Purpose, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("search").effect(Effect::ReadOnly),
        Tool::new("write_file"),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

/// Commands that have little in common.
const COMMANDS: [&str; 8] = [
    "decode -k key -i flag.enc",
    "decode --in=flag.enc",
    "cat flag.enc | decode --key key",
    "decode key flag.enc -o out",
    "sh -c 'decode flag.enc < key'",
    "decode -v --key-file ./key flag.enc",
    "env KEY=key decode flag.enc",
    "decode @args",
];

/// Whichever call closes the circle.
#[test]
fn a_circle_with_a_failure_in_it_quotes_the_failure() {
    let put = || bash("put sum").fails("error: the sheet is protected by its owner");
    let freeze = || bash("freeze sheet").answers_something("the sheet is frozen");
    for circle in [[put(), freeze()], [freeze(), put()]] {
        let mut run = run();
        run.said((0..3).flat_map(|_| circle.clone()));
        let note = run.interventions().next().expect("a note").note.clone();
        assert_eq!(&*note.rule, "cycle");
        assert!(
            note.text.contains("protected by its owner") && note.text.contains("read-only"),
            "{}",
            note.text
        );
    }
    let mut run = run();
    let [look, edit] = [read("a"), bash("touch a").answers_something("done with the file")];
    run.said((0..4).flat_map(|_| [look.clone(), edit.clone()]));
    let text = run.interventions().next().expect("a note").note.text.to_string();
    assert!(!text.contains("error"), "{text}");
}

// The same error from different calls.

#[test]
fn the_same_error_from_three_different_calls_is_told_whatever_status_they_have() {
    let usage = "error: `decode` takes -e or -d, then a file";
    let ladder = ["3 note same-failure 1", "7 block same-failure 2", "8 ask same-failure 3"];
    assert_eq!(run().said(COMMANDS.map(|it| bash(it).fails(usage)))[..2], ladder[..2]);
    check(COMMANDS[..6].iter().map(|it| bash(it).answers_something(usage)), &ladder[..1]);
}

#[test]
fn what_a_tool_keeps_is_not_written_again_and_again() {
    let tools =
        [Tool::new("todo").effect(Effect::IdempotentWrite), Tool::new("read").effect(Effect::ReadOnly)];
    let said = |turns: Vec<Turn>| {
        Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools.clone()))).said(turns)
    };
    let todo = |n: usize| {
        calls("todo", &format!(r#"{{"items":"[-] sort it (v{n}), then write"}}"#)).answers("updated")
    };
    assert_eq!(said((10..15).map(todo).collect())[..], ["5 note rewriting 1"]);
    // A list that is kept while something is learnt, or that grows, is work.
    let empty: [&str; 0] = [];
    assert_eq!(said((10..30).flat_map(|n| [todo(n), read(&format!("{n}"))]).collect()), empty);
    let longer = |n: usize| calls("todo", &format!(r#"{{"items":"{}"}}"#, "[ ] one more step ".repeat(n)));
    assert_eq!(said((1..12).map(longer).collect()), empty);
}

#[test]
fn what_is_tried_one_by_one_has_twice_the_time() {
    let open = |name: &str| bash(&format!("open {name} now")).fails("error: `db` has no such schema in it");
    let names = ["one", "alpha", "x", "main", "test", "prod"];
    check(names[..5].iter().map(|it| open(it)), &[]);
    check(names.iter().map(|it| open(it)), &["6 note same-failure 1"]);
}

#[test]
fn versions_of_a_file_that_are_refused_are_counted_by_the_guard_against_abandonment() {
    let offer = Arc::new(Offer::new([Tool::new("write_file").effect(Effect::IdempotentWrite)]));
    let refused = |n: usize| {
        calls("write_file", &format!(r#"{{"path":"a.py","content":"{}"}}"#, COMMANDS[n]))
            .fails("error: rolled back: cannot resolve import `rich`")
    };
    let mut run = Loop::with_offer(Progress::default(), offer);
    assert_eq!(run.said((0..6).map(refused)), ["6 note same-failure 1"]);
}

#[test]
fn an_error_that_names_another_thing_rules_something_out() {
    let missing = |n: usize| {
        let table = ["users", "orders", "a.b", "items", "log"][n];
        bash(COMMANDS[n]).fails(&format!("no such table is in this place: '{table}'"))
    };
    check((0..5).map(missing), &[]);
}

#[test]
fn an_answer_with_more_lines_says_something_more() {
    let printed = |n: usize| {
        bash(COMMANDS[n]).fails(&format!("{}FAIL: `out` was expected to be readable", "seen\n".repeat(n)))
    };
    check((0..5).map(printed), &[]);
}

/// Five times is another matter: then the changes do not reach the failure.
#[test]
fn what_may_have_been_mended_in_between_is_no_row() {
    let fails = |n: usize| bash(COMMANDS[n]).fails("error: `decode` takes -e or -d, then a file");
    let mended = |n: usize| bash(&format!("sed -i s/{n}/x/ decode.py")).answers_something("");
    check((0..4).flat_map(|n| [fails(n), mended(n)]), &[]);
    check((0..6).flat_map(|n| [fails(n), mended(n)]), &["9 note persisting-failure 1"]);
}

// The same call.

fn patch(bytes: usize) -> Turn {
    bash(&format!("apply <<EOF {} EOF", "x".repeat(bytes)))
}

#[test]
fn a_whole_patch_that_failed_is_not_sent_again() {
    let refused = |bytes| patch(bytes).answers_something("The patch does not apply: line 3 is missing");
    let looks = |n: usize| bash(&format!("list {n}")).answers_something("a b c");
    check([refused(220), looks(1), refused(220)], &["3 note persisting-failure 1"]);
    // A short call depends on what was done in between.
    check([refused(20), looks(1), refused(20), looks(2), refused(20)], &["5 note repeat 1"]);
    let text = run_and_text([refused(220), looks(1), refused(220)]);
    assert!(text.contains("all in its arguments"), "{text}");
}

/// The user asks for it again, or a file that it depends on was written: one more try is due.
#[test]
fn a_whole_call_that_there_is_a_reason_to_send_again_has_one_more_try() {
    let refused = || patch(220).answers_something("The patch does not apply: line 3 is missing");
    let told = |reason: &dyn Fn(&mut Loop)| {
        let mut run = run();
        let mut said = Vec::new();
        for _ in 0..3 {
            said.push(run.said([refused()]).concat());
            reason(&mut run);
        }
        said
    };
    let note = |at: u32| format!("{at} note persisting-failure 1");
    let looks = |run: &mut Loop| drop(run.said([bash("list 1").answers_something("a b c")]));
    let told_then = told(&looks);
    assert_eq!(told_then[..2], ["".to_owned(), note(1)], "a look is no reason");
    let asks = |run: &mut Loop| {
        run.user("Please check the date of the second flight, and book it then.");
        looks(run);
    };
    assert_eq!(told(&asks)[..], ["".to_owned(), "".into(), note(1)]);
    let writes = |run: &mut Loop| {
        let file = format!(r#"{{"path":"a.py","content":"x = {}"}}"#, run.entries.len());
        drop(run.said([calls("write_file", &file).answers_something("ok")]));
    };
    // The third time, all that failed counts, and not this call alone.
    assert_eq!(told(&writes)[..], ["".to_owned(), "".into(), "1 note repeat 1".into()]);
}

#[test]
fn a_whole_program_that_fails_in_another_place_is_getting_on() {
    let fails = |n: usize| patch(220).fails(&format!("in file {n}.py\nNameError: `re` is not defined"));
    let edit = |n: usize| bash(&format!("edit {n}")).answers_something("");
    check((0..4).flat_map(|n| [fails(n), edit(n)]), &[]);
}

#[test]
fn in_a_row_of_failures_a_call_that_comes_back_is_one_more() {
    let power = |name: &str| bash(&format!("import {name}")).fails(&format!("cannot import name '{name}'"));
    check([power("pow"), power("power"), power("pow")], &["3 note repeat 1"]);
    let text = run_and_text([power("pow"), power("power"), power("pow")]);
    assert!(text.contains("3 steps in a row failed"), "{text}");
    check([power("pow"), read("a"), power("pow")], &[]);
    // A look after a failure that may pass, and another try.
    let send = || bash("send 7").fails("error: 503 Service Unavailable");
    check([send(), bash("find 7").fails("error: no such entry: 7"), send()], &[]);
}

#[test]
fn the_same_several_calls_in_each_message_are_told_at_the_third() {
    let both = || read("a").and_calls("read", r#"{"path":"b"}"#).answers("text of b");
    check(again(&[both()], 4), &["3 note repeat 1", "4 block repeat 2"]);
    // One alone is for the guard against duplicates.
    check(again(&[read("a")], 6), &[]);
    let polls = || bash("sleep 5").answers("").and_calls("read", r#"{"job":1}"#).answers("job 1 is pending");
    check(again(&[polls()], 6), &[]);
}

// Nearly the same call, the same answer.

#[test]
fn a_question_in_other_words_with_the_same_answer_is_told_at_the_third() {
    let ask = |words: &str| {
        calls("search", &format!(r#"{{"query":"{words}"}}"#)).answers("Berlin: the capital of Germany")
    };
    let words = [
        "select name from a where b > 3 group by name",
        "select name from a where b >= 4 group by name",
        "select name from a where (b > 3) group by name",
    ];
    check(words.map(ask), &["3 note near-call 1"]);
    let text = run_and_text(words.map(ask));
    assert!(text.contains("exactly the same answer"), "{text}");
}

#[test]
fn other_items_and_answers_that_say_nothing_are_a_batch() {
    let item = |n: usize| {
        let path = ["report-north.txt", "report-south.txt", "report-east.txt", "report-west.txt"][n];
        calls("read", &format!(r#"{{"path":"data/of/the/year/{path}"}}"#))
            .answers("nothing was sold in that year")
    };
    check((0..4).map(item), &[]);
    let wrote = |n: usize| {
        let words = ["a b c d e f", "a b c d f e", "b a c d e f", "a c b d e f"][n];
        bash(&format!("echo {words} and all the rest of it >> out")).answers("")
    };
    check((0..4).map(wrote), &[]);
}

// Messages that begin the same.

#[test]
fn agents_that_begin_alike_again_and_again_do_the_same() {
    let page =
        "I clicked on 'Select year'. Here is what the page shows now, as far as I can read it: ".repeat(3);
    let clicked = |n: usize| says(&format!("{page} {}", ["News", "News and events", "Events, news"][n]));
    assert_eq!(run().said((0..3).map(clicked)), ["3 retry repeated-text 1"]);
    let mut answered = run();
    for n in 0..3 {
        assert!(answered.said([clicked(n)]).is_empty(), "a person answers each");
        answered.user("And the next year?");
    }
    let scrolled = |n: usize| says(&format!("I scrolled to {n} %. {page}"));
    assert_eq!(run().said((0..5).map(scrolled)), [""; 0]);
}

// Failures without a status.

#[test]
fn what_reads_like_a_failure_changed_nothing() {
    let look = || read("a").answers("text of a");
    let failed = || bash("make it").answers_something("make: *** No rule to make target `it`. Stop.");
    let offer = Arc::new(Offer::new([Tool::new("read").effect(Effect::ReadOnly), Tool::new("bash")]));
    let mut run = Loop::with_offer(Duplicate::default(), offer);
    assert_eq!(run.said([failed(), look(), failed()]), ["3 block same-call 1"]);
}

#[track_caller]
fn run_and_text(turns: impl IntoIterator<Item = Turn>) -> String {
    let mut run = run();
    run.said(turns);
    run.interventions().next().expect("a note").note.text.to_string()
}

// A call whose answer can say something new runs: a retry after a step that may have mended it, a look for the cause, a
// deed after pages that say nothing, and what the user wants to see several times.

#[test]
fn a_failing_call_runs_again_after_a_new_step_that_may_have_mended_it() {
    let invite = || bash("invite --room elm");
    let fails = || invite().fails("room elm is not in the directory");
    let look = |n: usize| bash(&format!("rooms --floor {n}")).answers(&format!("{n} rooms are free"));
    let before = || (0..5).flat_map(|n| [fails(), look(n)]).chain([fails()]).collect::<Vec<_>>();
    let notes = ["5 note repeat 1", "9 note persisting-failure 1"];
    let alias = bash("alias elm elm-2").answers("alias created");
    check(before().into_iter().chain([alias, invite().answers("sent")]), &notes);
    // What only reads mends nothing.
    let block = "13 block repeat 2";
    check(
        before().into_iter().chain([read("a"), invite().answers("sent")]),
        &[&notes[..], &[block]].concat(),
    );
}

#[test]
fn a_look_for_the_cause_runs_where_a_test_failed_in_several_spellings() {
    let spellings = ["just check", "just check --all", "CI=1 just check", "just -v check", "just check -j 1"];
    let more = ["just --unstable check", "just check --no-deps", "just check --locked"];
    let fails = |it: &&str| bash(it).fails("assertion failed at tests/tide.rs:41:5: left 11, right 14");
    let before = || spellings.iter().chain(&more).map(fails).collect::<Vec<_>>();
    let told = ["3 note same-failure 1", "7 block same-failure 2"];
    check(before().into_iter().take(6).chain([bash("just check --release")]), &told);
    check(
        before().into_iter().take(6).chain([bash("head -4 tests/tide.csv").answers("18.11.;11")]),
        &told[..1],
    );
}

#[test]
fn another_program_is_another_matter_than_pages_that_say_nothing() {
    let page = |n: usize| bash(&format!("buoy log --of north --page {n}")).answers("no entries on this page");
    let told = ["6 note same-answer 1", "13 block same-answer 2"];
    check((1..=13).map(page), &told);
    check((1..=12).map(page).chain([bash("alarm ack A-119").answers("no entries on this page")]), &told[..1]);
}

#[test]
fn what_the_user_wants_several_times_is_no_standstill() {
    let measure = |n: usize| bash("measure --all").answers(&format!("p50 {} ms", 90 + n * 7 % 31));
    let laps = || {
        (0..3).flat_map(move |n| {
            let set = |what: &str| bash(&format!("set {what}")).answers(&format!("variant {what}"));
            [set("on"), measure(n * 2), set("off"), measure(n * 2 + 1)]
        })
    };
    let said = |request: &str| {
        let mut run = run();
        run.user(request);
        run.said(laps())
    };
    assert_eq!(said("Compare the variants."), ["11 note repeat 1"]);
    assert_eq!(said("Compare the variants, each a few times."), [""; 0]);
    assert_eq!(said("Compare the variants, each a few times, by `measure --all`."), [""; 0]);
    // It never measures.
    assert_eq!(said("Compare the variants, each a few times, by `curl -s x`."), ["11 note repeat 1"]);
}

/// A program may say one thing in two ways, so no lap is quite like the one before.
#[test]
fn a_circle_whose_answers_are_all_known_needs_one_lap_more() {
    let forms = ["the door does not move at all", "you push, and the door stays shut"];
    let views = ["a hall with one door", "one door, in a hall"];
    let lap = |(push, look): (usize, usize)| {
        [
            bash("game open door").answers_something(forms[push]),
            bash("game look").answers_something(views[look]),
        ]
    };
    let mut run = run();
    let said = run.said([(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (1, 1), (0, 1)].into_iter().flat_map(lap));
    // The last new answer came in the sixth turn.
    assert_eq!(said, ["11 note cycle 1"]);
    let text = &run.interventions().next().expect("a note").note.text;
    assert!(text.contains("were taken twice with answers that had come before"), "{text}");
    // What changes back and forth is looked at in each round, and no circle.
    let looks = |(a, b): (&str, &str)| {
        let one = calls("read", r#"{"path":"a"}"#).answers(&format!("a is {a}"));
        one.and_calls("read", r#"{"path":"b"}"#).answers(&format!("b is {b}"))
    };
    let states = [("up", "up"), ("down", "up"), ("up", "down"), ("down", "down")];
    check([0, 1, 2, 3, 0, 3, 1, 2, 2].map(|at| looks(states[at])), &[]);
    // A new answer is evidence.
    let goes_on = |n: usize| {
        let view = format!("a hall with {} doors", ["two", "three", "no", "more", "some", "many", "iron"][n]);
        [bash("game open door").answers_something(forms[n % 2]), bash("game look").answers_something(&view)]
    };
    check((0..7).flat_map(goes_on), &[]);
}

/// Some programs say one thing in several ways.
#[test]
fn a_call_that_fails_in_two_ways_by_turns_is_told_whatever_was_changed() {
    let ways = ["error 17: no sweep was recorded", "the measurement ended early: time limit reached"];
    let measures = |n: usize| bash("lab measure").fails(ways[n % 2]);
    let notes = |n: usize| {
        let note = format!(r#"{{"path":"notes/{n}.md","content":"try {n}"}}"#);
        calls("write_file", &note).answers(&format!("noted as {n}"))
    };
    let mut run = run();
    let said = run.said((0..6).flat_map(|n| [measures(n), notes(n)]));
    assert_eq!(said, ["11 note persisting-failure 1"]);
    let text = &run.interventions().next().expect("a note").note.text;
    assert!(text.contains("failed in one of a few ways, 5 times or more"), "{text}");
    // So is one in words that nobody knows for a failure; only its status says that it failed.
    let forms = ["inga svep, tidsgräns nådd", "mätningen gav ingenting"];
    let measures = |n: usize| bash("lab measure").fails(forms[n % 2]);
    check((0..6).flat_map(|n| [measures(n), notes(n)]), &["11 note persisting-failure 1"]);
    // So is one that says next to nothing.
    let measures = |n: usize| bash("lab measure").fails(["fel 17", "nej"][n % 2]);
    check((0..6).flat_map(|n| [measures(n), notes(n)]), &["11 note persisting-failure 1"]);
    // A number that the harness counts is no other answer.
    let head = |n: usize| format!("[{:02}:{:02}:40] call {n}", n * 7 % 24, n * 13 % 60);
    let measures = |n: usize| bash("lab measure").fails(&format!("{}\n{}", head(2 * n), forms[n % 2]));
    let writes = |n: usize| {
        let note = format!(r#"{{"path":"notes/{n}.md","content":"try {n}"}}"#);
        calls("write_file", &note).answers(&format!("{}\nwrote 5 bytes", head(2 * n + 1)))
    };
    check((0..9).flat_map(|n| [measures(n), writes(n)]), &["15 note persisting-failure 1"]);
    // What may pass does not count, and is no end of what does not.
    let mixed = ["error 17: no sweep was recorded", "connection timed out"];
    let measures = |n: usize| bash("lab measure").fails(mixed[n % 2]);
    check((0..11).flat_map(|n| [measures(n), notes(n)]), &["17 note persisting-failure 1"]);
    // A call that carries what it does is told as well.
    let program = format!("lab measure --plan '{}'", "sweep; settle; ".repeat(16));
    let measures = |n: usize| bash(&program).fails(forms[n % 2]);
    check((0..6).flat_map(|n| [measures(n), notes(n)]), &["7 note persisting-failure 1"]);
    // Another failure each time is getting on.
    let parts = ["parser", "lexer", "printer", "loader", "linker", "solver"];
    let gets_on = |n: usize| [bash("make").fails(&format!("error: the {} is broken", parts[n])), notes(n)];
    check((0..6).flat_map(gets_on), &[]);
}

#[test]
fn numbers_that_are_tried_in_vain_are_told_though_the_failure_has_two_forms() {
    let ways = ["404 Not Found", "error: there is no such record in the register"];
    let get = |n: usize| bash(&format!("hotel record {n}")).fails(ways[n % 2]);
    let mut run = run();
    assert_eq!(run.said((101..120).map(get)), ["13 note same-failure 1"]);
    let text = &run.interventions().next().expect("a note").note.text;
    assert!(text.contains("12 calls or more") && text.contains("one of a few ways"), "{text}");
}

#[test]
fn what_is_done_to_one_thing_after_another_is_no_near_call() {
    let names = ["rates", "fees", "taxes", "tips"];
    let moves = |n: usize| {
        bash(&format!("mv in/{n}.dat out/{}.dat", names[n])).answers(&format!("renamed (5c{n}8a1ff)"))
    };
    check((0..4).map(moves), &[]);
}
