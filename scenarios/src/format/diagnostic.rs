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
        let mut primary = self.place.snippet().annotation(
            AnnotationKind::Primary.span(self.place.span.clone()).label(self.place.label.as_str()),
        );
        let mut elsewhere = None;
        if let Some(place) = &self.related {
            let annotation = AnnotationKind::Context.span(place.span.clone()).label(place.label.as_str());
            if place.origin == self.place.origin && place.text == self.place.text {
                primary = primary.annotation(annotation);
            } else {
                elsewhere = Some(place.snippet().annotation(annotation));
            }
        }
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(self.message.as_str()).element(primary);
        if let Some(snippet) = elsewhere {
            group = group.element(snippet);
        }
        group = group.elements(self.help.iter().map(|line| Level::HELP.message(line.as_str())));
        renderer.render(&[group])
    }
}

impl Place {
    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        Snippet::source(self.text.as_ref()).path(self.origin.as_ref())
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
        debug_assert!(!found.is_empty(), "an error must say what is wrong");
        Self { found: in_order(found) }
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

/// In the order of the file, the command line first, without duplicates.
pub(super) fn in_order(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.sort_by(|a, b| {
        let key = |it: &Diagnostic| (it.place.origin.clone(), it.place.span.start, it.place.span.end);
        key(a).cmp(&key(b))
    });
    found.dedup_by(|a, b| a.message == b.message && a.place == b.place);
    found
}

impl Display for Diagnostics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Error for Diagnostics {}
