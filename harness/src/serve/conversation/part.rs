//! What a test needs to play the agent's part: the task, the tools of its world, and what a call answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{RawCall, Status, ToolCall};
use balk_scenarios::Environment;
use serde::Serialize;
use serde_json::Value;

use super::super::place::completions;
use super::super::site::Elsewhere;
use super::{Acted, Conversation};

/// What an agent begins with.
#[derive(Debug, Serialize)]
pub(in crate::serve) struct Task {
    scenario: Arc<str>,
    title: String,
    seed: String,
    /// What the user says.
    task: Arc<str>,
    /// The files that are there, by their paths.
    files: BTreeMap<String, String>,
    /// The tools that the seed draws, without the one that ends the task: most agents have none, and end in words.
    tools: Vec<Offered>,
}

/// A tool.
#[derive(Debug, Serialize)]
struct Offered {
    name: Arc<str>,
    description: Arc<str>,
    /// JSON Schema of the arguments.
    parameters: Value,
}

/// What a call answers in the scenario's world.
#[derive(Debug, Serialize)]
pub(in crate::serve) struct Answered {
    text: String,
    failed: bool,
}

impl Conversation {
    /// What the agent begins with. `workspace` is the folder that it works in, for tools that want absolute paths.
    pub(in crate::serve) fn begins(&mut self, workspace: Option<String>) -> Task {
        if let Some(root) = workspace {
            self.site = Box::new(Elsewhere { root: Some(root) });
        }
        let world = self.script.drawn().ending_in_words();
        let offered = world.offer().tools().iter().filter(|it| !it.provider_executed);
        Task {
            scenario: self.script.scenario.name.clone(),
            title: self.script.scenario.title.to_string(),
            seed: self.script.seed.to_string(),
            task: world.opening().clone(),
            files: Environment::new(&world).files().clone(),
            tools: offered
                .map(|it| Offered {
                    name: it.name.clone(),
                    description: it.description.clone(),
                    parameters: serde_json::from_str(it.parameters.text()).unwrap_or_default(),
                })
                .collect(),
        }
    }

    /// What the agent said to its user last.
    pub(in crate::serve) fn says(&mut self, text: String) {
        self.texts -= self.said.as_ref().map_or(0, String::len);
        self.texts += text.len();
        self.said = Some(text);
    }

    /// What a call of the last act answers if it runs now, after those before it in the same act. Nothing is changed:
    /// the world runs the call when the agent shows its result. `None` before the first act.
    pub(in crate::serve) fn would_answer(&self, tool: &str, arguments: &str) -> Option<Answered> {
        let Acted { scene, done, .. } = &**self.acts.last()?;
        let (offer, mut environment) = (scene.world.offer(), scene.environment.clone());
        let raw = RawCall { id: "".into(), tool: tool.into(), arguments: arguments.into() };
        let asked = Arc::new(ToolCall::new(raw, offer));
        let act = scene.clone().act(done.attempt);
        let [own, sent] = completions(&act, offer, self.site.root());
        let at = sent.calls.iter().position(|it| it.key == asked.key);
        let (before, call) = at.map_or((&[][..], &asked), |at| (&own.calls[..at], &own.calls[at]));
        for earlier in before {
            environment.call(earlier);
        }
        let executed = environment.call(call);
        Some(Answered { text: executed.text, failed: executed.status == Status::Error })
    }
}
