//! What the healthy runs of an agent show that its profile does not say.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use balk_scenarios::agents::{self, Aside, Healthy, Learnt, Place, Shown};
use balk_scenarios::format::Diagnostics;
use toml_edit::value;

use super::job::{Agent, TRANSCRIPT, task_as_a_word};
use crate::serve::{Outcome, Step, Where};

/// A healthy run.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name.
    pub run: Arc<str>,
    /// What the user said at the start.
    pub task: Arc<str>,
    /// What happened.
    pub steps: Vec<Step>,
}

impl Lesson {
    /// Reads the transcript in the folder of a run.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn read(folder: &Path, run: &str, task: &Arc<str>) -> io::Result<Self> {
        let text = fs::read_to_string(folder.join(TRANSCRIPT))?;
        let steps = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Self { run: run.into(), task: task.clone(), steps })
    }

    /// The texts that are not just what the user or a tool said.
    fn shown(&self) -> Vec<Shown> {
        let is_act = |it: &Step| matches!(it, Step::Act { .. });
        self.steps.chunk_by(|_, next| !is_act(next)).flat_map(|it| self.shown_after(it)).collect()
    }

    /// The same of the steps of an act, or of those before the first one.
    fn shown_after(&self, steps: &[Step]) -> Vec<Shown> {
        let shown = |place, text: &Arc<str>, said: Option<&Arc<str>>| Shown {
            run: self.run.clone(),
            place,
            text: text.clone(),
            said: said.cloned(),
            failed: false,
        };
        // A model that ends in words gives the agent a reason to speak, unless it is the user who goes on.
        let ends = matches!(steps.first(), Some(Step::Act { calls, .. }) if calls.is_empty());
        let is_answered = ends && !steps.iter().any(|it| matches!(it, Step::User { .. }));
        // The result that notes are in, if what the tool said is not known.
        let mut result = None;
        let mut all = Vec::new();
        for step in steps {
            match step {
                Step::Opened { texts } => {
                    let task = |it: &Arc<str>| it.contains(&*self.task).then_some(&self.task);
                    all.extend(texts.iter().map(|it| shown(Place::User, it, task(it))));
                }
                Step::User { text, shown: Some(it) } => all.push(shown(Place::User, it, Some(text))),
                Step::Result { outcome, text, said: Some(said) } if text.contains(said.trim()) => {
                    result = None;
                    let failed = *outcome == Outcome::Failed;
                    all.push(Shown { failed, ..shown(Place::Result, text, Some(said)) });
                }
                Step::Result { text, .. } => result = Some(text),
                Step::Intervention { at: Where::Result, text } => {
                    let block = result.and_then(|it| block(it, text));
                    all.extend(block.map(|it| shown(Place::Result, &it, None)));
                }
                Step::Intervention { at: Where::User, text } if !is_answered => {
                    all.push(shown(Place::User, text, None));
                }
                Step::User { shown: None, .. }
                | Step::Intervention { .. }
                | Step::Act { .. }
                | Step::Side { .. }
                | Step::System { .. }
                | Step::History { .. } => {}
            }
        }
        all
    }

    /// The requests that are not of the task. No healthy run gives a reason for another system text.
    fn asides(&self) -> impl Iterator<Item = Aside> {
        self.steps.iter().filter_map(|step| {
            let (system, tools) = match step {
                Step::Side { system, .. } => (system.clone()?, false),
                Step::System { text } => (text.clone(), true),
                Step::Opened { .. }
                | Step::Act { .. }
                | Step::Result { .. }
                | Step::User { .. }
                | Step::Intervention { .. }
                | Step::History { .. } => return None,
            };
            Some(Aside { run: self.run.clone(), system, tools })
        })
    }
}

/// The note in a result, with the tags around it.
fn block(result: &str, note: &str) -> Option<Arc<str>> {
    let at = result.find(note)?;
    let start = result[..at].rfind('<')?;
    let end = at + note.len() + result[at + note.len()..].find('>')? + 1;
    Some(result[start..end].into())
}

/// Adds to a profile what these runs show.
///
/// # Errors
/// The text is no profile.
pub fn learn(file_name: &str, profile: &str, lessons: &[Lesson]) -> Result<Learnt, Diagnostics> {
    let healthy = Healthy {
        runs: lessons.len(),
        shown: lessons.iter().flat_map(Lesson::shown).collect(),
        asides: lessons.iter().flat_map(Lesson::asides).collect(),
    };
    agents::learn(file_name, profile, &healthy)
}

impl Agent {
    /// The name of the file of its profile, and the text. An agent without one gets what its command says.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn text(&self) -> io::Result<(String, String)> {
        match self {
            Self::Profile(name) => match agents::source(name) {
                Some(text) => Ok((format!("{name}.toml"), text.to_owned())),
                None => Ok((name.clone(), fs::read_to_string(name)?)),
            },
            Self::Command { command, env } => {
                let quoted = |text: &str| value(text).to_string();
                let mut text = format!(
                    "format = 1\nagent = \"agent\"\nversion = \"unknown\"\n\n[run]\napi = \"openai\"\ncommand = [\"sh\", \
                     \"-c\", {}, \"sh\", \"{{task}}\"]\n",
                    quoted(&task_as_a_word(command)).trim()
                );
                if !env.is_empty() {
                    text += "\n[run.env]\n";
                }
                for (name, it) in env {
                    // A name that is no bare key has quotes.
                    let _ = writeln!(text, "{} = {}", quoted(name).trim(), quoted(it).trim());
                }
                Ok(("agent.toml".to_owned(), text))
            }
        }
    }
}
