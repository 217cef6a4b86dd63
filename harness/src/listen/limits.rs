//! What clients can make a server read and keep.

use std::time::Duration;

/// What clients can make a server read and keep, whatever they send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body.
    pub body: usize,
    /// The most connections at once. Where another one comes, the one ends that has waited longest for a request, and
    /// at least for as long as `idle` says; until there is one, the new one waits. They are fewer where fewer files may
    /// be open.
    pub connections: usize,
    /// How long a connection may wait for a request before it makes room for another one.
    pub idle: Duration,
    /// How long a client may take from an answer to the end of the next request's head.
    pub head: Duration,
    /// How long a client may take to send a head that has begun, and how long to send a body.
    pub read: Duration,
    /// The most bytes of all bodies at once whose requests are not answered yet; in a proxy, with four times the bytes
    /// of the answers that have come to them.
    pub bodies: usize,
    /// About how many bytes all conversations may take. Then a server refuses every request until one is reset, and a
    /// proxy forgets the oldest places.
    pub kept: usize,
}

impl Default for Limits {
    /// Far more than any agent sends.
    fn default() -> Self {
        Self {
            body: 32 << 20,
            connections: 4_096,
            // A client sends its request with its connection.
            idle: Duration::from_secs(2),
            // Agents keep a connection while a tool works.
            head: Duration::from_secs(600),
            read: Duration::from_secs(30),
            bodies: 1 << 30,
            kept: 1 << 30,
        }
    }
}
