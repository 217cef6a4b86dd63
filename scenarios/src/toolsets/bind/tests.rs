//! The tools of real agents, as their first requests list them, bound to roles.

use std::fmt::Write;

use balk_contract::Tool;
use boon::{Compiler, Schemas};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::fill;
use super::{Binding, By, Unbound, bind};
use crate::arguments::{agrees, read, written};
use crate::format::roles::{ROLES, role_name};
use crate::scenario::{Role, Toolset};

fn offered(list: &str) -> Vec<Tool> {
    let all: Vec<Value> = serde_json::from_str(list).expect("the list of tools is JSON");
    let tool = |it: &Value| {
        let name = it["name"].as_str().expect("a tool has a name");
        Tool::new(name).parameters(&it["parameters"].to_string())
    };
    all.iter().map(tool).collect()
}

const AGENTS: [(&str, &str); 11] = [
    ("codex", include_str!("../../../tests/agents/codex.json")),
    ("claude-code", include_str!("../../../tests/agents/claude-code.json")),
    ("opencode", include_str!("../../../tests/agents/opencode.json")),
    ("gemini-cli", include_str!("../../../tests/agents/gemini-cli.json")),
    ("qwen-code", include_str!("../../../tests/agents/qwen-code.json")),
    ("mini-swe-agent", include_str!("../../../tests/agents/mini-swe-agent.json")),
    ("langchain", include_str!("../../../tests/agents/langchain.json")),
    ("openai-agents", include_str!("../../../tests/agents/openai-agents.json")),
    ("google-adk", include_str!("../../../tests/agents/google-adk.json")),
    ("smolagents", include_str!("../../../tests/agents/smolagents.json")),
    ("openhands", include_str!("../../../tests/agents/openhands.json")),
];

/// Values that need escaping, one for each argument.
fn values(role: Role) -> Vec<&'static str> {
    let value = |name: &&'static str| match *name {
        "path" => "docs/it's.md",
        "content" => "a \"b\"\n",
        "seconds" => "30",
        "items" => "[x] look\n[ ] write\n",
        "command" => "make 'all'",
        other => other,
    };
    role.arguments().iter().map(value).collect()
}

/// The call of a role, or how it is played otherwise.
fn played(set: &Toolset, role: Role) -> String {
    let tool = set.tools.iter().find(|it| it.role == role);
    match tool {
        Some(tool) => format!("{} {}", tool.tool.name, written(&tool.form, &values(role))),
        None if set.spoken.contains(&role) => "in words".to_owned(),
        None => unreachable!("what is bound has a tool, or words"),
    }
}

#[test]
fn the_tools_of_real_agents_play_these_roles() {
    let mut all = String::new();
    for (agent, list) in AGENTS {
        let offered = offered(list);
        writeln!(all, "{agent}").expect("writing to a string never fails");
        for (name, role) in ROLES.iter().filter(|(_, role)| *role != Role::Distractor) {
            let shown =
                bind(agent, &[*role], &offered, &[]).map_or("-".to_owned(), |set| played(&set, *role));
            writeln!(all, "  {name}: {shown}").expect("writing to a string never fails");
        }
    }
    insta::assert_snapshot!("bound", all);
}

/// Every tool on offer, in every role that it has a place for, is called with what its schema wants; and the call is
/// read as it was written.
#[test]
fn what_is_sent_to_a_tool_fits_its_schema() {
    let mut calls = 0;
    for (agent, list) in AGENTS.into_iter().filter(|(agent, _)| *agent != "google-adk") {
        for tool in offered(list) {
            let schema: Value = serde_json::from_str(tool.parameters.text()).expect("a schema is JSON");
            for (name, role) in ROLES {
                let Some(form) = fill::form(&schema, *role) else { continue };
                let sent = written(&form, &values(*role));
                fits(&schema, &sent)
                    .unwrap_or_else(|wrong| panic!("{agent}, {}, {name}: {wrong}", tool.name));
                assert!(agrees(&sent, &form), "{agent}, {}, {name}: {sent}", tool.name);
                let values = values(*role);
                let has = |at: &usize| form.name(*at).is_some();
                let expected = (0..values.len()).map(|at| if has(&at) { values[at] } else { "" });
                let found = read(&sent, *role, &form).expect("what was written can be read");
                assert_eq!(found, expected.collect::<Vec<_>>(), "{agent}, {}, {name}", tool.name);
                calls += 1;
            }
        }
    }
    assert!(calls > 150, "only {calls} calls");
}

/// Whether what was sent is valid.
fn fits(schema: &Value, sent: &str) -> Result<(), String> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("tool.json", schema.clone()).map_err(|wrong| wrong.to_string())?;
    let index = compiler.compile("tool.json", &mut schemas).map_err(|wrong| wrong.to_string())?;
    let sent: Value = serde_json::from_str(sent).map_err(|wrong| format!("{wrong}: {sent}"))?;
    schemas.validate(&sent, index).map_err(|wrong| format!("{wrong}: {sent}"))
}

/// A schema of an argument.
fn any_schema() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "default": 7})),
        Just(json!({"type": "integer", "minimum": 3})),
        Just(json!({"type": "number", "maximum": -2})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"anyOf": [{"type": "null"}, {"type": "integer"}]})),
        Just(json!({"enum": ["view", "create", "list"]})),
        Just(json!({"const": 4})),
        Just(json!({"$ref": "#/$defs/word"})),
        Just(json!({})),
    ];
    plain.prop_recursive(3, 12, 3, |inner| {
        let list = (inner.clone(), 0..3_u32)
            .prop_map(|(items, least)| json!({"type": "array", "items": items, "minItems": least}));
        prop_oneof![list, any_object(inner)]
    })
}

fn any_object(member: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "path",
        "content",
        "command",
        "cmd",
        "seconds",
        "timeout_ms",
        "question",
        "message",
        "id",
        "flag",
        "todos",
        "old_string",
        "newText",
        "query",
        "label",
    ]);
    prop::collection::btree_map(names, (member, any::<bool>()), 0..5).prop_map(|members| {
        let required: Vec<&str> = members.iter().filter(|(_, (_, must))| *must).map(|(name, _)| *name).collect();
        let properties: serde_json::Map<String, Value> =
            members.iter().map(|(name, (schema, _))| ((*name).to_owned(), schema.clone())).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_schema_gets_what_it_does_not_take(schema in any_object(any_schema()), role in 0..ROLES.len()) {
        let role = ROLES[role].1;
        let mut schema = schema;
        schema["$defs"] = json!({"word": {"type": "string"}});
        if let Some(form) = fill::form(&schema, role) {
            let sent = written(&form, &values(role));
            prop_assert_eq!(fits(&schema, &sent), Ok(()));
        }
    }
}

#[test]
fn a_number_that_is_never_positive_is_no_place_for_a_time_to_wait() {
    let of = |seconds: Value| json!({"type": "object", "properties": {"seconds": seconds}});
    let form = |seconds| fill::form(&of(seconds), Role::Wait);
    assert_eq!(form(json!({"type": "number", "maximum": -2})), None);
    assert_eq!(form(json!({"type": "integer", "exclusiveMaximum": 1})), None);
    assert!(form(json!({"type": "number", "maximum": 600})).is_some());
}

/// A schema that refers to itself, and things that are no schemas.
#[test]
fn a_schema_without_an_end_or_a_sense_is_not_filled_for_ever() {
    let endless = json!({
        "type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"}}, "required": ["a", "b"]
    });
    for schema in
        [endless, json!(true), json!([]), json!({"type": "string"}), json!({"required": ["path", 3]})]
    {
        for (_, role) in ROLES {
            let _ = fill::form(&schema, *role);
        }
    }
}

fn wrong(roles: &[Role], list: &str, bindings: &[Binding]) -> Unbound {
    bind("agent", roles, &offered(list), bindings).expect_err("a role is missing")
}

#[test]
fn a_role_that_nothing_plays_is_named_with_what_is_on_offer() {
    let by = |role, name: &str| [Binding { role, by: By::Tool(name.to_owned()) }];
    let (codex, only_writes) = (AGENTS[0].1, AGENTS[7].1);
    let said = |wrong: Unbound| wrong.to_string();
    assert_eq!(
        said(wrong(&[Role::Write, Role::Shell], only_writes, &[])),
        "no tool for the role `shell`; on offer: `write_file`"
    );
    assert_eq!(
        said(wrong(&[Role::Edit], codex, &[])),
        "no tool for the role `edit`; on offer: `exec_command`, `write_stdin`, `request_user_input`, `view_image`, \
         `close_agent`, `resume_agent`, `send_input`, `spawn_agent`, `wait_agent`, `get_goal`, `create_goal` and \
         `update_goal`"
    );
    assert_eq!(
        said(wrong(&[Role::Write], only_writes, &by(Role::Write, "save"))),
        "`save`, which is named for the role `write`, is not on offer; on offer: `write_file`"
    );
    assert_eq!(
        said(wrong(&[Role::Shell], only_writes, &by(Role::Shell, "write_file"))),
        "`write_file` takes nothing that fits the role `shell`; on offer: `write_file`"
    );
    assert_eq!(said(wrong(&[Role::Read], "[]", &[])), "no tool for the role `read`; on offer: nothing");
}

/// A binding goes before names: another tool, a command of the shell, words.
#[test]
fn a_binding_goes_before_the_names() {
    let all = [
        Binding { role: Role::Write, by: By::Tool("run_shell".to_owned()) },
        Binding { role: Role::Finish, by: By::Command("echo DONE".to_owned()) },
        Binding { role: Role::Read, by: By::Words },
    ];
    let list = AGENTS[6].1;
    assert_eq!(wrong(&[Role::Write], list, &all[..1]).named.as_deref(), Some("run_shell"));
    let set =
        bind("a", &[Role::Finish, Role::Read, Role::Write], &offered(list), &all[1..]).expect("it is bound");
    assert_eq!(played(&set, Role::Finish), r#"run_shell {"command": "echo DONE"}"#);
    assert_eq!(played(&set, Role::Read), "in words");
    // The shell is a shell too, and last: it knows every command.
    let of_shell = set.tools.iter().filter(|it| &*it.tool.name == "run_shell").map(|it| role_name(it.role));
    assert_eq!(of_shell.collect::<Vec<_>>(), ["finish", "shell"]);
}
