//! The duplicate guard against spec D7: calls that the user wants more than once, and looks at what others change.

use crate::common::duplicates::{BLOCK, SECOND, check, edit, failed, read, run};
use crate::common::{Loop, Turn, calls};
use balk_guards::Duplicate;

fn scroll() -> Turn {
    calls("send_mail", r#"{"scroll":"down"}"#).answers("ok")
}

/// After this request, so many calls pass and the next one does not.
#[track_caller]
fn wanted(request: &str, call: &Turn, times: usize) {
    let mut run = run();
    run.user(request);
    run.pass(call, times);
    run.check(call, BLOCK);
}

#[test]
fn d7_a_request_says_how_many_times_it_wants_a_call() {
    let test = calls("pytest", "{}").fails("1 failed, 11 passed");
    wanted("Run the test 7 times and count the failures.", &test, 7);
    wanted("Führe den Test siebenmal aus.", &test, 7);
    wanted("テストを7回実行してください。", &test, 7);
    wanted("Run the test and count the failures.", &test, 3);
    wanted("Run it a number of times, to see how often it fails.", &test, 10);
    wanted("Lass ihn etliche Male laufen.", &test, 10);
    // What will fail again is worth no second try, and a write that changes nothing no third.
    wanted("Read it 7 times.", &calls("read", "{}").fails("no such file: a.py"), 1);
}

#[test]
fn d7_a_step_is_wanted_as_often_as_a_number_of_the_request_says() {
    wanted("Scroll down 9 lines.", &scroll(), 9);
    wanted("Take back the last six changes.", &calls("append", "{}").answers("done"), 6);
    wanted("Read the first 9 lines.", &read(), 2);
    wanted("Fix issue 4711 of v1.9.", &scroll(), 8);
    // A number that the call has itself names something.
    let confirm = calls("append", r#"{"booking":"12"}"#).answers("ok");
    wanted("Confirm booking 12.", &confirm, 2);
    wanted("Confirm booking 12 nine times.", &confirm, 9);
    // A command of a shell is no step.
    wanted(
        "Cut off the last 9 characters.",
        &calls("bash", r#"{"command":"echo ${a:0:-9}"}"#).answers(""),
        2,
    );
}

/// A declared effect is no reason for less patience than none.
#[test]
fn d7_a_step_that_was_acknowledged_is_taken_four_times() {
    for tool in ["append", "send_mail"] {
        wanted("Ring the bell.", &calls(tool, r#"{"ring":"bell"}"#).answers("ok"), 4);
    }
    wanted("Ring the bell.", &calls("bash", r#"{"ring":"bell"}"#).answers("rung"), 4);
    // It names somebody, it is long, or its answer says more.
    wanted("Tell them.", &calls("send_mail", r#"{"to":"mia@example.org"}"#).answers("sent"), 2);
    let text = format!(r#"{{"text":"{}"}}"#, "a word and another ".repeat(5));
    wanted("Tell them.", &calls("send_mail", &text).answers("sent"), 2);
    wanted("Add it.", &calls("append", "{}").answers("a\nb"), 2);
}

/// A page has many screens, and a list many rows.
#[test]
fn d7_a_step_in_a_direction_is_taken_eight_times() {
    for tool in ["append", "send_mail", "bash"] {
        for arguments in [
            r#"{"scroll":"down"}"#,
            r#"{"at":"[label='Next month']"}"#,
            r#"{"to":"next","by":3}"#,
            r#"{"undo":true}"#,
        ] {
            wanted("Go to the end.", &calls(tool, arguments).answers("scrolled"), 8);
        }
    }
    wanted("Start it.", &calls("bash", r#"{"command":"compose up"}"#).answers("done"), 4);
    // Of a tool that may do anything, "ok" says that it was done, and what it shows is no step.
    wanted("Press it.", &calls("bash", r#"{"button":"upper"}"#).answers("ok"), 4);
    wanted("Fetch it.", &calls("bash", r#"{"item":"upper"}"#).answers("[]"), 2);
    wanted("Go to the end.", &calls("bash", r#"{"scroll":"down"}"#).answers("7\n8"), 2);
}

/// Who wants to be told when something happens wants it to be looked at; a pause before a look allows one more.
#[test]
fn d7_what_is_waited_for_is_looked_at_six_times() {
    let inbox = || calls("list_mail", "{}").answers("[]");
    for request in [
        "Wait for the confirmation mail.",
        "Sag mir Bescheid, wenn die Mail da ist.",
        "Avísame cuando llegue el correo.",
        "メールが届いたら教えてください。",
        "邮件到了告诉我。",
    ] {
        wanted(request, &inbox(), 6);
    }
    wanted("Read the confirmation mail.", &inbox(), 2);
    // What changes something brings nothing that comes by itself.
    wanted("Wait for the mail.", &calls("append", r#"{"text":"a","n":1}"#).answers("[]"), 2);
    let mut run = run();
    run.user("Wait for the confirmation mail.");
    run.pass(&inbox(), 6);
    let text = crate::common::text(&run.turn(&inbox()));
    assert!(text.contains("Else wait before you look again"), "{text}");
    run.check(&calls("bash", r#"{"command":"sleep 30"}"#).answers(""), "pass");
    run.check(&inbox(), "pass");
}

/// What has moved by itself may move again, in whatever form it answers.
#[test]
fn d7_what_has_moved_by_itself_is_looked_at_six_times() {
    let state =
        |percent: u32| calls("bash", r#"{"command":"state"}"#).answers(&format!("{{\"pct\":{percent}}}"));
    let looks = |before: &[Turn], passes: usize| {
        let all = before.iter().cloned().chain(vec![state(58); passes]).map(|turn| (turn, "pass"));
        check(&all.chain([(state(58), BLOCK)]).collect::<Vec<_>>());
    };
    looks(&[], 2);
    looks(&[state(4)], 6);
    // A change in between may have moved it.
    looks(&[state(4), edit()], 2);
    // A flaky test moves between red and green. A network that is back has not moved what is behind it.
    let test = || calls("pytest", "{}");
    let green = || test().answers("12 passed");
    let passes = |before: Turn, passes: usize| {
        let mut all = vec![(before, "pass")];
        all.extend(vec![(green(), "pass"); passes]);
        all.push((green(), BLOCK));
        check(&all);
    };
    passes(test().fails("1 failed, 11 passed"), 6);
    passes(test().fails("connection reset by peer"), 4);
}

#[test]
fn d7_each_message_of_the_user_may_want_a_step_once_more() {
    let mut run = run();
    for said in ["Next", "next", "Weiter", "次", "Next", "Next", "Next"] {
        run.user(said);
        run.check(&scroll(), "pass");
    }
    // A failure is no step that was taken, and what was read is read.
    for call in [failed(), calls("read", "{}").answers("a\nb")] {
        let mut run = Loop::new(Duplicate::default());
        run.pass(&call, 1);
        let mut said = Vec::new();
        for _ in 0..3 {
            run.user("Next");
            said.push(crate::common::outline(&run.turn(&call)));
        }
        assert!(said.contains(&BLOCK.to_owned()), "{said:?}");
    }
}

#[test]
fn d1_again_is_a_new_request_each_time() {
    for again in ["Try again.", "Noch mal", "Otra vez", "Encore une fois", "Ещё раз", "もう一度", "再试一次"]
    {
        let mut run = run();
        for _ in 0..6 {
            run.check(&failed(), "pass");
            run.user(again);
        }
    }
    let mut run = run();
    run.check(&failed(), "pass");
    run.user("Try again.");
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    check(&[(failed(), "pass"), (failed(), BLOCK), (failed(), SECOND)]);
}

/// In the sentence of a command, "until" asks for it as often as it takes.
#[test]
fn d7_a_command_that_is_to_run_until_something_is_so_may_run_on() {
    let batch = calls("bash", r#"{"command":"psql -c 'delete old'"}"#).answers("DELETE 5000");
    wanted("First clear out in batches: `psql -c 'delete old'` until fewer than 5000 go.", &batch, 10);
    wanted("Lass `psql -c 'delete old'` laufen, bis weniger gelöscht werden.", &batch, 10);
    wanted("`psql -c 'delete old'` を 5000 件未満になるまで流してください。", &batch, 10);
    wanted("Clear out with `psql -c 'delete old'`.", &batch, 4);
    // Another command, another sentence, and a failure are not meant.
    wanted("Run `psql -c 'delete new'` until fewer go.", &batch, 4);
    wanted("Run `psql -c 'delete old'`. Go on until the tests pass.", &batch, 4);
    let test = calls("bash", r#"{"command":"npm test"}"#).fails("1 failed, 11 passed");
    wanted("Run `npm test` until it passes.", &test, 3);
}

/// What names another id each time was done each time: it is no look, and nothing is waited for.
#[test]
fn d1_what_is_done_once_more_each_time_is_no_look() {
    let ids = ["aaeb13a0", "913c3b65", "88e0cded", "cb9d4152", "c7d09282", "1e5f77a3"];
    let refund = |n: usize, said: &str| {
        calls("bash", r#"{"command":"call refund K-20418"}"#).answers(&said.replace('#', ids[n]))
    };
    let passes = |said: &str, looks: bool| {
        let mut run = run();
        run.user("Give the customer 89.90 back.");
        let is_passed = |n: &usize| {
            if looks {
                run.pass(&read(), 1);
            }
            run.said([refund(*n, said)]).is_empty()
        };
        (0..ids.len()).take_while(is_passed).count()
    };
    for said in ["refund rf_# created, 89.90 EUR", "Message sent. id #", "退款 # 已创建"] {
        assert_eq!((passes(said, false), passes(said, true)), (2, 2), "{said}");
    }
    // The model is told so, also where the same comes again.
    let mut run = run();
    run.user("Give the customer 89.90 back.");
    run.said((0..5).map(|n| refund(n, "refund rf_# created")));
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.to_string()).collect();
    assert!(texts[0].contains("did its work each time, and would do it once more"), "{}", texts[0]);
    assert!(texts[1].contains("each time, and did its work each time"), "{}", texts[1]);
    // An answer to a look may have an id of its own.
    assert_eq!(passes("Parcel at the depot. id #", false), 4);
    assert_eq!(passes("Parcel at the depot. id #", true), 6);
    assert_eq!(passes("sent to the printer", true), 6);
}
