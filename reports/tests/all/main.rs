//! The tests of the reports, in one program: it links once.

mod common;
mod live;
mod page;
mod renderings;
mod report;
