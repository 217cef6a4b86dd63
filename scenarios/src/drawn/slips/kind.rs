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

/// How often a slip is drawn, in parts per 100,000 of all slips: half by the recordings, half by the reports. The part
/// of a kind is divided evenly among its slips; the part of the patterns that are kept back among all slips.
pub(super) fn weight(kind: Judged, patterns: u32, of_kind: u32, slips: u32) -> u32 {
    const HALF: u32 = 50_000;
    let all: u32 = Judged::ALL.iter().map(|it| it.judged_tenths()).sum();
    let by_kind = HALF * (kind.judged_tenths() / 5) / (all / 5) / of_kind;
    by_kind + HALF * patterns / PATTERNS + HALF * (PATTERNS - SHOWN) / PATTERNS / slips
}
