//! The progress guard: other calls with the same answer, a text that is gone over, and a job without a sign of life,
//! where it fires and where it must not (spec P1 to P3).

use std::iter::once;
use std::sync::Arc;

use crate::common::{Loop, Turn, calls};
use balk_guards::{Effect, Offer, Progress, ProgressSettings, Purpose, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("list").effect(Effect::ReadOnly),
        Tool::new("write").effect(Effect::IdempotentWrite),
        Tool::new("mail").effect(Effect::External),
        Tool::new("task"),
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("ask").effect(Effect::ReadOnly).purpose(Purpose::AskUser),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn page(n: usize, answer: &str) -> Turn {
    calls("list", &format!(r#"{{"query":"label:none","page":{n}}}"#)).answers(answer)
}

fn bash(command: &str, answer: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#)).answers_something(answer)
}

// The same answer.

#[test]
fn pages_after_the_end_of_a_list_climb_to_the_end() {
    check(
        (1..18).map(|n| page(n, "[]")),
        &["6 note same-answer 1", "13 block same-answer 2", "15 ask same-answer 3", "17 stop same-answer 4"],
    );
}

#[test]
fn pages_whose_answer_says_that_there_is_more_have_twice_the_time() {
    let scan = |n: usize, more: bool| {
        let answer = format!(r#"{{"rows":[],"cursor":"7a{n:06x}","more":{more}}}"#);
        bash(&format!("db scan --cursor 5b{n:06x}"), &answer)
    };
    check((1..14).map(|n| scan(n, true)), &["12 note same-answer 1"]);
    check((1..8).map(|n| scan(n, false)), &["6 note same-answer 1"]);
    // So have they behind one that had something.
    let full = bash("db scan --cursor 5b000000", r#"{"rows":[{"id":4}],"cursor":"7a000000","more":true}"#);
    check(once(full).chain((1..14).map(|n| scan(n, true))), &["13 note same-answer 1"]);
}

#[test]
fn a_search_in_other_words_or_a_job_given_away_again_is_met_at_the_sixth() {
    let words = ["how does it work", "best practice 2024", "manual of the vendor", "an example of it"];
    let search = |n: usize| {
        let query = format!("curl 'https://s.example/?q={} {}'", words[n % 4], n / 4);
        bash(&query, &format!("0 results (0.{n}1 s)"))
    };
    check((0..7).map(search), &["6 note same-answer 1"]);
    let silent = |n: usize| bash(&format!("rg -n '{} {}' docs", words[n % 4], n / 4), "");
    check((0..7).map(silent), &["6 note same-answer 1"]);
    let task = |n: usize| {
        let prompt = format!(r#"{{"prompt":"{}, and report in {n} lines","mode":"code"}}"#, words[n % 4]);
        calls("task", &prompt).answers(&format!("Stopped at the step limit.\n[agent 3f2b8c1{n}, {n}.2 s]"))
    };
    check((0..7).map(task), &["6 note same-answer 1"]);
}

/// In any language: three words may stand without a blank, and "none" has many names.
#[test]
fn a_search_in_other_words_of_any_language_is_met_at_the_sixth() {
    let words =
        ["tapparella bloccata", "la tapparella non va", "tapparella ferma", "blocco della tapparella"];
    let search = |n: usize, answer: &str| bash(&format!("casa cerca '{} {}'", words[n % 4], n / 4), answer);
    check((0..7).map(|n| search(n, "nessuna voce")), &["6 note same-answer 1"]);
    check((0..20).map(|n| search(n, "va bene")), &[]);
    let tasks =
        ["查一下评测为什么失败", "请调查提交失败的原因", "看看任务为何提交不了", "再查一次失败的原因"];
    let task = |n: usize| {
        calls("task", &format!(r#"{{"prompt":"{}（第{}轮）"}}"#, tasks[n % 4], n / 4))
            .answers("The agent has finished and is not sure.")
    };
    check((0..7).map(task), &["6 note same-answer 1"]);
    let page = |n: usize| bash(&format!("archief --blad {n}"), "[]");
    check((971..978).map(page), &["6 note same-answer 1"]);
}

/// An item that has answered says nothing more when it is asked again.
#[test]
fn items_that_are_asked_again_one_after_another_are_met_at_the_sixth() {
    let items =
        ["certbot-fail", "renewal-error", "ssl_error", "tls-alert", "cert-expired", "handshake", "x509"];
    let look = |n: usize| {
        bash(&format!("journalctl --since today | grep -i {}", items[n % 7]), "(no output, exit 1)")
    };
    check((0..16).map(look), &["12 note same-answer 1"]);
    // Each has another answer, or is looked at for the first time.
    let host =
        |n: usize| bash(&format!("ping -c 1 host-{}", items[n % 7]), &format!("{} ms of {}", n % 7, n % 7));
    check((0..13).map(host), &[]);
    let first = |n: usize| bash(&format!("grep -c '{}{n}' today.log", items[n % 7]), "0");
    check((0..30).map(first), &[]);
}

#[test]
fn an_answer_that_reports_an_error_in_json_is_no_word_that_it_was_done() {
    let ways = [
        "--amount 64.90",
        "--reason duplicate",
        "--output json",
        "--currency EUR",
        "--force yes",
        "--note charged-twice-says-the-customer",
        "--customer c_2201 --acknowledge",
    ];
    let refund = |n: usize, answer: &str| {
        calls("bash", &format!(r#"{{"command":"crm refund create --order 90417 {}"}}"#, ways[n]))
            .answers(answer)
    };
    let error = r#"{"error":{"code":"AMBIGUOUS","message":"Two charges fit."},"request_id":"req_2622336"#;
    check((0..7).map(|n| refund(n, &format!("{error}{n}\"}}"))), &["6 note same-answer 1"]);
    // Other arguments may be the right ones; those that were tried are refused.
    let laps = || (0..12).map(|n| refund(n % 7, &format!("{error}{n}\"}}")));
    let said = run().said(laps().chain([refund(5, "never runs")]));
    assert!(said.contains(&"13 block same-answer 2".to_owned()), "{said:?}");
    let new = calls("bash", r#"{"command":"crm refund create --order 90417 --charge ch_B2"}"#).answers("{}");
    let said = run().said(laps().chain([new]));
    assert!(!said.iter().any(|it| it.starts_with("13")), "{said:?}");
    let done = |n: usize| refund(n, r#"{"state":"accepted","order":90417}"#);
    check((0..7).map(done), &[]);
}

#[test]
fn who_asks_about_one_item_after_another_is_left_alone() {
    check((0..60).map(|n| bash(&format!("grep -c INV-20{n} ledger.csv"), "0")), &[]);
    let day = |n: usize| calls("list", &format!(r#"{{"date":"2024-05-{n}","to":"ORD"}}"#)).answers("[]");
    check((10..30).map(day), &[]);
}

/// One call about the next item has a word as its answer, or an answer about that item.
#[test]
fn the_next_try_with_a_long_answer_that_stays_is_met_at_the_twelfth() {
    const NOTHING: &str = "I looked at the ticket and read several files. I could not change anything.";
    let task = |n: usize, answer: &str| {
        let prompt = format!(r#"{{"prompt":"Finish the ticket and close it (attempt {n}).","mode":"code"}}"#);
        calls("task", &prompt).answers(answer)
    };
    let expected = ["12 note same-answer 1", "25 block same-answer 2"];
    check((1..26).map(|n| task(n, NOTHING)), &expected);
    check((1..40).map(|n| task(n, "Nothing was changed.")), &[]);
    check((1..40).map(|n| task(n, &format!("{NOTHING} It has {} lines.", n * n))), &[]);
    let send = |n: usize| {
        let prompt = format!(r#"{{"text":"Look again, for the {n}th time, please."}}"#);
        calls("mail", &prompt).answers(NOTHING)
    };
    check((1..26).map(send), &expected);
    // One address after another, and one name after another.
    let to = |n: usize| calls("mail", &format!(r#"{{"to":"user{n}@a.example"}}"#)).answers(NOTHING);
    check((1..40).map(to), &[]);
}

/// A clock or a nonce in a call asks for nothing.
#[test]
fn a_call_with_ever_another_token_and_the_same_answer_is_met_at_the_sixth() {
    let ping = |n: usize| {
        bash(
            &format!("hub ping --request {:02}:{:02}:{n:02}", n * 7 % 24, n * 13 % 60),
            "the hub is in safe mode",
        )
    };
    check((1..8).map(ping), &["6 note same-answer 1"]);
    let ids = ["1f559c2e", "c9538428", "ef4cb295", "7f7fdfd7", "bbf5c450", "bd8c504e", "ae9e8fd8"];
    let nonce = |id: &str| bash(&format!("hub ping --nonce {id}"), "the hub is in safe mode");
    check(ids.map(nonce), &["6 note same-answer 1"]);
    let news =
        |n: usize| bash(&format!("hub ping --request 10:{n:02}:{:02}", n * 7 % 60), &format!("item {n}"));
    check((1..20).map(news), &[]);
}

/// An answer that is new begins the count anew; one that a call of the row had before does not.
#[test]
fn answers_that_came_before_are_no_news() {
    const ANSWERS: [&str; 3] =
        ["I may not write here.", "The right to write is missing.", "Read everything, wrote nothing."];
    let words = [
        "fix the build",
        "see why it fails",
        "make it pass again",
        "repair what is broken",
        "finish the job",
    ];
    let task = |n: usize, answer: &str| {
        let prompt = format!(r#"{{"prompt":"{}, {} please","mode":"code"}}"#, words[n % 5], words[n / 5 % 5]);
        calls("task", &prompt).answers(answer)
    };
    check((0..9).map(|n| task(n, ANSWERS[n * 7 % 3])), &["8 note same-answer 1"]);
    let mut run = run();
    run.said((0..9).map(|n| task(n, ANSWERS[n * 7 % 3])));
    let text = run.interventions().next().expect("a note").note.text.to_string();
    assert!(text.contains("only answers that came before"), "{text}");
    check((0..24).map(|n| task(n, &format!("{} It is step {}.", ANSWERS[n % 3], n * n))), &[]);
}

#[test]
fn what_was_known_before_does_not_part_a_row_and_news_do() {
    let look = || calls("list", r#"{"path":"."}"#).answers("README.md");
    let turns = [look(), page(1, "[]"), page(2, "[]"), page(3, "[]"), look()];
    let turns = turns.into_iter().chain((4..8).map(|n| page(n, "[]")));
    check(turns, &["8 note same-answer 1"]);
    let news = |n: usize| calls("list", &format!(r#"{{"path":"d{n}"}}"#)).answers(&format!("file {n}"));
    check((1..20).flat_map(|n| [page(n, "[]"), news(n)]), &[]);
}

#[test]
fn pages_that_bring_something_acknowledgements_and_batches_are_left_alone() {
    check((1..40).map(|n| page(n, &format!("[{n}]"))), &[]);
    check((1..40).map(|n| page(n, if n % 5 == 0 { "[7]" } else { "[]" })), &[]);
    // A batch of changes by a shell gets the same word, or none, each time.
    for done in ["", "ok", "done"] {
        check((1..40).map(|n| bash(&format!("mv a{n} b{n}"), done)), &[]);
        check((1..40).map(|n| bash(&format!("sed -i s/x/y/ page {n}"), done)), &[]);
    }
    // One mail to each of many people, and one file after another.
    let mail = |n: usize| {
        let invoice = format!(r#"{{"to":"user{n}@a.example","body":"Invoice {n} is due today."}}"#);
        calls("mail", &invoice).answers("The mail was sent to its recipient.")
    };
    check((1..40).map(mail), &[]);
    let notice = |n: usize| {
        calls("write", &format!(r#"{{"path":"p{n}/NOTICE","content":"All rights reserved."}}"#))
            .answers("The file was written, 20 bytes.")
    };
    check((1..40).map(notice), &[]);
}

#[test]
fn a_new_request_begins_anew() {
    let mut run = run();
    let mut said = run.said((1..6).map(|n| page(n, "[]")));
    run.user("Look at the labels of the other project too, please.");
    said.extend(run.said((6..11).map(|n| page(n, "[]"))));
    assert_eq!(said, [""; 0]);
}

// A text that is gone over.

fn write(path: &str, text: &str) -> Turn {
    calls("write", &format!(r#"{{"path":"{path}","content":"{text}"}}"#)).answers("written")
}

const STEPS: &str = "read the log, decide what changes, change it, check it";

#[test]
fn a_file_written_over_with_nothing_in_between_is_met_at_the_fifth() {
    check((10..16).map(|n| write("PLAN.md", &format!("version {n}: {STEPS}"))), &["5 note rewriting 1"]);
    let todo = |n: usize| {
        let more = ", consider the risks".repeat(n % 2);
        calls("write", &format!(r#"{{"todos":"{STEPS}{more}, version {n}"}}"#)).answers("updated")
    };
    check((0..8).map(todo), &["6 note rewriting 1"]);
}

#[test]
fn a_plan_gone_over_in_its_own_words_is_met_whatever_is_read_again_in_between() {
    let keeps = |text: &str| calls("write", &format!(r#"{{"todos":"{text}"}}"#)).answers("updated");
    let plans = [
        "look at the log, change the limit, write it down",
        "understand the log, carry out the change, check, write a note",
        "draft: the limit, carry it out, a note",
    ];
    let look = || page(1, "limit = 3");
    let again = |n: usize| keeps(plans[n % 3]);
    let turns = [look()].into_iter().chain((0..4).map(again)).chain([look()]).chain((4..8).map(again));
    check(turns, &["8 note rewriting 1"]);
    // A value out of few words, and a text with an answer of its own.
    let values = ["red and dim", "dim and red", "red, dim", "dim, red", "and red, dim", "and dim, red"];
    let known = || (1..6).map(|n| page(n, &format!("row {n}")));
    let between = known().zip(values).flat_map(|(look, value)| [keeps(value), look]);
    check(known().chain(between).chain([keeps(values[5])]), &[]);
    let asks = |n: usize| {
        let text = format!(r#"{{"todos":"{}"}}"#, plans[n % 3]);
        calls("write", &text).answers(["the log is next", "the limit is next", "ask Ann", "done?"][n % 4])
    };
    check((0..9).map(asks), &[]);
    // Texts of so many words that the last ones seem to have been there.
    let words = |n: usize| (0..60 - 20 * (n % 2)).map(|at| format!("w{n}x{at}")).collect::<Vec<_>>();
    check((0..60).map(|n| keeps(&words(n).join(" "))), &[]);
    // A plan that gets a new item each time, or is brought up to date beside work, is none.
    let items =
        ["mail Ann", "find the bug in search", "log out", "back up the disk", "export rows", "new theme"];
    check((0..6).map(|n| keeps(items[n])), &[]);
    let works =
        |n: usize| [keeps(plans[n % 3]), write(&format!("{n}.md"), "done"), page(n, &format!("row {n}"))];
    check((0..8).flat_map(works), &[]);
}

#[test]
fn a_text_that_grows_is_another_or_is_checked_is_no_rewriting() {
    check((1..30).map(|n| write("a.md", &"one more line of it. ".repeat(n))), &[]);
    let case = |n: usize| {
        let names: Vec<_> = (0..9).map(|at| format!("case{n}x{at}")).collect();
        write("tests.py", &names.join(" "))
    };
    check((10..30).map(case), &[]);
    let checked =
        |n: usize| [write("a.md", &format!("version {n}: {STEPS}")), bash("make check", "all good")];
    check((10..30).flat_map(checked).take(20), &[]);
    check((10..30).map(|n| write(&format!("{n}/a.md"), STEPS)), &[]);
    let key = |n: usize| calls("write", &format!(r#"{{"key":"k{n}{n}","value":"{STEPS} {}"}}"#, n * n));
    check((1..5).map(|n| key(n).answers("stored")), &[]);
}

// A job.

#[test]
fn a_job_without_a_sign_of_life_is_looked_at_and_not_waited_for() {
    let poll = |answer: &str| calls("bash", r#"{"command":"job 7"}"#).answers_something(answer);
    let mut still = run();
    let said = still.said((0..18).map(|_| poll("0 of 3 replicas are ready, waiting")));
    assert_eq!(said, ["10 note waiting 1", "16 block waiting 2", "17 ask waiting 3"]);
    let text = still.interventions().next().expect("a note").note.text.to_string();
    assert!(text.contains("the answer did not change") && text.contains("log"), "{text}");
    // One that differs a little is alive.
    let mut alive = run();
    let said = alive.said((0..18).map(|n| poll(&format!("running, step {} of 90", n % 5))));
    let text = alive.interventions().next().map(|it| it.note.text.to_string()).unwrap_or_default();
    assert!(!text.contains("alive") && said.iter().all(|it| !it.contains("block")), "{said:?} {text}");
}

#[test]
fn pauses_that_look_at_nothing_are_met_at_the_sixth_however_long_they_are() {
    let pause = |n: usize| bash(&format!("sleep {}", 10 * n), "");
    let said = run().said((1..14).map(pause));
    assert_eq!(said, ["6 note waiting 1", "13 block waiting 2"]);
    check((1..7).map(|n| bash(&format!("sleep {n} && echo waited"), "waited")), &["6 note waiting 1"]);
    // One that looks, one that waits for something, and one with a look after it.
    check((1..7).map(|n| bash(&format!("sleep {n}; tail -n 1 job.log"), "running")), &[]);
    check((1..7).map(|n| bash(&format!(r#"sleep {n} && echo \"at\" && curl localhost"#), "up")), &[]);
    check((1..7).map(|n| bash(&format!(r"sleep {n} && echo at\ncurl localhost"), "up")), &[]);
    check((1..7).map(|n| calls("wait", &format!(r#"{{"message_of":"ann","s":{n}}}"#)).answers("none")), &[]);
    check((1..7).map(|n| calls("wait", &format!(r#"{{"job":"{n}"}}"#)).answers("none")), &[]);
    check((1..7).map(|n| bash(&format!("make all & sleep {n}"), "")), &[]);
    let described =
        |n: usize| format!(r#"{{"description":"sleep {n}","command":"sleep {n} && curl localhost"}}"#);
    check((1..7).map(|n| calls("bash", &described(n)).answers("up")), &[]);
    check((1..7).flat_map(|n| [pause(n), bash("tail -n 1 job.log", &format!("{n} of 9"))]), &[]);
    // What each of them answers is something else, or a picture.
    let answers = ["one", "two", "three", "four", "five", "six", "seven"];
    check((0..7).map(|n| bash(&format!("sleep {n} && echo {}", answers[n]), answers[n])), &[]);
    check((1..9).map(|n| calls("wait", &format!(r#"{{"seconds":{n}}}"#)).answers("[image]")), &[]);
    // Equal ones count from the last look on as well.
    let equal = |n: usize| if n == 4 { page(n, "row 1") } else { bash("sleep 60", "") };
    check((1..12).map(equal), &["10 note waiting 1"]);
    let off = ProgressSettings { same_answers: 0, ..ProgressSettings::default() };
    let mut run = Loop::new(Progress::new(off));
    assert_eq!(run.said((1..12).map(|_| bash("sleep 60", ""))), ["10 note waiting 1"]);
}

#[test]
fn a_message_about_pauses_does_not_speak_of_something_that_runs() {
    let mut run = run();
    run.said((1..7).map(|n| bash(&format!("sleep {n}"), "")));
    let text = run.interventions().next().expect("a note").note.text.to_string();
    assert!(text.contains("nothing but pause") && !text.contains("still running"), "{text}");
}

fn ask(question: &str, answer: &str) -> Turn {
    calls("ask", &format!(r#"{{"question":"{question}"}}"#)).answers(answer)
}

#[test]
fn a_question_that_was_answered_with_yes_is_not_asked_again() {
    let asked = [
        ("May I write docs/setup.md now?", "Yes."),
        ("Just to be sure: may I create docs/setup.md?", "Sure, as I said."),
        ("谢谢！那我现在写docs/setup.md，可以吗？", "可以。"),
        ("Ist es recht, wenn ich docs/setup.md schreibe?", "Ja, leg los."),
    ];
    let told = run().said(asked.map(|(question, answer)| ask(question, answer)));
    assert_eq!(told, ["3 note same-answer 1"]);
}

#[test]
fn a_yes_is_known_in_the_forms_in_which_harnesses_hand_it_on() {
    let asked = |n: usize| format!("Rename docs/setup.md now? (attempt {n})");
    for (one, other) in [
        ("User: yes. (10:30:17)", "User: yes. (10:31:40)"),
        ("The user answered: yes, go ahead.", "User: ok"),
        (r#"{\"answer\": \"yes\"}"#, "Antwort: ja"),
    ] {
        let told = run().said((1..4).map(|n| ask(&asked(n), if n % 2 == 0 { one } else { other })));
        assert_eq!(told, ["3 note same-answer 1"], "{one}");
    }
    let choices =
        [r#"{\"answer\": \"no\", \"status\": \"ok\"}"#, "User: MIT (ok)", "User: yes (all but docs/old)"];
    check(choices.into_iter().enumerate().map(|(n, it)| ask(&asked(n), it)), &[]);
}

#[test]
fn other_questions_other_answers_and_a_deed_in_between_are_left_alone() {
    check(["TypeScript", "ESLint", "Prettier", "Vitest"].map(|it| ask(&format!("Use {it}?"), "Yes.")), &[]);
    let answers = ["Yes, but not in docs/old.", "The one of May.", "Only the first page.", "As Markdown."];
    check(answers.map(|it| ask("How shall I write docs/setup.md, and from what?", it)), &[]);
    let again = |n: usize| {
        let write =
            calls("write", &format!(r#"{{"path":"docs/{n}.md","content":"{n}"}}"#)).answers("written");
        [ask(&format!("May I write docs/{n}.md now?"), "Yes."), write]
    };
    check((0..6).flat_map(again), &[]);
}
