//! The file that `balk init` writes, unedited, under every stack that ships.

use crate::common::runs::under;
use balk::guards::Registry;
use balk_scenarios::format::{parse, template_of};
use balk_scenarios::{Kind, toolsets};

/// Its healthy actor does its work whatever a stack says: it hears a refusal, and does not ask for ever.
#[test]
fn the_healthy_actor_of_the_starter_does_its_work_under_every_stack() {
    let both = parse("mine.toml", &template_of("mine"), toolsets::catalogue()).expect("the starter is good");
    let healthy = both.iter().find(|it| it.kind == Kind::Control).expect("it has a healthy actor");
    let mut lost = Vec::new();
    for spec in ["none".to_owned()].into_iter().chain(Registry::standard().benched()) {
        let runs = under(healthy, 0..=99, &spec);
        assert_eq!(runs.len(), 100, "{spec}");
        let undone: Vec<u64> = runs.iter().filter(|it| !it.grade.goal).map(|it| it.seed).collect();
        if !undone.is_empty() {
            lost.push(format!("{spec}: {} of 100, seeds {undone:?}", undone.len()));
        }
    }
    assert!(lost.is_empty(), "runs that are not done:\n{}", lost.join("\n"));
}
