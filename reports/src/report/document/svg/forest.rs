//! A forest plot: differences with their intervals, one below the other.

use super::canvas::{Anchor, Scale, line, number, picture, text};
use crate::report::document::figure::{Forest, ForestRow};
use crate::report::document::markup::Markup;

const WIDTH: f64 = 720.0;
/// The left and the right end of the plot.
const PLOT: [f64; 2] = [236.0, 540.0];
const TOP: f64 = 36.0;
const ROW: f64 = 20.0;

/// Draws it.
pub(in crate::report::document) fn forest(out: &mut Markup, it: &Forest, style: Option<&'static str>) {
    let scale = Scale { values: range(&it.rows), places: PLOT };
    let bottom = TOP + ROW * it.rows.len() as f64;
    picture(out, [WIDTH, bottom + 24.0], &it.title, style, |out| {
        let zero = scale.place(0.0);
        let [worse, better] = it.unit.sides();
        text(out, "axis", [zero - 8.0, 16.0], Anchor::End, worse);
        text(out, "axis", [zero + 8.0, 16.0], Anchor::Start, better);
        for value in [scale.values[0], 0.0, scale.values[1]] {
            let x = scale.place(value);
            line(out, if value == 0.0 { "zero" } else { "grid" }, [x, TOP - 10.0], [x, bottom]);
            text(out, "tick", [x, bottom + 16.0], Anchor::Middle, &signed(value));
        }
        let mut group = "";
        for (at, row) in it.rows.iter().enumerate() {
            let y = TOP + ROW * (at as f64 + 0.5);
            let is_new = row.of[0] != group;
            group = &row.of[0];
            if is_new {
                text(out, "axis", [0.0, y + 4.0], Anchor::Start, &short(group));
            }
            difference(out, row, y, &scale);
        }
    });
}

fn difference(out: &mut Markup, row: &ForestRow, y: f64, scale: &Scale) {
    let class = if row.is_sure { "sure" } else { "unsure" };
    out.around("g", &[("class", class)], |out| {
        out.element("title", &[], &format!("{} {}: {}", row.of[0], row.of[1], row.shown));
        text(out, "label", [PLOT[0] - 12.0, y + 4.0], Anchor::End, &short(&row.of[1]));
        let [low, high] = scale.bounds(&row.difference);
        line(out, "interval", [low, y], [high, y]);
        let x = number(scale.place(row.difference.value));
        out.element("circle", &[("class", "mark"), ("cx", &x), ("cy", &number(y)), ("r", "4")], "");
        text(out, "label", [WIDTH, y + 4.0], Anchor::End, &row.shown);
    });
}

/// A name that fits beside the plot.
fn short(name: &str) -> String {
    const CHARS: usize = 22;
    if name.chars().count() <= CHARS {
        return name.to_owned();
    }
    name.chars().take(CHARS - 1).chain(['…']).collect()
}

/// Round numbers around all values; open bounds do not count.
fn range(rows: &[ForestRow]) -> [f64; 2] {
    let all = rows.iter().flat_map(|it| [it.difference.low, it.difference.value, it.difference.high]);
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for value in all.filter(|it| it.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    let step = libm::pow(10.0, libm::floor(libm::log10((high - low).max(1e-6))));
    let [low, high] = [libm::floor(low / step) * step, libm::ceil(high / step) * step];
    if low < high { [low, high] } else { [-1.0, 1.0] }
}

fn signed(value: f64) -> String {
    let shown = number(value);
    if value > 0.0 { format!("+{shown}") } else { shown.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::figure::Interval;

    #[test]
    fn the_axis_has_round_ends_around_all_bounds() {
        let row = |low: f64, value: f64, high: f64| ForestRow {
            of: Default::default(),
            difference: Interval { value, low, high },
            shown: String::new(),
            p: String::new(),
            is_sure: false,
        };
        assert_eq!(
            range(&[row(-12.0, 3.0, 44.0), row(f64::NEG_INFINITY, 1.0, f64::INFINITY)]),
            [-20.0, 50.0]
        );
        assert_eq!(range(&[row(1.0, 2.0, 3.0)]), [0.0, 3.0]);
        assert_eq!([range(&[row(0.0, 0.0, 0.0)]), range(&[])], [[-1.0, 1.0]; 2]);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("naive-duplicate"), "naive-duplicate");
        assert_eq!(short(&"x".repeat(30)).chars().count(), 22);
    }
}
