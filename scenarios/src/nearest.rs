//! Finds the known name that was perhaps meant.

/// The known name that is nearest to `asked`: one that differs in few letters, else the shortest one that starts with
/// it. None if no name is near. Slips are looked for in names of up to 100 letters, and in the first 10,000 names.
///
/// ```
/// use balk_scenarios::nearest;
///
/// assert_eq!(nearest("stuborn", ["all", "stubborn"]), Some("stubborn"));
/// assert_eq!(nearest("abandon", ["abandonment=hard", "abandonment"]), Some("abandonment"));
/// assert_eq!(nearest("quite-other", ["all", "stubborn"]), None);
/// ```
#[must_use]
pub fn nearest<'k>(asked: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // A typing error changes few letters; a name that differs in more than a third of them is another name.
    let length = asked.chars().count();
    let slips_max = length.div_ceil(3);
    let (mut near, mut begun) = (None, None);
    for name in known.into_iter().take(LOOKED_AT) {
        // Each extra or missing letter is a slip, so a name of quite another length cannot be near.
        if length <= LETTERS && name.chars().count().abs_diff(length) <= slips_max {
            let slips = strsim::damerau_levenshtein(asked, name);
            if slips <= slips_max && near.is_none_or(|best| (slips, name) < best) {
                near = Some((slips, name));
            }
        }
        let begins = !asked.is_empty() && name.starts_with(asked);
        if begins && begun.is_none_or(|best| (name.len(), name) < best) {
            begun = Some((name.len(), name));
        }
    }
    near.or(begun).map(|(_, name)| name)
}

/// Longer names are compared by their beginnings alone: slips cost the square of the letters.
const LETTERS: usize = 100;
/// Of more names than these, the rest is not looked at.
const LOOKED_AT: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(asked: &str, expected: Option<&str>) {
        const KNOWN: [&str; 6] =
            ["none", "no-tools", "duplicate", "duplicate=notice", "abandonment", "abandonment=hard"];
        assert_eq!(nearest(asked, KNOWN), expected, "{asked}");
    }

    #[test]
    fn a_name_without_end_is_near_none() {
        let long = "repeating".repeat(100_000);
        assert_eq!(nearest(&long, ["repeating"; 1_000]), None);
        let other = "repeated!".repeat(100_000);
        assert_eq!(nearest(&long, [&*other]), None);
        assert_eq!(nearest(&long[1..], [&*long]), None);
    }

    #[test]
    fn few_letters_differ() {
        check("duplicat", Some("duplicate"));
        check("duplicate=notise", Some("duplicate=notice"));
        check("no-tool", Some("no-tools"));
        check("mone", Some("none"));
        check("something", None);
    }

    #[test]
    fn a_beginning_is_enough() {
        check("abandon", Some("abandonment"));
        check("abandonment=", Some("abandonment"));
        check("dup", Some("duplicate"));
        check("", None);
    }
}
