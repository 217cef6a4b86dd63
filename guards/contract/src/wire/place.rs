//! Where something is in a request.

use std::fmt;

/// A path into a request, such as `messages[2].content[0]`. It is written out only where something is wrong there:
/// nearly all places of a long request are fine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    of: Option<&'a Place<'a>>,
    member: &'static str,
    at: Option<usize>,
}

impl Place<'static> {
    /// A member of the request.
    pub(super) const fn new(member: &'static str) -> Self {
        Self { of: None, member, at: None }
    }
}

impl<'a> Place<'a> {
    /// An element of the list that is at this place.
    pub(super) const fn nth(self, at: usize) -> Self {
        Self { at: Some(at), ..self }
    }

    /// A member of the object that is at this place.
    pub(super) const fn member(&'a self, member: &'static str) -> Self {
        Self { of: Some(self), member, at: None }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(of) = self.of {
            write!(f, "{of}.")?;
        }
        f.write_str(self.member)?;
        self.at.map_or(Ok(()), |at| write!(f, "[{at}]"))
    }
}

impl From<Place<'_>> for String {
    fn from(place: Place<'_>) -> Self {
        place.to_string()
    }
}
