//! The SVG writer: one picture of a figure, the same bytes on every machine.
//!
//! Positions have one decimal. Colours are classes, so that a page decides about them and a dark page has others; a
//! picture that stands alone brings the few rules that it needs.

#![expect(clippy::float_arithmetic, reason = "places on a picture; no trial depends on them")]

mod canvas;
mod curve;
mod forest;
mod labels;
mod scatter;
mod timeline;

use super::figure::Figure;
use super::markup::Markup;

pub(super) use curve::curve;
pub(super) use forest::forest;
pub(super) use scatter::scatter;
pub(super) use timeline::timeline;

/// The look of a picture that stands alone.
const ALONE: &str = concat!(include_str!("svg/colours.css"), include_str!("svg/figures.css"));

/// The figure as a picture of its own; a heat map has none.
#[must_use]
pub fn svg(figure: &Figure) -> Option<String> {
    let mut out = Markup::default();
    let style = Some(ALONE);
    match figure {
        Figure::Scatter(it) => scatter(&mut out, it, style),
        Figure::Curve(it) => curve(&mut out, it, style),
        Figure::Forest(it) => forest(&mut out, it, style),
        Figure::Timeline(it) => timeline(&mut out, it, style),
        Figure::HeatMap(_) => return None,
    }
    out.constant("\n");
    Some(out.finish())
}
