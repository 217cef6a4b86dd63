//! Numbers that no rule can take: most numbers do not stand like one, which the bytes beside them tell.

/// What a byte can be to a number beside it.
type Class = u8;

/// Behind a number it makes it longer, or a moment, a fraction or a cell of it.
const OPEN: Class = 1;
/// Behind a number another byte has to be seen.
const PARTS: Class = 2;
/// Behind a number and a blank it may begin a unit of time, a month, or what is counted down.
const UNIT: Class = 4;
const DIGIT: Class = 8;
const LETTER: Class = 16;
/// The last letter of "left" and "remaining", or of steps, tries and rounds.
const COUNTED: Class = 32;
/// Between a number and the word before it.
const BETWEEN: Class = 64;

static CLASSES: [Class; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let lower = byte.to_ascii_lowercase();
        classes[at] = match byte {
            b'0'..=b'9' => OPEN | DIGIT,
            b'-' | b'/' | b']' | b'>' => OPEN,
            b':' => OPEN | BETWEEN,
            b' ' => PARTS | BETWEEN,
            b',' | b'.' => PARTS,
            b'"' | b'=' | b'_' => BETWEEN,
            0x80.. => OPEN | UNIT,
            _ => 0,
        };
        if byte.is_ascii_alphabetic() {
            classes[at] = OPEN | LETTER;
            classes[at] |= match lower {
                b'b' | b'c' | b'e' | b'g' | b'k' | b'l' | b'p' | b'q' | b'v'..=b'z' => 0,
                _ => UNIT,
            };
            classes[at] |= match lower {
                b't' | b'g' | b'p' | b's' | b'n' | b'y' | b'd' => COUNTED,
                _ => 0,
            };
        }
        at += 1;
    }
    classes
};

/// True for a short number that stands so that no rule can take it. False says nothing. From `start` to `end` there
/// are digits, and none beside them.
#[inline]
pub(super) fn is_plain(bytes: &[u8], start: usize, end: usize) -> bool {
    let Some([second_before, before, .., next, second]) = bytes.get(start.wrapping_sub(2)..end + 2) else {
        return false;
    };
    let class = |byte: &u8| CLASSES[usize::from(*byte)];
    // From eight digits on it may be the last group of a UUID.
    if class(next) & OPEN != 0 || end - start > 7 {
        return false;
    }
    let mut may_be_day = false;
    if class(next) & PARTS != 0 {
        // Behind a comma or a point the number goes on with digits only.
        let goes_on = if *next == b' ' { UNIT } else { DIGIT };
        if class(second) & goes_on != 0 {
            return false;
        }
        may_be_day = *before == b' ' && (*second == b' ' || class(second) & DIGIT != 0);
    }
    if class(before) & BETWEEN == 0 {
        return class(before) & LETTER == 0;
    }
    let mut word = class(second_before);
    if word & BETWEEN != 0 {
        let more = bytes[..start - 2].iter().rev().take(3).map(class);
        word = more.into_iter().find(|class| class & BETWEEN == 0).unwrap_or(0);
    }
    word & if may_be_day { LETTER } else { COUNTED } == 0
}

#[cfg(test)]
mod tests {
    use super::super::volatile::around;
    use super::*;

    #[test]
    fn what_is_plain_is_taken_by_no_rule() {
        let before = [
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
        ];
        let after = [
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
        ];
        let mut plain = 0;
        for number in ["0", "3", "12", "30", "2024", "1234567"] {
            for before in before {
                for (after, frame) in after.iter().flat_map(|after| [(after, ""), (after, "\n\n")]) {
                    let text = format!("{frame}{before}{number}{after}{frame}");
                    let (bytes, start) = (text.as_bytes(), frame.len() + before.len());
                    // The word that the number is part of.
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
        assert!(plain > 500, "{plain}");
    }
}
