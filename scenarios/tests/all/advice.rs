//! The classifier reads which ways out a message offers, and which tool it names for them.

use balk_contract::{Purpose, Tool};
use balk_scenarios::response::{Delivered, Features, read};

fn tools() -> Vec<Tool> {
    let tool = Tool::new;
    vec![
        tool("write_file"),
        tool("read_file"),
        tool("run_command").purpose(Purpose::Shell),
        tool("ask_user").purpose(Purpose::AskUser),
        tool("complete").purpose(Purpose::Finish),
    ]
}

/// The ways in a message, in its order: `way` or `way:tool`.
fn ways_after(text: &str, called: &[&str]) -> String {
    let tools = tools();
    let ways = read(&Delivered { text, tools: &tools, called, ..Delivered::default() }).ways;
    let written = ways.iter().map(|it| match &it.tool {
        Some(tool) => format!("{}:{tool}", it.way.name()),
        None => it.way.name().to_owned(),
    });
    written.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(text: &str, ways: &str) {
    assert_eq!(ways_after(text, &[]), ways, "{text}");
}

#[track_caller]
fn check_after(called: &str, text: &str, ways: &str) {
    assert_eq!(ways_after(text, &[called]), ways, "{text}");
}

#[test]
fn what_says_nothing_offers_nothing() {
    for text in ["", "banana", "Proceed.", "Go on with the task.", "Continue.", "好的。", "Weiter."] {
        check(text, "");
        assert!(read(&Delivered { text, ..Delivered::default() }).is_empty(), "{text}");
    }
}

#[test]
fn the_messages_of_our_guards() {
    check(
        "Your last message calls no tool, so nothing was done.\n- to continue, call a tool: `write_file`, `read_file` \
         and `run_command`\n- if the task is done, call `complete`\n- if you need something from the user, call \
         `ask_user`\nAn announcement is not a call: call `write_file` or another tool now.",
        "call:write_file finish:complete ask:ask_user tool",
    );
    check(
        "Again you called no tool, 2 times in a row (reminder 2). An announced step is not done until you send the \
         call. \
         Send one call now, with all its arguments: `write_file` and `read_file`; or if the task is done, say so and \
         give the result.",
        "call:write_file finish",
    );
    check(
        "Your last message shows code and calls no tool. `write_file` failed 3 times in a row; the last error was: \
         error: disk\n\nCode in a message does not create a file, and the user is waiting for one. Do one of these \
         now:\n1. find out why `write_file` fails, starting from the error\n2. inspect the environment with \
         `run_command`: is something missing that the call needs?\n3. ask the user with `ask_user` to remove the \
         obstacle\n4. say plainly that the task cannot be completed, and why\n\nDo not continue as if the file had \
         been \
         written.",
        "call inspect:run_command ask:ask_user tell",
    );
    check(
        "You have called no tool since `write_file` failed 3 times in a row (error: disk), and your last message says \
         neither what the obstacle is nor what you will do about it (reminded once). Act, or say that you cannot: call \
         a \
         tool that finds the cause, or write one sentence that begins with \"I cannot complete this because\".",
        "call tell inspect",
    );
    check_after(
        "read_file",
        "`read_file` was called with these arguments in turn 3, and nothing has changed since (duplicate 1 in this \
         run).\n\nArguments:\n{}\n\nIt failed with:\nerror: gone\n\nThat call failed, and nothing has changed since, \
         so \
         it will fail again. Read the error, find out what it depends on, and change that or the arguments. If you are \
         stuck, say what the obstacle is.\n\nDo not send this call again with the same arguments. What will you do \
         differently?",
        "inspect change tell",
    );
    check_after(
        "read_file",
        "this is the same call of `read_file` again (duplicate 2 in this run). It answered \"x\" and would answer the \
         same again. Choose one:\n1. send other arguments, or call another of your tools\n2. inspect what it depends \
         on \
         with `run_command`\n3. ask the user with `ask_user` for what is missing\n4. say that the task cannot be \
         completed, and why\n\nDo not send this call again with the same arguments: the next time, the user is asked \
         instead.",
        "change tool inspect:run_command ask:ask_user tell",
    );
}

#[test]
fn the_messages_of_our_guards_about_calls() {
    check_after(
        "run_command",
        "Observation 1 of this run: the same call of `run_command` was made 3 times while something was still running. \
         Checking again does not make it faster. Make one call that waits until it is done, or do work that does not \
         depend on it. If it should be done by now, ask the user with `ask_user` or say what you are waiting for.",
        "call wait change ask:ask_user tell",
    );
    check_after(
        "no_such",
        "Observation 1 of this run: 3 rounds in a row called tools that do not exist here. The tools that exist are \
         `write_file`, `read_file`. Use one of these, by its exact name. If something is missing, ask the user with \
         `ask_user`; if it cannot be done, say so and why.",
        "tool:write_file ask:ask_user tell",
    );
    check_after(
        "write_file",
        "your answer reached the output limit in the middle of this call of `write_file`, so its arguments are \
         incomplete. Begin it again with part of the content, and add the rest in later calls that do not replace \
         what is there, or send less content.",
        "shorten",
    );
    check(
        "Your last message reached the output limit before it was complete. Continue where it stopped, or say it in \
         fewer words; do not start again.",
        "again shorten",
    );
    check_after(
        "run_command",
        "this call of `run_command` already ran in the answer that was interrupted: it worked. First check with \
         another \
         call whether it took effect; if it did, continue from there.",
        "inspect change",
    );
}

#[test]
fn the_messages_of_other_agents() {
    check("No tool was used. Call one.", "call");
    check("3 calls failed. Use the tools instead of showing code.", "call");
    check(
        "[error] Your last reply used no tool. Complete the task with its tool if it is done, ask the user for what is \
         missing, or else go on with the next step. This message is automatic; do not answer it.",
        "call finish ask change",
    );
    check("The last reply was thinking only. Answer, or call a tool.", "finish call");
    check("Your last reply has neither a call nor a message. Use a tool to go on with the task.", "call");
    check_after("read_file", "`read_file` was already called with the same arguments.", "");
    check_after(
        "read_file",
        "`read_file` was called 3 times with the same arguments. It was not run. Try something else, or say what is in \
         the way.",
        "change tell",
    );
    check_after(
        "read_file",
        "`read_file` has now been called 3 times in a row with the same arguments. Use other arguments or \
         another tool.",
        "change tool",
    );
    check_after(
        "read_file",
        "[system] Potential loop detected: the same call, 3 times in a row. Step back and confirm that you make \
         progress \
         towards the goal. If you do not, change the approach; if you do, go on.",
        "inspect change",
    );
    check_after(
        "read_file",
        "`read_file` failed 3 times with the same arguments. Look at the error and change the arguments or the \
         approach.",
        "inspect change",
    );
    check("Your reply was not a valid tool call. Please try again.", "call");
    check("Please try again.", "again");
}

#[test]
fn a_way_out_is_read_in_every_language() {
    for text in ["Frag den Benutzer, was fehlt.", "Pregunta al usuario qué falta.", "请询问用户缺少什么。"]
    {
        check(text, "ask");
    }
    check("ユーザーに尋ねてください。", "ask");
    check("Usa una herramienta o di por qué no se puede.", "call tell");
    check("Verwende ein Werkzeug: `read_file`.", "call:read_file");
    check("请使用工具。", "call");
    check("ツールを使ってください。", "call");
    check("Ändere die Argumente oder finde heraus, woran es liegt.", "inspect");
    check("用 `run_command` 检查原因。", "call:run_command inspect");
    check("`run_command` で原因を調べてください。", "call:run_command inspect");
    check("Warte, bis der Job fertig ist.", "wait");
    check("Espera a que termine.", "wait");
}

#[test]
fn what_is_forbidden_is_not_offered() {
    check("Do not ask the user.", "");
    check("Don't wait for it.", "");
    check("Nicht den Benutzer fragen, sondern: prüfe den Pfad.", "inspect");
    check("不要等待，请检查路径。", "inspect");
    check("待たないでください。", "");
    check("Do not use `write_file`; call `read_file`.", "call:read_file");
}

#[test]
fn a_tool_that_is_only_mentioned_is_not_named() {
    check("`read_file` failed. Inspect the folder.", "inspect");
    check("The file write_file.rs is broken; call `read_file_2`.", "");
}

#[test]
fn features_are_read_from_the_text() {
    let none = Features::default();
    let features = |text| {
        read(&Delivered {
            text,
            last_error: Some("error: write rolled back: cannot resolve import"),
            last_success: Some("3 pages listed in the folder"),
            ..Delivered::default()
        })
        .features
    };
    let complains = Features { complains: true, ..none };
    assert_eq!(
        features("It said: error: write rolled back: cannot …"),
        Features { cause: true, ..complains }
    );
    assert_eq!(features("Send it as JSON."), Features { form: true, ..none });
    assert_eq!(
        features("Like this: {\"name\": \"x\", \"arguments\": {}}"),
        Features { example: true, ..none }
    );
    assert_eq!(features("Choose:\n1. this\n2. that"), Features { options: true, ..none });
    assert_eq!(features("Choose:\n1. this"), none);
    assert_eq!(features("You have: 3 pages listed in the folder"), Features { shows: true, ..none });
    assert_eq!(features("`edit` is withheld for this turn."), Features { withholds: true, ..none });
    let forbids = "Do not send this call again with the same arguments.";
    assert_eq!(features(forbids), Features { forbids: true, ..complains });
}

#[test]
fn a_counter_is_nothing_new() {
    let novel = |previous, text| {
        read(&Delivered { text, previous: Some(previous), ..Delivered::default() }).features.novel
    };
    assert!(!novel("Reminder 1 of 3.", "Reminder 2 of 3."));
    assert!(novel("Reminder 1 of 3.", "The last reminder."));
}
