//! The syntax of a stack.
//!
//! A stack is `none`, `default`, or guards separated by commas: `NAME`, `NAME=VARIANT`, and settings in braces:
//! `no-tools{limit=5},duplicate=notice`. The braces override the variant, which overrides the configuration
//! ([`config`](crate::config)).
//!
//! `exec:COMMAND` is a guard in another process ([`exec`](crate::exec)). Commas inside of quotes belong to the command,
//! and so do braces.
//!
//! Every other guard has two more settings: `enabled`, and `models`, a list of settings for models whose name matches a
//! pattern (spec N5): `{"pattern": "gpt-3.5*", "enabled": true, "limit": 5}`. The first match decides.

use std::fmt;
use std::sync::Arc;

use balk_guards::{Budget, Guard, Stack, Window};
use balk_reports::records::is_under_test;
use balk_reports::report::document::figure;
use serde_json::{Map, Value};

use super::bad::BadStack;
use super::config::Config;
use super::registered::{Factory, Reach, Registered, Role};
use super::registry::{DEFAULT, EXEC, NONE, Registry};
use crate::engine::TruthChannel;
use crate::exec::{ExecGuard, Pool, Settings};

/// A spec that was read; it makes a stack for each trial.
#[derive(Clone)]
pub struct Recipe {
    spec: Arc<str>,
    about: Arc<str>,
    members: Vec<Member>,
    budget: Budget,
    reach: Reach,
    runs_commands: bool,
}

#[derive(Clone)]
struct Member {
    name: Arc<str>,
    make: Factory,
}

impl Recipe {
    /// Reads a spec, and starts the commands in it. Its settings override those of this configuration.
    ///
    /// # Errors
    /// A guard that is not registered, settings that it does not accept, the same guard twice, a command that cannot be
    /// started or is no guard.
    pub fn new(registry: &Registry, spec: &str, config: &Config) -> Result<Self, BadStack> {
        let mut recipe = Self { spec: spec.into(), about: about(registry, spec), ..Self::none() };
        for asked in split(spec) {
            match asked {
                NONE => {}
                DEFAULT => {
                    for guard in registry.default_guards() {
                        recipe.add(guard, config.of(guard.name()), guard.name())?;
                    }
                }
                _ => match command(asked) {
                    Some(command) => recipe.add_command(command, asked, config)?,
                    None => {
                        let (guard, settings) = self::asked(registry, asked, config)?;
                        recipe.add(guard, settings, asked)?;
                    }
                },
            }
        }
        Ok(recipe)
    }

    /// Refuses a spec of a file that would run a command: only a command line may do that.
    ///
    /// # Errors
    /// There is a command in it.
    pub fn without_command(spec: &str) -> Result<(), BadStack> {
        match split(spec).find(|it| command(it).is_some()) {
            None => Ok(()),
            Some(asked) => Err(BadStack::FromFile { asked: asked.to_owned() }),
        }
    }

    /// Reads several specs.
    ///
    /// # Errors
    /// As for [`Recipe::new`], and two equal specs.
    pub fn all(registry: &Registry, specs: &[String], config: &Config) -> Result<Vec<Self>, BadStack> {
        let again = |at: usize| specs[..at].contains(&specs[at]);
        if let Some(at) = (0..specs.len()).find(|&at| again(at)) {
            return Err(BadStack::Twice { asked: specs[at].clone(), stack: None });
        }
        specs.iter().map(|spec| Self::new(registry, spec, config)).collect()
    }

    /// No guard at all: the baseline.
    #[must_use]
    pub fn none() -> Self {
        let about = "no guard: the baseline".into();
        Self {
            spec: NONE.into(),
            about,
            members: Vec::new(),
            budget: Budget::default(),
            reach: Reach::Model,
            runs_commands: false,
        }
    }

    /// What a stack is in a comparison: a yardstick if it is not under test, a peer if every guard in it has the rules
    /// of another agent.
    #[must_use]
    pub fn role(registry: &Registry, spec: &str) -> figure::Role {
        let name = |asked: &str| asked.split(['=', '{']).next().unwrap_or_default().trim().to_owned();
        let is_peer = |asked| registry.guard(&name(asked)).is_some_and(|it| it.role() == Role::Peer);
        match (is_under_test(spec), split(spec).all(is_peer)) {
            (false, _) => figure::Role::Yardstick,
            (true, true) => figure::Role::Peer,
            (true, false) => figure::Role::Ours,
        }
    }

    /// The spec.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// One line about the stack: that of its only guard, or a general one.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// A new stack.
    #[must_use]
    pub fn stack(&self, channel: &TruthChannel) -> Stack {
        let members = self.members.iter().map(|it| (it.make)(channel)).collect();
        Stack::with_budget(members, self.budget)
    }

    /// How much its corrections can do.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// Whether guards in other processes are in it.
    pub(crate) fn runs_commands(&self) -> bool {
        self.runs_commands
    }

    /// The names of the members, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|it| &*it.name)
    }

    /// The same stack with another budget.
    pub(crate) fn with_budget(&self, budget: Budget) -> Self {
        Self { budget, ..self.clone() }
    }

    /// The same stack, with the member of this name wrapped.
    pub(crate) fn around<G: Guard + 'static>(
        &self,
        name: &str,
        wrap: impl Fn(Box<dyn Guard>) -> G + Send + Sync + 'static,
    ) -> Self {
        let mut recipe = self.clone();
        if let Some(member) = recipe.members.iter_mut().find(|it| &*it.name == name) {
            let make = Arc::clone(&member.make);
            member.make = Arc::new(move |channel| Box::new(wrap(make(channel))));
        }
        recipe
    }

    fn add(&mut self, guard: &Registered, settings: Map<String, Value>, asked: &str) -> Result<(), BadStack> {
        self.is_new(guard.name())?;
        let make = guard
            .factory(settings)
            .map_err(|error| BadStack::Settings { asked: asked.into(), reason: error.to_string() })?;
        self.members.push(Member { name: guard.name.clone(), make });
        match guard.reach {
            Reach::Model => {}
            Reach::Everything => {
                self.reach = guard.reach;
                self.budget = UNLIMITED;
            }
        }
        Ok(())
    }

    fn add_command(&mut self, command: &str, asked: &str, config: &Config) -> Result<(), BadStack> {
        let bad = |reason: String| BadStack::Command { asked: asked.to_owned(), reason };
        let settings = Settings::read(config.of(EXEC)).map_err(|error| bad(error.to_string()))?;
        let pool = Arc::new(Pool::start(command, settings).map_err(bad)?);
        let name: Arc<str> = pool.introduction().guard.as_str().into();
        self.is_new(&name)?;
        self.runs_commands = true;
        self.members.push(Member { name, make: Arc::new(move |_| Box::new(ExecGuard::new(&pool))) });
        Ok(())
    }

    fn is_new(&self, guard: &str) -> Result<(), BadStack> {
        if self.names().all(|name| name != guard) {
            return Ok(());
        }
        Err(BadStack::Twice { asked: guard.to_owned(), stack: Some(self.spec.to_string()) })
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipe({})", self.spec)
    }
}

/// More corrections and questions than any run has turns.
const UNLIMITED: Budget = Budget {
    corrections: u32::MAX,
    window: Window { turns: 1, corrections: usize::MAX },
    questions: u32::MAX,
};

/// One line about a stack.
fn about(registry: &Registry, spec: &str) -> Arc<str> {
    match spec {
        NONE => "no guard: the baseline".into(),
        DEFAULT => "the guards that are on by default".into(),
        _ => match registry.find(spec) {
            Ok((guard, None)) => guard.about().into(),
            Ok((_, Some(variant))) => variant.about.as_str().into(),
            Err(_) => "as it is written".into(),
        },
    }
}

/// The guard that a part of a spec names, and its settings: those of the configuration, overridden by the variant,
/// overridden by the braces.
fn asked<'r>(
    registry: &'r Registry,
    asked: &str,
    config: &Config,
) -> Result<(&'r Registered, Map<String, Value>), BadStack> {
    let (name, braces) = asked.split_once('{').map_or((asked, None), |(name, it)| (name, Some(it)));
    let (guard, variant) = registry.find(name.trim())?;
    let mut settings = config.of(guard.name());
    if let Some(variant) = variant {
        settings.insert(variant.key.clone(), variant.value.clone());
    }
    if let Some(braces) = braces {
        settings.extend(self::settings(asked, braces)?);
    }
    Ok((guard, settings))
}

/// The parts of a spec, split at commas outside of braces or, in a command, outside of quotes.
fn split(spec: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(spec);
    std::iter::from_fn(move || {
        let now = rest?.trim_start();
        let end = if command(now).is_some() { end_of_command(now) } else { end_of_guard(now) };
        rest = now.get(end + 1..);
        Some(now[..end].trim_end())
    })
}

/// The command, if this part of a spec is one.
fn command(part: &str) -> Option<&str> {
    part.strip_prefix(EXEC)?.strip_prefix(':')
}

fn end_of_guard(spec: &str) -> usize {
    let mut depth = 0_u32;
    let is_end = |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    spec.find(is_end).unwrap_or(spec.len())
}

/// Quotes and backslashes are those of a shell.
fn end_of_command(spec: &str) -> usize {
    let (mut quote, mut is_escaped) = (None, false);
    let is_end = |c| {
        match (quote, c) {
            _ if is_escaped => {
                is_escaped = false;
                return false;
            }
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        c == ',' && quote.is_none()
    };
    spec.find(is_end).unwrap_or(spec.len())
}

/// Parses `key=value, …}`: a value that is not JSON is text.
fn settings(asked: &str, braces: &str) -> Result<Map<String, Value>, BadStack> {
    let bad = |reason: &str| BadStack::Settings { asked: asked.into(), reason: reason.into() };
    let inside = braces.strip_suffix('}').ok_or_else(|| bad("expected `}` at the end"))?;
    inside
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| bad("expected key=value between the braces"))?;
            let value = value.trim();
            Ok((key.trim().to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        let found = match Recipe::new(&Registry::standard(), spec, &Config::default()) {
            Ok(recipe) => {
                let state = recipe.stack(&TruthChannel::default()).save();
                let members = state["members"].as_array().expect("a stack saves its members");
                members.iter().map(|it| it[0].as_str().unwrap_or_default()).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_spec_names_guards_in_order() {
        check("none", "");
        check(
            "default",
            "repair abandonment repetition no-tools duplicate empty-completion retry-safety handoff progress",
        );
        check("duplicate=notice, abandonment", "duplicate abandonment");
        check("none,no-tools{limit=5, message=Use a tool},duplicate", "no-tools duplicate");
    }

    #[test]
    fn commas_in_the_quotes_of_a_command_and_in_braces_do_not_split_a_spec() {
        let parts = |spec| split(spec).collect::<Vec<_>>();
        assert_eq!(parts("none,a{x=1,y=2} , exec:b c"), ["none", "a{x=1,y=2}", "exec:b c"]);
        assert_eq!(parts("exec:b 'c,d' \"e,'f\", a"), ["exec:b 'c,d' \"e,'f\"", "a"]);
        assert_eq!(parts(r#"exec:b c\,d "\",e" '\',f"#), [r#"exec:b c\,d "\",e" '\'"#, "f"]);
        assert_eq!(parts("a{message=Don't},exec:b {c,d}"), ["a{message=Don't}", "exec:b {c", "d}"]);
        assert_eq!(parts("a,"), ["a", ""]);
    }

    #[test]
    fn a_spec_of_a_file_runs_no_command() {
        assert_eq!(Recipe::without_command("default,cline{x=exec:y}"), Ok(()));
        let refused = Recipe::without_command("default, exec:rm -r x,cline").expect_err("it has a command");
        assert_eq!(refused, BadStack::FromFile { asked: "exec:rm -r x".into() });
    }

    #[test]
    fn a_stack_is_a_peer_if_nothing_else_is_in_it() {
        let role = |spec| Recipe::role(&Registry::standard(), spec);
        let [ours, peer, yardstick] = figure::Role::ALL;
        assert_eq!(
            ["cline", "cline{limit=2}, roo-code", "default", "cline,default", "none", "of another binary"]
                .map(role),
            [peer, peer, ours, ours, yardstick, ours]
        );
    }

    #[test]
    fn the_default_stack_of_a_bench_is_that_of_embedders() {
        let recipe =
            Recipe::new(&Registry::standard(), DEFAULT, &Config::default()).expect("it is registered");
        assert_eq!(recipe.stack(&TruthChannel::default()).save(), balk_guards::default_stack().save());
    }

    #[test]
    fn an_unknown_guard_gets_the_nearest_name() {
        let known = "known: none, default, repair, abandonment, abandonment=hard, abandonment=auto-retry, \
                     abandonment=strict, repetition, no-tools, duplicate, duplicate=notice, duplicate=strict, \
                     empty-completion, retry-safety, retry-safety=conservative, retry-safety=fast-path, \
                     retry-safety=facts, handoff, progress, oracle, ceiling, cline, roo-code, openhands, gemini-cli, \
                     qwen-code, opencode, crush, kimi-cli, openrouter, hermes-like, turn-limit, forge, \
                     naive-abandonment, naive-no-tools, naive-duplicate, naive-retry";
        check("duplicat", "unknown guard `duplicat`; did you mean `duplicate`?");
        check("duplicate=notise", "unknown guard `duplicate=notise`; did you mean `duplicate=notice`?");
        check("abandon", "unknown guard `abandon`; did you mean `abandonment`?");
        check("quite-other", &format!("unknown guard `quite-other` {known}"));
    }

    #[test]
    fn a_peer_is_named_like_a_guard_and_is_in_no_stack_by_itself() {
        check("cline, duplicate, turn-limit{limit=3}", "cline duplicate turn-limit");
        check("cline{limit=3}", "`cline{limit=3}`: unknown field `limit`, there are no fields");
        check("roo-code{soft=3}", "`roo-code{soft=3}`: unknown field `soft`, expected `limit`");
        for name in Registry::standard().peers() {
            check(&name, &name);
        }
    }

    #[test]
    fn the_same_guard_twice_is_no_stack_and_the_same_stack_twice_no_choice() {
        check("default,duplicate=notice", "`duplicate` twice in `default,duplicate=notice`");
        check("cline, cline", "`cline` twice in `cline, cline`");
        let all = |specs: &[&str]| {
            let specs: Vec<String> = specs.iter().map(|it| (*it).to_owned()).collect();
            Recipe::all(&Registry::standard(), &specs, &Config::default())
        };
        let twice = BadStack::Twice { asked: "duplicate".into(), stack: None };
        assert_eq!(all(&["duplicate", "cline", "duplicate"]).expect_err("one twice"), twice);
        let recipes = all(&["none", "duplicate", "duplicate=notice"]).expect("each is another");
        assert_eq!(recipes.len(), 3);
        assert_eq!(recipes[2].about(), "the same ladder with the plain notice \"already called\"");
    }

    #[test]
    fn settings_that_a_guard_does_not_take_are_named() {
        check(
            "duplicate{equal=2}",
            "`duplicate{equal=2}`: unknown field `equal`, expected one of `equal-results`, `lapse`, `near-percent`, \
             `policy`",
        );
        check("no-tools{limit=x}", "`no-tools{limit=x}`: invalid type: string \"x\", expected u32");
        check("no-tools{limit=3", "`no-tools{limit=3`: expected `}` at the end");
        check(
            "duplicate{enabled=7}",
            "`duplicate{enabled=7}`: invalid type: integer `7`, expected a boolean",
        );
        check("no-tools{limit}", "`no-tools{limit}`: expected key=value between the braces");
    }
}
