//! The findings of the rules.

use std::fmt;

/// The rules, in the order in which their findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Alias,
    Circle,
    Citation,
    Flatten,
    Layout,
    Link,
    LongFile,
    LongFunction,
    LongLine,
    Reading,
    Unreached,
    Version,
}

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) path: String,
    pub(crate) line: usize,
    /// The part of the place beside the path: the function, the target of the link.
    pub(crate) key: String,
    pub(crate) found: String,
}

impl Rule {
    /// The advice to the reader of the finding.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Alias => "give each name a field, and take the first that is there",
            Self::Circle => "move what both sides need into a file that imports neither",
            Self::Citation => "cite a document of this repository, or its address",
            Self::Flatten => "write the fields out, or nest them",
            Self::Layout => "name the file after its module: `x.rs`, with its parts in `x/`",
            Self::Link => "correct the path or the heading",
            Self::LongFile => "split it by what a reader looks for",
            Self::LongFunction => "give its steps names",
            Self::LongLine => "break it",
            Self::Reading => "open it there, or say why it needs no bound",
            Self::Unreached => "declare it with `mod`, or delete it",
            Self::Version => "raise all of them together",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.found, self.rule.remedy())
    }
}
