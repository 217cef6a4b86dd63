//! Live trials: a real model takes the actor's place.

pub mod endpoint;
