//! What a proxy has done, for people and for Prometheus.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use balk_guards::{Intervention, Usage};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

/// What a proxy has done since it started.
#[derive(Debug, Default)]
pub(super) struct Counts(Mutex<Counted>);

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Requests of agents that guards saw.
    pub turns: u64,
    /// Requests that no guard saw, by why: `other-path`, `no-tools`, `unreadable`, `compressed`, `many-keys`,
    /// `other-api`, `no-guards`, `guard-broke`, `conversation`, `item-reference`. And answers that none saw:
    /// `unfinished-answer`, `unreadable-answer`.
    pub passed: BTreeMap<&'static str, u64>,
    /// Requests to the provider that no agent sent: the model was asked again.
    pub hidden: u64,
    /// What guards cost: the tokens of answers in whose place the model was asked again, as the provider counted them.
    pub hidden_usage: Usage,
    /// Answers that were not the provider's own.
    pub changed: u64,
    /// Requests without an answer of the model: refusals of the provider as well.
    pub failed: u64,
    /// Guards that broke.
    pub faults: u64,
    /// Spans that did not reach the collector.
    pub unexported: u64,
    /// Interventions, or what guards would have done, by guard, rule and kind. Once there are a thousand of these
    /// names, a rule that is not among them counts as `others`.
    pub interventions: BTreeMap<String, u64>,
    /// Tools that no table declares, and that seem to write by their names and schemas.
    pub guessed_to_write: BTreeSet<String>,
    /// What happened, by conversation.
    pub conversations: BTreeMap<String, Conversation>,
}

/// What happened in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Requests.
    pub turns: u64,
    /// Requests to the provider that its agent did not send.
    pub hidden: u64,
    /// The tokens of answers that its agent never saw.
    pub hidden_usage: Usage,
    /// Interventions, or what guards would have done.
    pub interventions: u64,
}

/// What an agent did not see of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Requests to the provider.
    pub(super) requests: u64,
    /// The tokens of their answers.
    pub(super) usage: Usage,
}

/// The most conversations that are told apart. The names come from clients.
const CONVERSATIONS: usize = 10_000;
/// The most tools that are listed.
const TOOLS: usize = 1_000;
/// The most rules that are told apart: guards in other processes can say any.
const RULES: usize = 1_000;
/// The name of the rules beyond these.
const OTHERS: &str = "others";
/// The most characters of such a name: far more than any that a person gives.
const NAME_CHARS: usize = 200;

/// A name that came from a client, as it is kept: what is too long is cut, and has a digest of the whole at its end.
pub(super) fn kept(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}-{:032x}", &name[..end], xxh3_128(name.as_bytes())).into(),
        None => name.into(),
    }
}

impl Counts {
    pub(super) fn count(&self, add: impl FnOnce(&mut Counted)) {
        add(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn counted(&self) -> Counted {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Counted {
    /// Something passed that no guard saw.
    pub(super) fn passes(&mut self, why: &'static str) {
        *self.passed.entry(why).or_default() += 1;
    }

    /// Keeps what was guessed. The names come from clients, so there is a bound.
    pub(super) fn guesses(&mut self, tools: &[String]) {
        for tool in tools.iter().map(|it| kept(it)) {
            if self.guessed_to_write.len() < TOOLS && !self.guessed_to_write.contains(&*tool) {
                self.guessed_to_write.insert(tool.into_owned());
            }
        }
    }

    /// Counts a turn of this conversation.
    pub(super) fn turn(&mut self, conversation: &str, interventions: &[Intervention], hidden: Hidden) {
        self.turns += 1;
        self.hidden += hidden.requests;
        add(&mut self.hidden_usage, hidden.usage);
        for it in interventions {
            let mut name = name(it, &it.note.rule);
            if self.interventions.len() >= RULES && !self.interventions.contains_key(&name) {
                name = self::name(it, OTHERS);
            }
            *self.interventions.entry(name).or_default() += 1;
        }
        if self.conversations.len() < CONVERSATIONS || self.conversations.contains_key(conversation) {
            let own = self.conversations.entry(conversation.to_owned()).or_default();
            own.turns += 1;
            own.hidden += hidden.requests;
            add(&mut own.hidden_usage, hidden.usage);
            own.interventions += u64::try_from(interventions.len()).unwrap_or(u64::MAX);
        }
    }

    /// In the text form of Prometheus.
    pub(super) fn prometheus(&self) -> String {
        let mut text = String::new();
        let plain = [
            ("balk_proxy_turns_total", "Requests that guards saw.", self.turns),
            ("balk_proxy_hidden_requests_total", "Requests that no agent sent.", self.hidden),
            (
                "balk_proxy_hidden_input_tokens_total",
                "Tokens of requests whose answers no agent saw.",
                self.hidden_usage.input_tokens,
            ),
            (
                "balk_proxy_hidden_output_tokens_total",
                "Tokens of answers that no agent saw.",
                self.hidden_usage.output_tokens,
            ),
            ("balk_proxy_changed_answers_total", "Answers that were not the provider's own.", self.changed),
            ("balk_proxy_failed_total", "Requests without an answer.", self.failed),
            ("balk_proxy_guard_faults_total", "Guards that broke.", self.faults),
            ("balk_proxy_unexported_spans_total", "Spans that did not reach the collector.", self.unexported),
        ];
        for (name, help, value) in plain {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}");
        }
        let name = "balk_proxy_passed_total";
        let _ =
            writeln!(text, "# HELP {name} Requests and answers that no guard saw.\n# TYPE {name} counter");
        for (why, value) in &self.passed {
            let _ = writeln!(text, "{name}{{why=\"{why}\"}} {value}");
        }
        let name = "balk_proxy_interventions_total";
        let _ = writeln!(text, "# HELP {name} Interventions of guards.\n# TYPE {name} counter");
        for (key, value) in &self.interventions {
            let mut parts = key.splitn(3, '/');
            let mut part = || parts.next().unwrap_or_default().replace(['\\', '"', '\n'], "_");
            let (guard, rule, kind) = (part(), part(), part());
            let _ = writeln!(text, "{name}{{guard=\"{guard}\",rule=\"{rule}\",kind=\"{kind}\"}} {value}");
        }
        text
    }
}

/// Counts come from a provider, who can say anything.
pub(super) fn add(sum: &mut Usage, more: Usage) {
    sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
}

fn name(it: &Intervention, rule: &str) -> String {
    format!("{}/{rule}/{}", it.note.guard, it.kind.name())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use balk_guards::{InterventionKind, Note, Subject};

    use super::*;

    #[test]
    fn names_that_are_too_long_are_cut_and_stay_apart() {
        let names = ["é".repeat(NAME_CHARS), "é".repeat(NAME_CHARS + 1), "é".repeat(9_000)];
        let mut counted = Counted::default();
        counted.guesses(&names);
        assert_eq!((counted.guessed_to_write.len(), kept(&names[0])), (3, (&*names[0]).into()));
        assert!(
            counted.guessed_to_write.iter().all(|it| it.chars().count() <= NAME_CHARS + 33),
            "{counted:?}"
        );
    }

    #[test]
    fn rules_beyond_the_bound_count_as_one() {
        let mut counted = Counted::default();
        let mut fires = |nth: usize| {
            let (rule, subject) = (format!("r{nth}").into(), Subject::Run);
            let note = Note { guard: "g".into(), rule, level: 1, subject, text: Arc::from("x") };
            let it = Intervention { kind: InterventionKind::Notice, note, seen: true };
            counted.turn("c", &[it], Hidden::default());
        };
        (0..RULES + 100).for_each(&mut fires);
        fires(0);
        assert_eq!(counted.interventions.len(), RULES + 1);
        let of = |rule: &str| counted.interventions.get(&format!("g/{rule}/notice")).copied();
        assert_eq!((of("r0"), of("others"), of("r1000")), (Some(2), Some(100), None));
    }

    #[test]
    fn what_was_counted_is_text_that_prometheus_reads() {
        let note = Note {
            guard: "a\"b".into(),
            rule: "r".into(),
            level: 1,
            subject: Subject::Run,
            text: Arc::from("x"),
        };
        let it = Intervention { kind: InterventionKind::Feedback, note, seen: true };
        let mut counted = Counted::default();
        let hidden = Hidden { requests: 2, usage: Usage { input_tokens: 7, output_tokens: 3 } };
        counted.turn("c", &[it.clone(), it], hidden);
        counted.passed.insert("no-tools", 3);
        let text = counted.prometheus();
        assert!(text.contains("balk_proxy_passed_total{why=\"no-tools\"} 3\n"), "{text}");
        assert!(text.contains("balk_proxy_turns_total 1\n"), "{text}");
        assert!(text.contains("balk_proxy_hidden_requests_total 2\n"), "{text}");
        assert!(text.contains("balk_proxy_hidden_input_tokens_total 7\n"), "{text}");
        assert!(text.contains("balk_proxy_hidden_output_tokens_total 3\n"), "{text}");
        let line = "balk_proxy_interventions_total{guard=\"a_b\",rule=\"r\",kind=\"feedback\"} 2\n";
        assert!(text.ends_with(line), "{text}");
        assert_eq!(
            counted.conversations["c"],
            Conversation { turns: 1, hidden: 2, hidden_usage: hidden.usage, interventions: 2 }
        );
    }
}
