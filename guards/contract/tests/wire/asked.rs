//! Requests, as a server needs them: what each client sends, in its provider's form.

use balk_contract::wire::{Asked, Choice, Dialect};
use balk_contract::{Message, Tool};

fn asked(dialect: Dialect, request: &str) -> Asked {
    dialect.asked(request).unwrap_or_else(|error| panic!("{dialect:?}: {error}"))
}

/// Name, original name, description, schema, and whether the provider runs it.
fn tools<'a>(asked: &'a Asked) -> Vec<(&'a str, &'a str, &'a str, &'a str, bool)> {
    let tool = |it: &'a Tool| {
        let schema = &**it.parameters.text();
        (&*it.name, &*it.original, &*it.description, schema, it.provider_executed)
    };
    asked.offer.tools().iter().map(tool).collect()
}

/// The messages in brief: `!` marks a result of a call that failed.
fn messages(asked: &Asked) -> Vec<String> {
    let brief = |message: &Message| match message {
        Message::User(text) => format!("user {text}"),
        Message::Assistant(it) => {
            let texts = it.texts().map(|text| format!(" {text}"));
            let calls = it.calls.iter().map(|it| format!(" {}={}{}", it.id, it.tool, it.arguments));
            format!("model{}", texts.chain(calls).collect::<String>())
        }
        Message::Result { id, text, is_error } => format!("{id}{} {text}", if *is_error { "!" } else { "" }),
    };
    asked.messages.iter().map(brief).collect()
}

#[test]
fn of_chat() {
    let asked = asked(
        Dialect::OpenAi,
        r#"{"model":"m","temperature":null,"store":false,"stream":true,"stream_options":{"include_usage":true},
        "messages":[{"role":"system","content":"Be brief."},
            {"role":"developer","content":[{"type":"text","text":"Be kind."}]},
            {"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"data:"}}]},
            {"role":"assistant","content":"Looking.","refusal":null,"tool_calls":[
                {"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"p\": 1.0}"}}]},
            {"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}],
        "tools":[{"type":"function","function":{"name":"ls","description":"Lists.","strict":true,
                "parameters":{"type":"object", "properties":{"p":{"type":"number"}}}}},
            {"type":"function","function":{"name":"fs.read"}},{"type":"custom","custom":{"name":"x"}}],
        "tool_choice":{"type":"function","function":{"name":"fs.read"}},"parallel_tool_calls":true}"#,
    );
    assert_eq!((&*asked.model, asked.stream, asked.include_usage), ("m", true, true));
    assert_eq!(asked.system.as_deref(), Some("Be brief.\nBe kind."));
    assert_eq!(
        messages(&asked),
        ["user go", "user [image_url]", "model Looking. c1=ls{\"p\": 1.0}", "c1 a\nb"]
    );
    let any = r#"{"type":"object"}"#;
    assert_eq!(
        tools(&asked),
        [
            ("ls", "ls", "Lists.", r#"{"type":"object", "properties":{"p":{"type":"number"}}}"#, false),
            ("fs_read", "fs.read", "", any, false),
            ("custom", "custom", "", any, true),
        ]
    );
    assert_eq!(asked.choice, Choice::Named(vec!["fs_read".into()]));
    assert_eq!(asked.previous, None);
}

/// Tools, calls and results of other types, and a model that a template names, are no reason not to read the rest.
#[test]
fn what_the_loop_does_not_run_is_skipped() {
    let any = r#"{"type":"object"}"#;
    let mine = ("ls", "ls", "", any, false);
    let chat = asked(
        Dialect::OpenAi,
        r#"{"model":"m","messages":[{"role":"user","content":"go"},
            {"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"sql","input":"x"}},
                {"id":"c2","type":"function","function":{"name":"ls","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c1","content":"rows"},{"role":"tool","tool_call_id":"c2","content":"a"},
            {"role":"function","name":"old","content":"x"}],
        "tools":[{"type":"custom","custom":{"name":"sql"}},{"type":"function","function":{"name":"ls"}}]}"#,
    );
    assert_eq!(messages(&chat), ["user go", "model c2=ls{}", "c1 rows", "c2 a"]);
    assert_eq!((tools(&chat)[1], &chat.illegal), (mine, &None));
    let anthropic = asked(
        Dialect::Anthropic,
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],
        "tools":[{"name":"ls"},{"type":"mcp_toolset","mcp_server_name":"docs"}]}"#,
    );
    assert_eq!(tools(&anthropic), [mine, ("mcp_toolset", "mcp_toolset", "", any, true)]);
    assert_eq!(anthropic.illegal, None);
    let responses = asked(
        Dialect::Responses,
        r#"{"prompt":{"id":"p","version":"2"},"input":"go","tools":[{"type":"function","name":"ls"}]}"#,
    );
    assert_eq!(
        (&*responses.model, messages(&responses), tools(&responses)),
        ("", vec!["user go".into()], vec![mine])
    );
}

#[test]
fn of_responses() {
    let asked = asked(
        Dialect::Responses,
        r#"{"model":"m","instructions":"Be brief.","store":false,"include":["reasoning.encrypted_content"],
        "prompt_cache_key":"k","input":[
            {"type":"message","role":"developer","content":[{"type":"input_text","text":"Be kind."}]},
            {"role":"user","content":"go"},
            {"type":"message","role":"user","content":[{"type":"input_text","text":"on"},
                {"type":"input_image","image_url":"data:"}]},
            {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"EqQB"},
            {"type":"message","role":"assistant","id":"msg_1","status":"completed",
                "content":[{"type":"output_text","text":"Looking.","annotations":[],"logprobs":[]}]},
            {"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"p\": 1.0}"},
            {"type":"function_call","call_id":"c2","namespace":"agents","name":"ls","arguments":"{}"},
            {"type":"custom_tool_call","call_id":"c3","name":"apply_patch","input":"*** Begin"},
            {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}},
            {"type":"function_call_output","call_id":"c1","output":"a"},
            {"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"b"}]},
            {"type":"custom_tool_call_output","call_id":"c3","output":"done"},
            {"type":"item_reference","id":"msg_0"}],
        "tools":[{"type":"function","name":"ls","description":"Lists.","strict":false,"parameters":{"type": "object"}},
            {"type":"namespace","name":"agents","description":"Sub-agents.","tools":[
                {"type":"function","name":"ls","parameters":{}},{"type":"function","name":"spawn"}]},
            {"type":"custom","name":"apply_patch","description":"Edits.","format":{"type":"grammar"}},
            {"type":"web_search","external_web_access":false}],
        "tool_choice":"auto","reasoning":{"effort":"low"},"stream":true}"#,
    );
    assert_eq!((&*asked.model, asked.stream, asked.previous.as_deref()), ("m", true, None));
    assert_eq!(asked.system.as_deref(), Some("Be brief.\nBe kind."));
    assert_eq!(
        messages(&asked),
        [
            "user go",
            "user on",
            "user [input_image]",
            "model Looking. c1=ls{\"p\": 1.0} c2=agents_ls{} c3=apply_patch*** Begin",
            "c1 a",
            "c2 b",
            "c3 done",
        ]
    );
    let any = r#"{"type":"object"}"#;
    assert_eq!(
        tools(&asked),
        [
            ("ls", "ls", "Lists.", r#"{"type": "object"}"#, false),
            ("agents_ls", "agents.ls", "", "{}", false),
            ("agents_spawn", "agents.spawn", "", any, false),
            ("apply_patch", "apply_patch", "Edits.", r#"{"type":"string"}"#, false),
            ("web_search", "web_search", "", any, true),
        ]
    );
    is_called_as_the_client_does(&asked);
}

/// The answer calls tools as the client does.
fn is_called_as_the_client_does(asked: &Asked) {
    let Message::Assistant(said) = &asked.messages[3] else { panic!("the model speaks here") };
    let answering = asked.answering("r");
    let response: serde_json::Value =
        serde_json::from_str(&Dialect::Responses.response(said, &answering)).unwrap();
    let called: Vec<String> = response["output"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {} {}", it["type"], it["namespace"], it["name"], it["input"]))
        .collect();
    assert_eq!(
        called,
        [
            r#""reasoning" null null null"#,
            r#""message" null null null"#,
            r#""function_call" null "ls" null"#,
            r#""function_call" "agents" "ls" null"#,
            r#""custom_tool_call" null "apply_patch" "*** Begin""#,
        ]
    );
}

#[test]
fn of_responses_that_follow_one() {
    let asked = asked(
        Dialect::Responses,
        r#"{"model":"m","previous_response_id":"resp_1","input":[
            {"type":"function_call_output","call_id":"c1","output":"a"}],
        "tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"ls"}]}}"#,
    );
    assert_eq!((asked.previous.as_deref(), messages(&asked)), (Some("resp_1"), vec!["c1 a".to_owned()]));
    assert_eq!(asked.choice, Choice::Named(vec!["ls".into()]));
    let plain = self::asked(Dialect::Responses, r#"{"model":"m","input":"go"}"#);
    assert_eq!((messages(&plain), plain.system), (vec!["user go".to_owned()], None));
}

#[test]
fn of_anthropic() {
    let asked = asked(
        Dialect::Anthropic,
        r#"{"model":"m","max_tokens":64,"stream":true,"metadata":{"user_id":"u"},
        "system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}},
            {"type":"text","text":"Be kind."}],
        "messages":[{"role":"user","content":"go"},
            {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"EqQB"},
                {"type":"text","text":"Looking."},{"type":"tool_use","id":"c1","name":"ls","input":{"p": 1.0}},
                {"type":"tool_use","id":"c2","name":"ls","input":{}}]},
            {"role":"user","content":[
                {"type":"tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"no"}]},
                {"type":"tool_result","tool_use_id":"c2","is_error":null,"content":"a",
                    "cache_control":{"type":"ephemeral"}},
                {"type":"text","text":"on"}]}],
        "tools":[{"name":"ls","description":"Lists.","input_schema":{"type":"object"}},
            {"type":"bash_20250124","name":"bash"},{"type":"web_search_20250305","name":"web_search","max_uses":5}],
        "tool_choice":{"type":"any","disable_parallel_tool_use":true},"thinking":{"type":"enabled"}}"#,
    );
    assert_eq!((&*asked.model, asked.stream), ("m", true));
    assert_eq!(asked.system.as_deref(), Some("Be brief.\nBe kind."));
    assert_eq!(
        messages(&asked),
        ["user go", "model Looking. c1=ls{\"p\": 1.0} c2=ls{}", "c1! no", "c2 a", "user on"]
    );
    let any = r#"{"type":"object"}"#;
    assert_eq!(
        tools(&asked),
        [
            ("ls", "ls", "Lists.", any, false),
            ("bash", "bash", "", any, false),
            ("web_search", "web_search", "", any, true)
        ]
    );
    assert_eq!(asked.choice, Choice::Required);
}

#[test]
fn of_gemini() {
    let asked = asked(
        Dialect::Gemini,
        r#"{"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]},
        "generationConfig":{"temperature":0,"thinkingConfig":{"includeThoughts":true}},
        "contents":[{"parts":[{"text":"go"},{"inlineData":{"mimeType":"image/png","data":"x"}}]},
            {"role":"model","parts":[{"text":"hm","thought":true},{"text":"Looking.","thoughtSignature":"s"},
                {"functionCall":{"id":"c1","name":"ls","args":{"p": 1.0}},"thoughtSignature":"s"},
                {"functionCall":{"id":"c2","name":"ls"}},{"functionCall":{"id":"c3","name":"ls"}}]},
            {"role":"user","parts":[
                {"functionResponse":{"id":"c1","name":"ls","response":{"error":"no"}}},
                {"functionResponse":{"id":"c2","name":"ls","response":{"output":"a"}}},
                {"functionResponse":{"id":"c3","name":"ls","response":{"files":["a"],"error":null}}}]}],
        "tools":[{"functionDeclarations":[
                {"name":"ls","description":"Lists.","parametersJsonSchema":{"type": "object"}},
                {"name":"read","parameters":{"type":"OBJECT"}}]},
            {"googleSearch":{}},{"urlContext":null}],
        "toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}},
        "safetySettings":[]}"#,
    );
    assert_eq!((&*asked.model, asked.stream), ("", false));
    assert_eq!(asked.system.as_deref(), Some("Be brief."));
    assert_eq!(
        messages(&asked),
        [
            "user go",
            "user [inlineData]",
            "model Looking. c1=ls{\"p\": 1.0} c2=ls{} c3=ls{}",
            "c1! no",
            "c2 a",
            r#"c3 {"files":["a"],"error":null}"#,
        ]
    );
    assert_eq!(
        tools(&asked),
        [
            ("ls", "ls", "Lists.", r#"{"type": "object"}"#, false),
            ("read", "read", "", r#"{"type":"OBJECT"}"#, false),
            ("googleSearch", "googleSearch", "", r#"{"type":"object"}"#, true),
        ]
    );
    assert_eq!(asked.choice, Choice::Named(vec!["read".into()]));
}

#[test]
fn of_gemini_in_the_other_spelling_and_without_ids() {
    let asked = asked(
        Dialect::Gemini,
        r#"{"system_instruction":{"parts":[{"text":"Be brief."}]},
        "contents":[{"role":"user","parts":[{"text":"go"}]},
            {"role":"model","parts":[{"function_call":{"name":"ls","args":{}}},
                {"function_call":{"name":"read","args":{}}}]},
            {"role":"function","parts":[{"function_response":{"name":"read","response":{"result":"r"}}},
                {"function_response":{"name":"ls","response":{"error":{"code":1}}}}]}],
        "tools":[{"function_declarations":[{"name":"ls","parameters_json_schema":{"a":1}}]}],
        "tool_config":{"function_calling_config":{"mode":"NONE"}}}"#,
    );
    assert_eq!(asked.system.as_deref(), Some("Be brief."));
    assert_eq!(
        messages(&asked),
        ["user go", "model call-1=ls{} call-2=read{}", "call-2 r", r#"call-1! {"code":1}"#]
    );
    assert_eq!(tools(&asked), [("ls", "ls", "", r#"{"a":1}"#, false)]);
    assert_eq!(asked.choice, Choice::Forbidden);
}

#[test]
fn results_of_gemini_may_have_ids_that_their_calls_have_not() {
    let check = |ids: [&str; 2], expected: [&str; 4]| {
        let [one, other] =
            ids.map(|it| if it.is_empty() { String::new() } else { format!(r#""id":"{it}","#) });
        let request = format!(
            r#"{{"contents":[{{"parts":[{{"text":"go"}}]}},{{"role":"model","parts":[
                {{"functionCall":{{{one}"name":"ls"}}}},{{"functionCall":{{{other}"name":"read"}}}},
                {{"functionCall":{{"name":"ls"}}}}]}},{{"parts":[
                {{"functionResponse":{{"id":"ls-7","name":"ls","response":{{"output":"one"}}}}}},
                {{"functionResponse":{{"id":"ls-8","name":"ls","response":{{"output":"three"}}}}}},
                {{"functionResponse":{{"id":"read-9","name":"read","response":{{"output":"two"}}}}}}]}}]}}"#
        );
        assert_eq!(messages(&asked(Dialect::Gemini, &request))[1..], expected);
    };
    check(
        ["", ""],
        ["model call-1=ls{} call-2=read{} call-3=ls{}", "call-1 one", "call-3 three", "call-2 two"],
    );
    // What has an id is answered under that id.
    check(
        ["a", "read-9"],
        ["model a=ls{} read-9=read{} call-3=ls{}", "ls-7 one", "ls-8 three", "read-9 two"],
    );
}

#[test]
fn what_may_be_called_in_the_words_of_each_provider() {
    let choice = |dialect: Dialect, member: &str| {
        let start = match dialect {
            Dialect::OpenAi | Dialect::Anthropic => r#"{"model":"m","messages":[],"#,
            Dialect::Responses => r#"{"model":"m","input":[],"#,
            Dialect::Gemini => r#"{"contents":[],"#,
        };
        asked(dialect, &format!("{start}{member}}}")).choice
    };
    let ls = || vec!["ls".into()];
    for (dialect, member, expected) in [
        (Dialect::OpenAi, r#""tool_choice":null"#, Choice::Free),
        (Dialect::OpenAi, r#""tool_choice":"auto""#, Choice::Free),
        (Dialect::OpenAi, r#""tool_choice":"none""#, Choice::Forbidden),
        (Dialect::OpenAi, r#""tool_choice":"required""#, Choice::Required),
        (
            Dialect::OpenAi,
            r#""tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[
                {"type":"function","function":{"name":"ls"}}]}}"#,
            Choice::Allowed(ls()),
        ),
        (Dialect::Responses, r#""tool_choice":{"type":"function","name":"ls"}"#, Choice::Named(ls())),
        (
            Dialect::Responses,
            r#""tool_choice":{"type":"web_search_preview"}"#,
            Choice::Named(vec!["web_search_preview".into()]),
        ),
        (Dialect::Anthropic, r#""tool_choice":{"type":"auto"}"#, Choice::Free),
        (Dialect::Anthropic, r#""tool_choice":{"type":"none"}"#, Choice::Forbidden),
        (Dialect::Anthropic, r#""tool_choice":{"type":"tool","name":"ls"}"#, Choice::Named(ls())),
        (Dialect::Gemini, r#""toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}"#, Choice::Free),
        (Dialect::Gemini, r#""toolConfig":{"functionCallingConfig":{"mode":"ANY"}}"#, Choice::Required),
        (Dialect::Gemini, r#""toolConfig":{}"#, Choice::Free),
        (
            Dialect::Gemini,
            r#""toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["ls"]}}"#,
            Choice::Allowed(ls()),
        ),
    ] {
        assert_eq!(choice(dialect, member), expected, "{dialect:?} {member}");
    }
}
