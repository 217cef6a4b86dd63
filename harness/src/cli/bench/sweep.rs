//! `--sweep`: a number that takes several values in turn.

/// A number that takes several values in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    text: String,
    key: String,
    values: Vec<String>,
}

const EXPECTED: &str =
    "expected KEY=A..B:STEP with whole numbers or fractions, as in actor.stubbornness=0..1:1/8";
/// More values are surely a typing error.
const VALUES_MAX: u64 = 1_000;

impl Sweep {
    /// Values from A to B; B is included if a step reaches it. If the step is a fraction, all values are fractions
    /// with its denominator.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (key, range) = text.split_once('=').ok_or(EXPECTED)?;
        let (from, rest) = range.split_once("..").ok_or(EXPECTED)?;
        let (to, step) = rest.split_once(':').ok_or(EXPECTED)?;
        let (step, of) = fraction(step)?;
        let over = |text: &str| -> Result<u64, String> {
            let (numerator, denominator) = fraction(text)?;
            let scaled = numerator.checked_mul(of.unwrap_or(1)).ok_or(EXPECTED)?;
            match scaled % denominator.unwrap_or(1) {
                0 => Ok(scaled / denominator.unwrap_or(1)),
                _ => {
                    Err(format!("{EXPECTED}: `{}` is not a multiple of the step's denominator", text.trim()))
                }
            }
        };
        let (from, to) = (over(from)?, over(to)?);
        if key.trim().is_empty() || step == 0 || from > to {
            return Err(EXPECTED.into());
        }
        if (to - from) / step >= VALUES_MAX {
            return Err(format!("expected at most {VALUES_MAX} values"));
        }
        let shown = |value: u64| match of {
            Some(of) => format!("{value}/{of}"),
            None => value.to_string(),
        };
        let values = (0..=(to - from) / step).map(|nth| shown(from + nth * step)).collect();
        Ok(Self { text: text.to_owned(), key: key.trim().to_owned(), values })
    }

    /// The text of the option.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What it sets.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The setting for each value.
    pub(super) fn sets(&self) -> Vec<Vec<(String, String)>> {
        self.values.iter().map(|value| vec![(self.key.clone(), value.clone())]).collect()
    }
}

/// A whole number, or the numerator and denominator of a fraction.
fn fraction(text: &str) -> Result<(u64, Option<u64>), String> {
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| EXPECTED.to_owned());
    match text.split_once('/') {
        None => Ok((number(text)?, None)),
        Some((numerator, denominator)) => match number(denominator)? {
            0 => Err(EXPECTED.to_owned()),
            denominator => Ok((number(numerator)?, Some(denominator))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = Sweep::parse(text).map(|it| it.values.join(" "));
        assert_eq!(found.as_deref().map_err(|it| &**it), expected, "{text}");
    }

    #[test]
    fn values_go_from_one_end_to_the_other() {
        check("actor.stubbornness=0..1:1/8", Ok("0/8 1/8 2/8 3/8 4/8 5/8 6/8 7/8 8/8"));
        check("limits.turns=10..40:10", Ok("10 20 30 40"));
        check("limits.turns = 10..35:10", Ok("10 20 30"));
        check("x=1/2..3/4:1/4", Ok("2/4 3/4"));
        check("x=3..3:1", Ok("3"));
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for bad in ["x", "x=1..2", "x=2..1:1", "x=1..2:0", "=1..2:1", "x=a..b:c", "x=0..1:1/0", "x=-1..1:1"] {
            check(bad, Err(EXPECTED));
        }
        let uneven = format!("{EXPECTED}: `1/3` is not a multiple of the step's denominator");
        check("x=1/3..1:1/8", Err(&uneven));
        check("x=0..100000:1", Err("expected at most 1000 values"));
    }
}
