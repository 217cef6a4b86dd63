//! Sections of a report inside a file that people write: the text between two markers is replaced.
//!
//! `<!-- balk report NAME -->` opens, the next `<!-- end -->` closes, each on a line of its own. Every other byte
//! is kept. Inserted lines end as the marker's line ends, and none of them is a marker.

use std::borrow::Cow;
use std::fmt;

const OPEN: &str = "<!-- balk report ";
const CLOSE: &str = "<!-- end -->";

/// A bad marker, or no marker at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMarker {
    /// Its line, from 1; 0 if the file has no marker.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
    /// What was found there.
    pub found: String,
}

impl fmt::Display for BadMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}, found {}", self.line, self.expected, self.found)
    }
}

impl std::error::Error for BadMarker {}

/// The text with every section between its markers. `section` gives the text of a name, or else the known names.
///
/// # Errors
/// A marker without a known name or without an end, or no marker at all. Then nothing is replaced.
pub fn splice(text: &str, section: impl Fn(&str) -> Result<String, String>) -> Result<String, BadMarker> {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').zip(1..);
    let mut found = false;
    while let Some((line, number)) = lines.next() {
        out.push_str(line);
        let Some(rest) = line.trim().strip_prefix(OPEN.trim_end()) else { continue };
        let bad =
            |expected: String, found: &str| BadMarker { line: number, expected, found: found.to_owned() };
        let name = rest
            .strip_suffix("-->")
            .map(str::trim)
            .ok_or_else(|| bad(format!("{OPEN}NAME --> on one line"), line.trim()))?;
        let inside = section(name).map_err(|names| bad(format!("one of {names}"), name))?;
        let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        out.push_str(end);
        for line in inside.lines() {
            out.push_str(&no_marker(line));
            out.push_str(end);
        }
        out.push_str(end);
        let close =
            lines.by_ref().map(|(line, _)| line).take_while(|line| !opens(line)).find(|line| closes(line));
        out.push_str(close.ok_or_else(|| bad(format!("{CLOSE} before the next marker"), "none"))?);
        found = true;
    }
    if found {
        Ok(out)
    } else {
        let expected = format!("{OPEN}NAME --> and {CLOSE} on lines of their own");
        Err(BadMarker { line: 0, expected, found: "no marker".into() })
    }
}

fn opens(line: &str) -> bool {
    line.trim().starts_with(OPEN.trim_end())
}

fn closes(line: &str) -> bool {
    line.trim() == CLOSE
}

/// The line of a section, with a blank in what would be a marker: a command of many lines may have such a line.
fn no_marker(line: &str) -> Cow<'_, str> {
    if opens(line) || closes(line) { line.replacen("<!--", "<! --", 1).into() } else { line.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn section(name: &str) -> Result<String, String> {
        match name {
            "stacks" => Ok("| a |\n".into()),
            "command" => Ok("balk bench\n\nmore\n".into()),
            "hostile" => Ok("```\n  <!-- end -->\n# a\n<!-- balk report stacks -->\n```\n".into()),
            _ => Err("stacks, command".into()),
        }
    }

    #[test]
    fn text_between_markers_is_replaced() {
        let text = "# Mine\n<!-- balk report stacks -->\nold\n<!-- end -->\nafter\n<!-- end -->\n  \
                    <!-- balk report command -->\r\n<!-- end -->";
        let expected = "# Mine\n<!-- balk report stacks -->\n\n| a |\n\n<!-- end -->\nafter\n<!-- end -->\n  \
                        <!-- balk report command -->\r\n\r\nbalk bench\r\n\r\nmore\r\n\r\n<!-- end -->";
        assert_eq!(splice(text, section).as_deref(), Ok(expected));
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(splice(text, section).map_err(|it| it.to_string()), Err(expected.into()));
    }

    #[test]
    fn bad_markers_are_refused_with_their_line() {
        let close = "<!-- end -->";
        refused(
            &format!("a\n<!-- balk report stack -->\n{close}\n"),
            "line 2: expected one of stacks, command, found stack",
        );
        refused(
            "a\n\n<!-- balk report stacks -->\nold\n",
            "line 3: expected <!-- end --> before the next marker, found none",
        );
        refused(
            &format!("<!-- balk report stacks -->\n<!-- balk report command -->\n{close}\n"),
            "line 1: expected <!-- end --> before the next marker, found none",
        );
        refused(
            &format!("<!-- balk report stacks\n{close}\n"),
            "line 1: expected <!-- balk report NAME --> on one line, found <!-- balk report stacks",
        );
        refused(
            "`<!-- balk report stacks -->` is a marker\n",
            "line 0: expected <!-- balk report NAME --> and <!-- end --> on lines of their own, found no marker",
        );
    }

    proptest! {
        /// Between markers all is new, around them nothing; and doing it again changes nothing.
        #[test]
        fn other_bytes_stay_and_a_second_time_changes_nothing(
            parts in proptest::collection::vec("[a-z |\\r\\n<é-]{0,12}", 4),
            names in proptest::collection::vec(
                prop_oneof![Just("stacks"), Just("command"), Just("hostile")],
                3,
            ),
        ) {
            let mut text = parts[0].clone();
            let mut kept = vec![text.clone()];
            for (name, part) in names.iter().zip(&parts[1..]) {
                text.push_str(&format!("\n<!-- balk report {name} -->\nold\n<!-- end -->\n{part}"));
                kept.push(part.clone());
            }
            let once = splice(&text, section).expect("good markers");
            let again = splice(&once, section);
            prop_assert_eq!(again.as_deref(), Ok(&*once));
            let mut expected = parts[0].clone();
            for (name, part) in names.iter().zip(&parts[1..]) {
                let inside = section(name).expect("a known name").replace("<!--", "<! --");
                expected.push_str(&format!("\n<!-- balk report {name} -->\n\n{inside}\n<!-- end -->\n{part}"));
            }
            prop_assert_eq!(once, expected);
        }
    }
}
