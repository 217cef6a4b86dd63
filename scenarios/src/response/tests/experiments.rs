//! Each recorded experiment, played against the model. Every simulated share lies in the recorded interval.
//!
//! The counts are in `docs/reactions.md`, under the headings that are named here. An interval is the 95 % interval of
//! the count (exact, unless the row there gives one over trajectories), in parts per thousand. The messages are our
//! own; each carries what the recorded one carried.

use super::*;

/// What is counted.
enum Counted {
    /// The next reply is not as before.
    Moves,
    /// The same call is not sent again.
    Varies,
    /// A call is made.
    Calls,
    /// The easy way out is taken.
    Stops,
}

use Counted::{Calls, Moves, Stops, Varies};

impl Counted {
    fn is(&self, reaction: &Reaction) -> bool {
        match (self, reaction) {
            (Moves, _) => is_moved(reaction),
            (Varies, _) => *reaction != Reaction::Ignored,
            (Calls, Reaction::Takes { offered, .. }) => match offered.way {
                Way::Call | Way::Tool | Way::Inspect | Way::Change | Way::Again => true,
                Way::Wait | Way::Ask | Way::Tell | Way::Finish | Way::Shorten => false,
            },
            // Whatever else it does where it was told nothing.
            (Calls, Reaction::Finds | Reaction::Varied) => true,
            (Stops, Reaction::Takes { offered, .. }) => matches!(offered.way, Way::Finish | Way::Tell),
            (Calls | Stops, _) => false,
        }
    }
}

/// A message as it was delivered, with what came before it.
#[derive(Clone, Copy)]
struct Said {
    text: &'static str,
    error: Option<&'static str>,
    previous: Option<&'static str>,
}

const fn said(text: &'static str) -> Said {
    Said { text, error: None, previous: None }
}

impl Said {
    const fn after_error(self, error: &'static str) -> Self {
        Self { error: Some(error), ..self }
    }

    const fn after(self, previous: &'static str) -> Self {
        Self { previous: Some(previous), ..self }
    }

    fn read(self) -> Advice {
        let tools = ["write_file", "read_file", "list_directory"].map(balk_contract::Tool::new);
        let Self { text, error, previous } = self;
        let delivered =
            Delivered { text, previous, last_error: error, tools: &tools, ..Delivered::default() };
        read(&delivered)
    }
}

/// Plays an experiment: the k-th message in a row, counted so, and the recorded interval.
#[track_caller]
fn check(model: Model, said: Said, in_a_row: u32, counted: Counted, (low, high): (u32, u32)) {
    let taken = reactions(model, ResponseMode::Features, &said.read(), in_a_row);
    let hits = taken.iter().filter(|it| counted.is(it)).count();
    let share = u32::try_from(hits).expect("few trials") * 1_000 / TRIALS;
    assert!((low..=high).contains(&share), "{:?}: {share} is not in {low} to {high}", said.text);
}

#[track_caller]
fn check_row(profile: Profile, said: Said, intervals: [(u32, u32); 4]) {
    for (in_a_row, interval) in (1..).zip(intervals) {
        check(pinned(profile), said, in_a_row, Moves, interval);
    }
}

const PLAIN: Said = said("No code was found in your reply.");
const FORM: Said = said("No code was found in your reply. It has to be enclosed in a fence.");
const ADVICE: Said = said(
    "No code was found in your reply. It has to be enclosed in a fence.\n- first think\n- then write one statement",
);
const PARSER: &str = "expected an action, found prose";
const CAUSE: Said =
    said("No tool call was found in your reply: expected an action, found prose.").after_error(PARSER);
const EXPLAINED: Said =
    said("No tool call was found in your reply: expected an action, found prose. It has to be in the form of a call.")
        .after_error(PARSER);
const EXAMPLE: Said = said(
    "Your reply was refused: send one call in the form {\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}.",
);

/// `docs/reactions.md#what-a-correction-says`: gpt-3.5 in InterCode, first to fourth correction.
#[test]
fn what_a_correction_says() {
    // 100 of 154, 13 of 53, 4 of 36, 1 of 29.
    check_row(Profile::Gpt35, PLAIN, [(568, 724), (138, 383), (31, 261), (1, 178)]);
    // 60 of 79, 6 of 16, 0 of 10, 1 of 9.
    check_row(Profile::Gpt35, FORM, [(650, 849), (152, 646), (0, 309), (3, 483)]);
    // 326 of 414, 36 of 84, 7 of 44, 3 of 34.
    check_row(Profile::Gpt35, ADVICE, [(745, 826), (321, 541), (66, 307), (19, 237)]);
    // A cause adds 10 to 14 points at first, to 65 %.
    check(pinned(Profile::Gpt35), CAUSE, 1, Moves, (750, 790));
}

/// `docs/reactions.md#later-corrections`: the k-th correction in a row, by the kind of model.
#[test]
fn later_corrections() {
    // gemini-3-pro, shown an example: 595 of 624, 17 of 29, 7 of 12, and 3 of 13 later.
    check_row(Profile::Strong, EXAMPLE, [(930, 970), (390, 760), (280, 850), (90, 510)]);
    // gpt-4o in SUPER, with the reason: 506 of 572, 40 of 66, 18 of 26, 8 of 15 later.
    check_row(Profile::Gpt4o, EXPLAINED, [(850, 920), (480, 720), (480, 860), (270, 790)]);
    // vicuna in InterCode, with the form: 36 of 86, 3 of 50, 0 of 47, 0 of 47.
    check_row(Profile::Weak, FORM, [(313, 530), (12, 165), (0, 75), (0, 75)]);
}

/// `docs/reactions.md#new-wording`: MINT, over models, the right form being known. The row of such a model lies where
/// the usual complaint says: it is a weak one of the population that understands words.
#[test]
fn new_wording() {
    let model = Model { like: Profile::Gpt35, ..POPULATION[2] };
    const USUAL: &str = "I did not understand your reply: no tool call was found in it.";
    const ADDED: &str =
        "I did not understand your reply: no tool call was found in it. Take the last step now.";
    // 6 of 60; 33 of 56; 28 of 52.
    check(model, said(USUAL).after(USUAL), 2, Moves, (37, 205));
    check(model, said(ADDED).after(USUAL), 2, Moves, (450, 719));
    check(model, said(ADDED).after(USUAL), 3, Moves, (395, 678));
    // 8 of 259, and 17 of 242, where no reply was ever right.
    check(pinned(Profile::Weak), said(USUAL).after(USUAL), 3, Moves, (13, 60));
    check(pinned(Profile::Weak), said(ADDED).after(USUAL), 4, Moves, (41, 110));
}

/// `docs/reactions.md#forbidding`: RepairAgent, gpt-3.5, mostly at the first repeat: the same call next in 1 of 180.
#[test]
fn forbidding() {
    let forbids = said("Do not execute this command again with the same arguments.");
    check(pinned(Profile::Gpt35), forbids, 1, Varies, (969, 1_000));
}

/// `docs/reactions.md#a-small-live-model`: text where a call is due.
#[test]
fn a_small_live_model() {
    let model = POPULATION[0];
    const NO_TOOLS: &str = "Your last message calls no tool, so nothing was done.\n- to continue, call a tool: \
         `list_directory`, `read_file` and `write_file`\n- if the task is done, say so and give the result\n- if you \
         need something from the user, ask a question\nAn announcement is not a call: call `list_directory` or another \
         tool now.";
    const AGAIN: &str = "Again you called no tool, 2 times in a row (reminder 2). An announced step is not done until \
         you send the call. Send one call now, with all its arguments: `list_directory` and `read_file`; or if the \
         task is done, say so and give the result.";
    const UNNAMED: &str = "Your last message calls no tool, so nothing was done.\n- to continue, call a tool\n- if the \
         task is done, say so and give the result\n- if you need something from the user, ask a question\nAn \
         announcement is not a call: make the call now.";
    // Over 39 contexts with 2 seeds each; the last three over 20. Bootstrap over contexts.
    check(model, said("Proceed."), 1, Calls, (0, 40));
    check(model, said("banana"), 1, Calls, (0, 60));
    check(model, said(NO_TOOLS), 1, Calls, (30, 170));
    check(model, said(AGAIN).after(NO_TOOLS), 2, Calls, (0, 110));
    check(model, said("Continue with the task, or say that you are done."), 1, Calls, (0, 70));
    check(model, said("Call a tool now."), 1, Calls, (1, 132));
    check(model, said(UNNAMED), 1, Calls, (150, 500));
    check(model, EXAMPLE, 1, Calls, (250, 650));
    // 58 of the 78 answers to the nudge say that it is done.
    check(model, said("Continue with the task, or say that you are done."), 1, Stops, (632, 836));
    // 12 of 12 calls are of the tool that was named first.
    let taken = reactions(model, ResponseMode::Features, &said(NO_TOOLS).read(), 1);
    let calls: Vec<(&Option<std::sync::Arc<str>>, bool)> = taken
        .iter()
        .filter_map(|it| match it {
            Reaction::Takes { offered, by_name } if offered.way == Way::Call => {
                Some((&offered.tool, *by_name))
            }
            Reaction::Takes { .. } | Reaction::Finds | Reaction::Varied | Reaction::Ignored => None,
        })
        .collect();
    assert!(calls.len() > 100);
    assert!(calls.iter().all(|(tool, by_name)| tool.as_deref() == Some("list_directory") && *by_name));
}

/// A word out of place brings nearly nothing back: what moves the actor at all seldom leads anywhere.
#[test]
fn a_word_out_of_place() {
    let finds = |model| {
        let taken = reactions(model, ResponseMode::Features, &Advice::default(), 1);
        taken.iter().filter(|it| **it == Reaction::Finds).count() * 1_000 / taken.len()
    };
    // Live: 1 call of 78 served the task (`docs/reactions.md#a-small-live-model`), which is 0 to 69.
    assert!(finds(POPULATION[0]) <= 69);
    assert!((10..60).contains(&finds(pinned(Profile::Gpt35))));
    assert!(finds(pinned(Profile::Strong)) < 300);
}
