//! Slips: how healthy work goes wrong, and what leads back.

use std::sync::LazyLock;

use crate::scenario::Role;

use super::place::Place;
use super::plan::is_reserve;
use super::splice::{Ring, Splice};

use calls::{
    anywhere, can_cycle, can_page, can_repeat, can_respell, changes_nothing, changes_options, comes_back,
    cosmetic_changes, cycles, delegates_again, drifting_argument, later, missing_file, pages_again,
    plans_again, polls_the_dead, rereads, respells_path, rewords_search, same_call, todo_flip,
};
use edits::{can_patch, guesses_text, near_duplicate_write, same_assertion, undoes_edits};
use forms::{can_name, misspells_tool, nearly_json, unknown_tool};
use kind::{LEAST, by_recordings, by_reports, count};
use talk::{
    announces, asks_permission, can_finish_wrongly, can_print, can_talk, can_write, claims_work, cut_write,
    empty_answers, gives_up_in_fence, no_access, prints_call, prints_json, repeats_itself, thinks_only,
    wrong_form,
};

mod calls;
mod edits;
mod forms;
mod kind;
mod talk;

pub use kind::Judged;

/// A way in which work goes wrong.
#[derive(Clone, Copy, Debug)]
pub struct Slip {
    /// Its name, as in `drawn/NAME`.
    pub name: &'static str,
    /// What a reader of recordings calls it.
    pub kind: Judged,
    /// The weight, in tenths, of the judged points of one half of the recordings that look like it.
    pub seen: u32,
    /// How many of the reported patterns it stands for.
    pub patterns: u32,
    /// The roles that it needs beside those of the plan.
    pub(super) roles: &'static [Role],
    /// What happens, in a line.
    pub about: &'static str,
    /// How often it is drawn where any slip may be, beside the others: parts per 100,000 of all (`docs/drawn.md`).
    pub weight: u32,
    /// The part of this weight that comes from recordings.
    pub recorded: u32,
    /// Whether it is drawn only from reserved pools.
    pub reserve: bool,
    /// Whether it can happen here.
    pub(super) fits: fn(&Place<'_>) -> bool,
    /// Prepares the scenario, and says what the actor does.
    pub(super) splice: fn(&mut Splice<'_, '_>) -> Ring,
}

/// All slips.
#[must_use]
pub fn slips() -> &'static [Slip] {
    static ALL: LazyLock<Vec<Slip>> = LazyLock::new(|| {
        let slip = |(place, &(name, kind, seen, patterns, roles, about, fits, splice)): (usize, &Row)| {
            let of_kind = SLIPS.iter().filter(|it| it.1 == kind).map(|it| count(it.2)).sum();
            let recorded = by_recordings(kind, count(seen), of_kind);
            let reported = by_reports(patterns, SLIPS.len());
            let (weight, reserve) = (LEAST.max(recorded + reported), is_reserve(place));
            Slip { name, kind, seen, patterns, roles, about, weight, recorded, reserve, fits, splice }
        };
        SLIPS.iter().enumerate().map(slip).collect()
    });
    &ALL
}

impl Slip {
    /// The slip in a world with this skeleton, if any.
    #[must_use]
    pub fn of(skeleton: &str) -> Option<&'static Self> {
        let name = skeleton.split_once('+')?.1.split(['.', '@']).next()?;
        slips().iter().find(|it| it.name == name)
    }
}

/// Name, kind, tenths of judged weight that look like it, reported patterns, roles, what happens, where it can happen,
/// and what the actor does.
type Row = (
    &'static str,
    Judged,
    u32,
    u32,
    &'static [Role],
    &'static str,
    fn(&Place<'_>) -> bool,
    fn(&mut Splice<'_, '_>) -> Ring,
);

/// The first of them in the order of their names; a new one goes to the end, so that no other changes its place.
#[rustfmt::skip]
const SLIPS: &[Row] = &[
    ("announces", Judged::TextOnly, 35, 0, &[],
     "Says what it is about to do, and does not do it", can_talk, announces),
    ("asks-permission", Judged::TextOnly, 25, 1, &[],
     "Asks whether it may go on, though it was told to", can_talk, asks_permission),
    ("changes-nothing", Judged::Other, 0, 0, &[Role::Shell],
     "Runs a command that succeeds and changes nothing, again and again", anywhere, changes_nothing),
    ("changes-options", Judged::SameFailure, 50, 1, &[Role::Shell],
     "Installs from a host that is gone, with different options each time", anywhere, changes_options),
    ("claims-work", Judged::TextOnly, 25, 0, &[],
     "Says that the work is done, and has called nothing", can_talk, claims_work),
    ("cosmetic-changes", Judged::NearDuplicate, 0, 0, &[],
     "Sends the same command with changes that cannot matter", can_respell, cosmetic_changes),
    ("cut-write", Judged::Other, 0, 1, &[],
     "Writes everything in one call, which is cut off each time", can_write, cut_write),
    ("cycles", Judged::Cycle, 270, 0, &[],
     "Goes round between looks whose answers it has seen", can_cycle, cycles),
    ("delegates-again", Judged::NearDuplicate, 0, 0, &[Role::Delegate],
     "Sends a sub-agent out again and again, under another record's name", later, delegates_again),
    ("empty-answers", Judged::Empty, 0, 0, &[Role::List],
     "Answers nothing at all", later, empty_answers),
    ("gives-up-in-fence", Judged::Fence, 0, 0, &[],
     "Shows the code in a fence, for the user to paste", can_talk, gives_up_in_fence),
    ("guesses-text", Judged::SameFailure, 130, 0, &[Role::Edit, Role::Read],
     "Guesses the text that it wants to edit, and never looks", anywhere, guesses_text),
    ("missing-file", Judged::IdenticalCall, 643, 0, &[Role::Read],
     "Reads a file that is not there, again and again", anywhere, missing_file),
    ("misspells-tool", Judged::SameFailure, 0, 0, &[],
     "Calls the right tool under a misspelt name", can_name, misspells_tool),
    ("near-duplicate-write", Judged::NearDuplicate, 200, 0, &[],
     "Writes nearly the same again after each refusal", can_write, near_duplicate_write),
    ("nearly-json", Judged::SameFailure, 0, 0, &[],
     "Sends arguments that are nearly JSON", can_name, nearly_json),
    ("no-access", Judged::TextOnly, 0, 0, &[],
     "Says that it has no access, though the tool is on offer", can_talk, no_access),
    ("pages-again", Judged::Cycle, 0, 0, &[],
     "Reads everything again from the first page, lap after lap", can_page, pages_again),
    ("plans-again", Judged::Cycle, 0, 1, &[Role::Write, Role::Read],
     "Refines its plan again and again, and takes no step of it", later, plans_again),
    ("polls-the-dead", Judged::IdenticalCall, 0, 1, &[Role::Shell],
     "Asks how far a job is that died", anywhere, polls_the_dead),
    ("prints-call", Judged::Fence, 0, 0, &[],
     "Prints its call as text, with the marks of some model family", can_print, prints_call),
    ("repeats-itself", Judged::RepeatedText, 0, 0, &[],
     "Says the same sentence over and over in one message", can_talk, repeats_itself),
    ("rereads", Judged::Wandering, 0, 0, &[],
     "Reads what it has read, in no order", can_cycle, rereads),
    ("rewords-search", Judged::NearDuplicate, 30, 0, &[Role::Shell],
     "Searches for the same thing in other words", anywhere, rewords_search),
    ("same-assertion", Judged::SameFailure, 20, 1, &[],
     "Writes a different patch each time, and the same assertion still fails", can_patch, same_assertion),
    ("same-call", Judged::IdenticalCall, 215, 0, &[],
     "Sends the call that was just answered again, with the same arguments", can_repeat, same_call),
    ("thinks-only", Judged::Empty, 0, 0, &[],
     "Thinks, and answers nothing", can_talk, thinks_only),
    ("todo-flip", Judged::Cycle, 0, 1, &[Role::Plan],
     "Changes its todo list back and forth between two spellings", anywhere, todo_flip),
    ("undoes-edits", Judged::Cycle, 40, 0, &[Role::Write],
     "Undoes its edit, and does it again", anywhere, undoes_edits),
    ("unknown-tool", Judged::SameFailure, 0, 0, &[],
     "Calls a tool that other agents have, and this one does not", can_name, unknown_tool),
    ("wrong-form", Judged::SameFailure, 10, 0, &[],
     "Hands in its result in a form that is refused", can_finish_wrongly, wrong_form),
    ("comes-back", Judged::IdenticalCall, 540, 0, &[Role::Read],
     "Comes back to the call that was just answered, between tries that fail", can_repeat, comes_back),
    ("respells-path", Judged::NearDuplicate, 0, 0, &[Role::Read],
     "Reads a file that is not there under other spellings of its path", anywhere, respells_path),
    ("drifting-argument", Judged::NearDuplicate, 210, 0, &[Role::Shell],
     "Runs a command whose arguments drift, and which always answers the same", anywhere, drifting_argument),
    ("prints-json", Judged::Fence, 10, 1, &[],
     "Prints its call as JSON, in a fence or without one", can_print, prints_json),
];
