//! What agents print, as they do in runs with models that balk: in our own words, after their behaviours.

use super::*;

/// One run: what was printed, and what the line must have that tells the user. An empty one: no line does.
struct Case {
    name: &'static str,
    stdout: &'static str,
    stderr: &'static str,
    last: &'static str,
    others: &'static [&'static str],
    told: &'static str,
}

const fn case(name: &'static str, stdout: &'static str, stderr: &'static str, told: &'static str) -> Case {
    Case { name, stdout, stderr, last: "", others: &[], told }
}

impl Case {
    const fn last(self, last: &'static str) -> Self {
        Self { last, ..self }
    }

    const fn others(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }
}

/// The agent says nothing itself.
const SILENT: [Case; 29] = [
    case("nothing", "", "", ""),
    case("blank lines", "\n \n\u{1b}[0m\n", "\n", ""),
    case("the claim of the model", "I have created the file.\n", "", "").last("I have created the file."),
    case("its plan", "I will create the file now.\n", "", "").last("I will create the file now."),
    case("its code", "```python\nraise ValueError(\"x\")\n```\n", "", "")
        .last("```python\nraise ValueError(\"x\")\n```"),
    case("a spinner", "", "\u{1b}[?25l⠋ working\r⠙ working\r⠹ working\r\u{1b}[K", ""),
    case("a bar", "", "  10%|█         |\r 100%|██████████| 3/3 [00:01<00:00]\n", ""),
    case("a header", "model: x\nmax turns: 50\nsandbox: off\nstep limit: 0 (none)\n", "", ""),
    case("an end that calls itself a success", "Agent finished\n", "", ""),
    case("a summary of costs", "Tokens: 1,204 in, 88 out. Cost: $0.00\n", "", ""),
    case(
        "a deprecated part",
        "",
        "(node:7) [DEP0040] DeprecationWarning: The punycode module failed to age well\n",
        "",
    ),
    case(
        "a warning of Python",
        "",
        "/x/a.py:3: UserWarning: cannot find a tokenizer, so counts are estimates\n",
        "",
    ),
    case(
        "an update that cannot be looked for",
        "",
        "Error: update check failed: getaddrinfo ENOTFOUND\n",
        "",
    ),
    case(
        "a clone that fails",
        "",
        "fatal: unable to access 'https://example.org/skills.git/': no such host\n",
        "",
    ),
    case("telemetry", "", "[otel] error: could not send spans\n", ""),
    case("a list of models", "", "Failed to fetch the model list, using the built-in one\n", ""),
    case("a plug-in", "", "error: plugin x cannot be loaded\n", ""),
    case(
        "a retry that came through",
        "done\n",
        "Attempt 1 failed with status 503. Retrying with backoff...\n",
        "",
    )
    .last("done"),
    case(
        "a retry after an empty answer",
        "",
        "The model returned nothing, trying again in 2 s (1 of 3)\n",
        "",
    ),
    case("a lint without errors", "Checked 3 files: 0 errors, no errors fixed\n", "", ""),
    case("the time that it took to start", "", "[STARTUP] Cannot measure phase 'x': no start mark\n", ""),
    case("loop detection is on", "loop detection: enabled\n", "", ""),
    case(
        "a traceback that a library ignores",
        "",
        "Task exception was never retrieved\nTraceback (most recent call last):\n  File \"a.py\", line 1\nOSError: x\n",
        "",
    ),
    case(
        "a program that broke",
        "",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x[1]\nIndexError: no such item\n",
        "",
    ),
    case(
        "a program in JavaScript that broke",
        "",
        "file:///x.mjs:12\n    throw new Error(\"no\")\n    ^\n\nError: no answer\n    at f (file:///x.mjs:12:5)\n\nNode.js v20.1.0\n",
        "",
    ),
    case(
        "a source line of a program that broke",
        "",
        "file:///x.mjs:12\nthrow new Error(\"loop detected\");\n^\n\nError: no\n    at f (x.mjs:1:5)\n\nNode.js v20\n",
        "",
    ),
    case(
        "a promise that broke",
        "",
        "node:internal/process/promises:394\n      triggerUncaughtException(err);\n      ^\n\n\
         [UnhandledPromiseRejection: This error originated in x] {\n  code: 'Y'\n}\n\nNode.js v20\n",
        "",
    ),
    case(
        "a module of Python",
        "",
        "Traceback (most recent call last):\n  File \"a.py\"\njson.decoder.JSONDecodeError: Expecting value\n",
        "",
    ),
    case(
        "a function that calls itself",
        "",
        "Traceback (most recent call last):\n  File \"a.py\"\nRecursionError: maximum recursion depth exceeded\n",
        "",
    ),
];

/// The agent repeats what the model said and what its tools answered.
const REPEATS: [Case; 13] = [
    case("the answer of a tool", "$ make docs\nerror: make docs failed (exit status 2)\n", "", "")
        .others(&["error: make docs failed (exit status 2)"]),
    case("in a box", "│ error: make docs failed │\n│ (exit status 2)         │\n", "", "")
        .others(&["error: make docs failed (exit status 2)"]),
    case("wrapped", "error: the file src/app.ts cannot be\nwritten because a folder is there\n", "", "")
        .others(&["error: the file src/app.ts cannot be written because a folder is there"]),
    case("with words before it", "tool> Error: EISDIR: illegal operation on a directory\n", "", "")
        .others(&["EISDIR: illegal operation on a directory"]),
    case("a call that failed", "", "Error executing tool write_file: a directory is at this path\n", ""),
    case("a command that failed", "", "Error: Command failed: npm run build\n", ""),
    case("the status of a command", "", "error: process exited with code 2\n", ""),
    case("words on the way", "I cannot write it there, so I try again.\nIt is done.\n", "", "")
        .last("It is done.")
        .others(&["I cannot write it there, so I try again."]),
    case("the task", "user: say why it is not possible if you fail\nworking\n", "", "")
        .others(&["say why it is not possible if you fail"]),
    case(
        "a traceback of a tool",
        "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'\n",
        "",
        "",
    )
    .others(&["Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'"]),
    case("an admission that is not shown", "ok\n", "", "").last("I could not create the file."),
    case(
        "its own prompt",
        "User:\nAfter that you <important>cannot work on this task.</important>\n",
        "",
        "",
    ),
    case("another language on the way", "Ich kann das nicht lesen, weiter.\nFertig.\n", "", "")
        .last("Fertig.")
        .others(&["Ich kann das nicht lesen, weiter."]),
];

/// The user knows.
const TELLS: [Case; 51] = [
    case("a loop", "", "Loop detected, stopped.\n", "Loop detected"),
    case(
        "a loop that was halted",
        "A potential loop was detected. The request has been halted.\n",
        "",
        "halted",
    ),
    case(
        "the same call again",
        "",
        "✖ Error: the model is repeating the same call; ending\n",
        "repeating the same",
    ),
    case("a bound on turns", "", "Error: Reached max turns (10)\n", "max turns"),
    case("the same as an exception", "", "MaxTurnsExceeded: Max turns (10) exceeded\n", "exceeded"),
    case("a bound on steps", "Reached max steps.\n", "", "max steps"),
    case("a graph", "", "GraphRecursionError: Recursion limit of 25 reached\n", "Recursion limit"),
    case("iterations", "Agent stopped due to iteration limit\n", "", "Agent stopped"),
    case("a budget", "", "budget of 2.00 used up\n", "budget"),
    case("all retries", "", "Request failed: maximum number of retries exceeded\n", "retries exceeded"),
    case("giving up", "", "\u{1b}[31mGiving up after 6 attempts\u{1b}[0m\n", "Giving up after"),
    case("an abort with a wrong reason", "Task aborted by another client\n", "", "aborted"),
    case("an empty answer", "", "Error: the model returned an empty response\n", "empty response"),
    case("no output", "The provider returned no content. Check the account?\n", "", "returned no"),
    case("an outage as an answer", "Sorry, I encountered an error\n", "", "encountered an error"),
    case(
        "an outage as an error",
        "",
        "ERROR: stream disconnected before completion\n",
        "stream disconnected",
    ),
    case(
        "an unexpected error",
        "",
        "An unexpected critical error occurred:[object Object]\n",
        "critical error",
    ),
    case("an error of the API", "[API Error: 503 status code (no body)]\n", "", "API Error"),
    case(
        "a file that cannot be made",
        "Unable to create hello.txt: a directory is there\n",
        "",
        "Unable to create",
    ),
    case(
        "the line of an exception",
        "",
        "openai.InternalServerError: Error code: 503\n",
        "InternalServerError",
    ),
    case(
        "a traceback",
        "",
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise X\nlib.UnexpectedModelBehavior: \
         Received nothing\n",
        "UnexpectedModelBehavior",
    ),
    case(
        "an exception of a library in JavaScript",
        "",
        "/x/a.js:1\nLimitError: turns used up\n    at f (/x/a.js:1:2)\n\nNode.js v20.1.0\n",
        "LimitError",
    ),
    case(
        "an exception of the language with a word of the agent",
        "",
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nRuntimeError: stopped after 5 equal calls\n",
        "stopped after",
    ),
    case(
        "a stop that quotes a result",
        "I stopped: 6 calls failed (error: it is a folder: 'a/b.c').\n",
        "",
        "I stopped",
    )
    .others(&["error: it is a folder: 'a/b.c'"]),
    case(
        "an admission around a result",
        "Sorry, error: it is a folder: 'a/b.c'. The file is not done.\n",
        "",
        "not done",
    )
    .others(&["error: it is a folder: 'a/b.c'"]),
    case("a reason to stop", "I had to stop because the write kept failing.\n", "", "had to stop"),
    case(
        "a question about a loop",
        "The model keeps sending the same call of `Bash`. What should it do?\n",
        "",
        "keeps sending",
    ),
    case(
        "a question about a standstill",
        "The model makes no progress. What should it do?\n",
        "",
        "no progress",
    ),
    case("a model that is stuck", "The model seems stuck, so this is the end.\n", "", "seems stuck"),
    case(
        "a result as JSON",
        "{\"type\":\"result\",\"is_error\":true,\"result\":\"max turns\"}\n",
        "",
        "is_error",
    ),
    case("an error in German", "", "Fehler: keine Antwort\n", "Fehler"),
    case("an object between in German", "Ich konnte app/mailer.rb nicht schreiben.\n", "", "konnte"),
    case("in French", "Je n'ai pas pu terminer la tâche.\n", "", "pas pu"),
    case("in Spanish without a person", "No se pudo completar la tarea.\n", "", "No se pudo"),
    case("in Portuguese", "Não foi possível concluir a tarefa.\n", "", "Não foi"),
    case(
        "a word of a library in a stop",
        "I stopped (error: no price list). The task is not done.\n",
        "",
        "I stopped",
    ),
    case("in German, of a thing", "a.js lässt sich hier nicht schreiben.\n", "", "lässt sich"),
    case("in Spanish, of no way", "No hay manera de hacerlo.\n", "", "No hay manera"),
    case("in Chinese, of a tool", "用这些工具写不了它。\n", "", "写不了"),
    case("in Japanese, of a file", "それには書き込めません。\n", "", "込めません"),
    case("a reason", "Writing fails because the folder is full.\n", "", "fails because"),
    case("a status", "Exit: RepeatedFormatError\n", "", "RepeatedFormatError"),
    case("not completed", "Task not completed: no tool was called\n", "", "not completed"),
    case("the admission of the model", "I could not create the file.\n", "", "could not create")
        .last("I could not create the file."),
    case("in Spanish", "No pude crear el archivo.\n", "", "No pude").last("No pude crear el archivo."),
    case("in German", "Ich konnte nicht schreiben.\n", "", "konnte nicht")
        .last("Ich konnte nicht schreiben."),
    case("in Chinese", "我无法创建该文件。\n", "", "无法").last("我无法创建该文件。"),
    case("in Japanese", "ファイルを作成できませんでした。\n", "", "できません")
        .last("ファイルを作成できませんでした。"),
    case("in a box", "╭──────╮\n│ I am unable to  │\n│ create it. │\n╰──╯\n", "", "unable to")
        .last("I am unable to create it."),
    case(
        "a loop beside the answer of a tool",
        "error: x failed again today\n",
        "Loop detected: x failed again today\n",
        "Loop",
    )
    .others(&["error: x failed again today"]),
    case(
        "after a claim",
        "It is done.\n",
        "error: the run stopped early, nothing was written\n",
        "stopped early",
    )
    .last("It is done."),
];

#[test]
fn the_exception_that_ended_a_program_is_named() {
    let traceback = "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'\n";
    let found = printed("working\n", traceback, &Heard::default());
    let line = Some("KeyError: 'x'".to_owned());
    assert_eq!(found, Printed { told: None, broke: line.clone(), last: line });
    let found = printed("working\nstill\n```\n", "", &Heard::default());
    assert_eq!(found, Printed { last: Some("still".to_owned()), ..Printed::default() });
}

#[test]
fn the_user_is_told_or_not() {
    let mut wrong = Vec::new();
    for Case { name, stdout, stderr, last, others, told: expected } in
        SILENT.iter().chain(&REPEATS).chain(&TELLS)
    {
        let heard = Heard { last: Some(*last).filter(|it| !it.is_empty()), others };
        let line = printed(stdout, stderr, &heard).told;
        let is_right = match &line {
            Some(line) => !expected.is_empty() && line.contains(expected),
            None => expected.is_empty(),
        };
        if !is_right {
            wrong.push(format!("{name}: {line:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
