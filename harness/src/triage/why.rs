//! What the rules of `default` say of a run, in plain words.

/// What a firing of a rule means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The model makes no progress, and in what way.
    Stuck(&'static str),
    /// Something else, and what.
    Other(&'static str),
}

/// What a firing of this rule means; none for a rule of another guard.
#[must_use]
pub(super) fn why(guard: &str, rule: &str) -> Option<Meaning> {
    RULES.iter().find(|(of, name, _)| *of == guard && *name == rule).map(|(_, _, meaning)| *meaning)
}

use Meaning::{Other, Stuck};

/// Every rule that can fire.
pub(super) const RULES: &[(&str, &str, Meaning)] = &[
    ("progress", "waiting", Stuck("it waits or polls again and again, and nothing changes")),
    ("progress", "unknown-tool", Stuck("it calls a tool that does not exist, again")),
    ("progress", "invalid-arguments", Stuck("it calls a tool with arguments that are refused, again")),
    ("progress", "refused-finish", Stuck("it hands in a result that is refused, again")),
    ("progress", "growing-call", Stuck("it makes the same call with ever more arguments")),
    ("progress", "cycle", Stuck("it goes round in a cycle of calls with the same results")),
    ("progress", "rewrite", Stuck("it writes what it wrote before")),
    ("progress", "no-op", Stuck("its calls succeed and change nothing")),
    ("progress", "rewriting", Stuck("it writes the same file again and again")),
    ("progress", "repeat", Stuck("it makes the same call again, with the same result")),
    (
        "progress",
        "persisting-failure",
        Stuck("it makes a call again that failed before, and it fails in the same way"),
    ),
    ("progress", "near-call", Stuck("it makes nearly the same call again, and it fails in the same way")),
    ("progress", "same-failure", Stuck("its calls fail with the same error, one after another")),
    ("progress", "same-answer", Stuck("different calls bring the same answer")),
    ("progress", "wandering", Stuck("it looks around for long, and sees only what it saw before")),
    ("progress", "refused-replies", Stuck("its replies are refused, one after another")),
    ("progress", "repeated-text", Stuck("it writes the same text again, and acts on nothing")),
    ("repetition", "repeats-itself", Stuck("it repeats itself within one message")),
    ("duplicate", "same-call", Stuck("it makes the same call again, with the same result")),
    ("duplicate", "same-call-after-feedback", Stuck("it makes the same call again, with the same result")),
    ("duplicate", "same-call-after-options", Stuck("it makes the same call again, with the same result")),
    ("duplicate", "same-call-after-question", Stuck("it makes the same call again, with the same result")),
    ("duplicate", "words-first", Other("what was open was to be said first")),
    ("no-tools", "no-call", Stuck("it announces a call, and makes none")),
    ("no-tools", "thinking-only", Stuck("it only thinks, and makes no call")),
    ("no-tools", "message", Stuck("it only writes, where a call was needed")),
    ("no-tools", "limit", Stuck("it makes no call, message after message")),
    ("no-tools", "questions-spent", Stuck("it makes no call, message after message")),
    ("no-tools", "open-request", Other("the run ended with a request open")),
    ("abandonment", "fence-after-failures", Stuck("it gave up a failing tool, and shows code instead")),
    ("abandonment", "ask-the-user", Stuck("it gave up a failing tool, and shows code instead")),
    ("abandonment", "unacknowledged", Other("a failure was not told to the user")),
    ("abandonment", "files-not-created", Other("the run ended without its files")),
    ("abandonment", "words-first", Other("what was open was to be said first")),
    ("abandonment", "failing-call", Other("a failing call was to run once more")),
    ("empty-completion", "attempts-spent", Stuck("it answers nothing, attempt after attempt")),
    ("empty-completion", "truncated-call", Other("a call was cut off by the limit of tokens")),
    ("empty-completion", "truncated-text", Other("an answer was cut off by the limit of tokens")),
    (
        "empty-completion",
        "truncated-again",
        Stuck("its answers are cut off by the limit of tokens, again and again"),
    ),
    ("repair", "printed-call", Other("a call was written as text, and could be made")),
    ("handoff", "constrained", Other("the task cannot be done with these tools")),
];

#[cfg(test)]
mod tests {
    use balk_guards::rules::{Rule, Step};
    use balk_guards::{Abandonment, Duplicate, EmptyCompletion, NoTools, Progress, Repetition};

    use super::*;

    /// A rule of these guards without a meaning would be silent here.
    #[test]
    fn every_rule_about_the_model_has_a_meaning() {
        let all: [(&str, &[Rule]); 6] = [
            ("abandonment", Abandonment::RULES),
            ("duplicate", Duplicate::RULES),
            ("empty-completion", EmptyCompletion::RULES),
            ("no-tools", NoTools::RULES),
            ("progress", Progress::RULES),
            ("repetition", Repetition::RULES),
        ];
        for (guard, rules) in all {
            let fires = |rule: &&Rule| rule.rungs.iter().any(|it| it.step != Step::Resend);
            for rule in rules.iter().filter(fires) {
                assert!(why(guard, rule.name).is_some(), "{guard}: {}", rule.name);
            }
        }
        assert_eq!(why("somebody", "no-call"), None);
    }
}
