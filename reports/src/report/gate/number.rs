//! The number of a gate: an exact ratio.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A whole number, a decimal or a fraction, kept exactly.
#[derive(Clone, Debug)]
pub struct Number {
    text: String,
    numerator: i64,
    denominator: u64,
}

impl Number {
    /// Its order relative to a count.
    #[must_use]
    pub fn compare(&self, count: u64) -> Ordering {
        i128::from(self.numerator).cmp(&(i128::from(count) * i128::from(self.denominator)))
    }

    /// The nearest float, to compare with the bound of an interval.
    #[expect(clippy::float_arithmetic, reason = "bounds of intervals are floats; no trial depends on them")]
    #[must_use]
    pub fn value(&self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// Numbers are equal if their values are.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        let across = |one: &Self, two: &Self| i128::from(one.numerator) * i128::from(two.denominator);
        across(self, other) == across(other, self)
    }
}

impl Eq for Number {}

/// As it was typed.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const EXPECTED: &str = "expected a number as in 3, 0.95, -0.05 or 9/10, with at most 15 digits";
const DIGITS_MAX: usize = 15;

impl FromStr for Number {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{EXPECTED}, found `{text}`");
        let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit()) && part.len() <= DIGITS_MAX;
        let whole = |part: &str| part.parse::<u64>().ok().filter(|_| digits(part));
        let (sign, unsigned) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (numerator, denominator) = match (unsigned.split_once('/'), unsigned.split_once('.')) {
            (Some((numerator, denominator)), _) => (whole(numerator), whole(denominator)),
            (None, Some((before, after))) if !after.is_empty() => {
                let power = u32::try_from(after.len()).ok().and_then(|power| 10_u64.checked_pow(power));
                (whole(&format!("{before}{after}")), power)
            }
            (None, Some(_)) => (None, None),
            (None, None) => (whole(unsigned), Some(1)),
        };
        match (numerator.and_then(|it| i64::try_from(it).ok()), denominator) {
            (Some(numerator), Some(denominator)) if denominator > 0 => {
                Ok(Self { text: text.to_owned(), numerator: sign * numerator, denominator })
            }
            _ => Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let number = |text: &str| text.parse::<Number>().expect("a number");
        assert_eq!(number("0.9"), number("9/10"));
        assert_eq!(number("-0.05"), number("-1/20"));
        assert_eq!(number("3").compare(3), Ordering::Equal);
        // As floats 0.1 + 0.2 and 0.3 differ; 999999999999999/10 lies between two counts.
        assert_eq!(number("99999999999999.9").compare(99_999_999_999_999), Ordering::Greater);
        assert_eq!(number("99999999999999.9").compare(100_000_000_000_000), Ordering::Less);
        assert_eq!(number("-1").compare(0), Ordering::Less);
        assert_eq!(number(".5"), number("1/2"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bad in
            ["", "-", "1.", ".", "1/0", "1/", "/2", "+1", "1e3", "0.9.1", "1/2/3", "--1", "1234567890123456"]
        {
            assert!(bad.parse::<Number>().is_err(), "{bad}");
        }
    }
}
