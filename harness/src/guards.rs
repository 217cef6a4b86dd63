//! The guards that can be named on the command line, in one table.

use std::fmt;

use balk_guards::{
    Abandonment, AbandonmentPolicy, AbandonmentSettings, Duplicate, DuplicatePolicy, DuplicateSettings,
    Guard, Stack,
};

use crate::engine::{Oracle, Whisper};
use crate::error::Error;

/// One guard in one variant.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// The guard's name.
    pub name: &'static str,
    /// The variant; empty for the guard as it comes.
    pub variant: &'static str,
    /// One line on what it does.
    pub about: &'static str,
    /// True where it is part of the stack `default`.
    pub by_default: bool,
    /// Makes a new one; the whisper is for the oracle alone.
    pub make: fn(&Whisper) -> Box<dyn Guard>,
}

/// Every guard that can be named. A new guard or variant is one more row.
pub const REGISTRY: &[Registered] = &[
    Registered {
        name: "abandonment",
        variant: "",
        about: "gives up on a failing tool and shows code instead: one correction, one follow-up",
        by_default: true,
        make: |_| abandonment(AbandonmentPolicy::Soft),
    },
    Registered {
        name: "abandonment",
        variant: "hard",
        about: "refuses every fence without a call up to a limit, then asks the user",
        by_default: false,
        make: |_| abandonment(AbandonmentPolicy::HardBlock),
    },
    Registered {
        name: "abandonment",
        variant: "auto-retry",
        about: "runs the failing call again; tells the user, not the model",
        by_default: false,
        make: |_| abandonment(AbandonmentPolicy::AutoRetry),
    },
    Registered {
        name: "abandonment",
        variant: "strict",
        about: "the field design: words of acknowledgement before anything else counts",
        by_default: false,
        make: |_| abandonment(AbandonmentPolicy::Strict),
    },
    Registered {
        name: "duplicate",
        variant: "",
        about: "the same call when nothing has changed: feedback, options, question, stop",
        by_default: true,
        make: |_| duplicate(DuplicatePolicy::Actionable),
    },
    Registered {
        name: "duplicate",
        variant: "notice",
        about: "the same ladder with the plain notice \"already called\"",
        by_default: false,
        make: |_| duplicate(DuplicatePolicy::Notice),
    },
    Registered {
        name: "duplicate",
        variant: "strict",
        about: "the field design: words that announce a change before anything else counts",
        by_default: false,
        make: |_| duplicate(DuplicatePolicy::Strict),
    },
    Registered {
        name: "oracle",
        variant: "",
        about: "is told the truth and says everything that can help: what could be recovered at all",
        by_default: false,
        make: |whisper| Box::new(Oracle::new(whisper.clone())),
    },
];

fn abandonment(policy: AbandonmentPolicy) -> Box<dyn Guard> {
    Box::new(Abandonment::new(AbandonmentSettings { policy, ..AbandonmentSettings::default() }))
}

fn duplicate(policy: DuplicatePolicy) -> Box<dyn Guard> {
    Box::new(Duplicate::new(DuplicateSettings { policy, ..DuplicateSettings::default() }))
}

/// A guard that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGuard {
    /// What was asked for.
    pub asked: String,
    /// The known guard whose name is nearest, where one is near.
    pub nearest: Option<String>,
    /// All known guards, as they are written.
    pub known: Vec<String>,
}

/// The stack that `spec` describes: `none`, `default`, or guards as `NAME` or `NAME=VARIANT` with commas
/// between them, in the order of installation.
///
/// # Errors
/// A guard that nobody registered.
pub fn stack(spec: &str, whisper: &Whisper) -> Result<Stack, UnknownGuard> {
    stack_of(REGISTRY, spec, whisper)
}

/// The same over a table of one's own.
///
/// # Errors
/// A guard that is not in `registry`.
pub fn stack_of(registry: &[Registered], spec: &str, whisper: &Whisper) -> Result<Stack, UnknownGuard> {
    let mut members = Vec::new();
    for asked in spec.split(',').map(str::trim) {
        match asked {
            NONE => {}
            DEFAULT => {
                members.extend(registry.iter().filter(|row| row.by_default).map(|row| (row.make)(whisper)));
            }
            _ => match registry.iter().find(|row| row.is(asked)) {
                Some(row) => members.push((row.make)(whisper)),
                None => return Err(unknown(registry, asked)),
            },
        }
    }
    Ok(Stack::new(members))
}

const NONE: &str = "none";
/// The spec of the guards that are on unless others are named.
pub const DEFAULT: &str = "default";

impl Registered {
    fn is(&self, asked: &str) -> bool {
        let (name, variant) = asked.split_once('=').unwrap_or((asked, ""));
        self.name == name && self.variant == variant
    }
}

impl fmt::Display for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if self.variant.is_empty() { Ok(()) } else { write!(f, "={}", self.variant) }
    }
}

fn unknown(registry: &[Registered], asked: &str) -> UnknownGuard {
    let mut known: Vec<String> = [NONE, DEFAULT].map(str::to_owned).into();
    known.extend(registry.iter().map(ToString::to_string));
    // A typing error changes few letters; a name that differs in more than a third is another name.
    let near = asked.chars().count().div_ceil(3);
    let nearest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(asked, name), name))
        .filter(|(distance, _)| *distance <= near)
        .min()
        .map(|(_, name)| name.clone());
    UnknownGuard { asked: asked.into(), nearest, known }
}

impl fmt::Display for UnknownGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown guard `{}`", self.asked)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean `{nearest}`?")?;
        }
        write!(f, " known: {}", self.known.join(", "))
    }
}

impl std::error::Error for UnknownGuard {}

/// As a mistake on the command line.
impl From<UnknownGuard> for Error {
    fn from(unknown: UnknownGuard) -> Self {
        let known = unknown.known.join(", ");
        let hint = match unknown.nearest {
            Some(nearest) => format!("did you mean `{nearest}`? known: {known}"),
            None => format!("known: {known}"),
        };
        Self::usage("--guard", "a known guard", format!("`{}`", unknown.asked)).hint(&hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(&'static str);

    impl Guard for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn observe(&mut self, _: &balk_guards::Entry) {}
    }

    const ROWS: &[Registered] = &[
        Registered {
            name: "abc",
            variant: "",
            about: "",
            by_default: true,
            make: |_| Box::new(Named("abc")),
        },
        Registered {
            name: "abc",
            variant: "lax",
            about: "",
            by_default: false,
            make: |_| Box::new(Named("abc-lax")),
        },
        Registered {
            name: "xyzzy",
            variant: "",
            about: "",
            by_default: true,
            make: |_| Box::new(Named("xyzzy")),
        },
    ];

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        let found = match stack_of(ROWS, spec, &Whisper::default()) {
            Ok(stack) => {
                let state = stack.save();
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
        check("default", "abc xyzzy");
        check("xyzzy,abc=lax", "xyzzy abc-lax");
        check("none, xyzzy", "xyzzy");
    }

    #[test]
    fn an_unknown_guard_gets_the_nearest_name() {
        check(
            "xyzy",
            "unknown guard `xyzy`; did you mean `xyzzy`? known: none, default, abc, abc=lax, xyzzy",
        );
        check(
            "abc=lex",
            "unknown guard `abc=lex`; did you mean `abc=lax`? known: none, default, abc, abc=lax, xyzzy",
        );
        check("quite-other", "unknown guard `quite-other` known: none, default, abc, abc=lax, xyzzy");
        check("", "unknown guard `` known: none, default, abc, abc=lax, xyzzy");
    }
}
