//! Bounds of what texts can become, which are reported where a file goes beyond them.

use std::ops::Range;

use super::names::Names;
use super::report::Report;
use super::wire::Text;
use crate::scenario::template::{Piece, TEXT_BYTES_MAX, Template};

/// All texts of a file together, each once.
const FILE_BYTES_MAX: usize = 16 << 20;

/// Reports a text that can become too long, or one with which all of the file do.
pub(super) fn check(text: &Text, template: &Template, names: &Names, report: &mut Report<'_>) {
    let most = names.lengths.of(template);
    if most > TEXT_BYTES_MAX {
        report
            .error(
                text.span(),
                format!("this text may become {most} bytes long"),
                format!("expected at most {TEXT_BYTES_MAX} (1 MiB)"),
            )
            .help(
                "name fewer values in it, or shorten the longest of them; `{visit:…}` has one for each of `turns` in \
                 `[limits]`",
            );
    }
    // A text that is too long is reported already.
    add(most.min(TEXT_BYTES_MAX), text.span(), report);
}

/// Counts the copies of a phrase that is the same in all of several languages; whether there is room for them.
pub(super) fn has_room(all: &[Template], languages: usize, at: &Text, report: &mut Report<'_>) -> bool {
    let pieces: usize = all.iter().map(|it| 1 + it.pieces.len()).sum();
    let bytes = pieces.saturating_mul(size_of::<Piece>());
    add(bytes.saturating_mul(languages.saturating_sub(1)), at.span(), report);
    report.sums.texts <= FILE_BYTES_MAX
}

fn add(bytes: usize, at: Range<usize>, report: &mut Report<'_>) {
    let before = report.sums.texts;
    report.sums.texts = before.saturating_add(bytes);
    if before <= FILE_BYTES_MAX && report.sums.texts > FILE_BYTES_MAX {
        report
            .error(
                at,
                "the texts of this file may become too long",
                format!(
                    "expected at most {FILE_BYTES_MAX} bytes (16 MiB) in all, and there are more from here on"
                ),
            )
            .help("name fewer values in the texts, shorten the values, or write fewer texts or languages");
    }
}

/// Counts what the user says, each time that they do.
pub(super) fn hear(phrase: usize, wanted: &Text, names: &Names, report: &mut Report<'_>) {
    let longest = names.phrases[phrase].longest;
    if longest > TEXT_BYTES_MAX {
        // It is reported where it is written.
        return;
    }
    let before = report.sums.heard;
    report.sums.heard = before.saturating_add(longest);
    if before <= TEXT_BYTES_MAX && report.sums.heard > TEXT_BYTES_MAX {
        report
            .error(
                wanted.span(),
                "the user may say too much",
                format!(
                    "expected at most {TEXT_BYTES_MAX} bytes (1 MiB) in all, and there are more from here on"
                ),
            )
            .help(
                "shorten what is said, or let the user say less: `[user]` and notifications count together",
            );
    }
}
