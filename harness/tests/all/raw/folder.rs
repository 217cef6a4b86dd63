//! A folder whose files say something hostile wherever a text can be, and are named so.

use std::fs;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::program::{balk, ran};

/// A folder with the files that the command lines name, and the text that is in them.
pub(super) struct Hostile {
    pub(super) folder: TempDir,
    pub(super) text: String,
}

impl Hostile {
    pub(super) fn new(text: String) -> Self {
        let it = Self { folder: tempfile::tempdir().expect("a folder"), text };
        it.scenarios();
        it.settings();
        it.logs();
        it.documents();
        it.scripts();
        it
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The text as an argument of a command, or as one in a variable.
    pub(super) fn argument(&self) -> String {
        self.text.replace('\0', "")
    }

    /// The text without control characters, as the id of a run takes it, or a cell of a table.
    fn cell(&self) -> String {
        self.text.replace(char::is_control, " ")
    }

    /// A name for a file, without what a path or a list of names is made of, and no option.
    pub(super) fn name(&self) -> String {
        let mut name = self.argument().replace(['/', ',', '#'], "").trim_start_matches('-').to_owned();
        while name.len() > 160 {
            name.pop();
        }
        name
    }

    fn write(&self, name: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("it is below the folder")).expect("a folder");
        fs::write(&path, text).expect("it is written");
        path
    }

    /// The same with a text behind every text, or in its place. Braces are those of a text, and no placeholder.
    fn scenario(&self, file: &str) -> toml::Table {
        let mut scenario: toml::Table = file.parse().expect("TOML");
        let text = self.text.replace('{', "{{").replace('}', "}}");
        let phrases = scenario["phrases"].as_table_mut().expect("a table");
        for (_, variants) in phrases.iter_mut().flat_map(|(_, it)| it.as_table_mut().expect("a table")) {
            for variant in variants.as_array_mut().expect("a list") {
                *variant = format!("{} {text}", variant.as_str().expect("a text")).into();
            }
        }
        for (_, items) in scenario.get_mut("pool").and_then(|it| it.as_table_mut()).into_iter().flatten() {
            for item in items.as_array_mut().expect("a list") {
                item["what"] = text.clone().into();
                item["path"] = self.name().replace(['{', '}'], "").into();
            }
        }
        scenario["environment"]["files"]["README.md"] = text.clone().into();
        for actor in ["stubborn", "healthy"] {
            for name in ["title", "why", "source"] {
                scenario[actor][name] = self.text.clone().into();
            }
            let first = scenario[actor]["state"][0]["calls"].as_array_mut().expect("a list");
            let call = ["name", "raw"].map(|it| (it.to_owned(), text.clone().into()));
            first.push(toml::Table::from_iter(call).into());
        }
        scenario
    }

    fn scenarios(&self) {
        ran(&mut balk(self.path(), &["init", "made-up"]));
        let starter = fs::read_to_string(self.path().join("made-up.toml")).expect("it is written");
        let scenario = self.scenario(&starter);
        self.write("made-up.toml", &scenario.to_string());
        self.write(format!("{}.toml", self.name()), &scenario.to_string());
        let gap = self.scenario(include_str!("../../scenarios/no-such-input.toml"));
        self.write("gap.toml", &gap.to_string());
        // Each is wrong in another way.
        let wrong = |change: &dyn Fn(&mut toml::Table)| {
            let mut scenario = scenario.clone();
            change(&mut scenario);
            scenario.to_string()
        };
        let text = || toml::Value::from(self.text.clone());
        self.write("bad/key.toml", &wrong(&|it| drop(it.insert(self.text.clone(), text()))));
        self.write("bad/name.toml", &wrong(&|it| it["name"] = text()));
        self.write("bad/role.toml", &wrong(&|it| it["tools"]["roles"] = vec![text()].into()));
        self.write(
            "bad/place.toml",
            &wrong(&|it| it["stubborn"]["title"] = format!("{{{}}}", self.text).into()),
        );
        self.write("bad/state.toml", &wrong(&|it| it["stubborn"]["start"] = text()));
        self.write("bad/version.toml", &wrong(&|it| it["format"] = text()));
        self.write("bad/old.toml", &wrong(&|it| it["format"] = 1.into()));
        self.write("bad/syntax.toml", &format!("{}\n{scenario}", self.text));
    }

    fn settings(&self) {
        // TOML and JSON escape in the same way, and TOML one character more.
        let message = json!(self.text).to_string().replace('\u{7f}', "\\u007f");
        self.write("settings.toml", &format!("[no-tools]\nmessage = {message}\n"));
        self.write("unknown.toml", &format!("[{message}]\na = 1\n"));
        self.write("wrong.toml", &format!("[no-tools]\n{message} = {message}\n"));
        self.write("tools.toml", &format!("{message} = \"read-only\"\n"));
        self.write("wrong-tools.toml", &format!("x = {message}\n"));
        let profile = |name: &str, rest: &str| {
            let head = format!("format = 1\nagent = {name}\nversion = {message}\n{rest}\n");
            head + "[run]\napi = \"openai\"\ncommand = [\"cat\", \"said\", \"{task}\", \"{url}\"]\n"
        };
        self.write("agent.toml", &profile("\"small\"", ""));
        self.write("named-agent.toml", &profile(&message, ""));
        self.write("wrong-agent.toml", &profile("\"small\"", &format!("{message} = 1")));
    }

    /// The recorded runs of the tests in every format that is read, and some that no format has.
    fn logs(&self) {
        let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
        for entry in fs::read_dir(logs).expect("a folder") {
            let path = entry.expect("it can be read").path();
            let text = fs::read_to_string(&path).expect("a text");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let lines = text.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
            let changed: String = match serde_json::from_str::<Value>(&text) {
                Ok(whole) => self.said(whole).to_string(),
                Err(_) => lines.map(|it| self.said(it).to_string() + "\n").collect(),
            };
            self.write(format!("logs/{name}"), &changed);
        }
        let call = |at: usize| {
            let id = format!("{at}{}", self.cell());
            let function = json!({"name": self.text, "arguments": json!({"path": self.text}).to_string()});
            [
                json!({"role": "assistant", "content": self.text,
                    "tool_calls": [{"id": id, "type": "function", "function": function}]}),
                json!({"role": "tool", "tool_call_id": id, "content": self.text}),
            ]
        };
        let run = |id: &str, calls: usize, outcome: &str| {
            let opening = json!({"role": "user", "content": self.text});
            let messages: Vec<Value> = [opening].into_iter().chain((0..calls).flat_map(call)).collect();
            json!({"id": id, "model": self.text, "outcome": outcome, "messages": messages}).to_string()
        };
        let runs = [
            run(&self.cell(), 9, "failed"),
            run(&format!("{} again", self.cell()), 7, "resolved"),
            // A bad line, and one that is no JSON.
            json!({"messages": [{"role": self.text, "content": self.text}]}).to_string(),
            self.cell(),
        ];
        self.write(format!("logs/{}.jsonl", self.name()), &runs.join("\n"));
        self.write("runs/own.jsonl", &runs[..2].join("\n"));
        let columns = balk::replay::labels::COLUMNS.join("\t");
        let cell = self.cell();
        let row = |message: usize, label: &str| {
            format!("{cell}\t{message}\t{label}\t{cell}\t-\t2\t0\t1.000\t{cell}")
        };
        self.write("labels.tsv", &format!("{columns}\n{}\n{}\n", row(5, "stuck"), row(13, "legit")));
        self.write("wrong-labels.tsv", &format!("{columns}\n{}\n", row(5, &cell)));
    }

    /// A recording in which texts say the hostile one as well, and what has a name is named so.
    fn said(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(inside @ (Value::Object(_) | Value::Array(_))) => self.said(inside).to_string().into(),
                Ok(_) | Err(_) if text.contains(' ') => format!("{text} {}", self.text).into(),
                Ok(_) | Err(_) => text.into(),
            },
            Value::Array(all) => all.into_iter().map(|it| self.said(it)).collect(),
            Value::Object(members) => {
                let member = |(name, value): (String, Value)| match (&*name, value) {
                    ("name" | "model" | "tool_name" | "instance_id", Value::String(_)) => {
                        (name, self.text.clone().into())
                    }
                    (_, value) => (name, self.said(value)),
                };
                Value::Object(members.into_iter().map(member).collect())
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
        }
    }

    fn documents(&self) {
        let text = &self.text;
        let tool = json!({"name": text, "side_effect": "write", "executed_by": "loop", text: text});
        let incident = json!({"cause": "status", "status": 503, "message": text, text: text, "offer": [tool],
            "facts": {"started": [text], "tool_execution_started": true, text: {text: text}}});
        self.write("incident.json", &incident.to_string());
        self.write("wrong-incident.json", &json!({"cause": text}).to_string());
        self.write("other-incident.json", &json!({"classification": text, text: text}).to_string());
        self.write("wrong-gap.json", &json!({"schema": 1, text: text}).to_string());
        self.write("said", text);
        self.write("typed", &format!("{0}\ns3 #{0}\nl2 @1 {0}\n?\nu\nb\nl\ns\nl\nu\nq\n", self.cell()));
        self.write("report.md", &format!("{text}\n<!-- balk report short -->\n<!-- end -->\n"));
        self.write("wrong-report.md", &format!("<!-- balk report {} -->\n<!-- end -->\n", self.cell()));
        self.write("wrong/bench.jsonl", &format!("{}\n", self.cell()));
        self.write("wrong/runs.json", &json!({text: text}).to_string());
    }

    /// Guards in other processes: one that intervenes in these words, and some that break in them.
    fn scripts(&self) {
        let hello = json!({"hello": {"protocol": 1, "guard": "g", "answers": ["review"]}});
        let note = json!({"rule": self.text, "text": self.text});
        let answer = json!({"review": {"verdict": {"retry": note}, "notices": [note]}});
        let script = |hello: &Value, answer: &str| {
            let (hello, answer) = (quoted(&hello.to_string()), quoted(answer));
            let review = "'{\"review\"'*";
            format!(
                "say() {{ printf '%s\\n' \"$1\"; }}; read -r _; say {hello}\n\
                 while read -r l; do case $l in {review}) say {answer};; esac; done\n"
            )
        };
        self.write("guard.sh", &script(&hello, &answer.to_string()));
        self.write("breaks.sh", &script(&hello, &self.cell()));
        self.write("refused.sh", &script(&json!({"hello": {"guard": self.text}}), ""));
        self.write("complains.sh", &format!("printf %s {} >&2; exit 3\n", quoted(&self.argument())));
    }
}
