//! Balk: a deterministic crash-test bench for agent loops.
//!
//! The program is [`main_with`], which takes a registry of guards as a value. Only [`cli`] prints.

pub use cli::main_with;

pub mod audit;
pub mod bench;
mod claims;
pub mod cli;
pub mod config;
pub mod crash;
pub mod engine;
pub mod error;
pub mod exec;
pub mod exit;
mod files;
pub mod grade;
pub mod guards;
pub mod hunt;
pub mod import;
mod input;
pub mod label;
mod listen;
pub mod live;
mod lock;
mod processes;
mod program;
pub mod proxy;
mod redact;
pub mod replay;
pub mod serve;
pub mod shrink;
pub mod simulate;
pub mod told;
pub mod triage;
pub mod validity;
pub mod verify;
pub mod warnings;

/// The examples of a document, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/own-guard.md")]
struct OwnGuard;

/// The examples of a document, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/serve.md")]
struct ServeDocument;

/// The examples of a document, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/proxy.md")]
struct ProxyDocument;
