//! How well the simulation predicts what a real model does.
//!
//! Every world of a live record is played by its scripted actor, under the same stacks, once with the reactions that
//! are assumed and once with those that were fitted. How often a model gets stuck is the model's own, and a stubborn
//! actor always does. So **recovery** is compared given that a run got stuck, and only in worlds that have a stubborn
//! actor and a goal that can be reached.
//!
//! The worlds of a simulated figure count as they do in the live one: by the live runs that got stuck (recovery), by
//! the samples after a message (reaction), by the live runs (goals), by the healthy turns of the live runs
//! (disturbance). So the two figures differ only in who plays. A world that one of the sides says nothing about is left
//! out on both.

mod acts;
pub mod text;

use balk_reports::statistics::{Cluster, Share};

pub use acts::Acts;

/// A simulated share of recovered runs so near the live one predicts it.
pub const NEAR_POINTS: f64 = 10.0;

/// What one stack did in one world.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    /// With the real model.
    pub live: Acts,
    /// With a scripted actor and the reactions that are assumed.
    pub assumed: Acts,
    /// With a scripted actor and fitted reactions, if there are any.
    pub fitted: Option<Acts>,
}

/// One world under every stack.
#[derive(Clone, Debug)]
pub struct WorldSides {
    /// Its name.
    pub name: String,
    /// Whether its actor gets stuck.
    pub is_stubborn: bool,
    /// Whether its goal can be reached.
    pub is_reachable: bool,
    /// One for each stack, in order.
    pub stacks: Vec<Sides>,
}

/// A live record beside the simulation.
#[derive(Clone, Debug)]
pub struct LiveComparison {
    /// The model, as requests name it.
    pub model: String,
    /// Where the fitted reactions come from; none without them.
    pub origin: Option<String>,
    /// The stacks.
    pub stacks: Vec<String>,
    /// The worlds.
    pub worlds: Vec<WorldSides>,
}

/// What is compared: a part of the counts and what it is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Runs that recovered, of those that got stuck.
    Recovery,
    /// New calls after a message of the stack to a model that balks, of all these messages.
    Reaction,
    /// Goals reached, of all runs.
    Goals,
    /// Disturbing interventions, of healthy turns.
    Disturbance,
}

/// One stack by one measure, over all worlds that both sides say something about.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The live counts, one for each world.
    pub live: Vec<Cluster>,
    /// Simulated with assumed reactions; none without a world.
    pub assumed: Option<Simulated>,
    /// Simulated with fitted reactions; none without these.
    pub fitted: Option<Simulated>,
}

/// A simulated share, beside the live one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulated {
    /// The share.
    pub share: f64,
    /// Simulated minus live.
    pub difference: f64,
    /// The mean absolute difference over the worlds, each counted once.
    pub by_world: f64,
}

impl Measure {
    fn of(self, Acts { counts, reacted }: &Acts) -> Cluster {
        let [count, of] = match self {
            Self::Reaction => [reacted.count, reacted.of],
            Self::Recovery => [counts.recovered, counts.onsets],
            Self::Goals => [counts.done, counts.trials],
            Self::Disturbance => [counts.false_interventions, counts.healthy_turns],
        };
        Cluster { count, of }
    }

    /// Whether the actor of this world shows it.
    fn is_in(self, world: &WorldSides) -> bool {
        match self {
            Self::Recovery => world.is_stubborn && world.is_reachable,
            Self::Reaction => world.is_stubborn,
            Self::Goals => world.is_reachable,
            Self::Disturbance => true,
        }
    }

    /// What one side did in one world, if that says anything.
    #[must_use]
    pub fn share(self, acts: &Acts) -> Option<f64> {
        share(self.of(acts))
    }
}

impl LiveComparison {
    /// The worlds in which recovery can be compared and at least one live run got stuck.
    pub fn recovering(&self) -> impl Iterator<Item = &WorldSides> {
        let is_stuck = |it: &&WorldSides| it.stacks.iter().any(|sides| sides.live.counts.onsets > 0);
        self.worlds.iter().filter(|it| Measure::Recovery.is_in(it)).filter(is_stuck)
    }

    /// The stack in this place.
    #[must_use]
    pub fn figure(&self, stack: usize, measure: Measure) -> Figure {
        let worlds = self.worlds.iter().filter(|it| measure.is_in(it)).map(|it| &it.stacks[stack]);
        let says = |it: &&Sides| {
            let simulated = [Some(it.assumed), it.fitted].into_iter().flatten();
            [it.live].into_iter().chain(simulated).all(|acts| measure.of(&acts).of > 0)
        };
        let worlds: Vec<&Sides> = worlds.filter(says).collect();
        let pairs = |side: &dyn Fn(&Sides) -> Option<Acts>| {
            let pairs = worlds.iter().map(|it| Some([measure.of(&it.live), measure.of(&side(it)?)]));
            simulated(&pairs.collect::<Option<Vec<_>>>()?)
        };
        Figure {
            live: worlds.iter().map(|it| measure.of(&it.live)).collect(),
            assumed: pairs(&|it| Some(it.assumed)),
            fitted: pairs(&|it| it.fitted),
        }
    }

    /// The recovery of every stack for which it can be compared.
    #[must_use]
    pub fn recovery(&self) -> Vec<Figure> {
        let all = (0..self.stacks.len()).map(|stack| self.figure(stack, Measure::Recovery));
        all.filter(|it| it.assumed.is_some()).collect()
    }

    /// The live runs that got stuck, and those of them in worlds without a stubborn actor or a goal in reach.
    #[must_use]
    pub fn stuck(&self) -> [u64; 2] {
        let stuck = |it: &WorldSides| it.stacks.iter().map(|sides| sides.live.counts.onsets).sum::<u64>();
        let elsewhere = self.worlds.iter().filter(|it| !Measure::Recovery.is_in(it));
        [self.worlds.iter().map(stuck).sum(), elsewhere.map(stuck).sum()]
    }
}

impl Figure {
    /// The live share, clustered by world. Disturbance is a rate and has none.
    #[must_use]
    pub fn share(&self) -> Share {
        Share::of_clusters(&self.live)
    }

    /// The live counts of all worlds.
    #[must_use]
    pub fn sum(&self) -> Cluster {
        let add = |sum: Cluster, it: &Cluster| Cluster { count: sum.count + it.count, of: sum.of + it.of };
        self.live.iter().fold(Cluster::default(), add)
    }
}

/// The mean of these numbers, if there are any.
#[must_use]
pub fn mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, of) = numbers.into_iter().fold((0.0, 0_u32), |(sum, of), it| (sum + it, of + 1));
    (of > 0).then(|| sum / f64::from(of))
}

/// A simulated share over worlds, each with its live and its simulated counts.
fn simulated(worlds: &[[Cluster; 2]]) -> Option<Simulated> {
    let (mut live, mut played, mut of) = (0.0, 0.0, 0.0);
    let mut apart = Vec::new();
    for &[own, other] in worlds {
        let (own_share, other_share) = (share(own)?, share(other)?);
        let weight = own.of as f64;
        live += weight * own_share;
        played += weight * other_share;
        of += weight;
        apart.push((other_share - own_share).abs());
    }
    let by_world = mean(apart)?;
    Some(Simulated { share: played / of, difference: (played - live) / of, by_world })
}

fn share(Cluster { count, of }: Cluster) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use balk_reports::records::Counts;

    use super::*;

    /// Counts of runs: those that got stuck, and those of them that recovered.
    fn runs(onsets: u64, recovered: u64) -> Acts {
        let counts = Counts { trials: onsets, onsets, done: recovered, recovered, ..Counts::default() };
        Acts { counts, reacted: Cluster::default() }
    }

    fn world(name: &str, sides: Sides) -> WorldSides {
        WorldSides { name: name.to_owned(), is_stubborn: true, is_reachable: true, stacks: vec![sides] }
    }

    fn comparison(worlds: Vec<WorldSides>) -> LiveComparison {
        let (model, stacks) = ("m".to_owned(), vec!["default".to_owned()]);
        LiveComparison { model, origin: None, stacks, worlds }
    }

    #[test]
    fn worlds_count_as_they_do_in_the_live_record() {
        let rare = Sides { live: runs(1, 1), assumed: runs(100, 50), fitted: Some(runs(100, 100)) };
        let often = Sides { live: runs(3, 0), assumed: runs(100, 100), fitted: Some(runs(100, 25)) };
        let figure =
            comparison(vec![world("rare", rare), world("often", often)]).figure(0, Measure::Recovery);
        assert_eq!(figure.sum(), Cluster { count: 1, of: 4 });
        // (1 · 50 % + 3 · 100 %) / 4, and (1 · 100 % + 3 · 25 %) / 4; live 25 %.
        let assumed = Simulated { share: 0.875, difference: 0.625, by_world: 0.75 };
        let fitted = Simulated { share: 0.4375, difference: 0.1875, by_world: 0.125 };
        assert_eq!((figure.assumed, figure.fitted), (Some(assumed), Some(fitted)));
    }

    #[test]
    fn a_world_that_shows_nothing_is_left_out_on_both_sides() {
        let sides = Sides { live: runs(2, 1), assumed: runs(10, 5), fitted: None };
        let never_stuck = Sides { live: runs(0, 0), ..sides };
        let healthy = WorldSides { is_stubborn: false, ..world("healthy", sides) };
        let hopeless = WorldSides { is_reachable: false, ..world("hopeless", sides) };
        let all = comparison(vec![world("one", sides), world("never", never_stuck), healthy, hopeless]);
        let figure = all.figure(0, Measure::Recovery);
        assert_eq!(figure.live, [Cluster { count: 1, of: 2 }]);
        assert_eq!(figure.assumed, Some(Simulated { share: 0.5, difference: 0.0, by_world: 0.0 }));
        assert_eq!(figure.fitted, None);
        assert_eq!(all.recovering().map(|it| &*it.name).collect::<Vec<_>>(), ["one"]);
        assert_eq!(all.stuck(), [6, 4]);
        // Without a world there is no figure.
        assert_eq!(comparison(Vec::new()).figure(0, Measure::Goals).assumed, None);
    }
}
