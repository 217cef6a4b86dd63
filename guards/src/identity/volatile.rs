//! The rules for volatile parts: each looks at a word with a digit in it, and at what stands around it.

/// A volatile part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// What a mask stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Moment = 1,
    Duration = 2,
    Countdown = 3,
    Address = 4,
    Id = 5,
    Temporary = 6,
}

/// The volatile part that holds the word from `start` to `end`, if one does. The word is made of ASCII
/// letters and digits, with a digit among them; what is before `floor` belongs to another part.
pub(super) fn around(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<Span> {
    let span = |start, end, kind| Some(Span { start, end, kind });
    let word = &bytes[start..end];
    if let Some((start, end)) = uuid(bytes, floor, start, word.len()) {
        return span(start, end, Kind::Id);
    }
    if is_address(bytes, start, word) {
        return span(start, end, Kind::Address);
    }
    let previous = start.checked_sub(1).map(|before| bytes[before]);
    if is_hexadecimal_id(word) && previous != Some(b'#') {
        return span(start, end, Kind::Id);
    }
    // The rest are numbers; one that goes on from another (`1.2.3`, `main.rs:12:30`) is a version or place.
    if !word[0].is_ascii_digit() || matches!(previous, Some(b'.' | b':')) {
        return None;
    }
    // What follows a number tells nearly always at once that no rule fits.
    let after = start + word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = bytes.get(after);
    if after - start <= 4
        && matches!(next, Some(b':' | b'-' | b'/' | b' ' | b','))
        && let Some((start, end)) = moment(bytes, floor, start)
    {
        return span(start, end, Kind::Moment);
    }
    if previous == Some(b'_') {
        return None;
    }
    if next.is_some_and(|next| matches!(next, b' ' | b'.' | b',' | b'a'..=b'z' | 0x80..))
        && let Some(end) = duration(bytes, start)
    {
        return span(start, end, Kind::Duration);
    }
    countdown(bytes, floor, start).and_then(|end| span(start, end, Kind::Countdown))
}

/// The name at `start`, where it looks generated.
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

/// A UUID with a group of that length at `start`: the groups before it may have no digit to stop at.
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

fn is_address(bytes: &[u8], start: usize, word: &[u8]) -> bool {
    let Some(digits) = word.strip_prefix(b"0x") else { return false };
    let long = if bytes[..start].ends_with(b"at ") { 5..=16 } else { 9..=16 };
    long.contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit)
}

fn is_hexadecimal_id(word: &[u8]) -> bool {
    if !(8..=32).contains(&word.len()) || !word.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let upper = word.iter().any(u8::is_ascii_uppercase);
    let lower = word.iter().any(u8::is_ascii_lowercase);
    // The letter must not be a unit behind a number (`12345678b`), nor stand for an exponent (`1e10000000`).
    let last_digit = word.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
    let letters = word[..last_digit].iter().filter(|byte| byte.is_ascii_alphabetic());
    let exponent = word[0].is_ascii_digit() && letters.clone().all(|byte| matches!(byte, b'e' | b'E'));
    upper != lower && letters.clone().count() > usize::from(exponent)
}

/// A date with or without a time, or a time with seconds, one of whose numbers is at `at`.
fn moment(bytes: &[u8], floor: usize, at: usize) -> Option<(usize, usize)> {
    let mut reader = Reader { bytes, at };
    if let Some(end) = clock(reader, true) {
        return Some((at, end));
    }
    let (start, timed) = if numeric_date(&mut reader) || day_and_month(&mut reader) {
        (at, None)
    } else {
        // The day of `May  3 12:30:01 2024`, with the month before it and a time or year after it.
        let start = word_before(bytes, floor, at, b" ").filter(|(_, word)| is_name(word, &MONTHS))?.0;
        reader.number(1..=2, 1..=31)?;
        let timed = Reader { at: reader.at + 1, ..reader };
        let timed = clock(timed, false).filter(|_| reader.peek() == Some(b' '));
        match timed {
            Some(end) => {
                reader.at = year(Reader { bytes, at: end }).unwrap_or(end);
                reader.at = zone(reader);
            }
            None => reader.at = year(reader)?,
        }
        (start, timed)
    };
    if timed.is_none() && matches!(reader.peek(), Some(b'T' | b' ' | b':')) {
        let time = Reader { at: reader.at + 1, ..reader };
        reader.at = clock(time, false).unwrap_or(reader.at);
    }
    let weekday = word_before(bytes, floor, start, b" ,").filter(|(_, word)| is_name(word, &WEEKDAYS));
    let start = weekday.map_or(start, |(start, _)| start);
    reader.ends().then_some((start, reader.at))
}

/// `2024-05-01`, `2024/05/01`, `05/01/2024`.
fn numeric_date(reader: &mut Reader<'_>) -> bool {
    let read = |mut it: Reader<'_>| {
        if it.number(4..=4, 1900..=2099).is_some() {
            let mark = it.take(b"-/")?;
            it.number(2..=2, 1..=12)?;
            it.take(&[mark])?;
            it.number(2..=2, 1..=31)?;
        } else {
            let first = it.number(2..=2, 1..=31)?;
            it.take(b"/")?;
            let second = it.number(2..=2, 1..=31)?;
            it.take(b"/").filter(|_| first.min(second) <= 12)?;
            it.number(4..=4, 1900..=2099)?;
        }
        Some(it.at)
    };
    read(*reader).is_some_and(|end| {
        reader.at = end;
        true
    })
}

/// `03 May 2024`, `03-May-2024`, `03/May/2024`.
fn day_and_month(reader: &mut Reader<'_>) -> bool {
    let read = |mut it: Reader<'_>| {
        it.number(1..=2, 1..=31)?;
        let mark = it.take(b" -/")?;
        is_name(it.letters(), &MONTHS).then_some(())?;
        it.take(&[mark])?;
        it.number(4..=4, 1900..=2099)?;
        Some(it.at)
    };
    read(*reader).is_some_and(|end| {
        reader.at = end;
        true
    })
}

/// A year behind a day or time: ` 2024`, `, 2024`.
fn year(mut reader: Reader<'_>) -> Option<usize> {
    reader.take(b",");
    reader.take(b" ")?;
    reader.take(b" ");
    reader.number(4..=4, 1900..=2099)?;
    reader.ends().then_some(reader.at)
}

/// `12:30:01.5+02:00`; the seconds may be missing behind a date, or before am and pm.
fn clock(mut reader: Reader<'_>, alone: bool) -> Option<usize> {
    reader.number(1..=2, 0..=23)?;
    reader.take(b":")?;
    reader.number(2..=2, 0..=59)?;
    let seconds = reader.take(b":").is_some();
    if seconds {
        reader.number(2..=2, 0..=60)?;
        let mut fraction = reader;
        if fraction.take(b".,").is_some() && fraction.number(1..=9, 0..=u32::MAX).is_some() {
            reader = fraction;
        }
    }
    let mut half = reader;
    half.take(b" ");
    let half_of_day = matches!(half.letters(), b"am" | b"pm" | b"AM" | b"PM");
    if half_of_day {
        reader = half;
    } else if alone && !seconds {
        return None;
    }
    reader.at = zone(reader);
    (reader.ends() && reader.peek() != Some(b':')).then_some(reader.at)
}

/// The end of `Z`, `+02:00` or ` +0200`, where one follows.
fn zone(mut reader: Reader<'_>) -> usize {
    let none = reader.at;
    if reader.take(b"Z").is_some() {
        return reader.at;
    }
    reader.take(b" ");
    let read = |mut it: Reader<'_>| {
        it.take(b"+-")?;
        if it.number(4..=4, 0..=2359).is_none() {
            it.number(2..=2, 0..=23)?;
            it.take(b":")?;
            it.number(2..=2, 0..=59)?;
        }
        it.ends().then_some(it.at)
    };
    read(reader).unwrap_or(none)
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
        // One letter for minutes, hours or days says too little alone: `3 m` may be metres.
        if reader.ends() && reader.peek() != Some(b'-') && (parts > 1 || !unit.is_letter()) {
            found = Some(reader.at);
        }
        reader.take(b" ");
    }
    found
}

/// A unit of time, the shortest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Fraction,
    Second,
    Minute,
    MinuteLetter,
    Hour,
    HourLetter,
    DayLetter,
}

impl Unit {
    fn is_letter(self) -> bool {
        match self {
            Self::MinuteLetter | Self::HourLetter | Self::DayLetter => true,
            Self::Fraction | Self::Second | Self::Minute | Self::Hour => false,
        }
    }
}

/// A number, perhaps with a fraction, and a unit of time.
fn amount(reader: &mut Reader<'_>) -> Option<Unit> {
    reader.digits();
    // At most three groups of thousands: a list of numbers must not be read anew from each of them.
    let mut group = *reader;
    for _ in 0..3 {
        if group.take(b",").is_some() && group.digits() == 3 {
            *reader = group;
        }
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
    match reader.letters() {
        b"ns" | b"us" | b"ms" | b"milliseconds" | b"millisecond" => Some(Unit::Fraction),
        b"s" | b"sec" | b"secs" | b"second" | b"seconds" => Some(Unit::Second),
        b"min" | b"mins" | b"minute" | b"minutes" => Some(Unit::Minute),
        b"m" => Some(Unit::MinuteLetter),
        b"hr" | b"hrs" | b"hour" | b"hours" => Some(Unit::Hour),
        b"h" => Some(Unit::HourLetter),
        b"d" => Some(Unit::DayLetter),
        _ => None,
    }
}

/// `7 steps left`, `steps left: 7`, `3/10 steps`, `step 3 of 10`: the numbers, and the word that may lose
/// its plural.
fn countdown(bytes: &[u8], floor: usize, at: usize) -> Option<usize> {
    let mut reader = Reader { bytes, at };
    reader.number(1..=6, 0..=u32::MAX)?;
    let one = reader;
    let before = word_before(bytes, floor, at, b" \":=_");
    if let Some(end) = of_total(reader) {
        let mut after = Reader { bytes, at: end };
        let counted = after.take(b" ").is_some() && is_step(after.letters());
        return (counted || before.is_some_and(|(_, word)| is_step(word))).then_some(end);
    }
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

/// `/10` or ` of 10` behind a number.
fn of_total(mut reader: Reader<'_>) -> Option<usize> {
    if reader.take(b"/").is_none() {
        reader.take(b" ")?;
        (reader.letters() == b"of").then_some(())?;
        reader.take(b" ")?;
    }
    reader.number(1..=6, 0..=u32::MAX)?;
    reader.ends().then_some(reader.at)
}

fn is_step(word: &[u8]) -> bool {
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

fn is_left(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"left") || word.eq_ignore_ascii_case(b"remaining")
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

/// One of the names, in full or by its first three letters.
fn is_name(word: &[u8], names: &[&[u8]]) -> bool {
    let short = word.first_chunk::<3>();
    names.iter().any(|name| short == name.first_chunk() && (word.len() == 3 || word == *name))
}

/// The letters before `at`, behind one to four separators.
fn word_before<'t>(bytes: &'t [u8], floor: usize, at: usize, separators: &[u8]) -> Option<(usize, &'t [u8])> {
    let back = |from: usize, most: usize, fits: &dyn Fn(u8) -> bool| {
        let mut at = from;
        while at > floor.max(from.saturating_sub(most)) && fits(bytes[at - 1]) {
            at -= 1;
        }
        at
    };
    let end = back(at, 4, &|byte| separators.contains(&byte));
    let start = back(end, 11, &|byte| byte.is_ascii_alphabetic());
    (end < at && start < end).then(|| (start, &bytes[start..end]))
}

/// Reads from left to right; a copy is a bookmark.
#[derive(Clone, Copy)]
struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, any: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| any.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn digits(&mut self) -> usize {
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }

    fn letters(&mut self) -> &'t [u8] {
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.at += letters;
        &rest[..letters]
    }

    /// All the digits that follow, where they are as many and as large as they must be; else none is taken.
    fn number(
        &mut self,
        digits: std::ops::RangeInclusive<usize>,
        value: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        let mut ahead = *self;
        let count = ahead.digits();
        let fits = digits.contains(&count);
        let number = &self.bytes[self.at..ahead.at];
        let number = fits.then(|| number.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))?;
        value.contains(&number).then(|| {
            *self = ahead;
            number
        })
    }

    /// Nothing that would make the part longer follows.
    fn ends(&self) -> bool {
        !self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }
}
