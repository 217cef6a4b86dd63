//! Traces of platforms: requests and their answers, put together into transcripts.

use balk::import::{Format, Recording, reading};
use serde_json::{Value, json};

use super::{all, one, shown};

/// Every transcript of a file; there is nothing else in it.
#[track_caller]
fn transcripts(file: &str) -> Vec<Recording> {
    let read = |(line, found): (u64, Result<_, _>)| found.unwrap_or_else(|bad| panic!("line {line}: {bad}"));
    all(file).into_iter().map(read).collect()
}

#[track_caller]
fn check(file: &str, expected: &[&str]) {
    let found: Vec<String> = transcripts(file).iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_lengths(file: &str, expected: &[usize]) {
    let lengths: Vec<usize> = transcripts(file).iter().map(|it| it.messages.len()).collect();
    assert_eq!(lengths, expected);
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// A generation of Langfuse that is begun at this second.
fn generation(second: usize, input: &Value, output: &Value) -> String {
    let time = format!("2026-01-01T00:00:{second:02}.000Z");
    let it = json!({"traceId": "t", "type": "GENERATION", "startTime": time, "model": "m", "input": input,
        "output": output});
    it.to_string()
}

/// A run of LangSmith that is begun at this second.
fn run(second: usize, input: &[&Value], output: &Value) -> String {
    let time = format!("2026-01-01T00:00:{second:02}");
    let it = json!({"trace_id": "t", "run_type": "llm", "start_time": time, "inputs": {"messages": [input]},
        "outputs": {"generations": [[{"message": output}]]}});
    it.to_string()
}

/// A message as the serialiser of LangChain writes it.
fn serialised(class: &str, kwargs: &Value) -> Value {
    json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": kwargs})
}

/// A call as the provider sends it.
fn sent(id: &str, tool: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}})
}

/// Langfuse's handler for LangChain keeps the library's form of calls, and adds the tools on offer to the messages.
#[test]
fn langfuse_has_the_calls_and_tools_of_langchain() {
    let tool = json!({"type": "function", "function": {"name": "ls", "description": "Lists."}});
    let offer = json!({"role": "tool", "content": tool});
    let call = json!({"name": "ls", "args": {"path": "x"}, "id": "a", "type": "tool_call"});
    let content =
        json!([{"type": "thinking", "thinking": "Hm."}, {"type": "tool_use", "id": "a", "input": ""}]);
    let called = json!({"role": "assistant", "content": content, "tool_calls": [call]});
    let answered = json!({"role": "tool", "content": "none", "tool_call_id": "a"});
    let file = [
        generation(1, &json!([user("List x."), offer]), &called),
        generation(2, &json!([user("List x."), called, answered, offer]), &assistant("Done.")),
    ];
    let expected = r#"id "t", model "m", unknown, tools ["ls"]
  user "List x."
  model thinks "Hm." calls a ls {"path":"x"}
  result of a: Unknown "none"
  model says "Done.""#;
    check(&file.join("\n"), &[expected]);
}

/// What a tool answered may be logged as an object, with members of any name.
#[test]
fn an_object_that_a_tool_answered_is_its_result() {
    let berlin = json!({"name": "Berlin", "temp": 3});
    let expected = |id: &str| {
        format!(
            r#"id "t", model "m", unknown, tools []
  user "q"
  model says "" calls {id} f {{}}
  result of {id}: Unknown "{{\"name\":\"Berlin\",\"temp\":3}}"
  model says "end""#
        )
    };
    for (id, member, shown) in
        [("a", "tool_call_id", "a"), ("", "name", "call-1"), ("a", "", "a"), ("", "", "call-1")]
    {
        let called = json!({"role": "assistant", "content": "", "tool_calls": [sent(id, "f", "{}")]});
        let mut result = json!({"role": "tool", "content": berlin});
        match member {
            "" => {}
            "name" => result[member] = json!("f"),
            _ => result[member] = json!(id),
        }
        check(&generation(1, &json!([user("q"), called, result]), &assistant("end")), &[&expected(shown)]);
    }
    // Tools on offer in the forms of the providers; the last is one that the provider runs.
    let offers = [
        json!({"type": "function", "function": {"name": "ls"}}),
        json!({"name": "rm", "input_schema": {"type": "object"}}),
        json!({"type": "web_search_preview"}),
    ];
    let mut input = vec![user("q")];
    input.extend(offers.map(|it| json!({"role": "tool", "content": it})));
    let found = transcripts(&generation(1, &json!(input), &assistant("end"))).remove(0);
    assert!(
        shown(&found).starts_with(r#"id "t", model "m", unknown, tools ["ls", "rm"]"#),
        "{}",
        shown(&found)
    );
    assert_eq!(found.messages.len(), 2);
}

/// The result of a call is no tool on offer, and a call that cannot be read is not left out.
#[test]
fn what_is_neither_an_offer_nor_a_call_is_refused() {
    let check_refused = |message: Value, expected: &str| {
        let found = all(&generation(1, &json!([message]), &Value::Null));
        let bad = found[0].1.as_ref().expect_err("it is refused");
        assert_eq!(bad.to_string(), expected);
    };
    check_refused(
        json!({"role": "tool", "content": {"name": "x"}, "tool_call_id": "a"}),
        "orphan-result: input[0].tool_call_id: expected the id of an earlier call, found `a`",
    );
    check_refused(
        json!({"role": "tool", "content": {"name": "x"}}),
        "orphan-result: input[0].tool_call_id: expected the id of an earlier call, found ``",
    );
    check_refused(
        json!({"role": "assistant", "content": "", "tool_calls": [{"args": {}, "id": "a"}]}),
        "wrong-shape: input[0].tool_calls[0]: missing field `function`",
    );
}

/// LangChain has calls that it could not parse in a list of their own; Langfuse has them as the provider sent them.
#[test]
fn calls_that_langchain_could_not_parse_are_calls() {
    let asked = serialised("HumanMessage", &json!({"content": "List x."}));
    let valid = json!([{"name": "ls", "args": {}, "id": "a"}]);
    let invalid = json!([{"name": "rm", "args": "{bad", "id": "b"}, {"name": null, "args": null, "id": "c"}]);
    let calls = json!({"content": "", "tool_calls": valid, "invalid_tool_calls": invalid});
    let called = serialised("AIMessage", &calls);
    let failed = json!({"content": "no JSON", "tool_call_id": "b", "status": "error"});
    let failed = serialised("ToolMessage", &failed);
    let done = serialised("AIMessage", &json!({"content": "Done."}));
    let file = [run(1, &[&asked], &called), run(2, &[&asked, &called, &failed], &done)];
    let expected = r#"id "t", model "", unknown, tools []
  user "List x."
  model calls a ls {} calls b rm {bad calls c  {}
  result of b: Error "no JSON"
  model says "Done.""#;
    check(&file.join("\n"), &[expected]);

    let calls = json!([sent("a", "ls", "{}"), sent("b", "rm", "{bad")]);
    let called = json!({"role": "assistant", "content": "", "tool_calls": valid,
        "additional_kwargs": {"tool_calls": calls}});
    let expected = r#"id "t", model "m", unknown, tools []
  user "List x."
  model calls a ls {} calls b rm {bad"#;
    check(&generation(1, &json!([user("List x.")]), &called), &[expected]);
}

/// Old versions of LangChain have calls only as the provider sent them.
#[test]
fn calls_of_old_versions_of_langchain_are_calls() {
    let asked = serialised("HumanMessage", &json!({"content": "List x."}));
    let calls = json!({"tool_calls": [sent("a", "ls", "{}")]});
    let called = serialised("AIMessage", &json!({"content": "", "additional_kwargs": calls}));
    let expected = r#"id "t", model "", unknown, tools []
  user "List x."
  model calls a ls {}"#;
    check(&run(1, &[&asked], &called), &[expected]);
}

/// Two requests may be answered by calls of one tool: which goes on is told by the arguments.
#[test]
fn a_conversation_goes_on_with_the_same_arguments_of_its_calls() {
    let called = |id: &str, arguments: &str, thinking: Option<&str>| {
        let calls = [sent(id, "f", arguments)];
        json!({"role": "assistant", "content": null, "tool_calls": calls, "reasoning_content": thinking})
    };
    let result = json!({"role": "tool", "tool_call_id": "d", "content": "ok"});
    let file = |first: &str, second: &str, repeated: &str| {
        [
            generation(1, &json!([user("q")]), &called("a", first, Some("one"))),
            generation(2, &json!([user("q")]), &called("b", second, Some("two"))),
            generation(3, &json!([user("q"), called("d", repeated, None), result]), &assistant("end")),
        ]
        .join("\n")
    };
    let transcript = |thinking: &str, id: &str, arguments: &str, rest: &str| {
        let head = "id \"t\", model \"m\", unknown, tools []\n  user \"q\"";
        format!("{head}\n  model thinks {thinking:?} calls {id} f {arguments}{rest}")
    };
    let rest = "\n  result of d: Unknown \"ok\"\n  model says \"end\"";
    for (first, second, repeated) in [
        (r#"{"p": 1, "q": [2]}"#, r#"{"p": 2}"#, r#"{"q":[2],"p":1}"#),
        ("", "{\"p\": 2}", "{}"),
        ("{bad", "{", "{bad"),
    ] {
        check(
            &file(first, second, repeated),
            &[&transcript("one", "d", repeated, rest), &transcript("two", "b", second, "")],
        );
    }
    let lengths =
        |repeated| transcripts(&file("{bad", "{}", repeated)).iter().map(|it| it.messages.len()).collect();
    let lengths: Vec<usize> = lengths("{worse");
    assert_eq!(lengths, [2, 2, 4]);
}

/// JSON in a string is a text of its own, and may have been cut within a character.
#[test]
fn messages_in_a_string_may_be_cut_within_a_character() {
    let input = r#"[{"role": "user", "content": "cut \ud83d"}]"#;
    let file = generation(1, &json!(input), &assistant("Done."));
    assert!(shown(&transcripts(&file)[0]).contains("user \"cut \u{fffd}\""), "{file}");
    let parts = r#"[{"role": "user", "parts": [{"type": "text", "content": "cut \ud83d"}]}]"#;
    let attribute = json!({"key": "gen_ai.input.messages", "value": {"stringValue": parts}});
    let file = spans(&[&json!({"traceId": "t", "attributes": [attribute]})]);
    assert!(shown(&transcripts(&file)[0]).contains("user \"cut \u{fffd}\""), "{file}");
}

/// A span of OpenTelemetry that is begun at this nanosecond.
fn span(trace: &str, at: u32, operation: &str, input: &[&Value], output: &[&Value]) -> Value {
    let text = |key: &str, text: String| json!({"key": key, "value": {"stringValue": text}});
    let attributes = [
        text("gen_ai.operation.name", operation.to_owned()),
        text("gen_ai.input.messages", json!(input).to_string()),
        text("gen_ai.output.messages", json!(output).to_string()),
    ];
    json!({"traceId": trace, "startTimeUnixNano": at.to_string(), "attributes": attributes})
}

fn spans(spans: &[&Value]) -> String {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string()
}

fn message(role: &str, part: &Value) -> Value {
    json!({"role": role, "parts": [part]})
}

/// The span of an agent has the messages of all its requests, that of a tool those of one call.
#[test]
fn spans_of_agents_and_tools_repeat_the_requests_within_them() {
    let asked = &message("user", &json!({"type": "text", "content": "List x."}));
    let call = json!({"type": "tool_call", "id": "a", "name": "ls", "arguments": {"path": "x"}});
    let called = &message("assistant", &call);
    let answered = &message("tool", &json!({"type": "tool_call_response", "id": "a", "response": "none"}));
    let done = &message("assistant", &json!({"type": "text", "content": "Done."}));
    let agent = |operation| span("t", 1, operation, &[asked], &[called, answered, done]);
    let first = &span("t", 2, "chat", &[asked], &[called]);
    let tool = &span("t", 4, "execute_tool", &[&message("tool", &call)], &[answered]);
    let second = &span("t", 6, "chat", &[asked, called, answered], &[done]);
    let run = r#"id "t", model "", unknown, tools []
  user "List x."
  model calls a ls {"path":"x"}
  result of a: Unknown "none"
  model says "Done.""#;
    for operation in ["invoke_agent", "invoke_workflow", "execute_event_loop_cycle"] {
        check(&spans(&[&agent(operation), first, tool, second]), &[run]);
    }
    // Where only the agent recorded messages, they are the run.
    check(&spans(&[&agent("invoke_agent"), tool]), &[run]);
    let other = r#"id "u", model "", unknown, tools []
  user "List x."
  model says "Done.""#;
    check(&spans(&[first, second, &span("u", 9, "invoke_agent", &[asked], &[done])]), &[run, other]);
}

/// A span of an agent counts if no request is within it, wherever else its trace has some.
#[test]
fn spans_of_agents_count_without_a_request_within_them() {
    let said = |role: &str, text: &str| message(role, &json!({"type": "text", "content": text}));
    let spanned = |at: u32, operation: &str, id: &str, parent: &str| {
        let mut it = span("t", at, operation, &[&said("user", id)], &[&said("assistant", "Done.")]);
        it["spanId"] = json!(id);
        it["parentSpanId"] = json!(parent);
        it
    };
    let check_asked = |all: &[&Value], expected: &[&str]| {
        let asked = |it: &Recording| shown(it).lines().nth(1).expect("it has a message").trim().to_owned();
        let found: Vec<String> = transcripts(&spans(all)).iter().map(asked).collect();
        assert_eq!(found, expected.iter().map(|id| format!("user {id:?}")).collect::<Vec<_>>());
    };
    let (agent, other) = (spanned(1, "invoke_agent", "a", ""), spanned(2, "invoke_agent", "b", ""));
    let embedding = spanned(3, "embeddings", "e", "a");
    let step = json!({"traceId": "t", "spanId": "s", "parentSpanId": "a"});
    let (inner, title) = (spanned(4, "chat", "c", "s"), spanned(5, "chat", "d", ""));
    check_asked(&[&agent, &other, &embedding], &["a", "b"]);
    check_asked(&[&agent, &other, &title], &["a", "b", "d"]);
    check_asked(&[&agent, &other, &step, &inner, &title], &["b", "c", "d"]);
    // Where a span between is missing, the agent is unknown.
    check_asked(&[&agent, &other, &inner], &["c"]);
    // Spans that are within each other are none of a program.
    let (one, two) = (spanned(1, "chat", "x", "y"), spanned(2, "invoke_agent", "y", "x"));
    check_asked(&[&one, &two], &["x"]);
}

/// Requests of this many agents that take turns, each with so many answers.
fn turns(agents: usize, answers: usize) -> String {
    let mut lines = Vec::new();
    for answer in 0..answers {
        for agent in 0..agents {
            let mut input = vec![user(&format!("You are agent {agent}."))];
            for at in 0..answer {
                input.extend([assistant(&format!("Step {at}.")), user("Go on.")]);
            }
            let output = assistant(&format!("Step {answer}."));
            lines.push(generation(answer * agents + agent, &json!(input), &output));
        }
    }
    lines.join("\n")
}

/// Requests are put in the order in which they were made: texts of times have another one.
#[test]
fn requests_are_in_the_order_of_their_moments() {
    let (hi, hello, more) = (user("Hi."), assistant("Hello."), user("More."));
    for (first, second) in [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z"),
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:30:00Z"),
        ("2026-01-01T00:00:00", "2026-01-01 00:00:01"),
    ] {
        let langfuse = |time: &str, input: Value| {
            let it = json!({"traceId": "t", "type": "GENERATION", "startTime": time, "input": input, "output": hello});
            it.to_string()
        };
        let langsmith = |time: &str, input: Value| {
            let it = json!({"trace_id": "t", "run_type": "llm", "start_time": time, "inputs": {"messages": input},
                "outputs": hello});
            it.to_string()
        };
        let (one, two) = (json!([hi]), json!([hi, hello, more]));
        for lines in [
            [langfuse(first, one.clone()), langfuse(second, two.clone())],
            [langsmith(first, one), langsmith(second, two)],
        ] {
            check_lengths(&lines.join("\n"), &[4]);
            check_lengths(&[&*lines[1], &*lines[0]].join("\n"), &[4]);
        }
    }
}

/// Several agents of a trace may take turns, up to a bound.
#[test]
fn agents_that_take_turns_have_a_transcript_each() {
    check_lengths(&turns(1, 4), &[8]);
    check_lengths(&turns(2, 4), &[8, 8]);
    check_lengths(&turns(8, 3), &[6; 8]);
    let mut one_too_many = vec![2; 9];
    one_too_many.extend([4; 9]);
    check_lengths(&turns(9, 2), &one_too_many);
}

/// A request between two steps, such as one for a title, does not end a run; nor does a shorter run that fits.
#[test]
fn the_longest_conversation_that_fits_goes_on() {
    let (hi, hello, more) = (user("Hi."), assistant("Hello."), user("More."));
    let file = [
        generation(1, &json!([hi]), &hello),
        generation(2, &json!([user("Find a title.")]), &hello),
        generation(3, &json!([hi, hello, more]), &hello),
        generation(4, &json!([hi]), &Value::Null),
        generation(5, &json!([hi, hello, more, hello, more]), &hello),
    ];
    check_lengths(&file.join("\n"), &[6, 2, 1]);
}

/// An observation with a model and a list of messages has what tells one of OpenAI's responses, and more.
#[test]
fn observations_with_a_list_of_messages_are_of_langfuse() {
    let content = json!([{"type": "output_text", "text": "Hello."}]);
    let items = json!([{"type": "message", "role": "assistant", "content": content}]);
    let (hi, hello, more) = (user("Hi."), assistant("Hello."), user("More."));
    let plain: fn(Value) -> Value = |messages| messages;
    let nested: fn(Value) -> Value = |messages| json!({"messages": messages});
    for (input, output) in [(plain, &hello), (plain, &items), (nested, &items)] {
        let first = generation(1, &input(json!([hi])), output);
        let second = generation(2, &input(json!([hi, hello, more])), output);
        for file in [format!("{first}\n{second}"), format!("[{first}, {second}]"), second] {
            for from in [None, Some(Format::Langfuse)] {
                let (format, found) = reading::read(file.as_bytes(), from).expect("memory can be read");
                let lengths: Vec<_> =
                    found.into_iter().map(|(_, it)| it.map(|it| it.messages.len())).collect();
                assert_eq!((format, lengths), (Some(Format::Langfuse), vec![Ok(4)]), "{file}");
            }
        }
    }
    let response = json!({"model": "m", "input": [hi], "output": items}).to_string();
    let (format, _) = reading::read(response.as_bytes(), None).expect("memory can be read");
    assert_eq!(format, Some(Format::OpenAiResponses));
    assert_eq!(one(&response).messages.len(), 2);
}
