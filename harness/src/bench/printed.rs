//! What tools print, to measure guards on texts as they meet them: builds, tests, listings, searches, logs. The texts
//! are our own, in the forms of common tools; they have numbers, times and names as real ones do.

use std::fmt::Write;

/// Lines of one tool before the next one prints.
const LINES: usize = 12;

/// The end of a failure: what the last lines of a tool say when it fails, each time in another way.
const FAILURES: [&str; 8] = [
    "error[E0425]: cannot find value `page_@` in this scope\n --> src/store.rs:@:17\nexit code 101\n",
    "tests/test_store.py:@: AssertionError: expected @ rows\n1 failed, @ passed in 0.42s\nexit code 1\n",
    "npm ERR! missing script: build-@\nnpm ERR! A complete log of this run can be found in: /tmp/x.log\nexit code 1\n",
    "fatal: path 'src/page_@.rs' exists on disk, but not in 'main'\nexit code 128\n",
    "ls: cannot access 'build/out_@': No such file or directory\nexit code 2\n",
    "src/page.c:@:9: error: too few arguments to function 'page_open'\nmake: *** [Makefile:@: page.o] Error 1\n",
    "Traceback (most recent call last):\n  File \"run.py\", line @, in <module>\nKeyError: 'page_@'\nexit code 1\n",
    "src/view.ts(@,5): error TS2322: Type 'string' is not assignable to type 'number'.\nexit code 2\n",
];

/// Nearly `bytes` of what tools print that work, different for each `nth`.
pub(super) fn printed(nth: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 160);
    let mut line = 0;
    while text.len() < bytes {
        print_line(&mut text, nth + line / LINES, nth * 31 + line);
        line += 1;
    }
    text.truncate(bytes);
    text
}

/// The same of a tool that fails in the end.
pub(super) fn failed(nth: usize, bytes: usize) -> String {
    let end = FAILURES[nth % FAILURES.len()].replace('@', &(100 + nth).to_string());
    printed(nth, bytes.saturating_sub(end.len() + 1)) + "\n" + &end
}

fn print_line(text: &mut String, tool: usize, n: usize) {
    let (day, hour, minute, second) = (n % 28 + 1, n % 24, n % 60, n * 7 % 60);
    let mixed = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match tool % 9 {
        0 => {
            writeln!(text, "-rw-r--r--  1 dev dev {:7} Mar {day:2} {hour:02}:{minute:02} page_{n}.rs", n * 97)
        }
        1 => writeln!(text, "test store::tests::a_page_is_read_again_{n} ... ok"),
        2 => writeln!(text, "src/store/page_{}.rs:{}:    let page = self.pages.get({n})?;", n % 40, n + 12),
        3 => writeln!(
            text,
            "2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z INFO http: GET /items/{n} 200 {}ms",
            n % 1_000,
            n % 90
        ),
        4 => writeln!(text, "tests/test_store.py::test_page_{n} PASSED                  [ {:2}%]", n % 100),
        5 => writeln!(text, "{:07x} Keep the page that was read last (#{n})", mixed >> 36),
        6 => writeln!(text, "{n:6}\t    let total = pages.iter().map(|page| page.len() * {}).sum();", n % 9),
        7 => writeln!(text, "   Compiling page-store-{} v1.{}.{}", n % 50, n % 30, n % 7),
        _ => writeln!(
            text,
            "The store keeps each page until no reader needs it. A page that was changed is written"
        ),
    }
    .expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use balk_guards::reading::Reading;

    use super::*;

    #[test]
    fn what_fails_reads_as_a_failure_and_what_works_does_not() {
        for nth in 0..128 {
            for bytes in [200, 2_048] {
                assert!(!Reading::of(&printed(nth, bytes)).failed, "{}", printed(nth, bytes));
                assert!(Reading::of(&failed(nth, bytes)).failed, "{}", failed(nth, bytes));
            }
        }
    }
}
