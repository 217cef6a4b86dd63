//! What a live model told the user: that the task is not done, or that it is.

use balk_guards::{Completion, Entry};

use crate::claims::{admits as text_admits, claims};

/// Whether the words of this completion admit that the task is not done. A claim that it is done does not.
pub(super) fn admits(entry: &Entry) -> bool {
    matches!(entry, Entry::Completion(completion) if says_unable(completion))
}

/// The same, of a completion.
pub(super) fn says_unable(completion: &Completion) -> bool {
    says(completion, text_admits)
}

/// Whether this completion only has words, and claims that the task is done.
pub(super) fn claims_done(completion: &Completion) -> bool {
    says(completion, claims) && !says_unable(completion)
}

fn says(completion: &Completion, what: fn(&str) -> bool) -> bool {
    completion.calls.is_empty() && completion.texts().any(|text| what(text))
}
