//! The client's side of the wire: requests, and answers that arrive whole or piece by piece.

mod answers;
mod anthropic;
mod broken;
mod common;
mod drawn;
mod drawn_items;
mod gemini;
mod laws;
mod openai;
mod requests;
mod written;
