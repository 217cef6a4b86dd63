//! What a text acknowledges, judged by its words. Words only add to the evidence from structure; they never replace
//! it.
//!
//! The guards judge by what a model does. Three places look at its words: the `strict` variants, which are the field
//! designs and exist for comparison; the follow-up to a correction (spec A5), which is skipped if a text already says
//! one of the three things; and `progress`, which leaves a model alone that repeats that it cannot do something. The
//! lists cover English, Chinese, Spanish, German and Japanese; a text in any other language gives no evidence.

use std::sync::LazyLock;

use crate::words::{Lists, folded};

/// One of the three things a model can say about a tool that keeps failing (spec A5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It shows code instead, and says why.
    ShowsCode,
    /// It looks for the cause.
    Diagnoses,
    /// It cannot complete the task, and says why.
    CannotComplete,
}

/// The form of a text, if it has one: it needs a statement and a reason.
#[must_use]
pub(crate) fn form(text: &str) -> Option<Form> {
    let text = text.to_lowercase();
    let names_cause = has(&text, CAUSE);
    if !names_cause && !has(&text, REASON) {
        return None;
    }
    if cannot(&text) {
        Some(Form::CannotComplete)
    } else if names_cause || has(&text, DIAGNOSE) {
        Some(Form::Diagnoses)
    } else if has(&text, SHOW) {
        Some(Form::ShowsCode)
    } else {
        None
    }
}

/// True if a text says that something cannot be done.
#[must_use]
pub(crate) fn says_it_cannot(text: &str) -> bool {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::anywhere(&[CANNOT, CAN_IN_GERMAN]));
    let text = folded(text);
    let found = LISTS.find(&text);
    found.has(0) || found.has(1) && cannot_in_german(&text.to_lowercase())
}

/// True if a text says that something could not be done, or still cannot: what is said of an attempt, in more
/// languages.
#[must_use]
pub(crate) fn says_it_could_not(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    cannot(&text) || has(&text, COULD_NOT)
}

/// True if a text gives a reason or a cause.
#[must_use]
pub(crate) fn names_reason(text: &str) -> bool {
    let text = text.to_lowercase();
    has(&text, CAUSE) || has(&text, REASON) || has(&text, MORE_REASONS)
}

/// True if a text announces something different ("Instead, I will check whether the package is installed") or names the
/// cause ("The issue is …"), false if it announces the same again ("Let me try writing the file again"). Spec D3.
#[must_use]
pub(crate) fn announces_a_change(text: &str) -> bool {
    let text = text.to_lowercase();
    has(&text, OTHERWISE) || ((has(&text, DIAGNOSE) || has(&text, CAUSE)) && !has(&text, AGAIN))
}

fn cannot(text: &str) -> bool {
    has(text, CANNOT) || cannot_in_german(text)
}

/// The words for "can" that the next function looks for.
const CAN_IN_GERMAN: &[&str] = &["kann", "können", "konnte"];

/// "Ich kann die Datei a.py nicht schreiben": German puts what cannot be done between the verb and its negation.
fn cannot_in_german(text: &str) -> bool {
    let mut can = false;
    text.split_whitespace().any(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        can |= matches!(bare, "kann" | "können" | "konnte" | "konnten");
        let is_negated = can && (bare == "nicht" || bare.starts_with("kein"));
        can &= !word.ends_with(['.', ',', ';', ':', '!', '?']);
        is_negated
    })
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

const REASON: &[&str] = &[
    "because",
    "since ",
    "as the ",
    "due to",
    "the reason",
    "error",
    "fail",
    "missing",
    "not installed", //
    "因为",
    "由于",
    "原因",
    "错误",
    "失败",
    "缺少",
    "未安装", //
    "porque",
    "debido",
    "ya que",
    "error",
    "falta",
    "falla",
    "falló",
    "no está instalad", //
    "weil",
    "denn ",
    "aufgrund",
    "da die",
    "da das",
    "da der",
    "fehler",
    "fehlt",
    "schlägt",
    "scheiter", //
    "ため",
    "ので",
    "から",
    "原因",
    "エラー",
    "失敗",
    "不足",
];
const CANNOT: &[&str] = &[
    "cannot",
    "can't",
    "can not",
    "unable",
    "not able",
    "not possible",
    "could not be",
    "impossible", //
    "无法",
    "不能",
    "没办法", //
    "no puedo",
    "no se puede",
    "no es posible",
    "imposible", //
    "nicht möglich",
    "unmöglich", //
    "できません",
    "できない",
    "不可能",
];
#[rustfmt::skip]
const COULD_NOT: &[&str] = &[
    "could not", "couldn't", "wasn't able", "won't let me", "doesn't let me", "not allowed", "no permission",
    "failed to", "konnte nicht", "gelang nicht", "nicht gelungen", "keine schreibrecht", "keine rechte",
    "no pude", "no he podido", "no logré", "no tengo permiso", "je ne peux pas", "n'ai pas pu", "impossible d",
    "pas réussi", "n'arrive pas", "pas le droit", "não consegui", "não consigo", "não pude", "não posso",
    "sem permissão", "non sono riuscit", "non riesco", "non ho potuto", "non posso", "non ho il permesso",
    "не удалось", "не удаётся", "не удается", "не смог", "не могу", "нет прав", "невозможно",
    "没能", "未能", "没有成功", "写不了", "没有权限", "没有写入权限",
    "書けません", "込めません", "権限がな", "権限があり", "할 수 없",
    "수 없었", "수 없습니다", "못했", "실패했", "권한이 없",
];
#[rustfmt::skip]
const MORE_REASONS: &[&str] = &[
    "car ", "parce que", "puisque", "erreur", "pois ", "já que", "erro", "perché", "errore", "потому что",
    "так как", "ошибк", "때문", "오류", "permission", "read-only", "no space", "disk",
];
const CAUSE: &[&str] = &[
    "the issue is",
    "the problem is",
    "the cause is",
    "root cause", //
    "问题在于",
    "问题是",
    "原因是", //
    "el problema es",
    "la causa es", //
    "das problem ist",
    "die ursache ist",
    "es liegt an", //
    "問題は",
    "原因は",
];
const DIAGNOSE: &[&str] = &[
    "check",
    "verif",
    "inspect",
    "diagnos",
    "investigat",
    "look into",
    "find out",
    "look at why",
    "examine", //
    "检查",
    "验证",
    "核实",
    "确认",
    "诊断",
    "调查",
    "查看", //
    "comprobar",
    "compruebo",
    "revisar",
    "investigar",
    "diagnosticar", //
    "prüfe",
    "prüfen",
    "untersuch",
    "nachsehen",
    "herausfinden", //
    "確認",
    "調べ",
    "調査",
    "検証",
    "診断",
];
const SHOW: &[&str] = &[
    "show",
    "here is the code",
    "here's the code",
    "below is",
    "paste", //
    "展示",
    "显示",
    "以下是", //
    "muestro",
    "mostrar",
    "aquí está", //
    "zeige",
    "hier ist", //
    "表示",
    "以下",
    "示し",
];
const OTHERWISE: &[&str] = &[
    "instead",
    "different",
    "another approach",
    "another way",
    "rather than",
    "change the approach", //
    "而是",
    "改为",
    "换一种",
    "换个", //
    "en lugar",
    "en vez",
    "diferente",
    "otra manera",
    "otro enfoque", //
    "stattdessen",
    "anders",
    "anderen weg",
    "andere weise", //
    "代わりに",
    "別の",
    "違う",
];
const AGAIN: &[&str] = &[
    "again",
    "once more",
    "retry",
    "another try",
    "one more time", //
    "再次",
    "再试",
    "重试",
    "再写", //
    "otra vez",
    "de nuevo",
    "reintent", //
    "noch einmal",
    "nochmal",
    "erneut",
    "wieder", //
    "もう一度",
    "再度",
    "再試行",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d3_the_two_sentences_of_the_field() {
        assert!(announces_a_change("Instead, I will check whether the package is installed."));
        assert!(!announces_a_change("Let me try writing the file again."));
    }

    #[test]
    fn d3_in_other_languages() {
        for (change, same) in [
            ("我改为先检查这个包。", "我再试一次写文件。"),
            ("En lugar de eso, voy a comprobar el paquete.", "Voy a escribirlo otra vez."),
            ("Stattdessen prüfe ich das Paket.", "Ich schreibe die Datei noch einmal."),
            ("代わりにパッケージを確認します。", "もう一度書き込みます。"),
        ] {
            assert!(announces_a_change(change), "{change}");
            assert!(!announces_a_change(same), "{same}");
        }
    }

    /// The phrases of the field report, and each of them followed by the same call in words.
    #[test]
    fn d3_the_phrases_of_the_field_pass_in_every_language() {
        for [instead, verify, issue, again] in [
            [
                "Instead, I will use the shell.",
                "I'll verify that the folder exists.",
                "The issue is that the folder does not exist.",
                "Let me try writing the file again.",
            ],
            ["我改为用命令行。", "我来验证文件夹是否存在。", "问题在于文件夹不存在。", "我再试一次写文件。"],
            [
                "En lugar de eso, usaré la terminal.",
                "Voy a verificar que exista la carpeta.",
                "El problema es que la carpeta no existe.",
                "Voy a escribir el archivo otra vez.",
            ],
            [
                "Stattdessen nehme ich die Shell.",
                "Ich überprüfe, ob es den Ordner gibt.",
                "Das Problem ist, dass es den Ordner nicht gibt.",
                "Ich schreibe die Datei noch einmal.",
            ],
            [
                "代わりにシェルを使います。",
                "フォルダがあるか検証します。",
                "問題はフォルダがないことです。",
                "もう一度ファイルを書き込みます。",
            ],
        ] {
            assert!(announces_a_change(instead), "{instead}");
            assert!(!announces_a_change(again), "{again}");
            for change in [verify, issue] {
                assert!(announces_a_change(change), "{change}");
                let both = format!("{change} {again}");
                assert!(!announces_a_change(&both), "{both}");
            }
        }
    }

    #[test]
    fn a5_the_three_forms_pass_in_every_language() {
        for [shows, diagnoses, cannot, issue] in [
            [
                "I am switching to showing code because the write tool fails.",
                "I am diagnosing why the tool fails.",
                "I cannot complete this because the package is missing.",
                "The issue is that the folder does not exist.",
            ],
            [
                "我改为展示代码，因为写入失败。",
                "我正在诊断工具为什么失败。",
                "无法完成，因为缺少软件包。",
                "问题在于文件夹不存在。",
            ],
            [
                "Paso a mostrar el código porque la escritura falla.",
                "Diagnostico por qué falla la herramienta.",
                "No puedo completarlo porque falta el paquete.",
                "El problema es que la carpeta no existe.",
            ],
            [
                "Ich zeige den Code, weil das Schreiben scheitert.",
                "Ich diagnostiziere, warum das Werkzeug scheitert.",
                "Ich kann es nicht abschließen, weil das Paket fehlt.",
                "Das Problem ist, dass es den Ordner nicht gibt.",
            ],
            [
                "書き込みに失敗するため、コードを示します。",
                "ツールがなぜ失敗するかを診断します。",
                "パッケージが不足しているため、完了できません。",
                "問題はフォルダがないことです。",
            ],
        ] {
            assert_eq!(form(shows), Some(Form::ShowsCode), "{shows}");
            assert_eq!(form(diagnoses), Some(Form::Diagnoses), "{diagnoses}");
            assert_eq!(form(cannot), Some(Form::CannotComplete), "{cannot}");
            assert_eq!(form(issue), Some(Form::Diagnoses), "{issue}");
        }
        assert_eq!(form("Let me try writing the file again."), None);
    }

    #[test]
    fn a5_what_can_be_done_in_german_is_no_refusal() {
        for text in [
            "Ich kann die Datei main.py nicht schreiben.",
            "Das kann ich leider nicht.",
            "Wir können keine Pakete installieren.",
            "Ich kann es nicht.",
        ] {
            assert!(says_it_cannot(text), "{text}");
        }
        for text in [
            "Ich kann die Datei jetzt schreiben.",
            "Ich kann das übernehmen.",
            "Das kann der Test zeigen, nicht wahr?",
            "Die Datei fehlt nicht. Ich kann sie lesen.",
        ] {
            assert!(!says_it_cannot(text), "{text}");
        }
        assert_eq!(form("Ich kann die Datei schreiben, weil das Paket jetzt da ist."), None);
    }

    #[test]
    fn a5_the_three_forms_need_a_reason() {
        assert_eq!(
            form("I cannot complete this because the package is missing."),
            Some(Form::CannotComplete)
        );
        assert_eq!(form("The write failed, so I will inspect the folder."), Some(Form::Diagnoses));
        assert_eq!(form("I show the code here because writing fails."), Some(Form::ShowsCode));
        assert_eq!(form("I cannot do this."), None);
        assert_eq!(form("Here is the program you asked for."), None);
        assert_eq!(
            form("La escritura falla porque falta el paquete: no puedo terminar."),
            Some(Form::CannotComplete)
        );
    }
}
