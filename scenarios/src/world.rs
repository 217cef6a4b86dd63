//! The world that a seed draws: language, tool set, values, and all texts that follow from them.

use std::sync::Arc;

use balk_contract::record::{DRAWS, Pools, draw_of};
use balk_contract::{Offer, Protocol, Purpose, Wait};

use crate::draws::{Draw, Draws, Occasion};
use crate::response::{Reactions, ResponseMode, ResponseModel};
use crate::scenario::{
    Bound, CallSpec, Called, LOOP_PROMPT, Limits, NewsSpec, Role, Scenario, StateId, Toolset, ToolsetTool,
};

use chosen::{OnOffer, drawn_tools, given_tools, open};

pub(crate) use phrases::{Filling, Nth};

mod chosen;
mod phrases;
mod pinned;

/// One scenario under one seed, before the first turn. Everything in it is fixed.
#[derive(Clone, Debug)]
pub struct World {
    scenario: Arc<Scenario>,
    seed: u64,
    draws: Draws,
    response: ResponseModel,
    limits: Limits,
    language: usize,
    toolset: Arc<Toolset>,
    /// The place of each pool's drawn item.
    picks: Vec<usize>,
    numbers: Vec<u32>,
    offer: Arc<Offer>,
    /// The legal name of each offered tool, with its place in the tool set: once for each of its roles.
    offered: Arc<[(Arc<str>, usize)]>,
    user: UserTexts,
    /// What the loop says to a message without a call.
    prompt: Arc<str>,
}

/// The tools of an agent that is really there. Its worlds share them.
#[derive(Clone, Debug)]
pub struct GivenTools {
    toolset: Arc<Toolset>,
    on_offer: OnOffer,
}

impl GivenTools {
    /// The name of the tool set.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.toolset.name
    }
}

impl From<Arc<Toolset>> for GivenTools {
    fn from(toolset: Arc<Toolset>) -> Self {
        Self { on_offer: given_tools(&toolset), toolset }
    }
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

impl World {
    /// Draws the world of a seed. Everything that plays in it shares it.
    #[must_use]
    pub fn draw(scenario: &Arc<Scenario>, seed: u64, options: WorldOptions) -> Arc<Self> {
        let draws = Draws::new(seed, &scenario.world);
        let is_reserve = |set: &Arc<Toolset>| set.reserve;
        let toolset = open(&scenario.toolsets, is_reserve, options.pools, &mut draws.dice(Draw::Toolset));
        let toolset = scenario.toolsets[toolset].clone();
        let tools = drawn_tools(scenario, &toolset, &mut draws.dice(Draw::Offer));
        Self::new(scenario, seed, options, (toolset, tools))
    }

    /// The world of a seed in which these tools are on offer, and no others: those of an agent that is really there.
    /// Everything else is as the seed draws it.
    #[must_use]
    pub fn with_tools(
        scenario: &Arc<Scenario>,
        seed: u64,
        options: WorldOptions,
        GivenTools { toolset, on_offer }: &GivenTools,
    ) -> Arc<Self> {
        Self::new(scenario, seed, options, (toolset.clone(), on_offer.clone()))
    }

    /// The same world without a tool that ends the task: the model ends it in words.
    #[must_use]
    pub fn ending_in_words(&self) -> Arc<Self> {
        let mut world = self.clone();
        let tools = self.offer.tools().iter().filter(|it| it.purpose != Purpose::Finish);
        world.offer = Offer::new(tools.cloned()).into();
        let offered = self.offered.iter().filter(|(_, at)| self.toolset.tools[*at].role != Role::Finish);
        world.offered = offered.cloned().collect();
        let spoken = &mut Arc::make_mut(&mut world.toolset).spoken;
        if !spoken.contains(&Role::Finish) {
            spoken.push(Role::Finish);
        }
        Arc::new(world)
    }

    fn new(
        scenario: &Arc<Scenario>,
        seed: u64,
        options: WorldOptions,
        (toolset, (offer, offered)): (Arc<Toolset>, OnOffer),
    ) -> Arc<Self> {
        let pools = options.pools;
        let draws = Draws::new(seed, &scenario.world);
        let language = draws.dice(Draw::Language).index(scenario.languages.len());
        let picks = scenario
            .pools
            .iter()
            .map(|pool| {
                let mut dice = draws.dice(Draw::Pool(&pool.name));
                open(&pool.items, |item| item.reserve, pools, &mut dice)
            })
            .collect();
        let numbers = scenario
            .numbers
            .iter()
            .map(|it| it.from + draws.dice(Draw::Number(&it.name)).below(it.to - it.from + 1))
            .collect();
        let response =
            ResponseModel::new(scenario.response, options.response, options.reactions, seed, &draws);
        let mut world = Self {
            scenario: scenario.clone(),
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
        Arc::new(world)
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
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// What this world is without its surface, such as names, texts and languages. Worlds with the same skeleton are
    /// not independent. A written scenario is one skeleton, under its name.
    #[must_use]
    pub fn skeleton(&self) -> &str {
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
    pub fn language(&self) -> &Arc<str> {
        &self.scenario.languages[self.language]
    }

    /// The drawn names and values, in the order of the scenario.
    #[must_use]
    pub fn drawn(&self) -> Vec<(String, String)> {
        let mut drawn = vec![
            ("language".to_owned(), self.language().to_string()),
            ("toolset".to_owned(), self.toolset.name.clone()),
        ];
        for (pool, &item) in self.scenario.pools.iter().zip(&self.picks) {
            for (field, value) in pool.fields.iter().zip(&pool.items[item].values) {
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

    /// The first message of the person.
    #[must_use]
    pub fn opening(&self) -> &Arc<str> {
        &self.user.opening
    }

    /// Whether the person, the environment or the loop of this world says this in the user's role.
    #[must_use]
    pub fn speaks(&self, text: &Arc<str>) -> bool {
        let UserTexts { opening, replies, rules, interrupts, notifications, answers } = &self.user;
        let said = [replies, interrupts, notifications, answers].into_iter().chain(rules);
        text == opening || *text == self.prompt || said.into_iter().any(|all| all.contains(text))
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

    /// How a task ends: with a call only where a tool declares it done.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        if self.toolset.spoken.contains(&Role::Finish) { Protocol::Text } else { self.scenario.protocol }
    }

    /// What the tool behind a legal name is: mostly one thing. A shell that also reads files is that first, and a
    /// shell last.
    pub(crate) fn tools(&self, name: &str) -> impl DoubleEndedIterator<Item = &ToolsetTool> {
        self.offered.iter().filter(move |(it, _)| &**it == name).map(|&(_, at)| &self.toolset.tools[at])
    }

    /// The tool that plays a role, with its legal name. `None` if the model does in words what the role does.
    pub(crate) fn role(&self, role: Role) -> Option<(&Arc<str>, &ToolsetTool)> {
        let mut offered = self.offered.iter().map(|(name, at)| (name, &self.toolset.tools[*at]));
        offered.find(|(_, tool)| tool.role == role)
    }

    /// Whether a call of a state is made in words.
    pub(crate) fn is_spoken(&self, call: &CallSpec) -> bool {
        match &call.called {
            Called::Role(role) => self.toolset.spoken.contains(role),
            Called::Name(_) => false,
        }
    }

    fn field(&self, pool: usize, field: usize) -> &str {
        &self.scenario.pools[pool].items[self.picks[pool]].values[field]
    }
}

/// What the loop says of itself when it summarises, unless the scenario has words for it.
const SUMMARY: &str = "This conversation was summarised to save room. The task, and how far it is:";
/// How often a person can give the same reply in words of its own.
const WORDINGS: usize = 4;
