//! Notes that an agent puts at the end of a result, for the model to read: `<system-reminder>…</system-reminder>`.
//!
//! Agents have no other place for a word to the model between two calls: several dialects take nothing after a result
//! but the next result. A tag whose name says that it is from the system, at the end and on lines of its own, is such
//! a note. The rest is what the tool answered.

/// A result in two parts: what the tool answered, and the notes at its end, the first one first.
pub(super) fn split(result: &str) -> (&str, Vec<&str>) {
    let (mut answer, mut notes) = (result, Vec::new());
    while let Some((before, note)) = last(answer) {
        notes.push(note);
        answer = before;
    }
    notes.reverse();
    (answer, notes)
}

/// What is before the note at the end of a text, and the note.
fn last(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_end().strip_suffix('>')?;
    let (inside, name) = inside.rsplit_once("</")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !is_of_system(name) || !name.chars().all(is_name) {
        return None;
    }
    let open = format!("<{name}>");
    let (before, note) = inside.rsplit_once(&open)?;
    let begins_a_line = before.is_empty() || before.ends_with('\n');
    begins_a_line.then(|| (before.trim_end(), note.trim()))
}

fn is_of_system(name: &str) -> bool {
    name.contains("reminder") || name.starts_with("system")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_told_from_what_the_tool_answered() {
        for (result, answer, notes) in [
            ("a.txt\n\n<system-reminder>\nStop.\n</system-reminder>\n", "a.txt", &["Stop."][..]),
            ("<system>Empty.</system>", "", &["Empty."]),
            ("a\n<reminder>One.</reminder>\n<system_note>Two.</system_note>", "a", &["One.", "Two."]),
            ("a\n<system-reminder></system-reminder>", "a", &[""]),
            ("a.txt\n", "a.txt\n", &[]),
            ("", "", &[]),
        ] {
            assert_eq!(split(result), (answer, notes.to_vec()), "{result}");
        }
    }

    #[test]
    fn what_a_tool_prints_is_no_note() {
        for result in [
            "<html>\n<body>system</body>\n</html>",
            "see <system-reminder>this</system-reminder>",
            "</system-reminder>",
            "<system-reminder>\nStop.\n</system-reminder>\nmore",
            "<system-reminder kind=\"x\">Stop.</system-reminder>",
            "<list>\n<system>a</system>\n</list>",
            "a\n<systém>b</systém>",
            "1 > 0",
        ] {
            assert_eq!(split(result), (result, Vec::new()), "{result}");
        }
    }
}
