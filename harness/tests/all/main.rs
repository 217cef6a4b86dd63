//! The tests of the program and its library, in one program: it links once.

mod actors;
mod audit;
mod bench;
mod catalogue_measures;
mod cli;
mod common;
mod compare;
mod documents;
mod explain;
mod gaps;
mod gates;
mod interactive;
mod laws;
mod measures;
mod nearby_config;
mod no_tools;
mod outsider;
mod parity;
mod peers;
mod read_once;
mod reference;
mod replay;
mod report;
mod retry_safety;
mod shrink;
mod trials;
