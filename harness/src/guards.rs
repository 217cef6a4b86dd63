//! The guards that can be named on the command line, in one table.

use std::fmt;

use balk_guards::{Guard, Stack};

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
    /// Makes a new one.
    pub make: fn() -> Box<dyn Guard>,
}

/// Every guard that can be named. A new guard or variant is one more row.
pub const REGISTRY: &[Registered] = &[];

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
pub fn stack(spec: &str) -> Result<Stack, UnknownGuard> {
    stack_of(REGISTRY, spec)
}

/// The same over a table of one's own.
///
/// # Errors
/// A guard that is not in `registry`.
pub fn stack_of(registry: &[Registered], spec: &str) -> Result<Stack, UnknownGuard> {
    let mut members = Vec::new();
    for asked in spec.split(',').map(str::trim) {
        match asked {
            NONE => {}
            DEFAULT => {
                members.extend(registry.iter().filter(|row| row.by_default).map(|row| (row.make)()));
            }
            _ => match registry.iter().find(|row| row.is(asked)) {
                Some(row) => members.push((row.make)()),
                None => return Err(unknown(registry, asked)),
            },
        }
    }
    Ok(Stack::new(members))
}

const NONE: &str = "none";
const DEFAULT: &str = "default";

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
        Registered { name: "abc", variant: "", about: "", by_default: true, make: || Box::new(Named("abc")) },
        Registered {
            name: "abc",
            variant: "lax",
            about: "",
            by_default: false,
            make: || Box::new(Named("abc-lax")),
        },
        Registered {
            name: "xyzzy",
            variant: "",
            about: "",
            by_default: true,
            make: || Box::new(Named("xyzzy")),
        },
    ];

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        let found = match stack_of(ROWS, spec) {
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
