//! What a world says: the phrases of its scenario, in its language, with its values.

use std::borrow::Cow;
use std::fmt::Write;

use super::World;
use crate::draws::{Dice, Draw, Occasion};
use crate::scenario::PhraseId;
use crate::scenario::template::{Piece, TEXT_BYTES_MAX, Template};

/// The name of a tool for what is done in words.
const IN_WORDS: &str = "a message";
/// Most texts are shorter.
const TEXT_BYTES: usize = 128;

impl World {
    /// A phrase in the language of this world; which variant is drawn by (phrase, occasion, visit), or by the phrase
    /// alone where it is pinned.
    pub(crate) fn say(
        &self,
        phrase: PhraseId,
        occasion: Occasion,
        nth: impl Into<Nth>,
        arguments: &[(&str, &str)],
    ) -> String {
        let nth = nth.into();
        let phrase = &self.scenario.phrases[phrase];
        let variants = &phrase.variants[self.language];
        let mut dice = self.draws.dice(Draw::Phrase { phrase: &phrase.name, occasion, visit: nth.visit });
        let variant = if phrase.pinned {
            self.draws.dice(Draw::Pinned(&phrase.name)).index(variants.len())
        } else {
            dice.index(variants.len())
        };
        let mut text = String::with_capacity(TEXT_BYTES);
        self.render(&variants[variant], Filling { dice: &mut dice, arguments, nth }, &mut text);
        text
    }

    /// The facts whose time a phrase names, in the language of this world.
    pub(crate) fn timed_facts(&self, phrase: PhraseId) -> impl Iterator<Item = &String> {
        let variants = &self.scenario.phrases[phrase].variants[self.language];
        variants.iter().flat_map(|it| &it.pieces).filter_map(|piece| match piece {
            Piece::Seconds(fact) => Some(fact),
            Piece::Text(_)
            | Piece::Field(..)
            | Piece::Number(_)
            | Piece::Argument(_)
            | Piece::Code
            | Piece::Draft
            | Piece::Clock
            | Piece::Hex
            | Piece::Visit
            | Piece::OwnStep
            | Piece::Step(_)
            | Piece::EachVisit(..)
            | Piece::Applied
            | Piece::Tool(_)
            | Piece::ToolArgument(..) => None,
        })
    }

    /// Every variant of a phrase in this language, once each. For tests.
    #[must_use]
    pub fn variants(&self, phrase: PhraseId) -> Vec<String> {
        self.answers(phrase, &[]).collect()
    }

    /// Every variant of a phrase in this language, once each, as the answer of a call with these arguments.
    pub(crate) fn answers(
        &self,
        phrase: PhraseId,
        arguments: &[(&str, &str)],
    ) -> impl Iterator<Item = String> {
        let phrase = &self.scenario.phrases[phrase];
        let mut dice =
            self.draws.dice(Draw::Phrase { phrase: &phrase.name, occasion: Occasion::Listing, visit: 0 });
        phrase.variants[self.language].iter().map(move |variant| {
            let mut text = String::new();
            self.render(variant, Filling { dice: &mut dice, arguments, nth: 1.into() }, &mut text);
            text
        })
    }

    /// A template that is the same at every use in this world. The format allows no other placeholders in it.
    pub(crate) fn fixed<'t>(&'t self, template: &'t Template) -> Cow<'t, str> {
        match &template.pieces[..] {
            [Piece::Text(text)] => Cow::Borrowed(text),
            [Piece::Field(pool, field)] => Cow::Borrowed(self.field(*pool, *field)),
            pieces => {
                let mut text = String::with_capacity(TEXT_BYTES);
                for piece in pieces {
                    self.same(piece, &mut text);
                }
                Cow::Owned(text)
            }
        }
    }

    pub(crate) fn render(&self, template: &Template, placeholders: Filling<'_>, out: &mut String) {
        let Filling { dice, arguments, nth: Nth { visit, step } } = placeholders;
        // A call can have a long argument, and a text can name it often. What the scenario says itself stays whole.
        let mut room = TEXT_BYTES_MAX;
        for piece in &template.pieces {
            match piece {
                Piece::Text(_)
                | Piece::Field(..)
                | Piece::Number(_)
                | Piece::Draft
                | Piece::Tool(_)
                | Piece::ToolArgument(..) => self.same(piece, out),
                Piece::Argument(name) | Piece::Seconds(name) => {
                    let value = arguments.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value);
                    room -= push_within(value, room, out);
                }
                Piece::Code => crate::code::write(dice, out),
                Piece::Clock => {
                    let (h, m, s) = (dice.below(24), dice.below(60), dice.below(60));
                    put(out, format_args!("{h:02}:{m:02}:{s:02}"));
                }
                Piece::Hex => put(out, format_args!("{:08x}", dice.word() >> 32)),
                // What a rule says is said once for each call to which it applies.
                Piece::Visit | Piece::Applied => put(out, format_args!("{visit}")),
                Piece::OwnStep => put(out, format_args!("{step}")),
                Piece::Step(at) => put(out, format_args!("{}", (visit - 1) % self.numbers[*at] + 1)),
                Piece::EachVisit(pool, field) => {
                    let visits = visit.min(self.scenario.limits.turns);
                    (0..visits).for_each(|_| out.push_str(self.field(*pool, *field)));
                }
            }
        }
    }

    /// Writes a piece that is the same at every use. Writes nothing for other pieces.
    fn same(&self, piece: &Piece, out: &mut String) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Field(pool, field) => out.push_str(self.field(*pool, *field)),
            Piece::Number(at) => put(out, format_args!("{}", self.numbers[*at])),
            Piece::Draft => crate::code::write(&mut self.draws.dice(Draw::Draft), out),
            Piece::Tool(role) => out.push_str(self.role(*role).map_or(IN_WORDS, |(name, _)| name)),
            Piece::ToolArgument(role, at) => {
                let name = self.role(*role).and_then(|(_, tool)| tool.form.name(*at));
                out.push_str(name.unwrap_or(role.arguments()[*at]));
            }
            Piece::Argument(_)
            | Piece::Code
            | Piece::Clock
            | Piece::Hex
            | Piece::Visit
            | Piece::OwnStep
            | Piece::Step(_)
            | Piece::EachVisit(..)
            | Piece::Applied
            | Piece::Seconds(_) => {}
        }
    }
}

/// What fills the placeholders of a template.
pub(crate) struct Filling<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) arguments: &'a [(&'a str, &'a str)],
    pub(crate) nth: Nth,
}

/// How often a text was used, this time included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nth {
    /// By the visits of a state, or by the calls to which a rule applied.
    pub(crate) visit: u32,
    /// The step that the state does.
    pub(crate) step: u32,
}

impl From<u32> for Nth {
    fn from(visit: u32) -> Self {
        Self { visit, step: 1 }
    }
}

/// Writes a value, or what there is room for of it and a sign that the rest is missing. The room that it takes.
fn push_within(value: &str, room: usize, out: &mut String) -> usize {
    let end = value.floor_char_boundary(room);
    out.push_str(&value[..end]);
    if end < value.len() {
        out.push('…');
    }
    end
}

fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    out.write_fmt(what).expect("writing to a string never fails");
}
