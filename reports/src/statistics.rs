//! Statistics over trials: estimates, intervals and tests.
//!
//! | figure | type | interval |
//! |---|---|---|
//! | share of trials | [`Share::new`] | exact (Clopper and Pearson) |
//! | share of trials in clusters | [`Share::of_clusters`] | exact on the effective number of trials |
//! | share of weighted points in clusters | [`ClusteredShare`] | exact on the effective number of points |
//! | difference of two shares of the same trials in blocks | [`Change::of_blocks`] | Student's t over blocks, at least as wide as that of pairs |
//! | difference of two shares of different trials | [`Change::of_shares`] | square and add, from exact bounds |
//! | difference of two rates | [`Change::of_rates`] | square and add |
//! | events per turn | [`Rate`], from `RateSums` | gamma, with the variance between trials |
//! | difference of two paired shares | [`PairedDifference::new`] | square and add, from exact bounds |
//! | the same over clusters | [`PairedDifference::of_clusters`] | square and add, from bounds over clusters |
//! | the same at every look | [`SequentialDifference`] | betting on worlds, in reversed time |
//! | ratio of two sums over clusters | [`Ratio`] | jackknife of its logarithm, Student's t |
//! | difference of sums over blocks | [`BlockDifference`], from [`Block`]s | Student's t over the blocks |
//! | median of a number over trials | [`Median`] | order statistics |
//! | agreement of two orders | [`Tau`], Kendall's | of Fieller, Hartley and Pearson |
//! | agreement of two readers | [`Kappa`], Cohen's | that of a share, beyond chance |
//!
//! [`mcnemar`] tests whether two stacks differ on the same seeds, and [`holm`] corrects several such tests.
//! [`Variation`] says what difference a number of worlds and trials can show.
//!
//! **The unit.** Turns of one trial are not independent, so a figure of one written scenario treats trials as the unit,
//! and speaks of that scenario alone. Trials of one scenario, or of one skeleton of a drawn world, resemble each other,
//! so a figure over several scenarios treats scenarios as the unit, and one of drawn worlds treats groups of whole
//! skeletons as the unit. Beside the number of trials stands the effective number: how many independent trials would
//! say as much.
//!
//! Only integers are merged, so shards add up to the same bytes as one run; `libm` computes the same bits on every
//! machine. Every interval claims a coverage of 95 %.
//! Each file says what coverage was measured, and where the method is known to cover less.

#![expect(clippy::float_arithmetic, reason = "statistics over trials; no trial depends on them")]

mod beta;
mod blocks;
mod change;
mod clustered;
mod detectable;
mod difference;
mod difference_of_clusters;
#[cfg(test)]
mod draws;
mod gamma;
mod holm;
mod independent;
mod kappa;
mod kendall;
mod mcnemar;
mod median;
mod number;
mod print;
mod rate;
mod ratio;
mod root;
mod sequence;
mod share;
mod share_of_clusters;
mod shares_by_block;

pub use blocks::{Block, BlockDifference};
pub use change::Change;
pub use clustered::{Cluster, ClusteredShare};
pub use detectable::Variation;
pub use difference::PairedDifference;
pub use difference_of_clusters::PairedCluster;
pub use holm::{compared, holm};
pub use kappa::Kappa;
pub use kendall::Tau;
pub use mcnemar::mcnemar;
pub use median::Median;
pub use print::{PValue, Times, p_text, per_thousand};
pub use rate::Rate;
pub use ratio::Ratio;
pub use sequence::SequentialDifference;
pub use share::Share;
