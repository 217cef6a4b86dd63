//! What a message does in place of a call, judged by its form, by what is on offer, and by a few words of refusal.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{announcement, fence, printed};

/// What a message does in place of a call (spec T1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Instead {
    /// It prints a call of a tool on offer.
    PrintsCall,
    /// It says what it is about to do.
    Announces,
    /// It says that it has no access, or no tools.
    Denies,
    /// It shows code.
    ShowsCode,
    /// It asks the user.
    Asks,
    /// It says something else: an answer, or a report.
    Reports,
}

/// Words of models that believe that they have no tools, as recorded models use them (`docs/field.md`).
const DENIALS: &[&str] = &[
    "have access to",
    "have direct access",
    "no access to",
    "unable to access",
    "cannot access",
    "can't access",
    "as a language model",
    "as an ai",
    "have no tool", //
    "keinen zugriff",
    "als sprachmodell",
    "als ki", //
    "no tengo acceso",
    "como modelo de lenguaje", //
    "pas accès",
    "modèle de langage", //
    "アクセスでき",
    "言語モデル", //
    "无法访问",
    "语言模型",
];
/// With these words "have access to" denies it.
const NEGATIONS: &[&str] = &["not", "n't", "no "];
/// The longest denial, in characters: a longer text gives its reasons, or an answer beside it.
const CHARS: usize = 400;

impl Instead {
    /// What this text does, where these tools are on offer.
    pub(super) fn of(text: &str, tools: &[Arc<str>]) -> Self {
        if printed::calls_one_of(text, tools) {
            Self::PrintsCall
        } else if announcement::breaks_off(text) {
            Self::Announces
        } else if denies(text) {
            Self::Denies
        } else if fence::fences(text).next().is_some() {
            Self::ShowsCode
        } else if text.contains(['?', '？']) {
            Self::Asks
        } else {
            Self::Reports
        }
    }
}

fn denies(text: &str) -> bool {
    if text.chars().nth(CHARS).is_some() {
        return false;
    }
    let text = text.to_lowercase().replace('’', "'");
    DENIALS.iter().any(|words| {
        text.contains(words) && (!words.starts_with("have ") || NEGATIONS.iter().any(|it| text.contains(it)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t1_what_a_text_does_in_place_of_a_call() {
        let tools = ["read_file".into()];
        for (text, does) in [
            (
                "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```",
                Instead::PrintsCall,
            ),
            ("Let me look at the folder:", Instead::Announces),
            ("I don't have access to your files, so I cannot do that.", Instead::Denies),
            ("Ich habe keinen Zugriff auf deine Dateien.", Instead::Denies),
            ("Here it is:\n```\nx = 1\n```\n", Instead::ShowsCode),
            ("Should I proceed with it now?", Instead::Asks),
            ("The build is green.", Instead::Reports),
            ("You have access to both files now.", Instead::Reports),
        ] {
            assert_eq!(Instead::of(text, &tools), does, "{text}");
        }
    }
}
