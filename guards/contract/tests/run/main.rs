//! The loop without IO.

mod duties;
mod history;
mod scripted;
