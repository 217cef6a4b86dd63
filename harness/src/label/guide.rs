//! The guide by which readers judge.

/// The document with the guide.
const DOCUMENT: &str = include_str!("../../../docs/labels.md");

/// The heading of the guide.
const HEADING: &str = "## How points were judged\n";

/// The guide, as it is in the document.
///
/// # Panics
/// If the document has no such heading.
#[must_use]
pub fn guide() -> &'static str {
    let (_, guide) = DOCUMENT.split_once(HEADING).expect("the document has the guide");
    guide.split("\n## ").next().unwrap_or(guide).trim()
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
        assert!(guide().lines().count() < 100 && !guide().contains("\n## "), "{}", guide());
    }
}
