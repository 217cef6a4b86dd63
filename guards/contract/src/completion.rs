//! What the model returned: content parts, tool calls, finish reason, usage.

use std::iter;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::identity::identity;
use crate::key::{self, CallKey, Found, Keyed, Members, PathKey, Shape, ToolKey};
use crate::offer::{Effect, Offer};
use crate::writes::{Guess, PATH_MEMBERS, says_so};
use xxhash_rust::xxh3::xxh3_64;

/// One accepted answer of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Text and thinking, in order; never a blank text.
    pub parts: Vec<Part>,
    /// The tool calls, in order.
    pub calls: Vec<Arc<ToolCall>>,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// Tokens, as the provider counted them.
    pub usage: Usage,
}

/// A piece of content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Part {
    /// What the user sees.
    Text(Arc<str>),
    /// Reasoning that the user does not see; `signature` is the provider's signature of it.
    Thinking {
        /// The reasoning.
        text: Arc<str>,
        /// Opaque; must be sent back unchanged.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        signature: Option<Arc<str>>,
    },
}

/// Why the model stopped, as the provider said it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum FinishReason {
    /// A natural end.
    Stop,
    /// Cut off by a token limit.
    Length,
    /// Stopped so that tools can run.
    ToolCall,
    /// Withheld by a filter or refused.
    ContentFilter,
    /// The provider failed.
    Error,
    /// The provider gave no reason.
    #[default]
    NotGiven,
}

/// Tokens counted by the provider; zero if it gave no count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

/// A call as it was received, before it is keyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The provider's id for this call.
    pub id: Arc<str>,
    /// The tool, as the model called it.
    pub tool: Arc<str>,
    /// JSON text; an empty text means `{}`.
    pub arguments: Arc<str>,
}

/// One requested run of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id for this call.
    pub id: Arc<str>,
    /// The tool, by its name in the offer; always a legal name, as [`Offer::name_called`] makes it.
    pub tool: Arc<str>,
    /// The argument text exactly as sent (`{}` if it was empty).
    pub arguments: Arc<str>,
    /// What kind of text `arguments` is.
    pub shape: Shape,
    /// Equal for two calls exactly when the tools and the canonical arguments are equal.
    pub key: CallKey,
    /// What running it can change, from the offer; `Unknown` for a tool that is not offered.
    pub effect: Effect,
    /// The tool's name as a number, for comparison.
    pub tool_key: ToolKey,
    /// The members of the arguments as digests.
    pub members: Members,
    /// Where the path is among the arguments, and its digest.
    path: Option<(Found, u128)>,
    /// Whether the host declared the effect for this call alone.
    is_declared: bool,
    /// What its tool seems to do, by the offer.
    guess: Guess,
}

impl Completion {
    /// Takes the parts and calls as received, drops blank text, and computes the key and effect of each call once.
    #[must_use]
    pub fn new(
        parts: impl IntoIterator<Item = Part>,
        calls: impl IntoIterator<Item = RawCall>,
        finish: FinishReason,
        usage: Usage,
        offer: &Offer,
    ) -> Self {
        let parts = parts
            .into_iter()
            .filter(|part| match part {
                Part::Text(text) => !is_blank(text),
                Part::Thinking { .. } => true,
            })
            .collect();
        let calls = calls.into_iter().map(|raw| Arc::new(ToolCall::new(raw, offer))).collect();
        let mut it = Self { parts, calls, finish, usage };
        // Collecting reuses the room of what was received, which is larger, and completions are kept.
        it.parts.shrink_to_fit();
        it.calls.shrink_to_fit();
        it
    }

    /// The texts that the user sees, in order.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Thinking { .. } => None,
        })
    }

    /// What `find` returns for its calls, each with its index. Stops at the first call that `find` does not return
    /// and that may change something: it will run, so a later call (a test after an edit) is not judged.
    pub fn judged<T>(
        &self,
        mut find: impl FnMut(&ToolCall) -> Option<T>,
    ) -> impl Iterator<Item = (usize, &Arc<ToolCall>, T)> {
        let mut calls = self.calls.iter().enumerate();
        let judged = iter::from_fn(move || {
            for (at, call) in calls.by_ref() {
                if let Some(found) = find(call) {
                    return Some((at, call, found));
                }
                if call.effect != Effect::ReadOnly {
                    break;
                }
            }
            None
        });
        judged.fuse()
    }

    /// Declares what individual calls can change, where that depends on their arguments (`ls` or `rm` in one shell
    /// tool). `effect` gets the index of a call and the call; `None` keeps the effect from the offer.
    pub fn declare(&mut self, mut effect: impl FnMut(usize, &ToolCall) -> Option<Effect>) {
        for (at, call) in self.calls.iter_mut().enumerate() {
            if let Some(effect) = effect(at, call) {
                let call = Arc::make_mut(call);
                call.effect = effect;
                call.is_declared = true;
            }
        }
    }

    /// Gives its calls other ids. Servers draw ids at random; with ids of its own, a client sends equal requests as
    /// equal bytes. `id` gets the index of a call and the call.
    pub fn name_calls(&mut self, mut id: impl FnMut(usize, &ToolCall) -> Arc<str>) {
        for (at, call) in self.calls.iter_mut().enumerate() {
            let id = id(at, call);
            Arc::make_mut(call).id = id;
        }
    }

    /// True if it has text that the user sees.
    #[must_use]
    pub fn has_text(&self) -> bool {
        self.texts().next().is_some()
    }

    /// True if it is entirely empty, without even thinking: a failed attempt (spec E1, E4). An answer that was
    /// withheld ([`FinishReason::ContentFilter`]) or cut off before it began ([`FinishReason::Length`], spec E3) is
    /// not a failed attempt, because the same request would return it again.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let thought = self.parts.iter().any(|part| match part {
            Part::Text(_) => true,
            Part::Thinking { text, signature } => !is_blank(text) || signature.is_some(),
        });
        !thought
            && self.calls.is_empty()
            && !matches!(self.finish, FinishReason::ContentFilter | FinishReason::Length)
    }
}

impl ToolCall {
    /// Keys a raw call.
    #[must_use]
    pub fn new(raw: RawCall, offer: &Offer) -> Self {
        let arguments = if is_blank(&raw.arguments) { "{}".into() } else { raw.arguments };
        let tool = offer.name_called(&raw.tool);
        // The offer's own name: all calls of a tool share it, and the received string is dropped.
        let (tool, effect, guess) = match offer.guessed(&tool) {
            Some((offered, guess)) => (offered.name.clone(), offered.effect, guess),
            // A tool that is not on offer does nothing, unless nothing is said about what is on offer.
            None if offer.tools().is_empty() => (tool, Effect::Unknown, Guess::Unclear),
            None => (tool, Effect::Unknown, Guess::Other),
        };
        let Keyed { tool: tool_key, key, shape, members, found: path } =
            key::of_call(&tool, &arguments, &PATH_MEMBERS);
        let path = path.map(|found| {
            let spelled = &arguments[found.span.clone()];
            let below = spelled.strip_prefix("\"./").and_then(|rest| rest.strip_suffix('"'));
            let digest = below.filter(|rest| !rest.contains('\\')).map_or(found.digest, key::of_string);
            (found, digest)
        });
        Self {
            id: raw.id,
            tool,
            arguments,
            shape,
            key,
            effect,
            tool_key,
            members,
            path,
            is_declared: false,
            guess,
        }
    }

    /// The effect, if the host declared it for this call alone.
    #[must_use]
    pub fn declared(&self) -> Option<Effect> {
        self.is_declared.then_some(self.effect)
    }

    /// Whether this call seems to write, though the effect of its tool is not declared (spec A3). `said` is its
    /// result. False where the effect is declared.
    #[must_use]
    pub fn seems_to_write(&self, said: &str) -> bool {
        if self.effect != Effect::Unknown || self.is_declared || self.guess == Guess::Other {
            return false;
        }
        match Guess::of_call(&self.tool, &self.arguments) {
            Guess::Writes => true,
            Guess::Other => false,
            Guess::Unclear => self.guess == Guess::Writes || self.path.is_some() && says_so(said),
        }
    }

    /// A key to compare in place of [`path`](Self::path), without reading it. `./a` and `a` are one path.
    #[must_use]
    pub fn path_key(&self) -> Option<PathKey> {
        self.path.as_ref().map(|(_, digest)| PathKey(*digest))
    }

    /// The file or directory that this call is about, if its arguments name one: the first string member, at the top
    /// level, under one of the names that shipped agents use for it.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        serde_json::from_str(&self.arguments[self.path.as_ref()?.0.span.clone()]).ok()
    }

    /// A digest of the arguments without the digits of the path and, unless they are long, without what is volatile:
    /// equal for two calls that write one text to numbered files, the second with another clock. `None` for a path
    /// without a digit.
    #[must_use]
    pub fn numbered(&self) -> Option<u64> {
        let found = &self.path.as_ref()?.0;
        let path = &self.arguments.as_bytes()[found.span.clone()];
        let whole = || {
            let parts = path.split(u8::is_ascii_digit).filter(|part| !part.is_empty());
            let name = parts.fold(0, |sum: u64, part| sum.rotate_left(21) ^ xxh3_64(part));
            if self.arguments.len() <= MASKED_BYTES {
                let span = &found.span;
                let (before, behind) = (&self.arguments[..span.start], &self.arguments[span.end..]);
                let beside = [before, behind].map(|it| identity(it).folded());
                return name ^ beside[0] ^ beside[1].rotate_left(32);
            }
            let others = self.members.iter().filter(|(_, value)| *value != found.digest);
            let others =
                others.fold(0, |sum: u128, (name, value)| sum.rotate_left(7) ^ name ^ value.rotate_left(64));
            name ^ (others ^ others >> 64) as u64
        };
        let is_whole = !self.members.is_cut();
        (is_whole && path.iter().any(u8::is_ascii_digit)).then(whole)
    }
}

/// The longest arguments, in bytes, of which a numbered copy may have another clock in it.
const MASKED_BYTES: usize = 512;

/// True if the text is empty or only white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::Tool;

    fn call(arguments: &str) -> RawCall {
        RawCall { id: "c1".into(), tool: "write".into(), arguments: arguments.into() }
    }

    fn completion(parts: Vec<Part>, calls: Vec<RawCall>, finish: FinishReason) -> Completion {
        Completion::new(parts, calls, finish, Usage::default(), &Offer::default())
    }

    #[test]
    fn blank_text_is_dropped_and_empty_arguments_become_an_object() {
        let it = completion(vec![Part::Text(" \n\t".into())], vec![call("  ")], FinishReason::Stop);
        assert!(it.parts.is_empty());
        assert_eq!(&*it.calls[0].arguments, "{}");
        assert_eq!(it.calls[0].shape, Shape::Object);
        assert!(!it.is_empty());
    }

    #[test]
    fn e4_white_space_is_empty_and_a_filter_stop_is_not() {
        let blank = || vec![Part::Text(" \n ".into())];
        assert!(completion(blank(), vec![], FinishReason::Stop).is_empty());
        assert!(!completion(blank(), vec![], FinishReason::ContentFilter).is_empty());
        let thinking = Part::Thinking { text: "hm".into(), signature: None };
        assert!(!completion(vec![thinking], vec![], FinishReason::Stop).is_empty());
    }

    #[test]
    fn a_path_is_found_under_the_names_agents_use() {
        let path = |arguments| ToolCall::new(call(arguments), &Offer::default()).path();
        assert_eq!(path(r#"{"filePath": "a/b.py", "content": "x"}"#).as_deref(), Some("a/b.py"));
        assert_eq!(path(r#"{"file": "b", "path": "a"}"#).as_deref(), Some("a"));
        assert_eq!(path(r#"{"path": 3, "file": "a\u0062\n"}"#).as_deref(), Some("ab\n"));
        assert_eq!(path(r#"{"edits": [{"path": "a"}], "x": {"path": "b"}}"#), None);
        assert_eq!(path(r#"{"file_name": "a.txt", "content": "x"}"#).as_deref(), Some("a.txt"));
        assert_eq!(path(r#"{"path": 3}"#), None);
        assert_eq!(path(r#"{"command": "ls"}"#), None);
        assert_eq!(path("not json"), None);
    }

    #[test]
    fn the_effect_of_one_call_is_what_the_host_declares_and_its_key_stays() {
        let offer = Offer::new([Tool::new("write").effect(Effect::Write)]);
        let calls = [call("{}"), call(r#"{"dry": true}"#)];
        let before = Completion::new([], calls, FinishReason::ToolCall, Usage::default(), &offer);
        let mut after = before.clone();
        after.declare(|at, it| (at == 1 && &*it.tool == "write").then_some(Effect::ReadOnly));
        assert_eq!(after.calls[0], before.calls[0]);
        assert_eq!((after.calls[0].effect, after.calls[0].declared()), (Effect::Write, None));
        let (was, is) = (&before.calls[1], &after.calls[1]);
        assert_eq!((is.effect, is.declared()), (Effect::ReadOnly, Some(Effect::ReadOnly)));
        assert_eq!((is.key, &is.arguments), (was.key, &was.arguments));
        assert_eq!(was.effect, Effect::Write, "a clone is not declared with it");
    }

    #[test]
    fn an_effect_that_repeats_the_offer_is_declared_all_the_same() {
        let mut it = completion(vec![], vec![call("{}")], FinishReason::ToolCall);
        it.declare(|_, it| Some(it.effect));
        assert_eq!(it.calls[0].declared(), Some(Effect::Unknown));
    }
}
