//! What a pile of logs shows, run by run.

use balk_guards::{Entry, Usage};
use balk_reports::records::RateSums;
use balk_reports::report::document::figure::Timeline;

use super::counts::Counts;
use super::examined::{Examined, Run, StackMaker, Stuck};
use super::part::Part;
use super::tools::Tools;
use crate::import::{Oddities, Outcome, Placed};
use crate::replay::{Folded, Found, Item, completion, fold};

/// How many of the worst runs are kept. All are counted.
pub const WORST: usize = 10;

/// What a pile of logs shows. It keeps [`WORST`] runs, and of each as much as a page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triage {
    /// Counts over all runs.
    pub counts: Counts,
    /// The worst stuck runs, the worst first.
    pub worst: Vec<Worst>,
    /// Firings of any kind in runs that the source says were resolved: stretches, by turns.
    pub disturbed: RateSums,
    /// The tools that were on offer or called.
    pub tools: Tools,
    /// The defects of the recordings.
    pub oddities: Oddities,
    /// Whether texts, arguments and results are kept out.
    pub redacts: bool,
    /// Where the last transcript began.
    begun: Begun,
}

/// The place where a transcript begins. One line may have several: a list in one line has all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begun {
    file: String,
    line: u64,
    nth: u64,
}

impl Begun {
    /// The number of the next transcript among those that begin on its line, from 1.
    pub fn nth(&mut self, file: &str, line: u64) -> u64 {
        if (&*self.file, self.line) != (file, line) {
            *self = Self { file: file.into(), line, nth: 0 };
        }
        self.nth += 1;
        self.nth
    }
}

/// One of the worst runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worst {
    /// How it was stuck.
    pub stuck: Stuck,
    /// Its transcript, with all firings in the margin; none in what was merged from parts.
    pub timeline: Option<Timeline>,
}

impl Triage {
    /// Nothing yet; with `redacts`, texts, arguments and results are kept out.
    #[must_use]
    pub fn new(redacts: bool) -> Self {
        Self { redacts, ..Self::default() }
    }

    /// Adds the next transcript of a file; `stack` makes the guards anew.
    pub fn add(&mut self, file: &str, item: Item, stack: &StackMaker<'_>) {
        let line = item.line;
        let nth = self.begun.nth(file, line);
        match item.found {
            Err(_) => self.counts.bad_lines += 1,
            Ok(Found::Foreign(it)) => {
                self.counts.blind += u64::from(it.blind);
                self.oddities += it.oddities;
                self.run(
                    Run {
                        file,
                        line,
                        nth,
                        id: &it.id,
                        outcome: it.outcome,
                        entries: &it.entries,
                        times: &it.times,
                    },
                    it.folded,
                    stack,
                );
            }
            Ok(Found::Own(own)) => {
                let entries: Vec<Placed> =
                    (0..).zip(own.entries).map(|(message, entry)| Placed { message, entry }).collect();
                let folded = fold(&entries, &mut stack());
                let id = format!("{} seed {}", own.scenario, own.seed);
                let outcome = own.outcome;
                let run = Run { file, line, nth, id: &id, outcome, entries: &entries, times: &[] };
                self.run(run, folded, stack);
            }
        }
    }

    fn run(&mut self, run: Run<'_>, folded: Folded, stack: &StackMaker<'_>) {
        self.count_tools(run.entries);
        let counts = &mut self.counts;
        counts.runs += 1;
        counts.guard_faults += u64::from(folded.fault.is_some());
        let mut examined = Examined::new(&run, folded, stack);
        counts.turns += examined.turns;
        counts.not_whole += u64::from(!examined.is_whole);
        counts.without_times += u64::from(run.times.is_empty());
        let completions = || run.entries.iter().filter_map(|it| completion(&it.entry));
        counts.without_tokens += u64::from(completions().all(|it| it.usage == Usage::default()));
        counts.results += run.entries.iter().filter(|it| matches!(it.entry, Entry::Result(_))).count() as u64;
        match run.outcome {
            Outcome::Resolved => {
                counts.resolved_runs += 1;
                counts.resolved_stuck += u64::from(examined.stuck.is_some());
                let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                // A firing at an attempt that failed has no turn of its own.
                self.disturbed.add(small(examined.stretches), small(examined.turns.max(examined.stretches)));
            }
            Outcome::Failed => {}
            Outcome::Unknown => counts.unknown_outcomes += 1,
        }
        match examined.stuck.take() {
            Some(mut stuck) => {
                counts.stuck_runs += 1;
                counts.stuck_turns += stuck.turns_stuck;
                if let Some(at) = self.place(&stuck) {
                    let timeline = Some(examined.timeline(&run, &stuck, self.redacts));
                    if self.redacts {
                        stuck.said = None;
                    }
                    self.insert(at, Worst { stuck, timeline });
                }
            }
            None => counts.once += u64::from(examined.was_told()),
        }
    }

    /// The place of this run among the worst, if it is one of them. Of equal ones, the first in the input is the worst.
    fn place(&self, stuck: &Stuck) -> Option<usize> {
        let at = self.worst.partition_point(|it| it.stuck.rank() >= stuck.rank());
        (at < WORST).then_some(at)
    }

    fn insert(&mut self, at: usize, worst: Worst) {
        self.worst.insert(at, worst);
        self.worst.truncate(WORST);
    }

    /// Adds what a later part of the pile shows.
    pub fn merge(&mut self, part: Part) {
        self.counts += part.counts;
        self.disturbed = self.disturbed.plus(&part.disturbed_sums);
        self.tools.merge(part.tools);
        self.oddities += part.oddities;
        for stuck in part.worst {
            if let Some(at) = self.place(&stuck) {
                self.insert(at, Worst { stuck, timeline: None });
            }
        }
    }

    /// Notes the tools of a run by their names in the recording.
    fn count_tools(&mut self, entries: &[Placed]) {
        let mut offer = None;
        for Placed { entry, .. } in entries {
            if let Entry::Start(start) = entry {
                self.tools.offered(&start.offer);
                offer = Some(&start.offer);
            } else if let Entry::Completion(completion) = entry {
                for call in &completion.calls {
                    let offered = offer.and_then(|it| it.get(&call.tool));
                    self.tools.called(offered.map_or(&call.tool, |it| &it.original));
                }
            }
        }
    }
}
