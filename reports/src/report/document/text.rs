//! Text with emphasis and code.

use std::ops::Add;

/// A span of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Plain words.
    Plain(String),
    /// A term that is defined.
    Emphasis(Text),
    /// Words that should catch the eye.
    Strong(Text),
    /// A name or a command, as typed.
    Code(String),
}

/// A text of spans. Texts can be added: `emphasis("Told") + ": the user knows"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

/// A name or a command, as typed.
#[must_use]
pub fn code(name: impl Into<String>) -> Text {
    Text(vec![Span::Code(name.into())])
}

/// A term that is defined.
#[must_use]
pub fn emphasis(term: impl Into<Text>) -> Text {
    Text(vec![Span::Emphasis(term.into())])
}

/// Words that should catch the eye.
#[must_use]
pub fn strong(words: impl Into<Text>) -> Text {
    Text(vec![Span::Strong(words.into())])
}

/// Text with code between backticks. Use it for our own words only, not for foreign text.
#[must_use]
pub fn marked(words: &str) -> Text {
    let pieces = words.split('`').enumerate().filter(|(_, piece)| !piece.is_empty());
    Text(
        pieces
            .map(|(at, piece)| match at % 2 {
                0 => Span::Plain(piece.to_owned()),
                _ => Span::Code(piece.to_owned()),
            })
            .collect(),
    )
}

/// Texts separated by commas.
#[must_use]
pub fn joined(texts: impl IntoIterator<Item = Text>) -> Text {
    texts
        .into_iter()
        .enumerate()
        .fold(Text::default(), |all, (at, text)| if at == 0 { text } else { all + ", " + text })
}

impl Text {
    /// The words, without markup.
    #[must_use]
    pub fn plain(&self) -> String {
        self.0
            .iter()
            .map(|span| match span {
                Span::Plain(words) | Span::Code(words) => words.clone(),
                Span::Emphasis(text) | Span::Strong(text) => text.plain(),
            })
            .collect()
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self(if words.is_empty() { Vec::new() } else { vec![Span::Plain(words)] })
    }
}

impl<T: Into<Self>> Add<T> for Text {
    type Output = Self;

    fn add(mut self, more: T) -> Self {
        self.0.extend(more.into().0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_add_up_and_backticks_mark_what_is_typed() {
        let text = strong(marked("Better than `default`")) + ": " + joined([code("a"), "b".into()]);
        assert_eq!(text.plain(), "Better than default: a, b");
        assert_eq!(marked("`x` y").0, [Span::Code("x".into()), Span::Plain(" y".into())]);
        assert_eq!(joined([]), Text::default());
    }
}
