//! Metrics by name.

use super::scope::nearest;

/// The metrics that a condition can judge.
pub trait Measured: Sized {
    /// Conditions as one could write them, for messages.
    const EXAMPLE: &str;

    /// The metric of this name.
    ///
    /// # Errors
    /// No metric has this name; the error says which ones there are.
    fn named(name: &str) -> Result<Self, String>;
}

/// The metric of this name, of those that there are.
///
/// # Errors
/// No metric has this name; the error names the nearest one, or all.
pub fn named<M: Copy>(name: &str, all: &[(&str, M)]) -> Result<M, String> {
    all.iter().find(|(it, _)| *it == name).map(|(_, metric)| *metric).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let help = nearest(name, &names)
            .map_or_else(|| format!("known: {}", names.join(", ")), |it| format!("did you mean `{it}`?"));
        format!("`{name}` is not a metric; {help}")
    })
}
