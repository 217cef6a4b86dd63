use std::sync::Arc;

use super::*;
use balk_contract::Offer;
use balk_contract::{RawCall, Status};

fn of(arguments: &str, status: Status, text: &str) -> Option<Failure> {
    let raw = RawCall { id: "c".into(), tool: "sql".into(), arguments: arguments.into() };
    let call = Arc::new(ToolCall::new(raw, &Offer::default()));
    Failure::of(&ToolResult::executed(&call, status, text))
}

#[track_caller]
fn check(one: (&str, &str), other: (&str, &str), is_same: bool) {
    let [first, second] = [one, other].map(|(arguments, error)| of(arguments, Status::Error, error));
    let (first, second) = (first.expect("it says enough"), second.expect("it says enough"));
    assert_eq!(first.loose == second.loose, is_same, "{one:?} and {other:?}");
}

#[test]
fn a_log_is_followed_by_a_command_that_shows_it() {
    let follows = |command: &str| {
        let arguments = format!(r#"{{"command":"{command}"}}"#).into();
        let raw = RawCall { id: "c".into(), tool: "sh".into(), arguments };
        follows_a_log(&ToolCall::new(raw, &Offer::default()))
    };
    for command in ["tail -n 3 out.log", "cd a && tail out", "kubectl logs x -n y", "journalctl -u x"] {
        assert!(follows(command), "{command}");
    }
    for command in ["make | tail -n 3", "ls logs/", "cat a.log", "cat logs.txt", "echo retail", "logs"] {
        assert!(!follows(command), "{command}");
    }
}

#[test]
fn what_the_arguments_and_the_place_make_of_an_error_is_masked() {
    let table =
        |name: &str| (format!(r#"{{"query":"select * from {name}"}}"#), format!("No such table: {name}."));
    let [(a, no_a), (b, no_b)] = [table("users"), table("orders")];
    check((&a, &no_a), (&b, &no_b), true);
    check(
        ("{}", "the shell stopped: `sh -c 'make x' | tail -n 20` was not found"),
        ("{}", "the shell stopped: `make --jobs=3` was not found"),
        true,
    );
    check(("{}", "syntax error near line 3"), ("{}", "Syntax  error, near line 17"), true);
    check(
        ("{}", "cannot open file '/a/b.py' for reading"),
        ("{}", "cannot open file 'c.py' for reading"),
        true,
    );
}

#[test]
fn other_words_are_another_failure() {
    check(("{}", "no such table: users"), ("{}", "no such column: users"), false);
    check(("{}", "permission denied"), ("{}", "no space left on device"), false);
}

#[test]
fn in_json_the_quotes_are_of_its_form() {
    let broken = r#"{"cell":"Sum!F9","error":"\#REF!","message":"reference to a deleted sheet"}"#;
    let other = r#"{"cell": "Sum!B2", "error": "\#REF!", "message": "reference to a deleted sheet"}"#;
    check(("{}", broken), ("{}", other), true);
    check(("{}", broken), ("{}", r#"{"cell":"Sum!F9","message":"the formula has a circle"}"#), false);
    check(
        ("{}", r#"HTTP 403 {"error":"archived repository"}"#),
        ("{}", r#"HTTP 404 {"error":"archived repository"}"#),
        true,
    );
    let printed = "{\n  \"code\": 409,\n  \"message\": \"the range is protected\"\n}";
    check(("{}", printed), ("{}", &printed.replace("409", "423")), true);
    check(("{}", printed), ("{}", &printed.replace("protected", "missing")), false);
    assert!(of("{}", Status::Error, r#"  "message": "the range is protected""#).is_some());
    let prose = r#"could not look up "users": no such table here"#;
    check(("{}", prose), ("{}", &prose.replace("users", "orders")), true);
    assert!(of("{}", Status::Error, prose).expect("it says enough").specific);
    assert!(of("{}", Status::Error, r#"{"error":"session_expired","hits":[]}"#).is_some());
    assert_eq!(of("{}", Status::Error, r#"{"status":500,"description":"","error":null}"#), None);
}

#[test]
fn a_failure_that_says_nothing_has_no_form() {
    for error in ["", "exit code 1", "/a/b: 12", "é"] {
        assert_eq!(of("{}", Status::Error, error), None, "{error}");
    }
}

#[test]
fn the_last_line_that_begins_like_an_error_says_how() {
    let traceback = |line: u32, error: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"a.py\", line {line}\n    x()\n{error}\n2 steps left"
        )
    };
    let of = |text: &str| of("{}", Status::Unknown, text);
    let one = of(&traceback(3, "numpy.linalg.LinAlgError: Singular matrix"));
    assert!(one.is_some());
    assert_eq!(one, of(&traceback(70, "numpy.linalg.LinAlgError: Singular matrix")));
    let other = of(&traceback(3, "AssertionError: expected 2 but got 0"));
    assert_ne!(one, other);
    assert_ne!(other, of(&traceback(3, "AssertionError: expected 2 but got 1")), "digits count exactly");
    assert!(of("error: could not compile `a` due to 2 previous errors").is_some());
    assert!(of("  [ERROR] no such module on the path").is_some());
}

#[test]
fn a_text_about_errors_is_none() {
    for text in
        ["12\terror = None", "error = None", "3 passed, no errors found here", "see error_log.txt for more"]
    {
        assert_eq!(of("{}", Status::Unknown, text), None, "{text}");
    }
    assert_eq!(of("{}", Status::Ok, "Error: but the tool says that it worked"), None);
}
