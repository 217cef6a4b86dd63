//! The tools on offer: which names may be mentioned, and what a call must have to be valid.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use balk_contract::key::Shape;
use balk_contract::{Offer, Purpose, ToolCall};

/// What is remembered about the offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Offered", into = "Offered")]
pub(super) struct OfferIndex {
    offered: Offered,
    /// The places of the tools, by name. Of two with one name, the first comes first.
    by_name: Vec<usize>,
}

/// What is saved of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Offered {
    tools: Vec<Named>,
    /// Whether any of them has this purpose; in most offers none has.
    finishes: bool,
    waits: bool,
    asks: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    name: Arc<str>,
    purpose: Purpose,
    /// Members that its arguments must have.
    required: Arc<[Arc<str>]>,
}

/// Why a call could not run, judged from the offer alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unfit {
    /// It names a tool that is not on offer.
    UnknownTool,
    /// Its arguments are not a JSON object, or lack a member that the tool requires.
    Arguments,
}

impl From<Offered> for OfferIndex {
    fn from(offered: Offered) -> Self {
        let mut by_name: Vec<usize> = (0..offered.tools.len()).collect();
        by_name.sort_by_key(|at| &offered.tools[*at].name);
        Self { offered, by_name }
    }
}

impl From<OfferIndex> for Offered {
    fn from(index: OfferIndex) -> Self {
        index.offered
    }
}

impl OfferIndex {
    pub(super) fn of(offer: &Offer) -> Self {
        let tools = offer.tools().iter().map(|tool| Named {
            name: tool.name.clone(),
            purpose: tool.purpose,
            required: tool.parameters.required().clone(),
        });
        let has = |purpose| offer.first(purpose).is_some();
        let offered = Offered {
            tools: tools.collect(),
            finishes: has(Purpose::Finish),
            waits: has(Purpose::Wait),
            asks: has(Purpose::AskUser),
        };
        offered.into()
    }

    fn get(&self, tool: &str) -> Option<&Named> {
        let tools = &self.offered.tools;
        let first = self.by_name.partition_point(|at| &*tools[*at].name < tool);
        self.by_name.get(first).map(|at| &tools[*at]).filter(|it| *it.name == *tool)
    }

    /// Whether the tool declares the task finished.
    pub(super) fn finishes(&self, tool: &str) -> bool {
        self.offered.finishes && self.get(tool).is_some_and(|it| it.purpose == Purpose::Finish)
    }

    /// Whether the tool asks the user.
    pub(super) fn asks(&self, tool: &str) -> bool {
        self.offered.asks && self.get(tool).is_some_and(|it| it.purpose == Purpose::AskUser)
    }

    /// Whether the tool waits for something.
    pub(super) fn waits(&self, tool: &str) -> bool {
        self.offered.waits && self.get(tool).is_some_and(|it| it.purpose == Purpose::Wait)
    }

    /// Why this call cannot run, if the offer shows it.
    pub(super) fn unfit(&self, call: &ToolCall) -> Option<Unfit> {
        let Some(tool) = self.get(&call.tool) else {
            return (!self.offered.tools.is_empty()).then_some(Unfit::UnknownTool);
        };
        let lacks_one =
            || !call.members.is_cut() && tool.required.iter().any(|it| call.members.get(it).is_none());
        (call.shape != Shape::Object || lacks_one()).then_some(Unfit::Arguments)
    }

    /// The name of the called tool, if it may be mentioned.
    pub(super) fn tool(&self, call: &ToolCall) -> String {
        if self.get(&call.tool).is_some() { format!("`{}`", call.tool) } else { "a tool not on offer".into() }
    }

    /// A few names from the offer: of tools that do something, because a model takes every way out that is named.
    pub(super) fn some(&self) -> String {
        const SAID: usize = 8;
        let works = |it: &&Named| !matches!(it.purpose, Purpose::Finish | Purpose::AskUser);
        let said: Vec<_> =
            self.offered.tools.iter().filter(works).take(SAID).map(|it| format!("`{}`", it.name)).collect();
        let rest = if self.offered.tools.iter().filter(works).count() > SAID { ", …" } else { "" };
        format!("{}{rest}", said.join(", "))
    }

    /// The members that this tool needs, if there are any.
    pub(super) fn needed_by(&self, tool: &str) -> Option<String> {
        let required = &self.get(tool)?.required;
        let said: Vec<_> = required.iter().map(|it| format!("`{it}`")).collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    pub(super) fn ask(&self) -> String {
        let ask = self.offered.tools.iter().find(|it| it.purpose == Purpose::AskUser);
        ask.map_or_else(|| "ask the user".into(), |ask| format!("ask the user with `{}`", ask.name))
    }
}
