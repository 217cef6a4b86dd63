//! The wire: a view as a provider's request, a completion as a provider's response, and both back again. For clients,
//! for servers that play a model, and for proxies between them.
//!
//! This module needs the feature `wire`.
//!
//! | [`Dialect`] | requests | answers |
//! |---|---|---|
//! | [`openai`] | chat completions | whole, or as chunks up to `[DONE]` |
//! | [`responses`] | OpenAI Responses | whole, or as named and numbered events |
//! | [`anthropic`] | messages | whole, or as named events |
//! | [`gemini`] | `generateContent`, `streamGenerateContent` | whole, as events, or as an array |
//!
//! A scripted actor behind HTTP must decide as it does in process. So every dialect carries everything that a
//! [`View`](crate::View) shows, and reading it returns the same [`Seen`], with text byte for byte. The dialects
//! differ as follows:
//!
//! - Thinking, finish reason, usage and the error flag of a result are not part of what is seen
//!   ([`Message::neutral`](crate::Message::neutral)). An Anthropic request still carries signed thinking and
//!   `is_error`, one of Gemini the error flag; OpenAI has no member for the flag. Thinking without a signature is in no
//!   request, because Anthropic refuses it.
//! - Instructions to the model (the system prompt) are not part of a view. Reading what is seen skips them.
//! - Several texts of one completion are an array of text parts in OpenAI's dialects, and a single one a string.
//! - Anthropic and Gemini take an object as arguments. Arguments that are not an object, or have white space around
//!   them, are sent as an object with one marked member and unwrapped on reading; arguments that happen to be such an
//!   object are wrapped again. An opening by the assistant is marked in the same way, and ids are for Anthropic.
//! - An object is sent as raw JSON: key order, repeated keys, numbers of any length and inner white space survive.
//!   They do not survive a conversion to [`serde_json::Value`]; keep the text if that matters.
//! - OpenAI Responses and Gemini have one word for a natural end and for a stop for calls; which it was follows from
//!   the calls.
//! - A tool whose name begins with a digit or a dash is legal everywhere but for Gemini. It is sent under its name.
//!
//! As a client: [`Dialect::request`] writes a request, and an [`Asking`] is what it says beside the view: the model, a
//! system text, limits. To add other members, put a request into your own struct under `#[serde(flatten)]`.
//! [`Dialect::answer`] reads what a server sent back, whole or as a stream: the completion, or a [`Refusal`] that says
//! why there is none and what can help. [`event_data`] cuts a stream that is here as a whole into its events.
//! [`Dialect::stream`] takes an answer that arrives as a stream: a [`StreamReader`] gives the host each piece of text
//! to show, and at the end the completion or, if the stream broke, how far the attempt got.
//!
//! As a server: [`Dialect::asked`] reads a request with all that a server needs of it; [`Dialect::wanted`] is the form
//! that the answer must have. [`Dialect::response`] and [`Dialect::events`] write the answer, and [`Failure`],
//! [`Headers`], [`models`] and [`token_count`] what else a provider says. Ids and times come from the caller
//! ([`Answering`]).
//!
//! As a proxy: [`Dialect::outline`] finds what of a request is known and need not be read again.
//! [`Dialect::spliced`] puts messages into a request that the client never saw, and leaves every other byte
//! as the client sent it; [`responses::merged`] makes two requests one. [`Dialect::amended`] takes calls out of an
//! answer, mends them and says something below its text, and leaves everything else as the provider sent it.

mod amended;
mod answering;
pub mod anthropic;
mod asked;
mod asking;
mod calls;
mod content;
mod dialect;
mod edit;
mod event;
mod failure;
pub mod gemini;
mod headers;
mod legal;
mod lists;
mod mark;
mod names;
pub mod openai;
mod opened;
mod outline;
mod patch;
mod place;
mod reading;
mod refusal;
mod reply;
pub mod responses;
mod seen;
mod splice;
mod stream;
mod wanted;

pub use amended::{Amendment, CallChange};
pub use answering::Answering;
pub use asked::{Asked, Choice, Tools};
pub use asking::Asking;
pub use dialect::Dialect;
pub use edit::Edit;
pub use event::{Event, Framing};
pub use failure::{Failure, FailureKind};
pub use headers::{Headers, Limit};
pub use legal::{Illegal, Rule};
pub use lists::{models, token_count};
pub use names::Names;
pub use outline::Outline;
pub use reading::Unreadable;
pub use refusal::{Refusal, Remedy, STREAM_BYTES};
pub use reply::{Form, Reply, retry_after};
pub use seen::Seen;
pub use stream::delta::Delta;
pub use stream::raw::event_data;
pub use stream::{BrokenStream, StreamReader};
