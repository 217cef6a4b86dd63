//! How easily models are moved: the measured profiles, and a population from which a seed draws one model.
//!
//! A model is a row: how likely a plain complaint moves it, at the first to the fourth and later correction in a row.
//! The measured rows lie on one chain, from a small model that hardly anything moves to strong models of 2025. The
//! population has [`SIZE`] equally likely models. Each is the point of the chain, between two measured rows on the
//! scale of log odds, whose chance to be moved within three complaints is a quantile of what was recorded: of 18 pairs
//! of live runs with and without guards, and of 23 models in the recordings (`docs/reactions.md#the-population`).

use crate::draws::{Draw, Draws};
use crate::scenario::Profile;

/// By the number of the correction in a row: first, second, third, fourth and later.
pub(super) type Row = [u32; 4];

/// How easily a model is moved, and what it is like otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Model {
    /// The profile whose traits it has.
    pub(super) like: Profile,
    /// By a plain complaint.
    pub(super) base: Row,
    /// By any message at all.
    pub(super) flat: Row,
    /// The lowest and the highest base that the counts allow.
    pub(super) bounds: [Row; 2],
}

/// Models in the population.
pub(super) const SIZE: usize = 16;

/// The population, from the hardest to move to the easiest.
pub(super) const POPULATION: [Model; SIZE] = {
    let mut models = [member(0); SIZE];
    let mut at = 0;
    while at < SIZE {
        models[at] = member(at);
        at += 1;
    }
    models
};

const ROWS: [(Profile, Row); SIZE] = [
    (Profile::Weak, [270, 30, 10, 3]),
    (Profile::Weak, [278, 33, 10, 3]),
    (Profile::Weak, [427, 98, 23, 6]),
    (Profile::Gpt35, [584, 191, 69, 18]),
    (Profile::Gpt35, [639, 239, 102, 28]),
    (Profile::Gpt35, [666, 285, 154, 48]),
    (Profile::Gpt35, [699, 368, 292, 122]),
    (Profile::Gpt4o, [710, 401, 357, 167]),
    (Profile::Gpt4o, [727, 453, 468, 262]),
    (Profile::Gpt4o, [751, 529, 630, 447]),
    (Profile::Gpt4o, [780, 563, 679, 498]),
    (Profile::Strong, STRONG),
    (Profile::Strong, STRONG),
    (Profile::Strong, STRONG),
    (Profile::Strong, STRONG),
    (Profile::Strong, STRONG),
];

/// Measured .95 .59 .58 .26, less 5 points that information adds near the ceiling.
const STRONG: Row = [900, 590, 580, 260];

/// Its bounds are its second neighbours in the population, each way.
const fn member(at: usize) -> Model {
    const FAR: usize = 2;
    let (like, base) = ROWS[at];
    let low = ROWS[at.saturating_sub(FAR)].1;
    let high = ROWS[if at + FAR < SIZE { at + FAR } else { SIZE - 1 }].1;
    Model { like, base, flat: base, bounds: [least(low, base), most(high, base)] }
}

const fn least(a: Row, b: Row) -> Row {
    let mut row = a;
    let mut at = 0;
    while at < row.len() {
        row[at] = if a[at] < b[at] { a[at] } else { b[at] };
        at += 1;
    }
    row
}

const fn most(a: Row, b: Row) -> Row {
    let mut row = a;
    let mut at = 0;
    while at < row.len() {
        row[at] = if a[at] > b[at] { a[at] } else { b[at] };
        at += 1;
    }
    row
}

/// The model of an actor: its profile's, or one of the population.
pub(super) fn model(profile: Profile, draws: &Draws) -> Model {
    match profile {
        Profile::Population => POPULATION[draws.dice(Draw::Model).index(SIZE)],
        Profile::Strong | Profile::Gpt4o | Profile::Gpt35 | Profile::Weak => pinned(profile),
    }
}

/// The measured model of a profile. The bounds are as far from it as the 95 % bounds are from the measured rows.
pub(super) const fn pinned(profile: Profile) -> Model {
    let (base, flat, bounds) = match profile {
        // .95 (.93–.97), .59 (.39–.76), .58 (.28–.85), .26 (.09–.51)
        Profile::Strong => (STRONG, [950, 590, 580, 260], [[880, 390, 280, 90], [920, 760, 850, 510]]),
        // .88 (.85–.92), .61 (.48–.72), .69 (.48–.86), .53 (.27–.79)
        Profile::Gpt4o => {
            ([760, 560, 690, 530], [880, 610, 690, 530], [[730, 430, 480, 270], [800, 670, 860, 790]])
        }
        // .75 (.65–.79), .36 (.28–.44), .12 (.06–.21), .06 (.03–.10)
        Profile::Gpt35 | Profile::Population => {
            ([650, 250, 110, 30], [750, 360, 120, 60], [[550, 170, 50, 0], [690, 330, 200, 70]])
        }
        // vicuna in InterCode: .41 (.31–.52), .09 (.03–.20), .02 (.00–.11), 0 of 48
        Profile::Weak => ([410, 90, 20, 5], [410, 90, 20, 5], [[310, 30, 0, 0], [520, 200, 110, 70]]),
    };
    Model { like: profile, base, flat, bounds }
}

#[cfg(test)]
#[expect(clippy::float_arithmetic, reason = "quantiles in a test; no trial depends on them")]
mod tests {
    use super::*;

    /// The recorded quantiles (`docs/reactions.md#the-population`), in parts per thousand, at (i + 1/2) / 16. What lies
    /// below the hardest and above the easiest measured row is cut there.
    const RECORDED: [u32; SIZE] =
        [299, 311, 495, 687, 753, 798, 865, 888, 921, 957, 969, 983, 983, 983, 983, 983];

    /// The chance to be moved within three plain complaints.
    fn within_three(row: Row) -> f64 {
        1.0 - row[..3].iter().map(|it| 1.0 - f64::from(*it) / 1_000.0).product::<f64>()
    }

    #[test]
    fn the_population_has_the_recorded_quantiles() {
        for (model, recorded) in POPULATION.iter().zip(RECORDED) {
            let simulated = within_three(model.base);
            assert!((simulated - f64::from(recorded) / 1_000.0).abs() < 0.003, "{recorded}: {simulated}");
        }
    }

    #[test]
    fn every_model_lies_between_its_measured_neighbours() {
        let chain =
            [Profile::Weak, Profile::Gpt35, Profile::Gpt4o, Profile::Strong].map(|it| pinned(it).base);
        for model in POPULATION {
            let place = chain.iter().filter(|row| within_three(**row) <= within_three(model.base)).count();
            let ends = [place.checked_sub(1).map(|at| chain[at]), chain.get(place).copied()];
            for at in 0..4 {
                // The third and fourth chances of strong models are below those of gpt-4o.
                let [low, high] = ends.map(|it| it.map(|row| row[at]));
                let (low, high) = (low.unwrap_or(0), high.unwrap_or(1_000));
                assert!(low.min(high) <= model.base[at] && model.base[at] <= low.max(high), "{model:?}");
            }
        }
    }
}
