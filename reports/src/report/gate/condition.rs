//! A condition: a metric, a comparison and a number, as in `stuck_runs > 0`.

use std::fmt;
use std::str::FromStr;

use super::measured::Measured;
use super::metric::Found;
use super::number::Number;

/// A condition on a metric, under which a gate fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition<M> {
    /// The metric that it judges.
    pub metric: M,
    /// The comparison under which it fails.
    pub fails_if: Order,
    /// The number to compare with.
    pub number: Number,
}

/// The comparison of a metric with the number of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// The end of a rate's interval that is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sureness {
    /// The unfavourable end: a cell that passes surely meets the claim.
    #[default]
    Certain,
    /// The favourable end: a cell that fails surely breaks the claim.
    Refuted,
}

impl<M> Condition<M> {
    /// Whether what has this value fails.
    #[must_use]
    pub fn fails(&self, found: &Found, sureness: Sureness) -> bool {
        match found {
            Found::Count(count) => self.fails_if.holds(self.number.compare(*count).reverse()),
            Found::Unknown => sureness == Sureness::Certain,
            Found::Interval { low, high, .. } => {
                let judged = match (self.fails_if, sureness) {
                    (Order::Less | Order::AtMost, Sureness::Certain)
                    | (Order::More | Order::AtLeast, Sureness::Refuted) => low,
                    (Order::Less | Order::AtMost, Sureness::Refuted)
                    | (Order::More | Order::AtLeast, Sureness::Certain) => high,
                };
                judged.partial_cmp(&self.number.value()).is_some_and(|order| self.fails_if.holds(order))
            }
        }
    }
}

impl Order {
    /// Whether this order of the metric and the number meets the condition.
    const fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::More => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// `METRIC OP NUMBER`.
impl<M: Measured> FromStr for Condition<M> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            let example = M::EXAMPLE;
            format!("expected METRIC OP NUMBER with OP one of <, <=, >, >=, as in {example}")
        };
        let at = text.find(['<', '>']).ok_or_else(expected)?;
        let (metric, rest) = text.split_at(at);
        let (fails_if, number) =
            [("<=", Order::AtMost), (">=", Order::AtLeast), ("<", Order::Less), (">", Order::More)]
                .into_iter()
                .find_map(|(sign, order)| Some((order, rest.strip_prefix(sign)?)))
                .ok_or_else(expected)?;
        let metric = metric.trim();
        if metric.is_empty() {
            return Err(expected());
        }
        Ok(Self { metric: M::named(metric)?, fails_if, number: number.trim().parse()? })
    }
}

/// As it is written on the command line.
impl<M: fmt::Display> fmt::Display for Condition<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { metric, fails_if, number } = self;
        write!(f, "{metric} {} {number}", fails_if.sign())
    }
}
