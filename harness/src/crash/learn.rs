//! What the healthy runs of an agent show that its profile does not say.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use balk_scenarios::agents::{self, Aside, Healthy, Learnt, Place, Shown};
use balk_scenarios::format::Diagnostics;
use toml_edit::value;

use super::job::{Agent, TRANSCRIPT, task_as_a_word};
use crate::error::Error;
use crate::input;
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
    pub fn read(folder: &Path, run: &str, task: &Arc<str>) -> Result<Self, Error> {
        let path = folder.join(TRANSCRIPT);
        let text = input::own_text(&path)?;
        let steps = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
        let steps = steps.map_err(|error| Error::file(&path, "the transcript of a run", error))?;
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
    pub fn text(&self) -> Result<(String, String), Error> {
        match self {
            Self::Profile(name) => match agents::source(name) {
                Some(text) => Ok((format!("{name}.toml"), text.to_owned())),
                None => Ok((name.clone(), input::text(Path::new(name))?)),
            },
            Self::Command { command, env } => {
                let quoted = |text: &str| value(text).to_string();
                let mut text = format!(
                    "format = 1\nagent = \"agent\"\nversion = \"unknown\"\n\n[run]\napi = \"openai\"\n\
                     command = [\"sh\", \"-c\", {}, \"sh\", \"{{task}}\"]\n",
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

#[cfg(test)]
mod tests {
    use balk_contract::record::Truth;

    use super::*;
    use crate::serve::Called;

    const TASK: &str = "Write a poem.";

    fn lesson(steps: Vec<Step>) -> Lesson {
        Lesson { run: "run".into(), task: TASK.into(), steps }
    }

    /// An act: a call, or none and so the end of a turn.
    fn act(calls: usize) -> Step {
        let call = || Called { tool: "shell".into(), arguments: "{}".into() };
        Step::Act {
            state: "work".to_owned(),
            visit: 1,
            attempt: 1,
            truth: Truth::Productive,
            texts: Vec::new(),
            calls: (0..calls).map(|_| call()).collect(),
            broke: None,
        }
    }

    fn word(at: Where, text: &str) -> Step {
        Step::Intervention { at, text: text.into() }
    }

    /// The texts that count as the agent's, and what was said in them.
    fn texts(steps: Vec<Step>) -> Vec<(String, Option<String>)> {
        let text = |it: Shown| (it.text.to_string(), it.said.map(|it| it.to_string()));
        lesson(steps).shown().into_iter().map(text).collect()
    }

    #[test]
    fn texts_before_the_first_act_are_the_task_or_of_the_agent() {
        let wrapped = format!("<now/> {TASK}");
        let opened = Step::Opened { texts: vec!["Be nice.".into(), wrapped.as_str().into()] };
        assert_eq!(texts(vec![opened]), [("Be nice.".to_owned(), None), (wrapped, Some(TASK.to_owned()))]);
    }

    #[test]
    fn a_word_to_a_model_that_ended_is_no_habit_but_before_a_word_of_the_user_it_is() {
        let word = || word(Where::User, "Call a tool.");
        let user = || Step::User { text: "Go on.".into(), shown: None };
        let found = || vec![("Call a tool.".to_owned(), None)];
        assert_eq!(texts(vec![act(0), word(), act(1)]), []);
        assert_eq!(texts(vec![act(0), word(), user(), act(1)]), found());
        assert_eq!(texts(vec![act(1), word(), act(0)]), found());
    }

    #[test]
    fn a_note_in_a_result_is_seen_with_its_tags_and_once() {
        let result = |text: &str, said: &str| Step::Result {
            outcome: Outcome::Worked,
            text: text.into(),
            said: Some(said.into()),
        };
        let note = || word(Where::Result, "Be brief.");
        let text = "written\n<note>Be brief.</note>";
        assert_eq!(
            texts(vec![act(1), result(text, "3 bytes"), note()]),
            [("<note>Be brief.</note>".to_owned(), None)]
        );
        let found = vec![(text.to_owned(), Some("written".to_owned()))];
        assert_eq!(texts(vec![act(1), result(text, "written"), note()]), found);
    }

    #[test]
    fn requests_with_another_system_text_are_beside_the_task() {
        let side = |system: Option<&str>| Step::Side { name: "a".to_owned(), system: system.map(Into::into) };
        let steps = vec![side(Some("Write a title.")), side(None), Step::System { text: "Remember.".into() }];
        let found: Vec<(String, bool)> =
            lesson(steps).asides().map(|it| (it.system.to_string(), it.tools)).collect();
        assert_eq!(found, [("Write a title.".to_owned(), false), ("Remember.".to_owned(), true)]);
    }
}
