//! Guards that must not be shipped: naive versions of our rules, in addition to those of the command line. Their
//! failures show what the conditions of our rules are for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_guards::{
    Answer, AttemptFailure, CallKey, Completion, Conclusion, Decision, Entry, Gap, GapKind, Guard, Limit,
    Note, Part, Recovery, Status, Subject, Termination, Verdict,
};
use balk_peers::{NaiveAbandonment, NaiveAbandonmentSettings, NaiveDuplicate, NaiveNoTools};

fn note(guard: &'static str, text: &str) -> Note {
    Note { guard: guard.into(), rule: "naive".into(), level: 1, subject: Subject::Run, text: text.into() }
}

/// Stagnation without its conditions: a result that another call had before.
#[derive(Default)]
struct AnyAnswer {
    /// The first call with each result.
    seen: BTreeMap<Arc<str>, CallKey>,
    again: bool,
}

impl Guard for AnyAnswer {
    fn name(&self) -> &'static str {
        "any-answer"
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Result(result) => {
                let first = self.seen.entry(result.text.text().clone()).or_insert(result.call.key);
                self.again = *first != result.call.key;
            }
            Entry::Intervention(_) => self.again = false,
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        Ok(retry_if(self.again, "any-answer", "Another call has told you that."))
    }
}

/// Spec D5 without its conditions: any second write of one file, whatever the result of the first.
#[derive(Default)]
struct AnyRewrite {
    written: BTreeSet<String>,
    again: bool,
}

impl Guard for AnyRewrite {
    fn name(&self) -> &'static str {
        "any-rewrite"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.again = false;
            for path in
                completion.calls.iter().filter(|it| it.effect.is_known_change()).filter_map(|it| it.path())
            {
                self.again |= !self.written.insert(path);
            }
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        Ok(retry_if(self.again, "any-rewrite", "You have written this file before."))
    }
}

/// Spec E2 without its conditions: thinking without text, calls or not.
struct AnyThinking;

impl Guard for AnyThinking {
    fn name(&self) -> &'static str {
        "any-thinking"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let thinks = completion.parts.iter().any(|part| matches!(part, Part::Thinking { .. }));
        Ok(retry_if(thinks && !completion.has_text(), "any-thinking", "You only thought."))
    }
}

/// Spec E1 and E4 without their conditions: an empty completion, a last text of three words or fewer (in scripts
/// without spaces: of six characters), or a text of five characters or fewer, with or without calls.
struct AnyShort;

impl Guard for AnyShort {
    fn name(&self) -> &'static str {
        "any-short"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let text: Vec<&str> = completion.texts().flat_map(|text| text.split_whitespace()).collect();
        let characters: usize = text.iter().map(|word| word.chars().count()).sum();
        let spaceless = !text.concat().is_ascii() && text.len() == 1;
        let short = if spaceless { characters <= 6 } else { text.len() <= 3 };
        let fires = if completion.calls.is_empty() { short } else { (1..=5).contains(&characters) };
        Ok(retry_if(fires, "any-short", "That is no answer."))
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(Some(Recovery::Stop(note("any-short", "Nothing came."))))
    }
}

/// Spec H1 and H6 without their conditions: the first error that reads as if something were missing.
#[derive(Default)]
struct AnyGap {
    lacks: bool,
}

impl Guard for AnyGap {
    fn name(&self) -> &'static str {
        "any-gap"
    }

    fn observe(&mut self, entry: &Entry) {
        const WORDS: [&str; 6] = [
            "not found",
            "no such file",
            "not installed",
            "no module",
            "unrecognized option",
            "invalid arguments",
        ];
        if let Entry::Result(result) = entry
            && result.status == Status::Error
        {
            let text = result.text.to_lowercase();
            self.lacks |= WORDS.iter().any(|words| text.contains(words));
        }
        if let Entry::Intervention(_) = entry {
            self.lacks = false;
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        Ok(retry_if(self.lacks, "any-gap", "This cannot be done here. Tell the user."))
    }
}

/// Spec H1 without its conditions: a run that reaches a limit has made no progress.
struct AnyLimit;

impl Guard for AnyLimit {
    fn name(&self) -> &'static str {
        "any-limit"
    }

    fn observe(&mut self, _: &Entry) {}

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let bounded = matches!(end, Termination::Limit(Limit::Turns | Limit::Calls));
        Ok(bounded.then(|| Conclusion {
            end: end.clone(),
            note: note("any-limit", "This cannot be done."),
            gap: Some(Gap {
                kind: GapKind::NoProgress,
                missing: "".into(),
                tried: Vec::new(),
                explanation: "There was no progress.".into(),
                could_do: Vec::new(),
                resume: "".into(),
                constraint: None,
            }),
        }))
    }
}

fn retry_if(fires: bool, guard: &'static str, text: &str) -> Decision {
    if fires { Verdict::Retry(note(guard, text)).into() } else { Decision::pass() }
}

/// All naive guards.
pub(crate) fn all() -> [fn() -> Box<dyn Guard>; 9] {
    [
        || Box::new(NaiveAbandonment::new(NaiveAbandonmentSettings { failures: 1 })),
        || Box::new(NaiveDuplicate::default()),
        || Box::new(AnyAnswer::default()),
        || Box::new(AnyRewrite::default()),
        || Box::new(NaiveNoTools),
        || Box::new(AnyThinking),
        || Box::new(AnyShort),
        || Box::new(AnyGap::default()),
        || Box::new(AnyLimit),
    ]
}
