//! Nothing of content reaches a terminal or a log raw: not from a scenario, a file's name, a table of tools, settings
//! or a recorded run. `vt100` shows the output as a terminal would.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use vt100::{Callbacks, Parser, Screen};

use crate::common::program::{balk, ran};
use crate::common::terminal;

/// Sets the clipboard and the title, moves the cursor, hides and turns text, rings, and begins a workflow command.
const HOSTILE: &str =
    "\u{1b}]52;c;eA==\u{7}\u{1b}]2;title\u{7}\u{1b}[2J\u{1b}[8mhidden\u{9b}3J\u{202e}turned\u{7}\r::x";

/// Everything that a terminal was asked to do but to show text in colours.
#[derive(Default)]
struct Asked(Vec<&'static str>);

impl Callbacks for Asked {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.0.push("bell");
    }
    fn resize(&mut self, _: &mut Screen, _: (u16, u16)) {
        self.0.push("resize");
    }
    fn set_window_icon_name(&mut self, _: &mut Screen, _: &[u8]) {
        self.0.push("icon");
    }
    fn set_window_title(&mut self, _: &mut Screen, _: &[u8]) {
        self.0.push("title");
    }
    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], _: &[u8]) {
        self.0.push("clipboard");
    }
    fn unhandled_control(&mut self, _: &mut Screen, _: u8) {
        self.0.push("control");
    }
    fn unhandled_escape(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, _: u8) {
        self.0.push("escape");
    }
    fn unhandled_csi(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, _: &[&[u16]], _: char) {
        self.0.push("sequence");
    }
    fn unhandled_osc(&mut self, _: &mut Screen, _: &[&[u8]]) {
        self.0.push("command");
    }
}

/// A folder with a scenario, and names and settings that are hostile.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let quoted = serde_json::to_string(HOSTILE).expect("a text");
    // TOML and JSON escape the same way; what JSON leaves, TOML does not allow.
    let quoted = quoted.replace('\u{9b}', "\\u009b");
    let plain = include_str!("serve/plain.toml");
    let scenario = plain
        .replace("title = \"Made up for tests\"", &format!("title = {quoted}"))
        .replace("any = [\"I look", &format!("any = [{quoted}, \"I look"))
        .replace("[\"Write notes.txt.\"]", &format!("[{quoted}]"));
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it is written");
    write("hostile.toml", &scenario);
    write("bad.toml", &scenario.replace("format = 2", &format!("format = 2\n{quoted} = {quoted}")));
    write("config.toml", &format!("[{quoted}]\na = 1\n"));
    write("tools.toml", &format!("x = {quoted}\n"));
    let call = serde_json::json!({"messages": [
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": HOSTILE, "arguments": HOSTILE}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": HOSTILE},
    ]});
    write("log.jsonl", &format!("{call}\n{call}\n"));
    folder
}

const COMMANDS: [&[&str]; 10] = [
    &["scenario", "hostile.toml"],
    &["scenario", "hostile.toml", "--seeds", "0-3"],
    &["check", "hostile.toml"],
    &["check", "bad.toml"],
    &["check", HOSTILE],
    &["scenario", HOSTILE],
    &["scenario", "hostile.toml", "--guard", HOSTILE],
    &["scenario", "hostile.toml", "--config", "config.toml"],
    &["replay", "log.jsonl", "--tools", "tools.toml"],
    &["replay", "log.jsonl"],
];

fn shown(folder: &Path, arguments: &[&str]) -> String {
    terminal::shown(|program| {
        let output = || Stdio::from(program.try_clone().expect("it can be shared"));
        let mut balk = balk(folder, arguments);
        balk.env("TERM", "xterm").stdout(output()).stderr(output());
        balk.status().expect("the program starts");
    })
}

#[test]
fn a_terminal_is_asked_for_nothing_but_text_in_colours() {
    let folder = folder();
    for arguments in COMMANDS {
        let shown = shown(folder.path(), arguments);
        assert!(!shown.is_empty(), "{arguments:?}");
        let mut screen = Parser::new_with_callbacks(200, 200, 0, Asked::default());
        screen.process(shown.as_bytes());
        assert_eq!(screen.callbacks().0, Vec::<&str>::new(), "{arguments:?}: {shown:?}");
        let text = screen.screen().contents();
        assert!(!text.contains('\u{202e}') && !text.contains("hidden\u{9b}"), "{arguments:?}: {text}");
        assert!(!shown.contains("\u{1b}[8m") && !shown.contains("\u{1b}[2J"), "{arguments:?}: {shown:?}");
    }
}

#[test]
fn a_log_has_no_control_characters_and_no_workflow_command() {
    let folder = folder();
    for arguments in COMMANDS {
        let (_, out, err) = ran(&mut balk(folder.path(), arguments));
        for text in [out, err] {
            let acts = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
            assert!(!text.contains(acts), "{arguments:?}: {text:?}");
            assert!(!text.lines().any(|it| it.trim_start().starts_with("::")), "{arguments:?}: {text}");
        }
    }
}
