//! Texts of an agent with holes: `{*}` is any text, `{says}` what its user or its tool said, `{json}` the same as a
//! JSON string, `{status}` a whole number. `{{` and `}}` are braces.

use std::borrow::Cow;

/// A text with holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Literals and holes in turn; holes have a literal on both sides, which is empty only at an end.
    first: String,
    rest: Vec<(Hole, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hole {
    Any,
    Says,
    Json,
    Status,
}

const HOLES: [(&str, Hole); 4] =
    [("*", Hole::Any), ("says", Hole::Says), ("json", Hole::Json), ("status", Hole::Status)];

/// What was found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inside<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) status: Option<i64>,
}

impl Pattern {
    /// Reads a pattern. The error says what is wrong, and what was expected.
    pub(super) fn read(text: &str) -> Result<Self, (String, &'static str)> {
        let (mut literals, mut holes) = (vec![String::new()], Vec::new());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            let literal = literals.last_mut().expect("it begins with one");
            literal.push_str(before);
            if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
                literal.push_str(&brace[..1]);
                rest = after;
                continue;
            }
            let hole = brace.strip_prefix('{').and_then(|it| it.split_once('}'));
            let Some((name, after)) = hole else {
                return Err(("a brace is alone".to_owned(), "write `{{` or `}}` for a brace"));
            };
            let Some((_, hole)) = HOLES.iter().find(|(it, _)| *it == name) else {
                return Err((
                    format!("unknown hole `{{{name}}}`"),
                    "expected `{*}`, `{says}`, `{json}` or `{status}`; a brace is `{{` or `}}`",
                ));
            };
            if !holes.is_empty() && literal.is_empty() {
                return Err(("two holes are side by side".to_owned(), "expected a text between them"));
            }
            holes.push(*hole);
            literals.push(String::new());
            rest = after;
        }
        literals.last_mut().expect("it begins with one").push_str(rest);
        let mut literals = literals.into_iter();
        let first = literals.next().unwrap_or_default();
        Ok(Self { first, rest: holes.into_iter().zip(literals).collect() })
    }

    /// All that was said, with nothing around it.
    pub(super) fn any() -> Self {
        Self { first: String::new(), rest: vec![(Hole::Says, String::new())] }
    }

    /// How many holes take what was said.
    pub(super) fn says(&self) -> usize {
        self.rest.iter().filter(|(hole, _)| matches!(hole, Hole::Says | Hole::Json)).count()
    }

    /// Whether it has holes of other kinds than `{*}`.
    pub(super) fn takes_more_than_any(&self) -> bool {
        self.rest.iter().any(|(hole, _)| *hole != Hole::Any)
    }

    /// Whether it has nothing but holes and blanks.
    pub(super) fn is_blank(&self) -> bool {
        self.first.trim().is_empty() && self.rest.iter().all(|(_, literal)| literal.trim().is_empty())
    }

    /// Whether a text has a place that is like this one.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.found_in(text).is_some()
    }

    /// Whether it begins and ends with a text.
    pub(super) fn is_closed(&self) -> bool {
        !self.first.is_empty() && self.rest.last().is_none_or(|(_, literal)| !literal.is_empty())
    }

    /// The text without every place that is like this one, with no blank lines where one was. `None` if there is none.
    pub(super) fn removed_from(&self, text: &str) -> Option<String> {
        let (mut left, mut rest) = (String::new(), text);
        while let Some((start, end)) = self.found_in(rest) {
            left.push_str(&rest[..start]);
            rest = &rest[end..];
        }
        if rest.len() == text.len() {
            return None;
        }
        left.push_str(rest);
        Some(left.trim().to_owned())
    }

    /// The first place in a text that is like this one.
    fn found_in(&self, text: &str) -> Option<(usize, usize)> {
        let start = text.find(&self.first)?;
        let mut end = start + self.first.len();
        for (_, literal) in &self.rest {
            end += text[end..].find(literal)? + literal.len();
        }
        Some((start, end))
    }

    /// What was said, if the whole text is like this one. What was said goes as far as it can, everything else is as
    /// short as it can be. Blanks at the end do not count.
    pub(super) fn inside<'t>(&self, text: &'t str) -> Option<Inside<'t>> {
        let ((_, end), between) = self.rest.split_last()?;
        let mut left = text.strip_prefix(self.first.as_str())?;
        if !end.is_empty() {
            left = left.trim_end().strip_suffix(end.trim_end())?;
        }
        let mut inside = Inside { text: Cow::Borrowed(""), status: None };
        let said = self.rest.iter().position(|(hole, _)| matches!(hole, Hole::Says | Hole::Json))?;
        for (hole, literal) in &between[..said] {
            let (found, after) = left.split_once(literal.as_str())?;
            inside.takes(*hole, found)?;
            left = after;
        }
        for at in (said + 1..self.rest.len()).rev() {
            let (before, found) = left.rsplit_once(self.rest[at - 1].1.as_str())?;
            inside.takes(self.rest[at].0, found)?;
            left = before;
        }
        inside.takes(self.rest[said].0, left)?;
        Some(inside)
    }
}

impl<'t> Inside<'t> {
    /// Takes what is in a hole. `None` if it cannot be there.
    fn takes(&mut self, hole: Hole, text: &'t str) -> Option<()> {
        match hole {
            Hole::Any => {}
            Hole::Status => self.status = Some(text.trim().parse().ok()?),
            Hole::Says => self.text = Cow::Borrowed(text),
            Hole::Json => self.text = serde_json::from_str::<String>(text.trim()).ok()?.into(),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(pattern: &str, text: &str) -> Option<(String, Option<i64>)> {
        let pattern = Pattern::read(pattern).expect("a good pattern");
        pattern.inside(text).map(|it| (it.text.into_owned(), it.status))
    }

    #[test]
    fn what_was_said_is_taken_out_of_what_is_around_it() {
        let said = |text: &str, status| Some((text.to_owned(), status));
        for (pattern, text, expected) in [
            ("<a>{says}</a>", "<a>x</a>\n", said("x", None)),
            ("<a>{says}</a>", "<a>x</a> y", None),
            ("code {status}, {*}:\n{says}", "code 2, 3 s:\n: a:\n", said(": a:\n", Some(2))),
            ("code {status}, {*}:\n{says}", "code two, 3 s:\n", None),
            ("code {status}:\n{says}", "code 0:\n", said("", Some(0))),
            ("Out: {says}\nCode: {status}\nEnd", "Out: Code: 1\nCode: 2\nEnd", said("Code: 1", Some(2))),
            ("{{\"out\": {json}}}", "{\"out\": \"a\\n\\\"b\\\"\"}", said("a\n\"b\"", None)),
            ("{{\"out\": {json}}}", "{\"out\": 3}", None),
            ("{says}", "all", said("all", None)),
            ("none", "none", None),
        ] {
            assert_eq!(inside(pattern, text), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn what_was_added_is_removed_wherever_it_is() {
        let removed =
            |pattern: &str, text: &str| Pattern::read(pattern).expect("a good pattern").removed_from(text);
        assert_eq!(removed("<a>{*}</a>", "<a>1</a>\n\nx <a>2\n</a> y\n"), Some("x  y".to_owned()));
        assert_eq!(removed("<a>{*}</a>", "<a>1"), None);
        assert_eq!(removed("<a>{*}</a>", "x"), None);
    }
}
