//! What users took back, or programs wrote twice or for themselves: the model of the run never saw it.

use balk::import::{Recording, neutral};
use serde_json::{Value, json};

use super::{all, one, shown};

/// A file with these values, one a line.
fn lines(values: &[Value]) -> String {
    values.iter().map(|it| format!("{it}\n")).collect()
}

/// The messages of the one transcript, without its head.
#[track_caller]
fn said(values: &[Value]) -> Vec<String> {
    shown(&one(&lines(values))).lines().skip(1).map(|it| it.trim().to_owned()).collect()
}

/// A line of Claude Code, after the line of this name.
fn claude(uuid: &str, parent: Option<&str>, message: &Value) -> Value {
    json!({
        "type": message["role"], "sessionId": "s", "isSidechain": false, "uuid": uuid, "parentUuid": parent,
        "message": message,
    })
}

fn asks(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn calls(id: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]})
}

fn result(id: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "2"}]})
}

#[test]
fn a_request_of_claude_code_in_the_place_of_another_takes_back_what_followed() {
    let session = [
        claude("u0", None, &asks("hello")),
        claude("a0", Some("u0"), &says("hi")),
        claude("u1", Some("a0"), &asks("count")),
        claude("a1", Some("u1"), &calls("c1")),
        claude("r1", Some("a1"), &result("c1")),
        claude("u2", Some("a0"), &asks("count again")),
        claude("a2", Some("u2"), &says("1")),
        claude("u3", Some("a2"), &asks("more")),
        claude("u4", Some("a0"), &asks("and again")),
        claude("a4", Some("u4"), &says("2")),
    ];
    let expected = [r#"user "hello""#, r#"model says "hi""#, r#"user "and again""#, r#"model says "2""#];
    assert_eq!(said(&session), expected);
}

/// The results of calls that were made at once come after different lines, and what the program says in the user's
/// place is no request.
#[test]
fn what_comes_after_one_line_together_is_kept() {
    let mut meta = claude("m", Some("r1"), &asks("Caveat: local commands follow"));
    meta["isMeta"] = json!(true);
    let session = [
        claude("u0", None, &asks("count")),
        claude("a0", Some("u0"), &calls("c1")),
        claude("a1", Some("a0"), &calls("c2")),
        claude("r1", Some("a0"), &result("c1")),
        claude("r2", Some("a1"), &result("c2")),
        meta,
        claude("u1", Some("r1"), &asks("go on")),
    ];
    assert_eq!(said(&session).len(), 7);
}

/// A text beside a result is none of a request, and a request that came before a result was not taken back for it.
#[test]
fn lines_with_results_and_a_text_take_nothing_back() {
    let noted = |id: &str| {
        let mut message = result(id);
        message["content"].as_array_mut().expect("it is a list").push(json!({"type": "text", "text": id}));
        message
    };
    let session = [
        claude("u0", None, &asks("count")),
        claude("a0", Some("u0"), &calls("c1")),
        claude("a1", Some("a0"), &calls("c2")),
        claude("r1", Some("a1"), &noted("c1")),
        claude("q", Some("a1"), &asks("and more")),
        claude("r2", Some("a1"), &noted("c2")),
        claude("a2", Some("r2"), &says("done")),
    ];
    let expected = [
        r#"user "count""#,
        "model calls c1 Bash {}",
        "model calls c2 Bash {}",
        r#"result of c1: Unknown "2""#,
        r#"user "c1""#,
        r#"user "and more""#,
        r#"result of c2: Unknown "2""#,
        r#"user "c2""#,
        r#"model says "done""#,
    ];
    assert_eq!(said(&session), expected);
}

#[test]
fn a_user_of_claude_code_may_go_back_to_the_start_or_to_another_branch() {
    let mut session = vec![
        claude("u1", None, &asks("go")),
        claude("a1", Some("u1"), &says("ok")),
        claude("u2", Some("a1"), &asks("B")),
        claude("a2", Some("u2"), &says("B done")),
        claude("u3", Some("a1"), &asks("C")),
        claude("a3", Some("u3"), &says("C done")),
        claude("u4", Some("a2"), &asks("B again")),
    ];
    let branch =
        [r#"user "go""#, r#"model says "ok""#, r#"user "B""#, r#"model says "B done""#, r#"user "B again""#];
    assert_eq!(said(&session), branch);
    session.extend([claude("u5", None, &asks("anew")), claude("a5", Some("u5"), &says("fine"))]);
    assert_eq!(said(&session), [r#"user "anew""#, r#"model says "fine""#]);
    // The lines of a log may name none.
    for line in &mut session {
        line["parentUuid"] = Value::Null;
    }
    assert_eq!(said(&session).len(), 9);
}

/// After a compaction, lines may go on from its summary, or from those before it that were kept.
#[test]
fn a_compaction_of_claude_code_takes_nothing_back() {
    let mut summary = claude("s", Some("c"), &asks("What was said."));
    summary["isCompactSummary"] = json!(true);
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "c", "sessionId": "s",
        "parentUuid": null, "logicalParentUuid": "a1"});
    for parent in ["s", "a1", "of another file"] {
        let session = [
            claude("u0", None, &asks("go")),
            claude("u1", None, &asks("begin")),
            claude("a1", Some("u1"), &says("ok")),
            boundary.clone(),
            summary.clone(),
            claude("u2", Some(parent), &asks("on")),
        ];
        let expected = [
            r#"user "go""#,
            r#"user "begin""#,
            r#"model says "ok""#,
            r#"user "What was said.""#,
            r#"user "on""#,
        ];
        assert_eq!(said(&session), expected, "{parent}");
    }
}

#[test]
fn what_the_user_said_while_claude_code_worked_is_read() {
    let line = json!({"type": "attachment", "uuid": "q", "parentUuid": "r", "sessionId": "s"});
    let attached = |it: Value| {
        let mut line = line.clone();
        line["attachment"] = it;
        line
    };
    let session = |attachment: Value| {
        [
            claude("u", None, &asks("count")),
            claude("a", Some("u"), &calls("c")),
            claude("r", Some("a"), &result("c")),
            attached(attachment),
            claude("e", Some("q"), &says("done")),
        ]
    };
    let text = json!([{"type": "text", "text": "and more"}]);
    for prompt in [json!("and more"), text] {
        let found =
            said(&session(json!({"type": "queued_command", "prompt": prompt, "commandMode": "prompt"})));
        assert_eq!((found.len(), &*found[3]), (5, r#"user "and more""#));
    }
    for other in [json!({"type": "file", "prompt": "x"}), json!({"prompt": 1}), json!([1])] {
        assert_eq!(said(&session(other)).len(), 4);
    }
}

#[test]
fn lines_of_claude_code_with_one_name_are_all_read() {
    let line = |text: &str| claude("same", Some("another"), &asks(text));
    assert_eq!(said(&[line("one"), line("two"), line("one"), line("three")]).len(), 3);
}

/// The calls of what was taken back are gone: a later result of one is none of this transcript.
#[test]
fn a_late_result_of_what_was_taken_back_is_no_part_of_a_run() {
    let session = [
        claude("u0", None, &asks("hi")),
        claude("a0", Some("u0"), &says("hello")),
        claude("u1", Some("a0"), &asks("A")),
        claude("a1", Some("u1"), &calls("c")),
        claude("u2", Some("a0"), &asks("B")),
        claude("r1", Some("a1"), &result("c")),
    ];
    assert_eq!(said(&session), [r#"user "hi""#, r#"model says "hello""#, r#"user "B""#]);

    let item = |payload: Value| json!({"type": "response_item", "payload": payload});
    let asked = |text: &str| item(json!({"type": "message", "role": "user", "content": text}));
    let call =
        |id: &str| item(json!({"type": "function_call", "call_id": id, "name": "ls", "arguments": "{}"}));
    let answer = |id: &str| item(json!({"type": "function_call_output", "call_id": id, "output": "x"}));
    let note = json!({"type": "thread_rolled_back", "num_turns": 1});
    let back = json!({"type": "event_msg", "payload": note, "timestamp": "t"});
    let head = json!({"type": "session_meta", "payload": {"id": "x"}, "timestamp": "t"});
    let rollout = [
        head,
        asked("one"),
        call("k"),
        answer("k"),
        asked("two"),
        call("k"),
        call("l"),
        back,
        answer("l"),
        answer("k"),
    ];
    check_late(&rollout, "orphan-result: payload.call_id: expected the id of an earlier call, found `l`", 4);

    let record = |uuid: &str, kind: &str, part: Value| {
        let role = if kind == "assistant" { "model" } else { "user" };
        let message = json!({"role": role, "parts": [part]});
        json!({"uuid": uuid, "parentUuid": "0", "sessionId": "q", "type": kind, "message": message})
    };
    let chat = [
        record("0", "user", json!({"text": "hi"})),
        record("1", "assistant", json!({"functionCall": {"name": "ls", "args": {}}})),
        json!({"uuid": "2", "parentUuid": "0", "sessionId": "q", "type": "system", "subtype": "rewind"}),
        record("3", "tool_result", json!({"functionResponse": {"name": "ls", "response": {"output": "x"}}})),
    ];
    let bad =
        "orphan-result: message.parts[0].functionResponse: expected the id of an earlier call, found `ls`";
    check_late(&chat, bad, 1);
}

/// There is a transcript with so many messages that can be read again, and one part that cannot be used.
#[track_caller]
fn check_late(values: &[Value], bad: &str, messages: usize) {
    let (found, refused): (Vec<_>, Vec<_>) =
        all(&lines(values)).into_iter().map(|(_, it)| it).partition(Result::is_ok);
    let refused: Vec<String> =
        refused.into_iter().filter_map(|it| it.err()).map(|it| it.to_string()).collect();
    assert_eq!(refused, [bad]);
    let found: Vec<Recording> = found.into_iter().flatten().collect();
    assert_eq!(
        found.iter().map(|it| (it.messages.len(), it.reused_ids)).collect::<Vec<_>>(),
        [(messages, 0)]
    );
    assert_eq!(one(&neutral(&found[0], None)), found[0]);
}

#[test]
fn a_line_of_claude_code_that_was_there_is_passed_over_and_so_is_an_error_of_the_api() {
    let mut error = claude("e", Some("a0"), &says("API Error: 529"));
    error["isApiErrorMessage"] = json!(true);
    let ask = claude("u0", None, &asks("hello"));
    let session = [ask.clone(), ask, claude("a0", Some("u0"), &says("hi")), error];
    assert_eq!(said(&session), [r#"user "hello""#, r#"model says "hi""#]);
}

#[test]
fn side_chains_of_claude_code_without_a_name_are_told_apart_by_their_first_line() {
    let side = |uuid: &str, parent: Option<&str>, message: &Value| {
        let mut line = claude(uuid, parent, message);
        line["isSidechain"] = json!(true);
        line
    };
    let session = [
        claude("u", None, &asks("both")),
        side("a0", None, &asks("one")),
        side("b0", None, &asks("other")),
        side("a1", Some("a0"), &calls("c")),
        side("b1", Some("b0"), &calls("d")),
        side("a2", Some("a1"), &result("c")),
        side("b2", Some("b1"), &result("d")),
    ];
    let found = all(&lines(&session)).into_iter().map(|(_, it)| it.expect("it can be read"));
    let found: Vec<(String, usize)> = found.map(|it| (it.id.to_string(), it.messages.len())).collect();
    assert_eq!(found, [("s".into(), 1), ("s/side".into(), 3), ("s/side-2".into(), 3)]);
}

#[test]
fn codex_takes_the_last_requests_back() {
    let time = "2026-01-01T00:00:00Z";
    let item = |payload: Value| json!({"timestamp": time, "type": "response_item", "payload": payload});
    let user = |text: &str| {
        item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
    };
    let model = |text: &str| {
        item(
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
        )
    };
    let note = |payload: Value| json!({"type": "event_msg", "payload": payload});
    let back = |turns: u64| note(json!({"type": "thread_rolled_back", "num_turns": turns}));
    let head = |id: &str| json!({"type": "session_meta", "payload": {"id": id}});
    let mut rollout =
        vec![head("fork"), head("first"), user("<environment_context>\n</environment_context>")];
    rollout.extend([
        user("one"),
        model("1"),
        user("two"),
        model("2"),
        user("three"),
        model("3"),
        back(2),
        back(0),
    ]);
    rollout.extend([user("four"), model("4")]);
    let found = shown(&one(&lines(&rollout)));
    let expected = [
        r#"user "<environment_context>\n</environment_context>""#,
        r#"user "one""#,
        r#"model says "1""#,
        r#"user "four""#,
        r#"model says "4""#,
    ];
    let said: Vec<&str> = found.lines().skip(1).filter_map(|it| it.trim().split(" at ").next()).collect();
    assert_eq!(said, expected);
    assert!(found.starts_with(r#"id "fork""#), "{found}");
    rollout.push(note(json!({"type": "task_started", "num_turns": 1})));
    assert_eq!(said_by(&rollout), 5, "other notes may count turns");
    rollout.push(back(u64::MAX));
    assert_eq!(said_by(&rollout), 1, "what the program says stays");
}

fn said_by(rollout: &[Value]) -> usize {
    one(&lines(rollout)).messages.len()
}

#[test]
fn a_chat_of_gemini_cli_has_each_result_once_and_goes_back() {
    let user = |id: &str, parts: Value| json!({"id": id, "type": "user", "content": parts});
    let model = |id: &str, text: &str| json!({"id": id, "type": "gemini", "content": text});
    let answer = json!([{"functionResponse": {"id": "c", "name": "run", "response": {"output": "2"}}}]);
    let call = json!({"id": "c", "name": "run", "args": {}, "result": answer, "status": "success"});
    let mut chat = vec![
        json!({"sessionId": "s", "projectHash": "h", "kind": "main"}),
        user("u0", json!([{"text": "count"}])),
        json!({"id": "g0", "type": "gemini", "content": "", "toolCalls": [call]}),
        user("r0", answer.clone()),
        model("g1", "2"),
    ];
    let counted = [r#"user "count""#, "model calls c run {}", r#"result of c: Ok "2""#, r#"model says "2""#];
    assert_eq!(said(&chat), counted);
    chat.extend([
        json!({"$set": {"messages": [user("s0", json!([{"text": "summary"}])), user("s1", json!("go on"))]}}),
        model("g2", "done"),
        json!({"$rewindTo": "s1"}),
        user("u1", json!("again")),
        json!({"$rewindTo": "u1"}),
        user("u2", json!("once more")),
    ]);
    assert_eq!(said(&chat), [r#"user "summary""#, r#"user "once more""#]);
}

/// Where an answer lacks a result, it is that which was sent to the model.
#[test]
fn a_result_of_gemini_cli_may_be_in_the_place_of_the_user_alone() {
    let response =
        |id: &str, it: Value| json!({"functionResponse": {"id": id, "name": "run", "response": it}});
    let call = |id: &str| json!({"id": id, "name": "run", "args": {}});
    let mut failed = call("d");
    failed["status"] = json!("error");
    let nameless = json!({"name": "ls", "args": {}});
    let listed = |text: &str| json!({"functionResponse": {"name": "ls", "response": {"output": text}}});
    let mut answered = call("e");
    answered["result"] = json!([response("e", json!({"output": "5"}))]);
    let called = [call("c"), failed, answered, nameless.clone(), nameless];
    let sent = json!([
        response("c", json!({"output": "3"})),
        response("d", json!({"output": "4"})),
        response("e", json!({"output": "5"})),
        response("f", json!({"output": "6"})),
        listed("7"),
        listed("8"),
        {"text": "Go on."}
    ]);
    let chat = [
        json!({"sessionId": "s", "projectHash": "h", "kind": "main"}),
        json!({"id": "g", "type": "gemini", "content": "", "toolCalls": called}),
        json!({"id": "u", "type": "user", "content": sent}),
    ];
    let expected = [
        "model calls c run {} calls d run {} calls e run {} calls call-4 ls {} calls call-5 ls {}",
        r#"result of e: Unknown "5""#,
        r#"result of c: Unknown "3""#,
        r#"result of d: Error "4""#,
        r#"result of call-4: Unknown "7""#,
        r#"result of call-5: Unknown "8""#,
        r#"user "Go on.""#,
    ];
    assert_eq!(said(&chat), expected);
}

#[test]
fn a_rewind_of_qwen_code_goes_back_to_the_record_that_it_names() {
    let record = |uuid: &str, parent: Option<&str>, kind: &str, text: &str| {
        let role = if kind == "user" { "user" } else { "model" };
        let message = json!({"role": role, "parts": [{"text": text}]});
        json!({"uuid": uuid, "parentUuid": parent, "sessionId": "q", "type": kind, "message": message})
    };
    let rewind = |uuid: &str, parent: Option<&str>| {
        let payload = json!({"truncatedCount": 2});
        json!({"uuid": uuid, "parentUuid": parent, "sessionId": "q", "type": "system", "subtype": "rewind",
            "systemPayload": payload})
    };
    let mut chat = vec![
        record("u0", None, "user", "hello"),
        record("a0", Some("u0"), "assistant", "hi"),
        record("u1", Some("a0"), "user", "count"),
        record("a1", Some("u1"), "assistant", "2"),
        rewind("w1", Some("a0")),
        record("u2", Some("w1"), "user", "again"),
    ];
    assert_eq!(said(&chat), [r#"user "hello""#, r#"model says "hi""#, r#"user "again""#]);
    chat.extend([rewind("w2", None), record("u3", Some("w2"), "user", "bye")]);
    assert_eq!(said(&chat), [r#"user "bye""#]);
}
