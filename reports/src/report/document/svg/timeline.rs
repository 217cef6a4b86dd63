//! A timeline: a trunk of turns that two runs share, and a lane for each from the fork on.

use super::canvas::{Anchor, Place, line, number, path, picture, text};
use crate::report::document::figure::{Lane, Mark, State, Timeline, Turn};
use crate::report::document::markup::Markup;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 12.0;
const RIGHT: f64 = 948.0;
/// The most room that a turn has.
const PITCH: f64 = 34.0;
/// The least half of a sign: in a long run signs touch, but they can be seen.
const HALF_MIN: f64 = 1.5;
/// The middles of two lanes.
const LANES: [f64; 2] = [42.0, 104.0];

struct Grid {
    pitch: f64,
    first: usize,
    shared: usize,
    is_forked: bool,
}

impl Grid {
    fn x(&self, turn: usize) -> f64 {
        LEFT + self.pitch * (turn as f64 + 0.5)
    }

    fn y(&self, lane: usize, turn: usize) -> f64 {
        match self.is_forked {
            true if turn >= self.shared => LANES[lane],
            true => 73.0,
            false => 34.0,
        }
    }

    fn height(&self) -> f64 {
        if self.is_forked { 186.0 } else { 128.0 }
    }
}

/// Draws it.
pub(in crate::report::document) fn timeline(out: &mut Markup, it: &Timeline, style: Option<&'static str>) {
    let turns = it.turns().max(1);
    // The words at the end of a lane need room.
    let pitch = ((RIGHT - LEFT - 150.0) / turns as f64).min(PITCH);
    let grid = Grid { pitch, first: it.first, shared: it.shared(), is_forked: it.is_forked() };
    picture(out, [WIDTH, grid.height()], &it.title, style, |out| {
        for (nth, lane) in it.lanes.iter().enumerate().take(if it.is_forked() { 2 } else { 1 }) {
            draw(out, lane, nth, &grid);
        }
        axis(out, turns, &grid);
        legend(out, it, grid.height() - 10.0);
    });
}

fn draw(out: &mut Markup, lane: &Lane, nth: usize, grid: &Grid) {
    let count = lane.turns.len();
    let last = count.saturating_sub(1);
    let from = if nth == 0 { 0 } else { grid.shared.saturating_sub(1) };
    let mut rail = format!("M{} {}", number(grid.x(from)), number(grid.y(nth, from)));
    for turn in from + 1..count {
        let [x, y] = [grid.x(turn), grid.y(nth, turn)].map(number);
        let before = grid.y(nth, turn - 1);
        rail += &if number(before) == y {
            format!("H{x}")
        } else {
            let middle = number(grid.x(turn) - grid.pitch / 2.0);
            format!("C{middle} {} {middle} {y} {x} {y}", number(before))
        };
    }
    path(out, if nth + 1 == 2 { "rail with" } else { "rail" }, &rail);
    for (at, turn) in lane.turns.iter().enumerate() {
        if nth == 0 || at >= grid.shared {
            draw_turn(out, turn, grid.first + at, [grid.x(at), grid.y(nth, at)], grid.pitch);
        }
    }
    let y = grid.y(nth, last);
    let above = if grid.is_forked && nth == 0 { -28.0 } else { 27.0 };
    text(out, "label", [grid.x(last) + 14.0, y + 4.0], Anchor::Start, &lane.end);
    let start = grid.x(if grid.is_forked { grid.shared.min(last) } else { 0 }) - 6.0;
    text(out, "axis", [start, y + above], Anchor::Start, &lane.name);
}

fn draw_turn(out: &mut Markup, turn: &Turn, number_of: usize, place: Place, pitch: f64) {
    let truth = if turn.truth.is_empty() { "" } else { ": " };
    let title = [format!("turn {number_of}{truth}{}", turn.truth)];
    let title: Vec<String> = title.into_iter().chain(turn.marks.iter().map(Mark::to_string)).collect();
    out.around("g", &[("class", "turn"), ("data-turn", &number_of.to_string())], |out| {
        out.element("title", &[], &title.join("\n"));
        sign(out, turn.state, place, (pitch / 2.0 - 1.0).clamp(HALF_MIN, 8.0));
        if !turn.marks.is_empty() {
            // A flag on a pole.
            let [x, y] = place;
            let start = format!("M{} {}", number(x), number(y - 8.0));
            path(out, "flag", &format!("{start}v-13l9 4l-9 4"));
        }
    });
}

/// The sign of a turn; its shape tells it from others as well as its colour.
fn sign(out: &mut Markup, state: State, [x, y]: Place, half: f64) {
    let class = format!("sign {}", state.class());
    let (x0, y0, side) = (number(x - half), number(y - half), number(2.0 * half));
    match state {
        State::Healthy | State::Unknown => {
            let place = [("cx", &*number(x)), ("cy", &number(y)), ("r", &number(half))];
            out.element("circle", &[("class", &*class), place[0], place[1], place[2]], "");
        }
        State::Stuck => {
            let attributes =
                [("class", &*class), ("x", &x0), ("y", &y0), ("width", &side), ("height", &side)];
            out.element("rect", &attributes, "");
        }
        State::Faulted => {
            path(out, &class, &format!("M{x0} {y0}l{side} {side}m0 -{side}l-{side} {side}"));
        }
    }
}

fn axis(out: &mut Markup, turns: usize, grid: &Grid) {
    let every =
        [1, 2, 5, 10, 20, 50, 100].into_iter().find(|it| grid.pitch * *it as f64 >= 22.0).unwrap_or(200);
    let y = grid.height() - 32.0;
    line(out, "grid", [LEFT, y - 12.0], [grid.x(turns - 1) + grid.pitch / 2.0, y - 12.0]);
    for at in (0..turns).filter(|at| *at == 0 || (grid.first + at).is_multiple_of(every)) {
        text(out, "tick", [grid.x(at), y + 2.0], Anchor::Middle, &(grid.first + at).to_string());
    }
}

fn legend(out: &mut Markup, it: &Timeline, y: f64) {
    let mut x = LEFT + 6.0;
    let has = |state| it.lanes.iter().flat_map(|lane| &lane.turns).any(|turn| turn.state == state);
    for state in State::ALL.into_iter().filter(|it| has(*it)) {
        sign(out, state, [x, y - 4.0], 5.0);
        text(out, "tick", [x + 10.0, y], Anchor::Start, state.name());
        x += 24.0 + 6.2 * state.name().len() as f64;
    }
    if it.lanes.iter().flat_map(|lane| &lane.turns).any(|turn| !turn.marks.is_empty()) {
        path(out, "flag", &format!("M{} {}v-13l9 4l-9 4", number(x), number(y + 1.0)));
        text(out, "tick", [x + 14.0, y], Anchor::Start, it.marked.one());
    }
}
