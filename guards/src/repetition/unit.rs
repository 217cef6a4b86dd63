//! How often a text may come before it cannot be meant: that depends on what it is made of.

/// How often, and over how many characters, a text may repeat itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience {
    pub(super) times: usize,
    pub(super) chars: usize,
}

impl Patience {
    /// Whether it is that with a sentence or a paragraph.
    pub(super) fn is_of_prose(self) -> bool {
        self == SENTENCE || self.is_of_paragraph()
    }

    /// Whether it is that with a paragraph.
    pub(super) fn is_of_paragraph(self) -> bool {
        self == PARAGRAPH
    }
}

/// Words of a sentence. gemini-cli takes ten windows of 50 characters, 250 apart (`docs/peers.md#chanting`).
const SENTENCE: Patience = Patience { times: 10, chars: 300 };
/// A paragraph: no refrain of that length comes four times without a verse between. OpenRouter counts any text from
/// the fourth time on (`docs/peers.md#openrouter`).
const PARAGRAPH: Patience = Patience { times: 4, chars: PARAGRAPH_CHARS };
const PARAGRAPH_CHARS: usize = 300;
/// One word. People laugh and count in such words; a list may say `false` or `none` fifty times.
const WORD: Patience = Patience { times: 10, chars: 2_000 };
/// Items of a list: a form has as many equal ones as it has fields, and gemini-cli passes over them.
const LIST: Patience = WORD;
/// Code, tables, rulers, digits, and anything in a fence. A matrix of 64 by 64 zeros has 8,192 characters with blanks.
const STRUCTURE: Patience = Patience { times: 20, chars: 10_000 };

/// Letters of a sentence, at least.
const LETTERS: usize = 8;
/// The same in scripts that write a word in one or two characters.
const SIGNS: usize = 4;
/// Prose has more letters for each mark of code.
const LETTERS_PER_MARK: usize = 8;

/// The patience with a text of which this is one copy, from any place in it.
pub(super) fn patience(unit: &str, is_fenced: bool) -> Patience {
    if is_fenced {
        return STRUCTURE;
    }
    // A paragraph with a whole fence in it is read as a paragraph.
    let has_fence = unit.contains("```");
    let made = Made::of(unit);
    let is_code = !has_fence && made.marks * LETTERS_PER_MARK > made.letters;
    let is_table = made.lines > 0 && made.rows == made.lines;
    if made.letters <= made.digits || made.chars == 1 || is_code || is_table {
        STRUCTURE
    } else if made.signs < SIGNS && (made.words < 2 || made.letters < LETTERS) {
        WORD
    } else if made.lines > 0 && made.items == made.lines {
        LIST
    } else if made.chars >= PARAGRAPH_CHARS {
        PARAGRAPH
    } else {
        SENTENCE
    }
}

/// What a text is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Made {
    chars: usize,
    letters: usize,
    words: usize,
    digits: usize,
    /// Lines that are not blank, and those of them that are items of a list or rows of a table.
    lines: usize,
    items: usize,
    rows: usize,
    /// Letters of scripts without blanks between words.
    signs: usize,
    /// Signs of code, without those that prose quotes between backticks.
    marks: usize,
}

impl Made {
    /// Reads a text as if it were followed by itself.
    fn of(unit: &str) -> Self {
        let mut made = Self::default();
        let mut before = unit.chars().next_back().unwrap_or(' ');
        let (mut blanks, mut ticks, mut marks) = (0, 0, [0; 2]);
        for c in unit.chars() {
            blanks = if c == ' ' { blanks + 1 } else { 0 };
            made.chars += 1;
            if is_sign(c) {
                made.signs += 1;
            }
            if c.is_alphabetic() {
                made.letters += 1;
                made.words += usize::from(!before.is_alphabetic());
            }
            if before == '\n' && c != '\n' {
                made.lines += 1;
                made.items += usize::from("-*+•".contains(c) || c.is_ascii_digit());
                made.rows += usize::from(c == '|');
            }
            made.digits += usize::from(c.is_numeric());
            ticks += usize::from(c == '`');
            marks[ticks % 2] += weight(c, before, blanks);
            before = c;
        }
        // The unit may begin between two backticks, so what is quoted is where most of the marks are.
        let is_quoted = ticks > 0 && ticks.is_multiple_of(2);
        made.marks = if is_quoted { marks[0].min(marks[1]) } else { marks[0] + marks[1] };
        made
    }
}

/// How much a character looks like code, after another and as the last of so many blanks.
fn weight(c: char, before: char, blanks: usize) -> usize {
    match c {
        '(' if before.is_alphanumeric() => 2,
        '{' | '}' | '[' | ']' | '<' | '>' | '|' | ';' | '=' | '\\' | '$' | '_' => 1,
        // Indentation.
        '\t' => 4,
        ' ' if blanks == 4 => 4,
        // A member, a name in camel case.
        _ if before == '.' && c.is_alphanumeric() => 1,
        _ if before.is_lowercase() && c.is_uppercase() => 1,
        _ => 0,
    }
}

/// Letters of scripts that write a word in few letters, or without blanks: Thai, Lao, Khmer, Chinese, Japanese, Korean.
fn is_sign(c: char) -> bool {
    c.is_alphabetic()
        && matches!(
            c,
            '\u{0e00}'..='\u{0eff}'
                | '\u{1780}'..='\u{17ff}'
                | '\u{2e80}'..='\u{9fff}'
                | '\u{ac00}'..='\u{d7af}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(units: &[&str], expected: Patience) {
        for unit in units {
            assert_eq!(patience(unit, false), expected, "{unit:?}");
        }
    }

    #[test]
    fn x5_patience_goes_by_what_the_text_is_made_of() {
        check(
            &[
                "I will now look at main.rs again. ",
                "Thinking... Done. ",
                "I read it:\n- the file\n",
                "我现在来处理。",
                "ファイルを読みます。",
                "파일을 다시 읽겠습니다. ",
                "ฉันจะอ่านไฟล์อีกครั้ง ",
                "Я читаю файл ещё раз. ",
                "the file is not the",
                "No, wait: `set_output(self, *, transform=None)` has no `preserve_dtypes`.\n",
            ],
            SENTENCE,
        );
        check(
            &[
                "- I read the file\n",
                "e.\n\n1. Read the fil",
                "- [ ] to be filled in by the owner\n",
                "ha ",
                "false, ",
                "no\n",
                "哈呵",
                "n/a n/a ",
                "end\n",
            ],
            WORD,
        );
        check(
            &[
                "-",
                "a",
                "哈",
                "0, ",
                "NaN, ",
                "00 ff ",
                "| n/a | n/a |\n",
                "| not known | taken from the defaults of the vendor |\n",
                "<tr><td>x</td></tr>\n",
                "{\"x\": 0, \"y\": 0},\n",
                "    break;\n",
                "self.assertEqual(result, expected)\n",
                "\tdraw and turn around\n",
                "console.log(\"test\")\n",
                "- [ ] Task\n",
                "}\n",
            ],
            STRUCTURE,
        );
        let paragraph =
            "I look at the file, then at the test, and then I think about both of them. ".repeat(4);
        check(&[&paragraph, &format!("{paragraph}\n```\nx[0] = {{1, 2}};\n```\n")], PARAGRAPH);
        assert_eq!(patience(&paragraph, true), STRUCTURE);
    }
}
