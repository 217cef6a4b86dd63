//! Collects what is wrong while a file is converted, and which of its names are used.
//!
//! A failed check is reported, and a harmless value takes the place of the bad one, so that the rest of the file is
//! checked too. The converted value is returned only if nothing was reported.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use xxhash_rust::xxh3::xxh3_128;

use super::diagnostic::{Diagnostic, Diagnostics, More, Place, Severity, in_order};
use super::lengths::Sums;
use super::source::Source;
use super::used::Used;
use crate::nearest::nearest;

/// How many names a help line lists before it says how many more there are.
const LISTED: usize = 12;
/// How many diagnostics are kept before it is only counted how many more there are.
const KEPT: usize = 50;

/// The diagnostics so far.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    source: &'a Source,
    found: Vec<Diagnostic>,
    /// Digests of all that was reported. A phrase that is said twice is wrong once.
    seen: BTreeSet<u128>,
    /// Those that are not kept.
    more: Option<More>,
    /// How long the texts become.
    pub(super) sums: Sums,
    /// The names that the file refers to.
    pub(super) used: Used,
}

impl<'a> Report<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        Self {
            source,
            found: Vec::new(),
            seen: BTreeSet::new(),
            more: None,
            sums: Sums::default(),
            used: Used::default(),
        }
    }

    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }

    /// The first line of a table's span, which names the table.
    pub(crate) fn header(&self, span: Range<usize>) -> Range<usize> {
        head(self.source.text(), span)
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// `value`, if nothing was reported.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.found.is_empty() { Ok(value) } else { Err(Diagnostics::of(self.found, self.more)) }
    }

    /// All that was reported, in the order of the file.
    pub(crate) fn into_found(self) -> Vec<Diagnostic> {
        in_order(self.found, self.more)
    }

    /// Reports an error. Help and a related place can be added to the result.
    pub(crate) fn error(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported<'_> {
        let place = self.source.place(span, label);
        self.add(Severity::Error, message.into(), place)
    }

    /// Reports a warning about a file without errors.
    pub(crate) fn warning(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported<'_> {
        let place = self.source.place(span, label);
        self.add(Severity::Warning, message.into(), place)
    }

    /// Reports a warning that is shown however many there are.
    pub(crate) fn warning_of_all(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Reported<'_> {
        let (severity, message, place) = (Severity::Warning, message.into(), self.source.place(span, label));
        self.found.push(Diagnostic { severity, message, place, related: None, help: Vec::new(), count: 1 });
        Reported { source: self.source, diagnostic: self.found.last_mut() }
    }

    fn add(&mut self, severity: Severity, message: String, place: Place) -> Reported<'_> {
        let text = place.text.as_ptr().addr();
        let whole = format!("{message}\0{}\0{}\0{text}\0{:?}", place.label, place.origin, place.span);
        let is_new = self.seen.insert(xxh3_128(whole.as_bytes()));
        let is_kept = is_new && self.found.len() < KEPT;
        if is_kept {
            self.found.push(Diagnostic {
                severity,
                message,
                place,
                related: None,
                help: Vec::new(),
                count: 1,
            });
        } else if is_new {
            self.more.get_or_insert(More { severity, first: place, count: 0 }).count += 1;
        }
        let diagnostic = if is_kept { self.found.last_mut() } else { None };
        Reported { source: self.source, diagnostic }
    }

    /// The index of a name among those known; unknown names are reported with the nearest one.
    pub(crate) fn index_of<'k>(
        &mut self,
        what: &str,
        wanted: &Spanned<String>,
        known: impl IntoIterator<Item = &'k str> + Clone,
    ) -> Option<usize> {
        let found = known.clone().into_iter().position(|name| name == wanted.get_ref());
        self.found_at(what, wanted, found, known)
    }

    /// The index at which a name was found. If it was not, it is reported with the nearest one of those known.
    pub(crate) fn found_at<'k>(
        &mut self,
        what: &str,
        wanted: &Spanned<String>,
        found: Option<usize>,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<usize> {
        if found.is_none() {
            let (name, span) = (wanted.get_ref(), wanted.span());
            self.error(span, format!("unknown {what} `{name}`"), format!("no {what} has this name"))
                .help_with(|| nearest_or_all(what, name, &known.into_iter().collect::<Vec<_>>()));
        }
        found
    }

    /// The value of a keyword. An unknown one is reported, and the first value takes its place.
    pub(crate) fn one_of<T: Copy>(&mut self, what: &str, word: &Spanned<String>, known: &[(&str, T)]) -> T {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        if let Some((_, value)) = known.iter().find(|(name, _)| name == word.get_ref()) {
            return *value;
        }
        let got = word.get_ref();
        let expected = format!("expected {}", listed(&names, "or"));
        self.error(word.span(), format!("unknown {what} `{got}`"), expected)
            .help_if(|| did_you_mean(got, &names));
        known[0].1
    }
}

/// A diagnostic that was just reported. Without one, it was reported before, or is only counted.
#[derive(Debug)]
pub(crate) struct Reported<'a> {
    source: &'a Source,
    diagnostic: Option<&'a mut Diagnostic>,
}

impl Reported<'_> {
    pub(crate) fn help(self, line: impl Into<String>) -> Self {
        self.help_with(|| line.into())
    }

    /// Help that takes work to find.
    pub(crate) fn help_with(self, line: impl FnOnce() -> String) -> Self {
        self.help_if(|| Some(line()))
    }

    pub(crate) fn help_if(mut self, line: impl FnOnce() -> Option<String>) -> Self {
        if let Some(it) = &mut self.diagnostic {
            it.help.extend(line());
        }
        self
    }

    pub(crate) fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        if let Some(it) = &mut self.diagnostic {
            it.related = Some(self.source.place(span, label));
        }
        self
    }
}

/// The first line of a table's span, which names the table.
pub(crate) fn head(text: &str, span: Range<usize>) -> Range<usize> {
    let line = text.get(span.clone()).and_then(|part| part.lines().next()).unwrap_or_default();
    span.start..span.start + line.len()
}

/// "did you mean …?", if a known name is near.
pub(crate) fn did_you_mean(got: &str, known: &[&str]) -> Option<String> {
    nearest(got, known.iter().copied()).map(|name| format!("did you mean `{name}`?"))
}

/// "did you mean …?", or else all known names.
pub(crate) fn nearest_or_all(what: &str, got: &str, known: &[&str]) -> String {
    did_you_mean(got, known).unwrap_or_else(|| match known {
        [] => format!("this file has no {what}"),
        [only] => format!("the only {what} is `{only}`"),
        _ => format!("known: {}", listed(known, "and")),
    })
}

/// "`a`, `b` or `c`".
pub(crate) fn listed(names: &[&str], last: &str) -> String {
    let quoted: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        return format!("{} {last} {} more", quoted.join(", "), names.len() - LISTED);
    }
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}
