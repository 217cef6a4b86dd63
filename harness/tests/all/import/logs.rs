//! A log of each format: what it is taken for, and what is read in it.

use std::fmt::Write as _;

use balk::import::{Format, reading};

use super::{logs, shown};

/// The format that a log is named after.
pub(super) fn named(file: &str) -> Format {
    let fits = Format::ALL.into_iter().filter(|format| file.starts_with(format.name()));
    fits.max_by_key(|format| format.name().len()).unwrap_or_else(|| panic!("{file} is named after no format"))
}

#[test]
fn every_log_is_recognised_and_read() {
    let mut all = String::new();
    for (file, bytes) in logs() {
        let (format, found) = reading::read(&bytes[..], None).expect("memory can be read");
        assert_eq!(format, Some(named(&file)), "{file}");
        writeln!(all, "{file}").expect("a string takes what is written");
        for (line, found) in found {
            let found = found.map_or_else(|bad| bad.to_string(), |recording| shown(&recording));
            writeln!(all, "{line}: {found}").expect("a string takes what is written");
        }
    }
    insta::assert_snapshot!("logs", all);
}

/// What is recognised reads the same if it is named.
#[test]
fn a_format_that_is_named_reads_the_same() {
    for (file, bytes) in logs() {
        let named = reading::read(&bytes[..], Some(named(&file))).expect("memory can be read");
        assert_eq!(named, reading::read(&bytes[..], None).expect("memory can be read"), "{file}");
    }
}

/// Every format but Balk's own has a log.
#[test]
fn every_format_has_a_log() {
    let logs = logs();
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Balk) {
        assert!(logs.iter().any(|(file, _)| named(file) == format), "{} has no log", format.name());
    }
}
