//! The guards for agents in other languages: plain values in, plain values out.
//!
//! The bindings for Python and TypeScript wrap these types, and neither has any logic of its own. There are two doors:
//!
//! - [`Run`]: Balk owns the history. The agent does what the next step says, and gives back what came of it.
//! - [`Conversations`]: a framework owns the history. Each request to the model and each answer passes through, and
//!   what the framework never saw (a correction, a refused call) is put into its later requests.
//!
//! What goes in derives `Deserialize` and what comes out `Serialize`, so a binding needs nothing but a bridge of serde.

mod conversations;
mod error;
mod guards;
mod run;
mod said;
mod told;
mod visible;

pub use conversations::{Conversations, Exchange, Placed, Request, Turn};
pub use error::Error;
pub use guards::Guards;
pub use run::{Begin, Bounds, Ran, Run, Step};
pub use said::{Answer, Call, Failure, Said, Tool};
pub use told::{Told, told};
pub use visible::visible;
