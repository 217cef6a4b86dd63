//! Converts messages that depend on the world: replies, messages that come between turns, and summaries.

use toml::Spanned;

use super::chances::drawn_or_fixed;
use super::conditions::{About, condition};
use super::names::Names;
use super::phrases::said;
use super::placeholders::all_fixed;
use super::report::Report;
use super::used::Saying;
use super::wire::{CompactionTable, NewsTable, ReplyTable};
use crate::scenario::{Bound, CompactionSpec, NewsSpec, ReplySpec};

/// What the person says to a message without a call.
pub(super) fn reply(table: &Spanned<ReplyTable>, names: &Names, report: &mut Report<'_>) -> ReplySpec {
    let it = table.get_ref();
    match (&it.says, it.leaves) {
        (Some(_), false) | (None, true) => {}
        (Some(says), true) => {
            report.error(
                says.span(),
                "a person who leaves says nothing",
                "one of `says` and `leaves` is too many",
            );
        }
        (None, false) => {
            report.error(table.span(), "nothing is said", "expected `says`, or `leaves = true`");
        }
    }
    ReplySpec {
        when: it.when.iter().map(|it| condition(it, About::Message, names, report)).collect(),
        times: it.times.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        says: it.says.as_ref().map(|it| said(it, Saying::User, names, report)),
        sets: all_fixed(&it.sets, names, report),
        clears: all_fixed(&it.clears, names, report),
    }
}

/// A message that comes between turns.
pub(super) fn news(it: &NewsTable, names: &Names, report: &mut Report<'_>) -> NewsSpec {
    let mut once =
        |bound: &Option<_>| bound.as_ref().map_or(Bound::Fixed(1), |it| drawn_or_fixed(it, names, report));
    let (turns, times) = (once(&it.turns), once(&it.times));
    NewsSpec {
        when: it.when.iter().map(|it| condition(it, About::World, names, report)).collect(),
        turns,
        times,
        says: said(&it.says, Saying::User, names, report),
        sets: all_fixed(&it.sets, names, report),
        clears: all_fixed(&it.clears, names, report),
    }
}

/// When the loop summarises.
pub(super) fn compaction(
    table: &Spanned<CompactionTable>,
    names: &Names,
    report: &mut Report<'_>,
) -> CompactionSpec {
    let it = table.get_ref();
    if it.turns.is_none() && it.tokens.is_none() {
        report
            .error(table.span(), "the loop never summarises", "expected `turns` or `tokens`")
            .help("for example: turns = 12");
    }
    CompactionSpec {
        turns: it.turns.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        tokens: it.tokens.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        says: it.says.as_ref().map(|it| said(it, Saying::Loop, names, report)),
    }
}
