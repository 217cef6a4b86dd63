//! What is learnt from texts, beginning with a profile of which nothing is known.

use proptest::prelude::*;

use super::*;
use crate::agents::profile::Place;

const NOTHING: &str = "format = 1\nagent = \"new\"\nversion = \"1\"\n";

fn shown(run: &str, place: Place, text: &str, said: Option<&str>, failed: bool) -> Shown {
    Shown { run: run.into(), place, text: text.into(), said: said.map(Into::into), failed }
}

fn user(run: &str, text: &str, said: Option<&str>) -> Shown {
    shown(run, Place::User, text, said, false)
}

fn result(run: &str, text: &str, said: &str, failed: bool) -> Shown {
    shown(run, Place::Result, text, Some(said), failed)
}

#[track_caller]
fn learnt(runs: usize, shown: Vec<Shown>) -> Learnt {
    let healthy = Healthy { runs, shown, asides: Vec::new() };
    let learnt = learn("new.toml", NOTHING, &healthy).expect("a profile");
    let again = learn("new.toml", &learnt.profile, &healthy).expect("a profile");
    assert_eq!(again.new, 0, "the second time finds more:\n{}", again.profile);
    learnt
}

/// The tables that are new, without the comments about what was seen.
#[track_caller]
fn check(runs: usize, shown: Vec<Shown>, expected: &str) {
    let Learnt { profile, left, .. } = learnt(runs, shown);
    let new = profile.strip_prefix(NOTHING).expect("what is known stays");
    let tables: Vec<&str> = new.lines().filter(|it| !it.starts_with("# ")).collect();
    assert_eq!(tables.join("\n").trim(), expected.trim());
    assert_eq!(left, []);
}

#[test]
fn what_is_around_results_is_learnt_with_the_status() {
    let shell = |run: &str, id: &str, code: u32, said: &str| {
        let text = format!("Chunk: {id}\nWall time: 0.0{code} s\nexited with code {code}\nOutput:\n{said}\n");
        result(run, &text, said, code != 0)
    };
    let all = vec![
        shell("a", "c3f", 0, "three files"),
        shell("a", "d41", 2, "no such file"),
        shell("b", "e0a", 0, "four files"),
    ];
    let text = "\"\"\"\nChunk: {*}\nWall time: {*}\nexited with code {status}\nOutput:\n{says}\"\"\"";
    check(2, all, &format!("[[around]]\nwhat = \"result\"\ntext = {text}"));
}

#[test]
fn what_is_around_failures_alone_says_that_they_failed() {
    let failure = |run: &str, said: &str| result(run, &format!("<error>{said}</error>"), said, true);
    let all = vec![failure("a", "not there"), failure("b", "a folder")];
    check(2, all, "[[around]]\nwhat = \"result\"\ntext = \"<error>{says}</error>\"\nfailed = true");
}

#[test]
fn where_only_failures_have_a_status_other_results_worked() {
    let shell = |run: &str, code: &str, said: &str, failed| {
        result(run, &format!("Output: {said}{code}\nEnd"), said, failed)
    };
    let all = vec![
        shell("a", "\nExit code: 2", "no such file", true),
        shell("a", "", "three files", false),
        shell("b", "\nExit code: 1", "not a folder", true),
        shell("b", "", "four files", false),
    ];
    let table = |text: &str| {
        format!("[[around]]\nwhat = \"result\"\ntext = \"\"\"\nOutput: {{says}}\n{text}End\"\"\"")
    };
    check(2, all, &format!("{}\n\n{}\nfailed = false", table("Exit code: {status}\n"), table("")));
}

#[test]
fn results_as_json_are_learnt() {
    let json = |run: &str, code: u32, said: &str| {
        let text = serde_json::json!({ "returncode": code, "output": said });
        result(run, &serde_json::to_string_pretty(&text).expect("JSON"), said, code > 0)
    };
    let all = vec![json("a", 0, "one\n\"two\"\n"), json("b", 1, "no\nfile\n"), json("b", 0, "three\n")];
    let text = "\"\"\"\n{{\n  \"output\": {json},\n  \"returncode\": {status}\n}}\"\"\"";
    check(2, all, &format!("[[around]]\nwhat = \"result\"\ntext = {text}"));
}

#[test]
fn a_part_of_a_long_output_is_learnt() {
    let long = |seed: &str| (0..90).map(|at| format!("{seed} line {at}")).collect::<Vec<_>>().join("\n");
    let cut = |run: &str, seed: &str| {
        let said = long(seed);
        result(run, &format!("Too long, see /tmp/{run}. It begins:\n{}\n[cut]", &said[..300]), &said, false)
    };
    let Learnt { profile, left, .. } = learnt(2, vec![cut("a", "red"), cut("b", "green")]);
    assert_eq!(left, []);
    assert!(profile.contains("Too long, see {*} It begins:\n{says}\n[cut]"), "{profile}");
}

#[test]
fn what_is_added_around_a_task_is_learnt_block_by_block() {
    let task = |run: &str, day: u32, said: &str| {
        let text = format!(
            "<reminder>\nToday's date is 2026-11-{day}.\nDo not mention it.\n</reminder>\n\n<reminder>\nThe \
             following skills are there:\n- one {run}\n</reminder>\n\n{said}"
        );
        user(run, &text, Some(said))
    };
    let all = vec![task("a", 11, "Write a poem."), task("b", 12, "Sort the list.")];
    let date = "\"\"\"\n<reminder>\nToday's date is {*}</reminder>\"\"\"";
    let skills = "\"\"\"\n<reminder>\nThe following skills are there:{*}</reminder>\"\"\"";
    let added = |text: &str| format!("[[added]]\nto = \"user\"\ntext = {text}");
    check(2, all, &format!("{}\n\n{}", added(skills), added(date)));
}

#[test]
fn a_text_that_only_one_of_several_runs_has_is_no_habit() {
    let word = "System: you repeat yourself, try something else.";
    let Learnt { new, left, .. } = learnt(4, vec![user("a", word, None), user("a", word, None)]);
    assert_eq!((new, left.len()), (0, 2));
    let Learnt { new, left, .. } = learnt(2, vec![user("a", word, None), user("b", word, None)]);
    assert_eq!((new, left.len()), (1, 0));
}

#[test]
fn a_short_answer_that_is_anywhere_says_nothing() {
    let all = vec![result("a", "no token, no", "no", false), result("b", "a note", "not", false)];
    assert_eq!(learnt(2, all).new, 0);
}

#[test]
fn requests_beside_the_task_are_named_after_what_they_ask_for() {
    let aside = |run: &str, system: &str, tools| Aside { run: run.into(), system: system.into(), tools };
    let asides = vec![
        aside("a", "You are a title generator. Today is 2026-11-27", false),
        aside("b", "You are a title generator. Today is 2026-11-28", false),
        aside("a", "Now extract memories", true),
        aside("b", "Now extract memories", true),
        aside("b", "Only once", true),
    ];
    let healthy = Healthy { runs: 2, shown: Vec::new(), asides };
    let Learnt { profile, new, .. } = learn("new.toml", NOTHING, &healthy).expect("a profile");
    assert_eq!(new, 2);
    let title = "name = \"title\"\nsystem = \"You are a title generator. Today is\"\ntools = false\n";
    assert!(profile.contains(title), "{profile}");
    assert!(profile.contains("name = \"memory\"\nsystem = \"Now extract memories\"\n"), "{profile}");
    let known = parse("new.toml", &profile).expect("a profile");
    assert_eq!(known.side_call("You are a title generator. Today is 2026-12-01", 0), Some("title"));
}

#[test]
fn dates_are_not_of_the_pattern() {
    let all =
        ["a", "b"].map(|run| user(run, "<now>\nToday is Friday, 27 November 2026. Work on.</now>", None));
    check(
        2,
        all.to_vec(),
        "[[added]]\nto = \"user\"\ntext = \"\"\"\n<now>\nToday is {*} Work on.</now>\"\"\"",
    );
    let no_date = ["a", "b"].map(|run| user(run, "<now>\nYou May go on. March with care.</now>", None));
    let text = "\"\"\"\n<now>\nYou May go on. March with care.</now>\"\"\"";
    check(2, no_date.to_vec(), &format!("[[added]]\nto = \"user\"\ntext = {text}"));
}

#[test]
fn what_comes_after_the_words_of_a_tool_is_learnt() {
    let all = ["a", "b"].map(|run| result(run, "three files (of the cache)", "three files", false));
    check(2, all.to_vec(), "[[around]]\nwhat = \"result\"\ntext = \"{says} (of the cache)\"");
}

proptest! {
    /// Whatever agents send: what is learnt is a profile, it says nothing twice, and a second time finds nothing.
    #[test]
    fn what_is_learnt_is_a_profile(
        texts in prop::collection::vec(
            ("[<>/a-z {}\"'\\\\\n0-9é]{0,40}", "[a-z {}\"\n0-9]{0,12}", "[<>/a-z\n:{}]{0,20}"),
            0..6,
        ),
        one in any::<bool>(),
    ) {
        let mut all = Vec::new();
        for (at, (before, said, after)) in texts.iter().enumerate() {
            let run = if at % 2 == 0 { "a" } else { "b" };
            let text = format!("{before}{said}{after}");
            all.push(result(run, &text, said, at % 3 == 0));
            all.push(user(run, &text, (at % 3 > 0).then_some(said)));
        }
        learnt(if one { 1 } else { 2 }, all);
    }
}
