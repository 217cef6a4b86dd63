//! A healthy actor whose calls were all refused tries once more, and then goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk::engine::{self, TruthChannel};
use balk_guards::{Answer, Blocked, Completion, Decision, Entry, Guard, Note, Subject, ToolCall, Verdict};
use balk_scenarios::{Kind, Scenario, World, WorldOptions, format, toolsets};

/// Refuses every call that writes a heading, and says this.
struct RefuseHeadings(&'static str);

/// Refuses the first, the third and every other call that writes a heading, and says this.
struct RefuseEveryOther(&'static str, u32);

/// Refuses every call that writes a heading and says the first, and the first other call and says the second.
struct RefuseTheFirstOther([&'static str; 2], u32);

fn is_heading(call: &ToolCall) -> bool {
    call.arguments.contains('#')
}

/// The decision to refuse the calls of a completion that are refused, and to say this.
fn refuse(completion: &Completion, says: &str, is_refused: impl Fn(&ToolCall) -> bool) -> Decision {
    let note = || Note {
        guard: "refuse".into(),
        rule: "refusal".into(),
        level: 1,
        subject: Subject::Run,
        text: says.into(),
    };
    let refused = completion.calls.iter().enumerate().filter(|(_, call)| is_refused(call));
    let blocked: Vec<Blocked> = refused.map(|(call, _)| Blocked { call, note: note() }).collect();
    if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() }
}

/// The calls of an entry, if it is a completion.
fn calls(entry: &Entry) -> &[Arc<ToolCall>] {
    if let Entry::Completion(completion) = entry { &completion.calls } else { &[] }
}

impl Guard for RefuseHeadings {
    fn name(&self) -> &'static str {
        "refuse"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        Ok(refuse(completion, self.0, is_heading))
    }
}

impl Guard for RefuseEveryOther {
    fn name(&self) -> &'static str {
        "refuse"
    }

    fn observe(&mut self, entry: &Entry) {
        self.1 += u32::from(calls(entry).iter().any(|it| is_heading(it)));
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        Ok(refuse(completion, self.0, |call| is_heading(call) && self.1 % 2 == 1))
    }
}

impl Guard for RefuseTheFirstOther {
    fn name(&self) -> &'static str {
        "refuse"
    }

    fn observe(&mut self, entry: &Entry) {
        self.1 += u32::from(calls(entry).iter().any(|it| !is_heading(it)));
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let [of_heading, of_other] = self.0;
        let is_other = !completion.calls.iter().any(|it| is_heading(it));
        Ok(match is_other {
            true if self.1 == 1 => refuse(completion, of_other, |_| true),
            true => Decision::pass(),
            false => refuse(completion, of_heading, is_heading),
        })
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
fn healthy(text: &str) -> Arc<Scenario> {
    let all = format::parse("refused.toml", text, toolsets::catalogue());
    let mut all = all.unwrap_or_else(|wrong| panic!("{wrong}")).into_iter();
    all.find(|it| it.kind == Kind::Control).expect("the file has a healthy actor")
}

/// The courses of 100 worlds, each until its last state, and how often each was taken.
fn courses(scenario: &Arc<Scenario>, says: &'static str) -> BTreeMap<String, u32> {
    courses_under(scenario, || RefuseHeadings(says))
}

fn courses_under<G: Guard>(scenario: &Arc<Scenario>, guard: impl Fn() -> G) -> BTreeMap<String, u32> {
    let mut courses = BTreeMap::new();
    for seed in 0..100 {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let trial = engine::run(&world, &mut guard(), &TruthChannel::default());
        let turns = trial.turns.iter().map(|turn| {
            let Entry::Completion(completion) = &trial.entries[turn.entry] else { panic!("it is a turn") };
            match &*scenario.actor.states[turn.state.expect("an actor plays")].name {
                name @ ("look" | "end") => name,
                _ if !completion.calls.iter().any(|it| is_heading(it)) => "detour",
                "work" => "write",
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

/// What comes after a call that ran is a turn of its own.
#[test]
fn who_stays_and_is_refused_later_tries_once_more_again() {
    let always = r#"{ when = "always", to = "look" }"#;
    let heard = PLAIN.replace(always, r#"{ when = "always", contains = "page is open", to = "look" }"#);
    assert_ne!(heard, PLAIN);
    let news = |turns| format!("[[environment.notification]]\nsays = \"open\"\nturns = {turns}\n\n");
    let news: String = [1, 3, 4].map(news).concat();
    let text = heard
        .replace("[goal]\n", &format!("{news}[phrases.open]\nany = [\"The page is open.\"]\n\n[goal]\n"));
    let found = courses_under(&healthy(&text), || RefuseEveryOther(NO, 0));
    assert_eq!(found, self::always("write write write write look"));
}

/// So is what a correction leads to, be it one of a detour.
#[test]
fn who_is_led_away_from_a_detour_and_refused_there_tries_once_more_again() {
    let text = PLAIN.replace(
        "next = [{ when = \"always\", to = \"look\" }]\n",
        r#"next = [{ when = "corrected", ways = ["ask"], to = "second" }, { when = "always", to = "look" }]

[[healthy.state]]
name = "second"
truth = [{ is = "productive" }]
calls = [{ tool = "write", arguments = { path = "{page.path}", content = "again #" } }]
next = [{ when = "always", to = "look" }]
"#,
    );
    assert_ne!(text, PLAIN);
    let says = ["This call is not allowed here. Inspect the folder.", "Not now. Ask the user."];
    let found = courses_under(&healthy(&text), || RefuseTheFirstOther(says, 0));
    let led: Vec<&String> = found.keys().filter(|course| course.contains("second")).collect();
    assert!(!led.is_empty(), "{found:?}");
    for course in led {
        assert_eq!(course.matches("second").count(), 2, "{course}");
    }
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
    let mut stubborn = healthy(PLAIN);
    Arc::make_mut(&mut stubborn).kind = Kind::Stubborn;
    assert_eq!(courses(&stubborn, NO), always("write look"));
}
