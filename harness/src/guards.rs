//! The guards that can be named on the command line, and the syntax of a stack.
//!
//! A [`Registry`] is a plain value that every command gets: the standard one, or one with more guards
//! ([`main_with`](crate::main_with)). A [`Recipe`] is a spec that was read once; it makes a new stack for each trial.

pub use bad::BadStack;
pub use config::Config;
pub use recipe::Recipe;
pub use recipes::Recipes;
pub use registered::{Factory, NoSettings, Registered, Role, Variant};
pub use registry::{CEILING, DEFAULT, NONE, ORACLE, Registry};

pub(crate) use registered::Reach;
pub(crate) use registry::{EXEC, STACK};

mod bad;
mod config;
mod peers;
mod recipe;
mod recipes;
mod registered;
mod registry;
mod sources;
mod standard;
