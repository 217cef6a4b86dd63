//! Scenarios: scripted actors that balk, the world they act on, and the catalogue.

pub mod format;
pub mod scenario;
pub mod template;
pub mod toolsets;
