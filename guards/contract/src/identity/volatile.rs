//! The rules for volatile parts: each looks at a word with a digit in it, and at its surroundings.

use super::moment::moment;
use super::reader::{Reader, word_before};
use super::vocabulary::{Unit, is_left, is_process, is_step, is_unit_of_rate, names_a_request};

/// A volatile part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// What a mask replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Moment = 1,
    Duration = 2,
    Countdown = 3,
    Address = 4,
    Id = 5,
    Temporary = 6,
    Rate = 7,
    Reference = 8,
}

/// The volatile part that contains the word from `start` to `end`, if there is one. The word has ASCII letters and
/// digits only, and at least one digit; the bytes before `floor` belong to another part.
pub(super) fn around(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<Span> {
    let span = |start, end, kind| Some(Span { start, end, kind });
    let word = &bytes[start..end];
    if let Some((start, end)) = uuid(bytes, floor, start, word.len()) {
        return span(start, end, Kind::Id);
    }
    let previous = start.checked_sub(1).map(|before| bytes[before]);
    // A number alone is neither an address nor an id of letters and digits.
    if !word.iter().all(u8::is_ascii_digit) {
        if is_address(bytes, start, word) {
            return span(start, end, Kind::Address);
        }
        if (is_hexadecimal_id(word) || is_random_id(word)) && previous != Some(b'#') {
            return span(start, end, Kind::Id);
        }
        if is_reference(bytes, start, word) {
            return span(start, end, Kind::Reference);
        }
    }
    // The rest are numbers; one that continues another (`1.2.3`) is part of a version or place.
    let follows_digit = start.checked_sub(2).is_some_and(|before| bytes[before].is_ascii_digit());
    if !word[0].is_ascii_digit() || (matches!(previous, Some(b'.' | b':')) && follows_digit) {
        return None;
    }
    if let Some((start, end)) = moment(bytes, floor, start) {
        return span(start, end, Kind::Moment);
    }
    if let Some(end) = stamp(bytes, start, end) {
        return span(start, end, Kind::Id);
    }
    if is_of_request(bytes, start, word) {
        return span(start, end, Kind::Id);
    }
    if previous == Some(b'_') {
        return None;
    }
    let after = start + word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = bytes.get(after);
    if next.is_some_and(|next| matches!(next, b' ' | b'.') || next.is_ascii_alphabetic())
        && let Some(end) = rate(bytes, start)
    {
        return span(start, end, Kind::Rate);
    }
    if next.is_some_and(|next| matches!(next, b' ' | b'.' | b',' | b'a'..=b'z' | 0x80..))
        && let Some(end) = duration(bytes, start)
    {
        return span(start, end, Kind::Duration);
    }
    if is_of_process(bytes, floor, start, word) {
        return span(start, end, Kind::Id);
    }
    countdown(bytes, floor, start).and_then(|end| span(start, end, Kind::Countdown))
}

/// The name at `start`, if it looks generated.
pub(super) fn temporary_name(bytes: &[u8], start: usize) -> Option<Span> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let name = &bytes[start..start + bytes[start..].iter().take_while(is_name).count()];
    let marked = |name: &[u8]| name.iter().any(|&byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let random = |part: &[u8]| {
        let changes = part.windows(2).filter(|it| it[0].is_ascii_digit() != it[1].is_ascii_digit()).count();
        let digits = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        part.len() >= 6 && (changes >= 3 || digits >= 6)
    };
    let bare = name.strip_prefix(b".").unwrap_or(name);
    let drawn = match bare.strip_prefix(b"tmp") {
        Some(rest) => {
            let rest = rest.strip_prefix(b".").unwrap_or(rest);
            rest.len() >= 6 && marked(rest)
        }
        None => bare.split(|byte| matches!(byte, b'.' | b'-' | b'_')).any(random),
    };
    drawn.then_some(Span { start, end: start + name.len(), kind: Kind::Temporary })
}

/// A UUID in which the group at `start` has this length: the groups before it may contain no digit that the search
/// stops at.
fn uuid(bytes: &[u8], floor: usize, start: usize, group: usize) -> Option<(usize, usize)> {
    const LENGTH: usize = 36;
    let groups_before: &[usize] = match group {
        8 => &[0],
        4 => &[9, 14, 19],
        12 => &[24],
        _ => return None,
    };
    let is_one = |text: &[u8]| {
        text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    groups_before.iter().find_map(|&before| {
        let start = start.checked_sub(before).filter(|&start| start >= floor)?;
        let end = start + LENGTH;
        let text = bytes.get(start..end)?;
        let apart = !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric)
            && !start.checked_sub(1).is_some_and(|at| bytes[at].is_ascii_alphanumeric());
        (text[8] == b'-' && apart && is_one(text)).then_some((start, end))
    })
}

/// What a snapshot of a page calls one of its elements: `[ref=e12]`, `"ref": "s1e12"`. The next snapshot numbers them
/// anew.
fn is_reference(bytes: &[u8], start: usize, word: &[u8]) -> bool {
    let has_form = matches!(word, [b'a'..=b'z', b'0'..=b'9', ..]) && word.len() <= REFERENCE_BYTES;
    has_form && follows_ref(bytes, start)
}

/// The longest reference.
const REFERENCE_BYTES: usize = 8;

/// Whether the word `ref` and a separator are before this place.
pub(super) fn follows_ref(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    let before = before.strip_suffix(b" ").unwrap_or(before);
    let Some(before) = before.strip_suffix(b"=").or_else(|| before.strip_suffix(b":")) else { return false };
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    before.strip_suffix(b"ref").is_some_and(|it| !it.last().is_some_and(u8::is_ascii_alphanumeric))
}

fn is_address(bytes: &[u8], start: usize, word: &[u8]) -> bool {
    let Some(digits) = word.strip_prefix(b"0x") else { return false };
    let before = &bytes[..start];
    let is_place = before.ends_with(b"at ") || before.ends_with(b"@ ") || before.ends_with(b"@");
    let long = if is_place { 5..=16 } else { 9..=16 };
    long.contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit)
}

fn is_hexadecimal_id(word: &[u8]) -> bool {
    if !(8..=32).contains(&word.len()) || !word.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let upper = word.iter().any(u8::is_ascii_uppercase);
    let lower = word.iter().any(u8::is_ascii_lowercase);
    // A letter must not be a unit after a number (`12345678b`), nor begin an exponent: behind one digit
    // (`1e10000000`), or before up to three (`12345e123`). Several letters behind all digits are no unit, but for
    // decibels.
    let last_digit = word.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
    let letters = word[..last_digit].iter().filter(|byte| byte.is_ascii_alphabetic());
    let exponent = word[0].is_ascii_digit() && letters.clone().all(|byte| matches!(byte, b'e' | b'E'));
    let at = word.iter().position(u8::is_ascii_alphabetic).unwrap_or(0);
    let is_number = exponent && (at == 1 || word.len() - at <= 4);
    let has_letters_behind =
        last_digit + 2 < word.len() && !word[last_digit + 1..].eq_ignore_ascii_case(b"db");
    upper != lower && (has_letters_behind || letters.count() > usize::from(is_number))
}

/// Letters of both cases and digits, mixed: an id in 62 or 64 digits. The words of a name change their case less often.
fn is_random_id(word: &[u8]) -> bool {
    if !(16..=64).contains(&word.len()) {
        return false;
    }
    // A digit, a capital or another letter: the bits of what was seen, and how often it changed.
    let kind = |byte: u8| if byte.is_ascii_digit() { 1 } else { 2 + 2 * u8::from(byte >= b'a') };
    let (mut seen, mut changes, mut before) = (0, 0, kind(word[0]));
    // Digits at the end alone are a number behind a name.
    let mut has_digits_inside = false;
    for &byte in word {
        let kind = kind(byte);
        seen |= kind;
        changes += usize::from(kind != before);
        has_digits_inside |= before == 1 && kind != 1;
        before = kind;
    }
    has_digits_inside && seen == 7 && changes * 5 >= word.len() * 2
}

/// How many digits a time since 1970 has, in seconds (`1767225600`), milliseconds or less, and an id that begins with
/// such a time.
pub(super) const fn may_be_stamp(digits: usize) -> bool {
    digits >= 10 && matches!(digits, 10 | 13 | 16..=20)
}

/// The end of such a number, its fraction included.
fn stamp(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let number = &bytes[start..end];
    let is_number = number.iter().all(u8::is_ascii_digit);
    // From 2014 to 2036: other numbers of ten digits are amounts.
    let is_time = matches!(number, [b'1', b'4'..=b'9', ..] | [b'2', b'0', ..]);
    if !is_number || !may_be_stamp(number.len()) || number.len() < 16 && !is_time {
        return None;
    }
    let mut reader = Reader { bytes, at: end };
    let fraction = reader.take(b".").is_some() && reader.digits() > 0;
    Some(if fraction { reader.at } else { end })
}

/// The id of a request, in digits or hexadecimal: `req_26223360`, `"request_id": "004e2211"`. Each answer has its own.
fn is_of_request(bytes: &[u8], start: usize, word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_hexdigit) && names_a_request(&bytes[..name_end(bytes, start)])
}

/// Where the name before a number ends: with at most four separators between.
fn name_end(bytes: &[u8], start: usize) -> usize {
    let is_between = |byte: &&u8| b" \":=_".contains(byte);
    start - bytes[start.saturating_sub(4)..start].iter().rev().take_while(is_between).count()
}

/// The number of a process: `pid 4711`, `PID: 4711`, `pid=4711`.
fn is_of_process(bytes: &[u8], floor: usize, start: usize, word: &[u8]) -> bool {
    word.len() <= 7
        && word.iter().all(u8::is_ascii_digit)
        && word_before(bytes, floor, start, b" \":=_").is_some_and(|(_, before)| is_process(before))
}

/// `1.23s`, `12 ms`, `1h 2m 3s`.
fn duration(bytes: &[u8], at: usize) -> Option<usize> {
    let mut reader = Reader { bytes, at };
    let mut parts = 0;
    let mut last = None;
    let mut found = None;
    while let Some(unit) = amount(&mut reader).filter(|&unit| last.is_none_or(|last| unit < last)) {
        parts += 1;
        last = Some(unit);
        // One letter for minutes, hours or days is ambiguous alone: `3 m` may be metres.
        if reader.ends() && reader.peek() != Some(b'-') && (parts > 1 || !unit.is_letter()) {
            found = Some(reader.at);
        }
        reader.take(b" ");
    }
    found
}

/// A number, perhaps with a fraction, and a unit of time.
fn amount(reader: &mut Reader<'_>) -> Option<Unit> {
    reader.digits();
    // At most three groups of thousands, and none after an incomplete group (`1,2,345 s`): a list of numbers must not
    // be scanned again from each of its numbers.
    let mut group = *reader;
    for _ in 0..3 {
        if group.take(b",").is_none() || group.digits() != 3 {
            break;
        }
        *reader = group;
    }
    let mut fraction = *reader;
    if fraction.take(b".").is_some() && fraction.digits() > 0 {
        *reader = fraction;
    }
    reader.take(b" ");
    let rest = &reader.bytes[reader.at..];
    let micro = ["µs", "μs"].into_iter().find(|unit| rest.starts_with(unit.as_bytes()));
    if let Some(micro) = micro {
        reader.at += micro.len();
        return Some(Unit::Fraction);
    }
    Unit::of(reader.letters())
}

/// How fast a loop or a transfer went, as progress bars say: `284.96it/s`, `5.2 MB/s`. What else is counted in a second
/// may be what was asked for.
fn rate(bytes: &[u8], at: usize) -> Option<usize> {
    let mut reader = Reader { bytes, at };
    reader.digits();
    let mut fraction = reader;
    if fraction.take(b".").is_some() && fraction.digits() > 0 {
        reader = fraction;
    }
    reader.take(b" ");
    let is_rate =
        is_unit_of_rate(reader.letters()) && reader.take(b"/").is_some() && reader.letters() == b"s";
    (is_rate && reader.ends()).then_some(reader.at)
}

/// `7 steps left`, `steps left: 7`: the number, and the word whose plural may change. A count upwards (`step 3 of
/// 10`) shows progress and stays.
fn countdown(bytes: &[u8], floor: usize, at: usize) -> Option<usize> {
    let mut reader = Reader { bytes, at };
    reader.number(1..=6, 0..=u32::MAX)?;
    let one = reader;
    if is_cell(&bytes[floor.min(at)..at]) && matches!(reader.peek(), Some(b']' | b'-' | b'>')) {
        return Some(one.at);
    }
    let before = word_before(bytes, floor, at, b" \":=_");
    reader.take(b" ");
    if is_step(reader.letters()) {
        let end = reader.at;
        return (reader.take(b" ").is_some() && is_left(reader.letters())).then_some(end);
    }
    let (start, word) = before?;
    let (_, other) = word_before(bytes, floor, start, b" _")?;
    let named = (is_left(word) && is_step(other)) || (is_step(word) && is_left(other));
    (named && one.ends()).then_some(one.at)
}

/// What comes before the number of a notebook's cell: `In [3]`, `Cell In[3]`, `Out[3]`, `<ipython-input-3-…>`. The
/// number rises with every run, whatever runs.
fn is_cell(before: &[u8]) -> bool {
    ["In [", "In[", "Out[", "Out [", "ipython-input-"].iter().any(|it| before.ends_with(it.as_bytes()))
}
