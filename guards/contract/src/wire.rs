//! The wire: a view as a provider's request, a completion as a provider's response, and both back again.
//!
//! A scripted actor behind HTTP must decide as it does in process. So whatever a [`View`](crate::View) shows travels in
//! every dialect and comes back as the same [`Seen`], byte for byte where it is text. What differs between
//! the dialects is settled here:
//!
//! - Thinking, finish reason, usage and the error flag of a result are not part of what is seen
//!   ([`Message::neutral`](crate::Message::neutral)). An Anthropic request carries signed thinking and `is_error` all
//!   the same; OpenAI chat has no place for either. Thinking without a signature is in no request: Anthropic refuses
//!   it.
//! - Instructions to the model (the system prompt) are not part of a view, and are skipped on reading.
//! - Several texts of one completion are an array of text parts in OpenAI chat, and a single one a string.
//! - Anthropic takes an object as arguments. Arguments that are none, or have white space around them,
//!   travel as an object with one marked member and are unwrapped on reading; arguments that happen to be
//!   such an object are wrapped once more. Ids and an opening by the assistant are marked in the same way.
//! - An object travels as raw JSON: key order, repeated keys, numbers of any length and inner white space
//!   survive. They do not survive a detour over [`serde_json::Value`]; keep the text where that matters.
//!
//! An answer that arrives as a stream is taken by [`Dialect::stream`]: a [`StreamReader`] gives the host each piece of
//! text to show, and at the end the completion, or how far the attempt came where the stream broke.
//!
//! Members that a dialect has and this module does not know are ignored on reading. To add some to a request
//! (a temperature, a system prompt), put the request in a struct of your own under `#[serde(flatten)]`.

pub mod anthropic;
mod content;
mod dialect;
mod legal;
pub mod openai;
mod reading;
mod seen;
mod stream;

pub use dialect::Dialect;
pub use legal::{Illegal, Rule};
pub use reading::Unreadable;
pub use seen::Seen;
pub use stream::delta::Delta;
pub use stream::fault::STREAM_BYTES;
pub use stream::{BrokenStream, StreamReader};
