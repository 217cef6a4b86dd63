mod abroad;
mod statuses;

use proptest::prelude::*;

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
fn what_refuses_a_connection_may_pass_and_what_refuses_a_deed_does_not() {
    for (answer, passes) in [
        ("dial tcp 10.0.0.1:80: connect: connection refused", true),
        ("The connection to the server was refused.", true),
        ("Failed to connect to 10.0.0.1 port 80: Refused", true),
        ("Error: merge refused: the branch is protected", false),
        ("deploy refused: no release notes", false),
    ] {
        let read = Reading::of(answer);
        assert!(read.failed, "{answer}");
        assert_eq!(read.prospect == Prospect::Passing, passes, "{answer}");
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
fn what_is_not_there_yet_may_come() {
    for (answer, passes) in [
        ("The report is not there yet.", true),
        ("error: the volume is not ready yet", true),
        ("Der Bericht ist noch nicht da: nicht gefunden", true),
        ("The report is not there.", false),
        ("error: this flag is not supported yet", false),
    ] {
        let read = Reading::of(answer);
        assert!(read.failed, "{answer}");
        assert_eq!(read.prospect == Prospect::Passing, passes, "{answer}");
    }
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

#[test]
fn a_letter_a_ticket_or_a_package_with_words_of_failure_is_none() {
    works(&[
        "Von: Anna <anna@x.example>\nBetreff: Lieferung abgelehnt\nDatum: 3.3.2026\n\nDie Lieferung wurde abgelehnt, \
         weil der Empfänger unbekannt war.",
        "Subject: Deploy failed\nFrom: ci@x.example\n\nThe deploy failed twice.",
        "Incident 12: Login not possible\nOwner: Lee\nSeverity: 2\nState: open",
        "単号: 7\n件名: 送信に失敗しました\n担当: 佐藤",
        "Name: quota-tools\nVersion: 1.2\nSummary: What failed and why\nRequires:",
        "name: probe\nversion: 3\ndescription: Finds unreachable hosts\nlicense: MIT",
    ]);
    // What speaks of the tool itself comes first, and several programs name themselves.
    fails(&[
        "Status: failed\nReason: no such table\nHint: create it",
        "Name: x\nVersion: 2\nOwner: y\nError: the index is gone",
        "cat: a: No such file or directory\ncat: b: No such file or directory\ncat: c: No such file or directory",
        "Success: false\nReason: the seat is taken",
    ]);
}

#[test]
fn a_list_or_a_table_of_failures_is_none() {
    works(&[
        "- Login failed on Monday (open)\n- Cannot print (closed)",
        "1. Fehler beim Drucken\n   Der Drucker wurde nicht gefunden.\n2. Zugriff verweigert",
        "#7 Upload fails\n#9 Permission denied on NAS",
        "2 hits for \"denied\":\nAccess denied after login\nWhy was I denied?",
        "| Job | Ergebnis |\n|---|---|\n| a | fehlgeschlagen | 3 |",
        "id,title,state\n1,Payment failed,open",
        "job-1     Error       3",
    ]);
    fails(&[
        "Validation failed:\n- name is missing\n- age must be a number",
        "- fmt: passed\n- lint: failed",
        "host-1   ok=3    changed=0    failed=1",
        "FAIL\tshop/cart\t0.012s",
        "2 files checked:\nTypeError: x\na.py",
    ]);
}

#[test]
fn prose_about_failures_is_none() {
    works(&[
        "# Uploads\n\nAn upload may fail. If the server refused it, wait a minute. Unknown files are kept for a day.",
        "We met on Monday to talk about the outage of last week. The database could not be reached for an hour. Tom \
         writes a report until Friday.",
        "El informe de ayer describe el incendio en el puerto. Dos barcos no pudieron salir. El acceso fue denegado a \
         la prensa hasta el lunes.",
        "会议记录\n\n我们讨论了上周的问题。支付失败两次。客户很不满意。",
    ]);
    // An error with advice says first what it is about, or in a line of its own.
    fails(&[
        "The booking was not found. It may have been deleted. Use list_bookings to see all of them.",
        "Das Formular konnte nicht gesendet werden. Ein Feld ist leer. Bitte füllen Sie es aus.",
        "Your key is read by others than you. It is required that only you read it. This key will be ignored.\n\
         Permission denied (publickey).",
    ]);
}

#[test]
fn what_is_quoted_or_logged_is_about_something_else() {
    works(&[
        "Renamed \"Access denied\" to \"Notes\"",
        "[2026-03-14 10:42:08] [ERROR] job 17 failed",
        "10:42:08 ERROR job 17 failed",
        "Mar 14 10:42:07 web sshd[81]: Failed password for root",
    ]);
    fails(&["the server said: \"access denied\"", "state: \"failed\""]);
}

#[test]
fn of_json_only_what_speaks_of_the_call_counts() {
    works(&[
        r#"{"subject": "Login failed", "from": "Lee"}"#,
        r#"[{"id": 7, "title": "Access denied", "error": null}]"#,
        r#"{"hits": [{"title": "file not found"}], "total": 1}"#,
        r#"{"id": 7, "state": "failed", "message": "no such host"}"#,
        r#"{"error": "", "rows": ["denied"]}"#,
    ]);
    fails(&[
        r#"{"error": "no such booking"}"#,
        r#"{"id": 7, "errors": [{"message": "x"}]}"#,
        r#"{"message": "Die Buchung existiert nicht", "request": 7}"#,
        r#"{"type": "about:blank", "title": "x", "status": 404}"#,
        r#"{"ok": false, "code": 17}"#,
        r#"{"content": [{"type": "text", "text": "no se puede abrir"}]}"#,
        r#"{"output": "", "metadata": {"exit_code": 2}}"#,
        "{\"rows\": []}\nerror: the disk is full",
    ]);
}

#[test]
fn a_part_of_a_page_that_does_not_come_in_time_is_not_said_to_come_later() {
    for (answer, prospect) in [
        ("Timeout 5000ms exceeded.\n  - waiting for locator('#buy')", Prospect::Unknown),
        ("timed out after 5 s: no element matches `.buy`", Prospect::Unknown),
        ("タイムアウト: 要素が見つかりません", Prospect::Unknown),
        ("Timeout 5000ms exceeded.\n  - navigating to \"https://a.example\"", Prospect::Passing),
        ("timed out waiting for a lock", Prospect::Passing),
        ("ECONNRESET while the element was sent", Prospect::Passing),
    ] {
        let read = Reading::of(answer);
        assert!(read.failed, "{answer}");
        assert_eq!(read.prospect == Prospect::Passing, prospect == Prospect::Passing, "{answer}");
    }
}

#[test]
fn an_exit_status_of_one_without_a_word_says_no() {
    let says_no = |answer: &str| Reading::of(answer).says_no;
    for answer in [
        "",
        "exit code 1",
        "<returncode>1</returncode>\n<output>\n</output>",
        "(no output)\nProcess exited with status 1",
        "@@ -1 +1 @@\n-a\n+b\nexit code: 1",
        "3c3\n< a\n---\n> b",
        "@@ -1 +1 @@\n-ungültig\n+gültig\nexit code 1",
        "Only in old: a.txt\n[exit status 1]",
    ] {
        assert!(says_no(answer), "{answer}");
    }
    for answer in [
        "exit code 2",
        "exit code 0",
        "exit code 1\na.py would be changed",
        "no such file\nexit code 1",
        "Files a and b differ\nerror: no space left\nexit code 1",
        "done",
    ] {
        assert!(!says_no(answer), "{answer}");
    }
}

#[test]
fn the_lines_in_the_middle_of_a_long_answer_are_read_once_it_failed() {
    let long = |error: &str, steps: &str| {
        format!("{}\n{error}\n{}\nmake: *** [all] Error 1", "cc a.c\n".repeat(HEAD), steps.repeat(TAIL))
    };
    let of = |error: &str, steps: &str| Errors::of(&long(error, steps)).digest;
    let first = of("src/a.c:3:5: error: `x` is gone", "ld a\n");
    assert_eq!(first, of("src/a.c:9:5: error: `x` is gone", "ld a b\n"), "an edit above moves it");
    assert_ne!(first, of("src/a.c:3:5: error: `y` is gone", "ld a\n"));
    assert_eq!(
        of("TypeError: a\nValueError: b", ""),
        of("ValueError: b\nTypeError: a", ""),
        "parallel steps end in any order"
    );
    assert_eq!(Errors::of(&long("error: x", "ld\n")).first, Some("error: x"));
    assert_eq!(Errors::of("error: x"), Errors::default());
}

proptest! {
    #[test]
    fn an_answer_is_read_again_only_if_it_can_be_read_otherwise(
        lines in prop::collection::vec(
            "(- |[0-9]\\. |  |Name: |# |TypeError: |a, b,c,|x: )?\
             (it failed|not found|2 errors|exit code 1|exit status 0|ok|all is well here|HTTP 404|HTTP 200|retry later)\
             (\\.|!|,1,2,3| \\| a \\| b)?",
            1..30,
        )
    ) {
        let answer = lines.join("\n");
        let answer = &answer[..answer.len().min(480)];
        let parts = [(answer.as_bytes(), 0)];
        let plain = Said::default().having_read(&parts);
        let shape = Shape::of([answer.as_bytes(), b""]);
        if plain.words.are_in(&parts, |line, from| shape.counts(line, from) == Counts::All) {
            let again = Said::of_kind(shape, None).having_read(&parts);
            prop_assert_eq!(Findings::from(plain), Findings::from(again), "{}", answer);
        }
    }
}
