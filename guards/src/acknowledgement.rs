//! What a text acknowledges, judged by its words. Words only add to the evidence from structure; they never replace
//! it.
//!
//! The guards judge by what a model does. Three places look at its words: the `strict` variants, which are the field
//! designs and exist for comparison; the follow-up to a correction (spec A5), which is skipped if a text already says
//! one of the three things; and `progress`, which leaves a model alone that repeats that it cannot do something. The
//! lists cover English, Chinese, Spanish, German and Japanese; a text in any other language gives no evidence.

use std::borrow::Cow;

use balk_contract::words::{Found, folded};
use vocabulary::{LISTS, List};

mod vocabulary;

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
    let said = Said::of(folded(text));
    let names_cause = said.has(List::Cause);
    if !names_cause && !said.has(List::Reason) {
        return None;
    }
    if said.cannot() {
        Some(Form::CannotComplete)
    } else if names_cause || said.has(List::Diagnose) {
        Some(Form::Diagnoses)
    } else if said.has(List::Show) {
        Some(Form::ShowsCode)
    } else {
        None
    }
}

/// True if a text says that something cannot be done.
#[must_use]
pub(crate) fn says_it_cannot(text: &str) -> bool {
    Said::of(folded(text)).cannot()
}

/// True if a text says that something could not be done, or still cannot: what is said of an attempt, in more
/// languages.
#[must_use]
pub(crate) fn says_it_could_not(text: &str) -> bool {
    Said::plainly(text).could_not()
}

/// True if a text gives a reason or a cause.
#[must_use]
pub(crate) fn names_reason(text: &str) -> bool {
    Said::of(folded(text)).names_reason()
}

/// True if a text does one of the two.
#[must_use]
pub(crate) fn excuses(text: &str) -> bool {
    let said = Said::plainly(text);
    said.names_reason() || said.could_not()
}

/// True if a text announces something different ("Instead, I will check whether the package is installed") or names the
/// cause ("The issue is …"), false if it announces the same again ("Let me try writing the file again"). Spec D3.
#[must_use]
pub(crate) fn announces_a_change(text: &str) -> bool {
    let said = Said::of(folded(text));
    said.has(List::Otherwise) || (said.has(List::Diagnose) || said.has(List::Cause)) && !said.has(List::Again)
}

/// A folded text, and which lists have a word in it.
struct Said<'t> {
    text: Cow<'t, str>,
    found: Found,
}

impl<'t> Said<'t> {
    fn of(text: Cow<'t, str>) -> Self {
        let found = LISTS.find(&text);
        Self { text, found }
    }

    /// The same with straight apostrophes.
    fn plainly(text: &'t str) -> Self {
        let text = folded(text);
        Self::of(if text.contains('’') { text.replace('’', "'").into() } else { text })
    }

    fn has(&self, list: List) -> bool {
        self.found.has(list as usize)
    }

    fn cannot(&self) -> bool {
        self.has(List::Cannot) || self.has(List::CanInGerman) && cannot_in_german(&self.text.to_lowercase())
    }

    fn could_not(&self) -> bool {
        self.has(List::CouldNot) || self.cannot()
    }

    fn names_reason(&self) -> bool {
        [List::Cause, List::Reason, List::MoreReasons].into_iter().any(|list| self.has(list))
    }
}

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
