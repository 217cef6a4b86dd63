//! Literal contents in, readable entries out.

use balk::import::Setting;

use super::{failed_attempt, log_of};

#[track_caller]
fn check(contents: &[&str], expected: &str) {
    let line = format!(r#"{{"model": "m", "contents": [{}]}}"#, contents.join(", "));
    assert_eq!(log_of(&line, &Setting::default()).trim_end(), expected);
}

const LS: &str = r#"{"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {"path": "."}}}]}"#;

fn answer(response: &str) -> String {
    format!(
        r#"{{"role": "user", "parts": [{{"functionResponse": {{"name": "ls", "response": {response}}}}}]}}"#
    )
}

#[test]
fn n1_parts_become_entries() {
    check(
        &[
            r#"{"role": "user", "parts": [{"text": "List it,"}, {"inlineData": {"data": "iVBO"}}, {"text": "all."}]}"#,
            r#"{"role": "model", "parts": [{"text": "They want a list.", "thought": true}, {"text": "Looking."},
                {"functionCall": {"name": "fs.ls", "args": {"n": 100000000000000000001, "p": "a"}}},
                {"functionCall": {"id": "x", "name": "end", "args": null}, "thoughtSignature": "Cq"}]}"#,
            r#"{"role": "function", "parts": [
                {"functionResponse": {"id": "x", "name": "end", "response": {"error": "not yet"}}},
                {"functionResponse": {"id": "y", "name": "fs.ls", "response": {"output": "a\nb", "error": null}}}]}"#,
            r#"{"role": "model", "parts": [{"text": "Done."}]}"#,
        ],
        "0 start m Text [\"fs_ls=fs.ls Unknown Other\", \"end=end Unknown Other\"]\n\
         0 user User List it,\nall.\n\
         1 completion [\"Looking.\"] \
         [\"call-1 fs_ls {\\\"n\\\": 100000000000000000001, \\\"p\\\": \\\"a\\\"} Unknown\", \"x end {} Unknown\"]\n\
         3 result of call-1 fs_ls: Executed Unknown 1 \"a\\nb\"\n\
         2 result of x end: Executed Error 1 \"not yet\"\n\
         4 completion [\"Done.\"] []\n\
         Oddities { missing_results: 0, late_results: 0, reused_ids: 0, unknown_status: 1, empty_messages: 0 }",
    );
}

/// What a tool answered, as the one result says it.
#[track_caller]
fn check_answer(response: &str, expected: &str) {
    let line = format!(r#"{{"contents": [{LS}, {}]}}"#, answer(response));
    let log = log_of(&line, &Setting::default());
    let result = log.lines().find_map(|line| line.strip_prefix("1 result of call-1 ls: Executed "));
    assert_eq!(result, Some(expected), "{log}");
}

#[test]
fn a_response_is_its_one_member_or_all_of_several() {
    check_answer(r#"{"output": "a"}"#, r#"Unknown 1 "a""#);
    check_answer(r#"{"result": {"files": []}}"#, r#"Unknown 1 "{\"files\": []}""#);
    check_answer(r#"{"z": 1, "a": "é"}"#, r#"Unknown 1 "{\"z\": 1, \"a\": \"é\"}""#);
    check_answer(r#"{"error": "x", "code": 2}"#, r#"Error 1 "{\"error\": \"x\", \"code\": 2}""#);
    check_answer(r#"{"error": {"code": 5}}"#, r#"Error 1 "{\"code\": 5}""#);
    check_answer(r#"{"error": "", "output": null}"#, r#"Unknown 1 """#);
    check_answer(r#"{"error": false}"#, r#"Unknown 1 "false""#);
    check_answer("{}", r#"Unknown 1 """#);
    check_answer(r#"{"output": "\ud800"}"#, "Unknown 1 \"\u{fffd}\"");
}

/// Without ids, results belong to the calls of their name in order.
#[test]
fn results_without_ids_are_joined_by_name_and_order() {
    let ls = |n| format!(r#"{{"functionCall": {{"name": "ls", "args": {n}}}}}"#);
    let of = |name, text| {
        format!(r#"{{"functionResponse": {{"name": "{name}", "response": {{"output": "{text}"}}}}}}"#)
    };
    let pwd = r#"{"functionCall": {"name": "pwd"}}"#;
    check(
        &[
            &format!(r#"{{"role": "model", "parts": [{}, {pwd}, {}]}}"#, ls(1), ls(2)),
            &format!(
                r#"{{"role": "user", "parts": [{}, {}, {}, {}, {{"text": "Go on."}}]}}"#,
                of("ls", "first"),
                of("ls", "second"),
                of("pwd", "here"),
                of("ls", "one too many")
            ),
            LS,
            LS,
            &answer(r#"{"output": "third"}"#),
        ],
        "0 start m Text [\"ls=ls Unknown Other\", \"pwd=pwd Unknown Other\"]\n\
         0 completion [] [\"call-1 ls 1 Unknown\", \"call-2 pwd {} Unknown\", \"call-3 ls 2 Unknown\"]\n\
         1 result of call-1 ls: Executed Unknown 1 \"first\"\n\
         3 result of call-2 pwd: Executed Unknown 1 \"here\"\n\
         2 result of call-3 ls: Executed Unknown 1 \"second\"\n\
         5 user User Go on.\n\
         6 completion [] [\"call-4 ls {\\\"path\\\": \\\".\\\"} Unknown\"]\n\
         6 result of call-4 ls: Missing Unknown 0 \"\"\n\
         7 completion [] [\"call-5 ls {\\\"path\\\": \\\".\\\"} Unknown\"]\n\
         8 result of call-5 ls: Executed Unknown 1 \"third\"\n\
         Oddities { missing_results: 1, late_results: 1, reused_ids: 0, unknown_status: 5, empty_messages: 0 }",
    );
}

#[test]
fn what_says_nothing_is_an_empty_message() {
    check(
        &[
            r#"{"role": "user", "parts": [{"inlineData": {}}]}"#,
            r#"{"role": "model"}"#,
            r#"{"role": "model", "parts": [{"executableCode": {"code": "1"}}, {}]}"#,
            r#"{"role": "system", "parts": [{"text": "Be good."}]}"#,
        ],
        &format!(
            "0 start m Text []\n0 user User \n1 {}\n2 {}\nOddities {{ missing_results: 0, late_results: 0, \
             reused_ids: 0, unknown_status: 0, empty_messages: 2 }}",
            failed_attempt(1),
            failed_attempt(2)
        ),
    );
}

#[test]
fn a_bad_conversation_names_the_place() {
    let bad = |contents: &str, expected: &str| {
        let line = format!(r#"{{"contents": [{contents}]}}"#);
        assert_eq!(log_of(&line, &Setting::default()), expected, "{contents:.200}");
    };
    let orphan = "contents[0].parts[0].functionResponse: expected the id of an earlier call, found `ls`";
    bad(&answer("{}"), &format!("orphan-result: {orphan}"));
    bad(
        &format!(
            r#"{{"role": "model", "parts": [{{"functionCall": {{"id": "a", "name": "ls"}}}}]}}, {}"#,
            answer("{}")
        ),
        &format!("orphan-result: {}", orphan.replacen("contents[0]", "contents[1]", 1)),
    );
    bad(
        &format!("{LS}, {}", answer("[]")),
        "wrong-shape: contents[1].parts[0].functionResponse.response: expected an object",
    );
    bad(
        &format!("{LS}, {}", answer("\"x\"")),
        "wrong-shape: contents[1].parts[0].functionResponse.response: expected an object",
    );
    bad(
        r#"{"role": "tool"}"#,
        "wrong-shape: contents[0].role: unknown variant `tool`, expected one of `system`, `function`, `user`, `model`",
    );
    bad(
        r#"{"role": "model", "parts": [["text"]]}"#,
        "wrong-shape: contents[0].parts[0]: invalid type: sequence, expected an object",
    );
    bad(
        r#"{"role": "model", "parts": [{"functionCall": {"args": {}}}]}"#,
        "wrong-shape: contents[0].parts[0].functionCall: missing field `name`",
    );
    bad(
        r#"{"role": "user", "parts": [{"functionResponse": {"name": "ls"}}]}"#,
        "wrong-shape: contents[0].parts[0].functionResponse: missing field `response`",
    );
    let deep = format!(
        r#"{{"role": "model", "parts": [{{"functionCall": {{"name": "ls", "args": {}"#,
        "[".repeat(100_000)
    );
    let log = log_of(&format!(r#"{{"contents": [{deep}"#), &Setting::default());
    assert!(log.starts_with("not-json: column "), "{log}");
    assert_eq!(
        log_of(r#"{"contents": [], "messages": []}"#, &Setting::default()),
        "unknown-format: expected one format, found `openai-chat` and `gemini`: choose with --from"
    );
}
