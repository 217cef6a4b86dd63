//! Words, or nothing, in place of a call.

use balk_contract::Protocol;

use crate::scenario::template::{Piece, Template};
use crate::scenario::{Called, Condition, Role, Rule, Sent, Stuck, Way};

use super::super::place::Place;
use super::super::splice::{Ring, Splice, Turn, call, join, ratio, ring, rule, text};
use super::forms;

/// A message without a call can stand here: something is left to call, and the user has nothing else to say.
pub(super) fn can_talk(place: &Place<'_>) -> bool {
    place.is_silent() && place.due().is_some()
}

fn talking(splice: &mut Splice<'_, '_>, word: &str, reply: &str, ways: &'static [Way]) -> Ring {
    let says = Some(splice.word(word));
    splice.urge(reply);
    ring(Stuck::TextOnly, vec![Turn { says, ..Turn::default() }], ways)
}

pub(super) fn announces(splice: &mut Splice<'_, '_>) -> Ring {
    talking(splice, "announces", "go-on", &[Way::Call, Way::Tool, Way::Change])
}

pub(super) fn asks_permission(splice: &mut Splice<'_, '_>) -> Ring {
    talking(splice, "asks-permission", "yes", &[Way::Call, Way::Tool])
}

pub(super) fn claims_work(splice: &mut Splice<'_, '_>) -> Ring {
    talking(splice, "claims-work", "nothing-there", &[Way::Call, Way::Tool, Way::Inspect])
}

pub(super) fn no_access(splice: &mut Splice<'_, '_>) -> Ring {
    talking(splice, "no-access", "go-on", &[Way::Call, Way::Tool])
}

pub(super) fn gives_up_in_fence(splice: &mut Splice<'_, '_>) -> Ring {
    Ring { how: Stuck::Fence, ..talking(splice, "gives-up", "nothing-there", &[Way::Call, Way::Tool]) }
}

/// The message is one sentence over and over.
pub(super) fn repeats_itself(splice: &mut Splice<'_, '_>) -> Ring {
    let (times, target) = (splice.number(4, 12), splice.target());
    let sentences = splice.words("announces", &target);
    let all = sentences.into_iter().map(|it| join((0..times).flat_map(|_| [it.clone(), text("\n")])));
    let says = Some(splice.phrase(all.collect()));
    splice.urge("go-on");
    let ways = &[Way::Shorten, Way::Call, Way::Tool];
    ring(Stuck::RepeatedText, vec![Turn { says, ..Turn::default() }], ways)
}

/// The call of the plan stands in the text, in the form of some model family.
pub(super) fn prints_call(splice: &mut Splice<'_, '_>) -> Ring {
    let printed = forms::printed(splice);
    printing(splice, printed)
}

/// The call of the plan stands in the text, as JSON.
pub(super) fn prints_json(splice: &mut Splice<'_, '_>) -> Ring {
    let printed = forms::printed_plainly(splice);
    printing(splice, printed)
}

fn printing(splice: &mut Splice<'_, '_>, printed: Template) -> Ring {
    let says = Some(splice.phrase(vec![printed]));
    splice.urge("nothing-there");
    ring(Stuck::Fence, vec![Turn { says, ..Turn::default() }], &[Way::Call, Way::Tool])
}

pub(super) fn can_print(place: &Place<'_>) -> bool {
    can_talk(place) && forms::can_name(place)
}

/// The first attempt brings nothing. For gpt-4o in notebooks, another one follows in 40 %, then in 32 %
/// (`docs/reactions.md`).
pub(super) fn empty_answers(_: &mut Splice<'_, '_>) -> Ring {
    let calls = vec![call(Role::List, [text(".")])];
    let empty = vec![ratio(1, 1), ratio(40, 100), ratio(32, 100)];
    ring(Stuck::Empty, vec![Turn { calls, empty, ..Turn::default() }], &[Way::Call])
}

pub(super) fn thinks_only(splice: &mut Splice<'_, '_>) -> Ring {
    let thinks = Some(splice.word("thinking"));
    splice.urge("go-on");
    ring(Stuck::ThinkingOnly, vec![Turn { thinks, ..Turn::default() }], &[Way::Call, Way::Tool])
}

/// A tool must end the task, and the last call is that of the tool.
pub(super) fn can_finish_wrongly(place: &Place<'_>) -> bool {
    place.scenario().protocol == Protocol::Tool && place.at > 0
}

/// What a refused summary begins with.
const PROSE: &str = "Summary: ";

/// Declares the task done in prose, though the tool asks for an object, and words it in another way each time.
pub(super) fn wrong_form(splice: &mut Splice<'_, '_>) -> Ring {
    let says = Some(splice.answer("wants-object"));
    let when = vec![Condition::ArgumentContains("summary".into(), text(PROSE))];
    splice.rule(Rule { fails: true, says, ..rule(Role::Finish, when) });
    let words =
        ["all steps are done", "everything was carried out", "the work is complete", "nothing is left to do"];
    let turns = words.map(|it| {
        let summary =
            join([text(PROSE), text(it), text(", version "), Template { pieces: vec![Piece::Visit] }]);
        Turn { calls: vec![call(Role::Finish, [summary])], ..Turn::default() }
    });
    ring(Stuck::SameFailure, turns.to_vec(), &[Way::Change, Way::Inspect])
}

/// The next call is a whole file.
pub(super) fn can_write(place: &Place<'_>) -> bool {
    place.due().is_some_and(|it| it.called == Called::Role(Role::Write))
}

/// Writes everything in one call, which is cut off at the output limit, again and again.
pub(super) fn cut_write(splice: &mut Splice<'_, '_>) -> Ring {
    let raw = forms::cut(splice);
    let calls = vec![crate::scenario::CallSpec { called: Called::Role(Role::Write), sent: Sent::Raw(raw) }];
    let finish = Some(balk_contract::FinishReason::Length);
    let turn = Turn { calls, finish, ..Turn::default() };
    ring(Stuck::Truncated, vec![turn], &[Way::Shorten, Way::Change, Way::Tool])
}
