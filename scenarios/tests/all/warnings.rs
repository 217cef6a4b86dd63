//! What is doubtful in a valid file: one file, one snapshot of the warnings; and our own files have none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use balk_scenarios::catalogue::listed;
use balk_scenarios::format::{Severity, check, template_of};
use balk_scenarios::{drawn, toolsets};

const GOOD: &str = include_str!("../good.toml");

/// All warnings about a valid file, as they are shown.
#[track_caller]
fn warned(name: &str, text: &str) -> String {
    let checked = check(name, text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(checked.warnings.iter().all(|it| it.severity == Severity::Warning));
    let shown: Vec<String> = checked.warnings.iter().map(|it| it.render(false) + "\n").collect();
    shown.join("\n")
}

#[test]
fn every_doubtful_file_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/warnings");
    let files = fs::read_dir(&folder).expect("the folder of doubtful files");
    let names = files.map(|it| it.expect("a file").file_name().into_string().expect("a readable name"));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    assert_eq!(names, ["facts.toml", "readings.toml", "rules.toml", "transitions.toml", "unused.toml"]);
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).expect("a readable file");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true,
                                snapshot_path => "../warnings" }, {
            insta::assert_snapshot!(name.trim_end_matches(".toml"), warned(&name, &text));
        });
    }
}

#[test]
fn our_own_files_have_no_warnings() {
    let written: BTreeSet<(&str, &str)> = listed().map(|it| (it.file, it.text)).collect();
    let plans = drawn::plans().iter().map(|it| (it.file, it.text));
    let starter = template_of("mine");
    let all = written.into_iter().chain(plans).chain([("good.toml", GOOD), ("starter.toml", &starter)]);
    let shown: String = all.map(|(file, text)| warned(file, text)).collect();
    assert!(shown.is_empty(), "{shown}");
}
