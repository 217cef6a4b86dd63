//! Problems that a trial can show: something that should not happen, or an intervention of a rule.

use std::fmt;
use std::mem::{Discriminant, discriminant};
use std::str::FromStr;
use std::sync::Arc;

use balk_guards::{Entry, Intervention, Termination};
use balk_reports::records::Lapse;

use crate::engine::Trial;
use crate::grade;

/// A problem that a trial can show.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shows {
    /// A lapse.
    Lapse(Lapse),
    /// The model got stuck, and the goal does not hold at the end.
    NotRecovered,
    /// The model was stuck for at least twelve turns, and no guard intervened before the run was over.
    Missed,
    /// The model never got stuck, and the goal does not hold at the end.
    Lost,
    /// A guard intervened by this rule.
    Rule {
        /// The guard's name.
        guard: String,
        /// The rule's name.
        rule: String,
    },
}

/// The lapses by their names on the command line.
const LAPSES: [(&str, Lapse); 4] = [
    ("done-twice", Lapse::DoneTwice),
    ("guard-fault", Lapse::GuardFault),
    ("not-told", Lapse::NotTold),
    ("false-intervention", Lapse::FalseIntervention),
];

/// Stuck turns in which a guard had time enough to notice: assumed. Without it a missed trial would shrink to one that
/// ends before any guard could.
const LONG: u32 = 12;

const NOT_RECOVERED: &str = "not-recovered";
const MISSED: &str = "missed";
const LOST: &str = "lost";
const RULE: &str = "rule=";

impl Shows {
    /// Whether a trial shows it.
    #[must_use]
    pub fn is_in(&self, trial: &Trial) -> bool {
        match self {
            Self::Lapse(lapse) => lapse.is_in(&grade::grade(trial)),
            Self::NotRecovered => {
                let grade = grade::grade(trial);
                grade.onset.is_some() && !grade.goal
            }
            Self::Missed => is_missed(trial),
            Self::Lost => {
                let grade = grade::grade(trial);
                grade.onset.is_none() && !grade.goal
            }
            Self::Rule { guard, rule } => {
                interventions(&trial.entries).any(|it| *it.note.guard == **guard && *it.note.rule == **rule)
            }
        }
    }

    /// Everything that a trial shows, each once.
    #[must_use]
    pub fn all(trial: &Trial) -> Vec<Self> {
        let lapses = LAPSES.iter().map(|(_, lapse)| Self::Lapse(*lapse));
        let others = [Self::NotRecovered, Self::Missed, Self::Lost];
        let mut all: Vec<Self> = lapses.chain(others).filter(|shows| shows.is_in(trial)).collect();
        for it in interventions(&trial.entries) {
            let shows = Self::Rule { guard: it.note.guard.to_string(), rule: it.note.rule.to_string() };
            if !all.contains(&shows) {
                all.push(shows);
            }
        }
        all
    }
}

/// The property that smaller trials must keep: the problem; for a false intervention the rule of the first one, so that
/// another rule cannot take its place; for a lost run how it ended, so that no limit takes the place of a guard.
#[derive(Clone, Debug)]
pub(super) struct Sign<'a> {
    shows: &'a Shows,
    first_false: Option<(Arc<str>, Arc<str>)>,
    ended: Option<Discriminant<Termination>>,
}

impl<'a> Sign<'a> {
    /// The property of this trial; none if it does not show the problem.
    pub(super) fn of(trial: &Trial, shows: &'a Shows) -> Option<Self> {
        let first_false = match shows {
            Shows::Lapse(Lapse::FalseIntervention) => false_rules(trial).into_iter().next(),
            Shows::Lapse(Lapse::DoneTwice | Lapse::GuardFault | Lapse::NotTold)
            | Shows::NotRecovered
            | Shows::Missed
            | Shows::Lost
            | Shows::Rule { .. } => None,
        };
        let ended = if *shows == Shows::Lost { ended(trial) } else { None };
        shows.is_in(trial).then_some(Self { shows, first_false, ended })
    }

    /// Whether another trial has the property too.
    pub(super) fn is_in(&self, trial: &Trial) -> bool {
        match &self.first_false {
            Some(rule) => false_rules(trial).contains(rule),
            None => self.shows.is_in(trial) && self.ended.is_none_or(|it| ended(trial) == Some(it)),
        }
    }
}

/// How a trial ended.
fn ended(trial: &Trial) -> Option<Discriminant<Termination>> {
    trial
        .entries
        .iter()
        .rev()
        .find_map(|entry| if let Entry::End(it) = entry { Some(discriminant(it)) } else { None })
}

/// Guard and rule of each false intervention, in order.
fn false_rules(trial: &Trial) -> Vec<(Arc<str>, Arc<str>)> {
    let mut rules = Vec::new();
    grade::grade_each(trial, |it, is_false| {
        if is_false {
            rules.push((it.note.guard.to_string().into(), it.note.rule.to_string().into()));
        }
    });
    rules
}

/// Whether a stuck model was left alone for long.
fn is_missed(trial: &Trial) -> bool {
    let grade = grade::grade(trial);
    let Some(onset) = trial.turns.iter().find(|it| it.truth.is_stuck()) else { return false };
    // What is said once a run is over comes too late.
    let end = trial.entries.iter().rposition(|it| matches!(it, Entry::Conclusion(_)));
    let stuck = trial.entries.get(onset.entry..end.unwrap_or(trial.entries.len())).unwrap_or_default();
    grade.stuck_turns >= LONG && interventions(stuck).next().is_none()
}

fn interventions(entries: &[Entry]) -> impl Iterator<Item = &Intervention> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Intervention(it) => Some(it),
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => None,
    })
}

/// As on the command line.
impl fmt::Display for Shows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lapse(lapse) => {
                let name = LAPSES.iter().find(|(_, it)| it == lapse).map_or("", |(name, _)| name);
                f.write_str(name)
            }
            Self::NotRecovered => f.write_str(NOT_RECOVERED),
            Self::Missed => f.write_str(MISSED),
            Self::Lost => f.write_str(LOST),
            Self::Rule { guard, rule } => write!(f, "{RULE}{guard}:{rule}"),
        }
    }
}

impl FromStr for Shows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = LAPSES.iter().find(|(name, _)| *name == text).map(|(_, lapse)| Self::Lapse(*lapse));
        let rule = || {
            let (guard, rule) = text.strip_prefix(RULE)?.split_once(':')?;
            let filled = !guard.is_empty() && !rule.is_empty();
            filled.then(|| Self::Rule { guard: guard.to_owned(), rule: rule.to_owned() })
        };
        let other = match text {
            NOT_RECOVERED => Some(Self::NotRecovered),
            MISSED => Some(Self::Missed),
            LOST => Some(Self::Lost),
            _ => None,
        };
        named.or(other).or_else(rule).ok_or_else(|| {
            let lapses: Vec<&str> = LAPSES.iter().map(|(name, _)| *name).collect();
            format!(
                "expected one of {}, {NOT_RECOVERED}, {MISSED}, {LOST}, {RULE}GUARD:RULE",
                lapses.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lapse_has_a_name_and_every_name_reads_back() {
        for lapse in Lapse::ALL {
            let text = Shows::Lapse(lapse).to_string();
            assert_eq!(text.parse(), Ok(Shows::Lapse(lapse)));
        }
        for text in ["not-recovered", "missed", "lost", "rule=duplicate:identical", "rule=a:b:c"] {
            assert_eq!(text.parse::<Shows>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
        for bad in ["", "rule=", "rule=a:", "rule=:b", "not-recoverd"] {
            assert!(bad.parse::<Shows>().is_err(), "{bad}");
        }
    }
}
