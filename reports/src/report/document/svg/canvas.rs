//! Shapes and texts on a picture.

use crate::report::document::figure::{Interval, Role};
use crate::report::document::markup::Markup;

/// A place on a picture, from its upper left corner.
pub(super) type Place = [f64; 2];

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A number with one decimal, without a sign of its own for zero.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A picture of this size with these contents. With a style it stands alone.
pub(super) fn picture(
    out: &mut Markup,
    [width, height]: Place,
    title: &str,
    style: Option<&'static str>,
    inside: impl FnOnce(&mut Markup),
) {
    let view = format!("0 0 {} {}", number(width), number(height));
    let (width, height) = (number(width), number(height));
    let mut attributes =
        vec![("class", "figure"), ("viewBox", &*view), ("width", &*width), ("height", &*height)];
    attributes.extend([("role", "img"), ("aria-label", title)]);
    if style.is_some() {
        attributes.push(("xmlns", "http://www.w3.org/2000/svg"));
    }
    out.around("svg", &attributes, |out| {
        if let Some(style) = style {
            out.around("style", &[], |out| out.constant(style));
            out.element("rect", &[("class", "ground"), ("width", "100%"), ("height", "100%")], "");
        }
        inside(out);
    });
}

pub(super) fn text(out: &mut Markup, class: &str, [x, y]: Place, anchor: Anchor, words: &str) {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let attributes = [("class", class), ("x", &number(x)), ("y", &number(y)), ("text-anchor", anchor)];
    out.element("text", &attributes, words);
    out.constant("\n");
}

pub(super) fn line(out: &mut Markup, class: &str, [x1, y1]: Place, [x2, y2]: Place) {
    let attributes = [
        ("class", class),
        ("x1", &*number(x1)),
        ("y1", &number(y1)),
        ("x2", &number(x2)),
        ("y2", &number(y2)),
    ];
    out.element("line", &attributes, "");
    out.constant("\n");
}

pub(super) fn path(out: &mut Markup, class: &str, steps: &str) {
    out.element("path", &[("class", class), ("d", steps)], "");
    out.constant("\n");
}

/// The mark of a stack: a disc for ours, an open diamond for a peer, a cross for a yardstick.
pub(super) fn mark(out: &mut Markup, role: Role, [x, y]: Place) {
    let class = format!("mark {}", role.class());
    match role {
        Role::Ours => {
            out.element(
                "circle",
                &[("class", &*class), ("cx", &number(x)), ("cy", &number(y)), ("r", "5.5")],
                "",
            );
        }
        Role::Peer => {
            path(out, &class, &format!("M{} {}l5 5l-5 5l-5 -5z", number(x), number(y - 5.0)));
        }
        Role::Yardstick => {
            let start = format!("M{} {}", number(x - 4.0), number(y - 4.0));
            path(out, &class, &format!("{start}l8 8m0 -8l-8 8"));
        }
    }
}

/// A straight scale: the range of values, and the positions of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) values: [f64; 2],
    pub(super) places: [f64; 2],
}

impl Scale {
    /// The position of a value; one outside of the range is at its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let [from, to] = self.places;
        from + (value.clamp(low, high) - low) / (high - low) * (to - from)
    }

    /// The positions of the bounds of a number.
    pub(super) fn bounds(&self, it: &Interval) -> [f64; 2] {
        [self.place(it.low), self.place(it.high)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_one_decimal() {
        assert_eq!([0.0, -0.01, 12.0, 12.34, -1.25].map(number), ["0", "0", "12", "12.3", "-1.2"]);
    }

    #[test]
    fn a_scale_ends_where_its_range_ends() {
        let scale = Scale { values: [0.0, 100.0], places: [300.0, 100.0] };
        assert_eq!([0.0, 50.0, 250.0].map(|it| scale.place(it)), [300.0, 200.0, 100.0]);
        assert_eq!(
            scale.bounds(&Interval { value: 1.0, low: f64::NEG_INFINITY, high: f64::INFINITY }),
            [300.0, 100.0]
        );
    }
}
