//! The guards that commands know.

use std::collections::BTreeMap;

use super::bad::BadStack;
use super::peers::peers;
use super::registered::{Registered, Role, Variant};
use super::standard::standard;
use crate::engine::TruthChannel;
use crate::error::Error;
use balk_scenarios::nearest;

/// The spec of the empty stack: the baseline.
pub const NONE: &str = "none";
/// The spec of the guards that are on by default.
pub const DEFAULT: &str = "default";
/// The spec of the guard that is told the truth.
pub const ORACLE: &str = "oracle";
/// The spec of the guard that is told the truth, and whose corrections all work.
pub const CEILING: &str = "ceiling";
/// What a guard in another process begins with, before a colon; also the name of its settings.
pub(crate) const EXEC: &str = "exec";
/// The audit's name for the stack itself, whose budget has rungs too.
pub(crate) const STACK: &str = "stack";

/// The guards that commands know, in the order of the lists.
///
/// A binary with its own guards adds them to the standard ones:
///
/// ```no_run
/// use balk::guards::{NoSettings, Registered, Registry};
///
/// fn main() -> std::process::ExitCode {
///     let silent = Registered::new("silent", "says nothing", |NoSettings {}| Silent);
///     balk::main_with(Registry::standard().with(silent))
/// }
///
/// struct Silent;
///
/// impl balk_guards::Guard for Silent {
///     fn name(&self) -> &str {
///         "silent"
///     }
///
///     fn observe(&mut self, _: &balk_guards::Entry) {}
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    guards: Vec<Registered>,
}

impl Registry {
    /// Balk's guards, the oracle, the ceiling, and the rules of other agents.
    #[must_use]
    pub fn standard() -> Self {
        Self { guards: standard().into_iter().chain(peers()).collect() }
    }

    /// The same registry with one more guard.
    #[must_use]
    pub fn with(mut self, guard: Registered) -> Self {
        self.guards.push(guard);
        self
    }

    /// Checks that every guard can be named; [`main_with`](crate::main_with) calls this first.
    ///
    /// # Errors
    /// Two guards with one name, a name that a spec cannot express, a guard whose own name is different.
    pub fn check(&self) -> Result<(), Error> {
        let mut abouts: BTreeMap<&str, &str> = BTreeMap::new();
        for guard in &self.guards {
            let Registered { name, about, .. } = guard;
            let reserved = [NONE, DEFAULT, EXEC, STACK].contains(&&**name);
            if reserved || name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                let expected = format!(
                    "a guard's name of letters, digits and dashes that is not {NONE}, {DEFAULT}, {EXEC} or {STACK}"
                );
                return Err(Error::registry(&expected, format!("`{name}`")));
            }
            if let Some(other) = abouts.insert(name, about) {
                let found = format!("`{name}` ({other}) and `{name}` ({about})");
                return Err(Error::registry("guards with different names", found));
            }
            let made = guard.factory(guard.defaults.clone()).map_err(|error| {
                Error::registry(&format!("default settings that `{name}` accepts"), error)
            })?;
            let made = made(&TruthChannel::default());
            if made.name() != &**name {
                let expected = format!("a guard whose own name is `{name}`, as registered");
                return Err(Error::registry(&expected, format!("`{}`", made.name())));
            }
        }
        Ok(())
    }

    /// All guards, in order.
    pub fn guards(&self) -> impl Iterator<Item = &Registered> {
        self.guards.iter()
    }

    /// The guard of this name.
    #[must_use]
    pub fn guard(&self, name: &str) -> Option<&Registered> {
        self.guards.iter().find(|it| it.name() == name)
    }

    /// The guards of the stack `default`, in order.
    pub fn default_guards(&self) -> impl Iterator<Item = &Registered> {
        self.guards.iter().filter(|it| it.role == Role::Default)
    }

    /// The guards with rungs to audit.
    pub(crate) fn audited(&self) -> impl Iterator<Item = &Registered> {
        self.guards.iter().filter(|it| !it.rules.is_empty())
    }

    /// Every guard and every variant except the peers, as on the command line.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.guards.iter().filter(|it| it.role != Role::Peer).flat_map(Registered::spelled).collect()
    }

    /// Every peer, as on the command line.
    #[must_use]
    pub fn peers(&self) -> Vec<String> {
        self.guards.iter().filter(|it| it.role == Role::Peer).flat_map(Registered::spelled).collect()
    }

    /// The stacks that a bench measures by default: the default stack, and every guard outside of it.
    #[must_use]
    pub fn benched(&self) -> Vec<String> {
        let others = self.guards.iter().filter(|it| it.role != Role::Default).map(|it| it.name.to_string());
        std::iter::once(DEFAULT.to_owned()).chain(others).collect()
    }

    /// The guard and the variant that `NAME` or `NAME=VARIANT` names.
    pub(super) fn find(&self, asked: &str) -> Result<(&Registered, Option<&Variant>), BadStack> {
        let (name, variant) = asked.split_once('=').map_or((asked, None), |(name, it)| (name, Some(it)));
        let unknown = || self.unknown(asked);
        let guard = self.guard(name).ok_or_else(unknown)?;
        let variant = variant.map(|variant| guard.variants.iter().find(|it| it.name == variant));
        match variant {
            None => Ok((guard, None)),
            Some(variant) => Ok((guard, Some(variant.ok_or_else(unknown)?))),
        }
    }

    fn unknown(&self, asked: &str) -> BadStack {
        let specs = [NONE, DEFAULT].map(str::to_owned).into_iter();
        let known: Vec<String> = specs.chain(self.guards.iter().flat_map(Registered::spelled)).collect();
        let nearest = nearest(asked, known.iter().map(String::as_str)).map(str::to_owned);
        BadStack::Unknown { asked: asked.into(), nearest, known }
    }
}

#[cfg(test)]
mod tests {
    use balk_guards::{Entry, Guard};

    use super::super::registered::NoSettings;
    use super::*;

    struct Named(&'static str);

    impl Guard for Named {
        fn name(&self) -> &'static str {
            self.0
        }

        fn observe(&mut self, _: &Entry) {}
    }

    fn named(name: &str, calls_itself: &'static str) -> Registered {
        Registered::new(name, "does nothing", move |NoSettings {}| Named(calls_itself))
    }

    #[track_caller]
    fn refused(guards: impl IntoIterator<Item = Registered>, expected: &str) {
        let registry = guards.into_iter().fold(Registry::standard(), Registry::with);
        assert_eq!(registry.check().expect_err("it cannot be used").to_string(), expected);
    }

    #[test]
    fn every_guard_has_a_name_of_its_own_which_a_spec_can_have() {
        let good = Registry::standard().with(named("silent", "silent"));
        good.check().expect("its name is new");
        assert_eq!(good.benched().last().map(String::as_str), Some("silent"));
        refused(
            [named("handoff", "handoff")],
            "registry: expected guards with different names, found `handoff` (a run ends without its goal: what is \
             missing, what was tried, what a person can do) and `handoff` (does nothing)",
        );
        for name in ["none", "default", "exec", "stack", "", "a,b", "a=b", "a{b}", "a b"] {
            refused(
                [named(name, "silent")],
                &format!(
                    "registry: expected a guard's name of letters, digits and dashes that is not none, default, exec \
                     or stack, found `{name}`"
                ),
            );
        }
        refused(
            [named("silent", "quiet")],
            "registry: expected a guard whose own name is `silent`, as registered, found `quiet`",
        );
    }
}
