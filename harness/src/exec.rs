//! Guards in any language: a child process that speaks JSON Lines over its standard streams.
//!
//! `exec:COMMAND` in a stack starts the command, without a shell. [`lines`] has the protocol. A [`Pool`] has the
//! children of one command, and an [`ExecGuard`] is one guard of one run. A child serves one run at a time, and any
//! child can take a run on: its guard keeps the entries of the run and tells them again.
//!
//! Time limits are the only clocks here. One that is exceeded ends in a guard fault, and in nothing else.

mod answers;
mod child;
mod guard;
pub mod lines;
mod pool;
mod settings;

pub use answers::Reader;
pub use guard::ExecGuard;
pub use pool::Pool;
pub use settings::Settings;
