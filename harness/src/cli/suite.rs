//! What `--suite` names: scenarios, each with the values that are set in it.

use balk_scenarios::catalogue::{CATALOGUE, FIELD};
use balk_scenarios::drawn::{DRAWN, Target};
use balk_scenarios::{Kind, Pools};

use super::load::{self, Failure, Named};
use crate::bench::Asked;
use crate::error::Error;

/// The choice of worlds for live runs.
pub(super) const LIVE: &str = "live";

/// The scenarios whose scripted model balks.
pub(super) const STUBBORN: &str = "stubborn";

/// Worlds whose task can be done with what it says and what the world answers, where nothing that goes wrong is a
/// matter of the connection: work of many forms, some that cannot be done, and some where guards are to stay silent.
const WORLDS: [&str; 24] = [
    "abandonment",
    "answers-in-text",
    "capability-gap",
    "missing-path",
    "near-duplicate-writer",
    "paging",
    "probe-listing",
    "read-only-loop",
    "repeating",
    "same-write-on-proceed",
    "successful-no-op",
    "systematic-candidates",
    "text-only-chat",
    "text-only",
    "thinking-only",
    "transient-empty",
    "drawn/answer-questions",
    "drawn/debug",
    "drawn/draft-and-lint",
    "drawn/explore",
    "drawn/fix-until-green",
    "drawn/page-through",
    "drawn/rename-symbol",
    "drawn/search-and-find-nothing",
];

/// The scenarios of a suite, each with the values of `set` and every one of these sweeps.
///
/// # Errors
/// A name that means nothing, a file that is bad, two scenarios with the same name.
pub(super) fn asked(
    suite: &str,
    pools: Pools,
    set: &[(String, String)],
    sweep: &[Vec<(String, String)>],
) -> Result<Vec<Asked>, Failure> {
    let targets: Vec<String> = suite.split(',').map(str::trim).flat_map(|name| named(name, pools)).collect();
    let mut asked: Vec<Asked> = Vec::new();
    for target in targets {
        for named in Named::all(&target)? {
            for swept in sweep {
                let worlds = named.read(&[set, swept].concat())?;
                let same = |it: &&Asked| it.worlds.name() == worlds.name() && it.set == *swept;
                let target = named.target();
                if let Some(other) = asked.iter().find(same) {
                    let found = format!("`{}` and `{target}`, both `{}`", other.target, worlds.name());
                    return Err(Error::usage("--suite", "scenarios with different names", found).into());
                }
                let (suite, text) = (named.suite(), named.text());
                asked.push(Asked { target, suite, text, set: swept.clone(), worlds });
            }
        }
    }
    Ok(asked)
}

/// Whether a suite has scenarios of the catalogue and drawn worlds alone, and no file.
pub(super) fn are_ours(suite: &str, pools: Pools) -> bool {
    suite.split(',').flat_map(|name| named(name.trim(), pools)).all(|it| load::is_ours(&it))
}

/// What one name in a suite means.
fn named(name: &str, pools: Pools) -> Vec<String> {
    let of_kind = |kind: Option<Kind>| -> Vec<String> {
        let listed = CATALOGUE.iter().filter(move |it| kind.is_none_or(|kind| it.kind == kind));
        listed.map(|it| it.name.to_owned()).collect()
    };
    match name {
        "all" => of_kind(None),
        LIVE => WORLDS.iter().map(|&it| it.to_owned()).collect(),
        STUBBORN => of_kind(Some(Kind::Stubborn)),
        "control" => of_kind(Some(Kind::Control)),
        load::FIELD => FIELD.iter().map(|it| it.name.to_owned()).collect(),
        DRAWN => Target::cells(pools).into_iter().map(Target::name).collect(),
        name => vec![name.to_owned()],
    }
}
