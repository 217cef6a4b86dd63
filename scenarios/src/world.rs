//! The world that a seed draws: language, tool set, values, and all texts that follow from them.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use balk_contract::record::{DRAWS, Pools, draw_of};
use balk_contract::{Offer, Wait};

use crate::draws::{Dice, Draw, Draws, Occasion};
use crate::response::{Reactions, ResponseMode, ResponseModel};
use crate::scenario::template::{Piece, Template};
use crate::scenario::{
    Bound, LOOP_PROMPT, Limits, NewsSpec, PhraseId, Role, Scenario, StateId, Toolset, ToolsetTool,
};

use chosen::{offer, open};

mod chosen;
mod pinned;

/// One scenario under one seed, before the first turn. Everything in it is fixed.
#[derive(Clone, Debug)]
pub struct World<'a> {
    scenario: &'a Scenario,
    seed: u64,
    draws: Draws,
    response: ResponseModel,
    limits: Limits,
    language: usize,
    toolset: Arc<Toolset>,
    /// The values of each pool's drawn item.
    picks: Vec<&'a [Arc<str>]>,
    numbers: Vec<u32>,
    offer: Arc<Offer>,
    /// The legal name of each offered tool, with its place in the tool set.
    offered: Vec<(Arc<str>, usize)>,
    user: UserTexts,
    /// What the loop says to a message without a call.
    prompt: Arc<str>,
}

/// Everything that can be said in this world in the user's role, but for guards.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserTexts {
    pub(crate) opening: Arc<str>,
    pub(crate) replies: Vec<Arc<str>>,
    /// What each rule of the person says, in turn.
    pub(crate) rules: Vec<Vec<Arc<str>>>,
    pub(crate) interrupts: Vec<Arc<str>>,
    /// What the environment says between turns.
    pub(crate) notifications: Vec<Arc<str>>,
    pub(crate) answers: Vec<Arc<str>>,
}

/// What a run chooses beside the scenario and the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldOptions {
    /// Which items of the pools may be drawn.
    pub pools: Pools,
    /// What counts in an intervention.
    pub response: ResponseMode,
    /// Measured reactions in place of the scenario's profile. The scenario's stubbornness stays.
    pub reactions: Option<Reactions>,
    /// The most completions of a run, where the scenario allows more.
    pub turns: Option<u32>,
}

impl WorldOptions {
    fn limits(&self, scenario: &Scenario) -> Limits {
        let Limits { turns, .. } = scenario.limits;
        Limits { turns: self.turns.map_or(turns, |most| turns.min(most)), ..scenario.limits }
    }
}

impl<'a> World<'a> {
    /// Draws the world of a seed.
    #[must_use]
    pub fn draw(scenario: &'a Scenario, seed: u64, options: WorldOptions) -> Self {
        let pools = options.pools;
        let draws = Draws::new(seed, &scenario.world);
        let language = draws.dice(Draw::Language).index(scenario.languages.len());
        let toolset =
            open(&scenario.toolsets, |set| set.reserve, pools, &mut draws.dice(Draw::Toolset)).clone();
        let picks = scenario
            .pools
            .iter()
            .map(|pool| {
                let mut dice = draws.dice(Draw::Pool(&pool.name));
                &open(&pool.items, |item| item.reserve, pools, &mut dice).values[..]
            })
            .collect();
        let numbers = scenario
            .numbers
            .iter()
            .map(|it| it.from + draws.dice(Draw::Number(&it.name)).below(it.to - it.from + 1))
            .collect();
        let (offer, offered) = offer(scenario, &toolset, &mut draws.dice(Draw::Offer));
        let response =
            ResponseModel::new(scenario.response, options.response, options.reactions, seed, &draws);
        let mut world = Self {
            scenario,
            seed,
            draws,
            response,
            limits: options.limits(scenario),
            language,
            toolset,
            picks,
            numbers,
            offer,
            offered,
            user: UserTexts::default(),
            prompt: LOOP_PROMPT.into(),
        };
        world.user = world.user_texts();
        if let Some(prompt) = scenario.prompt {
            world.prompt = world.say(prompt, Occasion::Prompt, 0, &[]).into();
        }
        world
    }

    fn user_texts(&self) -> UserTexts {
        let user = &self.scenario.user;
        let said = |occasion, at: usize, phrase| -> Arc<str> {
            let visit = u32::try_from(at).expect("a person says few things");
            self.say(phrase, occasion, visit, &[]).into()
        };
        let news = |occasion: fn(usize) -> Occasion, all: &[NewsSpec]| {
            all.iter().enumerate().map(|(at, it)| said(occasion(at), 0, it.says)).collect()
        };
        UserTexts {
            opening: said(Occasion::Opening, 0, user.opening),
            replies: user.replies.iter().enumerate().map(|(at, &it)| said(Occasion::Reply, at, it)).collect(),
            rules: user
                .rules
                .iter()
                .enumerate()
                .map(|(rule, it)| {
                    let says = it.says.into_iter();
                    says.flat_map(|says| {
                        (0..WORDINGS).map(move |at| said(Occasion::ReplyRule(rule), at, says))
                    })
                    .collect()
                })
                .collect(),
            interrupts: news(Occasion::Interrupt, &user.interrupts),
            notifications: news(Occasion::Notification, &self.scenario.environment.notifications),
            answers: user
                .answers
                .iter()
                .enumerate()
                .map(|(at, it)| said(Occasion::Answer, at, it.says))
                .collect(),
        }
    }

    /// The bounds of a run in this world.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The scenario that this is a world of.
    #[must_use]
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// What this world is without its surface, such as names, texts and languages. Worlds with the same skeleton are
    /// not independent. A written scenario is one skeleton, under its name.
    #[must_use]
    pub fn skeleton(&self) -> &'a str {
        self.scenario.skeleton.as_deref().unwrap_or(&self.scenario.name)
    }

    /// The seed that drew it.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The tools on offer.
    #[must_use]
    pub fn offer(&self) -> &Arc<Offer> {
        &self.offer
    }

    /// The language of all texts; `any` where all languages are the same.
    #[must_use]
    pub fn language(&self) -> &'a Arc<str> {
        &self.scenario.languages[self.language]
    }

    /// The drawn names and values, in the order of the scenario.
    #[must_use]
    pub fn drawn(&self) -> Vec<(String, String)> {
        let mut drawn = vec![
            ("language".to_owned(), self.language().to_string()),
            ("toolset".to_owned(), self.toolset.name.clone()),
        ];
        for (pool, values) in self.scenario.pools.iter().zip(&self.picks) {
            for (field, value) in pool.fields.iter().zip(*values) {
                drawn.push((format!("{}.{field}", pool.name), value.to_string()));
            }
        }
        drawn.extend(
            self.scenario
                .numbers
                .iter()
                .zip(&self.numbers)
                .map(|(it, drawn)| (it.name.clone(), drawn.to_string())),
        );
        let response = match self.response.mode() {
            ResponseMode::Features => None,
            ResponseMode::Flat => Some("flat".to_owned()),
            ResponseMode::Drawn => Some(format!("draw {} of {DRAWS}", draw_of(self.seed))),
            ResponseMode::Certain => Some("certain".to_owned()),
        };
        drawn.extend(response.map(|response| ("response".to_owned(), response)));
        if self.response.is_measured() {
            drawn.push(("reactions".to_owned(), "from a file".to_owned()));
        }
        drawn
    }

    /// How long the loop waits, in ticks, after this many waits before.
    #[must_use]
    pub fn wait(&self, before: u32, wait: Wait) -> u64 {
        let most = wait.at_most.max(wait.at_least);
        self.draws.dice(Draw::Wait(before)).within(wait.at_least, most)
    }

    /// The draws of this seed.
    pub(crate) fn draws(&self) -> &Draws {
        &self.draws
    }

    /// How this seed's actor takes corrections.
    pub(crate) fn response(&self) -> &ResponseModel {
        &self.response
    }

    /// What the loop says to a message without a call where a tool must end the task.
    #[must_use]
    pub fn prompt(&self) -> &Arc<str> {
        &self.prompt
    }

    /// What the loop says when it replaces the messages so far.
    #[must_use]
    pub fn summary(&self) -> String {
        let says = self.scenario.compaction.as_ref().and_then(|it| it.says);
        says.map_or_else(|| SUMMARY.to_owned(), |says| self.say(says, Occasion::Summary, 1, &[]))
    }

    pub(crate) fn user(&self) -> &UserTexts {
        &self.user
    }

    /// A number, as this world has drawn it.
    #[must_use]
    pub fn number(&self, bound: Bound) -> u32 {
        match bound {
            Bound::Fixed(number) => number,
            Bound::Drawn(at) => self.numbers[at],
        }
    }

    /// The steps of a state; 1 where it has none.
    pub(crate) fn steps(&self, state: StateId) -> u32 {
        self.scenario.actor.states[state].steps.map_or(1, |steps| self.number(steps).max(1))
    }

    /// The tool behind a legal name.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolsetTool> {
        self.offered.iter().find(|(it, _)| &**it == name).map(|&(_, at)| &self.toolset.tools[at])
    }

    /// The tool that plays a role, with its legal name.
    pub(crate) fn role(&self, role: Role) -> (&Arc<str>, &ToolsetTool) {
        self.offered
            .iter()
            .map(|(name, at)| (name, &self.toolset.tools[*at]))
            .find(|(_, tool)| tool.role == role)
            .expect("a scenario offers every role it uses")
    }

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
    pub(crate) fn timed_facts(&self, phrase: PhraseId) -> impl Iterator<Item = &'a String> {
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
        self.answers(phrase, &[])
    }

    /// Every variant of a phrase in this language, once each, as the answer of a call with these arguments.
    pub(crate) fn answers(&self, phrase: PhraseId, arguments: &[(&str, &str)]) -> Vec<String> {
        let phrase = &self.scenario.phrases[phrase];
        let mut dice =
            self.draws.dice(Draw::Phrase { phrase: &phrase.name, occasion: Occasion::Listing, visit: 0 });
        phrase.variants[self.language]
            .iter()
            .map(|variant| {
                let mut text = String::new();
                self.render(variant, Filling { dice: &mut dice, arguments, nth: 1.into() }, &mut text);
                text
            })
            .collect()
    }

    /// A template that is the same at every use in this world. The format allows no other placeholders in it.
    pub(crate) fn fixed<'t>(&self, template: &'t Template) -> Cow<'t, str>
    where
        'a: 't,
    {
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
                    out.push_str(value);
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
                    (0..visit).for_each(|_| out.push_str(self.field(*pool, *field)));
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
            Piece::Tool(role) => out.push_str(self.role(*role).0),
            Piece::ToolArgument(role, at) => out.push_str(&self.role(*role).1.arguments[*at]),
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

    fn field(&self, pool: usize, field: usize) -> &'a str {
        &self.picks[pool][field]
    }
}

/// What the loop says of itself when it summarises, unless the scenario has words for it.
const SUMMARY: &str = "This conversation was summarised to save room. The task, and how far it is:";
/// How often a person can give the same reply in words of its own.
const WORDINGS: usize = 4;
/// Most texts are shorter.
const TEXT_BYTES: usize = 128;

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

pub(crate) fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    out.write_fmt(what).expect("writing to a string never fails");
}
