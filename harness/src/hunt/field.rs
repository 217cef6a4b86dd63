//! The part of the drawn worlds that a skeleton belongs to.

use std::fmt;

/// A plan with a slip, or a plan alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field(String);

impl Field {
    /// The field of a skeleton, `PLAN.NUMBERS` or `PLAN.NUMBERS+SLIP.NUMBERS@POINT`.
    #[must_use]
    pub fn of(skeleton: &str) -> Self {
        let name = |part: &str| part.split(['.', '@']).next().unwrap_or_default().to_owned();
        Self(match skeleton.split_once('+') {
            Some((plan, slip)) => format!("{}+{}", name(plan), name(slip)),
            None => name(skeleton),
        })
    }

    /// The slip, or the plan where nothing slips.
    #[must_use]
    pub fn part(&self) -> &str {
        self.0.rsplit('+').next().unwrap_or_default()
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_points_are_left_out() {
        for (skeleton, field) in [
            ("paging.5-1", "paging"),
            ("paging.5-1+same-call@3", "paging+same-call"),
            ("fix-until-green.2+wrong-form.4@0", "fix-until-green+wrong-form"),
            ("written", "written"),
        ] {
            let found = Field::of(skeleton);
            assert_eq!(found.to_string(), field);
            assert!(field.ends_with(found.part()) && !found.part().contains('+'), "{field}");
        }
    }
}
