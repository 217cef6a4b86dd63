//! What came of a run, in one word, and why.

use std::collections::BTreeMap;

use balk_reports::records::crash::{Left, Verdict, Word};
use balk_scenarios::Kind;

use super::child::Ended;
use crate::processes::{MEMORY_MIB_MAX, PROCESSES_MAX};
use crate::serve::{History, Outcome, Step, Told};
use crate::told::Printed;

/// What is known of the agent's program.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) ended: Ended,
    pub(super) code: Option<i32>,
    pub(super) signalled: bool,
    pub(super) printed: Printed,
    pub(super) left: Left,
    pub(super) nanoseconds: u64,
    pub(super) runs: usize,
    pub(super) same_acts: [usize; 2],
    pub(super) goal_in_process: bool,
    pub(super) unheard: bool,
}

/// The verdict of a run that was played.
pub(super) fn verdict(told: &Told, kind: Kind, facts: Facts) -> Verdict {
    let Facts {
        ended,
        code,
        signalled,
        printed,
        left,
        nanoseconds,
        runs,
        same_acts,
        goal_in_process,
        unheard,
    } = facts;
    let goal = told.verdict.goal;
    let interventions = interventions(&told.steps);
    // A healthy model that is not let to wait by a call waits in words, and these end the run. That is no work of
    // the agent, so nothing can be said of it.
    let only_waits = kind == Kind::Control && told.waits;
    let word = match ended {
        _ if goal => Word::Reached,
        Ended::Itself if only_waits => Word::NotRun,
        Ended::Stopped | Ended::OutOfTime | Ended::TooLarge => Word::RanOn,
        Ended::Itself if signalled || code.is_some_and(is_of_crash) => Word::Crashed,
        Ended::Itself if printed.told.is_some() => Word::Told,
        // A program that only reports an exception goes on.
        Ended::Itself if printed.broke.is_some() && code != Some(0) => Word::Crashed,
        Ended::Itself => Word::Silent,
    };
    Verdict {
        lie: word == Word::Silent && code == Some(0),
        word,
        line: match word {
            Word::Told => printed.told,
            Word::NotRun => Some(refused_wait(&interventions)),
            Word::Silent | Word::Crashed => printed.last,
            Word::RanOn => Some(match ended {
                Ended::OutOfTime => "it was waited for in vain".to_owned(),
                Ended::TooLarge => format!(
                    "it had more than {PROCESSES_MAX} processes, or more than {MEMORY_MIB_MAX} MiB of memory"
                ),
                Ended::Stopped | Ended::Itself => "it has had its requests".to_owned(),
            }),
            Word::Reached => None,
        },
        code,
        runs,
        requests: told.verdict.requests,
        tokens: [told.tokens.input_tokens, told.tokens.output_tokens],
        identical_calls: told.verdict.identical_calls,
        interventions,
        more_interventions: 0,
        calls: calls(&told.steps),
        otherwise: outcomes(&told.steps).filter(|it| *it == Outcome::Otherwise).count(),
        same_acts,
        goal_in_process,
        unheard,
        kept_cut: told.steps.iter().any(|it| matches!(it, Step::History { how: History::Kept })),
        left,
        milliseconds: nanoseconds / 1_000_000,
        waits: waits(told),
        more_waits: 0,
    }
}

/// For each so many bytes that a verdict may have, it lists one word, one wait and one name. What these have in JSON
/// beside their texts is 61 bytes at most, so there is room for it.
const LISTED_BYTES: usize = 64;

/// The verdict with at most about so many bytes of what is up to its agent, as JSON has them: its line, its words to
/// its model, the waits of its requests, and the names of what it left behind. Where these are too many, the first ones
/// stay, and it says how many more there were. Where the texts are too long, the end of the longest is left out.
pub(super) fn quoting(mut verdict: Verdict, bytes_max: usize) -> Verdict {
    let most = bytes_max / LISTED_BYTES;
    verdict.more_interventions += cut_off(&mut verdict.interventions, most);
    verdict.more_waits += cut_off(&mut verdict.waits, most);
    verdict.left = first_names(verdict.left, most);
    let mut texts = usize::from(verdict.line.is_some()) + verdict.interventions.len() + verdict.left.0.len();
    let mut bytes_left = bytes_max.saturating_sub(bytes_beside_texts(&verdict));
    // What a short text does not need, the later ones get.
    let mut cut = |text: &mut String| {
        bytes_left -= shorten(text, bytes_left / texts);
        texts -= 1;
    };
    verdict.line.iter_mut().for_each(&mut cut);
    verdict.interventions.iter_mut().for_each(|(_, text)| cut(text));
    let mut left = Left::default();
    for (mut name, count) in verdict.left.0 {
        cut(&mut name);
        *left.0.entry(name).or_default() += count;
    }
    Verdict { left, ..verdict }
}

/// Leaves out all but the first ones. Returns how many these are.
fn cut_off<T>(all: &mut Vec<T>, most: usize) -> usize {
    let more = all.len().saturating_sub(most);
    all.truncate(most);
    more
}

/// The first names. Those after them count under a name for all.
fn first_names(left: Left, most: usize) -> Left {
    let mut names = left.0.into_iter();
    let mut first: BTreeMap<_, _> = names.by_ref().take(most).collect();
    for (_, count) in names {
        *first.entry(CUT.to_string()).or_default() += count;
    }
    Left(first)
}

/// How many bytes the lists of a verdict have in JSON but for their texts: `[ACT,""],`, `WAIT,` and `"":COUNT,`.
fn bytes_beside_texts(verdict: &Verdict) -> usize {
    let digits = |number: u64| number.checked_ilog10().unwrap_or(0) as usize + 1;
    let words = verdict.interventions.iter().map(|(act, _)| 6 + digits(*act as u64));
    let waits = verdict.waits.iter().map(|it| 1 + digits(*it));
    let left = verdict.left.0.values().map(|count| 4 + digits((*count).into()));
    words.chain(waits).chain(left).sum()
}

/// In the place of what is left out.
const CUT: char = '…';

/// Leaves out the end of a text that has more bytes in JSON than that. Returns how many it has then.
fn shorten(text: &mut String, bytes_max: usize) -> usize {
    let in_json = |c: char| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        c => c.len_utf8(),
    };
    let (mut bytes, mut fits) = (0, (0, 0));
    for (at, c) in text.char_indices() {
        if bytes + CUT.len_utf8() <= bytes_max {
            fits = (at, bytes);
        }
        bytes += in_json(c);
        if bytes > bytes_max {
            let (end, bytes) = fits;
            text.truncate(end);
            // Without room for the sign, nothing is left.
            if bytes_max < CUT.len_utf8() {
                return 0;
            }
            text.push(CUT);
            return bytes + CUT.len_utf8();
        }
    }
    bytes
}

/// Why a healthy model ends the run itself.
fn refused_wait(interventions: &[(usize, String)]) -> String {
    let said = interventions.last().map_or("", |(_, text)| text.lines().next().unwrap_or_default());
    format!("its model waits in words, which end the run, because a call that waits was answered: {said}")
}

fn interventions(steps: &[Step]) -> Vec<(usize, String)> {
    let mut acts = 0;
    let mut found = Vec::new();
    for step in steps {
        match step {
            Step::Act { .. } => acts += 1,
            Step::Intervention { text, .. } => found.push((acts, text.to_string())),
            Step::Opened { .. }
            | Step::Result { .. }
            | Step::User { .. }
            | Step::Side { .. }
            | Step::System { .. }
            | Step::History { .. } => {}
        }
    }
    found
}

/// The exit code of a program that broke: of a panic in Rust, and what a shell says of one that a signal ended.
fn is_of_crash(code: i32) -> bool {
    code == 101 || (129..=192).contains(&code)
}

fn calls(steps: &[Step]) -> [usize; 2] {
    [outcomes(steps).count(), outcomes(steps).filter(|it| *it != Outcome::Unknown).count()]
}

fn outcomes(steps: &[Step]) -> impl Iterator<Item = Outcome> {
    steps.iter().filter_map(|it| match it {
        Step::Result { outcome, .. } => Some(*outcome),
        Step::Opened { .. }
        | Step::Act { .. }
        | Step::User { .. }
        | Step::Intervention { .. }
        | Step::Side { .. }
        | Step::System { .. }
        | Step::History { .. } => None,
    })
}

/// The waits before requests that were sent again. Each act and each side call has its arrival.
fn waits(told: &Told) -> Vec<u64> {
    let asked = told.steps.iter().filter(|it| matches!(it, Step::Act { .. } | Step::Side { .. }));
    let again = |step: &&Step| matches!(step, Step::Act { attempt: 2.., .. });
    let gaps = told.arrivals.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000_000);
    asked.skip(1).zip(gaps).filter(|(step, _)| again(step)).map(|(_, gap)| gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_json_has_too_many_bytes_of_it() {
        for (text, most, expected) in [
            ("", 0, ""),
            ("abc", 0, ""),
            ("abc", 2, ""),
            ("abcd", 3, "…"),
            ("abcd", 4, "abcd"),
            ("abcdef", 5, "ab…"),
            ("éééé", 7, "éé…"),
            ("éééé", 8, "éééé"),
            ("\u{1}\u{1}", 11, "\u{1}…"),
            ("\"\n\\", 6, "\"\n\\"),
            ("\"\n\\", 5, "\"…"),
        ] {
            let mut cut = text.to_owned();
            let bytes = shorten(&mut cut, most);
            assert_eq!(cut, expected, "{text:?}, {most}");
            assert_eq!(serde_json::to_string(&cut).expect("plain data").len(), bytes + 2, "{text:?}, {most}");
        }
    }

    #[test]
    fn what_a_verdict_quotes_has_a_bound_and_short_texts_stay_whole() {
        let of = |line: &str, words: &[&str]| Verdict {
            interventions: words.iter().map(|it| (1, (*it).to_owned())).collect(),
            left: Left([("sleep".to_owned(), 2), ("cat".to_owned(), 1)].into()),
            ..Verdict::not_run(line.to_owned())
        };
        let short = of("a line", &["Go on.", "Stop."]);
        assert_eq!(quoting(short.clone(), 128), short);
        let long = "x".repeat(1_000);
        let cut = format!("{}…", "x".repeat(128));
        assert_eq!(quoting(of("", &["Go on.", &long]), 424), of("", &["Go on.", &cut]));
        let none = quoting(of(&long, &[&long]), 0);
        assert_eq!((none.line.as_deref(), &none.left), (Some(""), &Left([(String::new(), 3)].into())));
    }

    #[test]
    fn of_what_a_verdict_lists_the_first_stay_and_the_others_count() {
        let names = |all: &[(&str, u32)]| Left(all.iter().map(|(it, n)| ((*it).to_owned(), *n)).collect());
        let verdict = Verdict {
            interventions: (1..=5).map(|it| (it, "a".to_owned())).collect(),
            left: names(&[("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)]),
            waits: vec![1, 2, 3, 4, 5],
            ..Verdict::not_run("why".to_owned())
        };
        let expected = Verdict {
            interventions: (1..=3).map(|it| (it, "a".to_owned())).collect(),
            more_interventions: 2,
            left: names(&[("a", 1), ("b", 2), ("c", 3), ("…", 9)]),
            waits: vec![1, 2, 3],
            more_waits: 2,
            ..verdict.clone()
        };
        assert_eq!(quoting(verdict.clone(), 3 * 64), expected);
        assert_eq!(quoting(expected.clone(), 3 * 64), expected, "once more, it stays as it is");
        assert_eq!(quoting(verdict.clone(), 1_000), verdict);
    }

    /// Numbers count as well as texts.
    #[test]
    fn what_a_verdict_lists_has_the_bytes_that_it_may_have() {
        for (bytes_max, act) in [(419, 1), (419, usize::MAX), (65_536, 1), (65_536, usize::MAX)] {
            let none = Verdict::not_run(String::new());
            let verdict = Verdict {
                interventions: vec![(act, "word".repeat(9)); 70_000],
                left: Left((0..256).map(|it| (format!("{it:x}"), u32::MAX / 256)).collect()),
                waits: vec![u64::MAX; 70_000],
                ..none.clone()
            };
            let bytes = |it: &Verdict| serde_json::to_string(it).expect("plain data").len();
            let more = quoting(verdict, bytes_max);
            let (words, waits, left) = (Vec::new(), Vec::new(), Left::default());
            let listed = bytes(&more) - bytes(&Verdict { interventions: words, waits, left, ..more.clone() });
            // The name of all others is beside them.
            assert!(listed <= bytes_max + 32, "{bytes_max}, {act}: {listed}");
            assert!(!more.interventions.is_empty() && !more.waits.is_empty());
        }
    }
}
