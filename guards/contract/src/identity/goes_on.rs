//! Whether an answer says that something is still in progress.

use memchr::memchr;

use super::state_member;
use crate::places;

/// The longest answer, in bytes, that may report a state; longer ones are logs.
const ANSWER_BYTES: usize = 400;
/// The most digits of a share's numbers.
const DIGITS: usize = 9;
/// Words that say so, in which the first `d` or `g` is behind these two letters: what comes before them, and what comes
/// behind. The search looks for these three letters: few others have them.
const fn words_with(letters: [u8; 2]) -> &'static [(&'static str, &'static str)] {
    match &letters {
        b"in" => &[("runn", "g"), ("wait", "g"), ("process", "g")],
        b"ro" => &[("in p", "gress"), ("in_p", "gress")],
        b"en" => &[("p", "ding")],
        b"ue" => &[("que", "d")],
        b"ea" => &[("not r", "dy")],
        b"he" => &[("not finis", "d")],
        b"t " => &[("no", "done")],
        b"il" => &[("bu", "ding")],
        b"se" => &[("elap", "d")],
        _ => &[],
    }
}

/// Whether this answer says that something is still in progress: in a word, by a share that is not whole, such as
/// `step 41/90`, which needs no language, or by the state that it gives ([`state_member`]).
pub(super) fn says_it_goes_on(text: &str) -> bool {
    let answer = text.as_bytes();
    if answer.len() > ANSWER_BYTES {
        return false;
    }
    let says_so = |at: usize| match answer[at] {
        b'/' => is_part_of_whole(answer, at),
        b'\n' => is_row_of_job(&answer[at + 1..]),
        byte if state_member::divides(byte) => state_member::goes_on_at(text, at),
        _ => is_of_word(answer, at),
    };
    places::of(answer, may_say_so).any(says_so) || says_not_yet(text) || is_row_of_job(answer)
}

/// Whether an answer may say so at this byte: in a word with it, in a share, in the line behind it, or by the value of
/// a member.
fn may_say_so(byte: u8) -> bool {
    let lower = byte | 0x20;
    (lower == b'd') | (lower == b'g') | (byte == b'/') | (byte == b'\n') | state_member::divides(byte)
}

/// The longest answer, in bytes, that only says that something is not there yet.
const NOT_YET_BYTES: usize = 100;
/// How it says so, or that it may come later, in small letters. What is not made yet ("not yet implemented") will not
/// come by waiting.
#[rustfmt::skip]
const NOT_YET: [&str; 26] = [
    "again later", "noch nicht", "noch kein", "später noch", "später erneut", "aún no", "todavía no", "más tarde",
    "pas encore", "plus tard", "ainda não", "ainda sem", "mais tarde", "non ancora", "più tardi", "ещё не", "еще не",
    "nog niet", "尚未", "还没", "还未", "稍后", "稍後", "まだ", "아직", "나중에",
];
const NOT_MADE: [&str; 3] = ["implement", "support", "unterstütz"];
/// Parts of these words in which this letter is, one for each that is in ASCII: what comes before it, and what comes
/// behind. Most short answers have none, and are not read further.
const fn hints_with(letter: u8) -> &'static [(&'static str, &'static str)] {
    match letter {
        b'c' => &[("o", "h "), ("en", "ore"), ("an", "ora")],
        b'd' => &[("ain", "a "), ("tar", "")],
        b'g' => &[("no", " ")],
        b'l' => &[("", "ater")],
        b'y' => &[("", "et")],
        _ => &[],
    }
}

/// Whether a short answer says that something is not there yet: "no code yet", "noch nicht fertig".
pub(crate) fn says_not_yet(answer: &str) -> bool {
    let bytes = answer.as_bytes();
    let is_hint = |at: usize| {
        let (before, behind) = (&bytes[..at], &bytes[at + 1..]);
        let is_it = |(start, end): &(&str, &str)| {
            before.ends_with(start.as_bytes()) && behind.starts_with(end.as_bytes())
        };
        hints_with(bytes[at]).iter().any(is_it)
    };
    let has_letter = |it: u8| (it == b'c') | (it == b'd') | (it == b'g') | (it == b'l') | (it == b'y');
    let may_say_so = || !answer.is_ascii() || places::of(bytes, has_letter).any(is_hint);
    if answer.len() > NOT_YET_BYTES || !may_say_so() {
        return false;
    }
    let lower = answer.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let denies = |it: &str| matches!(it, "no" | "not" | "none" | "nothing") || it.ends_with("n't");
    let is_not_yet = words.any(denies) && words.any(|it| it == "yet");
    (is_not_yet || NOT_YET.iter().any(|it| lower.contains(it)))
        && !NOT_MADE.iter().any(|it| lower.contains(it))
}

/// Whether the next line is the row of a table of jobs or processes: first an id, then, among other columns, a state in
/// a few capitals that is no end (`PD`, `R`, `PEND`), and a time. Such tables have no words for it.
fn is_row_of_job(text: &[u8]) -> bool {
    /// Codes of jobs that have ended (`squeue`, `qstat`, `bjobs`).
    const ENDED: [&[u8]; 12] =
        [b"CD", b"CA", b"F", b"C", b"E", b"X", b"TO", b"NF", b"OOM", b"DONE", b"EXIT", b"BF"];
    let text = text.trim_ascii_start();
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
    let mut columns = line.split(u8::is_ascii_whitespace).filter(|column| !column.is_empty());
    let is_id = columns.next().is_some_and(|id| id.len() > 1 && !id.contains(&b':') && !id.contains(&b'-'));
    let (mut has_state, mut has_time) = (false, false);
    for column in columns {
        has_state |=
            column.len() <= 4 && column.iter().all(u8::is_ascii_uppercase) && !ENDED.contains(&column);
        has_time |= is_time(column);
    }
    is_id && has_state && has_time
}

/// `0:00`, `00:41:10`.
fn is_time(column: &[u8]) -> bool {
    let mut parts = 0;
    column.split(|byte| *byte == b':').all(|part| {
        parts += 1;
        (1..=2).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
    }) && parts > 1
}

/// Whether the first `d` or `g` of one of the words is at `at`.
fn is_of_word(answer: &[u8], at: usize) -> bool {
    let Some(&[one, other]) = answer[..at].last_chunk::<2>() else { return false };
    let letters = [one, other].map(|byte: u8| byte.to_ascii_lowercase());
    let (before, behind) = (&answer[..at - 2], &answer[at..]);
    words_with(letters).iter().any(|(start, end)| {
        before.len() >= start.len()
            && before[before.len() - start.len()..].eq_ignore_ascii_case(start.as_bytes())
            && behind.get(..end.len()).is_some_and(|it| it.eq_ignore_ascii_case(end.as_bytes()))
    })
}

/// Whether the slash is between two numbers of which the first is smaller, and which are no part of a path or a date.
fn is_part_of_whole(answer: &[u8], slash: usize) -> bool {
    let is_digit = |byte: &&u8| byte.is_ascii_digit();
    let before = answer[..slash].iter().rev().take_while(is_digit).count();
    let behind = answer[slash + 1..].iter().take_while(is_digit).count();
    if !(1..=DIGITS).contains(&before) || !(1..=DIGITS).contains(&behind) {
        return false;
    }
    let (start, end) = (slash - before, slash + 1 + behind);
    let joins = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'\\');
    let is_apart = !start.checked_sub(1).is_some_and(|at| joins(answer[at]))
        && answer.get(end).is_none_or(|&next| {
            !joins(next) || next == b'.' && !answer.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
        });
    let number = |digits: &[u8]| digits.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    is_apart && number(&answer[start..slash]) < number(&answer[slash + 1..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_found_by_its_letter() {
        let letters = (b' '..=b'z').flat_map(|one| (b' '..=b'z').map(move |other| [one, other]));
        let words = letters.flat_map(|letters| words_with(letters).iter().map(move |it| (letters, it)));
        assert_eq!(words.clone().count(), 12);
        for (letters, (start, end)) in words {
            let letters = std::str::from_utf8(&letters).expect("letters");
            let word = &[start, letters, end].concat();
            assert_eq!(word.find(['d', 'g']), Some(start.len() + 2), "{word}");
            assert!(!says_it_goes_on(&word[1..]) && !says_it_goes_on(&word[..word.len() - 1]), "{word}");
            assert!(says_it_goes_on(&format!("The job: {}.", word.to_uppercase())), "{word}");
            assert!(says_it_goes_on(word), "{word}");
        }
        assert!(!says_it_goes_on("nothing to do, not at all"));
        assert!(!says_it_goes_on(&"still running ".repeat(40)), "a log");
    }

    #[test]
    fn each_hint_is_found_by_its_letter() {
        let hints = (0..=u8::MAX).flat_map(|letter| {
            hints_with(letter).iter().map(move |(start, end)| format!("{start}{}{end}", char::from(letter)))
        });
        let hints: Vec<String> = hints.collect();
        assert_eq!(hints, ["och ", "encore", "ancora", "ainda ", "tard", "nog ", "later", "yet"]);
        let ascii = NOT_YET.iter().filter(|it| it.is_ascii());
        assert!(ascii.clone().all(|it| hints.iter().any(|hint| it.contains(hint.as_str()))));
        assert!(ascii.clone().all(|it| says_not_yet(&format!("x {it} y"))));
    }

    #[test]
    fn what_is_not_there_yet_may_come() {
        for answer in [
            "no code yet",
            "held by ci-42, try again later",
            "Not yet.",
            "The report isn't there yet",
            "Noch nicht fertig",
            "Noch keine Antwort.",
            "todavía no hay respuesta",
            "pas encore prêt",
            "Ещё не готово",
            "结果尚未生成",
            "まだ届いていません",
            "아직 없습니다",
        ] {
            assert!(says_it_goes_on(answer), "{answer}");
        }
        for answer in ["not yet implemented", "Noch nicht unterstützt.", "yeti", "Yet another one", "ready"]
        {
            assert!(!says_it_goes_on(answer), "{answer}");
        }
    }

    #[test]
    fn the_row_of_a_job_goes_on_until_its_state_is_an_end() {
        for answer in [
            "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 71342 gpu fit ada CF 0:03 2 n[4-5]",
            "1182.head  assemble  ada  00:12:44 Q long",
            "4410    ada     RUN   normal     h1    h9    fit   11:20",
        ] {
            assert!(says_it_goes_on(answer), "{answer}");
        }
        for answer in [
            "71342 gpu fit ada CD 12:03 2 n4",
            "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)",
            "-rw-r--r-- 1 ada ada 812 May  3 12:30 TODO",
            "71342 COMPLETED 00:12:03",
            "12:30 ADA left",
            "2024-05-03 12:30 OK",
            "12 lines, 3 of them OK",
        ] {
            assert!(!says_it_goes_on(answer), "{answer}");
        }
    }

    #[test]
    fn a_share_that_is_not_whole_goes_on_in_any_language() {
        for answer in
            ["[worker 3] step 41/90 (release)", "epoch 1/4 loss 0.71", "已完成 3/10", "Schritt 2/3."]
        {
            assert!(says_it_goes_on(answer), "{answer}");
        }
        for answer in ["10/10 steps", "src/1/2", "05/01/2024", "v1/2", "4/1", "a/b", "/3", "3/", "see 1/2-x"]
        {
            assert!(!says_it_goes_on(answer), "{answer}");
        }
    }
}
