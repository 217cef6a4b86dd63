//! What the rules of `default` say of a run, in plain words.

/// What a firing of this rule says of a model without progress; none for a rule that says something else.
#[must_use]
pub(super) fn why(guard: &str, rule: &str) -> Option<&'static str> {
    STUCK.iter().find(|(of, name, _)| *of == guard && *name == rule).map(|(_, _, why)| *why)
}

/// The rules that say that the model makes no progress, and in what way.
#[rustfmt::skip]
const STUCK: &[(&str, &str, &str)] = &[
    ("progress", "waiting", "it waits or polls again and again, and nothing changes"),
    ("progress", "unknown-tool", "it calls a tool that does not exist, again"),
    ("progress", "invalid-arguments", "it calls a tool with arguments that are refused, again"),
    ("progress", "refused-finish", "it hands in a result that is refused, again"),
    ("progress", "growing-call", "it makes the same call with ever more arguments"),
    ("progress", "cycle", "it goes round in a cycle of calls with the same results"),
    ("progress", "rewrite", "it writes what it wrote before"),
    ("progress", "no-op", "its calls succeed and change nothing"),
    ("progress", "rewriting", "it writes the same file again and again"),
    ("progress", "repeat", "it makes the same call again, with the same result"),
    ("progress", "persisting-failure", "it makes a call again that failed before, and it fails in the same way"),
    ("progress", "near-call", "it makes nearly the same call again, and it fails in the same way"),
    ("progress", "same-failure", "its calls fail with the same error, one after another"),
    ("progress", "same-answer", "different calls bring the same answer"),
    ("progress", "wandering", "it looks around for long, and sees only what it saw before"),
    ("progress", "refused-replies", "its replies are refused, one after another"),
    ("progress", "repeated-text", "it writes the same text again, and acts on nothing"),
    ("repetition", "repeats-itself", "it repeats itself within one message"),
    ("duplicate", "same-call", "it makes the same call again, with the same result"),
    ("duplicate", "same-call-after-feedback", "it makes the same call again, with the same result"),
    ("duplicate", "same-call-after-options", "it makes the same call again, with the same result"),
    ("duplicate", "same-call-after-question", "it makes the same call again, with the same result"),
    ("no-tools", "no-call", "it announces a call, and makes none"),
    ("no-tools", "thinking-only", "it only thinks, and makes no call"),
    ("no-tools", "message", "it only writes, where a call was needed"),
    ("no-tools", "limit", "it makes no call, message after message"),
    ("no-tools", "questions-spent", "it makes no call, message after message"),
    ("abandonment", "fence-after-failures", "it gave up a failing tool, and shows code instead"),
    ("abandonment", "ask-the-user", "it gave up a failing tool, and shows code instead"),
    ("empty-completion", "attempts-spent", "it answers nothing, attempt after attempt"),
    ("empty-completion", "truncated-again", "its answers are cut off by the limit of tokens, again and again"),
];

#[cfg(test)]
mod tests {
    use balk_guards::rules::{Rule, Step};
    use balk_guards::{Abandonment, Duplicate, EmptyCompletion, NoTools, Progress, Repetition};

    use super::*;

    /// What they say is no lack of progress: what is open at an end or was not told, a call that is to run once more or
    /// was cut off once, and copies that are not shown, of which another rule speaks.
    const OTHERS: &[(&str, &str)] = &[
        ("repetition", "copies-cut"),
        ("duplicate", "words-first"),
        ("no-tools", "open-request"),
        ("abandonment", "unacknowledged"),
        ("abandonment", "files-not-created"),
        ("abandonment", "words-first"),
        ("abandonment", "failing-call"),
        ("empty-completion", "truncated-call"),
        ("empty-completion", "truncated-text"),
    ];

    /// A new rule has to be put on one of the two lists. **repair** mends what a model sent, **retry-safety** judges
    /// connections, and **handoff** speaks at ends.
    #[test]
    fn every_rule_about_the_model_is_a_lack_of_progress_or_not() {
        let all: [(&str, &[Rule]); 6] = [
            ("abandonment", Abandonment::RULES),
            ("duplicate", Duplicate::RULES),
            ("empty-completion", EmptyCompletion::RULES),
            ("no-tools", NoTools::RULES),
            ("progress", Progress::RULES),
            ("repetition", Repetition::RULES),
        ];
        let fires = |rule: &&Rule| rule.rungs.iter().any(|it| it.step != Step::Resend);
        let rules =
            all.iter().flat_map(|(guard, rules)| rules.iter().filter(fires).map(|it| (*guard, it.name)));
        let rules: Vec<(&str, &str)> = rules.collect();
        for (guard, rule) in &rules {
            assert_ne!(why(guard, rule).is_some(), OTHERS.contains(&(*guard, *rule)), "{guard}: {rule}");
        }
        // A rule that no guard has any more would be a dead line.
        let listed = STUCK.iter().map(|(guard, rule, _)| (*guard, *rule)).chain(OTHERS.iter().copied());
        for rule in listed {
            assert!(rules.contains(&rule), "{rule:?}");
        }
    }
}
