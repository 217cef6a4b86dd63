//! Files that do not end where their runs do: cut off, torn, or with more behind them.

use std::fs;

use balk::import::reading::Ending;

use super::{ended, logs};
use crate::common::program::{balk, ran};

/// A run of tau-bench.
fn run(id: u32) -> String {
    format!(r#"{{"task_id": {id}, "reward": 0.0, "traj": [{{"role": "user", "content": "x"}}]}}"#)
}

/// A run of tau2-bench.
fn simulation(id: u32) -> String {
    format!(r#"{{"id": "{id}", "messages": [{{"role": "user", "content": "x"}}]}}"#)
}

/// Runs with the ids from 1 up to this one are found, nothing else, and the file breaks off for this reason, if any.
#[track_caller]
fn check(file: &str, runs: u32, broken: Option<(u64, &str)>) {
    let (found, ending) = ended(file.as_bytes(), None);
    let found: Vec<_> = found
        .into_iter()
        .map(|(_, it)| it.map(|it| it.id.to_string()).map_err(|bad| bad.to_string()))
        .collect();
    assert_eq!(found, (1..=runs).map(|id| Ok(id.to_string())).collect::<Vec<_>>(), "{file}");
    let why = match ending {
        Ending::Read(_) => None,
        Ending::Broken { after_line, error } => Some((after_line, error.to_string())),
        Ending::Unknown => panic!("of no format: {file}"),
    };
    assert_eq!(why.as_ref().map(|(line, why)| (*line, why.as_str())), broken, "{file}");
}

#[test]
fn a_list_that_breaks_off_is_broken_after_its_whole_elements() {
    let off = Some((3, "[2]: the list breaks off"));
    for end in [&run(3)[..30], "{\"", "", "  \n"] {
        let line = if end.contains('\n') { 4 } else { 3 };
        let whole = format!("[{},\n {},\n{end}", run(1), run(2));
        check(&whole, 2, off.map(|(_, why)| (line, why)));
    }
    check(&format!("[{},\n{}", run(1), run(2)), 2, Some((2, "[2]: the list breaks off")));
    let document = |end: &str| format!("{{\"info\": {{}},\n\"simulations\": [{},\n{end}", simulation(1));
    check(&document(&simulation(2)[..30]), 1, Some((3, "simulations[1]: the list breaks off")));
}

/// After a line feed in a string, which JSON has not, it is unknown what is text and what is not.
#[test]
fn a_list_with_a_torn_text_is_broken_there() {
    let torn = run(2).replace("\"x\"", "\"a\nb\"");
    let why = "[1]: a line feed in a string, so what follows cannot be told apart";
    check(&format!("[{},\n{torn},\n{}]", run(1), run(3)), 1, Some((2, why)));
}

#[test]
fn what_follows_a_list_is_said() {
    let why = "more after the end; a file has one list of runs";
    let list = format!("[{},\n{}]", run(1), run(2));
    for end in ["", "\n", " \r\n\t\n"] {
        check(&format!("{list}{end}"), 2, None);
    }
    for end in ["[", ",", "]", "x", "\0", &list] {
        check(&format!("{list}{end}"), 2, Some((2, why)));
        check(&format!("{list}\n{end}"), 2, Some((3, why)));
    }
    let on_one_line = format!("[{}][{}]", run(1), run(2));
    check(&on_one_line, 1, Some((1, why)));
}

#[test]
fn what_follows_the_list_of_a_document_is_said() {
    let document = |end: &str| {
        format!("{{\"info\": {{}},\n\"simulations\": [{},\n{}]{end}", simulation(1), simulation(2))
    };
    let long = format!(", \"x\": \"{}\"}}", "y\\\\\\\"]}".repeat(200_000));
    for end in ["}", "\n}\n", ", \"x\": {\"y\": [\"]}\", \"\\\"\", \"\\\\\"]}, \"z\": NaN}", &long] {
        check(&document(end), 2, None);
    }
    let off = "after `simulations`: the document breaks off";
    for end in ["", ",", ", \"x\": {}", ", \"x\": \"", ", \"x\": [1, 2", &long[..long.len() - 1]] {
        check(&document(end), 2, Some((3, off)));
    }
    check(
        &document(", \"x\": \"a\nb\"}"),
        2,
        Some((3, "after `simulations`: a line feed in a string, so what follows cannot be told apart")),
    );
    let why = "more after the end; a file has one list of runs";
    let again = document("}");
    for end in ["}", "x", "[]", &again] {
        check(&document(&format!("}}{end}")), 2, Some((3, why)));
    }
}

/// However much is missing at its end, a file with one JSON value is never taken for a whole one. What is read of a
/// list that breaks off is what is read of all of it.
#[test]
fn a_value_that_is_cut_anywhere_is_not_whole() {
    let mut lists = 0;
    for (file, bytes) in logs() {
        if file.ends_with(".jsonl") || file.ends_with(".yaml") {
            continue;
        }
        let whole = bytes.trim_ascii_end();
        let (all, _) = ended(whole, None);
        for at in (1..whole.len()).step_by(7) {
            let (found, ending) = ended(&whole[..at], None);
            if matches!(ending, Ending::Broken { .. }) {
                assert!(all.starts_with(&found), "{file}: the first {at} bytes");
                lists += 1;
            } else {
                assert!(found.iter().any(|(_, it)| it.is_err()), "{file}: the first {at} bytes");
            }
        }
    }
    assert!(lists > 100, "{lists}");
}

/// What was never read may be the worst of it, so no gate says that all is well.
#[test]
fn no_command_is_content_with_a_part_of_a_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = format!("[{}]", (0..500).map(run).collect::<Vec<_>>().join(",\n"));
    fs::write(folder.path().join("whole.json"), &whole).expect("a file");
    let cut = &whole[..whole.len() / 2];
    let lines_of_cut = cut.lines().count();
    fs::write(folder.path().join("cut.json"), cut).expect("a file");
    fs::write(folder.path().join("two.json"), whole.repeat(2)).expect("a file");
    let commands: [&[&str]; 3] =
        [&["import"], &["replay", "--guard", "default"], &["triage", "--fail-on", "stuck_runs>0"]];
    for command in commands {
        let run = |file: &str| ran(&mut balk(folder.path(), &[command, &[file]].concat()));
        let (code, _, err) = run("whole.json");
        assert_eq!(code, 0, "{command:?} {err}");
        for (file, line, why) in [
            ("cut.json", lines_of_cut, "the list breaks off"),
            ("two.json", 500, "more after the end; a file has one list of runs"),
        ] {
            let (code, _, err) = run(file);
            assert_eq!(code, 3, "{command:?} {file} {err}");
            let place =
                format!("{file}: after line {line}: expected a file that can be read to its end, found ");
            assert!(err.contains(&place) && err.contains(why), "{command:?} {file} {err}");
        }
    }
}
