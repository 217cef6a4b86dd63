//! A small agent: a loop over OpenAI's chat API with a shell and a tool that writes files. It has no guard, no retry
//! and nothing to say, as many agents have; options give it what a better one has. `balk crash` is tried on it.
//!
//!     small_agent URL TASK [--turns N] [--stops-at N] [--corrects] [--resends] [--own-programs] [--tidies] [--awake]
//!         [--habits] [--quits N] [--no-tools] [--late] [--title-tool]

#![expect(
    clippy::disallowed_methods,
    reason = "an agent has the files and the environment that it was given"
)]

use std::env;
use std::error::Error;
use std::fs;
use std::process::{self, Command, ExitCode};

use serde_json::{Value, json};

/// What the options say.
#[derive(Default)]
struct Manners {
    /// The most turns. The user is told when they are over.
    turns: Option<usize>,
    /// So many equal calls in a row are a loop. The user is told.
    stops_at: Option<usize>,
    /// Whether an answer without a call is corrected once.
    corrects: bool,
    /// Whether a request that failed is sent again, twice.
    resends: bool,
    /// Whether its shell finds the system's programs before those in `PATH`, as one with programs of its own does.
    own_programs: bool,
    /// Whether it shows arguments that cannot be read as none at all.
    tidies: bool,
    /// Whether it refuses to sleep.
    awake: bool,
    /// The number of the turn at which it ends without a word, and with exit code 3.
    quits: Option<usize>,
    /// Whether it offers its model no tools.
    no_tools: bool,
    /// Whether it asks again after its work: for a title, with its tools on offer, and once more what it asked first.
    late: bool,
    /// Whether it asks for a title first, by a tool that gives one, and goes on without.
    title_tool: bool,
    /// Whether it asks for a title first, adds a reminder to the task, and puts words around every result.
    habits: bool,
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let (Some(url), Some(task)) = (arguments.next(), arguments.next()) else {
        return complain("expected a URL and a task");
    };
    let mut manners = Manners::default();
    while let Some(option) = arguments.next() {
        let mut number = || arguments.next().and_then(|it| it.parse().ok());
        match option.as_str() {
            "--turns" => manners.turns = number(),
            "--stops-at" => manners.stops_at = number(),
            "--corrects" => manners.corrects = true,
            "--resends" => manners.resends = true,
            "--own-programs" => manners.own_programs = true,
            "--tidies" => manners.tidies = true,
            "--awake" => manners.awake = true,
            "--quits" => manners.quits = number(),
            "--no-tools" => manners.no_tools = true,
            "--late" => manners.late = true,
            "--habits" => manners.habits = true,
            "--title-tool" => manners.title_tool = true,
            _ => return complain("an unknown option"),
        }
    }
    match play(&url, &task, &manners) {
        Ok(code) => code,
        Err(error) => complain(&error.to_string()),
    }
}

#[expect(clippy::print_stderr, reason = "this is a program, and its user reads that")]
fn complain(what: &str) -> ExitCode {
    eprintln!("Error: {what}");
    ExitCode::FAILURE
}

#[expect(clippy::print_stdout, reason = "this is a program, and its user reads that")]
fn say(what: &str) {
    println!("{what}");
}

fn play(url: &str, task: &str, manners: &Manners) -> Result<ExitCode, Box<dyn Error>> {
    let mut messages = vec![json!({"role": "user", "content": task})];
    if manners.habits {
        let title = [json!({"role": "system", "content": "You write titles."}), messages[0].clone()];
        send(url, &json!({"model": "any", "messages": title}), manners)?;
        let reminder =
            format!("<reminder>\nYou are process {} of this machine.\n</reminder>\n\n{task}", process::id());
        messages = vec![json!({"role": "user", "content": reminder})];
    }
    if manners.title_tool {
        let parameters = json!({"type": "object", "properties": {"title": {"type": "string"}}});
        let tool = json!({"type": "function", "function": {"name": "set_title", "parameters": parameters}});
        // It does without a title.
        let _ = send(url, &json!({"model": "any", "messages": messages, "tools": [tool]}), manners);
    }
    let (mut last, mut row) = (Value::Null, 0);
    let mut has_corrected = false;
    for turn in 0.. {
        if manners.turns.is_some_and(|most| turn >= most) {
            say("Stopped: the limit of turns is reached, and the task is not done.");
            return Ok(ExitCode::FAILURE);
        }
        if manners.quits == Some(turn) {
            return Ok(ExitCode::from(3));
        }
        let mut message = ask(url, &messages, manners)?;
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if manners.tidies {
            tidy(&mut message);
        }
        messages.push(message.clone());
        if calls.is_empty() {
            if manners.corrects && !has_corrected {
                has_corrected = true;
                messages.push(
                    json!({"role": "user", "content": "Your last message calls no tool. Call one now."}),
                );
                continue;
            }
            if manners.late {
                let title = json!({"role": "user", "content": "Write a title for this chat."});
                ask(url, &[title], manners)?;
                ask(url, &messages[..1], manners)?;
            }
            say(message["content"].as_str().unwrap_or_default());
            return Ok(ExitCode::SUCCESS);
        }
        let asked: Value = calls.iter().map(|it| it["function"].clone()).collect();
        row = if asked == last { row + 1 } else { 1 };
        last = asked;
        if manners.stops_at.is_some_and(|most| row >= most) {
            say("Stopped: the model repeats the same call. The task is not done.");
            return Ok(ExitCode::FAILURE);
        }
        for call in calls {
            let mut content = run(&call["function"], manners);
            if manners.habits {
                content = format!("Turn {turn}, result:\n{content}\n(end of the result)");
            }
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
        }
    }
    unreachable!("turns go on until one of them returns")
}

/// The message that the model answers.
fn ask(url: &str, messages: &[Value], manners: &Manners) -> Result<Value, Box<dyn Error>> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let tool = |name: &str, members: Value, required: Value| {
        let parameters = json!({"type": "object", "properties": members, "required": required});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let tools = json!([
        tool("shell", json!({"command": text("A command.")}), json!(["command"])),
        tool(
            "write_file",
            json!({"path": text("A path."), "content": text("The text.")}),
            json!(["path", "content"])
        ),
    ]);
    let tools = if manners.no_tools { json!([]) } else { tools };
    send(url, &json!({"model": "any", "messages": messages, "tools": tools}), manners)
}

/// The message in the response to a request.
fn send(url: &str, request: &Value, manners: &Manners) -> Result<Value, Box<dyn Error>> {
    let mut tries = if manners.resends { 3 } else { 1 };
    loop {
        tries -= 1;
        let sent = ureq::post(url).header("content-type", "application/json").send(request.to_string());
        match sent.and_then(|mut it| it.body_mut().read_to_string()) {
            Ok(body) => return Ok(serde_json::from_str::<Value>(&body)?["choices"][0]["message"].take()),
            Err(error) if tries == 0 => return Err(error.into()),
            Err(_) => {}
        }
    }
}

/// Takes the arguments away that cannot be read.
fn tidy(message: &mut Value) {
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        let arguments = &mut call["function"]["arguments"];
        let can_be_read = |it| serde_json::from_str::<Value>(it).is_ok();
        if !arguments.as_str().is_some_and(can_be_read) {
            *arguments = json!("{}");
        }
    }
}

/// What a tool answers.
fn run(function: &Value, manners: &Manners) -> String {
    let arguments: Value =
        function["arguments"].as_str().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    match function["name"].as_str() {
        Some("shell") if manners.awake && text("command").starts_with("sleep") => {
            "Blocked: no sleep here. Wait until the job is through.".to_owned()
        }
        Some("shell") => match shell(text("command"), manners).output() {
            Ok(output) => {
                let printed = [output.stdout, output.stderr].concat();
                let code = output.status.code().unwrap_or(-1);
                format!("{}\nexit code {code}", String::from_utf8_lossy(&printed).trim_end())
            }
            Err(error) => format!("error: {error}"),
        },
        Some("write_file") => match fs::write(text("path"), text("content")) {
            Ok(()) => "The file was written.".to_owned(),
            Err(error) => format!("error: {error}"),
        },
        _ => "error: there is no such tool".to_owned(),
    }
}

fn shell(command: &str, manners: &Manners) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    if manners.own_programs {
        let path = env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("/usr/bin:/bin:{path}"));
    }
    shell
}
