//! Rules of shipped agents against loops and silence, as documented, and naive readings of our own designs:
//! what our guards are compared with.
//!
//! Each file holds the rule of one product as it was read in the version that the file names. It is that
//! rule, not the product: judging models, streams, tools and screens of the products are not here, and what
//! each file leaves out it says. Constants, thresholds and resets are those of the versions; the words are
//! ours.
//!
//! How what a product does becomes an answer of a [`Guard`](balk_contract::Guard):
//!
//! | the product | here |
//! |---|---|
//! | adds a text to the results, or to the next message | a note beside the results |
//! | answers a reply with a correction, and asks the model again | [`Retry`](balk_contract::Verdict::Retry) |
//! | does not run a call, and says why | [`Block`](balk_contract::Verdict::Block) |
//! | asks the user, be it for a permission | [`Ask`](balk_contract::Verdict::Ask) |
//! | ends the run, or the turn of the user | [`Stop`](balk_contract::Verdict::Stop) |
//! | makes a broken request again | [`Resend`](balk_contract::Recovery::Resend) |
//!
//! A run cannot be ended between a result and the next completion. Where a product ends it there, the next
//! completion is what is refused here, whatever it is: one request more, and nothing of it runs.
//!
//! Two calls are equal where their [`key`](balk_contract::ToolCall) is, unless the file says that its product
//! compares something else.

pub use cline::Cline;
pub use crush::Crush;
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
pub mod gemini_cli;
pub mod hermes_like;
pub mod kimi_cli;
mod memory;
pub mod naive;
pub mod opencode;
pub mod openhands;
pub mod openrouter;
pub mod qwen_code;
pub mod roo_code;
pub mod turn_limit;
