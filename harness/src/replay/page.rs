//! Replayed transcripts as a page: the sums, and the runs in which guards would have acted most often, turn by turn.

use balk_guards::Entry;
use balk_reports::records::EntryRecord;
use balk_reports::report::document::figure::{Figure, Mark, Timeline};
use balk_reports::report::document::{Block, Document, Text, code, folded, lines, paragraph};
use balk_reports::report::{Recorded, firing};

use super::fold::{Event, What};
use super::judged::{self, Judged};
use super::own::{Action, Own};
use super::run::{Found, Item, Replayed};
use super::summary::Summary;
use super::text;
use crate::redact;

/// The most runs that a page shows turn by turn.
pub const RUNS_MAX: usize = 20;

/// The runs of a page, those in which guards would have acted most often. It keeps no more than the page shows.
#[derive(Debug)]
pub struct Page {
    redacts: bool,
    runs: Vec<Run>,
    left_out: u64,
}

/// A run of a page.
#[derive(Debug)]
struct Run {
    /// What guards would have done, counted.
    actions: usize,
    place: String,
    about: Vec<String>,
    timeline: Timeline,
}

impl Page {
    /// A page without runs. If it redacts, contents are kept out of it.
    #[must_use]
    pub const fn new(redacts: bool) -> Self {
        Self { redacts, runs: Vec::new(), left_out: 0 }
    }

    /// Adds what a line of a file has. A run in which the guards would have done nothing is only in the sums.
    pub fn add(&mut self, source: &str, item: &Item) {
        let actions = match &item.found {
            Ok(Found::Foreign(it)) => it.folded.events.len() + usize::from(it.folded.fault.is_some()),
            Ok(Found::Own(own)) => own.shown().count(),
            Err(_) => 0,
        };
        if actions == 0 {
            return;
        }
        let at = self.runs.partition_point(|it| it.actions >= actions);
        if at < RUNS_MAX {
            let place = format!("{source}:{}", item.line);
            let run = match &item.found {
                Ok(Found::Foreign(it)) => self.foreign(actions, place, it),
                Ok(Found::Own(own)) => self.own(actions, place, own),
                Err(_) => return,
            };
            self.runs.insert(at, run);
        }
        if self.runs.len() > RUNS_MAX || at >= RUNS_MAX {
            self.runs.truncate(RUNS_MAX);
            self.left_out += 1;
        }
    }

    fn foreign(&self, actions: usize, place: String, it: &Replayed) -> Run {
        let mut about = vec![text::about(it).join(" · ")];
        about.extend(text::ends(it).into_iter().map(|(turn, what)| format!("turn {turn}: {what}")));
        let firings = it.folded.events.iter().map(event).collect();
        let entries = self.entries(it.entries.iter().map(|it| &it.entry));
        let timeline = timeline(&place, entries, firings, it.outcome.ending());
        Run { actions, place, about, timeline }
    }

    fn own(&self, actions: usize, place: String, it: &Own) -> Run {
        // What was recorded is in the transcript.
        let mut firings = Vec::new();
        for compared in it.shown() {
            let column = if compared.recorded == compared.found { "as recorded" } else { "found" };
            let turn = small(compared.turn);
            firings.extend(compared.found.iter().map(|it| (turn, action(column, it))));
            if compared.found.is_empty() {
                firings.push((turn, mark(format!("{column}: nothing"), "", "")));
            }
        }
        let timeline = timeline(&place, self.entries(&it.entries), firings, it.outcome.ending());
        Run { actions, place, about: vec![text::about_own(it).join(" · ")], timeline }
    }

    fn entries<'e>(&self, entries: impl IntoIterator<Item = &'e Entry>) -> Vec<EntryRecord> {
        redact::records(entries, self.redacts)
    }

    /// The page, with these sums.
    #[must_use]
    pub fn document(&self, summary: &Summary, judged: Option<&Judged>) -> Document {
        let runs = summary.total.transcripts + summary.own.records;
        let title = format!("What guards would have done in {runs} recorded runs");
        let mut page = Document::from([Block::Heading { level: 1, text: title.into() }]);
        page.push(paragraph(
            "A recorded model heard nothing of these guards, so each firing is one that it ignored. Where a record is \
             one of Balk's own, decisions are compared with the recorded ones.",
        ));
        if !self.runs.is_empty() {
            page.push(Block::Heading { level: 2, text: "Where guards would have acted".into() });
            page.push(paragraph(self.shown()));
        }
        for (nth, run) in (1..).zip(&self.runs) {
            page.push(Block::Heading { level: 3, text: Text::from(format!("{nth}. ")) + code(&run.place) });
            page.push(lines(run.about.iter().map(|it| it.as_str().into())));
            let figure = Figure::Timeline(run.timeline.clone());
            page.push(folded(format!("Run {nth}, turn by turn"), [Block::Figure(figure)]));
        }
        page.push(Block::Heading { level: 2, text: "In sums".into() });
        page.blocks.extend(text::summary(summary).blocks);
        if let Some(judged) = judged {
            page.push(Block::Heading { level: 2, text: "Against judged points".into() });
            page.blocks.extend(judged::text::judged(judged).blocks);
        }
        page
    }

    fn shown(&self) -> String {
        match self.left_out {
            0 => "All runs in which they would have done something, those with most of it first.".to_owned(),
            left_out => format!(
                "The {RUNS_MAX} runs in which they would have done most. {left_out} more are left out here; the text \
                 and the JSON form have all."
            ),
        }
    }
}

fn timeline(place: &str, entries: Vec<EntryRecord>, firings: Vec<(usize, Mark)>, end: &str) -> Timeline {
    let start = firings.first().map_or(1, |(turn, _)| *turn);
    let title = format!("{place}, turn by turn");
    Recorded { title, entries, firings, stuck: Vec::new(), start, end: end.to_owned() }.timeline()
}

fn event(Event { turn, what, .. }: &Event) -> (usize, Mark) {
    let mark = match what {
        What::Fired(it) => {
            let mark = firing(&it.note.guard, it.kind, &it.note.rule, &it.note.text);
            let more = it.interventions - 1;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Mark { what: mark.what + &more, ..mark }
        }
        What::Rerun { tool, after } => {
            mark("would rerun".to_owned(), &format!("{}, after {after} ticks", text::name(tool)), "")
        }
        What::Resend { after } => {
            mark("would resend".to_owned(), &format!("after {}", text::ticks(*after)), "")
        }
    };
    (small(*turn), mark)
}

fn action(column: &str, it: &Action) -> Mark {
    let what = format!("{column}: {}", text::done(it));
    match it {
        Action::Intervened(it) => mark(what, &it.note.rule, &it.note.text),
        Action::Concluded(it) => mark(what, &it.note.rule, &it.note.text),
        Action::Broke { why } => mark(what, "", why),
        Action::Reran { .. } | Action::Resent { .. } => mark(what, "", ""),
    }
}

fn mark(what: String, reason: &str, words: &str) -> Mark {
    Mark { what, reason: reason.to_owned(), words: words.to_owned() }
}

fn small(turn: u64) -> usize {
    usize::try_from(turn).unwrap_or(usize::MAX)
}
