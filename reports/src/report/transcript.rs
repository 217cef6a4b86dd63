//! A trial as text: what each speaker said, where guards intervened and why, and the truth of each turn.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use balk_contract::{Origin, Part, Speaker, Status};
use textwrap::core::display_width;

use super::document::{Screen, visible, wrapped};
use super::words::{answered, attempt, counted, ended, intervened};
use crate::records::{
    CallRecord, CompletionRecord, Drawn, EntryRecord, Grade, InterventionRecord, ResultRecord, TrialRecord,
    Truth,
};

/// The transcript of a trial, its outcome and its cost, as text.
#[must_use]
pub fn show(record: &TrialRecord, screen: Screen) -> String {
    whole(record, Page::new(screen))
}

/// The same for a trial in which a real model took the actor's place: no script says what a turn was, but the world.
#[must_use]
pub fn show_live(record: &TrialRecord, screen: Screen) -> String {
    whole(record, Page { is_live: true, ..Page::new(screen) })
}

fn whole(record: &TrialRecord, mut page: Page) -> String {
    page.head(record);
    let mut turn = 0;
    for (at, entry) in record.entries.iter().enumerate() {
        let truth = record.turns.get(turn).filter(|facts| facts.entry == at);
        if let Some(facts) = truth {
            turn += 1;
            page.turn(turn, facts.truth);
        }
        page.entry(entry);
    }
    page.foot(&record.grade);
    page.out
}

/// The outcome of a trial and its cost, as text.
#[must_use]
pub fn show_outcome(grade: &Grade, screen: Screen) -> String {
    let mut page = Page::new(screen);
    page.foot(grade);
    page.out
}

/// A trial for the person who takes part in it, entry by entry: without the truth, and without the raw end of the run
/// (row H4 of the specification).
#[derive(Debug)]
pub struct Chat {
    page: Page,
    turns: usize,
}

impl Chat {
    /// An empty chat.
    #[must_use]
    pub fn new(screen: Screen) -> Self {
        Self { page: Page::new(screen), turns: 0 }
    }

    /// The next entry as text, without the options of a question: the host shows them when it asks.
    pub fn entry(&mut self, entry: &EntryRecord) -> String {
        match entry {
            EntryRecord::Completion(_) => {
                self.turns += 1;
                self.page.rule(self.turns, "");
                self.page.entry(entry);
            }
            EntryRecord::Intervention(it) => {
                self.page.intervention(&InterventionRecord { options: Vec::new(), ..it.clone() })
            }
            EntryRecord::Start { .. }
            | EntryRecord::User { .. }
            | EntryRecord::Failed(_)
            | EntryRecord::Tried(_)
            | EntryRecord::Result(_)
            | EntryRecord::Answer(_)
            | EntryRecord::Compaction(_) => self.page.entry(entry),
            EntryRecord::Conclusion(_) | EntryRecord::End { .. } => {}
        }
        std::mem::take(&mut self.page.out)
    }
}

#[derive(Debug)]
struct Page {
    screen: Screen,
    out: String,
    is_live: bool,
}

/// The most columns of text beside a label.
const COLUMNS_MAX: usize = 100;

/// The columns of a label and its bar.
const MARGIN: usize = 11;

const LINES: usize = 6;
const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();
const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const CYAN: Style = AnsiColor::Cyan.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();

impl Page {
    fn new(screen: Screen) -> Self {
        Self { screen, out: String::new(), is_live: false }
    }

    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        self.out.write_fmt(what).expect("writing to a string never fails");
    }

    fn paint(&self, style: Style, text: &str) -> String {
        self.screen.paint(style, text)
    }

    /// The columns for text: those of the terminal, or the most that a page has.
    fn columns(&self) -> usize {
        self.screen.columns.map_or(COLUMNS_MAX, |it| it.saturating_sub(MARGIN).clamp(MARGIN, COLUMNS_MAX))
    }

    /// A line broken between words. Without a screen, its indentation does not count.
    fn wrapped(&self, line: &str) -> Vec<String> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        wrapped(&visible(line), self.columns() + self.screen.columns.map_or(indent, |_| 0))
    }

    /// At most a few lines, each at most as wide as the page, with a count of the rest.
    fn shortened(&self, text: &str) -> Vec<String> {
        let text = visible(text);
        let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut lines: Vec<String> = all.iter().take(LINES).map(|line| self.clipped(line)).collect();
        if all.len() > LINES {
            lines.push(format!("(+ {})", counted((all.len() - LINES) as u64, "line")));
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }

    fn clipped(&self, line: &str) -> String {
        let line = &*visible(line);
        let mut columns = self.columns();
        let fits = |c: &char| {
            let width = display_width(c.encode_utf8(&mut [0; 4]));
            let fits = width <= columns;
            columns = columns.saturating_sub(width);
            fits
        };
        let kept: usize = line.chars().take_while(fits).map(char::len_utf8).sum();
        match line[kept..].chars().count() {
            0 => line.to_owned(),
            more => format!("{} (+ {})", line[..kept].trim_end(), counted(more as u64, "character")),
        }
    }

    fn called(&self, call: &CallRecord) -> Vec<String> {
        vec![self.clipped(&format!("{} {}", call.tool, call.arguments))]
    }

    fn head(&mut self, record: &TrialRecord) {
        let title = format!("{} · seed {} · guard {}", record.scenario, record.seed, record.guard);
        let title = self.paint(BOLD, &title);
        let listed = |all: &[Drawn]| {
            let all: Vec<String> = all.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
            all.join(", ")
        };
        let mut lines = self.wrapped(&format!("drawn: {}", listed(&record.world)));
        if !record.set.is_empty() {
            lines.extend(self.wrapped(&format!("set: {}", listed(&record.set))));
        }
        self.put(format_args!("{title}\n"));
        for line in lines {
            let line = self.paint(DIM, &line);
            self.put(format_args!("{line}\n"));
        }
        self.put(format_args!("\n"));
    }

    fn turn(&mut self, number: usize, truth: Truth) {
        let style = if truth.is_stuck() { RED } else { GREEN };
        let truth = self.paint(style, truth.name());
        let label = if self.is_live { " by the world: " } else { " truth: " };
        self.rule(number, &format!("{}{truth}", self.paint(DIM, label)));
    }

    fn rule(&mut self, number: usize, truth: &str) {
        let rule = self.paint(DIM, &format!("── turn {number} ──"));
        self.put(format_args!("{rule}{truth}\n"));
    }

    /// The lines of one speaker: the label once, and the text beside it.
    fn say(&mut self, label: &str, style: Style, lines: &[String]) {
        for (at, line) in lines.iter().enumerate() {
            let label = self.paint(style, &format!("{:>8}", if at == 0 { label } else { "" }));
            let bar = self.paint(DIM, "│");
            let gap = if line.is_empty() { "" } else { " " };
            self.put(format_args!("{label} {bar}{gap}{line}\n"));
        }
    }

    fn entry(&mut self, entry: &EntryRecord) {
        match entry {
            EntryRecord::Start { tools, .. } => {
                let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
                self.say("tools", DIM, &self.wrapped(&names.join(", ")));
            }
            EntryRecord::User { from: Speaker::User, text } => self.say("user", CYAN, &self.shortened(text)),
            EntryRecord::User { from: Speaker::Loop, text } => self.say("loop", DIM, &self.shortened(text)),
            EntryRecord::Completion(CompletionRecord { parts, calls, .. }) => {
                for part in parts {
                    match part {
                        Part::Text(text) => self.say("model", BOLD, &self.shortened(text)),
                        Part::Thinking { text, .. } => self.say("thinks", DIM, &self.shortened(text)),
                    }
                }
                for call in calls {
                    self.say("calls", BOLD, &self.called(call));
                }
            }
            EntryRecord::Failed(failed) => {
                self.say("attempt", RED, &[visible(&attempt(failed)).into_owned()]);
            }
            EntryRecord::Tried(result) => self.result("tried", result),
            EntryRecord::Result(result) => self.result("", result),
            EntryRecord::Intervention(it) => self.intervention(it),
            EntryRecord::Answer(answer) => {
                self.say("answers", CYAN, &self.shortened(answered(answer)));
            }
            EntryRecord::Compaction(compaction) => {
                self.say("summary", DIM, &self.shortened(&compaction.summary))
            }
            EntryRecord::Conclusion(conclusion) => {
                let words = ended(&conclusion.end);
                self.say("ends", DIM, &[visible(&format!("about to end: {words}")).into_owned()]);
            }
            EntryRecord::End { termination } => {
                let words = ended(termination);
                let line = self.paint(BOLD, &format!("\nended: {words}"));
                self.put(format_args!("{line}\n"));
            }
        }
    }

    fn result(&mut self, label: &str, result: &ResultRecord) {
        let (word, style) = match (result.origin, result.status) {
            (Origin::Synthetic, _) => {
                // The intervention gives the reason; one line is enough here.
                let line = result.text.lines().next().unwrap_or("").to_owned();
                return self.say("refused", YELLOW, &[self.clipped(&line)]);
            }
            (Origin::Missing, _) => ("missing", DIM),
            (Origin::Executed, Status::Ok) => ("ok", GREEN),
            (Origin::Executed, Status::Error) => ("failed", RED),
            (Origin::Executed, Status::Unknown) => ("result", DIM),
        };
        self.say(if label.is_empty() { word } else { label }, style, &self.shortened(&result.text));
    }

    fn intervention(&mut self, it: &InterventionRecord) {
        // The record of a stranger may have any rule.
        let rule = it.note.rule.replace(['\r', '\n'], "␊");
        let head = format!("{} ({rule}, level {})", intervened(&it.note.guard, &it.kind), it.note.level);
        let mut lines = vec![self.paint(YELLOW, &head)];
        lines.extend(it.note.text.lines().flat_map(|line| self.wrapped(line)));
        lines.extend(it.options.iter().map(|choice| format!("  [{}]", visible(&choice.label))));
        self.say("GUARD", YELLOW, &lines);
    }

    fn foot(&mut self, grade: &Grade) {
        let (style, outcome) = match (grade.goal, grade.onset, grade.told) {
            (true, None, _) => (GREEN, "done, never stuck".to_owned()),
            (true, Some(onset), _) => (GREEN, format!("stuck from turn {onset}, then recovered")),
            (false, _, true) => (YELLOW, "not done; the user was told".to_owned()),
            (false, _, false) => (RED, "not done; the user was NOT told".to_owned()),
        };
        let outcome = self.paint(style, &outcome);
        self.put(format_args!("outcome: {outcome}\n"));
        if grade.double_effects > 0 {
            let twice = format!("{} that should happen once", counted(grade.double_effects.into(), "effect"));
            let twice = self.paint(RED, &twice);
            self.put(format_args!("done twice: {twice}\n"));
        }
        let interventions = match (grade.interventions, grade.false_interventions) {
            (all, disturbing) if self.is_live => {
                format!("{disturbing} disturbing, {} in doubt", all.saturating_sub(disturbing))
            }
            (_, wrong) => format!("{wrong} false"),
        };
        let cost = format!(
            "cost: {} ({} stuck), {}, {} ({interventions}), {}, {}, about {} tokens in and {} out (bytes / 4)",
            counted(grade.turns.into(), "turn"),
            grade.stuck_turns,
            counted(grade.calls.into(), "call"),
            counted(grade.interventions.into(), "intervention"),
            counted(grade.resends.into(), "resend"),
            counted(grade.ticks, "tick"),
            grade.tokens_in,
            grade.tokens_out,
        );
        // Off a terminal it stays in one line, for scripts.
        let lines = if self.screen.columns.is_some() { self.wrapped(&cost) } else { vec![cost] };
        for line in lines {
            self.put(format_args!("{line}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_wide_as_it_looks() {
        let page = |columns| Page::new(Screen { colour: false, columns });
        assert_eq!(page(Some(31)).clipped(&"長".repeat(12)), format!("{} (+ 2 characters)", "長".repeat(10)));
        assert_eq!(page(None).clipped(&"x".repeat(100)), "x".repeat(100));
        assert_eq!(page(None).clipped(&"x".repeat(101)), format!("{} (+ 1 character)", "x".repeat(100)));
        assert_eq!(page(Some(31)).wrapped("  one two three four five"), ["  one two three four", "  five"]);
    }

    #[test]
    fn repeated_effects_are_shown_and_counted() {
        let shown =
            |double_effects| show_outcome(&Grade { double_effects, ..Grade::default() }, Screen::default());
        assert!(shown(1).contains("done twice: 1 effect that should happen once\n"), "{}", shown(1));
        assert!(shown(2).contains("2 effects") && !shown(0).contains("done twice"));
    }
}
