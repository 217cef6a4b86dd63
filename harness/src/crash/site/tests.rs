//! Calls that meet the folder, made by tools that a small agent has.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use balk_contract::{RawCall, Tool};
use balk_scenarios::toolsets::{self, bind};
use balk_scenarios::{World, WorldOptions, format};
use serde_json::{Value, json};

use crate::files::write_passing;

use super::*;
use crate::crash::place::Folder;

/// One that has a tool for everything, and one that has only a shell.
const CLAUDE_CODE: &str = include_str!("../../../../scenarios/tests/agents/claude-code.json");
const MINI_SWE_AGENT: &str = include_str!("../../../../scenarios/tests/agents/mini-swe-agent.json");

struct Run {
    folder: Folder,
    place: Place,
    site: Site,
    world: Arc<World>,
    environment: Environment,
}

impl Run {
    fn new() -> Self {
        Self::of(CLAUDE_CODE, &[Role::Read, Role::Write, Role::Edit, Role::List, Role::Shell])
    }

    /// With an agent that writes, reads and lists in its shell.
    fn in_shell() -> Self {
        Self::of(MINI_SWE_AGENT, &[Role::Read, Role::Write, Role::List, Role::Shell])
    }

    fn of(agent: &str, roles: &[Role]) -> Self {
        let all = format::parse("tests.toml", include_str!("tests.toml"), toolsets::catalogue());
        let scenario = all.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0);
        let tools: Vec<Value> = serde_json::from_str(agent).expect("the list of tools is JSON");
        let tool = |it: &Value| {
            let name = it["name"].as_str().expect("a tool has a name");
            Tool::new(name).parameters(&it["parameters"].to_string())
        };
        let tools: Vec<Tool> = tools.iter().map(tool).collect();
        let set = bind("agent", roles, &tools, &[]).expect("it has all tools");
        let world = World::with_tools(&scenario, 0, WorldOptions::default(), &set.clone().into());
        let environment = Environment::new(&world);
        let folder = Folder::new().expect("a folder");
        let place = Place::new(folder.path(), environment.files(), &[]).expect("a place");
        let site = Site::new(&place, &environment);
        Self { folder, place, site, world, environment }
    }

    fn call(&self, tool: &str, arguments: &Value) -> ToolCall {
        let raw = RawCall { id: "1".into(), tool: tool.into(), arguments: arguments.to_string().into() };
        ToolCall::new(raw, self.world.offer())
    }

    fn write(&self, path: &str, content: &str) -> ToolCall {
        self.call("Write", &json!({"file_path": path, "content": content}))
    }

    fn read(&self, path: &str) -> ToolCall {
        self.call("Read", &json!({"file_path": path}))
    }

    fn shell(&self, command: &str) -> ToolCall {
        let tool = self.world.offer().tools().iter().find(|it| it.name.eq_ignore_ascii_case("bash"));
        self.call(&tool.expect("it has a shell").name, &json!({"command": command}))
    }

    /// Makes these calls with tools that do what they are asked to, one after another.
    fn turn(&mut self, calls: &[ToolCall]) -> Vec<(Came, String)> {
        let armed = self.site.arm(&self.environment, calls).expect("it can be armed");
        let results: Vec<String> = calls.iter().map(|it| does(&self.place, it)).collect();
        self.came(armed, &results)
    }

    fn came(&mut self, armed: Armed, results: &[String]) -> Vec<(Came, String)> {
        let given: Vec<Option<&str>> = results.iter().map(|it| Some(it.as_str())).collect();
        let outcome = self.site.came_of(armed, &given).expect("the folder can be read");
        self.environment = outcome.environment;
        outcome.came.into_iter().zip(results.iter().cloned()).collect()
    }

    /// One call, its result and what came of it.
    fn one(&mut self, call: ToolCall) -> (Came, String) {
        self.turn(&[call]).remove(0)
    }

    fn file(&self, path: &str) -> Option<String> {
        folder::text(&self.place.workspace.join(path)).expect("it can be read")
    }

    /// The names in the folders that a run should leave as they were.
    fn names(&self) -> Vec<String> {
        let read = |it: &Path| fs::read_dir(it).expect("a folder").map(|it| it.expect("a name").path());
        let all = [&self.place.workspace, &self.place.programs, &self.place.notes].map(|it| read(it));
        let mut names: Vec<String> = all
            .into_iter()
            .flatten()
            .map(|it| it.strip_prefix(self.folder.path()).unwrap_or(&it).display().to_string())
            .collect();
        names.sort();
        names
    }
}

/// What the agent's tools do.
fn does(place: &Place, call: &ToolCall) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("the arguments are JSON");
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let path = place.workspace.join(text("file_path"));
    let done = match &*call.tool {
        "Write" => fs::create_dir_all(path.parent().expect("it has one"))
            .and_then(|()| write_passing(&path, text("content"))),
        "Edit" => fs::read_to_string(&path)
            .and_then(|old| write_passing(&path, old.replacen(text("old_string"), text("new_string"), 1))),
        "Read" => return fs::read_to_string(&path).unwrap_or_else(|error| format!("error: {error}")),
        _ => {
            let output = place.command("sh").args(["-c", text("command")]).output().expect("it runs");
            let status = output.status.code().map_or("killed".to_owned(), |it| it.to_string());
            let said = [output.stdout, output.stderr].concat();
            return format!("{}[{status}]", String::from_utf8_lossy(&said));
        }
    };
    done.map_or_else(|error| format!("error: {error}"), |()| "written".to_owned())
}

fn said(text: &str) -> (Came, String) {
    (Came::AsSaid, text.to_owned())
}

#[test]
fn writes_work_or_fail_as_the_scenario_says() {
    let mut run = Run::new();
    let before = run.names();
    assert_eq!(run.one(run.write("new/deep/a.txt", "x")), said("written"));
    for path in ["refused/a.txt", "README.md"] {
        let (came, result) = run.one(run.write(path, "x"));
        assert_eq!(came, Came::AsSaid, "{path}");
        assert!(result.starts_with("error: "), "{path}: {result}");
    }
    assert_eq!(run.file("README.md").as_deref(), Some("# title\nsecond line\n"));
    assert_eq!(run.one(run.write("pretended.txt", "x")), said("written"));
    assert_eq!(run.file("pretended.txt"), None, "the tool only said that it wrote");
    let mut after = run.names();
    after.retain(|it| !it.ends_with("/new"));
    assert_eq!(after, before);
}

#[test]
fn a_shell_that_writes_and_reads_meets_the_same() {
    let mut run = Run::in_shell();
    let (came, result) = run.one(run.shell("printf %s 'x' > refused.txt"));
    assert_eq!(came, Came::AsSaid, "{result}");
    assert!(result.ends_with("[2]") || result.ends_with("[1]"), "{result}");
    assert_eq!(run.one(run.shell("printf %s 'done' > docs/out.txt")), said("[0]"));
    assert_eq!(run.file("docs/out.txt").as_deref(), Some("done"));
    assert!(run.environment.goal());
    assert_eq!(run.one(run.shell("cat -- src/a.py")), said("one = 1\ntwo = 2\n[0]"));
    assert_eq!(run.one(run.shell("cat -- page.txt")), said("page 7 of 9[0]"));
    assert_eq!(run.one(run.shell("ls -A -- src")), said("a.py\n[0]"));
    assert_eq!(run.one(run.shell("ls -A -- empty")), said("[0]"), "a list without a name");
    assert_eq!(run.one(run.shell("ls")).0, Came::AsSaid);
}

/// Some shells lose what a short program prints.
#[test]
fn what_a_shell_read_or_listed_is_known_although_the_result_does_not_show_it() {
    let mut run = Run::in_shell();
    let before = run.names();
    for command in ["cat -- src/a.py", "cat -- page.txt", "ls -A -- src", "ls"] {
        let call = run.shell(command);
        let armed = run.site.arm(&run.environment, std::slice::from_ref(&call)).expect("it can be armed");
        does(&run.place, &call);
        assert_eq!(run.came(armed, &["(empty)".to_owned()])[0].0, Came::AsSaid, "{command}");
        let armed = run.site.arm(&run.environment, &[call]).expect("it can be armed");
        let came = &run.came(armed, &["(empty)".to_owned()])[0].0;
        assert_eq!(*came, Came::NotKnown("the result does not show it"), "{command} did not run");
    }
    assert_eq!(run.names(), before);
}

#[test]
fn what_did_not_run_is_found() {
    let mut run = Run::new();
    let before = run.names();
    let calls =
        [run.write("a.txt", "x"), run.shell("make docs"), run.write("b.txt", "y"), run.write("c.txt", "z")];
    let armed = run.site.arm(&run.environment, &calls).expect("it can be armed");
    write_passing(&run.place.workspace.join("b.txt"), "other").expect("a file");
    write_passing(&run.place.workspace.join("c.txt"), "z\n").expect("a file");
    let came: Vec<Came> =
        run.came(armed, &vec!["ok".to_owned(); 4]).into_iter().map(|(came, _)| came).collect();
    let other = Came::Otherwise("the file has another text");
    assert_eq!(came, [Came::NotRun, Came::NotRun, other, Came::AsSaid]);
    assert!(!run.environment.files().contains_key("a.txt"), "the world goes on without it");
    assert_eq!(run.file("b.txt").as_deref(), Some("other"), "it is the agent's");
    fs::remove_file(run.place.workspace.join("b.txt")).expect("it is there");
    fs::remove_file(run.place.workspace.join("c.txt")).expect("it is there");
    assert_eq!(run.names(), before);
    // The command did not run before, so this is its first time.
    assert_eq!(run.one(run.shell("make docs")), said("make: *** exit status 2\n[2]"));
}

#[test]
fn commands_answer_what_the_scenario_says() {
    let mut run = Run::new();
    let before = run.names();
    assert_eq!(run.one(run.shell("make docs 2>&1 | tail -5")), said("make: *** exit status 2\n[2]"));
    let both =
        [run.shell("cd src && A=1 timeout 9 make docs"), run.shell("cd src && A=1 timeout 9 make docs")];
    assert_eq!(run.turn(&both), [said("it's built: 100%\n[0]"), said("it's built: 100%\n[0]")]);
    assert_eq!(run.file("docs/built.txt").as_deref(), Some("built\n"), "the rule writes it");
    assert_eq!(run.file("old.txt"), None, "the rule deletes it");
    assert_eq!(run.one(run.shell("nosuch --help")), said("sh: 1: nosuch: not found\n[127]"));
    assert_eq!(run.one(run.shell("./run.sh make docs")), said("it's built: 100%\n[0]"));
    assert_eq!(run.one(run.shell("make lock && git status || echo no")).0, Came::AsSaid);
    assert_eq!(run.one(run.shell("make lock")), said("[0]"), "it prints nothing");
    assert_eq!(run.one(run.shell("make lock > /dev/null 2>&1 &")), said("[0]"), "its note comes late");
    for (left_alone, why) in [
        ("echo hi", "no program of it can have a stand-in"),
        ("/usr/bin/env make docs", "no program of it can have a stand-in"),
        ("for i in 1; do make docs; done", "a script, or a line that no shell understands"),
        ("cd /no/such && make docs", "a folder that this machine does not have"),
    ] {
        assert_eq!(run.one(run.shell(left_alone)).0, Came::NotKnown(why), "{left_alone}");
    }
    let mut after = run.names();
    after.retain(|it| !it.ends_with("/docs"));
    let before: Vec<String> = before.into_iter().filter(|it| !it.ends_with("old.txt")).collect();
    assert_eq!(after, before);
    if run.place.find("git").is_some() {
        let log = run.place.command("git").args(["log", "--oneline"]).output().expect("it runs");
        assert!(log.status.success(), "real programs are as they were");
    }
}

#[test]
fn reads_show_what_the_scenario_says() {
    let mut run = Run::new();
    let before = run.names();
    assert_eq!(run.one(run.read("README.md")), said("# title\nsecond line\n"));
    assert_eq!(run.one(run.read("./page.txt")), said("page 7 of 9"));
    let (came, result) = run.one(run.read("none.txt"));
    assert_eq!(came, Came::AsSaid, "{result}");
    assert_eq!(run.one(run.shell("make lock")).0, Came::AsSaid);
    let (came, result) = run.one(run.read("src/a.py"));
    assert!(came == Came::AsSaid && result.starts_with("error: "), "{result}");
    assert_eq!(run.file("src/a.py").as_deref(), Some("one = 1\ntwo = 2\n"), "it is back");
    // A result without the words says nothing about the call.
    let armed = run.site.arm(&run.environment, &[run.read("README.md")]).expect("it can be armed");
    assert_eq!(
        run.came(armed, &["unchanged".to_owned()])[0].0,
        Came::NotKnown("the result does not show it")
    );
    assert_eq!(run.names(), before);
}

#[test]
fn edits_change_what_is_there() {
    let mut run = Run::new();
    let edit = |run: &Run, old: &str, new: &str| {
        run.call("Edit", &json!({"file_path": "src/a.py", "old_string": old, "new_string": new}))
    };
    assert_eq!(run.one(edit(&run, "two = 2", "two = 3")), said("written"));
    assert_eq!(run.file("src/a.py").as_deref(), Some("one = 1\ntwo = 3\n"));
    let call = edit(&run, "three", "four");
    let armed = run.site.arm(&run.environment, &[call]).expect("it can be armed");
    assert_eq!(run.came(armed, &["error: not found".to_owned()])[0].0, Came::AsSaid, "it fails by itself");
}

#[test]
fn the_goal_is_decided_by_what_the_folder_has() {
    let mut run = Run::new();
    assert_eq!(run.one(run.write("docs/out.txt", "done")), said("written"));
    assert!(run.environment.goal());
    fs::remove_file(run.place.workspace.join("docs/out.txt")).expect("it is there");
    assert!(!run.site.look(&mut run.environment));
    assert!(!run.environment.goal());
    assert_eq!(run.environment.files().len(), 3, "git's own files are not the task's");
}

/// The agent's own use of a program goes on while a stand-in is there.
#[test]
fn a_stand_in_does_not_disturb_the_agents_own_programs() {
    let mut run = Run::new();
    let armed = run.site.arm(&run.environment, &[run.shell("sh -c 'make docs'")]).expect("it can be armed");
    let mut own: Command = run.place.command("sh");
    let own = own.args(["-c", "echo own"]).output().expect("it runs");
    assert_eq!(own.stdout, b"own\n");
    let result = does(&run.place, &run.shell("sh -c 'make docs'"));
    assert_eq!(run.came(armed, &[result]), [said("make: *** exit status 2\n[2]")]);
}
