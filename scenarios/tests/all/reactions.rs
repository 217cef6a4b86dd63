//! What is written of measured reactions reads back, and it takes the place of what a scenario asks for.

use balk_scenarios::reactions::{Measured, parse, write};
use balk_scenarios::response::{PARAMETERS, Span};
use balk_scenarios::scenario::Profile;

const FILE: &str = include_str!("../reactions.toml");

fn measured() -> Measured {
    let mut measured = Measured::new(
        "Some-Model-7B",
        "200 places in 22 drawn worlds, seeds 0-99, 4 samples each",
        Profile::Weak,
    );
    let base = [[310, 410, 520], [30, 90, 200], [0, 20, 110], [0, 5, 70]];
    measured.base = Some(base.map(|[low, value, high]| Span::new(low, value, high)));
    measured.flat = Some([400, 80, 20, 5]);
    measured.demand = Some(90);
    measured.set("first", Span::new(1_000, 3_000, 60_000));
    measured.set("cause", Span::new(0, 40, 150));
    measured.set("easy", Span::new(630, 740, 840));
    measured
}

#[test]
fn what_is_written_is_this_file() {
    assert_eq!(write(&measured()), FILE);
    assert_eq!(parse("reactions.toml", FILE), Ok(measured()));
}

#[test]
fn every_parameter_profile_and_text_reads_back() {
    for (at, profile) in (1..).zip([Profile::Strong, Profile::Gpt4o, Profile::Gpt35, Profile::Weak]) {
        let mut all = Measured::new("a \"quoted\" name\\", "two\nlines, and a tab\t", profile);
        for (nth, parameter) in (1..).zip(&PARAMETERS[1..]) {
            all.set(parameter.name, Span::new(at, at + nth, at + 2 * nth));
        }
        assert_eq!(parse("all.toml", &write(&all)), Ok(all));
    }
}

#[test]
fn what_is_not_in_a_file_is_as_in_its_profile() {
    let of = |text: &str| parse("reactions.toml", text).unwrap_or_else(|wrong| panic!("{wrong}")).reactions();
    let nothing = |profile: &str| {
        of(&format!("format = 1\nname = \"a\"\nmeasured = \"b\"\nprofile = \"{profile}\"\n[parameters]\n"))
    };
    assert_ne!(nothing("weak"), nothing("strong"));
    let strong = of(&FILE.replace("\"weak\"", "\"strong\""));
    assert!(strong != of(FILE) && strong != nothing("strong"));
    // The measured numbers of the file above are those of the profile, but for two.
    let same: String = FILE
        .lines()
        .filter(|it| !it.starts_with("flat") && !it.starts_with("first"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(of(&same), nothing("weak"));
}
