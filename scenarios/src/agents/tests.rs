//! Profiles that come with Balk, on texts as their agents sent them.

use balk_contract::Tool;
use balk_contract::wire::Dialect;

use super::*;
use crate::scenario::{Role, ToolsetTool};

/// What a healthy run of an agent sent, and what is left of it.
#[track_caller]
fn check(agent: &str, place: Place, sent: &str, text: &str, failed: Option<bool>) {
    let profile = find(agent).expect("the profile comes with Balk");
    let found = profile.plain(place, sent);
    assert_eq!((&*found.text, found.failed), (text, failed), "{agent}");
}

#[test]
fn profiles_are_named_like_their_files() {
    let names: Vec<String> = catalogue().iter().map(|it| format!("agents/{}.toml", it.agent)).collect();
    assert_eq!(names, FILES.map(|(name, _)| name));
    assert!(find("no-such-agent").is_none());
}

#[test]
fn the_words_of_a_shell_are_without_what_is_around_them() {
    let missing = "ls: cannot access 'nope': No such file or directory";
    let codex = |code: u32, output: &str| {
        format!(
            "Chunk ID: 6423ee\nWall time: 0.0000 seconds\nProcess exited with code {code}\n\
             Original token count: 1\nOutput:\n{output}"
        )
    };
    check("codex", Place::Result, &codex(0, "hi\n"), "hi\n", Some(false));
    check("codex", Place::Result, &codex(0, ""), "", Some(false));
    check("codex", Place::Result, &codex(2, missing), missing, Some(true));
    check("codex", Place::Result, "hi", "hi", None);
    let cut = "Warning: truncated output (original token count: 9)\nTotal output lines: 7\n\n1…7";
    check("codex", Place::Result, &codex(0, cut), "1…7", Some(false));
    let gemini =
        |inside: &str| format!("<untrusted_context>\n{inside}\nProcess Group PGID: 72\n</untrusted_context>");
    check("gemini-cli", Place::Result, &gemini("Output: hi"), "hi", Some(false));
    let failed = format!("Output: {missing}\nExit Code: 2");
    check("gemini-cli", Place::Result, &gemini(&failed), missing, Some(true));
    check("gemini-cli", Place::Result, &gemini("Output: hi\nSignal: 9"), "hi", Some(true));
    let long = format!(
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /h/1.txt\n{}",
        gemini("Output: 1…9")
    );
    check("gemini-cli", Place::Result, &long, "1…9", Some(false));
    let qwen = format!(
        "Command: ls nope\nDirectory: (root)\nOutput: {missing}\nError: (none)\nExit Code: 2\nSignal: (none)\n\
         Process Group PGID: 7"
    );
    check("qwen-code", Place::Result, &qwen, missing, Some(true));
    let mini = "{\n  \"returncode\": 0,\n  \"output\": \"a\\nb\\n\"\n}";
    check("mini-swe-agent", Place::Result, mini, "a\nb\n", Some(false));
    let long = "{\n  \"returncode\": 1,\n  \"output_head\": \"1\\n\",\n  \"output_tail\": \"9\\n\",\n  \
                \"elided_chars\": 593,\n  \"warning\": \"Output too long.\"\n}";
    check("mini-swe-agent", Place::Result, long, "1\n", Some(true));
    for framework in
        ["langchain", "langchain-anthropic", "openai-agents", "openai-agents-chat", "pydantic-ai"]
    {
        check(
            framework,
            Place::Result,
            &format!("{missing}\n\nexit code 2"),
            &format!("{missing}\n"),
            Some(true),
        );
        check(framework, Place::Result, "hi\n", "hi\n", None);
    }
    let left = "<system-reminder>\n<total_tokens>14999890 tokens left</total_tokens>\n</system-reminder>";
    check("claude-code", Place::Result, &format!("hi\n\n{left}"), "hi", None);
    check("claude-code", Place::Result, &format!("Exit code 2\n{missing}\n\n{left}"), missing, Some(true));
    let error = format!("<tool_use_error>ENOTDIR: not a directory</tool_use_error>\n\n{left}");
    check("claude-code", Place::Result, &error, "ENOTDIR: not a directory", Some(true));
    let reminders = "[This command modified 1 file you've previously read: a.txt. Call Read before editing.]\n\n\
                     <system-reminder>\nNote: /w/a.txt changed on disk since you last read it. Take it as it is.\n\
                     1\tx\n</system-reminder>\n\n<system-reminder>\nThe task tools haven't been used recently. \
                     This is just a gentle reminder - ignore if not applicable.\n\n</system-reminder>\n\n\
                     <system-reminder>\n# Environment update\n - Primary working directory: /w/a\n</system-reminder>";
    check("claude-code", Place::Result, &format!("hi\n\n{reminders}\n\n{left}"), "hi", None);
    let slow =
        "hi\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout.\n</shell_metadata>";
    check("opencode", Place::Result, slow, "hi", Some(true));
    let read = "<path>/w/a.txt</path>\n<type>file</type>\n<content>\n1: hello\n</content>";
    check("opencode", Place::Result, read, "1: hello", None);
}

/// A reminder that no healthy run has is left where it is: the actor takes it for an intervention.
#[test]
fn a_word_that_no_healthy_run_has_stays() {
    let stop = "hi\n\n<system-reminder>\nStop repeating this call.\n</system-reminder>";
    for profile in catalogue() {
        for place in [Place::User, Place::Result] {
            assert_eq!(
                profile.plain(place, stop),
                Plain { text: stop.into(), failed: None },
                "{}",
                profile.agent
            );
        }
    }
}

#[test]
fn the_words_of_the_user_are_without_what_is_added_to_them() {
    let task = "Write hello.txt.";
    let block = |inside: &str| format!("<system-reminder>\n{inside}\n</system-reminder>\n");
    check("codex", Place::User, "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", "", None);
    check("opencode", Place::User, &format!("\"{task}\""), task, None);
    check(
        "gemini-cli",
        Place::User,
        &format!("<session_context>\nThis is it.\n</session_context>\n{task}"),
        task,
        None,
    );
    let claude: String = [
        "# Environment\n - Shell: bash",
        "You are powered by a model.",
        "The following deferred tools are available.",
        "Available agent types for the Agent tool:",
        "The following skills are available:",
        "<total_tokens>15000000 tokens left</total_tokens>",
        "As you answer the user's questions, you can use this.",
        "Today's date is 2026-11-25.",
        "Attribution for git commits:",
    ]
    .map(block)
    .concat();
    check("claude-code", Place::User, &(claude + task), task, None);
    let qwen: String = [
        "The following skills are available",
        "This is the Qwen Code. We are setting up the context.",
        "The following tools are reachable through others.",
        "The current date is: Wednesday.",
    ]
    .map(block)
    .concat();
    check("qwen-code", Place::User, &(qwen + task), task, None);
    let mini = format!(
        "Please solve this issue: {task}\n\nYou can execute bash commands and edit files.\n\n<system_information>\n\
         Linux\n</system_information>\n\n## Useful command examples\n"
    );
    check("mini-swe-agent", Place::User, &mini, task, None);
}

#[test]
fn side_calls_are_told_by_their_system_text_and_tools() {
    let side = |agent: &str, system: &str, tools| find(agent).and_then(|it| it.side_call(system, tools));
    assert_eq!(side("opencode", "You are a title generator. You output a title.", 0), Some("title"));
    assert_eq!(side("opencode", "You are a title generator. You output a title.", 10), None);
    assert_eq!(side("opencode", "You are opencode, a tool.", 10), None);
    let memory = "You are now acting as the managed memory extraction subagent for an assistant.";
    assert_eq!(side("qwen-code", memory, 6), Some("memory"));
    assert_eq!(side("gemini-cli", "You are a diagnostic agent that looks for loops", 0), Some("loop"));
    for profile in catalogue() {
        assert_eq!(profile.side_call("You are a coding agent.", 4), None, "{}", profile.agent);
    }
}

const FILLING: Filling<'_> = Filling {
    task: "Write {hello}.txt, \"now\".",
    url: "http://127.0.0.1:8080",
    home: "/h",
    workspace: "/w",
};

/// How an agent is run.
fn run_of(agent: &str) -> &'static Run {
    find(agent).and_then(Profile::run).expect("the profile says how it is run")
}

#[test]
fn each_profile_says_how_it_is_run() {
    let run =
        |agent: &str| find(agent).and_then(Profile::run).map(|it| (it.api, it.command[0].fill(&FILLING)));
    let expected = [
        ("claude-code", Dialect::Anthropic, "claude"),
        ("codex", Dialect::Responses, "codex"),
        ("gemini-cli", Dialect::Gemini, "gemini"),
        ("langchain", Dialect::OpenAi, "python3"),
        ("langchain-anthropic", Dialect::Anthropic, "python3"),
        ("mini-swe-agent", Dialect::OpenAi, "mini"),
        ("openai-agents", Dialect::Responses, "python3"),
        ("openai-agents-chat", Dialect::OpenAi, "python3"),
        ("opencode", Dialect::OpenAi, "opencode"),
        ("pydantic-ai", Dialect::OpenAi, "python3"),
        ("qwen-code", Dialect::OpenAi, "qwen"),
    ];
    assert_eq!(catalogue().len(), expected.len());
    for (agent, api, program) in expected {
        assert_eq!(run(agent), Some((api, program.to_owned())), "{agent}");
    }
}

#[test]
fn every_hole_of_every_profile_is_filled() {
    for profile in catalogue() {
        let agent = profile.agent.as_str();
        let run = run_of(agent);
        let (command, resume) = (run.command(&FILLING), run.resume(&FILLING));
        let (env, files) = (run.env(&FILLING), run.files(&FILLING));
        for command in [Some(&command), resume.as_ref()].into_iter().flatten() {
            assert_eq!(command.iter().filter(|it| *it == FILLING.task).count(), 1, "{agent}: {command:?}");
        }
        let texts = command.iter().chain(resume.iter().flatten()).filter(|it| *it != FILLING.task);
        let texts = texts.chain(env.iter().chain(&files).map(|(_, text)| text));
        let ours = |text: &str| drivers::DRIVERS.iter().any(|(_, driver)| *driver == text);
        let texts: Vec<&str> = texts.map(String::as_str).filter(|it| !ours(it)).collect();
        for hole in ["{task}", "{url}", "{home}", "{workspace}"] {
            assert!(!texts.iter().any(|it| it.contains(hole)), "{agent} has {hole} left: {texts:#?}");
        }
        assert!(texts.iter().any(|it| it.contains(FILLING.url)), "{agent} is not told where its model is");
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".json")) {
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{agent}: {path} is not JSON");
        }
    }
}

/// What is pinned is what the profile says of.
#[test]
fn every_profile_installs_its_own_version() {
    for profile in catalogue() {
        let (agent, version) = (&profile.agent, &profile.version);
        let install = profile.run().and_then(|it| it.install.as_ref()).expect("it says what installs it");
        let (packages, sign) = match install {
            Install::Npm { packages, .. } => (packages, "@"),
            Install::Pip { packages } => (packages, "=="),
        };
        assert!(packages[0].ends_with(&format!("{sign}{version}")), "{agent} {version}: {install}");
        assert!(packages.iter().all(|it| it.contains(sign)), "{agent} leaves a version open: {install}");
    }
}

#[test]
fn every_driver_is_written_by_a_run_that_starts_it() {
    let written: Vec<(&str, String)> =
        catalogue().iter().flat_map(|it| run_of(&it.agent).files(&FILLING)).collect();
    for (name, text) in drivers::DRIVERS {
        assert!(written.iter().any(|(path, it)| *path == name && *it == text), "no profile writes {name}");
    }
    for profile in catalogue() {
        let run = run_of(&profile.agent);
        let (command, files) = (run.command(&FILLING), run.files(&FILLING));
        for path in command.iter().filter_map(|it| it.strip_prefix("/h/")).filter(|it| it.ends_with(".py")) {
            assert!(files.iter().any(|(it, _)| *it == path), "{} starts {path}", profile.agent);
        }
    }
}

#[test]
fn a_command_is_what_a_person_would_type() {
    let run = run_of("codex");
    let (env, files) = (run.env(&FILLING), run.files(&FILLING));
    let flags = "--disable plugins --disable apps --disable shell_snapshot \
                 --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check";
    let task = FILLING.task;
    assert_eq!(run.command(&FILLING).join(" "), format!("codex exec {flags} {task}"));
    assert_eq!(
        run.resume(&FILLING).map(|it| it.join(" ")),
        Some(format!("codex exec resume --last {flags} {task}"))
    );
    assert_eq!(env, [("CODEX_HOME", "/h/.codex".to_owned()), ("SCRIPTED_KEY", "x".to_owned())]);
    let [(".codex/config.toml", config)] = &files[..] else { panic!("{files:?}") };
    assert!(config.contains("base_url = \"http://127.0.0.1:8080/v1\"\n"), "{config}");
    assert_eq!(run_of("mini-swe-agent").resume(&FILLING), None);
    let install = |agent: &str| run_of(agent).install.clone();
    let packages = vec!["@qwen-code/qwen-code@0.24.4".to_owned()];
    assert_eq!(install("qwen-code"), Some(Install::Npm { packages, node: Some(22) }));
    let typed = install("pydantic-ai").map(|it| it.to_string());
    assert_eq!(typed.as_deref(), Some("pip install pydantic-ai-slim[openai]==2.62.0 openai==3.57.0"));
}

/// A profile binds what names do not say: how the task ends.
#[test]
fn a_profile_says_how_a_task_ends() {
    let shell = Tool::new("bash").parameters(
        r#"{"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}"#,
    );
    let mini = find("mini-swe-agent").expect("the profile comes with Balk");
    let set =
        mini.bind(&[Role::Write, Role::Finish], std::slice::from_ref(&shell)).expect("a shell is enough");
    let finish: Vec<&ToolsetTool> = set.tools.iter().filter(|it| it.role == Role::Finish).collect();
    let [finish] = finish[..] else { panic!("{set:?}") };
    let sent = crate::arguments::written(&finish.form, &["All is done."]);
    assert_eq!(sent, r#"{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}"#);
    let codex = find("codex").expect("the profile comes with Balk");
    assert_eq!(
        codex.bind(&[Role::Ask, Role::Finish], &[shell]).expect("words").spoken,
        [Role::Ask, Role::Finish]
    );
}
