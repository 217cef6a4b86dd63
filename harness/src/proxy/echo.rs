//! What a request shows of an answer, as digests. A place is found by them, however many sessions have its request.

use balk_guards::Completion;

use crate::listen::path::Path;

/// What is called. Texts are cut and changed too often, and calls get other names.
pub(super) fn called(answer: Option<&Completion>) -> Path {
    let calls = answer.map_or(&[][..], |it| &it.calls);
    calls.iter().fold(Path::default(), |path, it| path.with(&it.key.folded().to_le_bytes()))
}

/// The very answer that was given: what is called, with the names that the calls had then. One whose calls have no
/// names is known by its texts.
pub(super) fn given(answer: &Completion) -> Path {
    by_names(answer).unwrap_or_else(|| by_texts(answer))
}

/// What the very answer may be that a request shows so, the likeliest first: it may have been given without names.
pub(super) fn as_given(echo: &Completion) -> impl Iterator<Item = Path> {
    by_names(echo).into_iter().chain([by_texts(echo)])
}

fn by_names(answer: &Completion) -> Option<Path> {
    let has_names = !answer.calls.is_empty() && answer.calls.iter().all(|it| !it.id.is_empty());
    let names = || answer.calls.iter().fold(called(Some(answer)), |path, it| path.with(it.id.as_bytes()));
    has_names.then(names)
}

fn by_texts(answer: &Completion) -> Path {
    let start = called(Some(answer)).with(b"texts");
    answer.texts().fold(start, |path, it| path.with(it.as_bytes()))
}

#[cfg(test)]
mod tests {
    use balk_guards::{FinishReason, Offer, Part, RawCall, Usage};

    use super::*;

    fn answer(text: &str, ids: &[&str]) -> Completion {
        let call = |id: &&str| RawCall { id: (*id).into(), tool: "ls".into(), arguments: "{}".into() };
        let finish = FinishReason::ToolCall;
        let offer = Offer::default();
        Completion::new([Part::Text(text.into())], ids.iter().map(call), finish, Usage::default(), &offer)
    }

    #[track_caller]
    fn check(was: Completion, echo: Completion, is_called: bool, is_given: bool) {
        let found = (called(Some(&echo)) == called(Some(&was)), as_given(&echo).any(|it| it == given(&was)));
        assert_eq!(found, (is_called, is_given));
    }

    #[test]
    fn an_answer_is_known_by_the_names_of_its_calls_or_else_by_its_texts() {
        check(answer("I look.", &["a"]), answer("cut", &["a"]), true, true);
        check(answer("I look.", &["a"]), answer("I look.", &["b"]), true, false);
        check(answer("I look.", &["a"]), answer("I look.", &["a", "b"]), false, false);
        check(answer("I look.", &[""]), answer("I look.", &["a"]), true, true);
        check(answer("I look.", &[""]), answer("cut", &["a"]), true, false);
        check(answer("Done.", &[]), answer("Done.", &[]), true, true);
        check(answer("Done.", &[]), answer("cut", &[]), true, false);
        assert_eq!(called(None), called(Some(&answer("Done.", &[]))));
    }
}
