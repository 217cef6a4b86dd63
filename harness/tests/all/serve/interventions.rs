//! What counts as an agent's own word: words that real agents said to their model, and healthy runs, in which nothing
//! does.

use std::fs;
use std::io;
use std::sync::Arc;

use balk::serve::{Came, Results, Serve, Server, Site, Step};
use balk_guards::{Status, ToolCall};
use balk_scenarios::agents::{self, Profile};
use balk_scenarios::{Environment, Executed, format, toolsets};
use serde::Deserialize;

use super::client::{Agent, plain, plain_text, serving, start, told};

/// What agents said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    word: Vec<Word>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    agent: String,
    version: String,
    scenario: String,
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    User,
    Result,
    Refusal,
}

/// A place that shows the same of every call.
struct Shows {
    came: Came,
    armed: Option<(Environment, usize)>,
}

impl Site for Shows {
    fn arm(&mut self, before: &Environment, calls: &[ToolCall]) -> io::Result<()> {
        self.armed = Some((before.clone(), calls.len()));
        Ok(())
    }

    fn came_of(&mut self, _: &[Option<&str>]) -> io::Result<Option<Results>> {
        let failed = || Executed {
            text: "error".to_owned(),
            status: Status::Error,
            ticks: 0,
            finishes: false,
            fatal: false,
        };
        let results = |(environment, calls)| Results {
            calls: (0..calls).map(|_| (failed(), self.came)).collect(),
            environment,
        };
        Ok(self.armed.take().map(results))
    }

    fn root(&self) -> Option<&str> {
        None
    }

    fn look(&self, _: &mut Environment) {}
}

fn known(agent: &str) -> Arc<Profile> {
    Arc::new(agents::find(agent).unwrap_or_else(|| panic!("no profile for {agent}")).clone())
}

/// A server that knows this agent, in whose place every call comes to the same.
fn with_place(agent: &str, came: Came) -> Server {
    let mut serve =
        Serve { sites: Box::new(move || Box::new(Shows { came, armed: None })), ..serving(vec![plain("")]) };
    serve.scripts.profile = Some(known(agent));
    start(serve)
}

fn interventions(server: &Server) -> Vec<String> {
    let steps = told(server, "mine").steps;
    let texts = steps.iter().filter_map(|it| match it {
        Step::Intervention { text, .. } => Some(text.to_string()),
        Step::Act { .. }
        | Step::Result { .. }
        | Step::User { .. }
        | Step::Side { .. }
        | Step::System { .. }
        | Step::Opened { .. }
        | Step::History { .. } => None,
    });
    texts.collect()
}

/// What the server takes for words of the agent, where the agent says this one.
fn found(word: &Word) -> Vec<String> {
    let came = match word.kind {
        Kind::Result => Came::NotRun,
        Kind::User | Kind::Refusal => Came::AsSaid,
    };
    let server = with_place(&word.agent, came);
    let mut agent = Agent::new(&server, "mine");
    agent.asks();
    match word.kind {
        Kind::Result | Kind::Refusal => agent.answers(&word.text),
        Kind::User => {
            agent.answers("Notes.");
            agent.says(&word.text);
        }
    }
    agent.asks();
    interventions(&server)
}

#[test]
fn each_word_of_a_real_agent_is_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interventions.toml");
    let text = fs::read_to_string(path).expect("the file is there");
    let Words { word: words } = toml::from_str(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(words.len() >= 16, "{}", words.len());
    for word in &words {
        assert_eq!(known(&word.agent).version, word.version, "play {} again: {word:?}", word.scenario);
        let found = found(word);
        // What the agent puts around a result is not of its words.
        let is_it = |it: &String| !it.is_empty() && word.text.contains(it.as_str());
        assert!(found.len() == 1 && found.iter().all(is_it), "{word:?}: {found:?}");
    }
}

/// A result of a tool that works where nothing is seen of it is no word of the agent.
#[test]
fn what_a_tool_prints_elsewhere_is_no_word() {
    for (agent, text) in
        [("claude-code", "ugrep: warning: a/: No such file or directory"), ("codex", "Notes.")]
    {
        let server = with_place(agent, Came::NotRun);
        let mut agent = Agent::new(&server, "mine");
        agent.asks();
        agent.answers(text);
        agent.asks();
        assert_eq!(interventions(&server), [""; 0]);
    }
}

/// What an agent adds in healthy runs, as its profile says it.
struct Added {
    /// What comes before every message of the user, and after every result.
    texts: [String; 2],
    /// What is around them, in turns.
    around: [Vec<String>; 2],
}

impl Added {
    fn of(agent: &str) -> Self {
        let path = format!("{}/../scenarios/agents/{agent}.toml", env!("CARGO_MANIFEST_DIR"));
        let file: toml::Table = fs::read_to_string(path).expect("a profile").parse().expect("it is TOML");
        let all = |list: &str, at: &str, place: &str| -> Vec<String> {
            let list = file.get(list).and_then(toml::Value::as_array).into_iter().flatten();
            let here = list.filter(|it| it[at].as_str() == Some(place) && it.get("failed").is_none());
            here.map(|it| it["text"].as_str().expect("a text").to_owned()).collect()
        };
        let joined = |place| all("added", "to", place).iter().map(|it| filled(it, "") + "\n").collect();
        Self {
            texts: ["user", "result"].map(joined),
            around: ["user", "result"].map(|place| all("around", "what", place)),
        }
    }

    /// What the model reads where its user said this.
    fn user(&self, said: &str) -> String {
        let around = self.around[0].first().map_or_else(|| said.to_owned(), |it| filled(it, said));
        format!("{}{around}", self.texts[0])
    }

    /// What it reads where a tool printed this, the time with this number.
    fn result(&self, printed: &str, number: usize) -> String {
        let all = &self.around[1];
        let around = all.get(number % all.len().max(1));
        let around = around.map_or_else(|| printed.to_owned(), |it| filled(it, printed));
        format!("{around}\n{}", self.texts[1])
    }
}

/// A text of a profile with something in its holes.
fn filled(pattern: &str, says: &str) -> String {
    let json = serde_json::to_string(says).expect("it is a text");
    let holes = [("{*}", " some words "), ("{says}", says), ("{json}", &json), ("{status}", "0")];
    let holes = holes.iter().fold(pattern.to_owned(), |text, (hole, value)| text.replace(hole, value));
    holes.replace("{{", "{").replace("}}", "}")
}

/// Looks forty times, writes, ends, and goes on with another word of its user.
#[test]
fn healthy_runs_have_no_word_of_their_agent() {
    let again = "when = \"succeeded\"\nvisits = 40\nto = \"write\"\n\n[[healthy.state.next]]\nwhen = \"succeeded\"\n\
                 to = \"look\"";
    let text = plain_text("").replacen("when = \"succeeded\"\nto = \"write\"", again, 1);
    let read = format::parse("long.toml", &text, toolsets::catalogue());
    let scenario = read.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0);
    for profile in agents::catalogue() {
        let added = Added::of(&profile.agent);
        let mut serve = serving(vec![scenario.clone()]);
        serve.scripts.profile = Some(Arc::new(profile.clone()));
        let server = start(serve);
        let mut agent = Agent::new(&server, "mine");
        agent.messages().clear();
        agent.says(&added.user("Write notes.txt."));
        for part in 0..2 {
            let mut turns = 0;
            while !agent.asks().1.is_empty() {
                turns += 1;
                agent.answers(&added.result("Notes.", turns));
            }
            assert!(
                turns >= [41, 1][part],
                "{}: {turns} turns, {:#?}",
                profile.agent,
                told(&server, "mine").steps
            );
            agent.says(&added.user("Thanks. And now once more."));
        }
        assert_eq!(interventions(&server), [""; 0], "{}", profile.agent);
    }
}
