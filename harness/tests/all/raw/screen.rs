//! What a terminal is asked for, by `vt100`.

use balk_reports::report::document::sign;
use vt100::{Callbacks, Parser, Screen};

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

/// What is wrong with what a terminal was sent; `None` if nothing is.
pub(super) fn wrong(sent: &str) -> Option<String> {
    let mut screen = Parser::new_with_callbacks(200, 200, 0, Asked::default());
    screen.process(sent.as_bytes());
    if !screen.callbacks().0.is_empty() {
        return Some(format!("the terminal was asked for {:?}", screen.callbacks().0));
    }
    // A line ends with both, and a progress bar goes to another line and clears it.
    let text =
        ["\u{1b}[2K", "\u{1b}[1A", "\u{1b}[1B"].iter().fold(sent.to_owned(), |text, it| text.replace(it, ""));
    let mut rest = text.replace('\r', "");
    while let Some((before, colour)) = rest.split_once("\u{1b}[") {
        let Some((codes, behind)) = colour.split_once('m') else { break };
        if codes == "8" || !codes.chars().all(|it| it.is_ascii_digit() || it == ';') {
            break;
        }
        rest = format!("{before}{behind}");
    }
    let raw = rest.chars().find(|it| sign(*it).is_some()).map(|it| format!("the character {it:?} is raw"));
    raw.or_else(|| sent.contains("\r::").then(|| "a line is begun anew".to_owned()))
}
