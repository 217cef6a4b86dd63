//! The rules of shipped agents against loops and silence, and naive versions of our own designs, for comparison with
//! our guards.
//!
//! Each file has the rule of one product, in the version that the file names. It is the rule, not the product: the
//! products' judging models, streams, tools and screens are not here, and each file lists what it leaves out.
//! Constants, thresholds and resets are those of the versions. What a product says to the model is quoted from it, in
//! `messages.rs`; texts for the user are ours.
//!
//! How a product's action becomes an answer of a [`Guard`](balk_contract::Guard):
//!
//! | the product | here |
//! |---|---|
//! | adds a text to the results, or to the next message | a note with the results |
//! | answers a reply with a correction, and asks the model again | [`Retry`](balk_contract::Verdict::Retry) |
//! | makes a printed call a call | [`Repair`](balk_contract::Verdict::Repair) |
//! | does not run a call, and says why | [`Block`](balk_contract::Verdict::Block) |
//! | asks the user, for example for a permission | [`Ask`](balk_contract::Verdict::Ask) |
//! | ends the run, or the user's turn | [`Stop`](balk_contract::Verdict::Stop) |
//! | sends a broken request again | [`Resend`](balk_contract::Recovery::Resend) |
//!
//! A guard cannot end a run between a result and the next completion. If a product ends it there, this crate refuses
//! the next completion, whatever it is: one more request, of which nothing runs.
//!
//! Two calls are equal if their [keys](balk_contract::ToolCall) are equal, unless the file says that its product
//! compares something else.

pub use cline::Cline;
pub use crush::Crush;
pub use forge::{Forge, ForgeSettings};
pub use gemini_cli::GeminiCli;
pub use hermes_like::{HermesLike, HermesLikeSettings};
pub use kimi_cli::KimiCli;
pub use naive::{NaiveAbandonment, NaiveAbandonmentSettings, NaiveDuplicate, NaiveNoTools, NaiveRetry};
pub use opencode::OpenCode;
pub use openhands::OpenHands;
pub use openrouter::OpenRouter;
pub use qwen_code::QwenCode;
pub use roo_code::{RooCode, RooCodeSettings};
pub use turn_limit::{TurnLimit, TurnLimitSettings};

mod answer;
mod chanting;
pub mod cline;
pub mod crush;
pub mod forge;
pub mod gemini_cli;
mod git_overview;
pub mod hermes_like;
pub mod kimi_cli;
mod memory;
mod messages;
pub mod naive;
pub mod opencode;
pub mod openhands;
pub mod openrouter;
pub mod qwen_code;
pub mod roo_code;
pub mod turn_limit;
mod unexecuted;
