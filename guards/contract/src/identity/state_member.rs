//! Whether an answer has a member for the state of something, whose value says that it goes on:
//! `"state":"provisioning"`, `phase: Binding`, `"状态":"处理中"`.
//!
//! Interfaces name the member in few words, and the value by the form of a verb that has not ended: in English,
//! Spanish, Italian and Portuguese by its ending, in other languages by a few words. A state that is an end, or that
//! lasts (`active`, `open`, `completed`), has none of these forms. That the state stays the same is another matter: a
//! guard only waits longer for it.

/// Characters at the end of a name that are compared, and the longest value, in bytes.
const NAME_CHARS: usize = 16;
const VALUE_BYTES: usize = 60;
/// How the names of such members end, in small letters.
#[rustfmt::skip]
const NAMES: [&str; 16] = [
    "state", "status", "phase", "stage", "estado", "situacao", "statut", "état", "etat", "stato", "zustand",
    "статус", "состояние", "状态", "状態", "상태",
];
/// How the form of a verb ends that has not ended, in words of six letters and more.
const ENDINGS: [&str; 8] = ["ing", "ando", "endo", "ется", "ится", "ются", "ятся", "ается"];
/// Words with such an ending that are no such verbs, or that last.
#[rustfmt::skip]
const NO_VERBS: [&str; 10] = [
    "missing", "nothing", "passing", "failing", "warning", "working", "existing", "listening", "serving", "conflicting",
];
/// Words for something that has not ended.
#[rustfmt::skip]
const WORDS: [&str; 26] = [
    "cola", "fila", "coda", "warteschlange",
    "pending", "queued", "enqueued", "submitted", "initiated", "progress", "runnable", "pendiente", "pendente", "curso",
    "andamento", "corso", "attesa", "attente", "cours", "läuft", "wird", "wartet", "bearbeitung", "ausstehend",
    "очереди", "ожидает",
];
/// The same in scripts without blanks, wherever they are, and at the end.
const SIGNS: [&str; 8] = ["等待", "排队", "排隊", "待ち", "待機", "進行", "进行", "대기"];
const SIGNS_AT_THE_END: [&str; 2] = ["中", "중"];

/// The colon of scripts with wide characters.
const WIDE: &[u8] = "：".as_bytes();

/// Whether a byte may be between the name of a member and its value.
pub(super) fn divides(byte: u8) -> bool {
    (byte == b':') | (byte == b'=') | (byte == WIDE[0])
}

/// Whether the member whose name ends before this byte says so.
pub(super) fn goes_on_at(answer: &str, at: usize) -> bool {
    let bytes = answer.as_bytes();
    let length = if bytes[at].is_ascii() { 1 } else { WIDE.len() };
    (length == 1 || bytes[at..].starts_with(WIDE))
        && is_named(&answer[..at])
        && says_so(value(&answer[at + length..]))
}

/// Whether the name at the end of this text is that of a state.
fn is_named(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '*', '`', ' ']);
    // Most names end in another letter.
    let last = before.as_bytes().last().map_or(b' ', u8::to_ascii_lowercase);
    if last.is_ascii() && !b"deost".contains(&last) {
        return false;
    }
    let start = before.char_indices().rev().nth(NAME_CHARS - 1).map_or(0, |(at, _)| at);
    let name = before[start..].to_lowercase();
    NAMES.iter().any(|it| name.ends_with(it)) || name.ends_with("ステータス")
}

/// The value at the beginning of this text.
fn value(behind: &str) -> &str {
    let behind = behind.trim_start_matches(['"', '\'', '*', '`', ' ']);
    let end = behind.find(['"', '\'', ',', '}', '\n', ';', '|', '(', '<']).unwrap_or(behind.len());
    &behind[..end]
}

fn says_so(value: &str) -> bool {
    if value.len() > VALUE_BYTES {
        return false;
    }
    let value = value.trim_end_matches(['.', '…', ' ']).to_lowercase();
    let mut words = value.split(|c: char| !c.is_alphabetic()).filter(|it| !it.is_empty());
    words.any(|word| {
        let is_verb = || word.chars().nth(5).is_some() && ENDINGS.iter().any(|it| word.ends_with(it));
        WORDS.contains(&word) || is_verb() && !NO_VERBS.contains(&word)
    }) || SIGNS.iter().any(|it| value.contains(it))
        || SIGNS_AT_THE_END.iter().any(|it| value.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes_on(answer: &str) -> bool {
        answer.bytes().enumerate().any(|(at, byte)| divides(byte) && goes_on_at(answer, at))
    }

    #[test]
    fn a_state_that_has_not_ended_goes_on_in_many_languages() {
        for answer in [
            r#"{"id":"db-1","state":"provisioning"}"#,
            r#"{"provisioningState": "Updating"}"#,
            "name: vm1\nstate: BOOTSTRAPPING\nzone: a",
            r#"{"phase":"ContainerCreating"}"#,
            r#"{"job_status":"SUBMITTED"}"#,
            r#"{"status":"warming_up"}"#,
            r#"{"informe":5,"estado":"procesando"}"#,
            r#"{"statut":"en cours de traitement"}"#,
            "Status: wird verarbeitet …",
            r#"{"stato":"in attesa"}"#,
            "статус: выполняется",
            r#"{"状态":"处理中"}"#,
            "状態：実行中",
            r#"{"상태":"처리 중"}"#,
        ] {
            assert!(goes_on(answer), "{answer}");
        }
    }

    #[test]
    fn a_state_that_ended_or_lasts_does_not_go_on_and_neither_does_a_text() {
        for answer in [
            r#"{"status":"completed"}"#,
            r#"{"status":"active","id":1}"#,
            r#"{"state":"failed"}"#,
            r#"{"estado":"terminado"}"#,
            "Status: abgeschlossen",
            r#"{"状态":"已完成"}"#,
            r#"{"status":"missing"}"#,
            "state: open\nnext: building",
            "creating the record",
            r#"{"name":"Provisioning guide"}"#,
            r#"{"statement":"missing"}"#,
            "",
        ] {
            assert!(!goes_on(answer), "{answer}");
        }
    }
}
