//! How many tokens a request and its answer have: an estimate.

use balk_guards::{Completion, Usage};

/// About so many bytes are a token.
const BYTES_PER_TOKEN: u64 = 4;

/// The tokens of so many bytes.
pub(super) fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_TOKEN
}

/// The tokens of a request of so many bytes, and of its answer.
pub(super) fn usage(request_bytes: usize, answer: &Completion) -> Usage {
    let texts = answer.texts().map(|it| it.len());
    let calls = answer.calls.iter().map(|it| it.tool.len() + it.arguments.len());
    Usage { input_tokens: tokens(request_bytes), output_tokens: tokens(texts.chain(calls).sum()) }
}
