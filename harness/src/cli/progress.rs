//! Progress on a terminal: how much of a long command is done, and the time left.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// A bar over work that is counted in these units. It is hidden unless standard error is a terminal.
///
/// The work is that of this process. Work of an earlier process would make the rate too high, and the time left too
/// short.
pub(super) fn counted(work: u64, units: &str) -> ProgressBar {
    bar(work, &format!("{{bar:30}} {{pos}} of {{len}} {units}{{msg}}, {{rate}}/s, {{eta}} left"))
}

/// A bar over the bytes of files.
pub(super) fn bytes(work: u64) -> ProgressBar {
    bar(work, "{bar:30} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {msg}")
}

fn bar(work: u64, style: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(style).expect("the template is valid");
    ProgressBar::new(work).with_style(style.with_key("rate", rate))
}

/// The units per second, without a fraction.
fn rate(state: &ProgressState, out: &mut dyn Write) {
    // A bar that cannot be drawn is no reason to stop.
    let _ = write!(out, "{:.0}", state.per_sec());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_valid_and_a_bar_starts_at_zero() {
        for bar in [counted(7, "units"), bytes(7)] {
            assert_eq!((bar.length(), bar.position()), (Some(7), 0));
        }
    }
}
