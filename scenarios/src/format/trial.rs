//! The most that a trial can say, and that its files can have: its limits, times what one attempt, one call and one
//! message can have.

use std::ops::Range;

use super::lengths::{Arguments, Lengths};
use super::report::Report;
use super::wire::ScenarioFile;
use crate::scenario::template::{TEXT_BYTES_MAX, Template, Varies};
use crate::scenario::{Bound, CallSpec, Called, NewsSpec, Phrase, PhraseId, Role, Scenario, Sent, State};

/// All that is said in one trial, and all that its files have.
const TRIAL_BYTES_MAX: u64 = 256 << 20;
/// The id, the names and the constants of a call are shorter, and so is what a tool says in words of its own.
const CALL_BYTES: u64 = 256;
/// A message that says nothing takes room too.
const MESSAGE_BYTES: u64 = 64;
/// A line of a todo list becomes an object of an agent's form. It has fewer bytes for each byte of the line.
const ITEM_BYTES: u64 = 64;

/// Reports a file with which a trial may say too much.
pub(super) fn check(file: &ScenarioFile, scenarios: &[Scenario], lengths: &Lengths, report: &mut Report<'_>) {
    // A name that was not found leads to the wrong text.
    if !report.is_clean() {
        return;
    }
    let sum = |parts: &[Part]| parts.iter().fold(0_u64, |sum, it| sum.saturating_add(it.most()));
    let all = scenarios.iter().map(|it| Longest::of(it, lengths).parts(file));
    let Some((most, parts)) = all.map(|it| (sum(&it), it)).max_by_key(|(most, _)| *most) else { return };
    if most <= TRIAL_BYTES_MAX {
        return;
    }
    let Some(Part { what, bytes, times, by, at }) = parts.into_iter().max_by_key(Part::most) else { return };
    report
        .error(
            at,
            "a trial may say too much",
            format!("expected at most {TRIAL_BYTES_MAX} bytes (256 MiB), and there may be {most}"),
        )
        .help(format!(
            "{what} may have {bytes} bytes, and by {by} there may be {times} of them: lower {by}, or shorten the texts"
        ));
}

/// A part of what is said and kept.
struct Part {
    what: &'static str,
    /// The most of one.
    bytes: u64,
    /// How many there may be.
    times: u64,
    /// What says how many.
    by: &'static str,
    at: Range<usize>,
}

impl Part {
    fn most(&self) -> u64 {
        self.bytes.saturating_mul(self.times)
    }
}

/// The longest texts of a scenario.
struct Longest<'s> {
    scenario: &'s Scenario,
    lengths: &'s Lengths,
    /// Of all calls, by their canonical names.
    arguments: Arguments,
    /// Of each phrase.
    phrases: Vec<u64>,
}

impl<'s> Longest<'s> {
    fn of(scenario: &'s Scenario, lengths: &'s Lengths) -> Self {
        let phrases = |arguments: &Arguments| {
            let of = |it: &Template| bytes(lengths.with(it, arguments));
            let longest = |it: &Phrase| it.variants.iter().flatten().map(of).max().unwrap_or(0);
            scenario.phrases.iter().map(longest).collect()
        };
        let mut it = Self { scenario, lengths, arguments: Arguments::new(), phrases: Vec::new() };
        // An actor names no arguments.
        it.phrases = phrases(&it.arguments);
        it.arguments = it.sent();
        it.phrases = phrases(&it.arguments);
        it
    }

    /// The longest arguments of the actor's calls.
    fn sent(&self) -> Arguments {
        let states = || self.scenario.actor.states.iter();
        // A guard can make a call of what is said, and a tool reads what it can of what is sent as it is.
        let said = states().map(|it| self.phrase(it.says)).max().unwrap_or(0);
        let mut any = usize::try_from(said).unwrap_or(usize::MAX);
        let mut longest = Arguments::new();
        for call in states().flat_map(calls) {
            if let Called::Name(name) = &call.called {
                any = any.max(name.len());
            }
            match (&call.called, &call.sent) {
                (_, Sent::Raw(text)) => any = any.max(self.lengths.of(text)),
                (Called::Role(role), Sent::Arguments(values)) => {
                    for (name, value) in role.arguments().iter().zip(values) {
                        let most = longest.entry(name).or_insert(0);
                        *most = (*most).max(self.lengths.of(value));
                    }
                }
                (Called::Name(_), Sent::Arguments(_)) => {}
            }
        }
        for name in self.scenario.roles.iter().flat_map(|it| it.arguments()) {
            let most = longest.entry(name).or_insert(0);
            *most = (*most).max(any).min(TEXT_BYTES_MAX);
        }
        longest
    }

    fn parts(&self, file: &ScenarioFile) -> Vec<Part> {
        let limits = &self.scenario.limits;
        let [turns, calls] = [&file.limits.turns, &file.limits.calls].map(|it| it.span());
        let (attempt, attempts) = self.attempt();
        let (answer, is_file) = self.answer();
        let mut parts = vec![
            Part {
                what: "an attempt of the model",
                bytes: attempt,
                times: attempts,
                by: "`turns` and `attempts`",
                at: turns.clone(),
            },
            Part {
                what: if is_file { "a file that is read" } else { "the answer to a call" },
                bytes: answer,
                times: u64::from(limits.calls) + self.spoken(),
                by: "`calls`",
                at: calls.clone(),
            },
            Part {
                what: "the text that a call adds to the files",
                bytes: self.growth(),
                times: self.changes(),
                by: "`calls`",
                at: calls,
            },
            Part {
                what: "a message of the user or the loop",
                bytes: self.message(),
                times: u64::from(limits.turns) + u64::from(limits.questions),
                by: "`turns` and `questions`",
                at: turns,
            },
        ];
        let tables = file.environment.notification.iter().chain(&file.user.interrupt);
        let news = self.scenario.environment.notifications.iter().chain(&self.scenario.user.interrupts);
        parts.extend(tables.zip(news).map(|(table, it)| Part {
            what: "a notification or an interrupt",
            bytes: self.phrase(Some(it.says)).saturating_add(MESSAGE_BYTES),
            times: self.times(it),
            by: "`times`",
            at: table.times.as_ref().map_or(table.says.span(), |it| it.span()),
        }));
        parts
    }

    fn phrase(&self, phrase: Option<PhraseId>) -> u64 {
        phrase.map_or(0, |it| self.phrases[it])
    }

    /// The longest attempt of the state that says most in a trial, and how many of them there may be.
    fn attempt(&self) -> (u64, u64) {
        let limits = &self.scenario.limits;
        let of = |state: &State| {
            let breaks = state.breaks.iter().map(|it| self.phrase(it.says)).max().unwrap_or(0);
            let said = [self.phrase(state.thinks), self.phrase(state.says), breaks];
            let sent = calls(state).map(|it| self.call(it));
            let attempts = if may_fail(state) { limits.attempts } else { 1 };
            (total(said.into_iter().chain(sent)), u64::from(limits.turns) * u64::from(attempts))
        };
        let states = self.scenario.actor.states.iter().map(of);
        states.max_by_key(|(bytes, times)| bytes.saturating_mul(*times)).unwrap_or_default()
    }

    /// What is sent with a call.
    fn call(&self, call: &CallSpec) -> u64 {
        let name = match &call.called {
            Called::Name(name) => bytes(name.len()),
            Called::Role(_) => 0,
        };
        let values = match &call.sent {
            Sent::Arguments(values) => total(values.iter().map(|it| bytes(self.lengths.sent(it)))),
            Sent::Raw(text) => bytes(self.lengths.of(text)),
        };
        let each = if call.called == Called::Role(Role::Plan) { ITEM_BYTES } else { 1 };
        total([name, values.saturating_mul(each), CALL_BYTES])
    }

    /// The longest answer of a tool, and whether it is what a file has.
    fn answer(&self) -> (u64, bool) {
        let environment = &self.scenario.environment;
        let said = environment.rules.iter().map(|it| self.phrase(it.says)).max().unwrap_or(0);
        let own = total([self.asked(), CALL_BYTES, if self.has(Role::List) { self.names() } else { 0 }]);
        let file = if self.has(Role::Read) { self.file() } else { 0 };
        let around = total([self.phrase(environment.before), self.phrase(environment.after), 2]);
        (said.max(own).max(file).saturating_add(around), file > said.max(own))
    }

    /// The longest arguments of a call. A tool can repeat them.
    fn asked(&self) -> u64 {
        let of = |role: &Role| total(role.arguments().iter().map(|it| self.argument(it)));
        self.scenario.roles.iter().map(of).max().unwrap_or(0)
    }

    fn argument(&self, name: &str) -> u64 {
        self.arguments.get(name).map_or(0, |it| bytes(*it))
    }

    /// The longest file, after all calls.
    fn file(&self) -> u64 {
        let environment = &self.scenario.environment;
        let first = environment.files.iter().map(|(_, text)| bytes(self.lengths.of(text)));
        let writes = || environment.rules.iter().flat_map(|it| &it.writes);
        let written = writes().filter(|it| !it.appends).map(|it| self.text(&it.text));
        let by_call = if self.has(Role::Write) { self.argument("content") } else { 0 };
        let longest = first.chain(written).chain([by_call]).max().unwrap_or(0);
        let appended = environment
            .rules
            .iter()
            .map(|rule| total(rule.writes.iter().filter(|it| it.appends).map(|it| self.text(&it.text))));
        let edited = if self.has(Role::Edit) { self.argument("new") } else { 0 };
        let grows = appended.max().unwrap_or(0).saturating_add(edited);
        longest.saturating_add(grows.saturating_mul(self.changes()))
    }

    /// What one call can add to the files, the records or the todo list.
    fn growth(&self) -> u64 {
        let of = |it| self.text(it);
        let rules = &self.scenario.environment.rules;
        let written =
            rules.iter().map(|rule| total(rule.writes.iter().flat_map(|it| [of(&it.path), of(&it.text)])));
        written.max().unwrap_or(0).saturating_add(self.asked())
    }

    /// The names of all files, after all calls. Only a path that differs from call to call makes many of them.
    fn names(&self) -> u64 {
        let environment = &self.scenario.environment;
        let called = self.scenario.actor.states.iter().flat_map(calls).filter_map(|it| match &it.sent {
            Sent::Arguments(values) if it.called == Called::Role(Role::Write) => values.first(),
            Sent::Arguments(_) => None,
            Sent::Raw(text) => Some(text),
        });
        let written = environment.rules.iter().flat_map(|it| &it.writes).map(|it| &it.path);
        let first = environment.files.iter().map(|(path, _)| path);
        let named = first.chain(called).chain(written).map(|path| {
            let times = if path.varies() == Varies::Never { 1 } else { self.changes() };
            self.text(path).saturating_add(1).saturating_mul(times)
        });
        total(named)
    }

    /// How often the world may change: by calls of the loop, and by those that the provider runs.
    fn changes(&self) -> u64 {
        let limits = &self.scenario.limits;
        let of = |state: &State| {
            let attempts = if may_fail(state) { u64::from(limits.attempts) } else { 1 };
            bytes(state.provider.len()).saturating_mul(attempts)
        };
        let by_provider = self.scenario.actor.states.iter().map(of).max().unwrap_or(0);
        total([u64::from(limits.calls), by_provider.saturating_mul(limits.turns.into()), self.spoken()])
    }

    /// How often the user may answer what an agent without the tool says in words.
    fn spoken(&self) -> u64 {
        let is_spoken = |call: &&CallSpec| match &call.called {
            Called::Role(role) => self.scenario.toolsets.iter().any(|it| it.spoken.contains(role)),
            Called::Name(_) => false,
        };
        let states = self.scenario.actor.states.iter();
        let most = states.map(|it| it.calls.iter().filter(is_spoken).count()).max().unwrap_or(0);
        bytes(most).saturating_mul(self.scenario.limits.turns.into())
    }

    /// The longest message between two turns, with a summary.
    fn message(&self) -> u64 {
        let Scenario { user, prompt, compaction, .. } = self.scenario;
        let replies = user.replies.iter().copied().chain(user.rules.iter().filter_map(|it| it.says));
        let said = replies.chain(user.answers.iter().map(|it| it.says)).chain(*prompt);
        let longest = said.map(|it| self.phrase(Some(it))).max().unwrap_or(0);
        let summary = compaction
            .as_ref()
            .map_or(0, |it| self.phrase(it.says).saturating_add(self.phrase(Some(user.opening))));
        total([longest, summary, MESSAGE_BYTES])
    }

    /// How often a message between turns comes.
    fn times(&self, news: &NewsSpec) -> u64 {
        match news.times {
            Bound::Fixed(times) => times.into(),
            Bound::Drawn(at) => self.scenario.numbers[at].to.into(),
        }
    }

    /// A text that a rule writes.
    fn text(&self, template: &Template) -> u64 {
        bytes(self.lengths.with(template, &self.arguments))
    }

    /// Whether a tool does what the role does. Every shell lists files.
    fn has(&self, role: Role) -> bool {
        self.scenario.roles.iter().any(|it| *it == role || role == Role::List && *it == Role::Shell)
    }
}

fn calls(state: &State) -> impl Iterator<Item = &CallSpec> {
    state.calls.iter().chain(&state.provider)
}

fn may_fail(state: &State) -> bool {
    !state.breaks.is_empty() || !state.empty.is_empty()
}

fn bytes(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn total(all: impl IntoIterator<Item = u64>) -> u64 {
    all.into_iter().fold(0, u64::saturating_add)
}
