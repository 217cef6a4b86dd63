//! One unit: a seed of a scenario, played by every stack.

use balk_reports::records::{Cell, Grade, Lapse, Outcome, PlannedTranscripts, Suite, TrialRecord};

use crate::grade;
use crate::simulate::Simulation;

/// Which transcripts to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None.
    Nothing,
    /// Those of trials with a lapse.
    Failing,
    /// All.
    Everything,
}

impl Keep {
    /// As a plan has it.
    #[must_use]
    pub const fn planned(self) -> Option<PlannedTranscripts> {
        match self {
            Self::Nothing => None,
            Self::Failing => Some(PlannedTranscripts::Failing),
            Self::Everything => Some(PlannedTranscripts::All),
        }
    }

    fn takes(self, grade: &Grade) -> bool {
        match self {
            Self::Nothing => false,
            Self::Failing => Lapse::ALL.into_iter().any(|lapse| lapse.is_in(grade)),
            Self::Everything => true,
        }
    }
}

/// Plays one seed with every stack and adds the results to their cells. The first stack is the baseline.
///
/// Returns the transcripts to keep, in the order of the stacks; those of the other response models are not kept.
pub(super) fn play(
    stacks: &[[Simulation<'_>; 3]],
    suite: Suite,
    seed: u64,
    set: &[(String, String)],
    keep: Keep,
    cells: &mut [Cell],
) -> Vec<TrialRecord> {
    let Some([first, ..]) = stacks.first() else { return Vec::new() };
    let world = first.world(seed);
    let language = world.language();
    let skeleton = (suite == Suite::Drawn).then(|| world.skeleton());
    let mut baseline: Option<Grade> = None;
    let mut kept = Vec::new();
    for ([own, flat, drawn], cell) in stacks.iter().zip(cells) {
        let own_world = (!own.shares_worlds(first)).then(|| own.world(seed));
        let world = own_world.as_ref().unwrap_or(&world);
        let trial = own.trial(world);
        let graded = grade::grade_each(&trial, |it, is_false| {
            cell.fired(&it.note.guard, &it.note.rule, is_false);
        });
        // Without an intervention, the response model was never used.
        let other = |it: &Simulation<'_>| {
            (graded.interventions > 0).then(|| grade::grade(&it.trial(&it.world(seed))))
        };
        let (flat, drawn) = (other(flat), other(drawn));
        let baseline = &*baseline.get_or_insert_with(|| graded.clone());
        cell.take(&Outcome {
            seed,
            language,
            skeleton,
            grade: &graded,
            baseline,
            flat: flat.as_ref().unwrap_or(&graded),
            drawn: drawn.as_ref().unwrap_or(&graded),
        });
        if keep.takes(&graded) {
            kept.push(own.recorded(world, set, &trial));
        }
    }
    kept
}
