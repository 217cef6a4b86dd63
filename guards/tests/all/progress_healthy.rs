//! The progress guard: healthy work that looks stuck to simple counters, loops that are hard to see, and messages
//! that must be true.

use std::sync::Arc;

use crate::common::{Loop, Turn, again, calls, says};
use balk_guards::{Effect, Entry, Offer, Progress, Purpose, Speaker, Tool, UserMessage};

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(r#"{"type":"object","required":["path"]}"#),
        Tool::new("exists").effect(Effect::ReadOnly).parameters(r#"{"type":"object","required":["path"]}"#),
        Tool::new("pytest").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("replace").effect(Effect::Write),
        Tool::new("append").effect(Effect::Write),
        Tool::new("mcp_edit"),
        Tool::new("click"),
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("done").purpose(Purpose::Finish),
    ]))
}

fn run() -> Loop {
    Loop::with_offer(Progress::default(), offer())
}

#[track_caller]
fn silent(turns: impl IntoIterator<Item = Turn>) {
    assert_eq!(run().said(turns), [""; 0]);
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn whole(text: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"b.py","content":"{text}"}}"#))
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

/// Each refusal is followed by a fix, and by a different number of failing tests.
#[test]
fn finish_after_fixes_by_a_shell_is_refused_and_the_run_ended() {
    let fix = |n: usize| bash(&format!("sed -i s/bug{n}/ok{n}/ a.py")).answers("");
    let done = |n: usize| {
        calls("done", &format!(r#"{{"summary":"fixed {n}"}}"#)).fails(&format!("{} tests fail", 20 - n))
    };
    silent((0..7).flat_map(|n| [fix(n), done(n)]));
}

/// Every write is what the user just asked for.
#[test]
fn writes_that_the_user_asks_for_are_no_rewrite() {
    let mut run = run();
    let mut said = Vec::new();
    for n in 0..8 {
        run.user(["Turn the feature on again.", "No, off, please."][n % 2]);
        said.extend(run.said([whole(["on", "off"][n % 2])]));
    }
    assert_eq!(said, [""; 0]);
}

/// Two settings are measured in turn; each measurement returns something new.
#[test]
fn a_and_b_measured_in_turn_with_new_answers_is_progress() {
    let bench = |n: usize| bash("bench").answers(&format!("{} requests", 1000 + 7 * n));
    silent((0..10).flat_map(|n| [whole(["a", "b"][n % 2]), bench(n)]));
}

/// The user answers the question with an instruction, and the model does just that.
#[test]
fn doing_what_the_user_answered_does_not_end_the_run() {
    let test = || calls("pytest", "{}").fails("the database fixture is missing");
    let mut run = run();
    run.choice = balk_guards::ChoiceKind::Instruct;
    let mut turns = vec![test(), read("a"), test(), read("b"), test()];
    turns.extend(again(&[test()], 2));
    assert_eq!(run.said(turns), ["5 note repeat 1", "6 block repeat 2", "7 ask repeat 3"]);
    // The answer: "I have installed the fixture, run the tests again."
    run.check(&calls("pytest", "{}").answers("4 passed"), "pass");
}

/// A chat: a person sends one long request after another, which differ in a number.
#[test]
fn long_requests_that_differ_in_a_number_are_no_complaint() {
    let mut run = run();
    let mut said = Vec::new();
    for n in 1..8 {
        run.user(&format!(
            "Please translate paragraph {n} of the text that I sent you into German, and keep its headings and \
             footnotes as they are."
        ));
        said.extend(run.said([says(&format!("Absatz {n}: {}", "Wort ".repeat(n)))]));
    }
    assert_eq!(said, [""; 0]);
}

/// A chat: a person uses one form, and the difference is at its end.
#[test]
fn one_form_with_other_contents_is_no_complaint() {
    let form = "You are given a customer's message. Say in one word whether it is friendly, neutral or angry. Answer \
                with this word and nothing else, in small letters, without a full stop, and do not explain it. The \
                message: ";
    let mut run = run();
    let mut said = Vec::new();
    for message in ["thanks a lot", "where is it?", "this is a scandal", "ok", "fine", "never again"] {
        run.user(&format!("{form}{message}"));
        said.extend(run.said([says(["friendly", "neutral", "angry"][message.len() % 3])]));
    }
    assert_eq!(said, [""; 0]);
}

/// The edit worked and shows the place that it changed, without a status.
#[test]
fn an_edit_that_shows_code_with_the_word_error_is_a_change() {
    let edit = |n: usize| {
        calls("replace", &format!(r#"{{"path":"a.py","old":"x{n}","new":"y{n}"}}"#))
            .answers_something("The file was edited:\n    12\terror = None\n    13\treturn error\n")
    };
    let test = |n: usize| calls("pytest", "{}").answers_something(&format!("{} failed, 1 passed", 12 - n));
    silent((0..12).flat_map(|n| [edit(n), test(n)]));
}

/// The last line is the same whatever does not compile; each error is different.
#[test]
fn other_compile_errors_in_other_packages_are_other_failures() {
    let names = [
        "parse", "render", "store", "net", "auth", "cli", "web", "jobs", "mail", "log", "time", "core", "ui",
    ];
    let build = |n: usize| {
        let error =
            ["mismatched types", "cannot borrow as mutable", "unresolved import", "missing lifetime"][n % 4];
        calls("bash", &format!(r#"{{"command":"cargo check -p {}"}}"#, names[n])).fails(&format!(
            "error[E0{n}]: {error}\nerror: could not compile `{}` (lib) due to {n} previous errors",
            names[n]
        ))
    };
    let edit =
        |n: usize| calls("mcp_edit", &format!(r#"{{"path":"{}.rs","new":"{n}"}}"#, names[n])).answers("ok");
    silent((0..13).flat_map(|n| [build(n), edit(n)]));
}

/// Batches with equal results are progress, even if one name begins like another.
#[test]
fn silent_commands_that_go_deeper_are_progress() {
    let mkdir = |n: usize| {
        bash(&format!(
            "mkdir -p app{}",
            ["", "/src", "/src/main", "/src/main/java", "/src/main/java/org", "/src/main/java/org/x"][n]
        ))
        .answers("")
    };
    silent((0..6).map(mkdir));
}

#[test]
fn looking_deeper_and_deeper_is_exploring() {
    let path = [
        "src",
        "src/main",
        "src/main/java",
        "src/main/java/org",
        "src/main/java/org/x",
        "src/main/java/org/x/y",
    ];
    let exists = |n: usize| calls("exists", &format!(r#"{{"path":"{}"}}"#, path[n])).answers("true");
    silent((0..6).map(exists));
}

/// Each refused name rules one out. The call says it twice, and all else is the same.
#[test]
fn names_that_are_tried_one_by_one_in_a_long_command_are_candidates() {
    let names = ["dev", "staging", "audit", "reporting"];
    let get = |n: usize| {
        let (name, what) = (names[n], "s3://acme-data/dump.gz .");
        let arguments =
            format!(r#"{{"command":"aws s3 cp {what} --profile {name}","why":"Runs it as {name}"}}"#);
        calls("bash", &arguments).fails("fatal error: An error occurred (403): Forbidden for HeadObject")
    };
    silent((0..4).map(get));
}

/// After the refusal no call has run, so there is no evidence that the next ones are wrong too.
#[test]
fn near_calls_do_not_end_a_run_without_a_failure_after_the_refusal() {
    let names = ["value", "values", "vals", "valu", "val", "v", "vv", "vvv", "w"];
    let fails = |n: usize| {
        bash(&format!("import numpy as np; {} = np.linalg.inv(np.zeros((2, 2))); print('the end')", names[n]))
            .fails("numpy.linalg.LinAlgError: Singular matrix")
    };
    let mut run = run();
    assert_eq!(run.said((0..7).map(fails)), ["3 note near-call 1", "7 block near-call 2"]);
    let right =
        bash("import numpy as np; v = np.linalg.pinv(np.zeros((2, 2))); print('the end')").answers("the end");
    run.check(&right, "pass");
}

/// A call of unknown effect may have changed something: a pattern with such a call in between must be seen twice as
/// often before a call is refused.
#[test]
fn steps_of_unknown_effect_have_twice_the_laps() {
    let click = |what: &str| calls("click", &format!(r#"{{"on":"{what}"}}"#)).answers("ok");
    let pages = again(&[click("next page"), click("approve")], 7);
    assert_eq!(run().said(pages), ["4 note cycle 1"]);
}

#[test]
fn of_what_nobody_knows_it_is_not_said_that_nothing_has_changed() {
    let click = |what: &str| calls("click", &format!(r#"{{"on":"{what}"}}"#)).answers("ok");
    let mut run = run();
    run.said(again(&[click("next page"), click("approve")], 4));
    let text = &run.interventions().next().expect("a note").note.text;
    assert!(!text.contains("nothing has changed"), "{text}");
}

/// `Effect::Write` "changes something each time: appending".
#[test]
fn appending_is_no_rewrite() {
    let row = |text: &str| calls("append", &format!(r#"{{"path":"t.md","text":"{text}"}}"#));
    let mut run = run();
    run.said(again(&[row("a"), row("b")], 4));
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.to_string()).collect();
    assert!(texts.iter().all(|it| !it.contains("brought the same file back")), "{texts:?}");
}

#[test]
fn appending_the_same_again_is_no_no_op() {
    let row = || calls("append", r#"{"path":"t.md","text":"---"}"#);
    let mut run = run();
    run.said(again(&[row()], 4));
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.to_string()).collect();
    assert!(texts.iter().all(|it| !it.contains("holds already")), "{texts:?}");
}

/// A file with `sleep` in its name is no pause.
#[test]
fn reading_a_file_called_sleep_is_no_waiting() {
    assert_eq!(
        run().said(again(&[read("src/sleep.rs"), read("b")], 5)),
        ["4 note cycle 1", "5 block cycle 2"]
    );
}

/// A short result with one of the words delays the rule, and no more.
#[test]
fn a_loop_over_a_file_with_the_word_pending_ends() {
    let todo = read("todo.md").answers("- [ ] pending: write the docs");
    let said = run().said(again(&[todo, read("b")], 200));
    assert!(said.iter().any(|it| it.contains("stop")), "{said:?}");
}

/// The note says how often this tool was called with invalid arguments.
#[test]
fn invalid_arguments_of_other_tools_are_not_those_of_this_one() {
    let mut run = run();
    run.said([
        calls("exists", r#"{"file":"a"}"#).fails("no path"),
        calls("exists", r#"{"f":"a"}"#).fails("a path is needed"),
        calls("read", r#"{"file":"a"}"#).fails("what to read?"),
    ]);
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.to_string()).collect();
    assert!(texts.iter().all(|it| !it.contains("3 calls of `read`")), "{texts:?}");
}

/// A job that alternates between two states.
#[test]
fn a_poll_that_answers_two_things_in_turn_is_seen() {
    let poll = |n: usize| calls("read", r#"{"path":"job7"}"#).answers(["running /", "running -"][n % 2]);
    assert_ne!(run().said((0..200).map(poll)), [""; 0]);
}

/// More calls per round than most runs have.
#[test]
fn a_loop_of_wide_rounds_is_seen() {
    let wide = (0..9).fold(Turn::default(), |turn, at| {
        turn.and_calls("write_file", &format!(r#"{{"path":"f{at}","content":"x"}}"#))
    });
    let other = calls("pytest", "{}").fails("3 failed, 1 passed");
    assert_ne!(run().said(again(&[wide, other], 60)), [""; 0]);
}

/// A saved state of any size is refused or loaded, without a panic.
#[test]
fn a_broken_state_is_refused() {
    use balk_guards::Guard;
    let mut run = run();
    run.said(again(&[read("a"), read("b")], 4));
    let mut state = run.guard.save();
    let past = state["rounds"]["past"].as_array().expect("rounds").clone();
    let many: Vec<_> = past.iter().cycle().take(140_000).cloned().collect();
    state["rounds"]["past"] = many.into();
    let mut guard = Progress::default();
    let loaded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| guard.load(state)));
    assert!(matches!(loaded, Ok(Err(_))), "a panic, or it was taken up");
}

/// A text that continues after the loop's own prompt.
#[test]
fn control_prompts_of_the_loop() {
    let mut run = run();
    run.commit(Entry::User(UserMessage { from: Speaker::Loop, text: "Go on.".into() }));
    assert_eq!(run.said([read("a")]), [""; 0]);
}

/// The user chose "let it continue".
#[test]
fn let_it_go_on_lets_it_go_on() {
    let mut run = run();
    let cycle = [read("a"), read("b")];
    run.said(again(&cycle, 6));
    let said = run.said(again(&cycle, 1));
    assert!(said.iter().all(|it| !it.contains("stop")), "{said:?}");
}

/// "A refusal lapses after some turns, because a call that never runs cannot show that its answer has changed."
#[test]
fn a_refusal_to_finish_lapses() {
    let done = |n: usize| calls("done", &format!(r#"{{"summary":"all is done {n}"}}"#)).fails("2 tests fail");
    let mut run = run();
    run.said((0..4).map(done));
    for n in 0..12 {
        run.pass(&read(&n.to_string()), 1);
    }
    run.check(&calls("done", r#"{"summary":"now"}"#), "pass");
}

/// An edit with an argument that explains it: the same arguments again change the next place.
#[test]
fn an_edit_with_an_explanation_is_an_edit() {
    let edit = || calls("replace", r#"{"path":"a.py","old":"TODO","new":"done","why":"next one"}"#);
    let mut run = run();
    run.said(again(&[edit()], 4));
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.to_string()).collect();
    assert!(texts.iter().all(|it| !it.contains("holds already")), "{texts:?}");
}

/// The last line of a failing run is the same whatever failed; fewer failures are a changed result.
#[test]
fn fewer_failing_tests_are_a_changed_result() {
    let test = |n: usize| {
        bash("cargo test")
            .fails(&format!("test result: {n} failed\nerror: test failed, to rerun pass `--lib`"))
    };
    // The files are read again each time the tests have returned something new.
    let turns = (0..8).flat_map(|n| [test(20 - n), read("a"), read("c")]);
    silent(turns);
}

/// Two texts, and each call changes the file: an anchor and the text that is inserted after it.
#[test]
fn what_is_put_behind_an_anchor_is_not_taken_back() {
    let put = |after: &str, text: &str| {
        calls("replace", &format!(r#"{{"path":"a.md","after":"{after}","text":"{text}"}}"#))
    };
    let mut run = run();
    run.said([put("a", "b"), put("b", "a"), put("a", "b"), put("b", "a")]);
    assert_eq!(run.interventions().count(), 0);
}

/// After the refusal no call has run, so ending the run would be a guess.
#[test]
fn growing_calls_do_not_end_a_run_without_an_answer_after_the_refusal() {
    let fails = |n: usize| {
        bash(&format!(
            "import numpy as np; {} = np.linalg.inv(np.zeros((2, 2))); print('the end')",
            "v".repeat(n + 1)
        ))
        .fails("numpy.linalg.LinAlgError: Singular matrix")
    };
    let said = run().said((0..7).map(fails));
    assert!(said.iter().all(|it| !it.contains("stop")), "{said:?}");
}

/// The fix was made by a shell, and the finish would now be accepted.
#[test]
fn a_finish_that_would_be_taken_runs() {
    let fix = |n: usize| bash(&format!("sed -i s/bug{n}/ok{n}/ a.py")).answers("");
    let done = |n: usize| {
        calls("done", &format!(r#"{{"summary":"fixed {n}"}}"#)).fails(&format!("{} tests fail", 3 - n))
    };
    let mut run = run();
    run.said((0..3).flat_map(|n| [fix(n), done(n)]));
    run.said([fix(3)]);
    run.check(&calls("done", r#"{"summary":"all fixed"}"#), "pass");
}
