use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::*;

#[test]
fn there_are_enough_tools_and_messages_of_every_class_in_both_parts() {
    for (reserve, tools_min, messages_min) in [(false, 40, 400), (true, 20, 200)] {
        let part: Vec<&Tool> = tools().iter().filter(|it| it.reserve == reserve).collect();
        let messages: Vec<&Message> = part.iter().flat_map(|it| &it.messages).collect();
        assert!(part.len() >= tools_min, "{} tools, reserve {reserve}", part.len());
        assert!(messages.len() >= messages_min, "{} messages, reserve {reserve}", messages.len());
        for class in Class::ALL {
            let count = messages.iter().filter(|it| it.class == class).count();
            assert!(count >= 5, "{count} messages of {}, reserve {reserve}", class.name());
        }
        let languages: BTreeSet<&str> = messages.iter().map(|it| it.language.as_str()).collect();
        assert_eq!(languages, ["de", "en", "es", "ja", "zh"].into(), "reserve {reserve}");
    }
}

/// Every third of the first 72 tools, by name, so that the easy ones could not be chosen. Every third of the tools that
/// come later is reserve too. No tool changes sides.
const RESERVE: [&str; 24] = [
    "apply-patch",
    "az",
    "bundler",
    "claude-code",
    "composer",
    "docker",
    "gcc",
    "gh",
    "gradle",
    "java",
    "kubectl",
    "mocha",
    "mysql",
    "openhands",
    "pip",
    "poetry",
    "pytest",
    "ripgrep",
    "ruby",
    "selenium",
    "ssh",
    "tar",
    "uv",
    "yarn",
];

#[test]
fn reserve_are_the_tools_that_the_rule_chose() {
    let reserve: BTreeSet<&str> = tools().iter().filter(|it| it.reserve).map(|it| it.name.as_str()).collect();
    assert_eq!(reserve, RESERVE.into());
    assert_eq!(RESERVE.len(), tools().len() / 3);
}

#[test]
fn every_file_is_embedded_and_names_are_unique() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("texts");
    let files: BTreeSet<String> = fs::read_dir(folder)
        .expect("the folder of texts")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a readable name"))
        .filter(|name| name.ends_with(".toml"))
        .map(|name| format!("texts/{name}"))
        .collect();
    assert_eq!(files, FILES.iter().map(|(name, _)| (*name).to_owned()).collect());
    let names: BTreeSet<&str> = tools().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), tools().len());
}

/// Which part of a message is a name must not change what it is: equal holes are equal, and numbered words differ.
#[test]
fn holes_are_filled_with_values_that_belong_together() {
    let text = r#"
[[tool]]
name = "x"
follows = "x 1"
[[tool.message]]
class = "success"
text = "{path} {path2} {path} {n} {n2} {n} {hex} {hex2} {clock} {{}} {\"a\": {}} {Path}"
"#;
    let tools = parse("x.toml", text).expect("a good file");
    let [tool] = &tools[..] else { panic!("{tools:?}") };
    let filled = tool.messages[0].fill(&mut |_| 0);
    let expected =
        "src/app.py lib/totals.js src/app.py 2 2 2 00000000 00000000 00:00:00 {{}} {\"a\": {}} {Path}";
    assert_eq!(filled, expected);
    let numbered = tool.messages[0].fill_by(|hole, number| format!("<{hole:?} {number}>"));
    assert!(numbered.starts_with("<Path 1> <Path 2> <Path 1> <Number 1>"), "{numbered}");
}

#[test]
fn messages_are_drawn_by_class_tool_language_and_part() {
    let mut seen: BTreeMap<Class, BTreeSet<&str>> = BTreeMap::new();
    for class in Class::ALL {
        for pools in [Pools::Open, Pools::Reserve] {
            let wanted = Wanted::new(class, pools);
            let all: Vec<&Message> = wanted.all().collect();
            for at in [0, all.len() - 1] {
                assert_eq!(wanted.draw(&mut |_| at), Some(all[at]));
            }
            seen.entry(class).or_default().extend(all.iter().map(|it| it.language.as_str()));
        }
    }
    assert!(seen.values().all(|languages| *languages == ["en"].into()), "{seen:?}");
    let german = Wanted { tool: Some("git"), language: "de", ..Wanted::new(Class::Conflict, Pools::Open) };
    let message = german.draw(&mut |_| 0).expect("git speaks German");
    assert!(message.example().contains("Merge-Konflikt in lib/totals.js"), "{}", message.example());
    assert_eq!(Wanted { pools: Pools::Reserve, ..german }.draw(&mut |_| 0), None, "git is not reserve");
    assert_eq!(find("git").map(|it| it.follows.as_str()), Some("git 2.47"));
    assert_eq!(find("gitt"), None);
}
