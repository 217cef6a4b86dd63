//! How a record was made: the command, the machine and the time it took.

use balk_reports::records::{Answered, Host, Meta, Timed};

use crate::program;

/// The meta data of a run that has ended: `units` on `threads` threads in `taken_ns` nanoseconds.
#[must_use]
pub fn meta(threads: usize, units: u64, taken_ns: u64, timed: Vec<Timed>, live: Vec<Answered>) -> Meta {
    let per_second = u128::from(units) * 1_000_000_000 / u128::from(taken_ns.max(1));
    Meta {
        command: program::reported_command_line(),
        host: Host {
            cpu: cpu(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        },
        threads: threads as u64,
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
        units,
        taken_ms: taken_ns / 1_000_000,
        units_per_second: u64::try_from(per_second).unwrap_or(u64::MAX),
        timed,
        live,
    }
}

/// The first processor that Linux lists.
fn cpu(listed: &str) -> Option<String> {
    let line = listed.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_where_the_system_names_it() {
        let listed = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A Fine CPU @ 2.00GHz\nprocessor\t: 1\n";
        assert_eq!(cpu(listed).as_deref(), Some("A Fine CPU @ 2.00GHz"));
        assert_eq!(cpu(""), None);
    }
}
