//! Dates and times.

use super::reader::{Reader, word_before};
use super::vocabulary::{is_month, is_weekday};

/// A date with or without a time, or a time with seconds, whose first number is at `at`; or the day after the name of
/// a month.
pub(super) fn moment(bytes: &[u8], floor: usize, at: usize) -> Option<(usize, usize)> {
    let mut reader = Reader { bytes, at };
    let digits = reader.digits();
    let (start, reader) = match (digits, reader.peek()?) {
        // After a colon it is a line and column: `main.rs:12:30:01`.
        (1 | 2, b':') if bytes[..at].ends_with(b":") => return None,
        (1 | 2, b':') => return clock(Reader { bytes, at }, true).map(|end| (at, end)),
        (digits, separator) => date(Reader { bytes, at }, floor, digits, separator)?,
    };
    let weekday = word_before(bytes, floor, start, b" ,").filter(|(_, word)| is_weekday(word));
    let start = weekday.map_or(start, |(start, _)| start);
    reader.ends().then_some((start, reader.at))
}

/// A date with the time after it, if there is one: its start, and the reader after it. `digits` is the length of its
/// first number, and `separator` is the byte after that number.
fn date(reader: Reader<'_>, floor: usize, digits: usize, separator: u8) -> Option<(usize, Reader<'_>)> {
    let numeric = match (digits, separator) {
        (2 | 4, b'-' | b'/') => numeric_date(reader),
        _ => None,
    };
    let whole = numeric.or_else(|| match (digits, separator) {
        (1 | 2, b'-' | b'/' | b' ') => day_and_month(reader),
        _ => None,
    });
    if let Some(whole) = whole {
        return Some((reader.at, with_time(whole)));
    }
    match (digits, separator) {
        (1 | 2, b' ' | b',') => {
            let month = word_before(reader.bytes, floor, reader.at, b" ");
            let (start, _) = month.filter(|(_, word)| is_month(word))?;
            Some((start, behind_month(reader)?))
        }
        _ => None,
    }
}

/// Includes the time after a date, if there is one.
fn with_time(date: Reader<'_>) -> Reader<'_> {
    let mut time = date;
    let end = time.take(b"T :").and_then(|_| clock(time, false));
    Reader { at: end.or_else(|| time_in_a_name(date)).unwrap_or(date.at), ..date }
}

/// The time after a date in the name of a file, which must have no colon: `T10_08_37_228Z`, `_10-08-37`.
fn time_in_a_name(mut reader: Reader<'_>) -> Option<usize> {
    const MARKS: &[u8] = b"_-.";
    reader.take(b"T_-")?;
    reader.number(2..=2, 0..=99)?;
    for _ in 0..2 {
        reader.take(MARKS)?;
        reader.number(2..=2, 0..=99)?;
    }
    let mut fraction = reader;
    if fraction.take(MARKS).is_some() && fraction.number(3..=6, 0..=u32::MAX).is_some() {
        reader = fraction;
    }
    reader.take(b"Z");
    reader.ends().then_some(reader.at)
}

/// The rest of `May  3 12:30:01 2024` from the day on: a time, a year, or both.
fn behind_month(mut reader: Reader<'_>) -> Option<Reader<'_>> {
    reader.number(1..=2, 1..=31)?;
    let mut time = reader;
    match time.take(b" ").and_then(|_| clock(time, false)) {
        Some(end) => {
            reader.at = end;
            reader.at = year(reader).unwrap_or(end);
            reader.at = zone(reader);
            Some(reader)
        }
        None => {
            reader.at = year(reader)?;
            Some(with_time(reader))
        }
    }
}

/// `2024-05-01`, `2024/05/01`, `05/01/2024`.
fn numeric_date(mut it: Reader<'_>) -> Option<Reader<'_>> {
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
    Some(it)
}

/// `03 May 2024`, `03-May-2024`, `03/May/2024`.
fn day_and_month(mut it: Reader<'_>) -> Option<Reader<'_>> {
    it.number(1..=2, 1..=31)?;
    let mark = it.take(b" -/")?;
    is_month(it.letters()).then_some(())?;
    it.take(&[mark])?;
    it.number(4..=4, 1900..=2099)?;
    Some(it)
}

/// A year after a day or time: ` 2024`, `, 2024`.
fn year(mut reader: Reader<'_>) -> Option<usize> {
    reader.take(b",");
    reader.take(b" ")?;
    reader.take(b" ");
    reader.number(4..=4, 1900..=2099)?;
    reader.ends().then_some(reader.at)
}

/// `12:30:01.5+02:00`; the seconds are optional after a date, or before am and pm.
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

/// The end of `Z`, `+02:00` or ` +0200`, if one follows.
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
