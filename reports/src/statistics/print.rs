//! Figures as text: four significant digits for programs, shorter texts for people.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::number::float;

/// `count` per thousand of `of`, with four significant digits; none if `of` is 0.
#[must_use]
pub fn per_thousand(count: u64, of: u64) -> Option<String> {
    (of > 0).then(|| digits(1_000.0 * float(count) / float(of)))
}

/// A p-value with four decimals, such as `0.0129`; `< 0.0001` below that, and a plain `1`.
#[must_use]
pub fn p_text(p: f64) -> String {
    if p >= 1.0 {
        "1".into()
    } else if p < 0.000_1 {
        "< 0.0001".into()
    } else {
        format!("{p:.4}")
    }
}

/// A number with four significant digits; a plain `0` and `1` are exact, and an open bound is `inf`.
pub(super) fn digits(value: f64) -> String {
    if value == 0.0 || value == 1.0 {
        return format!("{value}");
    }
    // The exponent after rounding, so that 0.99996 is 1.000 and not 1.0000.
    let scientific = format!("{value:.3e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, it)| it.parse().ok()).unwrap_or(0);
    format!("{value:.*}", usize::try_from(3 - exponent).unwrap_or(0))
}

/// A p-value: four significant digits in JSON, four decimals for people.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct PValue(#[serde(serialize_with = "four")] pub f64);

impl PValue {
    /// Four significant digits for programs, such as `3.249e-16` for a small one.
    #[must_use]
    pub fn digits(self) -> String {
        if self.0 > 0.0 && self.0 < 0.000_1 { format!("{:.3e}", self.0) } else { digits(self.0) }
    }

    /// Whether it is significant at 5 %.
    #[must_use]
    pub fn is_sure(self) -> bool {
        self.0 < super::number::ALPHA
    }
}

/// As [`p_text`].
impl fmt::Display for PValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&p_text(self.0))
    }
}

/// One number divided by another; none if the other is 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Times(#[serde(serialize_with = "four_or_none")] Option<f64>);

impl Times {
    /// One number over another.
    #[must_use]
    pub fn new(one: u64, other: u64) -> Self {
        Self((other > 0).then(|| float(one) / float(other)))
    }
}

/// Four significant digits; a dash for none.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.map_or_else(|| "–".into(), digits))
    }
}

/// A number with four significant digits in JSON; `null` for an open bound.
pub(super) fn four<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(digits(*value).parse().expect("digits are a number"))
    } else {
        serializer.serialize_none()
    }
}

/// The same for a number that may be missing.
pub(super) fn four_or_none<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => four(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A number of at least 0 for people: four significant digits, `∞` for an open bound.
pub(super) fn text(value: f64) -> String {
    if value.is_finite() { digits(value) } else { "∞".into() }
}

/// A share in percent: one decimal, or two significant digits if it would round to 0 but is not 0.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent <= 0.0 || percent >= 0.05 {
        return format!("{percent:.1}");
    }
    let scientific = format!("{percent:.1e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, it)| it.parse().ok()).unwrap_or(0);
    format!("{percent:.*}", usize::try_from(1 - exponent).unwrap_or(0))
}

/// A share from −1 to 1 in percent with its sign, such as `+12.0` or `−3.4`; a rounded 0 has no sign.
pub(super) fn signed_percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share.abs());
    if text == "0.0" {
        text
    } else if share < 0.0 {
        format!("−{text}")
    } else {
        format!("+{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        assert_eq!(digits(0.999_96), "1.000");
        assert_eq!(digits(123_456.0), "123456");
        assert_eq!(digits(-0.017_46), "-0.01746");
        assert_eq!([digits(0.0), digits(1.0), digits(f64::INFINITY)], ["0", "1", "inf"]);
        assert_eq!([text(6.746_75), text(f64::INFINITY)], ["6.747", "∞"]);
    }

    #[test]
    fn thousands() {
        assert_eq!(per_thousand(41, 6_077).as_deref(), Some("6.747"));
        assert_eq!(per_thousand(3, 0), None);
        assert_eq!(per_thousand(0, 3).as_deref(), Some("0"));
    }

    #[test]
    fn p_values() {
        assert_eq!([p_text(0.000_1), p_text(0.000_099)], ["0.0001", "< 0.0001"]);
        assert_eq!([p_text(0.012_94), p_text(1.0), p_text(0.0)], ["0.0129", "1", "< 0.0001"]);
        assert_eq!(
            [0.0, 0.000_012_345, 0.012_944, 1.0].map(|it| PValue(it).digits()),
            ["0", "1.234e-5", "0.01294", "1"]
        );
        assert!(PValue(0.049).is_sure() && !PValue(0.05).is_sure());
    }

    #[test]
    fn small_shares_are_not_nothing() {
        let shares = [0.0, 0.000_041_23, 0.000_499, 0.000_5, 0.845_2, 1.0];
        assert_eq!(shares.map(percent), ["0.0", "0.0041", "0.050", "0.1", "84.5", "100.0"]);
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!(signed_percent(0.12), "+12.0");
        assert_eq!(signed_percent(-0.034_4), "−3.4");
        assert_eq!([signed_percent(0.000_4), signed_percent(-0.000_4)], ["0.0", "0.0"]);
        assert_eq!(signed_percent(-1.0), "−100.0");
    }
}
