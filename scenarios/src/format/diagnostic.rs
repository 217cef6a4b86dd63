//! What is wrong with a file, or doubtful, shown in the style of rustc.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};

use super::excerpt::{self, Excerpt};

/// The origin of a setting of the command line.
pub(super) const COMMAND_LINE: &str = "command line";

/// The part of a text to which a diagnostic points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name, or `command line`.
    pub origin: Arc<str>,
    /// The whole text of the file, or the argument.
    pub text: Arc<str>,
    /// The bytes of that part.
    pub span: Range<usize>,
    /// What is said about them.
    pub label: String,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but a part of it has no effect, or another one than it seems.
    Warning,
}

/// One thing that is wrong with a file, or doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// Where, with what was expected.
    pub place: Place,
    /// Another place that explains the first.
    pub related: Option<Place>,
    /// What to do about it, one line each.
    pub help: Vec<String>,
    /// How many it tells of: 1, or as many as are not shown.
    pub count: usize,
}

impl Diagnostic {
    /// The text that a person reads, without a newline at its end; with terminal colours where asked for.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let (beside, elsewhere) = match &self.related {
            Some(place) if place.is_beside(&self.place) => (Some(place), None),
            other => (None, other.as_ref()),
        };
        let text = &self.place.text;
        let both = beside.and_then(|it| Excerpt::of_both(text, &self.place.span, &it.span));
        let elsewhere = elsewhere.or(beside.filter(|_| both.is_none()));
        let (excerpt, beside) = match both {
            Some(both) => (both, beside),
            None => (Excerpt::of(text, &self.place.span), None),
        };
        let mut primary = self.place.snippet(&excerpt, AnnotationKind::Primary);
        if let Some(place) = beside {
            primary = primary.annotation(place.annotation(&excerpt, AnnotationKind::Context));
        }
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(self.message.as_str()).element(primary);
        let mut cut = vec![excerpt.cut];
        if let Some(place) = elsewhere {
            let excerpt = Excerpt::of(&place.text, &place.span);
            group = group.element(place.snippet(&excerpt, AnnotationKind::Context));
            cut.push(excerpt.cut);
        }
        group = group.elements(self.help.iter().map(|line| Level::HELP.message(line.as_str())));
        excerpt::with_columns(renderer.render(&[group]), &cut)
    }
}

impl Place {
    /// Whether both are in the same text.
    fn is_beside(&self, other: &Self) -> bool {
        self.origin == other.origin && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }

    fn snippet(&self, excerpt: &Excerpt, kind: AnnotationKind) -> Snippet<'_, Annotation<'_>> {
        Snippet::source(&self.text[excerpt.bytes()])
            .path(self.origin.as_ref())
            .line_start(excerpt.line())
            .annotation(self.annotation(excerpt, kind))
    }

    fn annotation(&self, excerpt: &Excerpt, kind: AnnotationKind) -> Annotation<'_> {
        kind.span(excerpt.inside(&self.span)).label(self.label.as_str())
    }
}

/// Everything that is wrong with a file, in the order of the file; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl Diagnostics {
    /// In the order of the file, the command line first, without duplicates.
    pub(super) fn new(found: Vec<Diagnostic>) -> Self {
        Self::of(found, None)
    }

    /// The same, with how many more there are.
    pub(super) fn of(found: Vec<Diagnostic>, more: Option<More>) -> Self {
        debug_assert!(!found.is_empty(), "an error must say what is wrong");
        Self { found: in_order(found, more) }
    }

    /// The single diagnostics.
    #[must_use]
    pub fn all(&self) -> &[Diagnostic] {
        &self.found
    }

    /// Whether all of them are about settings of the command line, and none about the file.
    #[must_use]
    pub fn are_of_settings(&self) -> bool {
        self.found.iter().all(|it| &*it.place.origin == COMMAND_LINE)
    }

    /// The text that a person reads, ended by a newline; with terminal colours where asked for.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let mut text = String::new();
        for diagnostic in &self.found {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&diagnostic.render(colour));
            text.push('\n');
        }
        text
    }
}

/// Those that are counted, and not kept.
#[derive(Debug)]
pub(super) struct More {
    pub(super) severity: Severity,
    /// The place of the first of them.
    pub(super) first: Place,
    pub(super) count: usize,
}

/// In the order of the file, the command line first, without duplicates; how many more there are comes last.
pub(super) fn in_order(mut found: Vec<Diagnostic>, more: Option<More>) -> Vec<Diagnostic> {
    found.sort_by(|a, b| {
        let key = |it: &Diagnostic| (it.place.origin.clone(), it.place.span.start, it.place.span.end);
        key(a).cmp(&key(b))
    });
    found.dedup_by(|a, b| {
        let (one, other) = (&a.place, &b.place);
        let is_equal = a.message == b.message && one.span == other.span && one.label == other.label;
        is_equal && one.is_beside(other)
    });
    found.extend(more.map(|More { severity, first, count }| {
        let what = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let message = match count {
            1 => format!("1 more {what} is not shown"),
            _ => format!("{count} more {what}s are not shown"),
        };
        let place = Place { label: "the first of them is here".to_owned(), ..first };
        let help = vec!["correct those above, then check the file again".to_owned()];
        Diagnostic { severity, message, place, related: None, help, count }
    }));
    found
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place in a line that is much longer than what is shown of it, in the second line of a text.
    fn place(at: usize, length: usize) -> Place {
        let text = format!(
            "first\n{}{}{}\nlast\n",
            "é ".repeat(500_000),
            "BAD".repeat(length),
            "x ".repeat(500_000)
        );
        let start = "first\n".len() + at;
        Place {
            origin: "x.toml".into(),
            text: text.into(),
            span: start..start + 3 * length,
            label: "here".into(),
        }
    }

    fn shown(place: Place, related: Option<Place>, colour: bool) -> String {
        let message = "bad --> x.toml:2:7".to_owned();
        let severity = Severity::Error;
        Diagnostic { severity, message, place, related, help: vec!["help".into()], count: 1 }.render(colour)
    }

    #[test]
    fn little_of_a_long_line_is_shown_with_its_column() {
        let bad = place(1_500_000, 1);
        assert!(Excerpt::of(&bad.text, &bad.span).bytes().len() < 4_000, "much is shown");
        for colour in [false, true] {
            let text = shown(bad.clone(), None, colour);
            assert!(text.contains("x.toml:2:1000001"), "{text}");
            assert!(text.contains("BAD") && text.contains("here") && text.contains("help"), "{text}");
            assert!(text.len() < 2_000, "{}", text.len());
        }
    }

    #[test]
    fn a_long_place_is_shown_where_it_begins() {
        let bad = place(1_500_000, 500_000);
        assert!(Excerpt::of(&bad.text, &bad.span).bytes().len() < 4_000, "much is shown");
        let text = shown(bad, None, false);
        assert!(text.contains("x.toml:2:1000001") && text.contains("BAD"), "{text}");
    }

    #[test]
    fn a_related_place_far_away_is_shown_by_itself() {
        let bad = place(1_500_000, 1);
        let related = Place { span: 0..5, label: "there".into(), ..bad.clone() };
        let text = shown(bad.clone(), Some(related), false);
        assert!(text.contains("x.toml:2:1000001") && text.contains("x.toml:1:1"), "{text}");
        let related = Place { span: bad.span.start - 900_000..bad.span.start - 899_998, ..bad.clone() };
        let text = shown(bad, Some(related), false);
        assert!(text.contains("x.toml:2:1000001") && text.contains("x.toml:2:400001"), "{text}");
    }
}
