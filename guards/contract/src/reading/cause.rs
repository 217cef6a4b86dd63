//! What a failure is about, as far as its words tell (spec F1).
//!
//! A cause is a kind of thing that a person would look at first. The phrases are those of tools in English, and what
//! the C library says in thirteen languages, which every program shows: the translations of glibc 2.36 for `ENOENT`,
//! `EACCES`, `EPERM`, `EBUSY`, `ENOSPC`, `EDQUOT`, `ENOMEM`, `EEXIST` and those of a connection. `balk texts` shows how
//! messages of real tools are read. A failure that has none of these phrases has no cause here.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::words::{Found, Lists};
use phrases::PHRASES;

mod phrases;

/// What a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A program that a shell or a host did not find.
    Command,
    /// The caller may not do it, or is not known.
    Denied,
    /// Somebody else holds a lock, a port or a device.
    Busy,
    /// A limit of space, size, number or rate is reached.
    Limit,
    /// A network, or a service behind it.
    Network,
    /// A time ran out: that of a connection, or one that was set.
    Timeout,
    /// A name that does not exist: of a file, a page, a package, a function.
    Missing,
    /// Something that exists stands against it.
    Conflict,
    /// The call: its arguments, options or JSON.
    Arguments,
    /// A program or a file that is not well-formed, or whose parts do not fit each other.
    Form,
    /// It ran, and a check of its outcome failed.
    Check,
}

impl Cause {
    /// All causes. Of several in a text, the first of these is the likely one: what is said in a few fixed words comes
    /// before what many words may say.
    pub const ALL: [Self; 11] = [
        Self::Command,
        Self::Denied,
        Self::Busy,
        Self::Limit,
        Self::Network,
        Self::Timeout,
        Self::Missing,
        Self::Conflict,
        Self::Arguments,
        Self::Form,
        Self::Check,
    ];
}

/// What the words of a failure say about its cause.
#[derive(Clone, Copy, Debug)]
pub struct Causes<'t> {
    text: &'t str,
    found: Found,
}

impl<'t> Causes<'t> {
    /// Reads the text of a failure. Of a text that is none, it says nothing useful.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::anywhere(&PHRASES));
        Self { text, found: LISTS.find(text) }
    }

    /// Whether it has a phrase of this cause.
    #[must_use]
    pub fn has(self, cause: Cause) -> bool {
        self.found.has(cause as usize)
    }

    /// The likely cause; `None` if it does not say.
    #[must_use]
    pub fn likely(self) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| self.has(*cause))
    }

    /// What comes before and after a phrase of this cause, in its line: of the first phrase of the list that is there,
    /// at its first place.
    #[must_use]
    pub fn around(self, cause: Cause) -> Option<(&'t str, &'t str)> {
        if !self.has(cause) {
            return None;
        }
        static FINDERS: LazyLock<Vec<Vec<Finder<'static>>>> =
            LazyLock::new(|| PHRASES.iter().map(|all| all.iter().map(Finder::new).collect()).collect());
        let lower = self.text.to_ascii_lowercase();
        let find = |phrase: &Finder<'_>| Some((phrase.find(lower.as_bytes())?, phrase.needle().len()));
        let (at, len) = FINDERS[cause as usize].iter().find_map(find)?;
        let (before, after) = (&self.text[..at], &self.text[at + len..]);
        Some((before.rsplit('\n').next().unwrap_or(before), after.split('\n').next().unwrap_or(after)))
    }
}
