//! A healthy actor whose calls were all refused tries once more, and then goes on.

use std::collections::BTreeMap;

use balk::engine::{self, TruthChannel};
use balk_guards::{Answer, Blocked, Completion, Decision, Entry, Guard, Note, Subject, ToolCall, Verdict};
use balk_scenarios::{Kind, Scenario, World, WorldOptions, format, toolsets};

/// Refuses every call that writes a heading, and says this.
struct RefuseHeadings(&'static str);

fn is_heading(call: &ToolCall) -> bool {
    call.arguments.contains('#')
}

impl Guard for RefuseHeadings {
    fn name(&self) -> &'static str {
        "refuse-headings"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let note = || Note {
            guard: "refuse-headings".into(),
            rule: "refusal".into(),
            level: 1,
            subject: Subject::Run,
            text: self.0.into(),
        };
        let headings = completion.calls.iter().enumerate().filter(|(_, call)| is_heading(call));
        let blocked: Vec<Blocked> = headings.map(|(call, _)| Blocked { call, note: note() }).collect();
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }
}

/// A file whose healthy actor writes a heading, then reads the page, and then ends.
const PLAIN: &str = concat!(
    include_str!("../../../../scenarios/tests/good.toml"),
    r#"next = [{ when = "always", to = "look" }]

[[healthy.state]]
name = "look"
truth = [{ is = "productive" }]
calls = [{ tool = "read", arguments = { path = "{page.path}" } }]
next = [{ when = "always", to = "end" }]

[[healthy.state]]
name = "end"
truth = [{ is = "finished" }]
says = "excuse"
"#
);

/// The healthy scenario of this text.
fn healthy(text: &str) -> Scenario {
    let all = format::parse("refused.toml", text, toolsets::catalogue());
    let mut all = all.unwrap_or_else(|wrong| panic!("{wrong}")).into_iter();
    all.find(|it| it.kind == Kind::Control).expect("the file has a healthy actor")
}

/// The courses of 100 worlds, each until its last state, and how often each was taken.
fn courses(scenario: &Scenario, says: &'static str) -> BTreeMap<String, u32> {
    let mut courses = BTreeMap::new();
    for seed in 0..100 {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let trial = engine::run(&world, &mut RefuseHeadings(says), &TruthChannel::default());
        let turns = trial.turns.iter().map(|turn| {
            let Entry::Completion(completion) = &trial.entries[turn.entry] else { panic!("it is a turn") };
            match &*scenario.actor.states[turn.state.expect("an actor plays")].name {
                "work" if completion.calls.iter().any(|it| is_heading(it)) => "write",
                "work" => "detour",
                name => name,
            }
        });
        let course: Vec<&str> = turns.take_while(|turn| *turn != "end").collect();
        *courses.entry(course.join(" ")).or_default() += 1;
    }
    courses
}

fn always(course: &str) -> BTreeMap<String, u32> {
    BTreeMap::from([(course.to_owned(), 100)])
}

const NO: &str = "This call is not allowed here.";

#[test]
fn a_call_that_is_always_refused_is_sent_twice_and_no_more() {
    assert_eq!(courses(&healthy(PLAIN), NO), always("write write look"));
}

#[test]
fn a_call_that_is_always_refused_is_sent_twice_and_no_more_with_a_detour_between() {
    let found = courses(&healthy(PLAIN), "This call is not allowed here. Inspect the folder.");
    let found: Vec<&String> = found.keys().collect();
    assert_eq!(found, ["write detour write detour look", "write write look"]);
}

#[test]
fn a_call_that_is_always_refused_is_sent_twice_and_no_more_with_a_summary_between() {
    let text = PLAIN.replace("[user]\n", "[compaction]\nturns = 1\nsays = \"excuse\"\n\n[user]\n");
    assert_ne!(text, PLAIN);
    assert_eq!(courses(&healthy(&text), NO), always("write write look"));
}

/// To send the turn again would run the provider's calls twice.
#[test]
fn a_turn_in_which_the_provider_ran_calls_is_not_sent_again() {
    let offers = "roles = [\"write\", \"read\", \"remote\"]\nprovider = [\"remote\"]\n";
    let text = PLAIN.replace("roles = [\"write\", \"read\"]\n", offers);
    let (before, work) = text.rsplit_once("name = \"work\"\n").expect("the healthy actor works");
    let runs = r#"provider = [{ tool = "remote", arguments = { record = "{page.path}", details = "-" } }]"#;
    let of_provider = format!("{before}name = \"work\"\n{runs}\n{work}");
    assert_eq!(courses(&healthy(&text), NO), always("write write look"));
    assert_eq!(courses(&healthy(&of_provider), NO), always("write look"));
}

#[test]
fn a_stubborn_actor_goes_on_at_once() {
    let stubborn = Scenario { kind: Kind::Stubborn, ..healthy(PLAIN) };
    assert_eq!(courses(&stubborn, NO), always("write look"));
}
