//! What happened in a run, in words, and texts of other programs made fit to be shown.

use crate::records::crash::{InProcess, Verdict, Word};
use crate::report::document::{Text, code};
use crate::report::sections::number::counted;

/// What stands out in a run: points separated by semicolons. The word of the verdict is not among them.
#[must_use]
pub fn happened(verdict: &Verdict) -> Text {
    let mut points: Vec<Text> = Vec::new();
    if let Some(line) = &verdict.line {
        let said = match verdict.word {
            Word::Told => "its user reads ",
            Word::Silent | Word::Crashed => "its last words are ",
            Word::Reached | Word::RanOn | Word::NotRun => "",
        };
        points.push(Text::from(said) + foreign(line));
    }
    if verdict.line.is_none() && matches!(verdict.word, Word::Silent | Word::Crashed) {
        points.push("it printed nothing".into());
    }
    if verdict.identical_calls > 2 {
        points.push(format!("{} equal calls in a row", verdict.identical_calls).into());
    }
    if verdict.own_words() > 0 {
        let said = format!("{} to its model", counted(verdict.own_words() as u64, "own word"));
        points.push(match &*verdict.interventions {
            [(act, first), ..] => Text::from(format!("{said}, the first after act {act}: ")) + foreign(first),
            [] => said.into(),
        });
    }
    let [same, compared] = verdict.same_acts;
    if same < compared {
        points.push(format!("{same} of {compared} acts as in process").into());
    }
    if verdict.otherwise > 0 {
        let count = counted(verdict.otherwise as u64, "call");
        points.push(format!("{count} did something else than the scenario says").into());
    }
    if verdict.unheard {
        points.push("its user had a reply, which it cannot go on with".into());
    }
    if verdict.kept_cut {
        points.push("took a cut answer for a whole one".into());
    }
    if verdict.sent_again() > 0 {
        let sent = format!("{} sent again", counted(verdict.sent_again() as u64, "request"));
        let waited = waited(&verdict.waits).map(|span| match verdict.more_waits {
            0 => format!(", after {span}"),
            _ => format!(", the first {} of them after {span}", verdict.waits.len()),
        });
        points.push((sent + &waited.unwrap_or_default()).into());
    }
    for (name, count) in &verdict.left.0 {
        points.push(Text::from(format!("left {count} ")) + foreign(name) + " behind");
    }
    listed(points)
}

/// The shortest wait and the longest.
fn waited(waits: &[u64]) -> Option<String> {
    let (least, most) = (waits.iter().min()?, waits.iter().max()?);
    Some(if least == most { format!("{least} ms") } else { format!("{least} to {most} ms") })
}

/// The same of an actor in process.
pub(super) fn happened_in_process(row: &InProcess) -> Text {
    match row.interventions {
        0 => Text::default(),
        count => counted(count.into(), "intervention").into(),
    }
}

fn listed(points: Vec<Text>) -> Text {
    let points = points.into_iter().enumerate();
    points.fold(Text::default(), |all, (at, it)| if at == 0 { it } else { all + "; " + it })
}

/// The first line of a text of another program, as code: without what a terminal or a reader would obey, and not
/// longer than a line.
pub(super) fn foreign(text: &str) -> Text {
    const MOST: usize = 100;
    let line = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    let mut shown: String = line.chars().filter(|it| !is_hidden(*it)).take(MOST + 1).collect();
    if let Some((end, _)) = shown.char_indices().nth(MOST) {
        shown.truncate(end);
        shown.push('…');
    }
    // A backtick would end the code.
    code(if shown.is_empty() { "(blank)".to_owned() } else { shown.replace('`', "'") })
}

/// Control characters, and those that have no width or turn the direction of the text around them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_text_is_one_line_of_code_that_nothing_ends_early() {
        let shown = |text: &str| foreign(text).plain();
        assert_eq!(shown("\n  \u{1b}[31mno `rm`\u{202e} here\r\nmore"), "[31mno 'rm' here");
        assert_eq!(shown(" \n\u{200b}"), "(blank)");
        let [all, cut] = ["ä".repeat(100), "ä".repeat(101)];
        assert_eq!([shown(&all), shown(&cut)], [all.clone(), all + "…"]);
    }
}
