//! What is shown on a narrow terminal.

#![cfg(target_os = "linux")]

use std::path::Path;

use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::program::{balk, ran};
use crate::common::terminal::shown;

#[test]
fn help_fits_a_terminal_of_80_columns() {
    for command in ["bench", "audit", "replay", "scenario", "shrink", "hunt", "compare", "report"] {
        let shown = shown(|program| {
            let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
            tcsetwinsize(&program, size).expect("it is a terminal");
            let mut help = balk(Path::new("."), &[command, "--help"]);
            ran(help.env("NO_COLOR", "1").stdout(program));
        });
        assert!(shown.contains("Usage: balk"), "{shown}");
        let wide: Vec<&str> = shown.lines().filter(|line| line.trim_end().chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command}: {wide:#?}");
    }
}
