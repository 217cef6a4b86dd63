//! Where a program in Python failed.

use memchr::{memchr, memchr_iter};
use xxhash_rust::xxh3::xxh3_64;

use crate::search::find;

/// Bytes at the end of an answer in which the place is looked for: a traceback ends with it.
const TAIL: usize = 2_000;
/// How a frame of a traceback begins.
const FRAME: &[u8] = b"File \"";

/// The file and the function of the last frame of a traceback, as a digest; zero without one. An error that has moved
/// on to the next class of a file is another one, though its last line is the same. The number of the line is left out,
/// because any edit above it changes it.
pub(super) fn place(answer: &str) -> u16 {
    let answer = answer.as_bytes();
    let tail = &answer[answer.len().saturating_sub(TAIL)..];
    let is_first = |at: &usize| {
        tail[..*at].iter().rev().take_while(|byte| **byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    };
    let mut frames = memchr_iter(FRAME[0], tail).filter(|at| tail[*at..].starts_with(FRAME));
    let Some(start) = frames.rfind(is_first) else { return 0 };
    let frame = &tail[start..];
    let frame = &frame[..memchr(b'\n', frame).unwrap_or(frame.len())];
    let Some(line) = find(frame, b"\", line ") else { return 0 };
    let function = find(&frame[line..], b", in ").map_or(&[][..], |at| &frame[line + at..]);
    let hash = xxh3_64(&frame[..line]) ^ xxh3_64(function.trim_ascii_end()).rotate_left(32);
    (hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_a_function_and_no_line() {
        let of = |file: &str, line: u32, function: &str| {
            place(&format!(
                "Traceback (most recent call last):\n  File \"run.py\", line 1, in main\n    f()\n  File \"{file}\", \
                 line {line}, in {function}\n    @shown(\nTypeError: shown() takes no `name`\n"
            ))
        };
        let first = of("a.py", 12, "Mask");
        assert_ne!(first, 0);
        assert_eq!(first, of("a.py", 40, "Mask"));
        assert_ne!(first, of("a.py", 12, "Choice"));
        assert_ne!(first, of("b.py", 12, "Mask"));
        let syntax = |file: &str| {
            place(&format!("  File \"{file}\", line 3\n    x = = 1\nSyntaxError: invalid syntax"))
        };
        assert_ne!(syntax("a.py"), syntax("b.py"));
        for other in
            ["", "error: no such table", "see File \"a.py\", line 3, in f", "  File \"a.py", "File \"a\", 3"]
        {
            assert_eq!(place(other), 0, "{other}");
        }
    }
}
