//! How often each kind of slip occurs, by recordings and reports.

/// What a reader of recordings calls it (`docs/drawn.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// The same tool with the same arguments.
    IdenticalCall,
    /// All but equal to an earlier call or text.
    NearDuplicate,
    /// Two or more steps going round.
    Cycle,
    /// Clearly different calls, the same failure each time.
    SameFailure,
    /// Prose without the action that was needed.
    TextOnly,
    /// A call or code written as text.
    Fence,
    /// No reply.
    Empty,
    /// Looks that bring nothing new.
    Wandering,
    /// The same text again.
    RepeatedText,
    /// Anything else.
    Other,
}

impl Judged {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::IdenticalCall,
        Self::NearDuplicate,
        Self::Cycle,
        Self::SameFailure,
        Self::TextOnly,
        Self::Fence,
        Self::Empty,
        Self::Wandering,
        Self::RepeatedText,
        Self::Other,
    ];

    /// Its name in the guide of the judges.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::IdenticalCall => "identical-call",
            Self::NearDuplicate => "near-duplicate",
            Self::Cycle => "cycle",
            Self::SameFailure => "same-failure",
            Self::TextOnly => "text-only",
            Self::Fence => "fence",
            Self::Empty => "empty",
            Self::Wandering => "read-only-wandering",
            Self::RepeatedText => "repeated-text",
            Self::Other => "other",
        }
    }

    /// The sum of the weights of the points that were judged stuck in this way, in tenths.
    #[must_use]
    pub const fn judged_tenths(self) -> u32 {
        match self {
            Self::IdenticalCall => 3_380,
            Self::NearDuplicate => 1_135,
            Self::Cycle => 1_545,
            Self::SameFailure => 598,
            Self::TextOnly => 85,
            Self::Fence => 10,
            Self::Empty | Self::Wandering | Self::RepeatedText | Self::Other => 0,
        }
    }
}

/// The reported patterns, of which some are kept back.
const PATTERNS: u32 = 16;
/// Those that are not kept back: each belongs to one slip.
const SHOWN: u32 = 8;

/// Each of the two sources has half of the weight, which is in parts per 100,000.
const HALF: u32 = 50_000;

/// The least weight of a slip, so that each occurs among a thousand seeds.
pub(super) const LEAST: u32 = 1_200;

/// What a slip that so much judged weight looks like counts in its kind, in tenths: each counts a little, seen or not.
pub(super) const fn count(seen: u32) -> u32 {
    seen + 10
}

/// The weight of a slip by the recordings: the part of its kind, divided among the slips of the kind by these counts.
pub(super) fn by_recordings(kind: Judged, count: u32, of_kind: u32) -> u32 {
    let all: u32 = Judged::ALL.iter().map(|it| it.judged_tenths()).sum();
    let part = HALF * (kind.judged_tenths() / 5) / (all / 5);
    part * count / of_kind
}

/// The weight of a slip by the reports: the part of the patterns that are kept back is divided among all slips.
pub(super) fn by_reports(patterns: u32, slips: usize) -> u32 {
    let slips = u32::try_from(slips).expect("few slips");
    HALF * patterns / PATTERNS + HALF * (PATTERNS - SHOWN) / PATTERNS / slips
}
