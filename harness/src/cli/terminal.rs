//! A person at the terminal, who answers the guards' questions in the scenario's words or in their own.

use std::io::{self, BufRead, Write};

use balk_guards::{Choice, ChoiceKind, Question, UserAnswer};
use balk_scenarios::User;
use balk_scenarios::template::Template;

use crate::engine::Person;
use crate::input;

/// A person who reads questions on `out` and answers on `input`. Without an input, nothing is answered.
pub struct Terminal<R, W> {
    user: User,
    input: Option<R>,
    out: W,
}

/// How often one question is asked.
const TRIES: u32 = 3;

impl<R: BufRead, W: Write> Terminal<R, W> {
    /// A person who stands in for this scenario user.
    pub fn new(user: User, input: Option<R>, out: W) -> Self {
        Self { user, input, out }
    }

    /// The choice and its words; none if there is no answer.
    fn ask(&mut self, options: &[Choice]) -> io::Result<Option<(UserAnswer, Vec<Template>)>> {
        let there = if self.input.is_some() { "" } else { "There is no terminal to answer at. " };
        writeln!(self.out, "\n{there}The options are:")?;
        for (at, choice) in options.iter().enumerate() {
            writeln!(self.out, "  {}  {} ({})", at + 1, choice.label, word(choice.kind))?;
        }
        let prompt = format!("Choose, by number or word [1-{}]: ", options.len());
        let Some(choice) = self.until(&prompt, |line| chosen(options, line))? else { return Ok(None) };
        let (mut answer, sets) = self.user.chooses(choice.kind);
        match choice.kind {
            ChoiceKind::Instruct => {
                let Some(text) = self.until("Write it on one line: ", said)? else { return Ok(None) };
                answer.text = text.into();
            }
            ChoiceKind::Continue | ChoiceKind::SwitchModel | ChoiceKind::Constrain
                if answer.text.is_empty() =>
            {
                answer.text = choice.label.as_ref().into();
            }
            ChoiceKind::Continue
            | ChoiceKind::SwitchModel
            | ChoiceKind::Constrain
            | ChoiceKind::Report
            | ChoiceKind::Stop => {}
        }
        Ok(Some((answer, sets)))
    }

    /// Asks until a line is valid, at most [`TRIES`] times; none if no line is.
    fn until<T>(&mut self, prompt: &str, sense: impl Fn(&str) -> Option<T>) -> io::Result<Option<T>> {
        let Some(input) = &mut self.input else { return Ok(None) };
        for _ in 0..TRIES {
            write!(self.out, "{prompt}")?;
            self.out.flush()?;
            let Some(line) = input::typed(input)? else {
                writeln!(self.out)?;
                self.input = None;
                return Ok(None);
            };
            if let Some(sense) = sense(line.trim()) {
                return Ok(Some(sense));
            }
            writeln!(self.out, "That is not an answer.")?;
        }
        writeln!(self.out, "No answer after {TRIES} tries.")?;
        Ok(None)
    }
}

impl<R: BufRead, W: Write> Person for Terminal<R, W> {
    fn answer(&mut self, question: &Question) -> Option<(UserAnswer, Vec<Template>)> {
        // If the terminal cannot be written to, there is no answer.
        self.ask(&question.options).ok().flatten()
    }
}

/// The option that a line names, by its number or its word.
fn chosen<'o>(options: &'o [Choice], line: &str) -> Option<&'o Choice> {
    match line.parse::<usize>() {
        Ok(number) => options.get(number.checked_sub(1)?),
        Err(_) => options.iter().find(|it| word(it.kind).eq_ignore_ascii_case(line)),
    }
}

/// A line that is not empty.
fn said(line: &str) -> Option<String> {
    (!line.is_empty()).then(|| line.to_owned())
}

/// The word for a choice.
const fn word(choice: ChoiceKind) -> &'static str {
    match choice {
        ChoiceKind::Continue => "continue",
        ChoiceKind::Instruct => "instruct",
        ChoiceKind::SwitchModel => "switch",
        ChoiceKind::Constrain => "retry",
        ChoiceKind::Report => "report",
        ChoiceKind::Stop => "stop",
    }
}
