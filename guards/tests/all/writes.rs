//! Which calls seem to write, where no effect is declared (spec A3).

use balk_contract::{Effect, Offer, Purpose, RawCall, Tool, ToolCall};

fn call(tool: &str, arguments: &str, offer: &Offer) -> ToolCall {
    ToolCall::new(RawCall { id: "c".into(), tool: tool.into(), arguments: arguments.into() }, offer)
}

#[track_caller]
fn check(tool: &str, arguments: &str, expected: bool) {
    let call = call(tool, arguments, &Offer::default());
    assert_eq!(call.seems_to_write("no"), expected, "{tool} {arguments}");
}

#[test]
fn a3_a_name_and_a_place_or_a_long_text() {
    for tool in
        ["filesystem.write_file", "writeFile", "WriteFile", "fs-edit-file", "createfile", "files/append"]
    {
        check(tool, "{}", true);
    }
    check("Write", r#"{"file_path":"a.py","content":"x"}"#, true);
    check("str_replace_editor", r#"{"command":"create","path":"a.py","file_text":"x"}"#, true);
    check("apply_patch", r#"{"input":"*** Begin Patch\n+x\n*** End Patch"}"#, true);
    check("delete", r#"{"target":"a.py"}"#, true);
    for (tool, arguments) in [
        ("update_plan", r#"{"plan":[{"step":"a"}]}"#),
        ("TodoWrite", r#"{"todos":[]}"#),
        ("apply_discount", r#"{"code":"SAVE10"}"#),
    ] {
        check(tool, arguments, false);
    }
}

#[test]
fn a3_a_place_and_a_content_without_a_known_name() {
    check("filesystem", r#"{"path":"a.py","content":"x"}"#, true);
    check("guardar", r#"{"ruta":"src/juego.py","contenido":"import x\nx()"}"#, true);
    check("文件", r#"{"路径":"src/game.py","内容":"import x\nx()"}"#, true);
    check("filesystem", r#"{"path":"a.py"}"#, false);
    check("notes", r#"{"content":"x"}"#, false);
    check("open_page", r#"{"url":"https://example.org/a","text":"x\ny"}"#, false);
    // An address is no place, nor is a number.
    check("notes", r#"{"link":"https://example.org/a","content":"x"}"#, false);
    check("notes", r#"{"version":"1.5","content":"x"}"#, false);
}

#[test]
fn a3_what_reads_or_runs_does_not_write() {
    for tool in [
        "read_file",
        "search_files",
        "bash",
        "run_python",
        "execute_command",
        "pytest",
        "check_patch",
        "view",
        "get_or_create_file",
        "ask_user",
    ] {
        check(tool, r#"{"path":"a.py","content":"several\nlines"}"#, false);
    }
    check("str_replace_editor", r#"{"command":"view","path":"a.py"}"#, false);
    check("file", r#"{"action":"read","path":"a.py","text":"x"}"#, false);
    // What is run is no name of an operation.
    check("editor", r#"{"command":"remove the old lines","path":"a.py"}"#, false);
    check("editor", r#"{"command":"remove","path":"a.py"}"#, true);
    check("container", r#"{"cmd":"cat > a.py <<EOF\nx\nEOF","cwd":"/app/src"}"#, false);
}

#[test]
fn a3_what_the_result_says_is_evidence_beside_a_place() {
    let place = call("filesystem", r#"{"path":"a.py"}"#, &Offer::default());
    for said in ["error: write of a.py was rolled back", "Schreiben nicht möglich", "写入失败"] {
        assert!(place.seems_to_write(said), "{said}");
    }
    assert!(!place.seems_to_write("no such file"));
    assert!(!call("filesystem", "{}", &Offer::default()).seems_to_write("write failed"));
}

#[test]
fn a3_the_schema_says_what_the_arguments_leave_out() {
    let schema = r#"{"type":"object","properties":{"path":{},"content":{}}}"#;
    let offer = |tool: Tool| Offer::new([tool.parameters(schema)]);
    let seems = |offer: &Offer| call("notebook", "{}", offer).seems_to_write("no");
    assert!(seems(&offer(Tool::new("notebook"))));
    assert!(!seems(&Offer::new([Tool::new("notebook")])));
    assert!(!seems(&offer(Tool::new("notebook").purpose(Purpose::Shell))));
}

#[test]
fn a_tool_that_is_not_on_offer_does_nothing() {
    let offer = Offer::new([Tool::new("look")]);
    assert!(!call("write_file", r#"{"path":"a","content":"x"}"#, &offer).seems_to_write("no"));
}

#[test]
fn a_declared_effect_is_never_guessed() {
    for effect in [Effect::ReadOnly, Effect::IdempotentWrite, Effect::Write, Effect::External] {
        let offer = Offer::new([Tool::new("write_file").effect(effect)]);
        assert!(
            !call("write_file", r#"{"path":"a","content":"x"}"#, &offer).seems_to_write("no"),
            "{effect:?}"
        );
    }
}
