use super::*;

#[track_caller]
fn fails(answers: &[&str]) {
    for answer in answers {
        assert!(Reading::of(answer).failed, "this is a failure: {answer}");
    }
}

#[track_caller]
fn works(answers: &[&str]) {
    for answer in answers {
        assert!(!Reading::of(answer).failed, "this is no failure: {answer}");
    }
}

#[test]
fn an_exit_status_says_more_than_words() {
    fails(&["exit code 2\n…", "done\n[Command finished with exit code 127]", "Output: ok\nExit Code: 1"]);
    fails(&["warning: package not found: express (exit status 1)", "collect2: ld returned 1 exit status"]);
    works(&[
        "raise ValueError: no such file\nexit code: 0",
        "error in line 3 of the log\nProcess exited with status 0",
    ]);
    works(&["exit the program with ctrl-c", "see exit.rs:12"]);
}

#[test]
fn counts_of_failures_say_more_than_words() {
    works(&[
        "10 passed, 0 failed",
        "failed reads are tried again\n3 passed",
        "1 chart(s) linted, 0 chart(s) failed",
    ]);
    works(&[
        r#"{"id": 7, "failed": 0, "errors": []}"#,
        "Tests run: 5, Failures: 0, Errors: 0",
        "error: none",
    ]);
    fails(&[
        "10 passed, 1 failed",
        "Tests: 2 failed, 8 passed",
        "failures: 3",
        "2 errors",
        "1 compile error",
    ]);
    fails(&["error: process died\n0 failed"]);
}

#[test]
fn mended_errors_are_none() {
    works(&["Found 3 errors (3 fixed, 0 remaining)."]);
    fails(&["Found 3 errors (1 fixed, 2 remaining)."]);
}

#[test]
fn a_number_of_a_clock_counts_nothing() {
    works(&["saved the 10:42 error log"]);
    fails(&["saved 42 errors"]);
}

#[test]
fn statuses_of_http_are_failures() {
    fails(&["HTTP 502 Bad Gateway", "503 Service Unavailable", "429: Too Many Requests"]);
    works(&["HTTP/1.1 200 OK", "line 502 of 900", "port 404", "status 503ms"]);
}

#[test]
fn a_status_of_http_without_its_phrase_says_whether_it_may_pass() {
    for (answer, prospect) in [
        (
            "fatal: unable to access 'https://a.example/r/': The requested URL returned error: 503",
            Prospect::Passing,
        ),
        ("curl: (22) The requested URL returned error: 404", Prospect::Lasting),
        ("download failed: HTTP/1.1 502", Prospect::Passing),
        ("request failed with status code 429", Prospect::Passing),
        ("request failed with status code 401", Prospect::Lasting),
    ] {
        let read = Reading::of(answer);
        assert!(read.failed, "{answer}");
        assert_eq!(read.prospect, prospect, "{answer}");
    }
}

#[test]
fn a_line_that_begins_like_an_error_is_one() {
    fails(&["<error>\nx\n</error>", "<tool_use_error>found 2 of it</tool_use_error>"]);
    fails(&[
        "fatal: x",
        "TypeError: x",
        "MongoServerError[Unauthorized]: x",
        "E: x",
        "npm ERR! x",
        "error Command x",
    ]);
    fails(&[
        "\u{1b}[31m│ \u{1b}[0mError: x",
        "  Error: x",
        "2 steps\nTraceback (most recent call last):\n  File x",
    ]);
    works(&["ErrorKind is an enum", "error_log.txt"]);
}

#[test]
fn a_place_with_a_column_is_a_complaint() {
    fails(&["src/a.go:3:5: x", "a.c:3: error: x", "a.ts(3,5): x", "Makefile:3: *** x"]);
    works(&["src/a.c:3:5: warning: x was not used", "src/a.c:3:5: note: unknown"]);
}

#[test]
fn what_a_search_or_a_file_shows_is_no_failure() {
    works(&[
        "src/a.rs:12:fn failed() {}",
        "src/a.rs:12:    return Err(not found)",
        "12\tfailed to open",
        "  3 | failed",
    ]);
    works(&[
        "L7:   raise Error(\"failed\")",
        "1:error",
        "    raise ValueError(\"not found\")",
        "error = \"not found\"",
    ]);
    works(&[
        "+raise Error(\"failed\")",
        "2026-03-14 10:42:07 job failed",
        "src/error.rs\ntests/failed_login.py",
    ]);
}

#[test]
fn commits_are_no_failures() {
    works(&["[main 1a2b3c4] Fix error when the file was not found", "1a2b3c4d Handle failed uploads"]);
    // A word of the letters a to f has no digit.
    assert!(Reading::of("defaced pages could not be restored").failed);
}

#[test]
fn a_test_that_passed_is_no_failure() {
    works(&["✓ throws an error if the login failed", "test failed_reads_are_tried_again ... ok"]);
    works(&["a.py::test_error failed PASSED    [ 50%]", "--- PASS: TestFailed with an error"]);
}

#[test]
fn a_warning_is_no_failure() {
    works(&[
        "warning: x was not used",
        "npm warn deprecated x: an error",
        "警告：未找到",
        "hint: no such branch",
    ]);
}

#[test]
fn a_line_that_says_that_it_worked_outweighs_words() {
    works(&[
        "pthread - not found\n-- Configuring done",
        "Successfully installed x (missing before)",
        "found 3 for \"failed\"",
    ]);
    fails(&["error: x\ndone"]);
}

#[test]
fn words_of_failure_are_read_anywhere_in_a_line() {
    fails(&[
        "curl: (35) Recv failure: x",
        "read ECONNRESET",
        "getaddrinfo EAI_AGAIN x",
        "Could not resolve host: x",
    ]);
    fails(&[
        "socket hang up",
        "it did not pass",
        "the password is wrong",
        "Nothing happens",
        "sh: 1: foo: not found",
    ]);
    fails(&["Command x returned: Error", "3 tests FAILED", "ls: x: Permission denied"]);
    works(&[
        "wrote 12 bytes to a.py",
        "",
        "3 passed",
        "no errors found",
        "reading failed_jobs.csv and error-codes.md",
    ]);
}

#[test]
fn four_more_languages_are_read() {
    fails(&["Datei oder Verzeichnis nicht gefunden", "Zugriff auf x nicht möglich", "x: Keine Berechtigung"]);
    fails(&["x: orden no encontrada", "no se puede abrir x", "x: Permiso denegado"]);
    fails(&["致命错误：x", "ls: 无法访问 'x'", "x: 未找到命令", "x: 权限不够"]);
    fails(&["x: コマンドが見つかりません", "'x' にアクセスできません", "接続に失敗しました"]);
    works(&[
        "Bereits aktuell.",
        "ya está en su versión más reciente",
        "已经是最新的。",
        "はすでに最新バージョンです。",
    ]);
}

#[test]
fn only_the_beginning_and_the_end_of_a_long_answer_are_read() {
    let long = |middle: &str| format!("a\n{}\n{middle}\n{}", "x\n".repeat(HEAD), "x\n".repeat(TAIL));
    works(&[&long("error: x")]);
    fails(&[&(long("a") + "error: x"), &("error: x".to_owned() + &long("a"))]);
    // A cut through a character is no cut through the text.
    works(&[&"é".repeat(HEAD), &"字".repeat(TAIL)]);
}

/// What editing tools of agents say after an edit that worked, and a warning of an interpreter.
#[test]
fn a_request_to_check_an_edit_is_no_failure() {
    works(&[
        "The file a.py has been edited.\nReview the changes and make sure they are as expected.",
        "File updated. Please review the changes and make sure they are correct (correct indentation, no duplicate \
         lines, etc). Edit the file again if necessary.",
        "/srv/magics/osm.py:417: UserWarning: This is an optional function, and you require `shelf` for it.\n7",
    ]);
    fails(&["expected 3 arguments, found 2", "duplicate key value violates a rule"]);
}
