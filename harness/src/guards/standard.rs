//! Balk's own guards, the oracle and the ceiling.

use balk_guards::{
    Abandonment, CallRepair, Duplicate, EmptyCompletion, Handoff, NoTools, Progress, Repetition, RetrySafety,
};

use super::registered::{NoSettings, Registered};
use crate::engine::{Oracle, TruthChannel};

/// All our guards, in the order of the stack `default`, then the oracle and the ceiling.
pub(super) fn standard() -> Vec<Registered> {
    vec![
        repair().by_default(),
        abandonment().by_default(),
        repetition().by_default(),
        no_tools().by_default(),
        duplicate().by_default(),
        empty_completion().by_default(),
        retry_safety().by_default(),
        handoff().by_default(),
        progress().by_default(),
        oracle(),
        ceiling(),
    ]
}

fn repair() -> Registered {
    let about =
        "prints a call, misspells its name, sends nearly JSON: makes the call, or asks where it is in doubt";
    Registered::new("repair", about, CallRepair::new)
        .rules(CallRepair::RULES)
        .off("calls", false)
        .off("names", false)
        .off("arguments", false)
}

fn abandonment() -> Registered {
    let about = "gives up on a failing tool and shows code instead: one correction, one follow-up";
    Registered::new("abandonment", about, Abandonment::new)
        .variant(
            "hard",
            "refuses every fence without a call up to a limit, then asks the user",
            "policy",
            "hard",
        )
        .variant(
            "auto-retry",
            "runs the failing call again; tells the user, not the model",
            "policy",
            "auto-retry",
        )
        .variant(
            "strict",
            "the field design: words of acknowledgement before anything else counts",
            "policy",
            "strict",
        )
        .rules(Abandonment::RULES)
}

fn repetition() -> Registered {
    let about = "a text that repeats itself inside one message: two corrections, a question, the end";
    Registered::new("repetition", about, |NoSettings {}| Repetition::default()).rules(Repetition::RULES)
}

fn no_tools() -> Registered {
    let about = "announces and does not act: corrections up to a limit, then a question, then the end";
    Registered::new("no-tools", about, NoTools::new).rules(NoTools::RULES)
}

fn duplicate() -> Registered {
    let about = "the same call when nothing has changed: feedback, options, question, stop";
    Registered::new("duplicate", about, Duplicate::new)
        .variant("notice", "the same ladder with the plain notice \"already called\"", "policy", "notice")
        .variant(
            "strict",
            "the field design: words that announce a change before anything else counts",
            "policy",
            "strict",
        )
        .rules(Duplicate::RULES)
        .off("near-percent", 100)
}

fn empty_completion() -> Registered {
    let about = "nothing came, or was cut off: the request again, or a hint to make it smaller";
    Registered::new("empty-completion", about, EmptyCompletion::new).rules(EmptyCompletion::RULES)
}

fn retry_safety() -> Registered {
    let about = "an attempt broke: makes it again where nothing can be done twice, asks where something can";
    Registered::new("retry-safety", about, RetrySafety::new)
        .variant(
            "conservative",
            "asks whenever a tool on offer has no declared effect",
            "policy",
            "conservative",
        )
        .variant("fast-path", "the same, but for an attempt of which nothing came", "policy", "fast-path")
        .variant(
            "facts",
            "what was seen of the attempt decides, and never what was merely on offer",
            "policy",
            "facts",
        )
        .rules(RetrySafety::RULES)
}

fn handoff() -> Registered {
    let about = "a run ends without its goal: what is missing, what was tried, what a person can do";
    Registered::new("handoff", about, Handoff::new).rules(Handoff::RULES)
}

fn progress() -> Registered {
    let about =
        "busy and getting nowhere: cycles, repeats between others, the same failure, wandering, waiting";
    let off = [
        "waits",
        "laps",
        "equal-failures",
        "equal-answers",
        "unfit-calls",
        "refused-ends",
        "grown-calls",
        "returns",
        "near-calls",
        "refused-replies",
        "same-texts",
        "same-failures",
        "same-answers",
        "wandering",
    ];
    let guard = Registered::new("progress", about, Progress::new).rules(Progress::RULES);
    off.into_iter().fold(guard, |guard, key| guard.off(key, 0))
}

fn oracle() -> Registered {
    let about = "is told the truth and says everything that can help, within the same budget: no bound";
    Registered::told("oracle", about, |NoSettings {}, channel| Oracle::new(channel.clone()))
}

fn ceiling() -> Registered {
    let about = "is told the truth, and each of its corrections works: what could be recovered at all";
    let make = |NoSettings {}, channel: &TruthChannel| Oracle::ceiling(channel.clone());
    Registered::told("ceiling", about, make).reaching_everything()
}
