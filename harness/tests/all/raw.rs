//! Nothing of content reaches a terminal, a log or a parser but as text. Every command, in each of its formats, is
//! given hostile files, names, arguments, models and clients.

mod folder;
mod lines;
mod listening;
mod media;
mod place;
mod screen;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use rayon::prelude::*;

use self::lines::{EACH, FIRST, ROWS};
use self::media::Medium;
use self::place::Place;
use crate::common::program::{balk, ran};

/// A guard that is a script of the shell.
const SHELL_GUARD: &str = " --guard 'exec:sh guard.sh'";

#[test]
fn no_text_acts_in_any_command_and_format() {
    let ran = TestRunner::new(texts::config()).run(&texts::hostile(), |text| {
        let wrong = wrong(&text);
        prop_assert!(wrong.is_empty(), "{} outputs:\n{}", wrong.len(), wrong.join("\n"));
        Ok(())
    });
    ran.unwrap_or_else(|why| panic!("{why}"));
}

/// What is wrong with all the outputs that this text can be in.
fn wrong(text: &str) -> Vec<String> {
    let place = Place::new(text);
    let mut wrong = Vec::new();
    for (medium, line) in FIRST {
        // A bench of an optimised program measures each guard for long, and a shell reads a byte at a time.
        let slow = if line.starts_with("bench") && !cfg!(debug_assertions) { SHELL_GUARD } else { "" };
        let line = &line.replace(slow, "");
        let ran = place.piped(medium, line);
        wrong.extend(ran.wrong);
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
        if line.starts_with("triage") {
            fs::write(place.hostile.path().join("triage.json"), ran.out).expect("it is written");
        }
    }
    let each = ROWS.iter().flat_map(|(name, _)| EACH.map(|it| (Medium::Text, format!("{name} {it}"))));
    let of_rows =
        ROWS.iter().flat_map(|(_, lines)| lines.iter().map(|(medium, line)| (*medium, (*line).to_owned())));
    let all: Vec<(Medium, String)> = of_rows.chain(each).collect();
    let found = all.par_iter().flat_map_iter(|(medium, line)| {
        place.piped(*medium, line).wrong.into_iter().chain(place.shown(line))
    });
    wrong.extend(found.collect::<Vec<_>>());
    let (numbers, found): (Vec<usize>, Vec<Vec<String>>) = all
        .par_iter()
        .filter(|(_, line)| line.contains("--fail-on"))
        .map(|(_, line)| place.annotated(line))
        .unzip();
    assert!(numbers.iter().sum::<usize>() > 2, "gates that fail: {numbers:?}");
    wrong.extend(found.concat());
    wrong.extend(place.written());
    wrong.extend(listening::wrong(&place));
    wrong
}

/// The help of a command, or of the program.
fn help(words: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(Path::new("."), &[words, &["--help"]].concat()));
    assert_eq!(code, 0, "{err}");
    out
}

/// The commands below this one, or itself if there are none, with the formats of each.
fn commands(above: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let help = help(above);
    let Some((_, below)) = help.split_once("\nCommands:\n") else {
        let option = help.split("\n      --").find(|it| it.starts_with("format "));
        let formats = option.map(formats).unwrap_or_default();
        return BTreeMap::from([(above.join(" "), formats)]);
    };
    let names = below.lines().take_while(|it| !it.is_empty()).filter(|it| !it.starts_with("   "));
    let names = names.filter_map(|it| it.split_whitespace().next()).filter(|it| *it != "help");
    names.flat_map(|it| commands(&[above, &[it]].concat())).collect()
}

/// The values of an option, by its help.
fn formats(option: &str) -> BTreeSet<String> {
    let listed = option.lines().filter_map(|it| it.trim().strip_prefix("- ")?.split(':').next());
    listed.map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_line_for_each_of_its_formats() {
    let named = |line: &&str| {
        line.split_once("--format ").map(|(_, it)| it.split(' ').next().unwrap_or(it).to_owned())
    };
    let rows = ROWS.iter().map(|(name, lines)| {
        assert!(lines.iter().all(|(_, line)| line.starts_with(name)), "{name}");
        ((*name).to_owned(), lines.iter().filter_map(|(_, line)| named(line)).collect())
    });
    assert_eq!(rows.collect::<BTreeMap<String, BTreeSet<String>>>(), commands(&[]));
}

/// What is wrong with a command line is said by its parser, which quotes it.
#[test]
fn a_command_line_that_is_wrong_is_quoted_as_text() {
    let place = Place::new("\u{1b}]52;c;eA==\u{7}\r::x\n::warning::hostile\u{9b}2J\u{202e}");
    for line in ["check --@", "check -@", "@", "scenario repeating --seeds @", "list --color @", "explain @"]
    {
        let ran = place.piped(Medium::Text, line);
        assert_eq!((ran.code, &*ran.out, ran.wrong, place.shown(line)), (2, "", vec![], vec![]), "{line}");
    }
}

#[test]
fn the_name_of_an_agent_is_no_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("elsewhere");
    for name in [place.display().to_string(), "../elsewhere".into(), "..".into()] {
        let run = "[run]\napi = \"openai\"\ncommand = [\"true\", \"{task}\", \"{url}\"]\n";
        let profile = format!("format = 1\nagent = {name:?}\nversion = \"1\"\n{run}");
        fs::write(folder.path().join("agent.toml"), profile).expect("it is written");
        let arguments = ["crash", "--agent", "agent.toml", "--scenario", "repeating", "--out", "out"];
        let (code, _, err) = ran(&mut balk(folder.path(), &arguments));
        assert!(code == 3 && err.contains("cannot be the name of an agent"), "{err}");
        assert!(!place.exists() && !folder.path().join("out").exists());
    }
}
