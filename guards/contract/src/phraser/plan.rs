//! Whether a text is a list of steps (spec H5).
//!
//! A person who is told why a run cannot continue needs a reason, and a planner that is asked for one sends its plan
//! once more. Only structure counts, since words differ by language: two lines that are items of a list, two sentences
//! that open with counted words ("Step 1: … Step 2: …"), or three counted items in one line. A sentence with a number
//! or a dash has none of these.

/// True for a text that is a list of steps.
pub(super) fn is_plan(text: &str) -> bool {
    let (mut bullets, mut steps) = (0, Row::default());
    for line in text.lines() {
        let (line, is_bullet) = item(line.trim_start());
        bullets += u32::from(is_bullet);
        let first = counted(line).or_else(|| counted_word(line));
        let later = sentences(line).filter_map(counted_word);
        if bullets >= 2 || first.into_iter().chain(later).any(|number| steps.add(number) >= 2) {
            return true;
        }
        let mut inline = Row::default();
        if line.split_whitespace().filter_map(counted).any(|number| inline.add(number) >= 3) {
            return true;
        }
    }
    false
}

/// Numbers that follow each other.
#[derive(Default)]
struct Row {
    last: Option<u32>,
    length: u32,
}

impl Row {
    /// Adds a number, and returns how many in a row go up by one.
    fn add(&mut self, number: u32) -> u32 {
        let follows = self.last.is_some_and(|last| last + 1 == number);
        self.length = if follows { self.length + 1 } else { 1 };
        self.last = Some(number);
        self.length
    }
}

/// A line without the marks at its start, and whether one of them is that of a list.
fn item(line: &str) -> (&str, bool) {
    let bullet = line.strip_prefix(['-', '*', '+', '•', '‣', '◦', '·', '・', '●', '▪', '–', '—', '→']);
    match bullet.filter(|rest| rest.starts_with(char::is_whitespace)) {
        Some(rest) => (rest.trim_start(), true),
        None => (line.trim_start_matches(['#', '>', '*', '_', ' ']), false),
    }
}

/// Where sentences of a line begin, without the first.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.match_indices(['.', '!', '?', ';', ':', '。', '！', '？', '；', '：']);
    ends.map(|(at, mark)| line[at + mark.len()..].trim_start())
}

/// The number of an item that opens with it: `1.`, `2)`, `(3)`, `四、`, `⑤`.
fn counted(text: &str) -> Option<u32> {
    let text = text.strip_prefix(['(', '（']).unwrap_or(text);
    if let Some(circled) = text.chars().next().filter(|it| ('①'..='⑳').contains(it)) {
        return Some(circled as u32 - '①' as u32 + 1);
    }
    let (number, rest) = number(text)?;
    ends_label(rest, &['.', ')', ':', '、', '．', '）', '：']).then_some(number)
}

/// The number of an item that opens with a word and it, in either order: `Step 1:`, `Paso 2 -`, `第三步，`, `4단계:`.
fn counted_word(text: &str) -> Option<u32> {
    let word = text.find(|it: char| !it.is_alphabetic() || digit(it).is_some()).unwrap_or(text.len());
    let (number, rest) = number(text[word..].trim_start_matches([' ', '\u{a0}']))?;
    let behind = rest.find(|it: char| it.is_ascii() || !it.is_alphabetic()).unwrap_or(rest.len());
    let (behind, rest) = rest.split_at(behind);
    let has_word = text[..word].chars().count() + behind.chars().count();
    let marks = ['.', ')', ':', '-', '–', '—', ',', '、', '，', '．', '）', '：'];
    let is_label = (1..=WORD_CHARS).contains(&has_word)
        && ends_label(rest.trim_start_matches([' ', '\u{a0}', '*', '_']), &marks);
    is_label.then_some(number)
}

/// The longest word in front of a number: "Arbeitsschritt" has 14 characters.
const WORD_CHARS: usize = 16;

/// Whether one of these marks ends a label here. Behind a dot or a colon, a digit or a letter goes on with the same
/// word: `1.5`, `10:30`.
fn ends_label(rest: &str, marks: &[char]) -> bool {
    let mut rest = rest.chars();
    let mark = rest.next().filter(|it| marks.contains(it));
    let goes_on = rest.next().is_some_and(|it| it.is_ascii_alphanumeric());
    mark.is_some_and(|mark| !(goes_on && ['.', ':', '-', ','].contains(&mark)))
}

/// A number of one or two digits, and the text behind it. No plan has a hundred steps, and years are no steps.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|it| digit(it).is_none()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let mut values = digits.chars().filter_map(digit);
    match (values.next(), values.next(), values.next()) {
        (Some(one), None, _) => Some((one, rest)),
        (Some(tens @ ..=9), Some(ones @ ..=9), None) => Some((10 * tens + ones, rest)),
        _ => None,
    }
}

/// The value of a digit: European, fullwidth, Arabic, Persian, Devanagari, or a Chinese numeral.
fn digit(it: char) -> Option<u32> {
    if let Some(at) = "一二三四五六七八九十".chars().position(|numeral| numeral == it) {
        return u32::try_from(at + 1).ok();
    }
    let zeros = ['0', '０', '٠', '۰', '०'];
    zeros.into_iter().find_map(|zero| (it as u32).checked_sub(zero as u32).filter(|value| *value <= 9))
}
