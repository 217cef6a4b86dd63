//! What brought a real model back, as tables.

use super::document::{Block, Document, Table, Text, code, marked, paragraph};
use crate::records::{ReactionCounts, ReactionRow, Reactions};
use crate::statistics::{Cluster, PairedCluster, PairedDifference, Share};

/// The reactions of a model, message by message.
#[must_use]
pub fn reactions(record: &Reactions) -> Document {
    if record.scripted {
        return scripted(record);
    }
    if record.rows.is_empty() {
        let balked =
            format!("The model balked in none of {} trials, so no message was tried.", record.trials);
        return [paragraph(balked)].into();
    }
    let places = format!(
        "A place is where the model balked without a guard: it called no tool while the goal was open, sent a call \
         again that had moved nothing, or answered nothing. Of each of the {} trials, the first {} places are used. At \
         each of them the next completion was sampled under each message (samples: {}), and not at all where a stack \
         said nothing. A stack repairs that completion as in any run, and the call that it makes counts. `again` is \
         the same message a second time, where no call came after the first.",
        record.trials, record.most_places, record.samples
    );
    let meaning = format!(
        "{SERVES} A new call is none of those that moved nothing before. What a completion says of the task is read \
         from a list of words, and is only about right. Intervals are clustered by world. The difference compares \
         calls that serve the task, in pairs of the same place and number."
    );
    let by_rule = "The messages of a stack by the rule that spoke first. Rules with few samples say little: look at \
         the intervals.";
    Document::from([
        Block::Table(calls(record)),
        paragraph(marked(&places)),
        Block::Table(beside(record)),
        paragraph(meaning),
        Block::Table(rules(record)),
        paragraph(by_rule),
    ])
}

/// What serves the task.
const SERVES: &str = "A call serves the task if it changes the world or gets a result that the messages did not have \
                      yet; a call that ends the task, if the goal holds.";

/// The reactions of a model in a scripted one's place, message by message.
fn scripted(record: &Reactions) -> Document {
    if record.rows.is_empty() {
        return [paragraph("No stack spoke to a scripted model, so no message was tried.")].into();
    }
    let places = format!(
        "Scripted models got stuck under each stack. A place is where the stack spoke to one of them: of each message \
         at most {} places, of different worlds where there are as many, and those with the fewest messages before. \
         At each the real model's next completion was sampled (samples: {}) after nothing but results or what the \
         user of the world says, after the user's `{}`, and after the message, or the answer to a question. A stack \
         repairs that completion as in any run, and the call that it makes counts. Where stacks share a rule, what \
         comes after nothing and after `{}` is of the places of all of them.",
        record.most_places,
        record.samples,
        Reactions::PROCEED,
        Reactions::PROCEED
    );
    let meaning = format!(
        "{SERVES} Intervals are clustered by world, and wide where there are few. The difference compares calls that \
         serve the task, in pairs of the same place and number."
    );
    Document::from([paragraph(marked(&places)), Block::Table(by_message(record)), paragraph(meaning)])
}

/// Each message of each stack, beside nothing and the user's word in the same places; first all messages of a stack.
fn by_message(record: &Reactions) -> Table {
    let mut table = Table::of_numbers([
        Text::from("message"),
        "places".into(),
        "samples".into(),
        "any call: after nothing, %".into(),
        marked(&format!("`{}`", Reactions::PROCEED)),
        "the message".into(),
        "of these, by a repair".into(),
        "serves the task: after nothing, %".into(),
        marked(&format!("`{}`", Reactions::PROCEED)),
        "the message".into(),
        marked(&format!("more than `{}` (points)", Reactions::PROCEED)),
    ]);
    let stacks = record.messages().into_iter().map(|(stack, _)| stack);
    for stack in stacks.filter(|it| ![Reactions::NONE, Reactions::PROCEED].contains(it)) {
        let rules = record.rules((stack, false)).into_iter().map(Some);
        for rule in std::iter::once(None).chain(rules) {
            let is_here = |it: &ReactionRow| match rule {
                Some(rule) => it.rule.as_deref() == Some(rule),
                None => it.rule.as_deref().is_some_and(|it| record.rules((stack, false)).contains(it)),
            };
            let of = |message: &str| record.worlds(|it| it.message == message && is_here(it));
            let [nothing, proceed, own] = [Reactions::NONE, Reactions::PROCEED, stack].map(of);
            let all = sum(&own);
            let calls = |worlds: &[ReactionCounts]| share(worlds, |it| [it.calls, it.samples]).into();
            let serves = |worlds: &[ReactionCounts]| share(worlds, |it| [it.serves, it.samples]).into();
            table.row([
                rule.map_or_else(|| code(stack) + ", all", code),
                all.places.to_string().into(),
                all.samples.to_string().into(),
                calls(&nothing),
                calls(&proceed),
                calls(&own),
                all.repaired_calls.to_string().into(),
                serves(&nothing),
                serves(&proceed),
                serves(&own),
                more((stack, false), &own).into(),
            ]);
        }
    }
    table
}

/// What calls come after each message.
fn calls(record: &Reactions) -> Table {
    let mut table = Table::of_numbers([
        Text::from("message"),
        "places".into(),
        "silent".into(),
        "samples".into(),
        "any call (%)".into(),
        "of these, by a repair".into(),
        "serves the task (%)".into(),
        marked(&format!("more than `{}` (points)", Reactions::PROCEED)),
    ]);
    for message in record.messages() {
        let worlds = record.by_world(&[message]);
        let all = sum(&worlds);
        table.row([
            name(message),
            all.places.to_string().into(),
            all.silent.to_string().into(),
            all.samples.to_string().into(),
            share(&worlds, |it| [it.calls, it.samples]).into(),
            all.repaired_calls.to_string().into(),
            share(&worlds, |it| [it.serves, it.samples]).into(),
            more(message, &worlds).into(),
        ]);
    }
    table
}

/// What else is known of each message.
fn beside(record: &Reactions) -> Table {
    let mut table = Table::of_numbers([
        "message",
        "repaired",
        "ended",
        "a new call (%)",
        "calls the named tool (%)",
        "says it is done (%)",
        "says it cannot be done (%)",
    ]);
    for message in record.messages() {
        let worlds = record.by_world(&[message]);
        let all = sum(&worlds);
        table.row([
            name(message),
            all.repaired.to_string().into(),
            all.ended.to_string().into(),
            share(&worlds, |it| [it.moved, it.samples]).into(),
            share(&worlds, |it| [it.named_called, it.named]).into(),
            share(&worlds, |it| [it.done, it.samples]).into(),
            share(&worlds, |it| [it.unable, it.samples]).into(),
        ]);
    }
    table
}

/// The messages of each stack by rule.
fn rules(record: &Reactions) -> Table {
    let columns = ["message", "rule", "places", "repaired", "samples", "any call (%)", "serves the task (%)"];
    let mut table = Table::of_numbers(columns);
    for message in record.messages() {
        for rule in record.rules(message) {
            let worlds = record
                .worlds(|row| (&*row.message, row.again) == message && row.rule.as_deref() == Some(rule));
            let all = sum(&worlds);
            table.row([
                name(message),
                code(rule),
                all.places.to_string().into(),
                all.repaired.to_string().into(),
                all.samples.to_string().into(),
                share(&worlds, |it| [it.calls, it.samples]).into(),
                share(&worlds, |it| [it.serves, it.samples]).into(),
            ]);
        }
    }
    table
}

fn sum(worlds: &[ReactionCounts]) -> ReactionCounts {
    worlds.iter().fold(ReactionCounts::default(), |all, it| all.plus(it))
}

/// A share over worlds, in percent: the first count of the second.
fn share(worlds: &[ReactionCounts], count: fn(&ReactionCounts) -> [u64; 2]) -> String {
    let clusters = worlds.iter().map(count).map(|[count, of]| Cluster { count, of });
    Share::of_clusters(&clusters.collect::<Vec<_>>()).percent()
}

fn name((message, again): (&str, bool)) -> Text {
    if again { code(message) + ", again" } else { code(message) }
}

/// The difference to the user's word; a dash for that word itself, and for samples that are not of equal places.
fn more((message, again): (&str, bool), worlds: &[ReactionCounts]) -> String {
    if again || message == Reactions::PROCEED {
        return "–".to_owned();
    }
    let pairs = worlds.iter().map(|it| PairedCluster { saved: it.saved, lost: it.lost, of: it.pairs });
    PairedDifference::of_clusters(&pairs.collect::<Vec<_>>()).0.to_string()
}

#[cfg(test)]
mod tests {
    use balk_contract::record::{Stuck, Truth};

    use super::*;
    use crate::records::REACTIONS_SCHEMA;
    use crate::report::document::markdown;

    fn shown(rows: Vec<ReactionRow>) -> String {
        shown_as(false, rows)
    }

    fn shown_as(scripted: bool, rows: Vec<ReactionRow>) -> String {
        let (balk, model) = ("0".to_owned(), "m".to_owned());
        let record = Reactions {
            schema: REACTIONS_SCHEMA,
            balk,
            model,
            samples: 2,
            scripted,
            most_places: 4,
            trials: 3,
            rows,
        };
        markdown(&reactions(&record))
    }

    #[test]
    fn a_model_that_never_balks_gets_one_sentence() {
        assert_eq!(shown(Vec::new()), "The model balked in none of 3 trials, so no message was tried.\n");
    }

    #[test]
    fn a_message_to_scripted_models_stands_beside_nothing_and_the_users_word_in_its_places() {
        let row = |message: &str, rule: &str, calls: u64| {
            let counts = ReactionCounts { places: 2, samples: 4, calls, ..ReactionCounts::default() };
            let (message, rule, world) = (message.to_owned(), Some(rule.to_owned()), "a".to_owned());
            ReactionRow { message, again: false, rule, world, balked: Truth::Stuck(Stuck::TextOnly), counts }
        };
        let text = shown_as(
            true,
            vec![
                row(Reactions::NONE, "a/one", 1),
                row(Reactions::NONE, "b/two", 0),
                row(Reactions::PROCEED, "a/one", 2),
                row(Reactions::PROCEED, "b/two", 0),
                row("mine", "a/one", 3),
                row("mine", "b/two", 4),
            ],
        );
        let calls = |start: &str| {
            let line = text.lines().find(|it| it.starts_with(start)).expect(start);
            let cells = line.split('|').skip(4).take(3);
            cells.map(|it| it.split_whitespace().next().expect("a share").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(calls("| `mine`, all | 4 | 8 |"), ["12.5", "25.0", "87.5"]);
        assert_eq!(calls("| `a/one` | 2 | 4 |"), ["25.0", "50.0", "75.0"]);
        assert_eq!(calls("| `b/two` | 2 | 4 |"), ["0.0", "0.0", "100.0"]);
    }

    #[test]
    fn worlds_are_added_up_and_the_users_word_is_not_compared_to_itself() {
        let row = |message: &str, world: &str, [serves, saved]: [u64; 2]| {
            let counts = ReactionCounts {
                places: 2,
                samples: 4,
                calls: 4,
                serves,
                saved,
                pairs: 4,
                ..ReactionCounts::default()
            };
            let (message, world) = (message.to_owned(), world.to_owned());
            ReactionRow {
                message,
                again: false,
                rule: None,
                world,
                balked: Truth::Stuck(Stuck::TextOnly),
                counts,
            }
        };
        let text = shown(vec![
            row(Reactions::PROCEED, "a", [0, 0]),
            row(Reactions::PROCEED, "b", [0, 0]),
            row("default", "a", [2, 2]),
            ReactionRow { rule: Some("no-tools/no-call".to_owned()), ..row("default", "b", [1, 1]) },
        ]);
        let line = |start: &str| text.lines().find(|it| it.starts_with(start)).expect(start);
        assert!(line("| `Proceed.` | 4 | 0 | 8 | 100.0 (").ends_with("| – |"), "{text}");
        assert!(line("| `default` | 4 | 0 | 8 | 100.0 (").contains("| +37.5 ("), "{text}");
        assert!(
            line("| `default` | `no-tools/no-call` | 2 | 0 | 4 | 100.0 (").contains("| 25.0 ("),
            "{text}"
        );
    }
}
