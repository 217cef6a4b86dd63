//! `balk serve` over real sockets: what it answers, what it keeps, and what it refuses.

mod breaks;
mod client;
mod conversations;
mod crowded;
mod histories;
mod hostile;
mod interventions;
mod kept;
mod mutated;
mod part;
mod side_calls;
