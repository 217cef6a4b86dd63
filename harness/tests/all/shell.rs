//! The output for shells and terminals: completions, manual pages, colours.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::program::{balk, ran, whole};
use tempfile::TempDir;

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

#[track_caller]
fn script(shell: &str) -> String {
    let (code, script, err) = ran(&mut balk(empty().path(), &["completions", shell]));
    assert_eq!((code, &*err), (0, ""));
    script
}

#[test]
fn every_shell_gets_commands_options_and_names() {
    for (shell, registers) in [
        ("bash", "complete -F _balk -o"),
        ("zsh", "#compdef balk"),
        ("fish", "complete -c balk -n \"__fish_balk_needs_command\" -f -a \"bench\""),
        ("elvish", "edit:completion:arg-completer[balk]"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName 'balk'"),
    ] {
        let script = script(shell);
        assert!(script.contains(registers), "{shell}");
        assert!(script.contains("keep-transcripts") && script.contains("completions"), "{shell}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = script(shell);
        for name in ["abandonment", "cline", "stubborn", "text-only-chat", "false-intervention", "always"] {
            assert_eq!(script.contains(name), name != "false-intervention", "{shell}: {name}");
        }
    }
    let (code, out, err) = ran(&mut balk(empty().path(), &["completions", "bahs"]));
    assert!(code == 2 && out.is_empty() && err.contains("a similar value exists: 'bash'"), "{err}");
}

/// A common shell reads its script, and completes a name from it.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_the_name_of_a_guard() {
    let folder = empty();
    fs::write(folder.path().join("balk.bash"), script("bash")).expect("it can be written");
    const ASK: &str = "source ./balk.bash; COMP_WORDS=(balk bench --guard abandon); COMP_CWORD=3; \
                       _balk balk abandon --guard; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let (code, out, err) = ran(Command::new("bash").current_dir(folder.path()).args(["-c", ASK]));
    assert_eq!((code, &*out, &*err), (0, "abandonment\n", ""));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = empty();
    insta::assert_snapshot!("man", whole(&mut balk(folder.path(), &["man", "--out", "pages/man1"])));
    let pages = folder.path().join("pages/man1");
    let page = |name: &str| fs::read_to_string(pages.join(name)).expect("the page was written");
    assert!(page("balk.1").contains(".TH balk 1") && page("balk.1").contains("130 interrupted"));
    let bench = page("balk-bench.1");
    assert!(bench.contains(".SH NAME\nbalk\\-bench \\- Measure every stack"), "{bench}");
    assert!(bench.contains("\\-\\-keep\\-transcripts") && bench.contains("Ctrl\\-C"), "{bench}");
    let (_, help, _) = ran(&mut balk(folder.path(), &["--help"]));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> =
        commands.map_while(|line| line.split_whitespace().next()).filter(|it| *it != "help").collect();
    assert!(commands.len() > 10);
    for command in commands {
        assert!(page(&format!("balk-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    fs::write(folder.path().join("file"), "").expect("it can be written");
    let (_, out, err) = ran(&mut balk(folder.path(), &["man", "--out", "my pages"]));
    assert!(out.ends_with("next: man -l 'my pages/balk.1'\n"), "{out}{err}");
    let (code, out, err) = ran(&mut balk(folder.path(), &["man", "--out", "file"]));
    assert!(code == 3 && out.is_empty() && err.contains("file: expected a folder"), "{err}");
}

#[test]
fn color_says_when_to_colour() {
    let folder = empty();
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = balk(folder.path(), arguments);
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        let (_, out, err) = ran(command.envs(variables.iter().copied()));
        (out.contains('\u{1b}'), err.contains('\u{1b}'))
    };
    const TRIAL: &[&str] = &["scenario", "repeating", "--seed", "54"];
    let with = |when| [TRIAL, &["--color", when]].concat();
    assert_eq!(coloured(TRIAL, &[]), (false, false), "this is no terminal");
    assert_eq!(coloured(&with("always"), &[]), (true, false));
    assert_eq!(coloured(&with("always"), &[("NO_COLOR", "1")]), (true, false), "what is asked for wins");
    assert_eq!(coloured(&with("auto"), &[("CLICOLOR_FORCE", "1")]), (true, false));
    assert_eq!(coloured(&with("auto"), &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), (false, false));
    assert_eq!(coloured(&with("never"), &[("CLICOLOR_FORCE", "1")]), (false, false));
    // An option of every command, accepted before and after the command.
    let bad = ["--color", "always", "scenario", "repeating", "--set", "limits.turn=3"];
    assert_eq!(coloured(&bad, &[]), (false, true));
    let record = [TRIAL, &["--format", "json", "--color", "always"]].concat();
    assert_eq!(coloured(&record, &[]), (false, false), "a record is for programs");
}

/// Every place that takes a name suggests the nearest one for a mistyped name.
#[test]
fn the_nearest_name_is_shown() {
    let work = Path::new(".");
    for (arguments, near) in [
        (&["scenario", "abandonmnt"][..], "SCENARIO: expected a scenario's name or file, found `abandonmnt`"),
        (&["scenario", "abandon"], "did you mean `abandonment`?"),
        (&["shrink", "repeatin", "--shows", "not-told"], "did you mean `repeating`?"),
        (&["bench", "--suite", "stuborn"], "--suite: expected a scenario's name or file, found `stuborn`"),
        (&["bench", "--suite", "stuborn"], "did you mean `stubborn`?"),
        (&["bench", "--suite", "paging,repeatng"], "did you mean `repeating`?"),
        (&["bench", "--guard", "abandon"], "did you mean `abandonment`?"),
        (&["bench", "--guard", "default", "--guard", "default"], "each stack once, found `default` twice"),
        (&["audit", "--guard", "duplicate,duplicate"], "each guard of a stack once"),
        (&["bench", "--suite", "paging", "--set", "limits.turn=9"], "did you mean `limits.turns`?"),
        (&["bench", "--suite", "paging", "--sweep", "limit.turns=1..2:1"], "did you mean `limits.turns`?"),
        (&["scenario", "repeating", "--set", "actor.stat=x"], "did you mean `actor.start`?"),
        (&["scenario", "repeating", "--respnse", "flat"], "a similar argument exists: '--response'"),
        (&["benhc"], "a similar subcommand exists: 'bench'"),
    ] {
        let (code, out, err) = ran(&mut balk(work, arguments));
        assert!([2, 3].contains(&code) && out.is_empty() && err.contains(near), "{arguments:?}: {err}");
    }
    let (_, _, err) = ran(&mut balk(work, &["scenario", "quite-other-thing"]));
    assert!(err.ends_with("hint: `balk list` shows all of them\n"), "{err}");
}
