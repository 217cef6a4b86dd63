//! The tests of the program and its library, in one program, so that it links once.

#![expect(clippy::disallowed_methods, reason = "a test writes files as a user does, and damages them")]

mod actors;
mod audit;
mod bench;
mod between;
#[cfg(unix)]
mod bounds;
mod catalogue_measures;
mod ceiling;
mod cli;
#[cfg(unix)]
mod commands_again;
mod common;
mod compare;
mod compose;
mod controls;
mod crash;
mod crash_hostile;
mod crash_interrupted;
mod crash_late;
mod crash_record;
mod crash_site;
mod damage;
mod documents;
mod exec;
mod explain;
mod field;
mod files;
mod gaps;
mod gates;
mod given_tools;
mod hunt;
mod import;
mod interactive;
mod interrupted;
mod kept;
#[cfg(unix)]
mod kills;
mod label;
mod laws;
mod listening;
mod live;
mod live_endpoint;
mod live_judge;
mod live_key;
mod live_react;
mod measures;
mod narrow;
mod nearby_config;
mod no_tools;
mod outsider;
mod page;
mod parity;
mod peers;
mod phraser;
mod pictures;
mod progress;
mod proxy;
mod proxy_parity;
mod proxy_spans;
#[cfg(target_os = "linux")]
mod raw;
mod read_once;
mod readers;
mod recorded_pages;
mod redacted;
mod reference;
mod removed;
mod repair;
mod replay;
mod replay_incident;
mod report;
mod retry_safety;
mod said;
mod sealed;
mod serve;
mod serve_parity;
mod set_from;
mod shell;
mod shrink;
mod starter;
#[cfg(target_os = "linux")]
mod strangers;
mod triage;
mod trials;
mod validity;
mod warnings;
mod written;
