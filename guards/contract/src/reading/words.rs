//! Words of failure and of success, by their first byte.

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Something failed.
    Failure,
    /// Something failed that may work later: a network, a lock, a limit of rate.
    Passing,
    /// A time ran out, which may be enough later, unless it was spent on waiting for a part of a page.
    Timeout,
    /// A part of a page or a window, which is there or not.
    Part,
    /// Something failed that stays so until something changes: a name, a form, a right.
    Lasting,
    /// In a failure that names nothing lasting, a sign that it may work later. By itself it is no failure.
    Hint,
    /// Something worked, if a line begins with it.
    Success,
    /// There was no failure: "no errors".
    Nothing,
    /// An exit status follows.
    Exit,
    /// Something failed, unless a count of zero follows.
    Counted,
}

use Meaning::{Counted, Exit, Failure, Hint, Lasting, Nothing, Part, Passing, Success, Timeout};

/// Words that begin with the same byte. Of those that fit, the first counts.
type Words = &'static [(&'static str, Meaning)];

/// The meaning of the word at the start of a text, and its length. Case does not matter.
pub(super) fn meaning(text: &[u8]) -> Option<(Meaning, usize)> {
    if !may_begin(text) {
        return None;
    }
    // Most words of the list differ in the third letter.
    let fits = |word: &str| {
        let word = word.as_bytes();
        let differ = word.len() > 2 && text.len() > 2 && (word[2] ^ text[2]) & 31 != 0;
        !differ && begins(text, word) && ends(text, word.len())
    };
    listed(text).iter().find(|(word, _)| fits(word)).map(|(word, meaning)| (*meaning, word.len()))
}

/// The words that begin like this text, in two letters if these are ASCII.
fn listed(text: &[u8]) -> &'static [(&'static str, Meaning)] {
    match *text {
        [first, second, ..] if first.is_ascii_alphabetic() => {
            let pair = pair(first, second);
            &BY_PAIR[usize::from(STARTS_OF_PAIRS[pair])..usize::from(STARTS_OF_PAIRS[pair + 1])]
        }
        [first, ..] if !first.is_ascii() => words(first),
        [_, ..] | [] => &[],
    }
}

/// A number for the first two bytes of a word, in which the case of letters does not count.
const fn pair(first: u8, second: u8) -> usize {
    (first as usize & 31) << 5 | second as usize & 31
}

/// How many pairs there are.
const PAIRS: usize = 32 * 32;

/// Where the words of each pair start in [`BY_PAIR`].
const STARTS_OF_PAIRS: [u16; PAIRS + 1] = {
    let mut starts = [0; PAIRS + 1];
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            starts[pair(first, words[at].0.as_bytes()[1]) + 1] += 1;
            at += 1;
        }
        first += 1;
    }
    let mut pair = 0;
    while pair < PAIRS {
        starts[pair + 1] += starts[pair];
        pair += 1;
    }
    starts
};

/// The words that begin with ASCII letters: those of a pair together, in the order of their list.
static BY_PAIR: [(&str, Meaning); STARTS_OF_PAIRS[PAIRS] as usize] = {
    let mut sorted = [("", Nothing); STARTS_OF_PAIRS[PAIRS] as usize];
    let mut ends = STARTS_OF_PAIRS;
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            let pair = pair(first, words[at].0.as_bytes()[1]);
            sorted[ends[pair] as usize] = words[at];
            ends[pair] += 1;
            at += 1;
        }
        first += 1;
    }
    sorted
};

/// Whether the text begins with this word, in either case.
pub(super) fn begins(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
}

/// A bit for each three bytes that a word begins with, five bits of each byte: they tell letters apart, in either case.
/// Nearly all words of a text end here.
static BEGINNINGS: [u64; 512] = {
    let mut bits = [0; 512];
    let mut first = b'a';
    while first <= b'z' {
        let words = words(first);
        let mut at = 0;
        while at < words.len() {
            let word = words[at].0.as_bytes();
            let mut third = 0;
            while third < 32 {
                if word.len() < 3 || word[2] & 31 == third {
                    let place = place(first, word[1], third);
                    bits[place / 64] |= 1 << (place % 64);
                }
                third += 1;
            }
            at += 1;
        }
        first += 1;
    }
    bits
};

const fn place(first: u8, second: u8, third: u8) -> usize {
    (first as usize & 31) << 10 | (second as usize & 31) << 5 | third as usize & 31
}

fn may_begin(text: &[u8]) -> bool {
    let third = text.get(2).copied().unwrap_or_default();
    match *text {
        [first, second, ..] if first < 0x80 => {
            let place = place(first, second, third);
            BEGINNINGS[place / 64] & (1 << (place % 64)) != 0
        }
        [first, ..] => first >= 0x80,
        [] => false,
    }
}

/// Of a byte: whether a word can start with it; whether one can start behind it; whether one can start with it
/// whatever comes before.
const STARTS: u8 = 1;
const DIVIDES: u8 = 2;
const ALONE: u8 = 4;

/// Words are not parts of names and paths. Chinese and Japanese put no mark between words.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'(' | b'[' | b'{' | b'"' | b'\'' | b'`' | b':' | b';' | b',' | b'<'
            | b'>' | b'=' | b'!' | b'*' => DIVIDES,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => STARTS,
            0xe0..=0xef => STARTS | DIVIDES | ALONE,
            0x80..=0xff => DIVIDES,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Where the next word starts, from this byte on.
pub(super) fn next_word(line: &[u8], from: usize) -> Option<usize> {
    let mut before = if from == 0 { DIVIDES } else { KINDS[usize::from(line[from - 1])] };
    let starts = |byte: &u8| {
        let kind = KINDS[usize::from(*byte)];
        let starts = kind & STARTS != 0 && (before & DIVIDES != 0 || kind & ALONE != 0);
        before = kind;
        starts
    };
    line[from..].iter().position(starts).map(|at| from + at)
}

/// Whether a word ends here: no name or path goes on.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    if text[at - 1] >= 0x80 || text[at - 1] == b'_' {
        return true;
    }
    match text[at..] {
        [b'.' | b'-' | b'/' | b':', next, ..] => !next.is_ascii_alphanumeric(),
        [next, ..] => !next.is_ascii_alphanumeric() && next != b'_' && next != b'(',
        [] => true,
    }
}

const fn words(first: u8) -> Words {
    match first {
        b'a'..=b'e' => from_a(first),
        b'f'..=b'm' => from_f(first),
        b'n'..=b'z' => from_n(first),
        _ => east_asian(first),
    }
}

/// Words from a to e.
#[rustfmt::skip]
const fn from_a(first: u8) -> Words {
    match first {
        b'a' => &[
            ("acquire", Hint), ("another git process", Passing), ("another operation", Passing),
            ("another process", Passing), ("abgelehnt", Failure), ("aborted", Failure),
            ("aborting", Failure), ("access denied", Lasting), ("added", Success),
            ("address already in use", Passing), ("already exists", Lasting), ("already in use", Passing),
            ("already used", Passing), ("applied", Success), ("argument list too long", Lasting),
            ("as expected", Success),
            ("assertion", Failure),
        ],
        b'b' => &[
            ("busy", Hint), ("bad gateway", Passing), ("bad permissions", Lasting),
            ("bad credentials", Lasting), ("broken pipe", Passing), ("build success", Success),
            ("build successful", Success),
        ],
        b'c' => &[
            ("connect", Hint), ("connecting", Hint), ("could not get lock", Passing),
            ("could not obtain lock", Passing), ("could not resolve", Passing),
            ("couldn't connect", Passing), ("can't", Failure), ("cancelled", Failure),
            ("canceled", Failure), ("cannot", Failure), ("can not", Lasting),
            ("code style issues", Failure), ("compiled", Success), ("configuring done", Success),
            ("conflict", Lasting), ("conflicting", Lasting), ("conflicts", Lasting),
            ("conflicto", Lasting), ("connection timed", Passing), ("connection unexpectedly", Passing),
            ("connection", Hint), ("could not", Failure), ("couldn't", Failure), ("created", Success),
        ],
        b'd' => &[
            ("deadline exceeded", Timeout), ("deadlock", Passing), ("declared and not", Lasting),
            ("demasiado", Lasting), ("demasiados", Lasting), ("denegado", Lasting), ("denied", Lasting),
            ("deployed", Success), ("did not produce any output", Nothing), ("did not", Failure),
            ("didn't", Failure), ("directory not empty", Lasting), ("disconnected", Passing),
            ("does not answer", Passing), ("does not respond", Passing), ("does not", Lasting),
            ("doesn't", Lasting), ("done", Success), ("doppelter", Lasting), ("duplicate", Lasting),
        ],
        b'e' => &[
            ("early eof", Passing), ("element", Part), ("elements", Part), ("elemento", Part), ("error", Counted),
            ("errors", Counted), ("eacces", Lasting),
            ("eaddrinuse", Passing), ("eai_again", Passing), ("econnaborted", Passing),
            ("econnrefused", Passing), ("econnreset", Passing), ("eexist", Lasting),
            ("empty reply", Passing), ("enoent", Lasting), ("enospc", Lasting), ("enotfound", Passing),
            ("eperm", Lasting), ("epipe", Passing), ("err_", Failure), ("esocket", Passing),
            ("etimedout", Passing), ("exceeded", Failure), ("exceeds", Failure), ("exception", Failure),
            ("exhausted", Failure), ("existiert nicht", Lasting), ("exit", Exit), ("exit_code", Exit),
            ("exitcode", Exit), ("exited", Exit), ("exiting", Exit), ("expected", Failure),
            ("expiró", Passing),
        ],
        _ => &[],
    }
}

/// Words from f to m.
#[rustfmt::skip]
const fn from_f(first: u8) -> Words {
    match first {
        b'f' => &[
            ("fallo temporal", Passing), ("fail", Failure), ("failed", Counted), ("failing", Counted),
            ("fails", Failure), ("failure", Counted), ("failures", Counted), ("fallo", Failure),
            ("falló", Failure), ("falta", Lasting), ("fatal", Failure), ("fehler", Failure),
            ("fehlende", Lasting), ("fehlender", Lasting), ("fehlgeschlagen", Failure),
            ("fehlschlag", Failure), ("file exists", Lasting), ("finished", Success),
            ("forbidden", Lasting), ("found", Success),
        ],
        b'g' => &[
            ("generating done", Success), ("getbyrole(", Part), ("getbytext(", Part), ("getbylabel(", Part),
            ("getbytestid(", Part),
        ],
        b'h' => &[("hang up", Passing), ("http error", Failure)],
        b'i' => &[
            ("i/o timeout", Passing), ("in progress", Hint), ("illegal", Lasting),
            ("imported and not used", Lasting), ("incompatible", Lasting), ("inconsistent", Lasting),
            ("incorrect", Lasting), ("installed", Success), ("invalid", Lasting), ("inválida", Lasting),
            ("inválido", Lasting), ("is a directory", Lasting), ("is locked", Passing),
            ("is not", Lasting), ("is wrong", Lasting),
        ],
        b'k' => &[
            ("kann nicht", Failure), ("kein", Lasting), ("keine", Lasting), ("killed", Failure),
            ("konflikt", Lasting), ("konnte nicht", Failure), ("konnten nicht", Failure),
        ],
        b'l' => &[
            ("loading", Hint), ("lock", Hint), ("lookup", Hint), ("locked", Passing),
            ("locator", Part), ("locator(", Part), ("lost connection", Passing),
        ],
        b'm' => &[
            ("max retries", Passing), ("malformed", Lasting), ("mismatch", Lasting),
            ("mismatched", Lasting), ("missing", Lasting), ("must be", Lasting), ("must have", Lasting),
        ],
        _ => &[],
    }
}

/// Words from n to r.
#[rustfmt::skip]
const fn from_n(first: u8) -> Words {
    match first {
        b'n' => &[
            ("name or service", Passing), ("network", Hint), ("no such", Lasting), ("not found", Lasting),
            ("net::err", Passing), ("nicht gefunden", Lasting), ("nicht möglich", Lasting),
            ("no conflict", Nothing), ("no conflicts", Nothing), ("no duplicate", Nothing),
            ("no duplicates", Nothing), ("no files matching", Lasting),
            ("no encontrada", Lasting), ("no encontrado", Lasting), ("no es un", Lasting),
            ("no error", Nothing), ("no errors", Nothing), ("no existe", Lasting), ("no failed", Nothing),
            ("no failures", Nothing), ("no issues", Nothing), ("no problems", Nothing),
            ("no route", Passing), ("no response", Passing), ("no space", Lasting),
            ("no syntax errors", Nothing), ("no se ha podido", Failure), ("no se pudieron", Failure),
            ("no se pudo", Failure), ("no se puede", Failure), ("no rule to", Lasting),
            ("no targets", Lasting), ("not a", Lasting), ("not allowed", Lasting),
            ("not defined", Lasting), ("not empty", Lasting), ("not exist", Lasting), ("not in", Lasting),
            ("not permitted", Lasting), ("not possible", Lasting), ("not recognized", Lasting),
            ("not responding", Passing), ("not running", Failure), ("not supported", Lasting),
            ("not unique", Lasting), ("nothing happens", Failure),
        ],
        b'o' => &[
            ("ok", Success), ("oom", Failure), ("out of memory", Failure), ("out of range", Lasting),
        ],
        b'p' => &[
            ("panic", Failure), ("panicked", Failure), ("passed", Success), ("permission", Lasting),
            ("permissions", Lasting), ("permiso denegado", Lasting),
        ],
        b'q' => &[("quota", Lasting)],
        b'r' => &[
            ("remote end closed", Passing), ("retry", Hint), ("rate exceeded", Passing), ("rolled back", Failure),
            ("rate limit", Passing), ("read-only file system", Lasting), ("readonly", Lasting),
            ("recv failure", Passing), ("refused", Failure), ("rehusada", Passing), ("rejected", Lasting),
            ("requires", Lasting), ("reset by peer", Passing), ("returncode", Exit), ("return_code", Exit),
            ("retrying", Nothing),
        ],
        _ => from_s(first),
    }
}

/// Words from s to z.
#[rustfmt::skip]
const fn from_s(first: u8) -> Words {
    match first {
        b's' => &[
            ("selector", Part), ("selektor", Part), ("server closed", Passing), ("server disconnected", Passing),
            ("sperre", Hint),
            ("saved", Success), ("schwerwiegend", Failure), ("segmentation fault", Failure),
            ("service unavailable", Passing), ("socket hang up", Passing), ("still in use", Passing),
            ("success", Success), ("succeeded", Success), ("successfully", Success),
            ("syntaxfehler", Lasting),
        ],
        b't' => &[
            ("temporarily", Passing), ("temporary", Passing), ("too many clients", Passing),
            ("timed out retrying", Timeout), ("too many requests", Passing), ("transfer", Hint), ("try again", Hint),
            ("terminated abnormally", Failure), ("timed out", Timeout), ("timeout", Timeout),
            ("tls handshake", Passing), ("token limit", Lasting), ("too large", Lasting),
            ("too long", Lasting), ("too many", Failure), ("traceback", Failure), ("temporär", Passing),
            ("throttling", Passing),
        ],
        b'u' => &[
            ("unable to resolve", Passing), ("unexpected disconnect", Passing),
            ("unexpected eof", Passing), ("unable to", Failure), ("unauthorized", Lasting),
            ("unbound variable", Lasting), ("unavailable", Passing), ("unclosed", Lasting),
            ("undeclared", Lasting), ("undefined", Lasting), ("unexpected", Failure),
            ("ungültig", Lasting), ("ungültige", Lasting), ("unhandled", Failure), ("unknown", Lasting),
            ("unmatched", Lasting), ("unmet", Lasting), ("unreachable", Passing),
            ("unrecognized", Lasting), ("unresolved", Lasting), ("unsatisfiable", Lasting),
            ("unsupported", Lasting), ("unterminated", Lasting), ("up to date", Success),
            ("updated", Success),
        ],
        b'v' => &[
            ("verweigert", Lasting), ("visible", Part), ("violates", Lasting), ("violation", Lasting),
        ],
        b'w' => &[
            ("was not", Failure), ("will be tried again", Nothing), ("will retry", Nothing),
            ("without errors", Nothing), ("wrong", Lasting), ("wrote", Success),
        ],
        b'x' => &[("xpath", Part)],
        b'z' => &[("zu viele", Lasting)],
        _ => &[],
    }
}

/// Words of Chinese and Japanese, by the first byte of their characters.
#[rustfmt::skip]
const fn east_asian(first: u8) -> Words {
    match first {
        0xe3 => &[
            ("ありません", Lasting), ("できません", Lasting), ("エラー", Failure), ("タイムアウト", Timeout),
            ("失敗", Failure), ("構文エラー", Lasting), ("セレクタ", Part), ("はありません", Lasting),
        ],
        0xe4 => &[
            ("一時的", Passing), ("不存在", Lasting), ("不能", Lasting), ("不是", Lasting), ("不允许", Lasting),
        ],
        0xe5 => &[
            ("元素", Part), ("出错", Failure), ("冲突", Lasting), ("失败", Failure), ("失敗", Failure),
            ("存在しません", Lasting),
            ("宣言されていません", Lasting), ("已存在", Lasting),
        ],
        0xe6 => &[
            ("拒绝连接", Passing), ("接続", Hint), ("文件已存在", Lasting), ("无效", Lasting), ("无法", Failure),
            ("未匹配", Lasting), ("未声明", Lasting), ("未找到", Lasting), ("未预期", Lasting), ("找不到", Lasting),
            ("拒否", Lasting), ("拒绝", Lasting), ("暂时不能", Passing), ("权限不够", Lasting), ("没有规则", Lasting),
            ("没有那个", Lasting),
        ],
        0xe7 => &[("缺失", Lasting), ("缺少", Lasting)],
        0xe8 => &[
            ("致命", Failure), ("要素", Part), ("見つかりません", Lasting), ("许可", Lasting),
            ("超时", Timeout), ("违反", Lasting),
        ],
        0xe9 => &[
            ("锁", Hint), ("选择器", Part), ("链接", Hint), ("重复键", Lasting), ("错误", Failure), ("错", Failure),
        ],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_its_pair_as_in_the_whole_list() {
        let all = || (0..=u8::MAX).flat_map(|first| words(first).iter());
        let mut found = 0;
        for (word, _) in all() {
            for text in [
                word.to_string(),
                word.to_uppercase(),
                format!("{word} x"),
                format!("{word}s"),
                word.chars().skip(1).collect(),
            ] {
                let text = text.as_bytes();
                let listed = words(text.first().map_or(0, u8::to_ascii_lowercase)).iter();
                let mut fitting =
                    listed.filter(|(word, _)| begins(text, word.as_bytes()) && ends(text, word.len()));
                let first = fitting.next().map(|(word, meaning)| (*meaning, word.len()));
                assert_eq!(meaning(text), first, "{}", text.escape_ascii());
                found += usize::from(first.is_some());
            }
        }
        assert!(found > 2 * all().count(), "{found}");
    }
}
