//! Gates on the command line: the conditions that fail a bench, and the messages about them.

use std::fmt::Display;
use std::io::{self, Write};

use balk_reports::records::Plan;
use balk_reports::report::gate::{Condition, Found, Gate, Judged, NoSuch, Sureness, Tally, annotation};
use clap::{Args, ValueEnum};

use super::out::workflow_command;
use super::say::say;
use crate::error::Error;
use crate::exit::Exit;
use crate::program;

/// The options of a command that has gates.
#[derive(Args, Clone, Debug)]
pub(super) struct Gates {
    /// Fail with exit code 4 if a cell meets this condition, as in 'recovery<0.9' or 'default@control:
    /// false_interventions>0'; may be given again
    #[arg(long, value_name = "GATE", value_parser = gate)]
    fail_on: Vec<Gate>,

    /// Which end of a rate's 95 % interval a gate judges
    #[arg(long, value_enum, default_value_t = Judge::Certain)]
    gate: Judge,
}

/// What the help says about gates.
pub(super) const HELP: &str = "\
A GATE is [STACK][@WHERE]: METRIC OP NUMBER. Without STACK it judges every stack but `none`, `oracle` and `ceiling`;
WHERE is stubborn, control or a scenario. OP is <, <=, > or >=, NUMBER as in 3, 0.95 or 19/20. Metrics are
  counts  false_interventions double_effects guard_faults not_told missed lost needless_questions
  shares  recovery (of trials that got stuck), done (of all), told (of those not done), unprompted (of recovered),
          late (no help within eight turns of the onset, of trials that got stuck)
  rates   false_rate (false interventions in 1,000 healthy turns)
  compare recovery_change done_change false_rate_change (B minus A; `balk compare` only)
With --gate certain a gate fails unless its 95 % bound clears it, so too few trials fail as well; with --gate refuted
it fails only if the other bound does not clear it either. Where told, unprompted, late or false_rate has nothing to
count, nothing fails: the gate passes over such a cell, and says how many there are.";

/// Which end of a rate's interval is judged.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Judge {
    /// The unfavourable end: a gate that holds is certain to hold
    Certain,
    /// The favourable end: a gate that fails is certain to fail
    Refuted,
}

fn gate(text: &str) -> Result<Gate, String> {
    text.parse()
}

impl Gates {
    /// The gates.
    pub(super) fn all(&self) -> &[Gate] {
        &self.fail_on
    }

    /// Which end of an interval the gates judge.
    pub(super) fn sureness(&self) -> Sureness {
        match self.gate {
            Judge::Certain => Sureness::Certain,
            Judge::Refuted => Sureness::Refuted,
        }
    }

    /// Checks that the gates can be judged, before anything runs.
    ///
    /// # Errors
    /// A plan without trials; a stack or a scenario that is not in the plan; a change if there is only one record.
    pub(super) fn fit(&self, plan: &Plan, records: Records) -> Result<(), Error> {
        if let Some(gate) = self.fail_on.first()
            && plan.live.as_ref().is_some_and(|it| it.messages)
        {
            return Err(Error::usage("--fail-on", "a record with trials", format!("`{gate}`"))
                .hint("--messages plays none"));
        }
        for gate in &self.fail_on {
            gate.fits(plan).map_err(|NoSuch { what, asked, nearest }| {
                let wrong = Error::usage("--fail-on", &format!("a measured {what}"), format!("`{asked}`"));
                match nearest {
                    Some(nearest) => wrong.hint(&format!("did you mean `{nearest}`?")),
                    None => wrong,
                }
            })?;
            if !gate.has_a_cell(plan) {
                let found = format!("`{gate}`");
                return Err(Error::usage(
                    "--fail-on",
                    "a metric that applies to a cell of the gate",
                    found,
                )
                .hint(
                    "a control has nothing to recover, and a trial with an unreachable goal is never done",
                ));
            }
            if gate.condition.metric.is_change() && records == Records::One {
                return Err(Error::usage(
                    "--fail-on",
                    "a metric of one record",
                    format!("`{}`", gate.condition.metric),
                )
                .hint("a change needs two records: see `balk compare`"));
            }
        }
        Ok(())
    }

    /// Checks that both of two records have a cell for each gate on a change: what only one has says nothing of it.
    ///
    /// # Errors
    /// A gate without such a cell.
    pub(super) fn fit_both(&self, has_a_cell: impl Fn(&Gate) -> bool) -> Result<(), Error> {
        let mut of_change = self.fail_on.iter().filter(|it| it.condition.metric.is_change());
        of_change.find(|it| !has_a_cell(it)).map_or(Ok(()), |gate| {
            let wrong =
                Error::usage("--fail-on", "the change of a cell in both records", format!("`{gate}`"));
            Err(wrong.hint("measure the same stacks on the same scenarios in both"))
        })
    }

    /// Prints the gates that failed, on standard output if that is for people. A reader who has gone away does not
    /// change the result.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub(super) fn report(&self, judged: &Judged, out: impl Write) -> io::Result<Exit> {
        exit(self.show(judged, out), judged.failed.is_empty())
    }

    fn show(&self, judged: &Judged, mut out: impl Write) -> io::Result<()> {
        for it in &judged.failed {
            let title = format!("{} with {}", it.scenario, it.stack);
            failed(&mut out, &title, &it.to_string(), &it.again)?;
        }
        for (gate, &Tally { judged, failed, passed_over }) in self.fail_on.iter().zip(&judged.cells) {
            let empty = match passed_over {
                0 => String::new(),
                1 => "; 1 cell has nothing to count".to_owned(),
                many => format!("; {many} cells have nothing to count"),
            };
            match judged {
                0 => say(format_args!("note: the gate {gate} has no cell to judge{empty}")),
                cells => writeln!(out, "gate {gate}: {failed} of {cells} cells fail{empty}")?,
            }
        }
        out.flush()
    }
}

/// Judges conditions on counts, and prints what came of it, as for the gates of a bench. `again` is the command that
/// shows what fails.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn judge_counts<M: Copy + Display>(
    conditions: &[Condition<M>],
    count: impl Fn(M) -> u64,
    title: &str,
    again: &str,
    mut out: impl Write,
) -> io::Result<Exit> {
    let found = |it: &Condition<M>| Found::Count(count(it.metric));
    let fails = |it: &Condition<M>| it.fails(&found(it), Sureness::default());
    let mut show = || {
        for it in conditions.iter().filter(|it| fails(it)) {
            let text = format!("{title}: {} {}; fails the gate {it}", it.metric, found(it));
            failed(&mut out, title, &text, again)?;
        }
        for it in conditions {
            writeln!(out, "gate {it}: {}", if fails(it) { "fails" } else { "holds" })?;
        }
        out.flush()
    };
    exit(show(), !conditions.iter().any(fails))
}

/// Prints what failed, and what shows it again.
fn failed(out: &mut impl Write, title: &str, failed: &str, again: &str) -> io::Result<()> {
    let again = program::own(again);
    writeln!(out, "failed: {failed}\n  see: {again}")?;
    if in_github_actions() {
        workflow_command(&annotation(title, &format!("{failed}\nsee: {again}")))?;
    }
    Ok(())
}

/// How the command ends. A reader who has gone away does not change that.
fn exit(shown: io::Result<()>, all_hold: bool) -> io::Result<Exit> {
    match shown {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        Ok(()) | Err(_) => Ok(if all_hold { Exit::Fine } else { Exit::Unmet }),
    }
}

/// The number of records to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Records {
    /// One record, of a bench.
    One,
    /// Two records; the second is judged.
    Two,
}

/// Whether GitHub Actions runs this; it reads commands from the output.
#[expect(clippy::disallowed_methods, reason = "where a run is shown is a matter of its environment")]
fn in_github_actions() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|it| it == "true")
}
