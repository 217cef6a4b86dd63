//! The wire, for clients and servers: requests, and answers whole or piece by piece.

mod amended;
mod amended_laws;
mod answers;
mod anthropic;
mod asked;
mod broken;
mod common;
mod drawn;
mod drawn_items;
mod gemini;
mod hostile;
mod laws;
mod openai;
mod refusals;
mod requests;
mod spliced;
mod spliced_laws;
mod written;
