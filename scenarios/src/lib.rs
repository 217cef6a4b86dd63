//! Scenarios.
mod actor;
mod code;
mod draws;
mod environment;
pub mod response;
mod scenario;
mod template;
mod user;
mod world;
pub use actor::*;
pub use draws::*;
pub use environment::*;
pub use scenario::*;
pub use template::*;
pub use user::*;
pub use world::*;
