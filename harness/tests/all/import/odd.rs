//! Logs that are sound, but not as most logs are.

use balk::import::{Format, Outcome, Setting, reading};

use super::{all, log_of, one, shown};

/// A run of mini-swe-agent 2 with these messages.
fn mini(messages: &str) -> String {
    let info = r#"{"mini_version": "2.4.6", "config": {"model": {"model_name": "m"}}}"#;
    format!(r#"{{"info": {info}, "messages": [{messages}], "trajectory_format": "mini-swe-agent-1.1"}}"#)
}

#[track_caller]
fn check(file: &str, expected: &[&str]) {
    assert_eq!(shown(&one(file)).lines().skip(1).map(str::trim).collect::<Vec<_>>(), expected);
}

#[test]
fn commands_in_a_text_are_what_the_program_noted_or_its_one_block() {
    let run = |text: &str, noted: &str, returned: &str| {
        mini(&format!(
            r#"{{"role": "user", "content": "t"}},
            {{"role": "assistant", "content": "{text}", "extra": {{{noted}"timestamp": 1767225601}}}},
            {{"role": "user", "content": "{returned}", "extra": {{"returncode": 2, "timestamp": 1767225602}}}},
            {{"role": "user", "content": "Go on.", "extra": {{"interrupt_type": "UserInterruption"}}}},
            {{"role": "exit", "content": "", "extra": {{}}}}"#
        ))
    };
    let noted = r#""actions": [{"command": "ls x"}], "#;
    let tag = "<mswea_bash_command>ls x</mswea_bash_command>";
    let fence = "```mswea_bash_command\\nls x\\n```";
    for (text, noted) in [(tag, noted), (fence, noted), (fence, "")] {
        let says = text.replace("\\n", "\n");
        check(
            &run(text, noted, "none"),
            &[
                "user \"t\"",
                &format!(
                    "model says {says:?} calls call-1 bash {{\"command\": \"ls x\"}} at 2026-01-01T00:00:01Z"
                ),
                "result of call-1: Error \"none\" at 2026-01-01T00:00:02Z",
                "user \"Go on.\"",
            ],
        );
    }
    // What the program took no command from has none.
    let none = one(&run("```bash\\nls x\\n```", r#""actions": [], "#, "none"));
    assert!(!shown(&none).contains("calls"), "{}", shown(&none));
}

#[test]
fn a_run_of_a_model_of_the_responses_api_is_read() {
    let call = |id: &str| {
        let arguments = r#""{\"command\": \"ls\"}""#;
        format!(r#"{{"type": "function_call", "call_id": "{id}", "name": "bash", "arguments": {arguments}}}"#)
    };
    let response = |items: &str| {
        format!(
            r#"{{"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [{items}],
            "usage": {{"input_tokens": 7, "output_tokens": 2}}, "extra": {{"timestamp": 1767225601.5}}}}"#
        )
    };
    let thinks =
        r#"{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "content": null}"#;
    let says = r#"{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}"#;
    let file = mini(&format!(
        r#"{{"type": "message", "role": "system", "content": [{{"type": "input_text", "text": "s"}}]}},
        {{"role": "user", "content": "t"}}, {},
        {{"type": "function_call_output", "call_id": "b", "output": "y", "extra": {{"returncode": 0}}}},
        {{"type": "function_call_output", "call_id": "a", "output": "x", "extra": {{"returncode": 1}}}}, {},
        {{"role": "exit", "content": "done"}}"#,
        response(&[thinks, says, &call("a"), &call("b")].join(", ")),
        response(&call("c")),
    ));
    check(
        &file,
        &[
            "system \"s\"",
            "user \"t\"",
            "model thinks \"Hm.\" says \"I look.\" calls a bash {\"command\": \"ls\"} \
             calls b bash {\"command\": \"ls\"} \
             for 7 + 2 tokens at 2026-01-01T00:00:01.5Z",
            "result of b: Ok \"y\"",
            "result of a: Error \"x\"",
            "model calls c bash {\"command\": \"ls\"} for 7 + 2 tokens at 2026-01-01T00:00:01.5Z",
            "result of c: Unknown \"done\"",
        ],
    );
}

/// Some local servers write empty ids.
#[test]
fn results_with_an_empty_id_come_in_the_order_of_their_calls() {
    let call = |tool: &str| format!(r#"{{"id": "", "function": {{"name": "{tool}", "arguments": "{{}}"}}}}"#);
    let result = |text: &str| format!(r#"{{"role": "tool", "tool_call_id": "", "content": "{text}"}}"#);
    let calls = format!(r#"{{"role": "assistant", "tool_calls": [{}, {}]}}"#, call("f"), call("g"));
    let file = |results: &[&str]| {
        let results: Vec<String> = results.iter().map(|text| result(text)).collect();
        format!(r#"{{"messages": [{calls}, {}]}}"#, results.join(", "))
    };
    check(
        &file(&["x", "y"]),
        &[
            "model calls call-1 f {} calls call-2 g {}",
            "result of call-1: Unknown \"x\"",
            "result of call-2: Unknown \"y\"",
        ],
    );
    let too_many = all(&file(&["x", "y", "z"])).remove(0).1.expect_err("a result too many");
    assert_eq!(
        too_many.to_string(),
        "orphan-result: messages[3].tool_call_id: expected the id of an earlier call, found ``"
    );
}

/// A result without an id is of a call without one.
#[test]
fn an_empty_id_is_of_a_call_with_an_empty_id() {
    let call = |id: &str| format!(r#"{{"id": "{id}", "function": {{"name": "f", "arguments": "{{}}"}}}}"#);
    let result = |id: &str| format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": "of {id}"}}"#);
    let calls = format!(r#"{{"role": "assistant", "tool_calls": [{}, {}]}}"#, call("x"), call(""));
    check(
        &format!(r#"{{"messages": [{calls}, {}, {}]}}"#, result(""), result("x")),
        &[
            "model calls x f {} calls call-2 f {}",
            "result of call-2: Unknown \"of \"",
            "result of x: Unknown \"of x\"",
        ],
    );
}

#[test]
fn a_text_that_was_cut_within_a_character_is_read() {
    let chat = r#"{"messages": [{"role": "user", "content": "cut \ud83d"},
        {"role": "user", "content": "\ud83d\ude00"}]}"#;
    check(chat, &["user \"cut \u{fffd}\"", "user \"\u{1f600}\""]);
    let cline =
        r#"[{"role": "user", "content": [{"type": "text", "text": "cut \ud83d"}], "ts": 1767225601000}]"#;
    check(cline, &["user \"cut \u{fffd}\" at 2026-01-01T00:00:01Z"]);
    let line = |id: &str, parent: &str, text: &str| {
        let message = format!(r#"{{"role": "user", "content": "{text}"}}"#);
        format!(
            r#"{{"type": "user", "sessionId": "s", "uuid": "{id}", "parentUuid": {parent}, "message": {message}}}"#
        )
    };
    let lines = [line("a", "null", "go"), line("b", "\"a\"", r"cut \uD83D"), line("c", "\"b\"", "on")];
    check(&lines.join("\n"), &["user \"go\"", "user \"cut \u{fffd}\"", "user \"on\""]);
}

/// Inspect writes a score that does not count as `NaN`.
#[test]
fn numbers_that_json_has_not_are_nothing_in_logs_of_inspect() {
    let sample = |score: &str, text: &str| {
        format!(
            r#"{{"id": 1, "epoch": 1, "messages": [{{"role": "user", "content": "{text}"}}],
            "scores": {{"s": {{"value": {score}}}}}}}"#
        )
    };
    let file = |score: &str| {
        format!(
            r#"{{"version": 2, "eval": {{"task": "t", "model": "m"}}, "results": {{"mean": {score}}},
            "samples": [{}, {}]}}"#,
            sample(score, r#"\"NaN\", [NaN]"#),
            sample("\"C\"", "q")
        )
    };
    for score in ["1.0", "NaN", "Infinity", "-Infinity"] {
        let found = all(&file(score));
        let read: Vec<_> = found.into_iter().map(|(_, it)| it.expect("a sample")).collect();
        assert_eq!(
            read.iter().map(|it| (&*it.model, it.outcome)).collect::<Vec<_>>(),
            [("m", Outcome::Unknown), ("m", Outcome::Resolved)]
        );
        assert!(shown(&read[0]).ends_with(r#"user "\"NaN\", [NaN]""#), "{}", shown(&read[0]));
    }
    let (_, bad) = all(&file("nan")).remove(0);
    assert!(bad.expect_err("no number of Python").to_string().starts_with("not-json: samples[0]: "));
}

#[test]
fn arguments_with_numbers_that_json_has_not_are_others_in_logs_of_inspect() {
    let arguments = r#"{"x": NaN, "y": [-Infinity, Infinity], "z": "NaN -Infinity"}"#;
    let call = format!(r#"{{"id": "c", "function": "f", "arguments": {arguments}}}"#);
    let message = format!(r#"{{"role": "assistant", "content": "", "tool_calls": [{call}]}}"#);
    let sample = format!(r#"{{"id": 1, "epoch": 1, "messages": [{message}], "scores": null}}"#);
    let log = format!(r#"{{"version": 2, "eval": {{"task": "t", "model": "m"}}, "samples": [{sample}]}}"#);
    let expected =
        r#"model says "" calls c f {"x": "NaN", "y": ["-Infinity", "Infinity"], "z": "NaN -Infinity"}"#;
    check(&log, &[expected]);
}

/// A trajectory of ATIF with these calls and observations in one step, and then a step of the program.
fn atif(calls: &[&str], results: &str, later: &str) -> String {
    let call = |id: &&str| format!(r#"{{"tool_call_id": "{id}", "function_name": "f", "arguments": {{}}}}"#);
    let calls: Vec<String> = calls.iter().map(call).collect();
    format!(
        r#"{{"schema_version": "ATIF-v1.7", "agent": {{"name": "a", "version": "1"}}, "steps": [
            {{"step_id": 1, "source": "agent", "message": "", "tool_calls": [{}],
                "observation": {{"results": [{results}]}}}},
            {{"step_id": 2, "source": "system", "message": "", "observation": {{"results": [{later}]}}}}]}}"#,
        calls.join(", ")
    )
}

#[test]
fn a_result_without_an_id_is_of_a_call_without_a_result() {
    let result = |id: &str, text: &str| format!(r#"{{"source_call_id": {id}, "content": "{text}"}}"#);
    let (x, y, z) = (result("\"a\"", "x"), result("null", "y"), result("null", "z"));
    let two = "model calls a f {} calls b f {}";
    let of = |id: &str, text: &str| format!("result of {id}: Unknown {text:?}");
    check(&atif(&["a", "b"], &format!("{x}, {y}"), &z), &[two, &of("a", "x"), &of("b", "y"), "user \"z\""]);
    check(
        &atif(&["b", "a"], &format!("{x}, {y}"), &z),
        &["model calls b f {} calls a f {}", &of("a", "x"), &of("b", "y"), "user \"z\""],
    );
    check(&atif(&["a"], &x, &y), &["model calls a f {}", &of("a", "x"), "user \"y\""]);
    // Of two calls with one id, the second still waits.
    check(
        &atif(&["a", "a"], &format!("{x}, {y}"), &z),
        &["model calls a f {} calls a f {}", &of("a", "x"), &of("a", "y"), "user \"z\""],
    );
    let log = log_of(&atif(&["a", "b"], &format!("{x}, {y}"), &z).replace('\n', ""), &Setting::default());
    assert!(log.contains("missing_results: 0, late_results: 0"), "{log}");
}

/// A session that was taken up again may begin with the summaries of hundreds of others.
#[test]
fn a_session_is_one_whatever_it_begins_with() {
    let summary = r#"{"type": "summary", "summary": "What was done before.", "leafUuid": "x"}"#;
    let said = |text: &str| {
        format!(r#"{{"type": "user", "sessionId": "s", "message": {{"role": "user", "content": "{text}"}}}}"#)
    };
    for before in [40, 20_000] {
        let mut lines = vec![summary.to_owned(); before];
        lines.extend([said("one"), said("two")]);
        check(&lines.join("\n"), &["user \"one\"", "user \"two\""]);
    }
}

/// What tells the format may come behind a long first message.
#[test]
fn a_long_first_message_hides_no_format() {
    let long = "x".repeat(400_000);
    let text = |text: &str| format!(r#"[{{"type": "text", "text": "{text}"}}]"#);
    let history = format!(
        r#"[{{"role": "user", "content": {}, "ts": 1}},
        {{"role": "assistant", "content": {}, "ts": 2}},
        {{"role": "user", "content": {}, "ts": 3}}]"#,
        text(&long),
        text(r"<read_file>\n<path>a.py</path>\n</read_file>"),
        text("[read_file for 'a.py'] Result:\\nprint()"),
    );
    let (format, _) = reading::read(history.as_bytes(), None).expect("memory can be read");
    assert_eq!(format, Some(Format::Cline));
    assert!(shown(&one(&history)).contains("calls call-1 read_file"));

    let run = mini(&format!(
        r#"{{"role": "user", "content": "{long}"}}, {{"role": "assistant", "content": "```bash\nls\n```"}}"#
    ));
    for file in [format!("{run}\n{run}\n"), format!("[{run}, {run}]")] {
        let (format, found) = reading::read(file.as_bytes(), None).expect("memory can be read");
        assert_eq!((format, found.len()), (Some(Format::MiniSweAgent), 2));
    }
}

/// A line of Langfuse is some kilobytes, and each level is read again: it is refused where it is too deep.
#[test]
fn messages_in_lists_of_lists_and_answers_in_answers_are_read_to_a_bound() {
    let line = |input: &str, output: &str| {
        format!(
            r#"{{"type":"GENERATION","trace_id":"t","start_time":"2024-01-01","input":{input},"output":{output}}}"#
        )
    };
    let (user, model) = (r#"{"role":"user","content":"hi"}"#, r#"{"role":"assistant","content":"x"}"#);
    let input = |levels| format!("{}{user}{}", "[".repeat(levels), "]".repeat(levels));
    let output = |levels| format!("{}{model}{}", r#"{"output":"#.repeat(levels), "}".repeat(levels));
    for file in [line(&input(3), model), line(&input(1), &output(3))] {
        assert_eq!(shown(&one(&file)).lines().skip(1).count(), 2, "{file}");
    }
    for (file, place) in
        [(line(&input(100_000), model), "input"), (line(&input(1), &output(100_000)), "output")]
    {
        let bad = all(&file).into_iter().find_map(|(_, it)| it.err()).expect("it is too deep");
        let says = bad.to_string();
        assert!(says.contains(place) && says.contains("at most 8 levels deep"), "{says}");
    }
}
