//! Numbers behind names that are taken.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest tool name that OpenAI and Anthropic accept.
pub const NAME_CHARS: usize = 64;

/// The numbers that were put behind names.
#[derive(Default)]
pub(super) struct Numbers {
    /// The last number that was tried behind what is kept of a name, for each count of digits. All lower ones are
    /// taken, so no numbered name is tried twice, however many names begin alike.
    last: BTreeMap<(Box<str>, usize), u64>,
}

impl Numbers {
    /// The name, which is legal and taken, with the lowest number that makes it free. It is cut where the two together
    /// are too long.
    pub(super) fn behind(&mut self, name: &str, is_free: impl Fn(&str) -> bool) -> Arc<str> {
        let with = |digits: usize| {
            let kept = &name[..name.len().min(NAME_CHARS - digits - 1)];
            let last = self.last.entry((kept.into(), digits)).or_insert_with(|| before(digits));
            while *last < before(digits + 1) {
                *last += 1;
                let numbered = format!("{kept}_{last}");
                if is_free(&numbered) {
                    return Some(numbered.into());
                }
            }
            None
        };
        (1..).find_map(with).expect("there are more numbers than names")
    }

    /// How many numbered names were tried.
    #[cfg(test)]
    pub(super) fn tried(&self) -> u64 {
        self.last.iter().map(|((_, digits), last)| last - before(*digits)).sum()
    }
}

/// The number before the first one that is used with as many digits: counting begins at 2.
fn before(digits: usize) -> u64 {
    match digits {
        1 => 1,
        more => (1..more).fold(1, |power, _| power * 10) - 1,
    }
}
