//! How the kind of a gap and the missing thing are found: the rules in their order, one line each.

use crate::common::{Loop, Turn, calls, says};
use balk_guards::{GapKind, Handoff, Termination};

const CAPABILITY: GapKind = GapKind::MissingCapability;
const INPUT: GapKind = GapKind::MissingInput;
const MALFORMED: GapKind = GapKind::MalformedCall;
const NONE: GapKind = GapKind::NoProgress;

/// The kind of the gap after these turns, and the missing thing.
#[track_caller]
fn gap(turns: &[Turn]) -> (GapKind, String) {
    let mut run = Loop::new(Handoff::default());
    run.user("Count the rows of data/sales.csv with jq.");
    turns.iter().for_each(|turn| run.pass(turn, 1));
    let conclusion = run.guard.conclude(&Termination::NoProgress).expect("never breaks");
    let gap = conclusion.and_then(|it| it.gap).expect("a gap");
    (gap.kind, gap.missing.to_string())
}

/// A call fails with `error`, which is evidence of this kind.
#[track_caller]
fn check(tool: &str, arguments: &str, error: &str, kind: GapKind, missing: &str) {
    assert_eq!(gap(&[calls(tool, arguments).fails(error)]), (kind, missing.to_owned()), "{error}");
}

const JQ: &str = r#"{"command":"jq . data/sales.csv | ./sum.sh --json"}"#;
const SALES: &str = r#"{"path":"data/sales.csv"}"#;

#[test]
fn h2_a_command_that_is_not_there_is_a_missing_capability() {
    for error in [
        "bash: jq: command not found",
        "exit code 127\nbash: line 1: jq: command not found",
        "zsh: command not found: jq",
        "sh: 1: jq: not found",
        "/bin/sh: jq: not found",
        "'jq' is not recognized as an internal or external command,\noperable program or batch file.",
        "exec: \"jq\": executable file not found in $PATH",
        "Error: spawn jq ENOENT",
        "Command 'jq' not found, but can be installed with: apt install jq",
        "bash: jq: command not found; try 'apt install jq'",
        "error: sh: 1: jq: not found (exit status 127)",
    ] {
        check("bash", JQ, error, CAPABILITY, "jq");
    }
}

#[test]
fn h2_a_tool_that_is_not_offered_is_a_missing_capability_whatever_it_answers() {
    for error in ["error: unknown tool send_fax", "no such file or directory", "invalid arguments", ""] {
        check("send_fax", r#"{"path":"data/sales.csv"}"#, error, CAPABILITY, "send_fax");
    }
}

#[test]
fn h2_what_is_denied_or_not_supported_is_a_missing_capability() {
    for (error, missing) in [
        ("bash: ./sum.sh: Permission denied", "./sum.sh"),
        ("EACCES: permission denied, open 'data/sales.csv'", "data/sales.csv"),
        ("sending is not supported in this workspace", "bash"),
        ("Operation not permitted", "bash"),
        ("HTTP 403 Forbidden", "bash"),
    ] {
        check("bash", JQ, error, CAPABILITY, missing);
    }
}

#[test]
fn h2_an_input_that_the_call_names_is_missing() {
    for (error, missing) in [
        ("cat: data/sales.csv: No such file or directory", "data/sales.csv"),
        ("error: no such file: data/sales.csv", "data/sales.csv"),
        ("ENOENT: no such file or directory, open '/srv/data/sales.csv'", "/srv/data/sales.csv"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/sales.csv'", "data/sales.csv"),
        ("python: can't open file '/srv/data/sales.csv': [Errno 2] No such file", "/srv/data/sales.csv"),
        ("error: data/sales.csv not found (exit status 2)", "data/sales.csv"),
        ("The file data/sales.csv does not exist.", "data/sales.csv"),
        ("the file /srv/data/sales.csv was not found", "/srv/data/sales.csv"),
        ("File does not exist", "data/sales.csv"),
        ("not found", "data/sales.csv"),
    ] {
        check("read", SALES, error, INPUT, missing);
    }
    check("read", r#"{"path":"Makefile"}"#, "cat: Makefile: No such file or directory", INPUT, "Makefile");
    let spaced = r#"{"path":"my notes.txt"}"#;
    check("read", spaced, "cat: my notes.txt: No such file or directory", INPUT, "my notes.txt");
}

#[test]
fn h2_what_the_c_library_says_in_other_languages_is_known() {
    for error in [
        "cat: data/sales.csv: Datei oder Verzeichnis nicht gefunden",
        "cat: data/sales.csv: Aucun fichier ou dossier de ce type",
        "cat: data/sales.csv: Нет такого файла или каталога",
        "cat: data/sales.csv: Böyle bir dosya ya da dizin yok",
        "cat: data/sales.csv: 그런 파일이나 디렉터리가 없습니다",
        "cat: data/sales.csv: 没有那个文件或目录",
    ] {
        check("read", SALES, error, INPUT, "data/sales.csv");
    }
    for error in [
        "bash: ./sum.sh: Keine Berechtigung",
        "bash: ./sum.sh: Отказано в доступе",
        "bash: ./sum.sh: 权限不够",
    ] {
        check("bash", JQ, error, CAPABILITY, "./sum.sh");
    }
    check("bash", JQ, "bash: jq: orden no encontrada", CAPABILITY, "jq");
}

#[test]
fn h2_an_input_that_the_user_named_is_missing() {
    check("bash", r#"{"command":"make count"}"#, "data/sales.csv does not exist", INPUT, "data/sales.csv");
}

#[test]
fn h2_a_path_that_nobody_named_is_no_input() {
    check("bash", r#"{"command":"make"}"#, "cc: /usr/lib/crt1.o: No such file or directory", NONE, "bash");
    check("read", SALES, "config /etc/reader.toml does not exist", NONE, "read");
}

#[test]
fn h6_a_call_that_is_no_json_object_is_malformed_whatever_its_error_reads_like() {
    for (arguments, error) in [
        (r#"{"command": "jq"#, "bash: jq: command not found"),
        ("[1]", "no such file: data/sales.csv"),
        ("jq .", ""),
    ] {
        check("bash", arguments, error, MALFORMED, "bash");
        check("send_fax", arguments, error, MALFORMED, "send_fax");
    }
}

#[test]
fn h6_a_wrong_flag_or_argument_is_malformed() {
    for error in [
        "error: invalid arguments for bash: `command` is missing",
        "jq: unknown option '--json'",
        "sum.sh: unrecognized option `--json'",
        "error: unexpected argument '--json' found\n\nUsage: sum [FILE]",
        "usage: sum.sh FILE\nsum.sh: error: the following arguments are required: FILE",
        "flag provided but not defined: -json",
        "sum: data/sales.csv: --json: invalid option; it is not supported",
        "MCP error -32602: Invalid params",
    ] {
        check("bash", JQ, error, MALFORMED, "bash");
    }
    check("bash", JQ, "disk usage: 93 %", NONE, "bash");
}

#[test]
fn h6_anything_else_is_no_progress() {
    for error in
        ["", "no space left on device", "3 tests failed", "TypeError: unsupported operand type(s)", "語"]
    {
        check("bash", JQ, error, NONE, "bash");
    }
}

#[test]
fn h6_of_several_failures_the_last_that_tells_something_counts() {
    let missing = || calls("bash", JQ).fails("bash: jq: command not found");
    let absent = || calls("read", SALES).fails("no such file: data/sales.csv");
    let plain = || calls("write_file", SALES).fails("no space left");
    let jq = (CAPABILITY, "jq".to_owned());
    let sales = (INPUT, "data/sales.csv".to_owned());
    assert_eq!(gap(&[missing(), absent()]), sales);
    assert_eq!(gap(&[absent(), missing()]), jq);
    assert_eq!(gap(&[missing(), plain(), plain()]), jq);
    assert_eq!(gap(&[plain(), says("Hm.")]), (NONE, "write_file".into()));
    // A tool that has worked since is resolved, so the other one remains.
    assert_eq!(gap(&[absent(), missing(), calls("bash", "{}")]), sales);
}

#[test]
fn h6_an_unusual_tool_that_works_never_looks_like_a_gap() {
    let odd = || calls("mcp__attic__send_fax", "{}").answers("error: not found, permission denied");
    let failed = || calls("mcp__attic__send_fax", "{}").fails("busy");
    assert_eq!(gap(&[odd()]), (NONE, String::new()));
    assert_eq!(gap(&[odd(), failed()]), (NONE, "mcp__attic__send_fax".into()));
    assert_eq!(gap(&[failed()]), (CAPABILITY, "mcp__attic__send_fax".into()));
}
