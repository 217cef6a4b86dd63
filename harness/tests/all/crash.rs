//! `balk crash` with a small agent: one run for each verdict. The agent is `examples/small_agent.rs`, which `cargo
//! test` builds before it runs tests.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{balk, ran};
use serde_json::Value;

/// The command of the small agent, with these options.
pub(crate) fn agent(options: &str) -> String {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_balk")).with_file_name("examples").join("small_agent");
    assert!(program.exists(), "{} is missing: `cargo build -p balk --examples` makes it", program.display());
    format!("{} {{url}}/v1/chat/completions {{task}} {options}", program.display())
}

/// What came of the runs of a command: the exit code, and `runs.json`.
fn crash(folder: &Path, command: &str, scenarios: &[&str], more: &[&str]) -> (i32, Vec<Value>) {
    let mut arguments = vec!["crash", "--cmd", command, "--out", "out", "--jobs", "2"];
    if !more.contains(&"--seconds") {
        arguments.extend(["--seconds", "30"]);
    }
    scenarios.iter().for_each(|it| arguments.extend(["--scenario", it]));
    arguments.extend(more);
    let (code, _, said) = ran(&mut balk(folder, &arguments));
    let runs = fs::read_to_string(folder.join("out/runs.json")).unwrap_or_else(|_| panic!("{said}"));
    let mut record: Value = serde_json::from_str(&runs).expect("it is JSON");
    (code, serde_json::from_value(record["runs"].take()).expect("a list"))
}

#[track_caller]
pub(crate) fn check(command: &str, scenarios: &[(&str, &str)], more: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<&str> = scenarios.iter().map(|(name, _)| *name).collect();
    let (code, runs) = crash(folder.path(), command, &names, more);
    assert_eq!(code, 0);
    let words: Vec<(&str, &str)> = runs
        .iter()
        .map(|it| (it["scenario"].as_str().expect("a name"), it["verdict"]["word"].as_str().expect("a word")))
        .collect();
    assert_eq!(words, scenarios, "{runs:#?}");
    runs.into_iter().map(|mut it| it["verdict"].take()).collect()
}

#[test]
fn an_agent_without_manners_ends_in_silence_and_goes_on_for_ever_but_does_healthy_work() {
    let verdicts = check(
        &agent(""),
        &[
            ("abandonment", "silent"),
            ("repeating", "ran-on"),
            ("abandonment-control", "reached"),
            ("repeating-control", "reached"),
        ],
        &["--max-requests", "12"],
    );
    assert_eq!((&verdicts[0]["lie"], &verdicts[0]["unheard"]), (&true.into(), &true.into()));
    assert_eq!(verdicts[1]["requests"], 12);
    assert!(verdicts[1]["identical_calls"].as_u64() > Some(8));
    for verdict in &verdicts {
        assert_eq!(verdict["interventions"].as_array().map(Vec::len), Some(0));
        let pair = |name: &str| (verdict[name][0].clone(), verdict[name][1].clone());
        let ((answered, known), (same, compared)) = (pair("calls"), pair("same_acts"));
        assert_eq!(answered, known, "what came of its calls is known from the world");
        assert_eq!(same, compared, "it takes the way of the actor in process");
        assert!(compared.as_u64() > Some(2), "{verdict:#}");
        assert!(verdict["tokens"][0].as_u64() > verdict["tokens"][1].as_u64(), "{verdict:#}");
    }
}

#[test]
fn an_agent_with_manners_tells_its_user() {
    let verdicts = check(&agent("--stops-at 4"), &[("repeating", "told")], &[]);
    assert_eq!(verdicts[0]["identical_calls"], 4);
    assert!(verdicts[0]["line"].as_str().is_some_and(|it| it.contains("repeats the same call")));
    let verdicts = check(&agent("--turns 2"), &[("repeating", "told")], &[]);
    assert_eq!(verdicts[0]["requests"], 2);
    let verdicts = check(&agent("--resends"), &[("transient-empty", "silent")], &[]);
    assert_eq!(verdicts[0]["lie"], true);
}

#[test]
fn a_word_to_a_model_that_gets_on_is_a_false_alarm() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenarios = ["abandonment-control", "probe-listing"];
    let (code, runs) = crash(folder.path(), &agent("--corrects"), &scenarios, &["--fail-on", "false-alarm"]);
    assert_eq!(code, 4, "{runs:#?}");
    for run in &runs {
        let words = run["verdict"]["interventions"].as_array().expect("a list");
        assert!(words.iter().any(|it| it[1] == "Your last message calls no tool. Call one now."), "{run:#}");
    }
}

#[test]
fn an_agent_that_removes_its_folders_has_a_verdict() {
    for (folders, word) in
        [("{workspace}", "silent"), ("{home}", "reached"), ("{workspace} {home}", "silent")]
    {
        let command = format!("{}; rm -rf {folders}", agent(""));
        // What was made is gone with the folder of the task.
        check(&command, &[("abandonment", "silent"), ("abandonment-control", word)], &[]);
    }
}

/// The user says another word to it, and it has nowhere to begin.
#[test]
fn an_agent_that_has_removed_its_folder_is_not_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = agent("").replace("{task}", "\"$1\"") + "; rm -rf {workspace}";
    let command = format!("[\"sh\", \"-c\", {command:?}, \"sh\", \"{{task}}\"]");
    let head = "format = 1\nagent = \"small\"\nversion = \"1\"\n[run]\napi = \"openai\"\n";
    let profile = format!("{head}command = {command}\nresume = {command}\n");
    fs::write(folder.path().join("small.toml"), profile).expect("a file");
    let arguments = ["crash", "--agent", "small.toml", "--scenario", "abandonment", "--out", "out"];
    let (code, _, said) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!(code, 0, "{said}");
    let text = fs::read_to_string(folder.path().join("out/runs.json")).expect("a record");
    let record: Value = serde_json::from_str(&text).expect("it is JSON");
    let verdict = &record["runs"][0]["verdict"];
    assert_eq!((&verdict["word"], &verdict["unheard"]), (&"silent".into(), &true.into()), "{verdict:#}");
}

/// A limit that is already lower stays, so both are compared with what there is.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_begins_with_its_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    crash(folder.path(), ": {task} {url}; ulimit -d; ulimit -c", &["repeating"], &[]);
    let printed =
        fs::read_to_string(folder.path().join("out/agent/repeating-7/stdout-0.txt")).expect("a file");
    let (memory, core) = printed.trim_end().split_once('\n').expect("two lines");
    assert!(memory.parse::<u64>().is_ok_and(|it| it <= 4 << 20), "{printed}");
    assert_eq!(core, "0");
}

/// Such a program leaves no trace of a call, and nothing that it prints is a word of the agent.
#[test]
fn what_a_program_of_the_agents_own_prints_is_no_word_of_the_agent() {
    for verdict in check(&agent("--own-programs"), &[("finish-storm", "silent")], &[]) {
        assert_eq!(verdict["interventions"], Value::Array(Vec::new()), "{verdict:#}");
        assert!(verdict["otherwise"].as_u64() > Some(0), "{verdict:#}");
    }
}

/// The model goes on as after any call that failed: nobody has made the call for it.
#[test]
fn arguments_in_other_words_are_no_repair() {
    let most = ["--max-requests", "12"];
    let plain = check(&agent(""), &[("malformed-arguments", "ran-on")], &most);
    let tidied = check(&agent("--tidies"), &[("malformed-arguments", "ran-on")], &most);
    let pair = |verdict: &Value| (verdict["same_acts"].clone(), verdict["identical_calls"].clone());
    assert_eq!(pair(&tidied[0]), pair(&plain[0]));
    assert_eq!(tidied[0]["same_acts"][0], tidied[0]["same_acts"][1], "{:#}", tidied[0]);
}

/// A healthy model that may not sleep says that it waits, which ends the run. That is no fault of the agent.
#[test]
fn a_healthy_model_that_waits_in_words_cannot_be_played() {
    let verdicts = check(&agent("--awake"), &[("long-build", "not-run")], &[]);
    let line = verdicts[0]["line"].as_str().expect("a line");
    assert!(line.ends_with("Blocked: no sleep here. Wait until the job is through."), "{line}");
}

/// What is learnt is the agent's habit; with it, the same healthy runs have nothing new, and no word is a false alarm.
#[test]
fn habits_are_learnt_from_healthy_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let learn = |arguments: &[&str]| {
        let all = [&["crash", "--learn", "--jobs", "2"], arguments].concat();
        ran(&mut balk(folder.path(), &all))
    };
    let (code, diff, said) = learn(&["--cmd", &agent("--habits"), "--out", "out"]);
    assert_eq!(code, 0, "{said}");
    let new: String =
        diff.lines().filter_map(|it| it.strip_prefix('+')).map(|it| it.to_owned() + "\n").collect();
    for table in [
        "[[side_call]]\nname = \"title\"\nsystem = \"You write titles.\"\ntools = false\n",
        // What follows the number is a part of the table or not, as the numbers of the processes are.
        "[[added]]\nto = \"user\"\ntext = \"\"\"\n<reminder>\nYou are process {*}",
        "[[around]]\nwhat = \"result\"\ntext = \"\"\"\nTurn {*}, result:\n{says}\nexit code {status}\n\
         (end of the result)\"\"\"\n",
    ] {
        assert!(new.contains(table), "{table} is not in\n{new}");
    }
    let (code, diff, said) = learn(&["--agent", "out/agent.toml", "--out", "again"]);
    assert_eq!((code, &*diff), (0, ""), "{said}");
    assert!(said.contains("out/agent.toml: nothing is new"), "{said}");
    let play = ["crash", "--agent", "out/agent.toml", "--scenario", "abandonment-control", "--out", "played"];
    let (code, _, said) = ran(&mut balk(folder.path(), &[&play[..], &["--fail-on", "false-alarm"]].concat()));
    assert_eq!(code, 0, "{said}");
}

#[test]
fn nothing_is_learnt_from_a_model_that_balks() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = agent("");
    let arguments = ["crash", "--learn", "--cmd", &command, "--scenario", "repeating"];
    let (code, _, said) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("healthy work to learn from"), "{said}");
}

#[test]
fn what_cannot_be_run_says_why() {
    let line = |verdicts: &[Value]| verdicts[0]["line"].as_str().expect("a line").to_owned();
    let wrong_path = agent("").replace("/v1/chat/completions", "/v1/completions");
    for (command, expected, more) in [
        ("/no/such/agent {url} {task}", "/no/such/agent", &[][..]),
        ("echo Hello, {task} {url} >/dev/null; echo done.", "it never asked its model (done.)", &[]),
        (": {url} {task}", "it never asked its model (and printed nothing)", &[]),
        (": {url} {task}; sleep 1234", "it did not ask its model in 2 s", &["--seconds", "2"]),
        (&wrong_path, "its first request was refused: nothing is at /v1/completions", &[]),
        (&agent("--no-tools"), "they offer the model no tools", &[]),
    ] {
        let verdicts = check(command, &[("repeating", "not-run")], more);
        assert!(line(&verdicts).contains(expected), "{command}: {}", line(&verdicts));
    }
    let verdicts = check(&agent(""), &[("broken-after-output", "not-run")], &[]);
    assert!(line(&verdicts).contains("no tool for the role `remote`"), "{}", line(&verdicts));
}

/// Else the agent that CI could not install would pass.
#[test]
fn an_agent_that_never_ran_passes_no_gate() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, runs) =
        crash(folder.path(), "/no/such/agent {url} {task}", &["repeating"], &["--fail-on", "silent"]);
    assert_eq!((code, runs.len()), (4, 1), "{runs:#?}");
}

/// Files and a shell are enough for what is played without `--scenario`.
#[test]
fn what_is_played_by_itself_can_be_played_to_any_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, runs) =
        crash(folder.path(), &agent(""), &[], &["--max-requests", "12", "--fail-on", "not-run"]);
    assert_eq!((code, runs.len()), (0, 9), "{runs:#?}");
    for run in runs.iter().filter(|it| it["kind"] == "control") {
        assert_eq!(
            (&run["verdict"]["word"], &run["verdict"]["line"]),
            (&"reached".into(), &Value::Null),
            "{run:#}"
        );
    }
}

/// An exit code is no word, but it is no lie either; and who ends healthy work disturbs it.
#[test]
fn an_agent_that_quits_is_silent_and_disturbs_healthy_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenarios = ["repeating", "repeating-control"];
    let more = ["--fail-on", "false-alarm"];
    let (code, runs) = crash(folder.path(), &agent("--quits 2"), &scenarios, &more);
    assert_eq!(code, 4, "{runs:#?}");
    for run in &runs {
        let verdict = &run["verdict"];
        assert_eq!(
            (&verdict["word"], &verdict["code"], &verdict["lie"]),
            (&"silent".into(), &3.into(), &false.into())
        );
    }
}

/// A gate says which run failed it.
#[test]
fn a_gate_names_the_first_run_that_fails_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = agent("");
    let arguments = ["crash", "--cmd", &command, "--scenario", "abandonment", "--fail-on", "silent"];
    let (code, _, said) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!(code, 4, "{said}");
    assert!(
        said.contains("expected none of 1 runs to fail, found 1, the first agent/abandonment-7"),
        "{said}"
    );
}

#[test]
fn a_program_that_breaks_has_crashed_and_what_it_leaves_is_counted() {
    let command = agent(">/dev/null; sleep 1234 & kill -9 $$");
    let verdicts = check(&command, &[("abandonment", "crashed")], &[]);
    assert_eq!((&verdicts[0]["code"], &verdicts[0]["left"]["sleep"]), (&Value::Null, &1.into()));
}

/// An exception ends a program, or is only reported; and what a shell says of a signal is no word of the agent.
#[test]
fn a_program_has_crashed_by_an_exception_that_ends_it_or_by_a_signal() {
    let traceback = r#"printf 'Traceback (most recent call last):\n  File "a.py"\nKeyError: 1\n' >&2"#;
    for (ends, word, lie) in [
        (format!("{traceback}; exit 1"), "crashed", false),
        (format!("{traceback}; exit 0"), "silent", true),
        ("echo Aborted >&2; exit 134".to_owned(), "crashed", false),
        ("echo Loop detected >&2; exit 255".to_owned(), "told", false),
    ] {
        let verdicts = check(&agent(&format!(">/dev/null; {ends}")), &[("abandonment", word)], &[]);
        assert_eq!(verdicts[0]["lie"], lie, "{ends}");
    }
}

#[test]
fn the_user_replies_as_often_as_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let words: Vec<String> = agent("").split_whitespace().map(|it| format!("{it:?}")).collect();
    let command = words.join(", ");
    let profile = format!(
        "format = 1\nagent = \"small\"\nversion = \"1\"\n[run]\napi = \"openai\"\ncommand = [{command}]\n\
         resume = [{command}]\n"
    );
    fs::write(folder.path().join("small.toml"), profile).expect("a file");
    for (replies, out) in [("0", "none"), ("2", "two")] {
        let arguments = [
            "crash",
            "--agent",
            "small.toml",
            "--scenario",
            "abandonment",
            "--replies",
            replies,
            "--out",
            out,
        ];
        let (code, _, said) = ran(&mut balk(folder.path(), &arguments));
        assert_eq!(code, 0, "{said}");
        let text = fs::read_to_string(folder.path().join(out).join("runs.json")).expect("a record");
        let record: Value = serde_json::from_str(&text).expect("it is JSON");
        let verdict = &record["runs"][0]["verdict"];
        let runs = replies.parse::<u64>().expect("a number") + 1;
        assert_eq!((&verdict["runs"], &verdict["unheard"]), (&runs.into(), &true.into()), "{verdict:#}");
    }
}

/// The same agent, scenario and seed leave the same record, byte for byte.
#[test]
fn a_run_repeats_byte_for_byte() {
    let record = || {
        let folder = tempfile::tempdir().expect("a folder");
        crash(folder.path(), &agent("--corrects"), &["abandonment"], &[]);
        fs::read_to_string(folder.path().join("out/agent/abandonment-7/record.jsonl")).expect("a record")
    };
    let first = record();
    assert!(first.lines().count() > 6, "{first}");
    assert_eq!(first, record());
}

#[test]
fn a_bad_command_line_says_what_it_expects() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, expected) in [
        (&["crash"][..], "or --cmd with the command of one"),
        (&["crash", "--agent", "codx"], "did you mean `codex`?"),
        (&["crash", "--cmd", "a {tsk}"], "holes are {task}, {url}, {home} and {workspace}"),
        (&["crash", "--cmd", "a {task}"], "expected `{url}` in the command or in a variable"),
        (&["crash", "--cmd", "a", "--env", "URL={url}"], "expected `{task}` in the command or in a variable"),
        (&["crash", "--cmd", "a '{task}' {url}"], "expected `{task}` without quotes around it"),
        (&["crash", "--cmd", "a {task}", "--env", "URL"], "expected NAME=VALUE"),
        (&["crash", "--agent", "codex", "--agent", "codex"], "found two of the name `codex`"),
        (&["crash", "--cmd", "a {url} {task}", "--fail-on", "sad"], "expected one of reached, told"),
        (&["crash", "--cmd", "a {url} {task}", "--seeds", "-1-3"], "none below 0"),
        (
            &["crash", "--cmd", "a {url} {task}", "--seeds", "0-18446744073709551614"],
            "at most 10000000 seeds",
        ),
        (&["crash", "--cmd", "a {url} {task}", "--seeds", "0-9999999"], "at most 10000 runs"),
        (&["crash", "--cmd", "a {url} {task}", "--scenario", "abandonmnt"], "did you mean `abandonment`?"),
    ] {
        let (code, out, err) = ran(&mut balk(folder.path(), arguments));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

#[test]
fn a_report_of_one_folder_and_of_several() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    let played = |out: &str, scenario: &str| {
        let arguments =
            ["crash", "--cmd", &agent(""), "--max-requests", "12", "--out", out, "--scenario", scenario];
        let (code, shown, said) = ran(&mut balk(work, &arguments));
        assert_eq!(code, 0, "{said}");
        assert!(shown.contains("runs  reached  told"), "{shown}");
        assert!(said.contains(&format!("agent {scenario}:7 ")), "{said}");
        assert!(said.contains(&format!("balk report {out}` shows them")), "{said}");
    };
    played("a", "repeating");
    played("b", "repeating");
    played("c", "repeating-control");
    let report = |arguments: &[&str]| {
        let (code, out, err) = ran(&mut balk(work, &[&["report"], arguments].concat()));
        assert_eq!((code, &*err), (0, ""));
        out
    };
    assert_eq!(report(&["a"]), report(&["a"]));
    let all = report(&["a", "b", "c"]);
    for line in [
        "- **Of 1 run with a model that balks**: 1 `ran-on`\n",
        "- **Of 1 run with healthy work**: 1 `reached`\n",
        "- **Runs that were repeated**: 1, of which 1 have the same bytes in every record and 1 the same word\n",
        "balk crash --cmd ",
        "in process, with `default`",
    ] {
        assert!(all.contains(line), "{line}\n{all}");
    }
    for (format, begins) in
        [("json", "{\n  \"schema\": 2,"), ("csv", "agent,scenario,kind,seed,word,"), ("junit", "<?xml ")]
    {
        assert!(report(&["a", "--format", format]).starts_with(begins), "{format}");
    }
    fs::write(work.join("notes.md"), "<!-- balk report agents -->\n<!-- end -->\n").expect("a file");
    assert_eq!(report(&["a", "--splice", "notes.md"]), "");
    let notes = fs::read_to_string(work.join("notes.md")).expect("a file");
    assert!(notes.contains("| a model that balks | runs | `reached` |"), "{notes}");
    let transcript = work.join("a/agent/repeating-7/transcript.jsonl");
    assert!(all.contains("`agent/repeating-7/transcript.jsonl`") && transcript.is_file());
}

/// Two versions of an agent: the later one notices that the model repeats itself, and ends its work too early.
#[test]
fn two_versions_of_an_agent_are_compared_run_by_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    let played = |out: &str, options: &str| {
        let command = agent(options);
        let scenarios =
            ["repeating", "abandonment", "repeating-control"].map(|it| ["--scenario", it]).concat();
        let arguments = ["crash", "--cmd", &command, "--max-requests", "12", "--out", out];
        let (code, _, said) = ran(&mut balk(work, &[&arguments[..], &scenarios].concat()));
        assert_eq!(code, 0, "{said}");
    };
    played("before", "");
    played("after", "--stops-at 4 --quits 5");
    let compare =
        |arguments: &[&str]| ran(&mut balk(work, &[&["compare", "before", "after"], arguments].concat()));
    let (code, shown, err) = compare(&[]);
    assert_eq!((code, &*err), (0, ""), "{shown}");
    assert!(
        shown.starts_with("Of 3 runs in both records: 1 better, 1 worse. In one record alone: 0.\n"),
        "{shown}"
    );
    let (_, json, _) = compare(&["--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    let words = |at: usize| (json["changed"][at]["scenario"].clone(), json["changed"][at]["words"].clone());
    assert_eq!(words(0), ("repeating".into(), ["ran-on", "told"].as_slice().into()), "{json:#}");
    assert_eq!(words(1), ("repeating-control".into(), ["reached", "silent"].as_slice().into()), "{json:#}");
    let (code, _, err) = compare(&["--fail-on", "recovered < 0.9"]);
    assert_eq!(code, 2, "{err}");
}
