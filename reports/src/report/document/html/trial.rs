//! A trial: its timeline, and beside it what was said in each turn.

use super::text::scrolled;
use crate::report::document::figure::{Lane, Said, Timeline, Turn};
use crate::report::document::markup::Markup;
use crate::report::document::svg;

/// Writes the timeline of this number on its page. Turns that both runs share are there once.
pub(super) fn timeline(out: &mut Markup, it: &Timeline, nth: usize) {
    out.around("div", &[("class", "trial"), ("data-turns", &it.turns().to_string())], |out| {
        out.around("div", &[("class", "overview")], |out| {
            scrolled(out, &it.title, |out| svg::timeline(out, it, None));
            stepper(out, nth, it.turns());
        });
        let is_forked = it.is_forked();
        let shared = it.shared();
        let class = if is_forked { "turns forked" } else { "turns" };
        out.around("ol", &[("class", class)], |out| {
            if let Some(lane) = it.lanes.first().filter(|it| !it.before.is_empty()) {
                out.around("li", &[("class", "before")], |out| {
                    out.around("div", &[("class", "side")], |out| words(out, &lane.before));
                });
            }
            for at in 0..it.turns() {
                let id = format!("trial-{nth}-turn-{}", at + 1);
                out.around("li", &[("id", &id), ("data-turn", &(at + 1).to_string())], |out| {
                    if at < shared {
                        let whose = if is_forked { "the same in both" } else { "" };
                        side(out, "side", whose, &it.lanes[0].turns[at], at);
                    } else {
                        for (lane, class) in it.lanes.iter().zip(["side without", "side with"]) {
                            of_lane(out, class, lane, at);
                        }
                    }
                });
                out.constant("\n");
            }
        });
    });
}

/// The slider with which the script steps from turn to turn.
fn stepper(out: &mut Markup, nth: usize, turns: usize) {
    let (id, turns) = (format!("step-{nth}"), turns.max(1).to_string());
    out.around("div", &[("class", "stepper"), ("hidden", "")], |out| {
        out.element("label", &[("for", &id)], "Turn");
        let attributes = [("id", &*id), ("type", "range"), ("min", "1"), ("max", &turns), ("value", "1")];
        out.open("input", &attributes);
        out.element("output", &[("for", &id)], "1");
        out.element("span", &[("class", "hint")], "← → Home End");
    });
}

fn of_lane(out: &mut Markup, class: &str, lane: &Lane, at: usize) {
    match lane.turns.get(at) {
        Some(turn) => side(out, class, &lane.name, turn, at),
        None if at == lane.turns.len() => out.around("div", &[("class", class)], |out| {
            out.element("p", &[("class", "ended")], &format!("{}: {}", lane.name, lane.end));
        }),
        None => out.element("div", &[("class", class)], ""),
    }
}

fn side(out: &mut Markup, class: &str, whose: &str, turn: &Turn, at: usize) {
    out.around("div", &[("class", class)], |out| {
        out.around("p", &[("class", "truth")], |out| {
            out.element("b", &[], &format!("Turn {}", at + 1));
            if !turn.truth.is_empty() {
                out.element("span", &[("class", turn.state.class())], &turn.truth);
            }
            if !whose.is_empty() {
                out.element("span", &[("class", "whose")], whose);
            }
        });
        words(out, &turn.said);
        for mark in &turn.marks {
            out.element("p", &[("class", "fired")], &format!("⚑ {} ({})", mark.what, mark.reason));
        }
    });
}

fn words(out: &mut Markup, said: &[Said]) {
    for it in said {
        out.around("div", &[("class", &format!("said {}", it.voice.class()))], |out| {
            out.element("span", &[("class", "who")], &it.label);
            out.element("span", &[("class", "words"), ("dir", "auto")], &it.text);
        });
    }
}
