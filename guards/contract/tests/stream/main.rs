//! Answers that arrive piece by piece.

mod anthropic;
mod broken;
mod common;
mod laws;
mod openai;
