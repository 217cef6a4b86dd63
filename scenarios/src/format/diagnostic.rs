//! What is wrong with a file, or doubtful, shown in the style of rustc.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
        let lines = self.place.lines(beside);
        let mut primary = self.place.snippet(&lines, AnnotationKind::Primary);
        if let Some(place) = beside {
            primary = primary.annotation(place.annotation(&lines, AnnotationKind::Context));
        }
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(self.message.as_str()).element(primary);
        if let Some(place) = elsewhere {
            group = group.element(place.snippet(&place.lines(None), AnnotationKind::Context));
        }
        group = group.elements(self.help.iter().map(|line| Level::HELP.message(line.as_str())));
        renderer.render(&[group])
    }
}

impl Place {
    /// Whether both are in the same text.
    fn is_beside(&self, other: &Self) -> bool {
        self.origin == other.origin && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }

    /// The bytes of the lines that show this place, and the other one in the same text. A file may be long, and many
    /// of its places may be shown.
    fn lines(&self, beside: Option<&Self>) -> Range<usize> {
        let other = beside.map_or(&self.span, |it| &it.span);
        let (first, last) = (self.span.start.min(other.start), self.span.end.max(other.end));
        // The end of a text is shown behind its last line.
        let first = if first == self.text.len() { first.saturating_sub(1) } else { first };
        let first = self.text.floor_char_boundary(first);
        let start = self.text[..first].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[last..].find('\n').map_or(self.text.len(), |at| last + at + 1);
        start..end
    }

    fn snippet(
        &self,
        lines: &Range<usize>,
        kind: AnnotationKind,
    ) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let before = self.text[..lines.start].matches('\n').count();
        Snippet::source(&self.text[lines.clone()])
            .path(self.origin.as_ref())
            .line_start(1 + before)
            .annotation(self.annotation(lines, kind))
    }

    fn annotation(&self, lines: &Range<usize>, kind: AnnotationKind) -> annotate_snippets::Annotation<'_> {
        let span = self.span.start - lines.start..self.span.end - lines.start;
        kind.span(span).label(self.label.as_str())
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
        Diagnostic { severity, message, place, related: None, help }
    }));
    found
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Error for Diagnostics {}
