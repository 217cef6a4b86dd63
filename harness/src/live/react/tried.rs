//! One message in one place: what comes of it.

use balk_guards::{Completion, Entry, Guard, Intervention, InterventionKind};
use balk_reports::records::{ReactionCounts, Reactions};

use super::point::{Hands, Point};
use super::sample::Reaction;
use crate::engine::TruthChannel;
use crate::guards::Recipe;
use crate::live::model::{Model, Stop};

/// Whose message comes after a completion.
#[derive(Clone, Copy)]
pub(super) enum Message<'r> {
    /// That of the baseline's own loop: results alone, or what the scenario's user says.
    None(&'r Recipe),
    /// The user's "Proceed.".
    Proceed,
    /// That of a stack.
    Stack(&'r Recipe),
}

impl Message<'_> {
    /// Its name in a record.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::None(_) => Reactions::NONE,
            Self::Proceed => Reactions::PROCEED,
            Self::Stack(stack) => stack.spec(),
        }
    }

    /// What says it.
    pub(super) fn guard(&self) -> Box<dyn Guard> {
        match self {
            Self::Proceed => Box::new(()),
            Self::None(stack) | Self::Stack(stack) => Box::new(stack.stack(&TruthChannel::default())),
        }
    }
}

/// What came of a message in one place.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    came: Came,
    /// The rule of the stack that spoke or repaired first, as `guard/rule`.
    pub(super) rule: Option<String>,
    /// The samples; none where the messages no longer fitted into the model's context.
    pub(super) first: Vec<Option<Reaction>>,
    /// The samples after the same message once more: one for each of the first ones without a call.
    pub(super) again: Vec<Option<Reaction>>,
}

/// What came in place of a message, or the message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Came {
    Message {
        /// Everything that was said.
        words: String,
        /// What the stack said of it.
        own: String,
    },
    Nothing,
    Repair,
    End,
}

/// Tries a message after this completion, which balks; `twice` if that of a stack comes once more where it brings no
/// call.
pub(super) fn tried(
    point: &Point<'_>,
    completion: &Completion,
    message: &Message<'_>,
    model: &Model<'_>,
    samples: u32,
    twice: bool,
) -> Result<Tried, Stop> {
    let says = matches!(message, Message::Proceed).then_some(Reactions::PROCEED);
    let mut hands = Hands::of(point.world(), message.guard());
    let after = point.after(completion, says, &mut hands);
    let entries = &after.transcript()[point.transcript().len()..];
    let (came, rule) = (came(entries, message, after.is_due()), entries.iter().find_map(rule));
    let mut tried = Tried { came, rule, first: Vec::new(), again: Vec::new() };
    let Came::Message { words, own } = &tried.came else { return Ok(tried) };
    for number in 0..samples {
        let Some(next) = after.sample(model, number)? else {
            tried.first.push(None);
            continue;
        };
        let reaction = reaction(&after, &next, message, words);
        tried.first.push(Some(reaction));
        if twice && matches!(message, Message::Stack(_)) && !reaction.calls {
            let mut hands = Hands::of(point.world(), Box::new(()));
            let again = after.after(&next, Some(own), &mut hands);
            let next = if again.is_due() { again.sample(model, number)? } else { None };
            tried.again.push(next.map(|it| self::reaction(&again, &it, message, own)));
        }
    }
    Ok(tried)
}

/// What this completion does here, after a message with these words. A stack may repair it first, as in any run.
fn reaction(point: &Point<'_>, completion: &Completion, message: &Message<'_>, words: &str) -> Reaction {
    let mut hands = Hands::of(point.world(), message.guard());
    let after = point.after(completion, None, &mut hands);
    let entries = &after.transcript()[point.transcript().len()..];
    match entries.iter().find_map(repair) {
        Some(repaired) => Reaction { repaired: true, ..Reaction::of(point, repaired, words) },
        None => Reaction::of(point, completion, words),
    }
}

fn rule(entry: &Entry) -> Option<String> {
    let Entry::Intervention(Intervention { note, .. }) = entry else { return None };
    Some(format!("{}/{}", note.guard, note.rule))
}

fn repair(entry: &Entry) -> Option<&Completion> {
    let Entry::Intervention(Intervention { kind, .. }) = entry else { return None };
    if let InterventionKind::Repair(repaired) = kind { Some(repaired) } else { None }
}

/// What these entries are to the model.
fn came(entries: &[Entry], message: &Message<'_>, is_due: bool) -> Came {
    let (mut words, mut own) = (Vec::new(), Vec::new());
    let (mut spoke, mut repaired) = (false, false);
    for entry in entries {
        match entry {
            Entry::User(it) => words.push(&*it.text),
            Entry::Answer(it) => own.push(&*it.text),
            Entry::Intervention(Intervention { kind, note, .. }) => match kind {
                InterventionKind::Feedback | InterventionKind::Note | InterventionKind::Block => {
                    own.push(&*note.text);
                }
                InterventionKind::Repair(_) => repaired = true,
                InterventionKind::Question(_) | InterventionKind::Stop => spoke = true,
                InterventionKind::Notice => {}
            },
            Entry::Start(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    let is_silent = matches!(message, Message::Stack(_)) && own.is_empty() && !spoke;
    match (repaired, is_silent, is_due) {
        (true, _, _) => Came::Repair,
        (false, true, _) => Came::Nothing,
        (false, false, false) => Came::End,
        (false, false, true) => {
            let own = own.join("\n\n");
            Came::Message { words: format!("{own}\n\n{}", words.join("\n\n")), own }
        }
    }
}

impl Tried {
    /// What is counted of it; `proceed` is what came of the user's word in the same place.
    pub(super) fn counts(&self, proceed: &[Option<Reaction>]) -> ReactionCounts {
        let came = |what: Came| u64::from(self.came == what);
        let mut counts = ReactionCounts {
            places: 1,
            silent: came(Came::Nothing),
            repaired: came(Came::Repair),
            ended: came(Came::End),
            ..counted(&self.first)
        };
        for (one, other) in self.first.iter().zip(proceed) {
            if let (Some(one), Some(other)) = (one, other) {
                counts.pairs += 1;
                counts.saved += u64::from(one.serves && !other.serves);
                counts.lost += u64::from(!one.serves && other.serves);
            }
        }
        counts
    }

    /// What is counted of the second time.
    pub(super) fn counts_again(&self) -> ReactionCounts {
        ReactionCounts { places: 1, ..counted(&self.again) }
    }
}

/// The counts of these samples.
fn counted(reactions: &[Option<Reaction>]) -> ReactionCounts {
    let mut counts = ReactionCounts::default();
    for it in reactions.iter().flatten() {
        let Reaction { calls, repaired, moved, serves, named, done, unable } = *it;
        counts = counts.plus(&ReactionCounts {
            samples: 1,
            calls: calls.into(),
            repaired_calls: (calls && repaired).into(),
            moved: moved.into(),
            serves: serves.into(),
            named: named.is_some().into(),
            named_called: (named == Some(true)).into(),
            done: done.into(),
            unable: unable.into(),
            ..ReactionCounts::default()
        });
    }
    counts
}
