//! Words of failure and of success, by their first byte.

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Something failed.
    Failure,
    /// Something worked, if a line begins with it.
    Success,
    /// There was no failure: "no errors".
    Nothing,
    /// An exit status follows.
    Exit,
    /// Something failed, unless a count of zero follows.
    Counted,
}

use Meaning::{Counted, Exit, Failure, Nothing, Success};

/// Words that begin with the same byte. Of those that fit, the first counts.
type Words = &'static [(&'static str, Meaning)];

/// The meaning of the word at the start of a text, and its length. Case does not matter.
pub(super) fn meaning(text: &[u8]) -> Option<(Meaning, usize)> {
    if !may_begin(text) {
        return None;
    }
    let first = text[0].to_ascii_lowercase();
    let fits = |word: &str| {
        let word = word.as_bytes();
        // Most words of the list differ in the second or the third letter.
        let differ = |at: usize| word.len() > at && text.len() > at && (word[at] ^ text[at]) & 31 != 0;
        !differ(1) && !differ(2) && begins(text, word) && ends(text, word.len())
    };
    words(first).iter().find(|(word, _)| fits(word)).map(|(word, meaning)| (*meaning, word.len()))
}

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
            ("abgelehnt", Failure), ("aborted", Failure), ("aborting", Failure), ("access denied", Failure),
            ("added", Success), ("address already in use", Failure), ("already exists", Failure),
            ("already in use", Failure), ("already used", Failure), ("applied", Success),
            ("argument list too long", Failure), ("assertion", Failure),
        ],
        b'b' => &[
            ("bad gateway", Failure), ("bad permissions", Failure), ("bad credentials", Failure),
            ("broken pipe", Failure), ("build success", Success), ("build successful", Success),
        ],
        b'c' => &[
            ("can't", Failure), ("cancelled", Failure), ("canceled", Failure), ("cannot", Failure),
            ("can not", Failure), ("code style issues", Failure), ("compiled", Success),
            ("configuring done", Success), ("conflict", Failure), ("conflicting", Failure), ("conflicts", Failure),
            ("conflicto", Failure), ("connection timed", Failure), ("connection unexpectedly", Failure),
            ("could not", Failure), ("couldn't", Failure), ("created", Success),
        ],
        b'd' => &[
            ("deadline exceeded", Failure), ("deadlock", Failure), ("declared and not", Failure),
            ("demasiado", Failure), ("demasiados", Failure), ("denegado", Failure), ("denied", Failure),
            ("deployed", Success), ("did not produce any output", Nothing), ("did not", Failure),
            ("didn't", Failure), ("directory not empty", Failure), ("disconnected", Failure),
            ("does not", Failure), ("doesn't", Failure), ("done", Success), ("doppelter", Failure),
            ("duplicate", Failure),
        ],
        b'e' => &[
            ("error", Counted), ("errors", Counted), ("eacces", Failure), ("eaddrinuse", Failure),
            ("eai_again", Failure), ("econnaborted", Failure), ("econnrefused", Failure), ("econnreset", Failure),
            ("eexist", Failure), ("empty reply", Failure), ("enoent", Failure), ("enospc", Failure),
            ("enotfound", Failure), ("eperm", Failure), ("epipe", Failure), ("err_", Failure),
            ("esocket", Failure), ("etimedout", Failure), ("exceeded", Failure), ("exceeds", Failure),
            ("exception", Failure), ("exhausted", Failure), ("existiert nicht", Failure), ("exit", Exit),
            ("exit_code", Exit), ("exitcode", Exit), ("exited", Exit), ("exiting", Exit), ("expected", Failure),
            ("expiró", Failure),
        ],
        _ => &[],
    }
}

/// Words from f to m.
#[rustfmt::skip]
const fn from_f(first: u8) -> Words {
    match first {
        b'f' => &[
            ("fail", Failure), ("failed", Counted), ("failing", Counted), ("fails", Failure), ("failure", Counted),
            ("failures", Counted), ("fallo", Failure), ("falló", Failure), ("falta", Failure), ("fatal", Failure),
            ("fehler", Failure), ("fehlende", Failure), ("fehlender", Failure), ("fehlgeschlagen", Failure),
            ("fehlschlag", Failure), ("file exists", Failure), ("finished", Success), ("forbidden", Failure),
            ("found", Success),
        ],
        b'g' => &[("generating done", Success)],
        b'h' => &[("hang up", Failure), ("http error", Failure)],
        b'i' => &[
            ("illegal", Failure), ("imported and not used", Failure), ("incompatible", Failure),
            ("inconsistent", Failure), ("incorrect", Failure), ("installed", Success), ("invalid", Failure),
            ("inválida", Failure), ("inválido", Failure), ("is a directory", Failure), ("is locked", Failure),
            ("is not", Failure), ("is wrong", Failure),
        ],
        b'k' => &[
            ("kann nicht", Failure), ("kein", Failure), ("keine", Failure), ("killed", Failure),
            ("konflikt", Failure), ("konnte nicht", Failure), ("konnten nicht", Failure),
        ],
        b'l' => &[("locked", Failure), ("lost connection", Failure)],
        b'm' => &[
            ("malformed", Failure), ("mismatch", Failure), ("mismatched", Failure), ("missing", Failure),
            ("must be", Failure), ("must have", Failure),
        ],
        _ => &[],
    }
}

/// Words from n to z.
#[rustfmt::skip]
const fn from_n(first: u8) -> Words {
    match first {
        b'n' => &[
            ("no such", Failure), ("not found", Failure), ("net::err", Failure), ("nicht gefunden", Failure),
            ("nicht möglich", Failure), ("no conflict", Nothing), ("no conflicts", Nothing),
            ("no files matching", Failure), ("no encontrada", Failure), ("no encontrado", Failure),
            ("no es un", Failure), ("no error", Nothing), ("no errors", Nothing), ("no existe", Failure),
            ("no failed", Nothing), ("no failures", Nothing), ("no issues", Nothing), ("no problems", Nothing),
            ("no route", Failure), ("no space", Failure), ("no syntax errors", Nothing),
            ("no se ha podido", Failure), ("no se pudieron", Failure), ("no se pudo", Failure),
            ("no se puede", Failure), ("no rule to", Failure), ("no targets", Failure), ("not a", Failure),
            ("not allowed", Failure), ("not defined", Failure), ("not empty", Failure), ("not exist", Failure),
            ("not in", Failure), ("not permitted", Failure), ("not possible", Failure),
            ("not recognized", Failure), ("not running", Failure), ("not supported", Failure),
            ("not unique", Failure), ("nothing happens", Failure),
        ],
        b'o' => &[("ok", Success), ("oom", Failure), ("out of memory", Failure), ("out of range", Failure)],
        b'p' => &[
            ("panic", Failure), ("panicked", Failure), ("passed", Success), ("permission", Failure),
            ("permissions", Failure), ("permiso denegado", Failure),
        ],
        b'q' => &[("quota", Failure)],
        b'r' => &[
            ("rate exceeded", Failure), ("rate limit", Failure), ("read-only file system", Failure),
            ("readonly", Failure), ("recv failure", Failure), ("refused", Failure), ("rehusada", Failure),
            ("rejected", Failure), ("requires", Failure), ("reset by peer", Failure), ("retrying", Nothing),
            ("rolled back", Failure),
        ],
        b's' => &[
            ("saved", Success), ("schwerwiegend", Failure), ("segmentation fault", Failure),
            ("service unavailable", Failure), ("socket hang up", Failure), ("still in use", Failure),
            ("success", Success), ("succeeded", Success), ("successfully", Success), ("syntaxfehler", Failure),
        ],
        b't' => &[
            ("terminated abnormally", Failure), ("timed out", Failure), ("timeout", Failure),
            ("tls handshake", Failure), ("token limit", Failure), ("too large", Failure), ("too long", Failure),
            ("too many", Failure), ("traceback", Failure), ("temporär", Failure), ("throttling", Failure),
        ],
        b'u' => &[
            ("unable to", Failure), ("unauthorized", Failure), ("unbound variable", Failure),
            ("unavailable", Failure), ("unclosed", Failure), ("undeclared", Failure), ("undefined", Failure),
            ("unexpected", Failure), ("ungültig", Failure), ("ungültige", Failure), ("unhandled", Failure),
            ("unknown", Failure), ("unmatched", Failure), ("unmet", Failure), ("unreachable", Failure),
            ("unrecognized", Failure), ("unresolved", Failure), ("unsatisfiable", Failure),
            ("unsupported", Failure), ("unterminated", Failure), ("up to date", Success), ("updated", Success),
        ],
        b'v' => &[("verweigert", Failure), ("violates", Failure), ("violation", Failure)],
        b'w' => &[
            ("was not", Failure), ("will be tried again", Nothing), ("will retry", Nothing),
            ("without errors", Nothing), ("wrong", Failure), ("wrote", Success),
        ],
        b'z' => &[("zu viele", Failure)],
        _ => &[],
    }
}

/// Words of Chinese and Japanese, by the first byte of their characters.
#[rustfmt::skip]
const fn east_asian(first: u8) -> Words {
    match first {
        0xe3 => &[
            ("ありません", Failure), ("できません", Failure), ("エラー", Failure), ("タイムアウト", Failure),
            ("失敗", Failure), ("構文エラー", Failure), ("はありません", Failure),
        ],
        0xe4 => &[("不存在", Failure), ("不能", Failure), ("不是", Failure), ("不允许", Failure)],
        0xe5 => &[
            ("出错", Failure), ("冲突", Failure), ("失败", Failure), ("失敗", Failure), ("存在しません", Failure),
            ("宣言されていません", Failure), ("已存在", Failure),
        ],
        0xe6 => &[
            ("文件已存在", Failure), ("无效", Failure), ("无法", Failure), ("未匹配", Failure),
            ("未声明", Failure), ("未找到", Failure), ("未预期", Failure), ("找不到", Failure), ("拒否", Failure),
            ("拒绝", Failure), ("暂时不能", Failure), ("权限不够", Failure), ("没有规则", Failure),
            ("没有那个", Failure),
        ],
        0xe7 => &[("缺失", Failure), ("缺少", Failure)],
        0xe8 => &[
            ("致命", Failure), ("見つかりません", Failure), ("许可", Failure), ("超时", Failure),
            ("违反", Failure),
        ],
        0xe9 => &[("重复键", Failure), ("错误", Failure), ("错", Failure)],
        _ => &[],
    }
}
