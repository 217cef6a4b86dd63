//! A timeline with what was said in each turn: of a trial, beside the same seed without a guard, or of a recorded run,
//! with firings in its margin.

use super::text::scrolled;
use crate::report::document::figure::{Lane, Mark, Marked, Said, Timeline, Turn};
use crate::report::document::markup::Markup;
use crate::report::document::svg;

/// Writes the timeline of this number on its page. Turns that both runs share are there once.
pub(super) fn timeline(out: &mut Markup, it: &Timeline, nth: usize) {
    out.around("div", &[("class", "trial"), ("data-turns", &it.last().to_string())], |out| {
        out.around("div", &[("class", "overview")], |out| {
            scrolled(out, &it.title, |out| svg::timeline(out, it, None));
            stepper(out, nth, it);
        });
        let is_forked = it.is_forked();
        let shared = it.shared();
        let class = match it.marked {
            Marked::Firings => "turns noted",
            Marked::Interventions if is_forked => "turns forked",
            Marked::Interventions => "turns",
        };
        out.around("ol", &[("class", class)], |out| {
            if let Some(lane) = it.lanes.first().filter(|it| !it.before.is_empty()) {
                out.around("li", &[("class", "before")], |out| {
                    out.around("div", &[("class", "side")], |out| words(out, &lane.before));
                });
            }
            for at in 0..it.turns() {
                let number = (it.first + at).to_string();
                let id = format!("trial-{nth}-turn-{number}");
                out.around("li", &[("id", &id), ("data-turn", &number)], |out| {
                    if at < shared {
                        let whose = if is_forked { "the same in both" } else { "" };
                        both(out, whose, &it.lanes[0].turns[at], it.marked, &number);
                    } else {
                        for (lane, class) in it.lanes.iter().zip(["side without", "side with"]) {
                            of_lane(out, class, lane, at, &number);
                        }
                    }
                });
                out.constant("\n");
            }
        });
    });
}

/// The slider with which the script steps from turn to turn.
fn stepper(out: &mut Markup, nth: usize, it: &Timeline) {
    let id = format!("step-{nth}");
    let [first, last, start] = [it.first, it.last(), it.start].map(|turn| turn.to_string());
    out.around("div", &[("class", "stepper"), ("hidden", "")], |out| {
        out.element("label", &[("for", &id)], "Turn");
        let attributes =
            [("id", &*id), ("type", "range"), ("min", &first), ("max", &last), ("value", &start)];
        out.open("input", &attributes);
        out.element("output", &[("for", &id)], &start);
        out.element("span", &[("class", "hint")], "← → Home End");
    });
}

/// A turn of all lanes. Firings are beside it.
fn both(out: &mut Markup, whose: &str, turn: &Turn, marked: Marked, number: &str) {
    match marked {
        Marked::Interventions => side(out, ("side", whose), turn, &turn.marks, number),
        Marked::Firings => {
            side(out, ("side", whose), turn, &[], number);
            if !turn.marks.is_empty() {
                out.around("div", &[("class", "margin")], |out| marks(out, &turn.marks));
            }
        }
    }
}

fn of_lane(out: &mut Markup, class: &str, lane: &Lane, at: usize, number: &str) {
    match lane.turns.get(at) {
        Some(turn) => side(out, (class, &lane.name), turn, &turn.marks, number),
        None if at == lane.turns.len() => out.around("div", &[("class", class)], |out| {
            out.element("p", &[("class", "ended")], &format!("{}: {}", lane.name, lane.end));
        }),
        None => out.element("div", &[("class", class)], ""),
    }
}

fn side(out: &mut Markup, (class, whose): (&str, &str), turn: &Turn, below: &[Mark], number: &str) {
    out.around("div", &[("class", class)], |out| {
        out.around("p", &[("class", "truth")], |out| {
            out.element("b", &[], &format!("Turn {number}"));
            if !turn.truth.is_empty() {
                out.element("span", &[("class", turn.state.class())], &turn.truth);
            }
            if !whose.is_empty() {
                out.element("span", &[("class", "whose")], whose);
            }
        });
        words(out, &turn.said);
        marks(out, below);
    });
}

fn marks(out: &mut Markup, marks: &[Mark]) {
    for mark in marks {
        out.element("p", &[("class", "fired")], &format!("⚑ {mark}"));
        if !mark.words.is_empty() {
            out.element("p", &[("class", "would"), ("dir", "auto")], &mark.words);
        }
    }
}

fn words(out: &mut Markup, said: &[Said]) {
    for it in said {
        out.around("div", &[("class", &format!("said {}", it.voice.class()))], |out| {
            out.element("span", &[("class", "who")], &it.label);
            out.element("span", &[("class", "words"), ("dir", "auto")], &it.text);
        });
    }
}
