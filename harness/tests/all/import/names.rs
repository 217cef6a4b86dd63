//! Members with two names: libraries write both at once, and often `null` for one of them.

use balk::import::{Format, reading};
use serde_json::{Value, json};

use super::{one, shown};

/// What is read of the one transcript in a file.
#[track_caller]
fn check(file: &Value, expected: &str) {
    assert_eq!(shown(&one(&file.to_string())), expected, "{file}");
}

/// The same of a format that is named.
#[track_caller]
fn check_of(format: Format, file: &Value, expected: &str) {
    let (_, mut all) = reading::read(file.to_string().as_bytes(), Some(format)).expect("memory can be read");
    assert_eq!(all.len(), 1, "{all:?}");
    let found = all.remove(0).1.unwrap_or_else(|bad| panic!("{bad}"));
    assert_eq!(shown(&found), expected, "{file}");
}

/// A run of LangSmith as `ChatOpenAI` writes it: its parameters have the model by two names.
fn chat_openai() -> Value {
    json!({
        "id": "r", "trace_id": "t", "run_type": "llm", "name": "ChatOpenAI", "start_time": "2026-01-01T00:00:00",
        "inputs": {"messages": [[{"role": "user", "content": "List x."}]]},
        "outputs": {"generations": [[{"message": {"role": "assistant", "content": "None."}}]]},
        "extra": {
            "invocation_params": {
                "model": "gpt-4o", "model_name": "gpt-4o", "stream": false, "temperature": 0.0,
                "_type": "openai-chat", "stop": null,
                "tools": [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
            },
            "options": {"stop": null}, "batch_size": 1, "metadata": {"ls_provider": "openai"}
        }
    })
}

#[test]
fn a_run_of_chat_openai_is_read_in_every_form_of_langsmith() {
    let run = chat_openai();
    let expected =
        "id \"t\", model \"gpt-4o\", unknown, tools [\"ls\"]\n  user \"List x.\"\n  model says \"None.\"";
    for file in [run.clone(), json!([run]), json!({"runs": [run]})] {
        check(&file, expected);
    }
    for (parameters, model) in
        [(json!({"model": null, "model_name": "b"}), "b"), (json!({"model_name": "b", "model": "a"}), "a")]
    {
        let mut run = chat_openai();
        run["extra"]["invocation_params"] = parameters;
        check(&run, &expected.replace("gpt-4o", model).replace("\"ls\"", ""));
    }
}

/// vLLM's answers have what the model thought by two names, and both are null where it did not think.
#[test]
fn an_answer_of_vllm_is_read_wherever_messages_are() {
    let answer = |thinking: Value| {
        json!({"role": "assistant", "content": "y", "refusal": null, "annotations": null, "audio": null,
            "function_call": null, "tool_calls": [], "reasoning": thinking, "reasoning_content": thinking})
    };
    let user = json!({"role": "user", "content": "x"});
    let silent = "\n  user \"x\"\n  model says \"y\"";
    let thinks = "\n  user \"x\"\n  model thinks \"Hm.\" says \"y\"";
    for (thinking, expected) in [(Value::Null, silent), (json!("Hm."), thinks)] {
        let messages = json!([user, answer(thinking.clone())]);
        let unknown = |head: &str| format!("{head}, tools []{expected}");
        check(&json!({"messages": messages}), &unknown("id \"\", model \"\", unknown"));
        check(&messages, &unknown("id \"\", model \"\", unknown"));
        check(
            &json!([{"task_id": 1, "reward": 1.0, "traj": messages}]),
            &unknown("id \"1\", model \"\", resolved"),
        );
        check(
            &json!({"trace_id": "t", "type": "GENERATION", "start_time": "2026-01-01", "input": [user],
                "output": answer(thinking)}),
            &unknown("id \"t\", model \"\", unknown"),
        );
    }
    let only = |member: &str, other: &str| {
        let mut answer = json!({"role": "assistant", "content": "y"});
        (answer[member], answer[other]) = (json!("Hm."), Value::Null);
        json!({"messages": [user, answer]})
    };
    let expected = format!("id \"\", model \"\", unknown, tools []{thinks}");
    check(&only("reasoning", "reasoning_content"), &expected);
    check(&only("reasoning_content", "reasoning"), &expected);
}

/// Since version 1.7, a trajectory has an id of its own, and one of the session that it may share with others; those
/// of subagents are in it.
#[test]
fn a_trajectory_of_atif_with_both_ids_is_read_and_so_are_those_in_it() {
    let trajectory = |ids: Value, text: &str| {
        let mut it = json!({"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1", "model_name": "m"},
            "steps": [{"step_id": 1, "source": "user", "message": text}], "subagent_trajectories": null});
        it.as_object_mut().expect("an object").extend(ids.as_object().expect("an object").clone());
        it
    };
    let shows = |id: &str, text: &str| format!("id {id:?}, model \"m\", unknown, tools []\n  user {text:?}");
    check(&trajectory(json!({"session_id": "s", "trajectory_id": "t"}), "x"), &shows("t", "x"));
    check(&trajectory(json!({"session_id": "s", "trajectory_id": null}), "x"), &shows("s", "x"));
    check(&trajectory(json!({"session_id": null, "trajectory_id": "t"}), "x"), &shows("t", "x"));

    let mut inner = trajectory(json!({"session_id": "s", "trajectory_id": "u"}), "y");
    inner["subagent_trajectories"] = json!([trajectory(json!({"trajectory_id": "v"}), "z")]);
    let orphan = json!({"source": "system", "message": "", "observation": {"results": [
        {"source_call_id": "none", "content": ""}]}});
    let mut bad = trajectory(json!({"trajectory_id": "w"}), "");
    bad["steps"] = json!([orphan]);
    let mut root = trajectory(json!({"session_id": "s", "trajectory_id": "t"}), "x");
    root["subagent_trajectories"] = json!([inner, bad, trajectory(json!({"trajectory_id": "q"}), "last")]);
    let found: Vec<String> = super::all(&root.to_string())
        .into_iter()
        .map(|(_, it)| it.map_or_else(|bad| bad.to_string(), |it| shown(&it)))
        .collect();
    let place = "subagent_trajectories[1].steps[0].observation.results[0].source_call_id";
    let said = format!("orphan-result: {place}: expected the id of an earlier call, found `none`");
    assert_eq!(found, [shows("t", "x"), shows("u", "y"), shows("v", "z"), said, shows("q", "last")]);
}

/// A tool on offer with both forms of its schema, as the library of Gemini dumps it.
#[test]
fn a_tool_with_two_schemas_is_read() {
    let schema = json!({"type": "object"});
    let declared = [
        json!({"name": "ls", "parameters": null, "parametersJsonSchema": schema}),
        json!({"name": "ls", "parameters": schema, "parameters_json_schema": null}),
        json!({"name": "ls", "parameters": null, "parameters_json_schema": schema, "parametersJsonSchema": null}),
    ];
    let check_listed = |file: &Value| {
        let tools = one(&file.to_string()).tools;
        assert_eq!(tools.len(), 1, "{file}");
        assert_eq!(tools[0].parameters.as_deref(), Some(r#"{"type":"object"}"#), "{file}");
    };
    for declared in declared {
        for name in ["functionDeclarations", "function_declarations"] {
            check_listed(&json!({"contents": [], "tools": [{name: [declared]}]}));
        }
        let both = json!({"functionDeclarations": [declared], "function_declarations": null});
        check_listed(&json!({"contents": [], "tools": [both]}));
    }
    for tool in [
        json!({"name": "ls", "parameters": null, "input_schema": schema}),
        json!({"name": "ls", "input_schema": null, "parameters": schema}),
    ] {
        check_listed(&json!({"messages": [], "tools": [tool]}));
    }
}

#[test]
fn other_members_may_have_two_names_too() {
    let head = |id: &str, model: &str| format!("id {id:?}, model {model:?}, unknown, tools []");
    let contents = json!([{"role": "user", "parts": [{"text": "x"}]}]);
    let briefly = json!({"parts": [{"text": "Be brief."}]});
    check(
        &json!({"systemInstruction": null, "system_instruction": briefly, "contents": contents}),
        &format!("{}\n  system \"Be brief.\"\n  user \"x\"", head("", "")),
    );
    let user = json!({"role": "user", "content": "x"});
    check(
        &json!({"type": "GENERATION", "trace_id": null, "traceId": "t", "start_time": null,
            "startTime": "2026-01-01T00:00:00Z", "end_time": null, "endTime": "2026-01-01T00:00:01Z", "model": null,
            "providedModelName": "m", "usage_details": null, "usageDetails": {"input": 1, "output": 2},
            "input": [user], "output": {"role": "assistant", "content": "y"}}),
        &format!(
            "{}\n  user \"x\"\n  model says \"y\" for 1 + 2 tokens at 2026-01-01T00:00:01Z",
            head("t", "m")
        ),
    );
    check(
        &json!([
            {"role": "user", "content": [{"type": "text", "text": "x"}], "ts": 1},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}], "ts": 2,
                "modelInfo": {"id": null, "modelId": "m", "providerId": "p"}}
        ]),
        &format!(
            "{}\n  user \"x\" at 1970-01-01T00:00:01Z\n  model calls a f {{}} at 1970-01-01T00:00:02Z",
            head("", "m")
        ),
    );
    let call = json!({"name": "f", "args": {"a": 1}, "arguments": null, "id": "a", "type": "tool_call"});
    let said = json!({"content": "", "tool_calls": [call]});
    let request = json!({"type": "GENERATION", "trace_id": "t", "start_time": "2026-01-01", "input": [user]});
    let generation = |output: Value| {
        let mut it = request.clone();
        it["output"] = output;
        it
    };
    let called = format!("{}\n  user \"x\"\n  model calls a f {{\"a\":1}}", head("t", ""));
    check(&generation(json!({"type": "ai", "data": said, "kwargs": null})), &called);
    check(&generation(json!({"type": "ai", "data": {}, "kwargs": said})), &called);
}

/// The conventions of OpenTelemetry renamed the result of a tool, and the collector the list of spans.
#[test]
fn spans_with_old_and_new_names_are_read() {
    let said = |role: &str, part: Value| json!({"role": role, "parts": [part]});
    let call = json!({"type": "tool_call", "id": "a", "name": "f", "arguments": {}});
    let answered = json!({"type": "tool_call_response", "id": "a", "result": null, "response": "none"});
    let input = json!([said("assistant", call), said("tool", answered)]).to_string();
    let attribute = json!({"key": "gen_ai.input.messages", "value": {"stringValue": input}});
    let scopes = json!([{"spans": [{"traceId": "t", "attributes": [attribute]}]}]);
    let expected =
        "id \"t\", model \"\", unknown, tools []\n  model calls a f {}\n  result of a: Unknown \"none\"";
    for resource in [
        json!({"scopeSpans": scopes, "instrumentationLibrarySpans": scopes}),
        json!({"scopeSpans": null, "instrumentationLibrarySpans": scopes}),
    ] {
        check_of(Format::Otel, &json!({"resourceSpans": [resource]}), expected);
    }
}
