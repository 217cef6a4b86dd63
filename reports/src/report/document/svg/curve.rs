//! A curve: shares of runs that grow with the number of turns.

use super::canvas::{Anchor, Place, Scale, line, number, path, picture, text};
use crate::report::document::figure::{Curve, Line};
use crate::report::document::markup::Markup;

const SIZE: Place = [340.0, 190.0];
const PLOT: [f64; 4] = [34.0, 24.0, 332.0, 164.0];

/// Draws it. Without a line it is the empty frame that a script draws lines into; a path of class `line` is in it.
pub(in crate::report::document) fn curve(out: &mut Markup, it: &Curve, style: Option<&'static str>) {
    let [left, top, right, bottom] = PLOT;
    let across = Scale { values: [0.0, f64::from(it.turns)], places: [left, right] };
    let up = Scale { values: [0.0, 100.0], places: [bottom, top] };
    picture(out, SIZE, &it.title, style, |out| {
        for percent in [0.0, 50.0, 100.0] {
            let y = up.place(percent);
            line(out, "grid", [left, y], [right, y]);
            text(out, "tick", [left - 5.0, y + 4.0], Anchor::End, &number(percent));
        }
        for quarter in 0..=4 {
            let turns = it.turns * quarter / 4;
            let anchor = if quarter < 4 { Anchor::Middle } else { Anchor::End };
            text(out, "tick", [across.place(f64::from(turns)), bottom + 16.0], anchor, &turns.to_string());
        }
        text(out, "axis", [2.0, 12.0], Anchor::Start, &format!("{}, % of stuck runs by turn", it.title));
        if it.lines.is_empty() {
            path(out, "line others", "");
            path(out, "line", "");
        }
        for one in &it.lines {
            path(out, "line", &steps(one, &across, &up));
        }
    });
}

fn steps(it: &Line, across: &Scale, up: &Scale) -> String {
    let mut steps = format!("M{} {}", number(across.places[0]), number(up.places[0]));
    let mut sum = 0;
    for (turns, runs) in &it.steps {
        sum += runs;
        let share = 100.0 * sum as f64 / it.of.max(1) as f64;
        steps += &format!("H{}V{}", number(across.place(f64::from(*turns))), number(up.place(share)));
    }
    steps + &format!("H{}", number(across.places[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_steps_up_where_runs_end() {
        let across = Scale { values: [0.0, 10.0], places: [0.0, 100.0] };
        let up = Scale { values: [0.0, 100.0], places: [100.0, 0.0] };
        let line = Line { name: String::new(), of: 4, steps: vec![(0, 1), (5, 2), (20, 1)] };
        assert_eq!(steps(&line, &across, &up), "M0 100H0V75H50V25H100V0H100");
    }
}
