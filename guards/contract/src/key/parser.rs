//! Reduces JSON text to a digest, in one pass.

use std::ops::Range;

use super::arguments::{Found, Members, Shape};
use super::digest::{Digest, Digests, Leaf, SHORT, Seed, in_order, leaf, string};

/// How deep arrays and objects may nest. It bounds the parser's recursion; the arguments that tools take are far less
/// deep.
pub(crate) const DEPTH: usize = 128;

/// A strict recursive-descent parser that returns digests instead of values; `None` is a syntax error.
pub(super) struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The digests of all open arrays and objects; each owns the stack from where it began.
    open: Digests,
    /// A buffer to unescape strings and to assemble long numbers.
    scratch: Vec<u8>,
    /// The members of the document itself.
    members: Members,
    /// The wanted names. `found` is the first of them that the document has, with the place of its value.
    wanted: &'t [&'t str],
    found: Option<(usize, Found)>,
}

impl<'t> Parser<'t> {
    /// A parser of `text` that also finds the value of the first of the `wanted` members that is a string.
    pub(super) fn new(text: &'t str, wanted: &'t [&'t str]) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
            open: Digests::new(),
            scratch: Vec::new(),
            members: Members::default(),
            wanted,
            found: None,
        }
    }

    pub(super) fn document(mut self) -> Option<(Digest, Shape, Members, Option<Found>)> {
        let shape = if self.peek() == Some(b'{') { Shape::Object } else { Shape::OtherJson };
        let digest = self.value(0)?;
        (self.peek().is_none()).then_some((digest, shape, self.members, self.found.map(|(_, found)| found)))
    }

    /// The next byte that is not white space, not taken.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Digest> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth + 1),
            b'[' => self.array(depth + 1),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<Digest> {
        let there = self.bytes[self.at..].starts_with(word);
        self.at += word.len();
        there.then(|| leaf(Leaf::Word, word[0].into(), 1))
    }

    fn array(&mut self, depth: usize) -> Option<Digest> {
        let first = self.begin(depth)?;
        if self.peek()? != b']' {
            loop {
                let item = self.value(depth)?;
                self.open.push(item);
                if !self.more(b']')? {
                    break;
                }
            }
        }
        self.at += 1;
        let digest = Seed::Array.hash(self.open.since(first).as_flattened());
        self.open.truncate(first);
        Some(digest)
    }

    fn object(&mut self, depth: usize) -> Option<Digest> {
        let first = self.begin(depth)?;
        if self.peek()? != b'}' {
            loop {
                if self.peek()? != b'"' {
                    return None;
                }
                let start = self.at;
                let name = self.string()?;
                let spelled = start + 1..self.at - 1;
                if self.peek()? != b':' {
                    return None;
                }
                self.at += 1;
                self.peek();
                let start = self.at;
                let value = self.value(depth)?;
                if depth == 1 && first == 0 {
                    self.find(spelled, Found { span: start..self.at, digest: value });
                }
                self.open.push(name);
                self.open.push(value);
                if !self.more(b'}')? {
                    break;
                }
            }
        }
        self.at += 1;
        let members = self.open.since(first).as_chunks_mut::<2>().0;
        let members = in_order(members);
        if depth == 1 && first == 0 {
            self.members = Members::of(members);
        }
        let digest = Seed::Object.hash(members.as_flattened().as_flattened());
        self.open.truncate(first);
        Some(digest)
    }

    /// Remembers the value of a member if it is wanted. The last of several equal names counts.
    fn find(&mut self, name: Range<usize>, value: Found) {
        let name = &self.bytes[name];
        let upto = self.found.as_ref().map_or(self.wanted.len(), |(at, _)| at + 1);
        let wanted = self.wanted[..upto].iter().position(|it| it.as_bytes() == name);
        if let Some(at) = wanted.filter(|_| self.bytes[value.span.start] == b'"') {
            self.found = Some((at, value));
        }
    }

    /// Takes the bracket that opens an array or object.
    fn begin(&mut self, depth: usize) -> Option<usize> {
        self.at += 1;
        (depth <= DEPTH).then_some(self.open.len())
    }

    /// Takes a comma and returns true; returns false at the closing bracket, which it does not take.
    fn more(&mut self, close: u8) -> Option<bool> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                Some(true)
            }
            byte => (byte == close).then_some(false),
        }
    }

    fn string(&mut self) -> Option<Digest> {
        self.at += 1;
        let start = self.at;
        self.at = special(self.bytes, start);
        if *self.bytes.get(self.at)? == b'"' {
            let len = self.at - start;
            self.at += 1;
            // A short string is almost always followed by more bytes, so one load and a mask can read it.
            return Some(match self.bytes[start..].first_chunk() {
                Some(&chunk) if len <= SHORT => {
                    leaf(Leaf::String, u128::from_le_bytes(chunk) & ((1 << (8 * len)) - 1), len)
                }
                Some(_) | None => string(&self.bytes[start..start + len]),
            });
        }
        self.scratch.clear();
        // Unescaped text is never longer than its escaped form, so this is the only allocation of a call.
        self.scratch.reserve(self.bytes.len() - start);
        let mut plain = start;
        loop {
            self.scratch.extend_from_slice(&self.bytes[plain..self.at]);
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.escape()?,
                _ => return None,
            }
            plain = self.at;
            self.at = special(self.bytes, plain);
        }
        self.at += 1;
        Some(string(&self.scratch))
    }

    #[inline]
    fn escape(&mut self) -> Option<()> {
        let escape = *self.bytes.get(self.at + 1)?;
        self.at += 2;
        self.scratch.push(match escape {
            b'"' | b'\\' | b'/' => escape,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode_escape(),
            _ => return None,
        });
        Some(())
    }

    fn unicode_escape(&mut self) -> Option<()> {
        let mut unit = self.four_hex_digits()?;
        if (0xd800..0xdc00).contains(&unit) && self.bytes[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.four_hex_digits()?;
            if (0xdc00..0xe000).contains(&low) {
                unit = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            } else {
                self.at = back;
            }
        }
        match char::from_u32(unit) {
            Some(char) => self.scratch.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            // Half a pair is encoded by the same scheme as UTF-8 would use: no other text has these bytes.
            None => {
                let low_six = |bits: u32| 0x80 | (bits & 0x3f) as u8;
                self.scratch.extend_from_slice(&[0xed, low_six(unit >> 6), low_six(unit)]);
            }
        }
        Some(())
    }

    fn four_hex_digits(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &byte| Some(unit << 4 | char::from(byte).to_digit(16)?))
    }

    fn number(&mut self) -> Option<Digest> {
        let negative = self.take(b'-');
        let mut whole = self.digits()?;
        if whole.len() > 1 && whole[0] == b'0' {
            return None;
        }
        let mut fraction = if self.take(b'.') { self.digits()? } else { &[] };
        let exponent = self.exponent()?;

        // The canonical form is an integer without zeros at either end, and a power of ten.
        let mut power = 0_i64;
        fraction = trim_end(fraction);
        power -= fraction.len() as i64;
        if fraction.is_empty() {
            let digits = whole.len();
            whole = trim_end(whole);
            power += (digits - whole.len()) as i64;
        }
        if whole == b"0" {
            whole = &[];
            fraction = trim_start(fraction);
        }
        if whole.is_empty() && fraction.is_empty() {
            return Some(leaf(Leaf::Positive, 0, 0));
        }
        let kind = if negative { Leaf::Negative } else { Leaf::Positive };
        let (power, spelled) = match exponent {
            Exponent::Small(exponent) => (power + exponent, None),
            Exponent::Long(spelled) => (power, Some(spelled)),
        };
        // Nineteen digits always fit into 64 bits.
        if let (Ok(power), None, ..=19) = (i32::try_from(power), spelled, whole.len() + fraction.len()) {
            let digits = whole.iter().chain(fraction);
            let integer = digits.fold(0, |sum: u64, digit| sum * 10 + u64::from(digit - b'0'));
            return Some(leaf(kind, u128::from(integer) | u128::from(power.cast_unsigned()) << 64, 12));
        }
        self.scratch.clear();
        self.scratch.push(kind as u8);
        self.scratch.extend_from_slice(&power.to_le_bytes());
        self.scratch.extend_from_slice(whole);
        self.scratch.extend_from_slice(fraction);
        if let Some((negative, digits)) = spelled {
            self.scratch.extend_from_slice(if negative { b"e-" } else { b"e+" });
            self.scratch.extend_from_slice(digits);
        }
        Some(Seed::Number.hash(&self.scratch))
    }

    fn exponent(&mut self) -> Option<Exponent<'t>> {
        if !self.take(b'e') && !self.take(b'E') {
            return Some(Exponent::Small(0));
        }
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let digits = trim_start(self.digits()?);
        if digits.len() > 18 {
            return Some(Exponent::Long((negative, digits)));
        }
        let size = digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        Some(Exponent::Small(if negative { -size } else { size }))
    }

    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    /// One digit or more.
    #[inline]
    fn digits(&mut self) -> Option<&'t [u8]> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then(|| &self.bytes[start..self.at])
    }
}

enum Exponent<'t> {
    Small(i64),
    /// More than 18 digits, and whether they are negative: the power cannot be added.
    Long((bool, &'t [u8])),
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let kept = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    &digits[..kept]
}

fn trim_start(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len());
    &digits[zeros..]
}

/// Where the next quote, backslash or control character is, or the end: eight bytes at a time. A mask may
/// also mark bytes above a true hit, never below one, so its lowest bit is right.
#[inline]
fn special(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let less = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGH;
    let mut at = from;
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = less(word ^ (ONES * b'"' as u64), 1);
        let backslash = less(word ^ (ONES * b'\\' as u64), 1);
        let hit = quote | backslash | less(word, 0x20);
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes[at..].iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
    rest.map_or(bytes.len(), |rest| at + rest)
}
