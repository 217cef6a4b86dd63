//! Where a request is in a conversation: the texts of its user and the places of its results, in order.
//!
//! Agents drop, shorten, flatten and rewrite what their model said, give other ids to results and cut old ones. What
//! the user said and how many results came are what stays. So requests that share these share their beginning, and a
//! request finds the act that it goes on from.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Completion, Message};
use balk_scenarios::agents::{Place, Profile};
use xxhash_rust::xxh3::Xxh3Default;

use super::size::of_completion;

/// A message of a request that is not the model's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) said: Said,
    /// The index of its message in the request.
    pub(crate) at: usize,
    /// What the model said before it, as the agent shows it.
    pub(crate) after: Option<Arc<Completion>>,
}

/// Who said what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Text in the user's role, without what the agent adds in healthy runs.
    User(Arc<str>),
    /// The result of a call, without what the agent puts around it, whether the call failed, where the agent says so,
    /// and whether it is the agent's word that the call did not run.
    Result { id: Arc<str>, text: Arc<str>, failed: Option<bool>, is_refusal: bool },
}

impl Item {
    pub(crate) fn is_result(&self) -> bool {
        matches!(self.said, Said::Result { .. })
    }

    pub(crate) fn text(&self) -> &str {
        match &self.said {
            Said::User(text) | Said::Result { text, .. } => text,
        }
    }

    /// About how many bytes it takes to keep it, with what the model said before it.
    pub(crate) fn bytes(&self) -> usize {
        // Its text is counted, and is in a list.
        const TEXT: usize = 64;
        TEXT + self.text().len() + self.after.as_ref().map_or(0, |it| of_completion(it))
    }
}

/// A place in the tree of all requests of a conversation: the digest of what led to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(u128);

impl Path {
    /// The last one in their order.
    pub(crate) const LAST: Self = Self(u128::MAX);

    /// Where the requests of this conversation begin.
    pub(crate) fn of(conversation: &str) -> Self {
        Self::default().then(&Said::User(conversation.into()))
    }

    /// The place after one more item. The text of a result does not count: agents cut old ones.
    pub(crate) fn then(self, said: &Said) -> Self {
        let mut digest = Xxh3Default::new();
        digest.update(&self.0.to_le_bytes());
        match said {
            Said::User(text) => {
                digest.update(b"user");
                digest.update(text.as_bytes());
            }
            Said::Result { .. } => digest.update(b"result"),
        }
        Self(digest.digest128())
    }

    /// The place after something else that counts.
    pub(crate) fn with(self, what: &[u8]) -> Self {
        let mut digest = Xxh3Default::new();
        digest.update(&self.0.to_le_bytes());
        digest.update(b"with");
        digest.update(what);
        Self(digest.digest128())
    }

    /// The place after all of another way.
    pub(crate) fn and(self, other: Self) -> Self {
        self.with(&other.bytes())
    }

    /// Its digest.
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

/// The items of a request, in order. A text of which nothing is left without what the agent added is no item, nor is a
/// result that is shown once more: some agents that go on from a file have every result twice in it.
pub(crate) fn items(messages: &[Message], profile: Option<&Profile>) -> Vec<Item> {
    let mut items = Vec::with_capacity(messages.len());
    let mut after = None;
    // How many more results an id may have.
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, message) in messages.iter().enumerate() {
        let said = match message {
            Message::Assistant(completion) => {
                // Some agents give the ids of earlier calls again, and some servers give several calls one id.
                for call in &completion.calls {
                    left.insert(&call.id, 0);
                }
                for call in &completion.calls {
                    *left.entry(&call.id).or_default() += 1;
                }
                after = Some(completion.clone());
                continue;
            }
            Message::User(text) => match user(text, profile) {
                Some(text) => Said::User(text),
                None => continue,
            },
            Message::Result { id, .. } if !id.is_empty() && left.get(&**id) == Some(&0) => continue,
            // The error flag is wrong or missing too often, and half of the dialects have none.
            Message::Result { id, text, is_error: _ } => {
                let left = left.entry(id).or_insert(1);
                *left = left.saturating_sub(1);
                let is_refusal = profile.is_some_and(|it| it.refuses(text));
                let (text, failed) = result(text, profile);
                Said::Result { id: id.clone(), text, failed, is_refusal }
            }
        };
        items.push(Item { said, at, after: after.take() });
    }
    items
}

/// Whether this is an id that a call of Gemini without one gets where it is read: it counts from there.
pub(crate) fn is_counted(id: &str) -> bool {
    id.strip_prefix("call-").is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
}

fn user(text: &Arc<str>, profile: Option<&Profile>) -> Option<Arc<str>> {
    let Some(profile) = profile else { return Some(text.clone()) };
    let plain = profile.plain(Place::User, text).text;
    let plain = plain.trim();
    let text = if plain.len() == text.len() { text.clone() } else { plain.into() };
    (!plain.is_empty()).then_some(text)
}

fn result(text: &Arc<str>, profile: Option<&Profile>) -> (Arc<str>, Option<bool>) {
    let Some(profile) = profile else { return (text.clone(), None) };
    let plain = profile.plain(Place::Result, text);
    let said = if *plain.text == **text { text.clone() } else { plain.text.into() };
    (said, plain.failed)
}
