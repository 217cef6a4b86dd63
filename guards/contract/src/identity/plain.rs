//! Numbers that no rule can match. Most numbers are like this, and the neighbouring bytes show it.

use super::reader::NAME_BYTES;
use super::vocabulary::{ends_like_a_count, is_month, is_step, is_unit, is_unit_of_rate};
use super::volatile::{follows_ref, may_be_stamp};

/// What a byte can mean next to a number: one flag each, in the low byte. The next bytes have the flags that, in the
/// byte farther away, require a close look ([`if_followed_by`], [`if_preceded_by`]), and the last one has what requires
/// it alone.
type Class = u32;

/// Directly after a number it extends the number.
const OPEN: Class = 1;
/// A letter that is a hexadecimal digit.
const HEX: Class = 2;
/// After a number and a blank it may begin a unit of time or data, a month, or the name of what is counted down.
const UNIT: Class = 4;
const DIGIT: Class = 8;
const LETTER: Class = 16;
/// The last letter of "left" and "remaining", of steps, tries and rounds, of "pid" and other ids, or of "req".
const COUNTED: Class = 32;
/// A separator between a number and the word before it.
const BETWEEN: Class = 64;
/// After a number it may close a cell.
const CELL: Class = 128;

/// The flags that a byte has by itself.
const FLAGS: Class = 0xff;
/// After a number, or before it, it requires a close look.
const BEHIND: Class = 1 << 24;
const AHEAD: Class = 1 << 25;
/// On both sides of a number, it requires one if the number follows a letter: the number may be a day.
const DAY: Class = LETTER << 22;

/// After a number, it may extend the number if one of these follows.
const fn if_followed_by(following: Class) -> Class {
    following << 8
}

/// Before a number, it may belong to it if one of these precedes it.
const fn if_preceded_by(preceding: Class) -> Class {
    preceding << 16
}

static CLASSES: [Class; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let lower = byte.to_ascii_lowercase();
        classes[at] = match byte {
            b'0'..=b'9' => OPEN | DIGIT,
            b' ' => BETWEEN | DAY | if_followed_by(UNIT),
            b':' => BETWEEN | if_followed_by(DIGIT),
            b',' => DAY | if_followed_by(DIGIT),
            b'.' => if_followed_by(DIGIT),
            b'/' => if_followed_by(DIGIT | LETTER),
            b'-' => CELL | AHEAD | if_followed_by(DIGIT | LETTER),
            b']' | b'>' => CELL,
            b'"' | b'=' | b'_' => BETWEEN,
            0x80.. => OPEN | UNIT,
            _ => 0,
        };
        if byte.is_ascii_alphabetic() {
            classes[at] = OPEN | LETTER;
            classes[at] |= match lower {
                b'c' | b'e' | b'l' | b'p' | b'q' | b'v'..=b'z' => 0,
                _ => UNIT,
            };
            classes[at] |= match lower {
                b't' | b'g' | b'p' | b's' | b'n' | b'y' | b'd' | b'q' => COUNTED,
                _ => 0,
            };
            classes[at] |= if byte.is_ascii_hexdigit() { HEX | AHEAD } else { if_preceded_by(BETWEEN) };
        }
        if classes[at] & (OPEN | CELL) != 0 {
            classes[at] |= BEHIND;
        }
        if classes[at] & BETWEEN != 0 {
            classes[at] |= if_preceded_by(BETWEEN | COUNTED);
        }
        at += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// True for a number that no rule can match because of its neighbours; false says nothing. The bytes from `start` to
/// `end` are digits, without digits next to them, and are the first digits of their word.
#[inline]
pub(super) fn is_plain(bytes: &[u8], start: usize, end: usize) -> bool {
    let Some(&[second_before, before, .., next, second]) = bytes.get(start.wrapping_sub(2)..end + 2) else {
        return false;
    };
    let (behind, following) = (class(next), class(second));
    let (ahead, name) = (class(before), class(second_before));
    // The usual number has nothing of all this, and costs no more than these lookups.
    let alone = behind & BEHIND | ahead & AHEAD;
    let together =
        following & (behind >> 8) | name & (ahead >> 16) | name & LETTER & ((ahead & behind) >> 22);
    !may_be_stamp(end - start)
        && (alone | together & FLAGS == 0 || is_plain_at_a_second_look(bytes, start, end, second_before))
}

/// The same for a number with neighbours that rules look for.
fn is_plain_at_a_second_look(bytes: &[u8], start: usize, end: usize, second_before: u8) -> bool {
    let (before, next, second) = (bytes[start - 1], bytes[end], bytes[end + 1]);
    let (behind, following) = (class(next), class(second));
    if behind & OPEN != 0
        || following & (behind >> 8) & FLAGS != 0 && goes_on(bytes, start, end)
        || behind & CELL != 0 && may_open_a_cell(second_before, before)
    {
        return false;
    }
    let ahead = class(before);
    if ahead & BETWEEN == 0 {
        // After a letter, the word is an id if all of it is hexadecimal, or a reference if it has a name for that;
        // after a dash, it may be the end of an id.
        return !(ahead & HEX != 0 && may_end_an_id(bytes, start, end)
            || ahead & LETTER != 0 && follows_ref(bytes, start - 1)
            || before == b'-' && end - start == 12);
    }
    let name = name_before(bytes, start);
    let may_be_day = before == b' '
        && end - start <= 2
        && (next == b' ' && (second == b' ' || following & DIGIT != 0) || next == b',' && second == b' ');
    !(ends_like_a_count(name) || may_be_of_request(name) || may_be_day && is_month(name))
}

/// Whether this may end the name of a request's id.
#[inline]
fn may_be_of_request(name: &[u8]) -> bool {
    matches!(name, [.., b'i' | b'I', b'd' | b'D'] | [.., b'e' | b'E', b'q' | b'Q'])
}

/// The name before a number, or its last letters: with one to four separators between.
fn name_before(bytes: &[u8], start: usize) -> &[u8] {
    let mut end = start;
    while end > start.saturating_sub(4) && class(bytes[end - 1]) & BETWEEN != 0 {
        end -= 1;
    }
    let mut at = end;
    while at > end.saturating_sub(NAME_BYTES) && class(bytes[at - 1]) & LETTER != 0 {
        at -= 1;
    }
    &bytes[at..end]
}

/// Whether the digits from `start` to `end` may be the last ones of a hexadecimal id that begins before them.
fn may_end_an_id(bytes: &[u8], start: usize, end: usize) -> bool {
    let inside = bytes[..start].iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_whole = !start.checked_sub(inside + 1).is_some_and(|at| bytes[at].is_ascii_alphanumeric());
    is_whole && inside + (end - start) >= 8
}

/// Whether these two bytes may come before the number of a cell: `In[`, `In [`, `Out[`, `ipython-input-`.
fn may_open_a_cell(second_before: u8, before: u8) -> bool {
    before == b'-' || before == b'[' && matches!(second_before, b'n' | b't' | b' ')
}

/// Whether a rule may match more than the number itself, given that the byte after it is followed by one that
/// requires a close look.
fn goes_on(bytes: &[u8], start: usize, end: usize) -> bool {
    let digits = end - start;
    match bytes[end] {
        // A time.
        b':' => digits <= 2,
        // A date, with a month in digits or letters, or a UUID.
        b'/' | b'-' => matches!(digits, 2 | 4 | 8) || digits == 1 && bytes[end + 1].is_ascii_alphabetic(),
        // A thousands separator.
        b',' => digits_at(&bytes[end + 1..]) == 3,
        // A fraction.
        b'.' => match bytes[end + 1 + digits_at(&bytes[end + 1..])..] {
            [b' ', unit, ..] => class(unit) & UNIT != 0,
            [unit, ..] => class(unit) & OPEN != 0,
            [] => false,
        },
        // A unit, a month, or what is counted down, after a blank.
        _ => {
            let rest = &bytes[end + 1..];
            let word = &rest[..rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
            word.is_empty()
                || is_unit(word)
                || is_unit_of_rate(word)
                || is_step(word)
                || digits <= 2 && is_month(word)
        }
    }
}

fn digits_at(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|it| it.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::super::volatile::around;
    use super::*;

    /// What rules look for before a number.
    const BEFORE: &[&str] = &[
        "",
        "x",
        "(",
        " ",
        ", ",
        "May ",
        "May  ",
        "Fri May ",
        "left: ",
        "steps left=",
        "steps_left_",
        "remaining \"",
        "retry ",
        "rounds = ",
        "In [",
        "Out[",
        "ipython-input-",
        "at ",
        "v1.",
        "12:",
        "a_",
        "#",
        "/tmp/x",
        "rows left ",
        "req_",
        "request_id=",
        "\"traceId\": ",
        "In[",
        "x [",
        "a[",
        "g",
        "e",
        "[ref=e",
        "\"ref\": \"e",
        "href=e",
        "-",
        "550e8400-e29b-",
        "550e8400-e29b-41d4-a716-",
        "12.",
        "1,",
    ];

    /// What they look for after it.
    const AFTER: &[&str] = &[
        "",
        " ",
        ")",
        ", ",
        ",",
        " ms",
        "s",
        " s",
        " min",
        ":30:01",
        ":30",
        "-05-01",
        "/05/2024",
        " May 2024",
        ", 2024",
        " 12:30:01",
        " 12:30 2024",
        " steps left",
        " tries remaining",
        "] x",
        "-",
        ">",
        ".5 s",
        ",000 ms",
        "µs",
        " µs",
        "\n",
        "; ",
        "}",
        " )",
        ",, ",
        "  2024",
        ": ",
        ":x",
        ":3",
        "/x",
        "/May/2024",
        "-May-2024",
        "-12",
        "/12/31",
        "-e29b-41d4-a716-446655440000",
        "-1234-41d4-a716-446655440000",
        "-a716-446655440000",
        "-x",
        "].",
        ".5",
        ".5)",
        ".25 ms",
        " kB/s",
        ".5 GB/s",
        ".96it/s]",
        " B/s ",
        ".25s",
        ".5 x",
        ".5 µs",
        ",0005 s",
        ",000,000.5 s",
        ",00",
        ",34,567 ms",
        ",2,3,456 s",
        ",,234 ms",
        "g ",
        "e ",
        "_x",
    ];

    #[test]
    fn what_is_plain_is_taken_by_no_rule() {
        let mut plain = 0;
        for number in ["0", "3", "12", "30", "123", "2024", "1234567", "12345678", "446655440000"] {
            for before in BEFORE {
                for (after, frame) in AFTER.iter().flat_map(|after| [(after, ""), (after, "\n\n")]) {
                    let text = format!("{frame}{before}{number}{after}{frame}");
                    let (bytes, start) = (text.as_bytes(), frame.len() + before.len());
                    // The word that contains the number.
                    let rest =
                        |bytes: &[u8]| bytes.iter().take_while(|it| it.is_ascii_alphanumeric()).count();
                    let first = start
                        - bytes[..start].iter().rev().take_while(|it| it.is_ascii_alphanumeric()).count();
                    let end = start + rest(&bytes[start..]);
                    if is_plain(bytes, start, start + number.len()) {
                        plain += 1;
                        assert_eq!(around(bytes, 0, first, end), None, "{text:?}");
                    }
                }
            }
        }
        assert!(plain > 6_000, "{plain}");
    }
}
