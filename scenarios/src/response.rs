//! How an actor takes a correction: one documented model, and one classifier that reads the messages.
//!
//! Features are inferred, never self-declared. [`classify`] reads them from the delivered text and what came before
//! it, in the same way for our guards, for the rules of other agents and for anything else.
//!
//! **The model.** A correction moves the actor with a base chance, and with one more chance for each feature that it
//! carries (independent draws: noisy-or). Both fall with every further correction in a row. Every chance is multiplied
//! by one minus the actor's stubbornness. Numbers are parts per thousand. They were measured over 24,746 recorded
//! trajectories (`docs/reactions.md`), or are assumed with a range:
//!
//! | parameter | value | from |
//! |---|---|---|
//! | base, gpt-3.5-like | 650, 250, 110, 30 | measured: plain complaint, 1st to 4th in a row |
//! | base, gpt-4o-like | 760, 560, 690, 530 | measured .88 .61 .69 .53, less 12 and 5 points that information adds |
//! | base, strong | 900, 590, 580, 260 | measured .95 .59 .58 .26, less 5 points near the ceiling |
//! | flat, gpt-3.5-like | 750, 360, 120, 60 | measured: all kinds of message together |
//! | flat, gpt-4o-like | 880, 610, 690, 530 | measured: the same |
//! | flat, strong | 950, 590, 580, 260 | measured: the same |
//! | cause | 310 | measured: 65 to 76 % on the first try (`docs/reactions.md#what-a-correction-says`) |
//! | form | 310 | measured: the same row |
//! | options | 120 | measured: form with advice 79 % against form 76 %; they do not beat a clear cause |
//! | shows | 100 | assumed, 0 to 300: repeating the previous answer |
//! | withholds | 500 | assumed, 200 to 900: not measured anywhere |
//! | novel | 500 | measured: new wording 59 %, the same wording 10 % (`docs/reactions.md#new-wording`); range 200 to 600 |
//! | fade of cause to shows | 1000, 550, 200, 200 | measured: 10 to 14 points at first, then about half, then nothing |
//! | forbids, obeyed | 950 | measured: the same call next in 1 of 180 (`docs/reactions.md#forbidding`); range 800 to 990 |
//!
//! The mode is chosen for a run ([`ResponseMode`]). In **flat** mode there is one draw for each delivered
//! intervention, whatever it carries: an empty notice and the best message tie exactly. In **drawn** mode the numbers
//! are taken from their ranges, another set for each of [`DRAWS`] remainders of the seed ([`Parameters::drawn`]).
//!
//! [`DRAWS`]: balk_contract::record::DRAWS

mod parameters;

use balk_contract::record::draw_of;

use crate::draws::{Draw, Draws};
use crate::scenario::{Ratio, ResponseSpec};

pub use parameters::{PARAMETERS, Parameter, Parameters};

/// What counts in an intervention. It is chosen for a run, not in a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// What the delivered text carries.
    #[default]
    Features,
    /// That it was delivered.
    Flat,
    /// What the delivered text carries, by numbers that the seed draws from their ranges.
    Drawn,
    /// That it was delivered, and then it works: it moves every actor that anything moves. For the stack `ceiling`.
    Certain,
}

/// What an intervention carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// It names the cause: it quotes the last error.
    pub cause: bool,
    /// It shows the wanted form: it names an offered tool that was not just called.
    pub form: bool,
    /// It lists at least two options.
    pub options: bool,
    /// It repeats the last call's answer.
    pub shows: bool,
    /// It forbids sending the same again.
    pub forbids: bool,
    /// It says that a tool is missing from the offer now.
    pub withholds: bool,
    /// It says something that the last one did not.
    pub novel: bool,
}

/// An intervention as the actor received it, with what the classifier compares it to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivered<'a> {
    /// Everything it says, in the user's role or as a synthetic result.
    pub text: &'a str,
    /// What the intervention before it in the same row said.
    pub previous: Option<&'a str>,
    /// The last answer that reads as a failure.
    pub last_error: Option<&'a str>,
    /// The last answer that does not.
    pub last_success: Option<&'a str>,
    /// The names of the run's tools that were not called in the turn it answers.
    pub other_tools: &'a [&'a str],
}

/// How the actor took a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// The actor does what it is told.
    Moved,
    /// It does not, but it does not send the same call again.
    Varied,
    /// It goes on as before.
    Ignored,
}

/// Reads what an intervention carries.
#[must_use]
pub fn classify(it: &Delivered<'_>) -> Features {
    // All letters in the words below that have two cases are ASCII.
    let lower = it.text.to_ascii_lowercase();
    let quotes = |answer: Option<&str>| answer.is_some_and(|answer| it.text.contains(quote(answer)));
    Features {
        cause: quotes(it.last_error),
        form: it.other_tools.iter().any(|tool| it.text.contains(tool)),
        options: it.text.lines().filter(|line| is_item(line)).count() >= 2,
        shows: quotes(it.last_success),
        forbids: FORBIDS.iter().any(|(not, same)| lower.contains(not) && lower.contains(same)),
        withholds: WITHHOLDS_WORDS.iter().any(|words| lower.contains(words)),
        novel: it.previous.is_some_and(|previous| !same_words(previous, it.text)),
    }
}

/// The start of an answer's first line: what a message must contain to count as quoting it.
fn quote(answer: &str) -> &str {
    const CHARS: usize = 24;
    let line = answer.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("\0");
    line.char_indices().nth(CHARS).map_or(line, |(cut, _)| &line[..cut])
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("• ")
        || (after_number.len() < line.len() && after_number.starts_with(['.', ')', ':', '、', '．']))
}

/// Equal except for digits: a counter alone says nothing new.
fn same_words(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|text| text.bytes().filter(|byte| !byte.is_ascii_digit()));
    a.eq(b)
}

/// A prohibition and what it is about, in the languages of the catalogue.
const FORBIDS: [(&str, &str); 10] = [
    ("do not", "same arguments"),
    ("don't", "same arguments"),
    ("do not", "this call again"),
    ("must not", "again"),
    ("do not", "execute this"),
    ("不要", "相同"),
    ("no ", "los mismos argumentos"),
    ("nicht", "denselben argumenten"),
    ("nicht", "gleichen argumenten"),
    ("同じ引数", "しないで"),
];

/// That a tool is gone for now, in the languages of the catalogue.
const WITHHOLDS_WORDS: [&str; 7] = [
    "not offered now",
    "withheld",
    "taken out of the offer",
    "暂不提供",
    "no se ofrece",
    "nicht angeboten",
    "提供されません",
];

/// A correction as an actor meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction<'a> {
    /// What it carries.
    pub(crate) features: Features,
    /// Its number in the row of corrections, from 1.
    pub(crate) in_a_row: u32,
    /// The state that the actor is in.
    pub(crate) state: &'a str,
    /// Its number of visits to the state.
    pub(crate) visit: u32,
}

/// How the actor of one trial takes corrections.
#[derive(Clone, Debug)]
pub(crate) struct ResponseModel {
    mode: ResponseMode,
    stubbornness: Ratio,
    parameters: Parameters,
}

impl ResponseModel {
    /// What the scenario says of the actor, in this mode and under this seed.
    pub(crate) fn new(spec: ResponseSpec, mode: ResponseMode, seed: u64) -> Self {
        let parameters = match mode {
            ResponseMode::Features | ResponseMode::Flat | ResponseMode::Certain => {
                Parameters::of(spec.profile)
            }
            ResponseMode::Drawn => Parameters::drawn(spec.profile, draw_of(seed)),
        };
        Self { mode, stubbornness: spec.stubbornness, parameters }
    }

    pub(crate) fn mode(&self) -> ResponseMode {
        self.mode
    }

    /// How the actor takes a correction, drawn by (state, visit).
    pub(crate) fn react(&self, correction: &Correction<'_>, draws: &Draws) -> Reaction {
        let is_deaf = self.stubbornness.num == self.stubbornness.den;
        if self.mode == ResponseMode::Certain && !is_deaf {
            return Reaction::Moved;
        }
        let &Correction { features, in_a_row, state, visit } = correction;
        let row = usize::try_from(in_a_row.clamp(1, 4) - 1).expect("at most three");
        let numbers = &self.parameters;
        let is_flat = self.mode == ResponseMode::Flat;
        let chances = if is_flat {
            [numbers.flat[row], 0, 0, 0, 0, 0, 0]
        } else {
            let fade = |on: bool, chance: u32| if on { chance * numbers.fade[row] / 1_000 } else { 0 };
            let whole = |on: bool, chance: u32| if on { chance } else { 0 };
            [
                numbers.base[row],
                fade(features.cause, numbers.cause),
                fade(features.form, numbers.form),
                fade(features.options, numbers.options),
                fade(features.shows, numbers.shows),
                whole(features.withholds, numbers.withholds),
                whole(features.novel, numbers.novel),
            ]
        };
        // Every chance has its own random word, so an actor moved by some features is also moved by more of them.
        let mut dice = draws.dice(Draw::Reaction { state, visit });
        let mut hits = |chance| dice.happens(damped(chance, self.stubbornness));
        let moved = chances.map(&mut hits).contains(&true);
        let obeys = hits(numbers.obeys) && features.forbids && !is_flat;
        match (moved, obeys) {
            (true, _) => Reaction::Moved,
            (false, true) => Reaction::Varied,
            (false, false) => Reaction::Ignored,
        }
    }
}

/// A chance in parts per thousand, times one minus the stubbornness.
fn damped(chance: u32, stubbornness: Ratio) -> Ratio {
    Ratio { num: chance * (stubbornness.den - stubbornness.num), den: 1_000 * stubbornness.den }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Profile;

    const ERROR: &str = "error: write rolled back: cannot resolve import";

    fn read(text: &str) -> Features {
        classify(&Delivered {
            text,
            last_error: Some(ERROR),
            last_success: Some("3 files listed in the folder"),
            other_tools: &["run_command"],
            ..Delivered::default()
        })
    }

    #[test]
    fn an_intervention_that_says_nothing_carries_nothing() {
        for empty in ["", "Please use the tools.", "No tool was used.", "You are stuck. Try again!"] {
            assert_eq!(read(empty), Features::default(), "{empty}");
        }
    }

    #[test]
    fn each_feature_is_read_from_the_text() {
        let none = Features::default();
        assert_eq!(read("It said: error: write rolled back: cannot …"), Features { cause: true, ..none });
        assert_eq!(read("Look with `run_command`."), Features { form: true, ..none });
        assert_eq!(read("Choose:\n1. this\n2. that"), Features { options: true, ..none });
        assert_eq!(read("Choose:\n1. this"), none);
        assert_eq!(read("You have: 3 files listed in the folder"), Features { shows: true, ..none });
        assert_eq!(read("`edit` is withheld for this turn."), Features { withholds: true, ..none });
        assert_eq!(
            read("Do not send this call again with the same arguments."),
            Features { forbids: true, ..none }
        );
    }

    #[test]
    fn a_counter_is_nothing_new() {
        let novel = |previous, text| {
            classify(&Delivered { text, previous: Some(previous), ..Delivered::default() }).novel
        };
        assert!(!novel("Reminder 1 of 3.", "Reminder 2 of 3."));
        assert!(novel("Reminder 1 of 3.", "The last reminder."));
    }

    fn moved(mode: ResponseMode, features: Features, in_a_row: u32) -> Vec<bool> {
        let spec = ResponseSpec { profile: Profile::Gpt35, stubbornness: Ratio { num: 0, den: 1 } };
        let model = ResponseModel::new(spec, mode, 3);
        (0..2_000)
            .map(|visit| {
                let correction = Correction { features, in_a_row, state: "s", visit };
                model.react(&correction, &Draws::new(3, "x")) == Reaction::Moved
            })
            .collect()
    }

    const ALL: Features = Features {
        cause: true,
        form: true,
        options: true,
        shows: true,
        forbids: true,
        withholds: true,
        novel: true,
    };

    #[test]
    fn in_flat_mode_the_empty_notice_and_the_best_message_tie_exactly() {
        for in_a_row in 1..6 {
            let flat = |features| moved(ResponseMode::Flat, features, in_a_row);
            assert_eq!(flat(Features::default()), flat(ALL));
        }
    }

    #[test]
    fn an_actor_moved_by_some_features_is_moved_by_more_of_them() {
        let less = moved(ResponseMode::Features, Features { cause: true, ..Features::default() }, 2);
        let more = moved(ResponseMode::Features, ALL, 2);
        assert!(less.iter().zip(&more).all(|(less, more)| more >= less));
        assert!(less != more);
    }

    #[test]
    fn the_measured_rows_come_out() {
        let share = |features, in_a_row| {
            moved(ResponseMode::Features, features, in_a_row).iter().filter(|it| **it).count() / 20
        };
        // Measured: plain 65, 25, 11, 3 %; with the form 76, 38 %. Five points of tolerance.
        let plain = Features::default();
        for (in_a_row, measured) in [(1, 65_usize), (2, 25), (3, 11), (4, 3)] {
            assert!(share(plain, in_a_row).abs_diff(measured) <= 5, "{in_a_row}");
        }
        let form = Features { form: true, ..plain };
        for (in_a_row, measured) in [(1, 76_usize), (2, 38)] {
            assert!(share(form, in_a_row).abs_diff(measured) <= 5, "{in_a_row}");
        }
    }

    #[test]
    fn in_certain_mode_an_empty_notice_moves_like_the_best_message() {
        for features in [Features::default(), ALL] {
            assert!(moved(ResponseMode::Certain, features, 4).iter().all(|moved| *moved));
        }
    }

    #[test]
    fn the_wholly_stubborn_never_move() {
        let spec = ResponseSpec { profile: Profile::Strong, stubbornness: Ratio { num: 1, den: 1 } };
        for mode in [ResponseMode::Features, ResponseMode::Certain] {
            let model = ResponseModel::new(spec, mode, 3);
            assert!((0..100).all(|visit| {
                let correction = Correction { features: ALL, in_a_row: 1, state: "s", visit };
                model.react(&correction, &Draws::new(3, "x")) == Reaction::Ignored
            }));
        }
    }
}
