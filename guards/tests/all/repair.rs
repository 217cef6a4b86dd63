//! Repairs: what is made, and what is left alone.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, outline, says, text};
use balk_guards::{
    CallRepair, CallRepairSettings, ChoiceKind, Completion, Effect, Entry, FinishReason, InterventionKind,
    NoTools, Offer, Protocol, Purpose, Stack, Start, Tool,
};
use proptest::prelude::*;

const FILE: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},
    "lines":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#;

pub(crate) fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(FILE),
        Tool::new("write_file").effect(Effect::IdempotentWrite).parameters(FILE),
        Tool::new("append").effect(Effect::Write).parameters(FILE),
        Tool::new("fs.move").parameters(FILE),
        Tool::new("search").effect(Effect::ReadOnly).parameters(FILE).provider_executed(),
        Tool::new("ask_user").effect(Effect::ReadOnly).purpose(Purpose::AskUser),
        Tool::new("finish").purpose(Purpose::Finish),
    ]))
}

pub(crate) fn start() -> Loop {
    Loop::with_offer(CallRepair::default(), offer())
}

/// The completion in place of the last one.
pub(crate) fn repaired(run: &Loop) -> Option<Arc<Completion>> {
    let repair = |entry: &Entry| {
        if let Entry::Intervention(it) = entry
            && let InterventionKind::Repair(completion) = &it.kind
        {
            return Some(completion.clone());
        }
        None
    };
    run.entries.iter().rev().find_map(repair)
}

fn made(text: &str) -> Vec<(String, String)> {
    let mut run = start();
    run.turn(&says(text));
    let completion = repaired(&run).unwrap_or_else(|| panic!("it is repaired: {text}"));
    completion.calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string())).collect()
}

/// Every form, with the call that it is.
const FORMS: &[&str] = &[
    r#"{"name": "read", "arguments": {"path": "a.py"}}"#,
    r#"{"tool": "read", "args": {"path": "a.py"}}"#,
    r#"{"tool_name": "read", "parameters": {"path": "a.py"}}"#,
    r#"{"function": "read", "input": {"path": "a.py"}}"#,
    r#"{"action": "read", "action_input": {"path": "a.py"}}"#,
    r#"{"name": "read", "arguments": "{\"path\": \"a.py\"}"}"#,
    r#"{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.py\"}"}}"#,
    r#"{"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": {"path": "a.py"}}}]}"#,
    r#"{"functionCall": {"name": "read", "args": {"path": "a.py"}}}"#,
    r#"{"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.py"}}"#,
    r#"[{"name": "read", "arguments": {"path": "a.py"}}]"#,
    "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```",
    "```\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```\n",
    "I'll read the file now:\n\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}",
    "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
    "<tools>{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}</tools><|im_end|>",
    "<tool_call>\n<function=read>\n<parameter=path>\na.py\n</parameter>\n</function>\n</tool_call>",
    "<function=read>{\"path\": \"a.py\"}</function>",
    "<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a.py</parameter>\n</invoke>\n</function_calls>",
    "<minimax:tool_call><invoke name=\"read\"><parameter name=\"path\">a.py</parameter></invoke></minimax:tool_call>",
    "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n</tool_call>",
    "<read>\n<path>a.py</path>\n</read>",
    "<read path=\"a.py\"/>",
    "[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]",
    "[TOOL_CALLS]read[ARGS]{\"path\": \"a.py\"}</s>",
    "[TOOL_CALLS]read[CALL_ID]abc123[ARGS]{\"path\": \"a.py\"}",
    "[TOOL_CALLS]read{\"path\": \"a.py\"}",
    "read[ARGS]{\"path\": \"a.py\"}",
    "<|python_tag|>{\"name\": \"read\", \"parameters\": {\"path\": \"a.py\"}}<|eom_id|>",
    "[read(path=\"a.py\")]",
    "[read(path='a.py')]",
    "```tool_code\nprint(default_api.read(path=\"a.py\"))\n```",
    "functools[{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]",
    "<|tool_call|>[{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]",
    "<TOOLCALL>[{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]</TOOLCALL>",
    "[TOOL_REQUEST]{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}[END_TOOL_REQUEST]",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n\
     {\"path\": \"a.py\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>\
     {\"path\": \"a.py\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0\
     <|tool_call_argument_begin|>{\"path\": \"a.py\"}<|tool_call_end|><|tool_calls_section_end|>",
    "<|channel|>commentary to=functions.read <|constrain|>json<|message|>{\"path\": \"a.py\"}<|call|>",
    "commentary to=functions.read json<|message|>{\"path\": \"a.py\"}",
    "Action: read\nAction Input: {\"path\": \"a.py\"}",
    "{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```",
];

#[test]
fn x1_every_form_is_made_a_call() {
    for form in FORMS {
        let [(tool, arguments)] = &made(form)[..] else { panic!("one call: {form}") };
        let arguments: serde_json::Value = serde_json::from_str(arguments).expect("JSON");
        assert_eq!((tool.as_str(), arguments), ("read", serde_json::json!({ "path": "a.py" })), "{form}");
    }
}

#[test]
fn x1_the_arguments_are_those_of_the_text_byte_for_byte_and_texts_get_the_type_of_the_schema() {
    let form =
        r#"{"name": "write_file", "arguments": {"path": "a", "content": "<b>{\"x\": [1,  2]}", "lines": 9}}"#;
    assert_eq!(
        made(&form.replace("9", "7"))[0].1,
        r#"{"path": "a", "content": "<b>{\"x\": [1,  2]}", "lines": 7}"#
    );
    let tags =
        "<write_file>\n<path>a</path>\n<content>\nx = '</b>'\n\n</content>\n<lines>12</lines>\n</write_file>";
    assert_eq!(made(tags)[0].1, r#"{"content":"x = '</b>'\n","lines":12,"path":"a"}"#);
    assert_eq!(made("{\"name\": \"fs.move\", \"arguments\": {\"path\": \"a\"}}")[0].0, "fs_move");
    let both = "[read(path='a', lines=3), read(path=\"b\")]";
    assert_eq!(
        made(both).iter().map(|it| &*it.1).collect::<Vec<_>>(),
        [r#"{"path":"a","lines":3}"#, r#"{"path":"b"}"#]
    );
}

#[test]
fn x1_the_prose_before_it_is_kept_and_the_printed_call_is_cut() {
    let mut run = start();
    run.turn(&says(
        "I'll read the file now:\n\n\
        <tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
    ));
    let completion = repaired(&run).expect("it is repaired");
    assert_eq!(completion.texts().map(|it| &**it).collect::<Vec<_>>(), ["I'll read the file now:"]);
    assert_eq!(completion.calls[0].effect, Effect::ReadOnly);
    assert_eq!(run.runs, 1);
}

/// Texts in which nothing is meant to be made.
const SILENT: &[&str] = &[
    // Not one whole call that fits.
    r#"{"name": "read", "arguments": {"path": "a.py""#,
    r#"{"name": "read", "arguments": {}}"#,
    r#"{"name": "read", "arguments": {"path": 3}}"#,
    r#"{"name": "read", "arguments": {"path": "a", "mode": "r"}}"#,
    r#"{"name": "read"}"#,
    r#"{"name": "save", "arguments": {"path": "a"}}"#,
    r#"{"name": "search", "arguments": {"path": "a"}}"#,
    "<read><path>a.py</path>",
    "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>\
     <tool_call>{\"name\": \"read\", \"arg",
    "<function=read>\n<parameter=path>\na.py",
    // The definition of a tool, or another object.
    r#"{"name": "read", "description": "Reads a file.", "parameters": {"path": "a"}}"#,
    r#"{"name": "ask_user", "parameters": {"type": "object", "properties": {"q": {}}}}"#,
    r#"{"name": "read", "arguments": {"path": "a"}, "result": "ok"}"#,
    // Quoted or commented on.
    "> {\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "The model sent `{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}` twice.",
    "He wrote \"<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}</tool_call>\"",
    "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n\nThis call reads the file.",
    "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n```\nSend it like this.",
    "Calls are objects.\n\nThey have a name and arguments.\n\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "Here is an example:\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "Zum Beispiel:\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "Por ejemplo:\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "例えば、次のようにします：\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "例如：\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "Shall I make this call?\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    "- first\n- second\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    // Alternatives.
    "{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\nor\n\
     {\"name\": \"read\", \"arguments\": {\"path\": \"b\"}}",
    "[{\"name\": \"append\", \"arguments\": {\"path\": \"a\", \"content\": \"x\"}}, \
     {\"name\": \"append\", \"arguments\": {\"path\": \"a\", \"content\": \"y\"}}]",
    "[read(path='a'), read(path='a')]",
    // A part of code.
    "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n// and then\n```",
    "```python\nimport tools\nread(path=\"a\")\n```",
    "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}",
    // Placeholders.
    r#"{"name": "read", "arguments": {"path": "<path>"}}"#,
    r#"{"name": "read", "arguments": {"path": "..."}}"#,
    r#"{"name": "read", "arguments": {"path": "path/to/file"}}"#,
    r#"{"name": "read", "arguments": {"path": "{{file}}"}}"#,
    r#"{"name": "write_file", "arguments": {"path": "a", "content": "key = YOUR_KEY"}}"#,
    r#"{"name": "write_file", "arguments": {"path": "a", "content": "def f():\n    # ...\n"}}"#,
];

#[test]
fn x2_nothing_is_made_that_may_be_an_example_or_an_answer() {
    for text in SILENT {
        let mut run = start();
        assert_eq!(outline(&run.turn(&says(text))), "pass", "{text}");
    }
}

pub(crate) const WRITE: &str = r#"{"name": "write_file", "arguments": {"path": "a", "content": "x"}}"#;
pub(crate) const APPEND: &str = r#"{"name": "append", "arguments": {"path": "a", "content": "x"}}"#;

#[test]
fn x2_a_request_that_speaks_of_calls_is_answered_by_one() {
    for request in [
        "Show me as JSON how you would write a file.",
        "用 JSON 显示一个调用。",
        "Print a tool call.",
        "For the docs: print the call that you made.",
        "Zeig mir den Aufruf.",
        "What does {\"name\": …} do?",
    ] {
        let mut run = start();
        run.user(request);
        run.check(&says(WRITE), "pass");
        run.check(&says(WRITE), "pass");
        // They have seen one; a nudge does not ask for another, so it is not certain what the next one is.
        run.user("Go on, please.");
        run.check(&says(WRITE), "ask printed-call 1");
        run.user("Now write the file notes.md.");
        run.check(&says(WRITE), "repair printed-call 1, notice printed-call 1");
    }
}

#[test]
fn x2_a_doubtful_call_is_made_if_it_only_reads_and_else_the_user_is_asked_once() {
    let introduced = |call: &str| says(&format!("The file has to change.\n{call}"));
    let mut run = start();
    run.check(&introduced(r#"{"name": "read", "arguments": {"path": "a"}}"#), "repair printed-call 1");
    run.choice = ChoiceKind::Instruct;
    run.check(&introduced(WRITE), "ask printed-call 1");
    run.check(&introduced(WRITE), "pass");
    run.user("Write the file notes.md.");
    run.choice = ChoiceKind::Continue;
    let asked = run.check(&introduced(WRITE), "ask printed-call 2");
    assert_eq!(
        text(&asked),
        "The model wrote this call of `write_file` into its message and did not make it: {\"path\": \"a\", \
         \"content\": \"x\"}. It may be meant as an example, and it may change something. You were asked once before. \
         Should the model make it?"
    );
    run.check(&introduced(WRITE), "repair printed-call 2, notice printed-call 2");
    for doubtful in ["append(path=\"a\", content=\"x\")", "For an example file, I add a line:\n"] {
        let mut run = start();
        let doubtful =
            if doubtful.ends_with('\n') { format!("I add a line.\n{APPEND}") } else { doubtful.to_owned() };
        run.check(&says(&doubtful), "ask printed-call 1");
    }
}

#[test]
fn x2_the_same_change_is_not_made_from_a_text_twice_unasked() {
    let mut run = start();
    run.check(&says(APPEND), "repair printed-call 1, notice printed-call 1");
    run.user("Go on, please.");
    run.check(&says(APPEND), "ask printed-call 1");
    run.user("Add the next line to notes.md.");
    run.check(&says(APPEND), "repair printed-call 2, notice printed-call 2");
    // The same content again changes nothing.
    run.check(&says(WRITE), "repair printed-call 3, notice printed-call 3");
    run.check(&says(WRITE), "repair printed-call 4, notice printed-call 4");
}

#[test]
fn x3_what_was_cut_off_or_withheld_is_never_repaired() {
    for finish in [FinishReason::Length, FinishReason::ContentFilter, FinishReason::Error] {
        let mut run = start();
        run.check(&says(WRITE).finishes(finish), "pass");
        run.check(&calls("Write-File", "{\"path\": \"a\"}").finishes(finish), "pass");
        run.check(&calls("read", "{\"path\": \"a\"").finishes(finish), "pass");
    }
}

#[test]
fn x3_a_misspelt_name_is_put_right() {
    for (called, tool) in [
        ("Write-File", "write_file"),
        ("functions.write_file", "write_file"),
        ("mcp__files__write_file", "write_file"),
        ("READ", "read"),
        ("move", "fs_move"),
    ] {
        let mut run = start();
        run.turn(&calls(called, "{\"path\": \"a\"}"));
        let call = repaired(&run).expect("it is repaired").calls[0].clone();
        assert_eq!((&*call.tool, &*call.id), (tool, "call_1"), "{called}");
        assert_eq!(call.effect, offer().get(tool).expect("a tool").effect);
    }
    let mut run = start();
    run.check(&calls("Write-File", "{\"path\": \"a\"}"), "repair tool-name 1, notice tool-name 1");
    run.check(&calls("READ", "{'path': 'a'}"), "repair tool-name 2");
    assert_eq!(&*repaired(&run).expect("both are repaired").calls[0].arguments, "{\"path\":\"a\"}");
}

#[test]
fn x3_a_name_that_is_nearly_one_on_offer_gets_that_name() {
    let mut run = start();
    let said = run.check(&calls("write_files", "{}"), "block unknown-tool 1");
    assert_eq!(text(&said), "No tool has this name, so nothing ran. Nearly the same name: `write_file`.");
    // One answer a request: failures that go on are another guard's.
    run.check(&calls("write_files", "{}").fails("unknown tool"), "pass");
    run.user("Read the file notes.md.");
    let again = run.check(&calls("write_files", "{}"), "block unknown-tool 2");
    assert!(text(&again).contains("This has happened once before."), "{}", text(&again));
}

#[test]
fn x3_the_host_answers_calls_of_foreign_names_and_its_own_tools_are_left_alone() {
    let mut run = start();
    run.check(&calls("browser_open", "{}").fails("unknown tool"), "pass");
    run.check(&calls("apply_patch", "{}").fails("unknown tool"), "pass");
    let mut run = start();
    run.check(&calls("read_all", "{}").answers("three files"), "pass");
    run.check(&calls("browser_open", "{}").fails("unknown tool"), "pass");
    run.check(&calls("read_all", "{}").answers("three files"), "pass");
}

#[test]
fn x3_arguments_that_are_nearly_json_are_mended_where_they_fit() {
    let mut run = start();
    run.check(
        &calls("write_file", "{'path': 'a', 'content': 'x',}"),
        "repair arguments 1, notice arguments 1",
    );
    assert_eq!(&*repaired(&run).expect("repaired").calls[0].arguments, r#"{"path":"a","content":"x"}"#);
    run.check(&calls("read", "{\"path\": \"a\""), "repair arguments 2");
    run.check(&calls("read", "{'file': 'a'}").fails("invalid"), "pass");
    run.check(&calls("read", "{'file': 'a'}").fails("invalid"), "pass");
    let said = run.check(&calls("read", "{'file': 'a'}"), "block arguments 1");
    assert_eq!(
        text(&said),
        "The arguments are not one JSON object, so nothing ran. Call `read` again with `path`, in this form, with \
         double quotes and all brackets: {\"path\": …}"
    );
}

#[test]
fn x3_of_several_calls_each_is_judged() {
    let mut run = start();
    run.turn(
        &calls("read", "{\"path\": \"a\"}")
            .and_calls("Read", "{\"path\": \"b\"}")
            .and_calls("write_files", "{}"),
    );
    let said: Vec<_> = run.interventions().map(|it| it.kind.name()).collect();
    assert_eq!(said, ["repair", "block"]);
    assert_eq!(run.runs, 2);
}

#[test]
fn x4_each_kind_can_be_switched_off() {
    let settings = CallRepairSettings::default;
    let check =
        |settings, turn: &Turn| Loop::with_offer(CallRepair::new(settings), offer()).check(turn, "pass");
    check(CallRepairSettings { calls: false, ..settings() }, &says(WRITE));
    check(CallRepairSettings { names: false, ..settings() }, &calls("Write-File", "{\"path\": \"a\"}"));
    check(CallRepairSettings { names: false, ..settings() }, &calls("write_files", "{}"));
    check(CallRepairSettings { arguments: false, ..settings() }, &calls("read", "{'path': 'a'}"));
}

#[test]
fn x4_the_transcript_keeps_the_text_and_no_other_guard_corrects_it() {
    for protocol in [Protocol::Text, Protocol::Tool] {
        let stack = Stack::new(vec![Box::new(CallRepair::default()), Box::new(NoTools::default())]);
        let mut run = Loop::begun(stack, Start { model: "test".into(), protocol, offer: offer() });
        for _ in 0..8 {
            run.turn(&says("{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}"));
        }
        assert!(run.interventions().all(|it| it.kind.name() == "repair"));
        assert_eq!(run.runs, 8);
        assert!(run.entries.iter().any(|it| matches!(it, Entry::Completion(it) if it.has_text())));
    }
}

/// Healthy messages in five languages with JSON, tags and code in them.
const HEALTHY: &[&str] = &[
    "Done. The configuration is now:\n```json\n{\"name\": \"app\", \"arguments\": {\"port\": 80}}\n```",
    "Die Antwort des Servers war `{\"status\": \"ok\"}`, also läuft er.",
    "La función se usa así:\n```python\nread(path=\"a.py\")\n```\nDevuelve el texto.",
    "设置如下：\n{\"path\": \"a.py\", \"content\": \"x\"}",
    "結果は次の通りです。\n<result><path>a.py</path></result>",
    "{\"summary\": \"All tests pass.\", \"action\": \"read\", \"details\": {\"path\": \"a\"}}",
    "I called read(path=\"a.py\") and it worked.",
    "| tool | arguments |\n|---|---|\n| read | {\"path\": \"a\"} |",
    "1. `read` the file\n2. [write it](b.md)",
];

#[test]
fn x2_healthy_messages_are_left_alone() {
    for text in HEALTHY {
        let mut run = start();
        assert_eq!(outline(&run.turn(&says(text))), "pass", "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the text, nothing panics, and what is made is of a tool on offer and has what it requires.
    #[test]
    fn x1_what_is_made_fits_the_offer(
        form in prop::sample::select(FORMS),
        cut in 0_usize..200,
        inserted in "[\\[\\]{}<>()\"'a-c,:/=\n`| ]{0,6}",
        any in any::<String>(),
    ) {
        let at = (0..=cut.min(form.len())).rev().find(|at| form.is_char_boundary(*at)).unwrap_or(0);
        let texts = [format!("{}{inserted}{}", &form[..at], &form[at..]), form[..at].to_owned(), any];
        // A completion without any text is a failed attempt.
        for text in texts.into_iter().filter(|it| !it.trim().is_empty()) {
            let mut run = start();
            run.turn(&says(&text));
            for call in repaired(&run).iter().flat_map(|it| &it.calls) {
                prop_assert!(offer().get(&call.tool).is_some(), "{text}");
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
                let takes_any = matches!(&*call.tool, "ask_user" | "finish");
                prop_assert!(takes_any || arguments["path"].is_string(), "{text}");
            }
        }
    }
}
