//! What a reading keeps of an answer.

use super::json::Telling;
use super::number::Count;
use super::shape::{Counts, Shape};
use super::{HEAD, Prospect, Reading, Said, TAIL};

/// A reading without the text of its answer, to be kept beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) failed: bool,
    prospect: Prospect,
    says_no: bool,
    counts: bool,
    failures: u16,
    /// The bytes of the line, perhaps with blanks around it.
    line: Option<(usize, usize)>,
}

impl Findings {
    pub(crate) fn of(answer: &str) -> Self {
        let bytes = answer.as_bytes();
        let is_long = bytes.len() > HEAD + TAIL;
        let (head, rest) = bytes.split_at(if is_long { HEAD } else { bytes.len() });
        let tail = &rest[rest.len().saturating_sub(TAIL)..];
        let parts = [(head, 0), (tail, bytes.len() - tail.len())];
        let parts = &parts[..1 + usize::from(is_long)];
        let mut said = Said::default().having_read(parts);
        // Most answers have no word of failure, so it does not matter what kind of text they are.
        let complains = said.error || said.failure || said.counted.is_some();
        if complains && said.exit != Some(Count::None) || matches!(said.exit, Some(Count::Some(_))) {
            let (shape, telling) = (Shape::of([head, tail]), Telling::of(head));
            let counts = |line: &[u8], from| shape.counts(line, from) == Counts::All;
            // Where all words count in each line that has one, the same would be read again.
            if telling.is_some() || !said.words.are_in(parts, counts) {
                said = Said { shape: Some(shape), telling, ..Said::default() }.having_read(parts);
            }
        }
        said.into()
    }

    pub(crate) fn in_answer(self, answer: &str) -> Reading<'_> {
        let Self { failed, prospect, says_no, counts, failures, line } = self;
        let line = line.and_then(|(start, end)| answer.get(start..end)).map(str::trim);
        Reading { failed, prospect, says_no, counts, failures, line }
    }

    /// All of it in one number, which is not zero.
    pub(crate) fn packed(self) -> u64 {
        let prospect = match self.prospect {
            // What is an answer has no prospect.
            _ if self.says_no => 3,
            Prospect::Passing => 0,
            Prospect::Lasting => 1,
            Prospect::Unknown => 2,
        };
        // A line that is read is no longer than what is read of an answer.
        let line = self.line.map_or(0, |(start, end)| (start << LENGTH_BITS | (end - start)) << 1 | 1);
        let line = (line as u64) << 5 & !(u64::MAX << DIGEST_SHIFT);
        let said = 1 | u64::from(self.failed) << 1 | u64::from(self.counts) << 2 | prospect << 3;
        said | line | u64::from(self.failures) << DIGEST_SHIFT
    }

    /// What [`packed`](Self::packed) made a number of; `None` for zero.
    pub(crate) fn unpacked(packed: u64) -> Option<Self> {
        let prospect = match packed >> 3 & 3 {
            0 => Prospect::Passing,
            1 => Prospect::Lasting,
            _ => Prospect::Unknown,
        };
        let line = ((packed & !(u64::MAX << DIGEST_SHIFT)) >> 6) as usize;
        let start = line >> LENGTH_BITS;
        let end = start + (line & ((1 << LENGTH_BITS) - 1));
        let findings = Self {
            failed: packed >> 1 & 1 == 1,
            prospect,
            says_no: packed >> 3 & 3 == 3,
            counts: packed >> 2 & 1 == 1,
            failures: (packed >> DIGEST_SHIFT) as u16,
            line: (packed >> 5 & 1 == 1).then_some((start, end)),
        };
        (packed != 0).then_some(findings)
    }
}

impl From<Said> for Findings {
    fn from(said: Said) -> Self {
        Self {
            failed: said.verdict(),
            prospect: said.prospect(),
            says_no: said.says_no(),
            counts: matches!(said.counted, Some(Count::Some(_))),
            failures: said.failures(),
            line: said.error_line.or(said.failure_line).or(said.count_line),
        }
    }
}

/// Bits for the length of a line.
const LENGTH_BITS: u32 = usize::BITS - (HEAD + TAIL).leading_zeros();
/// Where the digest is. What is left for the line is enough for an answer of gigabytes.
const DIGEST_SHIFT: u32 = u64::BITS - u16::BITS;
