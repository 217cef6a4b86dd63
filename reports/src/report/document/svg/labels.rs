//! Places for labels beside points, so that no two texts cover each other.

use super::canvas::{Anchor, Place};

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// A label at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    /// Where the text is: its baseline, at the anchor.
    pub(super) place: Place,
    /// Which end of the text is there.
    pub(super) anchor: Anchor,
    /// Whether it is so far away from its point that a line has to lead to it.
    pub(super) is_far: bool,
}

/// About the width of a character, and the height of a line, in a label.
const WIDTH: f64 = 6.1;
const HEIGHT: f64 = 12.0;

/// Half of the side of a mark, with a little room.
const MARK: f64 = 6.5;

/// Distances to try, and those beyond which a line leads to the label.
const DISTANCES: [f64; 9] = [9.0, 15.0, 22.0, 30.0, 39.0, 49.0, 60.0, 72.0, 85.0];
const NEAR: f64 = 16.0;

/// What a point of distance costs, in covered points of area.
const FAR: f64 = 0.1;

/// Directions to try: right, left, above, below, and between them.
const DIRECTIONS: [Place; 8] =
    [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [0.7, -0.7], [0.7, 0.7], [-0.7, -0.7], [-0.7, 0.7]];

/// A place for each label, in this order: the first ones get the best places. All are within the bounds.
pub(super) fn places(labels: &[(&str, Place)], bounds: Area) -> Vec<Placed> {
    let mut taken: Vec<Area> =
        labels.iter().map(|(_, [x, y])| [x - MARK, y - MARK, x + MARK, y + MARK]).collect();
    let mut placed = Vec::new();
    for (words, point) in labels {
        let width = WIDTH * words.chars().map(|c| if c.is_ascii() { 1.0 } else { 2.0 }).sum::<f64>();
        let tries =
            DISTANCES.iter().flat_map(|away| DIRECTIONS.map(|towards| (*away, at(*point, towards, *away))));
        let cost = |(away, it): &(f64, Placed)| {
            let area = area(it, width);
            let covered: f64 = taken.iter().map(|other| overlap(&area, other)).sum();
            covered + 100.0 * (width * HEIGHT - overlap(&area, &bounds)) + FAR * away
        };
        let best = tries.min_by(|one, other| cost(one).total_cmp(&cost(other))).expect("there are places").1;
        taken.push(area(&best, width));
        placed.push(best);
    }
    placed
}

fn at([x, y]: Place, [right, down]: Place, away: f64) -> Placed {
    let anchor = if right > 0.0 {
        Anchor::Start
    } else if right < 0.0 {
        Anchor::End
    } else {
        Anchor::Middle
    };
    // The baseline is a third of a line below the middle of a text.
    let place = [x + right * away, y + down * away + HEIGHT / 3.0];
    Placed { place, anchor, is_far: away > NEAR }
}

fn area(it: &Placed, width: f64) -> Area {
    let [x, y] = it.place;
    let left = match it.anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    [left, y - HEIGHT * 0.8, left + width, y + HEIGHT * 0.2]
}

fn overlap(one: &Area, other: &Area) -> f64 {
    let width = one[2].min(other[2]) - one[0].max(other[0]);
    let height = one[3].min(other[3]) - one[1].max(other[1]);
    width.max(0.0) * height.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_points_in_one_place_do_not_cover_each_other() {
        let labels: Vec<(&str, Place)> =
            ["none", "opencode", "naive-retry", "crush"].map(|it| (it, [60.0, 100.0])).to_vec();
        let bounds = [0.0, 0.0, 400.0, 300.0];
        let areas: Vec<Area> = places(&labels, bounds)
            .iter()
            .zip(&labels)
            .map(|(it, (words, _))| area(it, WIDTH * words.len() as f64))
            .collect();
        for (at, one) in areas.iter().enumerate() {
            assert!(one[0] >= 0.0 && one[2] <= 400.0, "{one:?}");
            assert!(areas[at + 1..].iter().all(|other| overlap(one, other) == 0.0), "{areas:?}");
        }
    }

    #[test]
    fn a_label_with_room_is_beside_its_point() {
        let placed = places(&[("default", [60.0, 100.0])], [0.0, 0.0, 400.0, 300.0]);
        assert!(!placed[0].is_far && placed[0].place[1] == 104.0, "{placed:?}");
    }
}
