//! The tool table: what the tools of a recorded agent can change, by name or pattern.
//!
//! ```toml
//! read_file = "read-only"
//! "browser_*" = "external"
//! bash = { effect = "unknown", purpose = "shell" }
//! ```
//!
//! Keys are the names in the recording. `*` matches any characters and `?` matches one. A full name wins over every
//! pattern; among patterns the one with the most literal characters wins, then the first in sorted order.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use balk_guards::{Effect, Purpose};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

/// What the tools of a recorded agent can change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolTable {
    names: BTreeMap<String, Declared>,
    /// The strongest first.
    patterns: Vec<(String, Declared)>,
}

/// The declaration of a tool; empty by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// What a call can change.
    pub effect: Effect,
    /// What the tool is for.
    pub purpose: Purpose,
}

impl ToolTable {
    /// Reads the table.
    ///
    /// # Errors
    /// An invalid table; the error shows the line.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let all: BTreeMap<String, Row> = toml::from_str(text)?;
        let (patterns, names): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(|(name, Row(declared))| (name, declared))
            .partition(|(name, _)| name.contains(['*', '?']));
        let mut table = Self { names: names.into_iter().collect(), patterns };
        // The sort is stable and the map was ordered, so ties are in sorted order.
        table.patterns.sort_by_key(|(pattern, _)| Reverse(own_chars(pattern)));
        Ok(table)
    }

    /// The declaration of this tool.
    #[must_use]
    pub fn declared(&self, tool: &str) -> Declared {
        self.get(tool).unwrap_or_default()
    }

    /// The declaration of this tool, if there is one.
    #[must_use]
    pub fn get(&self, tool: &str) -> Option<Declared> {
        let by_pattern = || self.patterns.iter().find(|(pattern, _)| matches(pattern, tool));
        self.names.get(tool).copied().or_else(|| by_pattern().map(|(_, it)| *it))
    }
}

fn own_chars(pattern: &str) -> usize {
    pattern.chars().filter(|c| !matches!(c, '*' | '?')).count()
}

/// Whether the whole text matches the pattern. The time is at most proportional to the product of the lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // Where to continue if the characters after the last `*` do not match: the `*` then matches one more.
    let mut back = None;
    loop {
        let before = text.clone();
        match (pattern.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                back = Some((pattern.clone(), before.clone()));
                text = before;
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(_) | None, _) => {
                let Some((after_star, from)) = &mut back else { return false };
                if from.next().is_none() {
                    return false;
                }
                pattern = after_star.clone();
                text = from.clone();
            }
        }
    }
}

/// A value of the table: the effect alone, or effect and purpose.
struct Row(Declared);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an effect as a string, or a table with `effect` and `purpose`")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Row, E> {
        let effect = Effect::deserialize(StrDeserializer::<E>::new(word))?;
        Ok(Row(Declared { effect, purpose: Purpose::Other }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Row, A::Error> {
        Declared::deserialize(MapAccessDeserializer::new(map)).map(Row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_match(pattern: &str, fits: &[&str], does_not: &[&str]) {
        for text in fits {
            assert!(matches(pattern, text), "`{pattern}` should fit `{text}`");
        }
        for text in does_not {
            assert!(!matches(pattern, text), "`{pattern}` should not fit `{text}`");
        }
    }

    #[test]
    fn patterns_fit_whole_names() {
        check_match("*", &["", "a", "é.ü"], &[]);
        check_match("get_*", &["get_", "get_user"], &["get", "forget_it"]);
        check_match("*_file*", &["read_file", "a_file_b_file"], &["file", "read_fil"]);
        check_match("a?c", &["abc", "aéc"], &["ac", "abbc"]);
        check_match("*ab*ab", &["abab", "xabyabzab"], &["ab", "aba"]);
        check_match("**", &["", "x"], &[]);
    }

    #[test]
    fn names_beat_patterns_and_longer_patterns_beat_shorter() {
        let table = ToolTable::parse(
            r#"
            "*" = "write"
            "get_*" = "read-only"
            "get_p?id" = "external"
            get_lock = { effect = "idempotent-write" }
            bash = { purpose = "shell" }
            "fs.read" = "read-only"
            "#,
        )
        .expect("the table is good");
        let effect = |name| table.declared(name).effect;
        assert_eq!(effect("anything"), Effect::Write);
        assert_eq!(effect("get_user"), Effect::ReadOnly);
        assert_eq!(effect("get_paid"), Effect::External);
        assert_eq!(effect("get_lock"), Effect::IdempotentWrite);
        assert_eq!(effect("fs.read"), Effect::ReadOnly);
        assert_eq!(table.declared("bash"), Declared { effect: Effect::Unknown, purpose: Purpose::Shell });
        assert_eq!(ToolTable::default().declared("get_user"), Declared::default());
    }

    #[track_caller]
    fn check_bad(text: &str, expected: &str) {
        assert_eq!(ToolTable::parse(text).expect_err("the table is bad").to_string().trim_end(), expected);
    }

    #[test]
    fn a_bad_table_is_shown() {
        check_bad(
            "ls = \"readonly\"\n",
            "TOML parse error at line 1, column 6\n  |\n1 | ls = \"readonly\"\n  |      ^^^^^^^^^^\nunknown \
             variant `readonly`, expected one of `read-only`, `idempotent-write`, `write`, `external`, \
             `unknown`",
        );
        check_bad(
            "ls = 3",
            "TOML parse error at line 1, column 6\n  |\n1 | ls = 3\n  |      ^\ninvalid type: integer `3`, \
             expected an effect as a string, or a table with `effect` and `purpose`",
        );
        check_bad(
            "fs.read = \"read-only\"",
            "TOML parse error at line 1, column 4\n  |\n1 | fs.read = \"read-only\"\n  |    ^^^^\nunknown \
             field `read`, expected `effect` or `purpose`",
        );
    }
}
