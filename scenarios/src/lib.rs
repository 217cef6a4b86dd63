//! Scenarios: scripted actors that balk, the world they act on, and the catalogue.
//!
//! A [`Scenario`] is read from a file ([`format`](mod@format)) and drawn into a [`World`] by a seed. In a world an
//! [`Actor`] plays the model, a [`User`] the person and an [`Environment`] everything that the tools act on.
//! The actor sees only messages. [`response`] documents how it takes corrections, and [`reactions`] is a file of
//! measured ones.

mod actor;
pub mod agents;
mod arguments;
pub mod catalogue;
mod code;
pub mod drawn;
mod draws;
mod environment;
pub mod format;
pub mod migrate;
mod nearest;
mod news;
pub mod reactions;
pub mod response;
pub mod scenario;
mod spoken;
pub mod texts;
pub mod toolsets;
mod user;
mod world;
mod worlds;

pub use balk_contract::record::{Kind, Pools, Stuck, Truth};

pub use actor::{Act, Actor, Broken};
pub use environment::{Environment, Executed};
pub use nearest::nearest;
pub use news::News;
pub use response::{Reactions, ResponseMode};
pub use scenario::{Delivery, Scenario, Stage, Wire, template};
pub use spoken::Spoken;
pub use user::User;
pub use world::{GivenTools, World, WorldOptions};
pub use worlds::Worlds;

#[cfg(test)]
mod tests;
