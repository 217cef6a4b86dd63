//! Messages that a proxy puts into a request: what else the client sent stays byte for byte.

use std::sync::Arc;

use balk_contract::wire::{Dialect, Edit};
use balk_contract::{Completion, FinishReason, Message, Offer, Part, RawCall, Usage};

/// What the model said: a text if it is not empty, and calls with their ids and tools.
fn completion(text: &str, calls: &[(&str, &str)]) -> Arc<Completion> {
    let call = |(id, tool): &(&str, &str)| RawCall {
        id: (*id).into(),
        tool: (*tool).into(),
        arguments: r#"{"p": 1.0}"#.into(),
    };
    let (parts, calls) = ([Part::Text(text.into())], calls.iter().map(call));
    Completion::new(parts, calls, FinishReason::ToolCall, Usage::default(), &Offer::default()).into()
}

fn said(text: &str, calls: &[(&str, &str)]) -> Message {
    Message::Assistant(completion(text, calls))
}

fn user(text: &str) -> Message {
    Message::User(text.into())
}

fn refused(id: &str) -> Message {
    Message::Result { id: id.into(), text: "no".into(), is_error: true }
}

/// An exchange that the client never saw.
fn exchange() -> Vec<Message> {
    vec![said("", &[("n1", "ls")]), refused("n1"), user("Stop.")]
}

fn put(before: usize, messages: Vec<Message>) -> Edit {
    Edit::Put { before, messages }
}

/// Replaces each `old` of the request by its `new`, and expects that of the edits.
#[track_caller]
fn check(dialect: Dialect, request: &str, edits: &[Edit], changes: &[(&str, &str)]) {
    let mut expected = request.to_owned();
    for (old, new) in changes {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    let spliced = dialect.spliced(request, edits).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(spliced, expected);
    assert!(dialect.asked(&spliced).is_ok(), "{spliced}");
}

#[track_caller]
fn refuses(dialect: Dialect, request: &str, edits: &[Edit], place: &str, reason: &str) {
    let error = dialect.spliced(request, edits).expect_err("it is wrong");
    assert_eq!((&*error.place, &*error.reason), (place, reason));
}

const CHAT: &str = r#"{"model":"m", "seed":1.0, "messages" : [ {"role":"system","content":"Be brief."} ,
    {"content":[{"type":"text","text":"go","x":1},{"type":"image_url","image_url":{}}],"role":"user","name":"n"},
    {"role":"assistant","tool_calls":[
    {"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}} ],"a":1,"a":2},
    {"role":"tool","tool_call_id":"c1","content":"a"},
    {"role":"developer","content":"Now."},
    {"role":"assistant","content":"\u0064one","tool_calls":null}, {"role":"user","content":"on"} ] , "tools":[
    {"type":"function","function":{"name":"fs.read"}}],"x":[1e9,{"a":1,"a":2}]}"#;

#[test]
fn chat_gets_elements_between_its_own() {
    let new = concat!(
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"n1","type":"function","function":"#,
        r#"{"name":"ls","arguments":"{\"p\": 1.0}"}}]},{"role":"tool","content":"no","tool_call_id":"n1"},"#,
        r#"{"role":"user","content":"Stop."}"#
    );
    let check = |before, old, changed: &str| {
        check(Dialect::OpenAi, CHAT, &[put(before, exchange())], &[(old, &changed.replace("NEW", new))]);
    };
    // Before the first message, and so behind the instructions.
    check(0, " ,\n    {\"content\":[", ",NEW ,\n    {\"content\":[");
    check(2, "\"name\":\"n\"},\n", "\"name\":\"n\"},NEW,\n");
    // Behind a result, and so before instructions that follow it.
    check(4, "\"content\":\"a\"},\n", "\"content\":\"a\"},NEW,\n");
    check(6, "\"content\":\"on\"} ]", "\"content\":\"on\"},NEW ]");
    // Between two messages that share an element: both halves have its other members.
    check(
        1,
        r#""x":1},{"type":"image_url""#,
        "\"x\":1}],\"role\":\"user\",\"name\":\"n\"},NEW ,\n    {\"content\":[{\"type\":\"image_url\"",
    );
}

#[test]
fn chat_gets_calls_where_they_are_missing() {
    let more = completion("ignored", &[("c1", "ls"), ("c2", "fs_read"), ("c2", "ls")]);
    let edits = [
        Edit::Calls { at: 2, completion: more.clone() },
        put(4, vec![refused("c2")]),
        Edit::Calls { at: 4, completion: completion("", &[("c3", "ls")]) },
        put(5, vec![refused("c3")]),
    ];
    let call = |id: &str, name: &str| {
        let function = format!(r#"{{"name":"{name}","arguments":"{{\"p\": 1.0}}"}}"#);
        format!(r#"{{"id":"{id}","type":"function","function":{function}}}"#)
    };
    let result = |id: &str| format!(r#"{{"role":"tool","content":"no","tool_call_id":"{id}"}}"#);
    check(
        Dialect::OpenAi,
        CHAT,
        &edits,
        &[
            // The client calls it `fs.read`.
            ("} ],\"a\":1", &format!("}},{} ],\"a\":1", call("c2", "fs.read"))),
            ("\"content\":\"a\"},\n", &format!("\"content\":\"a\"}},{},\n", result("c2"))),
            ("\"tool_calls\":null},", &format!("\"tool_calls\":[{}]}},{},", call("c3", "ls"), result("c3"))),
        ],
    );
    // It has them all, so nothing changes.
    check(Dialect::OpenAi, CHAT, &[Edit::Calls { at: 2, completion: completion("", &[("c1", "ls")]) }], &[]);
    let bare = r#"{"model":"m","messages":[{"role":"assistant","content":"Hi." }]}"#;
    let one = completion("", &[("c2", "ls")]);
    let added = format!(",\"tool_calls\":[{}] }}]", call("c2", "ls"));
    check(Dialect::OpenAi, bare, &[Edit::Calls { at: 0, completion: one }], &[(" }]", &added)]);
}

#[test]
fn chat_has_other_messages_in_place_of_one() {
    let replace = |at, messages| Edit::Replace { at, messages };
    let dialect = Dialect::OpenAi;
    let last = "{\"role\":\"assistant\",\"content\":\"\\u0064one\",\"tool_calls\":null}, ";
    check(dialect, CHAT, &[replace(4, vec![])], &[(&format!("\n    {last}"), " ")]);
    let new = r#"{"role":"assistant","content":"No."},{"role":"user","content":"Yes."},"#;
    let edits = [put(5, vec![user("Yes.")]), replace(4, vec![said("No.", &[])])];
    check(dialect, CHAT, &edits, &[(&format!("\n    {last}"), &format!("{new} "))]);
}

const ITEMS: &str = r#"{"input":[{"role":"developer","content":"Be kind."}, {"role":"user","content":"go"},
    {"type":"reasoning","id":"rs_1","summary":[]}, {"type":"message","role":"assistant","content":"Hm.","id":"msg_1"},
    {"role":"developer","content":"Now."},
    {"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"x"},{"type":"item_reference","id":"i"},
    {"type":"custom_tool_call_output","call_id":"c1","output":"a"} ],"model":"m","tools":[
    {"type":"custom","name":"apply_patch"},
    {"type":"namespace","name":"fs","tools":[{"type":"function","name":"read"}]}]}"#;

#[test]
fn responses_gets_items_around_a_turn_and_never_in_it() {
    let new = |first: &str| {
        format!(
            "{first}{}{}",
            r#"{"type":"function_call_output","call_id":"n1","output":"no"},"#,
            r#"{"type":"message","role":"user","content":"Stop."}"#
        )
    };
    let call = r#"{"type":"function_call","call_id":"n1","name":"ls","arguments":"{\"p\": 1.0}"},"#;
    let check = |edits: &[Edit], old: &str, changed: &str| {
        check(Dialect::Responses, ITEMS, edits, &[(old, &changed.replace("NEW", &new(call)))]);
    };
    check(&[put(0, exchange())], ", {\"role\":\"user\"", ",NEW, {\"role\":\"user\"");
    check(&[put(1, exchange())], "\"content\":\"go\"},\n", "\"content\":\"go\"},NEW,\n");
    check(&[put(3, exchange())], "\"output\":\"a\"} ]", "\"output\":\"a\"},NEW ]");
    // The calls and results of the tools of the client, as it calls them.
    let more = completion("", &[("c1", "apply_patch"), ("c2", "fs_read"), ("c3", "apply_patch")]);
    let edits = [Edit::Calls { at: 1, completion: more }, put(2, vec![refused("c3"), refused("c2")])];
    let added = concat!(
        r#"{"type":"item_reference","id":"i"},"#,
        r#"{"type":"function_call","call_id":"c2","namespace":"fs","name":"read","arguments":"{\"p\": 1.0}"},"#,
        r#"{"type":"custom_tool_call","call_id":"c3","name":"apply_patch","input":"{\"p\": 1.0}"},"#,
        r#"{"type":"custom_tool_call_output","call_id":"c3","output":"no"},"#,
        r#"{"type":"function_call_output","call_id":"c2","output":"no"},"#,
    );
    check(&edits, r#"{"type":"item_reference","id":"i"},"#, added);
}

#[test]
fn responses_keeps_instructions_within_a_turn_that_is_replaced() {
    let edits = [Edit::Replace { at: 1, messages: vec![said("Done.", &[])] }];
    let start = ITEMS.find("\n    {\"type\":\"reasoning\"").unwrap();
    let end = ITEMS.find("\n    {\"type\":\"custom_tool_call_output\"").unwrap();
    let new = concat!(
        "\n    {\"role\":\"developer\",\"content\":\"Now.\"},",
        r#"{"type":"message","role":"assistant","content":"Done."},"#
    );
    check(Dialect::Responses, ITEMS, &edits, &[(&ITEMS[start..end], new)]);
}

#[test]
fn responses_gets_a_list_where_it_has_none() {
    let dialect = Dialect::Responses;
    let note = r#"{"type":"message","role":"user","content":"Stop."}"#;
    let put = |before| [put(before, vec![user("Stop.")])];
    check(
        dialect,
        r#"{"input" : "g\u006f" ,"model":"m"}"#,
        &put(1),
        &[(r#""g\u006f""#, &format!(r#"[{{"type":"message","role":"user","content":"g\u006f"}},{note}]"#))],
    );
    let none = r#"{"model":"m","previous_response_id":"r" }"#;
    check(dialect, none, &put(0), &[("\"r\" ", &format!("\"r\",\"input\":[{note}] "))]);
    let empty = r#"{"model":"m","input":[ ],"previous_response_id":"r"}"#;
    check(dialect, empty, &put(0), &[("[ ]", &format!("[{note} ]"))]);
    let result = r#"{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"a"}],
        "previous_response_id":"r"}"#;
    check(dialect, result, &put(0), &[("[{", &format!("[{note},{{"))]);
    check(dialect, result, &put(1), &[("}]", &format!("}},{note}]"))]);
    let object = r#"{"model":"m","input":{"role":"user","content":"go"}}"#;
    check(
        dialect,
        object,
        &put(1),
        &[("{\"role\"", "[{\"role\""), ("\"go\"}", &format!("\"go\"}},{note}]"))],
    );
}

const BLOCKS: &str = r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"g\u006f"},
    {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},
        {"type":"tool_use","id":"c1","name":"ls","input":{"b":1,"b":2}}]},
    { "x":1 , "role":"user","content":[ {"type":"tool_result","tool_use_id":"c1","cache_control":{"type":"ephemeral"}},
        {"type":"text","text":"on","cache_control":{"type":"ephemeral"}} ],"y":[2.0] },
    {"role":"assistant","content":"Done."},{"role":"user","content":"more"}],"metadata":{"user_id":"u"}}"#;
const CALL: &str = r#"{"type":"tool_use","id":"n1","name":"ls","input":{"p": 1.0}}"#;
const RESULT: &str = r#"{"type":"tool_result","tool_use_id":"n1","content":"no","is_error":true}"#;
const STOP: &str = r#"{"type":"text","text":"Stop."}"#;

/// The element of the model with these blocks, and that of the user.
fn elements(of_model: &str, of_user: &str) -> String {
    format!(r#"{{"role":"assistant","content":[{of_model}]}},{{"role":"user","content":[{of_user}]}}"#)
}

#[test]
fn anthropic_keeps_its_turns_and_results_first() {
    let check =
        |edits: &[Edit], old: &str, new: &str| check(Dialect::Anthropic, BLOCKS, edits, &[(old, new)]);
    let answers = format!("{RESULT},{STOP}");
    let new = elements(CALL, &answers);
    // Before a message of the assistant.
    check(&[put(1, exchange())], "\"g\\u006f\"},", &format!("\"g\\u006f\"}},{new},"));
    check(&[put(4, exchange())], "\"y\":[2.0] },", &format!("\"y\":[2.0] }},{new},"));
    check(&[put(6, exchange())], "\"more\"}]", &format!("\"more\"}},{new}]"));
    // Between the result and the text that share an element.
    let halves = format!(
        r#"}}}} ],"y":[2.0] }},{},{{ "x":1 , "role":"user","content":[ {answers},{}{{"type":"text","text":"on""#,
        r#"{"role":"assistant","content":[TOOL]}"#.replace("TOOL", CALL),
        "\n        "
    );
    check(&[put(3, exchange())], "}},\n        {\"type\":\"text\",\"text\":\"on\"", &halves);
    // A note, and a further result, in the element of the results.
    let note = format!("}}}},{STOP},\n        {{\"type\":\"text\"");
    check(&[put(3, vec![user("Stop.")])], "}},\n        {\"type\":\"text\"", &note);
    check(&[put(4, vec![user("Stop.")])], "}} ],\"y\"", &format!("}}}},{STOP} ],\"y\""));
    let text = r#"[{"type":"text","text":"more"},{"type":"text","text":"Stop."}]"#;
    check(&[put(6, vec![user("Stop.")])], "\"more\"", text);
    // In place of a text of the model, a call: its result comes before the user's text.
    let replaced = [Edit::Replace { at: 4, messages: vec![said("", &[("n1", "ls")]), refused("n1")] }];
    let last = r#"{"role":"assistant","content":"Done."},{"role":"user","content":"more"}"#;
    let more = r#"{"type":"text","text":"more"}"#;
    check(&replaced, &format!("\n    {last}"), &elements(CALL, &format!("{RESULT},{more}")));
    check(
        &[Edit::Replace { at: 4, messages: vec![] }],
        &format!(" ],\"y\":[2.0] }},\n    {last}"),
        &format!(",{more} ],\"y\":[2.0] }}"),
    );
}

#[test]
fn anthropic_gets_calls_and_their_results() {
    let calls = |at, id| Edit::Calls { at, completion: completion("", &[("c1", "ls"), (id, "ls")]) };
    let edits = [calls(1, "n1"), put(3, vec![refused("n1")]), calls(4, "f.a"), put(5, vec![refused("f.a")])];
    let text = r#"[{"type":"text","text":"Done."},"#;
    let c1 = CALL.replace("n1", "c1");
    // Anthropic takes no dot in an id.
    let (call, result) = (CALL.replace("n1", "hex-662e61"), RESULT.replace("n1", "hex-662e61"));
    check(
        Dialect::Anthropic,
        BLOCKS,
        &edits,
        &[
            ("\"b\":2}}]", &format!("\"b\":2}}}},{CALL}]")),
            ("}},\n        {\"type\":\"text\"", &format!("}}}},{RESULT},\n        {{\"type\":\"text\"")),
            ("\"Done.\"", &format!("{text}{c1},{call}]")),
            ("\"more\"", &format!("[{result},{{\"type\":\"text\",\"text\":\"more\"}}]")),
        ],
    );
}

#[test]
fn a_conversation_that_the_assistant_begins_is_opened() {
    let opening = "(the assistant speaks first)";
    let dialect = Dialect::Anthropic;
    let bare = r#"{"model":"m","messages":[{"role":"user","content":"go"}]}"#;
    let block = format!(r#"{{"type":"text","text":"{opening}"}}"#);
    let opened = format!(r#"[{{"role":"user","content":[{block}]}},{}"#, elements(CALL, RESULT));
    let list = r#"[{"role":"user","content":"go"}"#;
    let first = opened.strip_suffix("]}").unwrap().to_owned() + r#",{"type":"text","text":"go"}]}"#;
    let new = || vec![said("", &[("n1", "ls")]), refused("n1")];
    check(dialect, bare, &[put(0, new())], &[(list, &first)]);
    // It is opened already, and what is put first comes behind that.
    let request = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"{opening}"}},{{"role":"assistant","content":"a"}}]}}"#
    );
    let text = format!(r#""{opening}""#);
    check(dialect, &request, &[put(0, vec![user("Stop.")])], &[(&text, &format!("[{block},{STOP}]"))]);
    // A text of the user that reads like the opening.
    let twice = format!(r#"[{{"role":"user","content":[{block},{block},{{"type":"text","text":"go"}}]}}"#);
    check(dialect, bare, &[put(0, vec![user(opening)])], &[(list, &twice)]);
    let contents = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]}]}"#;
    let said = [put(0, vec![said("Hi.", &[])])];
    let new = format!(
        r#"[{{"role":"user","parts":[{{"text":"{opening}"}}]}},{{"role":"model","parts":[{{"text":"Hi."}}]}},"#
    );
    check(Dialect::Gemini, contents, &said, &[("[{\"role\"", &(new + "{\"role\""))]);
}

const PARTS: &str = r#"{"contents":[{"parts":[{"text":"go"}, {"inlineData":{"mimeType":"image/png","data":"x"}}],"z":1},
    {"role":"model","parts":[{"text":"Hm.","thought":true},
        {"functionCall":{"id":"c1","name":"ls"},"thoughtSignature":"s"} ]},
    {"role":"function","parts":[
        {"functionResponse":{"id":"c1","name":"ls","response":{"files":["a"]}}, "q":0} ], "z":1.0},
    {"role":"user","parts":[{"text":"on"}]}],"generationConfig":{"temperature":1.0}}"#;

const SIGNED: &str = r#"{"thoughtSignature":"skip_thought_signature_validator","functionCall":"#;

/// The parts of a call of `ls` and of its result.
fn parts(id: &str) -> (String, String) {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":"{id}","#) };
    let call = format!(r#"{{{id}"name":"ls","args":{{"p": 1.0}}}}"#);
    let result = format!(r#"{{"functionResponse":{{{id}"name":"ls","response":{{"error":"no"}}}}}}"#);
    (call, result)
}

#[test]
fn gemini_has_the_results_of_a_turn_in_one_element() {
    let check = |edits: &[Edit], changes: &[(&str, &str)]| check(Dialect::Gemini, PARTS, edits, changes);
    let (call, result) = parts("n1");
    let said = format!(r#"{{"role":"model","parts":[{SIGNED}{call}}}]}}"#);
    let user = |part: &str| format!(r#"{{"role":"user","parts":[{part}]}}"#);
    let (results, stop) = (user(&result), user(r#"{"text":"Stop."}"#));
    let new = format!("{said},{results},{stop}");
    check(&[put(2, exchange())], &[("\"z\":1},", &format!("\"z\":1}},{new},"))]);
    check(&[put(4, exchange())], &[("\"z\":1.0},", &format!("\"z\":1.0}},{new},"))]);
    check(&[put(5, exchange())], &[("\"on\"}]}]", &format!("\"on\"}}]}},{new}]"))]);
    // Between the parts of one element: both halves have its other members.
    let halves = format!("\"go\"}}],\"z\":1}},{new},{{\"parts\":[{{\"inlineData\"");
    check(&[put(1, exchange())], &[("\"go\"}, {\"inlineData\"", &halves)]);
    check(&[put(1, vec![self::user("Stop.")])], &[("\"go\"},", "\"go\"},{\"text\":\"Stop.\"},")]);
    let note = [put(4, vec![self::user("Stop.")])];
    check(&note, &[("\"z\":1.0},", &format!("\"z\":1.0}},{stop},"))]);
    let more = Edit::Calls { at: 2, completion: completion("", &[("n1", "ls")]) };
    check(
        &[more, put(4, vec![refused("n1")])],
        &[
            ("\"s\"} ]", &format!("\"s\"}},{{\"functionCall\":{call}}} ]")),
            ("\"q\":0} ]", &format!("\"q\":0}},{result} ]")),
        ],
    );
}

#[test]
fn gemini_without_ids_gets_none_and_its_results_stay_with_their_calls() {
    let bare = PARTS.replace(r#""id":"c1","#, "");
    let check = |edits: &[Edit], changes: &[(&str, &str)]| check(Dialect::Gemini, &bare, edits, changes);
    let (call, result) = parts("");
    let more = || Edit::Calls { at: 2, completion: completion("", &[("call-1", "ls"), ("n1", "ls")]) };
    let changes = [
        ("\"s\"} ]", &*format!("\"s\"}},{{\"functionCall\":{call}}} ]")),
        ("\"q\":0} ]", &*format!("\"q\":0}},{result} ]")),
    ];
    check(&[more(), put(4, vec![refused("n1")])], &changes);
    // As the first result of the tool it would answer the first call.
    check(&[more(), put(3, vec![refused("n1")])], &changes);
    // Results may have ids of the client's own.
    let own = PARTS.replace(r#""functionCall":{"id":"c1","#, r#""functionCall":{"#);
    self::check(Dialect::Gemini, &own, &[more(), put(4, vec![refused("n1")])], &changes);
    // It is not known whether the endpoint takes ids.
    let fresh = r#"{"contents":[{"parts":[{"text":"go"}]}]}"#;
    let new =
        format!(r#"{{"role":"model","parts":[{SIGNED}{call}}}]}},{{"role":"user","parts":[{result}]}}"#);
    let edits = [put(1, vec![said("", &[("n1", "ls")]), refused("n1")])];
    self::check(Dialect::Gemini, fresh, &edits, &[("}]}]", &format!("}}]}},{new}]"))]);
}

#[test]
fn elements_without_messages_stay() {
    let new = vec![said("Hi.", &[]), user("Stop.")];
    let chat = r#"{"model":"m","messages":[{"role":"user","content":"go"}, {"role":"assistant","content":""},
        {"role":"user","content":"on"}]}"#;
    let added = r#""go"},{"role":"assistant","content":"Hi."},{"role":"user","content":"Stop."}, "#;
    check(Dialect::OpenAi, chat, &[put(1, new.clone())], &[(r#""go"}, "#, added)]);
    // The provider ran a tool, and the model said nothing.
    let search = r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{}}"#;
    let messages =
        r#"{"model":"m","messages":[{"role":"user","content":"go"}, {"role":"assistant","content":[SEARCH]},
        {"role":"user","content":"on"}]}"#
            .replace("SEARCH", search);
    let hi = r#"{"type":"text","text":"Hi."}"#;
    let added = format!("\"go\"}},{}, ", elements(hi, STOP));
    check(Dialect::Anthropic, &messages, &[put(1, new)], &[(r#""go"}, "#, &added)]);
    let alone = [put(1, vec![said("Hi.", &[])])];
    let joined = format!("\"go\"}},{{\"role\":\"assistant\",\"content\":[{hi},{search}]}},\n");
    check(
        Dialect::Anthropic,
        &messages,
        &alone,
        &[(&format!("\"go\"}}, {{\"role\":\"assistant\",\"content\":[{search}]}},\n"), &joined)],
    );
}

#[test]
fn nothing_changes_where_nothing_is_put() {
    let silent = said("", &[]);
    for (dialect, request) in [
        (Dialect::OpenAi, CHAT),
        (Dialect::Responses, ITEMS),
        (Dialect::Responses, r#"{"model":"m","input":"go"}"#),
        (Dialect::Anthropic, BLOCKS),
        (Dialect::Gemini, PARTS),
    ] {
        for edits in [vec![], vec![put(0, vec![])], vec![put(1, vec![silent.clone()])]] {
            check(dialect, request, &edits, &[]);
        }
    }
}

#[test]
fn an_edit_that_fits_no_message_is_refused() {
    let refuses = |edits: &[Edit], place, reason| refuses(Dialect::OpenAi, CHAT, edits, place, reason);
    let replace = |at| Edit::Replace { at, messages: vec![] };
    let calls = |at| Edit::Calls { at, completion: completion("", &[]) };
    refuses(&[put(6, vec![]), put(7, vec![])], "edits[1].before", "expected an index up to 6, found 7");
    refuses(&[replace(0)], "edits[0].at", "expected a message of the assistant, found the user's");
    refuses(&[calls(3)], "edits[0].at", "expected a message of the assistant, found a result");
    refuses(&[calls(6)], "edits[0].at", "expected a message of the assistant, found 6 of 6");
    refuses(
        &[calls(2), replace(4), replace(2)],
        "edits[2].at",
        "expected another message, found message 2, which edits[0] changes",
    );
    self::refuses(Dialect::Gemini, "{}", &[], ".", "missing field `contents` at line 1 column 2");
}
