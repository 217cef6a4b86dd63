//! What a message does in place of a call, judged by its form, by what is on offer, and by a few words.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::vocabulary::{List, Words, plain};
use crate::acknowledgement::says_it_cannot;
use crate::files::files;
use crate::search::{QUESTION_MARKS, has_question_mark};
use crate::sentences::sentences;
use crate::{announcement, fence, printed};
use balk_contract::wording::is_longer;

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
    /// It is a list: a plan, or an answer.
    Lists,
    /// It asks the user.
    Asks,
    /// It says that something is done.
    Claims,
    /// It says something else: an answer, or a report.
    Reports,
}

/// The longest denial or claim, in characters: a longer text gives its reasons, or an answer beside it. The longest
/// text, too, that is remembered, or that is read as saying what comes next.
pub(super) const CHARS: usize = 400;
/// The longest question that only ends a message ("Anything else?"), in characters.
const CLOSING_CHARS: usize = 60;
/// Items that make a list.
const ITEMS: usize = 2;

impl Instead {
    /// What this text does, where these tools are on offer.
    pub(super) fn of(text: &str, tools: &[Arc<str>]) -> Self {
        if printed::calls_one_of(text, tools) {
            return Self::PrintsCall;
        }
        if announcement::of(text).is_some() {
            return Self::Announces;
        }
        let plain = if is_longer(text, CHARS) { "".into() } else { plain(text) };
        let words = Words::of(&plain);
        if denies(&plain, words) {
            Self::Denies
        } else if fence::fences(text).next().is_some() {
            Self::ShowsCode
        } else if !has_question_mark(text)
            && text.lines().filter(|line| announcement::is_item(line)).nth(ITEMS - 1).is_some()
        {
            Self::Lists
        } else if claims(&plain, words) || says_it_changed(&plain) {
            Self::Claims
        } else if has_question_mark(text) {
            Self::Asks
        } else {
            Self::Reports
        }
    }
}

/// Whether a text says in one sentence what the model would do if its user wants it: "If you are sure, I'll delete it."
pub(super) fn leaves_it_to_the_user(text: &str) -> bool {
    let plain = plain(text);
    sentences(&plain).map(Words::of).any(|it| it.has(List::Conditions) && it.has(List::Volunteers))
}

/// Whether a text names what tools reach, in a sentence that denies it.
pub(super) fn denies_tools(text: &str) -> bool {
    let denies =
        |words: Words| words.has(List::Denials) || words.has(List::Identity) || words.has(List::Unable);
    let reaches = |words: Words| words.has(List::Abilities) || words.has(List::Objects);
    files(text).next().is_some()
        || sentences(&plain(text)).map(Words::of).any(|words| denies(words) && reaches(words))
}

/// Whether a short plain text denies access to what the tools do. Where it only says what the model is ("As an AI, I
/// don't have feelings"), or speaks of what someone feels or thinks, it denies no tool.
fn denies(text: &str, words: Words) -> bool {
    let is_negated = || {
        let lower = text.to_ascii_lowercase();
        ["not", "n't", "no "].iter().any(|it| lower.contains(it))
    };
    let is_unable = |words: Words| words.has(List::Unable) && words.has(List::Abilities);
    let parts = || sentences(text).map(Words::of);
    let is_outer = |words: Words| {
        let reaches = words.has(List::Abilities) || words.has(List::Objects);
        let is_thing = words.has(List::Identity) && (words.has(List::Unable) || reaches);
        (words.has(List::Denials) || is_thing) && (reaches || !words.has(List::Inner))
    };
    (words.has(List::Denials) || words.has(List::Identity)) && parts().any(is_outer)
        || words.has(List::Access)
            && is_negated()
            && (words.has(List::Abilities) || files(text).next().is_some())
        || is_unable(words) && parts().any(is_unable)
}

/// Whether a short plain text says that something is done. A question makes it one that asks, unless it only ends the
/// text.
fn claims(text: &str, words: Words) -> bool {
    let words = match has_question_mark(text) {
        false => words,
        true => {
            let body = text.trim_end().trim_end_matches(QUESTION_MARKS);
            let start = last_end(body);
            let closes = |last: &str| !is_longer(last, CLOSING_CHARS) && files(last).next().is_none();
            let (said, last) = body.split_at(start);
            if has_question_mark(said)
                || !closes(&last.to_ascii_lowercase())
                || body.len() == text.trim_end().len()
            {
                return false;
            }
            Words::of(said)
        }
    };
    words.has(List::Done) && !words.has(List::Negations)
}

/// Whether a text says in one clause that the model itself changed something: what was there, or, where a file is
/// named, made it. What follows a colon may be what was made.
pub(super) fn says_it_changed(text: &str) -> bool {
    let plain = plain(text);
    if has_question_mark(text) || plain.trim_end().trim_end_matches(':').contains([':', '：']) {
        return false;
    }
    let names_files = files(text).next().is_some();
    let ends = [',', '!', '?', ';', '\n', '，', '。', '！', '？', '；', '、'];
    let changed = |words: Words| words.has(List::Changed) || words.has(List::Made) && names_files;
    let all = Words::of(&plain);
    // Most texts have no such words in any clause.
    if !(all.has(List::Did) && changed(all) || all.has(List::Stated)) {
        return false;
    }
    plain.split(". ").flat_map(|it| it.split(ends)).any(|clause| {
        let words = Words::of(clause);
        let did = words.has(List::Did) && changed(words) || words.has(List::Stated) && !clause.contains('が');
        did && !words.has(List::Nots)
    })
}

/// Where the last sentence of a text begins. A point inside a file's name ends none.
fn last_end(text: &str) -> usize {
    let ends = |&(at, mark): &(usize, &str)| mark != "." || text[at + 1..].starts_with(char::is_whitespace);
    let last = text.rmatch_indices(['.', '!', '\n', '。', '！']).find(ends);
    last.map_or(0, |(at, mark)| at + mark.len())
}

/// Whether a text may say plainly that something was not done.
pub(super) fn admits(text: &str) -> bool {
    Words::of(&plain(text)).has(List::Negations) || says_it_cannot(text)
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
            ("Running things is not something I do: I lack the ability to start a shell.", Instead::Denies),
            ("Leider kann ich nicht auf dein Dateisystem schreiben.", Instead::Denies),
            ("No dispongo de herramientas para eso.", Instead::Denies),
            ("我没有执行命令的能力。", Instead::Denies),
            ("コマンドを実行することはできません。", Instead::Denies),
            ("Here it is:\n```\nx = 1\n```\n", Instead::ShowsCode),
            ("Should I proceed with it now?", Instead::Asks),
            ("The first file is written. Shall I go on with b.py?", Instead::Asks),
            ("Everything is finished on my side, may I put it into notes/plan.md now?", Instead::Asks),
            ("準備は完了しました。notes/plan.md に保存しますか？", Instead::Asks),
            ("资料已经看好了，要我现在保存 notes/plan.md 吗？", Instead::Asks),
            ("notes/plan.md is saved. OK?", Instead::Claims),
            ("1. Read the file\n2. Change the limit\n3. Run the tests", Instead::Lists),
            ("The parser is finished. Anything else?", Instead::Claims),
            ("I've put the limit into config.toml.", Instead::Claims),
            ("Die Datei wurde angelegt.", Instead::Claims),
            ("El archivo ha quedado actualizado.", Instead::Claims),
            ("文件已经写好了。", Instead::Claims),
            ("ファイルを作りました。", Instead::Claims),
            ("The file was not created: the disk is full.", Instead::Reports),
            ("The build is green.", Instead::Reports),
            ("You have access to both files.", Instead::Reports),
            ("As an AI, I don't have feelings.", Instead::Reports),
            ("As a language model I only write text.", Instead::Denies),
            ("I fixed the error in the parser.", Instead::Claims),
            ("I do not have access to notes/plan.md.", Instead::Denies),
            ("I'm sorry, I do not have access to the causes of delays.", Instead::Reports),
        ] {
            assert_eq!(Instead::of(text, &tools), does, "{text}");
        }
    }
}
