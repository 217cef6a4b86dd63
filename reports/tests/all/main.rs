//! The tests of the reports, in one program: it links once.

mod common;
mod extremes;
mod hostile;
mod live;
mod media;
mod page;
mod renderings;
mod report;
