//! The server's side of HTTP, as all of Balk's servers have it: connections, requests within their bounds, errors in
//! the shape of each provider.

pub use limits::Limits;

pub(crate) use door::Door;
pub(crate) use incoming::{Held, bytes, not_text, read, room_for};
pub(crate) use line::{Lines, Shears};
pub(crate) use plain::{json, text};
pub(crate) use refusal::{CREATED, JSON, refuse, with_headers};
pub(crate) use route::{Asks, NoRoute, Route, by_header, by_key, named};
pub(crate) use url::url;

mod door;
mod incoming;
mod limits;
mod line;
pub(crate) mod path;
mod plain;
mod refusal;
mod room;
mod route;
pub(crate) mod size;
mod url;
mod written;
