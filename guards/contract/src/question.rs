//! Questions of guards in a chat: put in the assistant's words, answered in the user's.

use std::sync::Arc;

use crate::entry::UserAnswer;
use crate::note::{Choice, ChoiceKind, Question};

impl Question {
    /// The question as one message: its words, and the options with numbers.
    #[must_use]
    pub fn message(&self) -> String {
        let option = |(at, it): (usize, &Choice)| {
            let how = if it.kind == ChoiceKind::Instruct { " (in your own words)" } else { "" };
            format!("\n{}. {}{how}", at + 1, it.label)
        };
        let options: String = self.options.iter().enumerate().map(option).collect();
        format!("{}\n{options}", self.note.text)
    }

    /// What the user's next words choose: an option, by its number or its label. "Stop" and "end the run" end it,
    /// offered or not. Any other words are an instruction or, where none is asked for, they go on.
    ///
    /// A number says nothing to the model, so the label takes its place. The number of an option that asks for an
    /// instruction is no answer: the instruction is still to come.
    #[must_use]
    pub fn answered_by(&self, text: &Arc<str>) -> Option<UserAnswer> {
        let said = text.trim().trim_end_matches('.');
        let number = said.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
        if let Some(chosen) = number.and_then(|at| self.options.get(at)) {
            let (choice, text) = (chosen.kind, chosen.label.as_ref().into());
            return (choice != ChoiceKind::Instruct).then_some(UserAnswer { choice, text });
        }
        let by_label = self.options.iter().find(|it| it.label.eq_ignore_ascii_case(said));
        let offers =
            |kind: &ChoiceKind| *kind == ChoiceKind::Stop || self.options.iter().any(|it| it.kind == *kind);
        let in_words = || {
            let kinds =
                [ChoiceKind::Instruct, ChoiceKind::Constrain, ChoiceKind::Continue, ChoiceKind::SwitchModel];
            word(said).into_iter().chain(kinds).find(offers).unwrap_or(ChoiceKind::Stop)
        };
        let choice = by_label.map_or_else(in_words, |it| it.kind);
        Some(UserAnswer { choice, text: text.clone() })
    }
}

/// The words of one option, in short.
fn word(said: &str) -> Option<ChoiceKind> {
    Some(match &*said.to_lowercase() {
        "continue" | "go on" => ChoiceKind::Continue,
        "retry" | "try again" => ChoiceKind::Constrain,
        "report" => ChoiceKind::Report,
        "stop" | "end" | "end the run" => ChoiceKind::Stop,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{Note, Subject};

    fn question() -> Question {
        let note = Note {
            guard: "g".into(),
            rule: "r".into(),
            level: 1,
            subject: Subject::Run,
            text: "The model is stuck. How should it continue?".into(),
        };
        Question { note, options: Choice::for_stuck("say what to do", true) }
    }

    #[test]
    fn options_have_numbers() {
        assert_eq!(
            question().message(),
            "The model is stuck. How should it continue?\n\n1. say what to do (in your own words)\n\
             2. switch to another model\n3. let it continue\n4. end the run"
        );
    }

    #[test]
    fn words_choose_an_option_or_instruct() {
        let chosen = |text: &str| question().answered_by(&text.into()).unwrap().choice;
        assert_eq!(chosen("3"), ChoiceKind::Continue);
        assert_eq!(chosen(" 4. "), ChoiceKind::Stop);
        assert_eq!(chosen("End the run."), ChoiceKind::Stop);
        assert_eq!(chosen("Go on."), ChoiceKind::Continue);
        assert_eq!(chosen("9"), ChoiceKind::Instruct);
        assert_eq!(chosen("Use the other folder."), ChoiceKind::Instruct);
        let without_end = Question { options: vec![Choice::instruct("say what to do")], ..question() };
        let chosen = |text: &str| without_end.answered_by(&text.into()).unwrap().choice;
        assert_eq!([chosen("Stop."), chosen("end the run")], [ChoiceKind::Stop; 2]);
        assert_eq!(chosen("Stop at the first test."), ChoiceKind::Instruct);
    }

    #[test]
    fn a_number_becomes_the_words_of_its_option() {
        let answer = question().answered_by(&"3".into()).unwrap();
        assert_eq!(&*answer.text, "let it continue");
        assert_eq!(question().answered_by(&"1".into()), None);
    }
}
