//! `--shard`: one of several equal parts of the seeds.

/// A part of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    /// The number of this part, from 1.
    pub(super) nth: u64,
    /// The number of parts.
    pub(super) of: u64,
}

/// Parses `m/n`.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let (nth, of) = text.split_once('/').unwrap_or((text, ""));
    match (nth.trim().parse(), of.trim().parse()) {
        (Ok(nth), Ok(of)) if 1 <= nth && nth <= of => Ok(Shard { nth, of }),
        _ => Err("expected m/n with m from 1 to n, as in 2/7".into()),
    }
}

impl Shard {
    /// The seeds of this part; none if there are fewer seeds than parts.
    pub(super) fn seeds(self, [from, to]: [u64; 2]) -> Option<[u64; 2]> {
        let all = u128::from(to - from) + 1;
        let cut = |parts: u64| {
            let before = all * u128::from(parts) / u128::from(self.of);
            from + u64::try_from(before).expect("no more than all")
        };
        let (first, end) = (cut(self.nth - 1), cut(self.nth));
        (first < end).then(|| [first, end - 1])
    }
}
