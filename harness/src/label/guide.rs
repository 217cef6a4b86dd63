//! The guide by which readers judge.

/// The guide. `docs/labels.md` has the same text under "How points were judged"; a test compares them.
#[must_use]
pub fn guide() -> &'static str {
    include_str!("guide.md").trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::answer::KINDS;

    #[test]
    fn the_guide_has_the_labels_and_all_kinds() {
        for word in
            KINDS.iter().map(|kind| format!("`{kind}`")).chain(["*Stuck*".into(), "*Legitimate*".into()])
        {
            assert!(guide().contains(&word), "{word}");
        }
        assert!(guide().lines().count() < 100, "{}", guide());
    }
}
