//! What is shown on a narrow terminal.

#![cfg(target_os = "linux")]

use std::io::Read;
use std::path::Path;
use std::thread;

use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::program::{balk, ran};
use crate::common::terminal::terminal;

#[test]
fn help_fits_a_terminal_of_80_columns() {
    for command in ["bench", "audit", "replay", "scenario", "shrink", "compare", "report"] {
        let (mut person, program) = terminal("");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&program, size).expect("it is a terminal");
        let reader = thread::spawn(move || {
            let mut seen = Vec::new();
            // When the last program at a terminal ends, reading on is an error.
            let _ = person.read_to_end(&mut seen);
            String::from_utf8_lossy(&seen).into_owned()
        });
        let mut help = balk(Path::new("."), &[command, "--help"]);
        ran(help.env("NO_COLOR", "1").stdout(program));
        drop(help);
        let shown = reader.join().expect("it reads to the end");
        assert!(shown.contains("Usage: balk"), "{shown}");
        let wide: Vec<&str> = shown.lines().filter(|line| line.trim_end().chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command}: {wide:#?}");
    }
}
