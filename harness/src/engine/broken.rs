//! Broken attempts, as the loop sees them.

use balk_guards::{AttemptCause, AttemptFacts};
use balk_scenarios::{Act, Broken, Stage, Truth, Wire};

/// What the loop saw of a broken attempt, except for the calls that ran in it.
pub(super) fn facts(broken: &Broken, has_text: bool) -> AttemptFacts {
    let came_to = |stage| Some(broken.at >= stage);
    AttemptFacts {
        provider_progress: came_to(Stage::Progress),
        visible_output: Some(broken.at >= Stage::Output && has_text),
        tool_input_started: came_to(Stage::Input),
        tool_call_materialized: came_to(Stage::Call),
        ..AttemptFacts::default()
    }
}

/// The same act, refused because it came before the time that the provider gave.
pub(super) fn refused(act: Act, ticks: u64) -> Act {
    let cause = AttemptCause::Status { code: 429, retry_after: Some(ticks) };
    let broken = Broken { cause, at: Stage::Nothing, message: "too early".into(), wire: Wire::Cause };
    Act { truth: Truth::Faulted, broken: Some(broken), ran_by_provider: Vec::new(), ..act }
}
