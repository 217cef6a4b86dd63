//! Requests that are not of the task: they are answered, and never move the script.

use balk_guards::wire::Dialect;
use serde_json::json;

use super::client::{Agent, opening, path, plain, profile, send, serving, start, steps, told};

#[test]
fn a_request_without_tools_never_moves_the_script() {
    let server = start(serving(vec![plain("")]));
    for dialect in Dialect::ALL {
        let name = format!("{dialect:?}");
        let mut aside = opening(dialect, false, &[]);
        let wanted = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "confidence": { "type": "number" },
                "loops": { "type": "boolean" },
            },
        });
        let ask = |aside: &serde_json::Value| {
            let path = format!("/c/{name}{}", path(dialect, false));
            send(&server, "POST", &path, &[], aside.to_string().as_bytes()).fine().to_string()
        };
        assert!(ask(&aside).contains("Task"), "{dialect:?}");
        match dialect {
            Dialect::OpenAi => {
                aside["response_format"] =
                    json!({ "type": "json_schema", "json_schema": { "name": "a", "schema": wanted } })
            }
            Dialect::Responses => {
                aside["text"] = json!({ "format": { "type": "json_schema", "name": "a", "schema": wanted } })
            }
            Dialect::Anthropic => {
                aside["output_config"] = json!({ "format": { "type": "json_schema", "schema": wanted } })
            }
            Dialect::Gemini => aside["generationConfig"] = json!({ "responseJsonSchema": wanted }),
        }
        // The text of the answer is JSON in a string of JSON.
        let emptiest = r#"{\"confidence\":0,\"loops\":false,\"title\":\"\"}"#;
        assert!(ask(&aside).contains(emptiest), "{dialect:?}: {}", ask(&aside));
        let all = told(&server, &name);
        assert!(all.steps.iter().all(|it| matches!(it, balk::serve::Step::Side { .. })), "{:?}", all.steps);
    }
}

#[test]
fn side_calls_in_the_middle_change_nothing() {
    let mut serve = serving(vec![plain("")]);
    serve.scripts.profile =
        Some(profile("[[side_call]]\nname = \"loop\"\nsystem = \"You look for loops\"\n"));
    let server = start(serve);
    let play = |name: &str, aside: bool| {
        let mut agent = Agent::new(&server, name);
        for answer in ["Notes.", "written"] {
            agent.asks();
            if aside {
                let mut by_profile = agent.clone();
                by_profile
                    .messages()
                    .insert(0, json!({ "role": "system", "content": "You look for loops." }));
                by_profile.answers("Notes.");
                assert_eq!(by_profile.asks(), ("Task".to_owned(), vec![]));
                let mut without_tools = agent.clone();
                without_tools.request["tools"] = json!([]);
                without_tools.answers("Notes.");
                without_tools.says("What is the title?");
                assert_eq!(without_tools.asks(), ("Task".to_owned(), vec![]));
            }
            agent.answers(answer);
        }
        agent.asks();
        steps(&server, name)
    };
    let (alone, beside) = (play("alone", false), play("beside", true));
    let (asides, acts): (Vec<_>, Vec<_>) = beside.into_iter().partition(|it| it.starts_with("side "));
    assert_eq!(acts, alone);
    assert_eq!(acts, ["look 1.1", "result Notes.", "write 1.1", "result written", "done 1.1"]);
    assert_eq!(asides, ["side loop", "side without tools", "side loop", "side without tools"]);
}

#[test]
fn an_agent_goes_on_from_a_summary() {
    let mut serve = serving(vec![plain("")]);
    serve.scripts.profile = Some(profile("[[side_call]]\nname = \"summary\"\nsystem = \"You summarise\"\n"));
    let server = start(serve);
    let mut agent = Agent::new(&server, "mine");
    agent.asks();
    agent.answers("Notes.");
    let mut summing = agent.clone();
    summing.messages().insert(0, json!({ "role": "system", "content": "You summarise." }));
    summing.says("Sum up what was done.");
    let (summary, calls) = summing.asks();
    assert_eq!(calls, Vec::<String>::new());
    agent.messages().clear();
    agent.says(&summary);
    // What was looked at before the summary is not looked at again.
    assert_eq!(agent.asks().1, ["write_file"]);
    agent.answers("written");
    assert_eq!(agent.asks().0, "notes.txt is there.");
    let said = steps(&server, "mine");
    let expected = [
        "look 1.1",
        "result Notes.",
        "side summary",
        "Rewritten",
        &format!("user {summary}"),
        "write 1.1",
        "result written",
        "done 1.1",
    ];
    assert_eq!(said, expected);
    assert!(told(&server, "mine").verdict.goal);
}

#[test]
fn a_summary_that_is_not_used_changes_nothing() {
    let mut serve = serving(vec![plain("")]);
    serve.scripts.profile = Some(profile("[[side_call]]\nname = \"summary\"\nsystem = \"You summarise\"\n"));
    let server = start(serve);
    let mut agent = Agent::new(&server, "mine");
    let mut early = agent.clone();
    early.messages().insert(0, json!({ "role": "system", "content": "You summarise." }));
    assert_eq!(early.asks().0, "Task");
    agent.asks();
    let mut summing = agent.clone();
    summing.messages().insert(0, json!({ "role": "system", "content": "You summarise." }));
    summing.answers("Notes.");
    summing.says("Sum up what was done.");
    summing.asks();
    agent.answers("Notes.");
    assert_eq!(agent.asks().1, ["write_file"]);
}
