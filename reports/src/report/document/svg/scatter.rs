//! A scatter: points with intervals in two directions, and the frontier.

use super::canvas::{Anchor, Place, Scale, line, mark, number, path, picture, text};
use super::labels::places;
use crate::report::document::figure::{Point, Role, Scatter};
use crate::report::document::markup::Markup;

const SIZE: Place = [620.0, 446.0];
/// The corners of the plot: left, top, right, bottom.
const PLOT: [f64; 4] = [44.0, 26.0, 606.0, 386.0];

/// Room for labels left of 0.
const MARGIN: f64 = 56.0;

/// Where the horizontal axis has its marks.
const ACROSS: [f64; 5] = [0.0, 1.0, 10.0, 100.0, 1_000.0];
const UP: [f64; 5] = [0.0, 25.0, 50.0, 75.0, 100.0];

/// Linear near 0, then logarithmic: most stacks are between 0 and 10, and the others far away.
fn bent(value: f64) -> f64 {
    libm::log10(1.0 + value.max(0.0))
}

struct Axes {
    across: Scale,
    up: Scale,
}

impl Axes {
    fn place(&self, point: &Point) -> Place {
        [self.across.place(bent(point.across.value)), self.up.place(point.up.value)]
    }
}

/// Draws it.
pub(in crate::report::document) fn scatter(out: &mut Markup, it: &Scatter, style: Option<&'static str>) {
    let [left, top, right, bottom] = PLOT;
    let axes = Axes {
        across: Scale { values: [0.0, bent(1_000.0)], places: [left + MARGIN, right] },
        up: Scale { values: [0.0, 100.0], places: [bottom - 4.0, top] },
    };
    picture(out, SIZE, &it.title, style, |out| {
        frame(out, it, &axes);
        frontier(out, it, &axes);
        let mut points: Vec<&Point> = it.points.iter().collect();
        // What matters most is drawn last, and gets the best place for its label.
        points.sort_by_key(|it| match it.role {
            Role::Ours => 2,
            Role::Yardstick => 1,
            Role::Peer => 0,
        });
        for point in &points {
            interval(out, point, &axes);
        }
        for point in &points {
            out.around("g", &[("class", point.role.class())], |out| {
                let [across, up] = &point.shown;
                out.element("title", &[], &format!("{}: {} {up}, {} {across}", point.name, it.up, it.across));
                mark(out, point.role, axes.place(point));
            });
        }
        points.reverse();
        let labels: Vec<(&str, Place)> = points.iter().map(|it| (&*it.name, axes.place(it))).collect();
        let places = places(&labels, [left + 2.0, top - 14.0, right + 8.0, bottom + 2.0]);
        for ((point, (words, from)), placed) in points.iter().zip(&labels).zip(&places) {
            if placed.is_far {
                line(out, "lead", *from, [placed.place[0], placed.place[1] - 4.0]);
            }
            let class = format!("label {}", point.role.class());
            text(out, &class, placed.place, placed.anchor, words);
        }
    });
}

fn frame(out: &mut Markup, it: &Scatter, axes: &Axes) {
    let [left, top, right, bottom] = PLOT;
    for value in UP {
        let y = axes.up.place(value);
        line(out, "grid", [left, y], [right, y]);
        text(out, "tick", [left - 6.0, y + 4.0], Anchor::End, &number(value));
    }
    for value in ACROSS {
        let x = axes.across.place(bent(value));
        line(out, "grid", [x, top], [x, bottom]);
        let shown = if value < 1_000.0 { number(value) } else { "1,000".to_owned() };
        let anchor = if value < 1_000.0 { Anchor::Middle } else { Anchor::End };
        text(out, "tick", [x, bottom + 15.0], anchor, &shown);
    }
    text(out, "axis", [4.0, 13.0], Anchor::Start, &format!("↑ {}", it.up));
    text(out, "axis", [right, bottom + 32.0], Anchor::End, &format!("{} →", it.across));
    legend(out, it);
}

fn legend(out: &mut Markup, it: &Scatter) {
    let (mut x, y) = (PLOT[0] + 6.0, SIZE[1] - 10.0);
    for role in Role::ALL.into_iter().filter(|role| it.points.iter().any(|point| point.role == *role)) {
        mark(out, role, [x, y - 4.0]);
        text(out, "tick", [x + 10.0, y], Anchor::Start, role.name());
        x += 28.0 + 6.0 * role.name().len() as f64;
    }
}

/// Steps from each point of the frontier to the next: what lies below and right of them is beaten.
fn frontier(out: &mut Markup, it: &Scatter, axes: &Axes) {
    let mut steps = String::new();
    for point in it.frontier() {
        let [x, y] = axes.place(point).map(number);
        steps += &if steps.is_empty() { format!("M{x} {y}") } else { format!("H{x}V{y}") };
    }
    if !steps.is_empty() {
        steps += &format!("H{}", number(PLOT[2]));
        path(out, "frontier", &steps);
    }
}

fn interval(out: &mut Markup, point: &Point, axes: &Axes) {
    let [x, y] = axes.place(point);
    let across = [point.across.low, point.across.high].map(|it| axes.across.place(bent(it)));
    let up = axes.up.bounds(&point.up);
    let class = format!("interval {}", point.role.class());
    line(out, &class, [across[0], y], [across[1], y]);
    line(out, &class, [x, up[0]], [x, up[1]]);
}
