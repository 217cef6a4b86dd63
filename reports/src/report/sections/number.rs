//! Numbers and names in prose and in cells.

use crate::report::document::{Text, code, joined};
use crate::statistics::{Median, Share};

/// Names separated by commas; a dash for none.
pub(in crate::report) fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Text {
    let names = joined(names.into_iter().map(code));
    if names == Text::default() { "–".into() } else { names }
}

/// A count with commas between thousands.
pub(in crate::report) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part of a whole that was counted exactly, in percent with one decimal; a dash without a whole.
pub(in crate::report) fn percent_of(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".into();
    }
    let tenths = (2_000 * u128::from(part) + u128::from(whole)) / (2 * u128::from(whole));
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A share in percent with its bounds and its n; a dash without trials. The effective number follows n if it is less.
pub(in crate::report) fn share(it: &Share) -> String {
    if it.of == 0 {
        return it.percent();
    }
    let effective = it.effective_count();
    let worth = if effective < it.of { format!(" [{}]", grouped(effective)) } else { String::new() };
    format!("{} of {}{worth}", it.percent(), grouped(it.of))
}

/// A median with its bounds and its n; a dash for unknown numbers.
pub(in crate::report) fn median(it: &Median) -> String {
    if it.of == 0 { it.to_string() } else { format!("{it} of {}", grouped(it.of)) }
}

/// The value, or a dash.
pub(in crate::report) fn or_dash<T: std::fmt::Display>(it: Option<T>) -> String {
    it.map_or_else(|| "–".into(), |it| it.to_string())
}

/// A count and its noun, in the singular or with an `s`.
pub(in crate::report) fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Cluster;

    #[test]
    fn figures_say_of_how_many() {
        assert_eq!(share(&Share::new(1_000, 1_000)), "100.0 (99.6–100.0) of 1,000");
        assert_eq!(share(&Share::new(0, 0)), "–");
        let clustered = Share::of_clusters(&[Cluster { count: 9, of: 10 }; 20]);
        assert_eq!(share(&clustered), "90.0 (80.2–93.8) of 200 [67]");
        assert_eq!(median(&Median::new([(2, 4)].into_iter())), "2 (–) of 4");
        assert_eq!([counted(1, "trial"), counted(1_000, "trial")], ["1 trial", "1,000 trials"]);
    }

    #[test]
    fn parts_are_rounded_to_the_nearest_tenth_of_a_percent() {
        let parts = [(0, 0), (0, 7), (7, 7), (1, 3), (2, 3), (1, 2_000), (u64::MAX, u64::MAX)];
        assert_eq!(
            parts.map(|(part, whole)| percent_of(part, whole)),
            ["–", "0.0 %", "100.0 %", "33.3 %", "66.7 %", "0.1 %", "100.0 %"]
        );
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [0, 999, 1_000, 65_536, 1_000_000].map(grouped),
            ["0", "999", "1,000", "65,536", "1,000,000"]
        );
    }
}
