//! The building blocks of messages: excerpts, quoted arguments, lists of names.

/// The first `chars` characters of a text, cut on a character boundary, with a mark if something is missing.
pub fn excerpt(text: &str, chars: usize) -> String {
    let text = text.trim();
    match text.split_at(beginning(text, chars).len()) {
        (all, "") => all.to_owned(),
        (first, rest) => first.to_owned() + &missing(rest.chars().count()),
    }
}

/// A text on one line, cut if it is long.
pub fn one_line(text: &str, chars: usize) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    excerpt(&line, chars)
}

/// Replaces the content of a reused buffer by the first `chars` characters of a text.
pub fn keep(buffer: &mut String, text: &str, chars: usize) {
    buffer.clear();
    buffer.push_str(beginning(text, chars));
}

/// Whether a text has more than `chars` characters; mostly, its bytes say so.
#[must_use]
pub fn is_longer(text: &str, chars: usize) -> bool {
    /// Bytes of the longest character.
    const BYTES: usize = 4;
    text.len() > chars && (text.len() > BYTES * chars || text.chars().nth(chars).is_some())
}

/// The first `chars` characters.
fn beginning(text: &str, chars: usize) -> &str {
    if text.len() <= chars {
        return text;
    }
    text.char_indices().nth(chars).map_or(text, |(cut, _)| &text[..cut])
}

/// The first line that is not blank, cut after `chars` characters.
pub fn first_line(text: &str, chars: usize) -> String {
    excerpt(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(""), chars)
}

/// JSON text with one member on each line, numbers and strings exactly as sent, cut as [`excerpt`] cuts it. The text
/// must be valid JSON. What is cut is counted, not written: laid out, a nest is much longer than it was.
pub fn pretty(json: &str, chars: usize) -> String {
    let mut out = Excerpt { shown: String::new(), left: chars, more: 0 };
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut opened = false;
    for c in json.chars() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if c.is_whitespace() {
            continue;
        }
        let closes = c == '}' || c == ']';
        if closes {
            depth = depth.saturating_sub(1);
        }
        if opened != closes && (opened || closes) {
            out.new_line(depth);
        }
        opened = false;
        out.push(c);
        match c {
            '{' | '[' => {
                depth += 1;
                opened = true;
            }
            ',' => out.new_line(depth),
            ':' => out.push(' '),
            '"' => in_string = true,
            _ => {}
        }
    }
    match out.more {
        0 => out.shown,
        more => out.shown + &missing(more),
    }
}

/// The mark in place of so many characters.
fn missing(chars: usize) -> String {
    format!(" [… {chars} more characters]")
}

/// The beginning of a text that is being written.
struct Excerpt {
    shown: String,
    /// Characters that are still shown.
    left: usize,
    /// Characters that are not.
    more: usize,
}

impl Excerpt {
    fn push(&mut self, c: char) {
        if self.left > 0 {
            self.left -= 1;
            self.shown.push(c);
        } else {
            self.more += 1;
        }
    }

    fn new_line(&mut self, depth: usize) {
        self.push('\n');
        let blanks = 2 * depth;
        let shown = blanks.min(self.left);
        self.shown.extend(std::iter::repeat_n(' ', shown));
        self.left -= shown;
        self.more += blanks - shown;
    }
}

/// "a", "a and b", "a, b and c", "a, b, c and 4 more".
pub fn list(names: &[String], at_most: usize) -> String {
    let shown = &names[..names.len().min(at_most)];
    let rest = names.len() - shown.len();
    match (shown, rest) {
        ([], _) => String::new(),
        ([only], 0) => only.clone(),
        ([head @ .., last], 0) => format!("{} and {last}", head.join(", ")),
        (_, rest) => format!("{} and {rest} more", shown.join(", ")),
    }
}

/// "once", "twice", "3 times".
pub fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        _ => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_cut_between_characters() {
        assert_eq!(excerpt(" abc ", 3), "abc");
        assert_eq!(excerpt("日本語です", 3), "日本語 [… 2 more characters]");
        assert_eq!(first_line("\n\n  error: no\nmore", 20), "error: no");
    }

    #[test]
    fn arguments_are_laid_out_and_otherwise_left_alone() {
        let json = r#"{"a":100000000000000000001,"b":["x,y\"{", 1.0],"c":{}}"#;
        let laid_out = concat!(
            "{\n  \"a\": 100000000000000000001,\n  \"b\": [\n    \"x,y\\\"{\",\n    1.0\n  ],\n",
            "  \"c\": {}\n}",
        );
        for chars in 0..100 {
            assert_eq!(pretty(json, chars), excerpt(laid_out, chars), "{chars}");
        }
    }

    #[test]
    fn what_is_cut_from_a_nest_is_counted_and_not_written() {
        let numbers = "1,".repeat(100_000);
        let json = format!("{}{numbers}1{}", "[".repeat(100), "]".repeat(100));
        let text = pretty(&json, 20);
        // A nest of 100 is opened and closed; each number is on a line of its own.
        let (lines, signs) = (201 + 100_000, 200 + 200_001);
        let blanks = 2 * (2 * (1..100).sum::<usize>() + 100 * 100_001);
        let more = lines - 1 + signs + blanks - 20;
        assert_eq!(text, format!("[\n  [\n    [\n      [\n [… {more} more characters]"));
        assert!(text.capacity() < 200);
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        for text in ["", "a", "abcd", "é", "日本", "😀", "😀😀", "a😀"] {
            for chars in 0..6 {
                assert_eq!(is_longer(text, chars), text.chars().count() > chars, "{text} {chars}");
            }
        }
    }

    #[test]
    fn names_are_listed() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(list(&names[..1], 3), "a");
        assert_eq!(list(&names[..3], 3), "a, b and c");
        assert_eq!(list(&names, 2), "a, b and 2 more");
    }
}
