//! Edits that mend nothing.

use crate::scenario::template::{Piece, Template};
use crate::scenario::{Called, Condition, Role, Rule, Sent, Stuck, Way};

use super::super::place::Place;
use super::super::splice::{Ring, Splice, Turn, call, join, ring, rule, text};

/// A test failed, and the plan mends a file next.
pub(super) fn can_patch(place: &Place<'_>) -> bool {
    let failed = place.last().is_some_and(|it| it.failed) && command(place).is_some();
    failed && patched(place).is_some()
}

/// The command that failed.
fn command(place: &Place<'_>) -> Option<Template> {
    match place.calls(place.last()?).pop() {
        Some(call) if call.called == Called::Role(Role::Shell) => first(call.sent),
        Some(_) | None => None,
    }
}

/// The file that the plan writes next.
fn patched(place: &Place<'_>) -> Option<Template> {
    let due = place.due()?;
    if due.called == Called::Role(Role::Write) { first(due.sent) } else { None }
}

fn first(sent: Sent) -> Option<Template> {
    match sent {
        Sent::Arguments(values) => values.into_iter().next(),
        Sent::Raw(_) => None,
    }
}

pub(super) fn same_assertion(splice: &mut Splice<'_, '_>) -> Ring {
    let path = patched(&splice.place).expect("the slip fits");
    let command = command(&splice.place).expect("the slip fits");
    let says = Some(splice.answer("assertion"));
    let when = vec![
        Condition::ArgumentContains("command".into(), command.clone()),
        Condition::FileContains(path.clone(), text(MARK)),
    ];
    splice.rule(Rule { fails: true, says, ..rule(Role::Shell, when) });
    let content = join([Template { pieces: vec![Piece::Code] }, text(MARK)]);
    let (patching, testing) = (splice.word("patches"), splice.word("tests"));
    let patch =
        Turn { says: Some(patching), calls: vec![call(Role::Write, [path, content])], ..Turn::default() };
    let test = Turn { says: Some(testing), calls: vec![call(Role::Shell, [command])], ..Turn::default() };
    let ways = &[Way::Inspect, Way::Ask, Way::Tool];
    Ring { fair: 1, ..ring(Stuck::SameFailure, vec![patch, test], ways) }
}

/// What a patch of the slip leaves in the file: it is not the last word.
const MARK: &str = "# still to do\n";

/// Writes one version, then the other, then the first again.
pub(super) fn undoes_edits(splice: &mut Splice<'_, '_>) -> Ring {
    let path = || text("settings/flags.ini");
    let version = |value: &str| {
        let content = join([text("# flags\nstrict = "), text(value), text("\n")]);
        Turn { calls: vec![call(Role::Write, [path(), content])], ..Turn::default() }
    };
    let values: [&[&str]; 2] = [&["true", "false"], &["low", "high", "middle"]];
    let turns = values[splice.choice(values.len())].iter().map(|it| version(it)).collect();
    Ring { fair: 1, ..ring(Stuck::Cycle, turns, &[Way::Inspect, Way::Ask, Way::Tool]) }
}

/// Guesses what the file says, and edits it without a look.
pub(super) fn guesses_text(_: &mut Splice<'_, '_>) -> Ring {
    let number = Template { pieces: vec![Piece::Visit] };
    let old = join([text("## Section "), number, text(": set-up")]);
    let edit = call(Role::Edit, [text("README.md"), old, text("## Set-up\n")]);
    let turn = Turn { calls: vec![edit], ..Turn::default() };
    let look = Turn { calls: vec![call(Role::Read, [text("README.md")])], ..Turn::default() };
    let ways = &[Way::Inspect, Way::Tool];
    Ring { fair: 1, out: vec![look], ..ring(Stuck::SameFailure, vec![turn], ways) }
}

/// What a refused write has in it.
const DRAFT: &str = "# draft ";

/// Writes nearly the same again after each refusal.
pub(super) fn near_duplicate_write(splice: &mut Splice<'_, '_>) -> Ring {
    let path = patched(&splice.place).expect("the slip fits");
    let says = Some(splice.answer("write-refused"));
    let when = vec![Condition::ArgumentContains("content".into(), text(DRAFT))];
    splice.rule(Rule { fails: true, says, ..rule(Role::Write, when) });
    let pieces = vec![Piece::Draft, Piece::Text(DRAFT.into()), Piece::Visit];
    let turn = Turn { calls: vec![call(Role::Write, [path, Template { pieces }])], ..Turn::default() };
    ring(Stuck::NearDuplicate, vec![turn], &[Way::Inspect, Way::Change, Way::Tool])
}
