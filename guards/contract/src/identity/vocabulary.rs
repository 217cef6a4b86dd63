//! Words that rules look for beside a number.

/// A unit of time, shortest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Fraction,
    Second,
    Minute,
    MinuteLetter,
    Hour,
    HourLetter,
    DayLetter,
}

impl Unit {
    pub(super) fn is_letter(self) -> bool {
        match self {
            Self::MinuteLetter | Self::HourLetter | Self::DayLetter => true,
            Self::Fraction | Self::Second | Self::Minute | Self::Hour => false,
        }
    }

    /// The unit that a word in ASCII letters names.
    #[inline]
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"ns" | b"us" | b"ms" | b"milliseconds" | b"millisecond" => Some(Self::Fraction),
            b"s" | b"sec" | b"secs" | b"second" | b"seconds" => Some(Self::Second),
            b"min" | b"mins" | b"minute" | b"minutes" => Some(Self::Minute),
            b"m" => Some(Self::MinuteLetter),
            b"hr" | b"hrs" | b"hour" | b"hours" => Some(Self::Hour),
            b"h" => Some(Self::HourLetter),
            b"d" => Some(Self::DayLetter),
            _ => None,
        }
    }
}

/// Whether the word is a unit of time.
#[inline]
pub(super) fn is_unit(word: &[u8]) -> bool {
    Unit::of(word).is_some()
}

/// Whether the word is what progress bars count in a second.
#[inline]
pub(super) fn is_unit_of_rate(word: &[u8]) -> bool {
    const UNITS: [&[u8]; 10] = [b"it", b"B", b"kB", b"KB", b"MB", b"GB", b"kiB", b"KiB", b"MiB", b"GiB"];
    UNITS.contains(&word)
}

/// Whether the word is what harnesses count down, in any case.
#[inline]
pub(super) fn is_step(word: &[u8]) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(word));
    match word.first().map(u8::to_ascii_lowercase) {
        Some(b's') => is(&["step", "steps"]),
        Some(b't') => is(&["turn", "turns", "try", "tries"]),
        Some(b'a') => is(&["attempt", "attempts"]),
        Some(b'r') => is(&["retry", "retries", "round", "rounds"]),
        Some(b'i') => is(&["iteration", "iterations"]),
        Some(_) | None => false,
    }
}

/// Whether the word says that something is left.
pub(super) fn is_left(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"left") || word.eq_ignore_ascii_case(b"remaining")
}

/// Whether a number behind the word may be that of a countdown or of a process.
#[inline]
pub(super) fn ends_like_a_count(word: &[u8]) -> bool {
    is_step(word) || is_left(word) || is_process(word)
}

/// Whether a text ends with the name of a request's id: `request_id`, `traceId`, `req`.
pub(super) fn names_a_request(text: &[u8]) -> bool {
    let ends = |text: &[u8], word: &[u8]| {
        let start = text.len().checked_sub(word.len())?;
        text[start..].eq_ignore_ascii_case(word).then_some(start)
    };
    let begins = |start: usize| !text[..start].last().is_some_and(u8::is_ascii_lowercase);
    if ends(text, b"req").is_some_and(begins) {
        return true;
    }
    let Some(id) = ends(text, b"id") else { return false };
    let name = text[..id].strip_suffix(b"_").or_else(|| text[..id].strip_suffix(b"-")).unwrap_or(&text[..id]);
    [&b"request"[..], b"trace", b"correlation"].iter().any(|it| ends(name, it).is_some())
}

/// Whether the word is "pid" or "ppid", in any case.
pub(super) fn is_process(word: &[u8]) -> bool {
    [&b"pid"[..], b"ppid"].iter().any(|name| name.eq_ignore_ascii_case(word))
}

const MONTHS: [&[u8]; 12] = [
    b"January",
    b"February",
    b"March",
    b"April",
    b"May",
    b"June",
    b"July",
    b"August",
    b"September",
    b"October",
    b"November",
    b"December",
];

const WEEKDAYS: [&[u8]; 7] =
    [b"Monday", b"Tuesday", b"Wednesday", b"Thursday", b"Friday", b"Saturday", b"Sunday"];

/// Whether the word is the name of a month, in full or its first three letters.
#[inline]
pub(super) fn is_month(word: &[u8]) -> bool {
    is_name(word, &MONTHS)
}

/// Whether the word is the name of a weekday, in full or its first three letters.
pub(super) fn is_weekday(word: &[u8]) -> bool {
    is_name(word, &WEEKDAYS)
}

fn is_name(word: &[u8], names: &[&[u8]]) -> bool {
    let short = word.first_chunk::<3>().filter(|short| short[0].is_ascii_uppercase());
    short.is_some()
        && names.iter().any(|name| short == name.first_chunk() && (word.len() == 3 || word == *name))
}
