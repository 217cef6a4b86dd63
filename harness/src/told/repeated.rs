//! What an agent only repeats: words of its model, of its tools and of its user.

/// What an agent may print without saying anything itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard<'a> {
    /// The message with which the model ended its work, if it did.
    pub last: Option<&'a str>,
    /// What else the model said, what tools answered, and what the user said.
    pub others: &'a [&'a str],
}

/// What an agent only repeats.
pub(super) struct Repeated {
    /// Everything, without what agents change: white space, marks, lines.
    all: String,
    /// The lines that are long enough to be known again, without what agents change and as they are.
    lines: Vec<(String, String)>,
}

/// How many letters a line must have to be known again inside another one.
const LETTERS_MIN: usize = 12;

impl Repeated {
    pub(super) fn new(heard: &Heard<'_>) -> Self {
        let texts = || heard.others.iter().copied().chain(heard.last);
        let lines = texts().flat_map(str::lines).map(|it| (squeezed(it), it.trim().to_owned()));
        let lines = lines.filter(|(it, _)| it.chars().count() >= LETTERS_MIN);
        Self { lines: lines.collect(), all: texts().map(squeezed).collect::<Vec<_>>().join("\n") }
    }

    /// Whether the line is a part of something that was said.
    pub(super) fn has(&self, line: &str) -> bool {
        let line = squeezed(line);
        line.is_empty() || self.all.contains(&line)
    }

    /// Whether something that was said is a part of the line.
    pub(super) fn is_around(&self, line: &str) -> bool {
        let line = squeezed(line);
        self.lines.iter().any(|(it, _)| line.contains(it.as_str()))
    }

    /// The line without what was said, or as it is.
    pub(super) fn shortened(&self, line: &str) -> String {
        if self.is_around(line) { self.without(line) } else { line.to_owned() }
    }

    /// The line without what was said; nothing where only the letters are the same.
    pub(super) fn without(&self, line: &str) -> String {
        let mut rest = line.to_owned();
        for (_, said) in &self.lines {
            rest = rest.replace(said.as_str(), " ");
        }
        if self.is_around(&rest) { String::new() } else { rest }
    }
}

/// A text in small letters, without anything but letters and digits.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
