//! **repair**: the model means a call and sends it in a form that nothing runs.
//!
//! *Detects* (spec X1, X3) three kinds. *Calls*: a message without a call prints one of a tool on offer, whole, in a
//! form that a chat template or an agent defines (`printed.rs`), with arguments that fit the tool's schema. *Names*: a
//! call of a name that is not on offer and is that of one tool but for case, separators or a namespace. *Arguments*:
//! they are nearly JSON (`mend.rs`), and what they can only mean fits the schema. The call is then made, and runs
//! like any other. The model is shown what it meant; the transcript keeps what it sent. Prose before a printed call is
//! kept, the printed call is cut from it.
//!
//! *Certain or doubtful* (spec X2). A printed call is certain if the message has nothing else, or if the text before it
//! is an announcement that breaks off, or if marks of a chat template are around it. After one line of another text it
//! is certain if it changes a file that the request names, for the first time. It is doubtful after any other text of
//! one short paragraph, if it looks like code (`name(argument="value")` alone), if several stand beside each other
//! without being a list, if the same call was made from a text before and each time changes something, if the request
//! speaks of an example or may want to see a call, if it comes after the user agreed to one that they had asked to see,
//! and if it would write a file again that was written before the request, which names no file. A doubtful call is made
//! if its tools are known to only read; else the user is asked, once for each call. If they agree, the next print of it
//! is made.
//!
//! *After a demand.* The answer to a guard that asked for a call is an attempt at it. Text around a printed call does
//! not make it doubtful then, and of several the first is the next one, since the others were written before its
//! result. What follows it is cut: it is prose about the call, or a result that the model made up.
//!
//! *Stays silent* about a printed call that may be an example or an answer: the user's request speaks of JSON, of calls
//! or of an example, names a call as a thing to see (`showing/calls.rs`), asks for more of what was to be seen
//! (`showing/follow_up.rs`), or has a call in it; text follows the call; the text before it is long, has several
//! paragraphs, a list, a code block or a question, or introduces an example; the code block around it has more in it;
//! calls stand in several places, or two of them concern one file; the object has members that no call has; arguments
//! are placeholders. So does it after a finish reason that says that the answer was cut off or withheld, and where
//! nothing is known of the offer. `no-tools` corrects what is left.
//!
//! *Says* as the result of a call whose name is nearly one on offer which tools have such a name, the nearest
//! first, and as the result of a call with unreadable arguments which form is asked. Names that are near none get
//! the host's own answer: it may run more tools than it offers, and a list of tools sends models to the first of
//! them, as worlds with a missing capability show. If the host knew none of two such names in a request, the third
//! call is answered with the tools on offer that take what it gives (a path and a content, a command, a query), if
//! they are one or two; a call that gives nothing known is for a tool that is missing, and none is named. The first
//! two calls with unreadable arguments get the host's answer, too, because its error may be enough. The guard answers
//! once a request. A model that goes on is stuck, and the other guards see that by failures of calls that ran. A
//! repair spends no correction. The user is told of each that is not known to only read (spec X4).
//!
//! *Thresholds*: a text before a call is as long as an announcement. Names are not compared with the tools of an offer
//! of more than 1,024: each call of a name that is not on offer would cost as much as the offer. Agents that read calls
//! from the text must turn `calls` off, or calls would be made twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mend;
use crate::printed;
use balk_contract::key::Shape;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::{
    Answer, Blocked, ChoiceKind, Completion, Decision, Effect, Entry, FinishReason, Guard, Intervention,
    InterventionKind, Note, Origin, Part, RawCall, Speaker, Subject, ToolCall, Verdict,
};
use judge::{Meant, has_placeholder, judge, judge_answer};
use offered::{Offered, Tools};
use rule::{ARGUMENTS, NAMES, PRINTED, UNKNOWN};
use state::{Demand, RepairState, Wish};

mod judge;
mod messages;
mod names;
mod offered;
mod role;
mod rule;
mod state;

/// Settings of the guard: which kinds of repairs it makes (spec X4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CallRepairSettings {
    /// Printed calls are made. Off for agents that read calls from the text themselves.
    pub calls: bool,
    /// Misspelt names are put right, and a name that no tool has is answered with the names that there are.
    pub names: bool,
    /// Arguments that are nearly JSON are mended, and unreadable ones are answered with the form that is asked.
    pub arguments: bool,
}

impl Default for CallRepairSettings {
    fn default() -> Self {
        Self { calls: true, names: true, arguments: true }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct CallRepair {
    settings: CallRepairSettings,
    state: RepairState,
}

/// What is to be made of a message that prints a call.
struct Reading {
    completion: Completion,
    meant: Meant,
}

const NAME: &str = "repair";
const VERSION: u64 = 4;

impl CallRepair {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new(
            PRINTED,
            &[Rung::counted(Step::Repair), Rung::counted(Step::Question), Rung::counted(Step::Notice)],
        ),
        Rule::new(NAMES, &[Rung::counted(Step::Repair), Rung::counted(Step::Notice)]),
        Rule::new(
            ARGUMENTS,
            &[Rung::counted(Step::Repair), Rung::counted(Step::Notice), Rung::counted(Step::Block)],
        ),
        Rule::new(UNKNOWN, &[Rung::counted(Step::Block)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: CallRepairSettings) -> Self {
        Self { settings, state: RepairState::default() }
    }

    /// `before`: how many of these there were in the run.
    fn note(&self, rule: &'static str, before: u32, subject: Subject, text: String) -> Note {
        let level = u8::try_from(before.saturating_add(1)).unwrap_or(u8::MAX);
        Note { guard: NAME.into(), rule: rule.into(), level, subject, text: text.into() }
    }

    /// The completion with its printed calls made, if they can be meant.
    fn read(&self, completion: &Completion) -> Option<Reading> {
        let (at, text, all) = completion.parts.iter().enumerate().find_map(|(at, part)| match part {
            Part::Text(text) => {
                Some((at, text, self.state.printed(text))).filter(|(_, _, it)| !it.is_empty())
            }
            Part::Thinking { .. } => None,
        })?;
        let is_answer = self.state.demand == Demand::Answered;
        let printed = match &all[..] {
            [only] => only,
            [first, ..] if is_answer => first,
            _ => return None,
        };
        let texts = || completion.parts.iter().enumerate().filter(|(_, it)| matches!(it, Part::Text(_)));
        // A text behind the call speaks about it.
        if !is_answer && texts().any(|(part, _)| part > at) {
            return None;
        }
        let meant = if is_answer { judge_answer(text, printed) } else { judge(text, printed) };
        let meant = match (meant, self.state.wish) {
            (Meant::No, _) | (_, Wish::Open | Wish::Shown) => return None,
            (meant, Wish::None) => meant,
            (Meant::Perhaps | Meant::Introduced | Meant::Certainly, Wish::Perhaps) => Meant::Perhaps,
        };
        let next = if is_answer && !printed.is_list { 1 } else { printed.calls.len() };
        let calls = self.calls(&printed.calls[..next])?;
        let mut parts = completion.parts[..=at].to_vec();
        parts[at] = Part::Text(text[..printed.span.start].trim_end().into());
        let tools: BTreeMap<&str, &Offered> =
            calls.iter().filter_map(|it| Some((&*it.tool, self.state.offered.named(&it.tool)?))).collect();
        let offer = Offered::offer(tools.into_values());
        let made = Completion::new(parts, calls, FinishReason::ToolCall, completion.usage, &offer);
        (!self.are_alternatives(&made)).then_some(Reading { completion: made, meant })
    }

    /// The printed calls as calls, if all of them fit their tools.
    fn calls(&self, found: &[printed::Call<'_>]) -> Option<Vec<RawCall>> {
        let call = |(at, it): (usize, &printed::Call<'_>)| {
            let tool = self.state.offered.printed(&it.name)?;
            let arguments = tool.fitting(&it.arguments).filter(|it| !has_placeholder(it))?;
            // Nine letters and digits, as Mistral demands of an id.
            let id = format!(
                "rep{:06}",
                self.state.repairs.saturating_mul(10).saturating_add(u32::try_from(at).ok()?)
            );
            Some(RawCall { id: id.into(), tool: tool.name.clone(), arguments })
        };
        found.iter().enumerate().map(call).collect()
    }

    /// Whether only one of these calls can be meant: the same twice, or two changes of one file.
    fn are_alternatives(&self, completion: &Completion) -> bool {
        let (mut keys, mut changed) = (BTreeSet::new(), BTreeSet::new());
        completion.calls.iter().any(|call| {
            let changes = call.path_key().filter(|_| call.effect != Effect::ReadOnly);
            !keys.insert(call.key) || changes.is_some_and(|path| !changed.insert(path))
        })
    }

    fn about_text(&self, completion: &Completion) -> Decision {
        let Some(Reading { completion, meant }) = self.read(completion) else { return Decision::pass() };
        let changing = |it: &&Arc<ToolCall>| it.effect != Effect::ReadOnly;
        let asked_about = completion.calls.iter().filter(changing).find(|it| {
            let was_made = it.effect != Effect::IdempotentWrite && self.state.made.contains(&it.key);
            let is_finished = it.path_key().is_some_and(|path| self.state.finished.contains(&path));
            let is_doubtful = match meant {
                Meant::Certainly => false,
                Meant::Introduced => !self.state.is_asked_for(it),
                Meant::Perhaps | Meant::No => true,
            };
            is_doubtful || was_made || is_finished
        });
        if let Some(call) = asked_about {
            return match (self.state.asked == Some(call.key), self.state.agreed) {
                (true, true) => self.make(PRINTED, completion, |_| true),
                (true, false) => Decision::pass(),
                (false, _) => Verdict::Ask(self.question(call)).into(),
            };
        }
        self.make(PRINTED, completion, |_| true)
    }

    /// The decision to make this completion in place of the original; `which` says which of its calls are repaired.
    fn make(
        &self,
        rule: &'static str,
        completion: Completion,
        which: impl Fn(usize) -> bool + Copy,
    ) -> Decision {
        let may_change = |(at, call): (usize, &Arc<ToolCall>)| which(at) && call.effect != Effect::ReadOnly;
        let changes = completion.calls.iter().enumerate().any(may_change);
        let notices = if changes { vec![self.notice(rule, &completion, which)] } else { Vec::new() };
        let note = self.made(rule, &completion, which);
        let verdict = Verdict::Repair(balk_contract::Repair { note, completion: Arc::new(completion) });
        Decision { verdict, notices }
    }

    /// What is wrong with a call that cannot run as it is.
    fn fault(&self, call: &ToolCall) -> Option<Fault<'_>> {
        match self.state.offered.named(&call.tool) {
            None if self.settings.names && !self.state.unlisted.contains(&call.tool) => {
                Some(match names::meant(&call.tool, &self.state.offered) {
                    Some(tool) if !tool.is_of_provider => Fault::Misspelt(tool),
                    Some(_) | None => Fault::Unknown,
                })
            }
            Some(tool) if self.settings.arguments && call.shape != Shape::Object => {
                Some(Fault::Arguments(tool))
            }
            None | Some(_) => None,
        }
    }

    /// The guard's answer to a call of an unknown name: if it is nearly one on offer, or if the host knew none of two
    /// names before it and tools on offer take what the call gives; once a request, because a model that goes on is
    /// stuck, and other guards see that by failures of calls that ran. The host answers all other names: it may run
    /// more tools than it offers, and models call the tool that a message names, fitting or not
    /// (`docs/reactions.md#a-small-live-model`).
    fn answer(&self, call: &ToolCall) -> Option<Note> {
        if self.state.answered.names > 0 {
            return None;
        }
        if !names::near(&call.tool, &self.state.offered).is_empty() {
            return Some(self.unknown(call));
        }
        // A healthy model needs one or two errors of the host.
        let alike = if self.state.unknown > 1 { role::alike(call, &self.state.offered) } else { Vec::new() };
        (!alike.is_empty()).then(|| self.alike(call, &alike))
    }

    /// The same for unreadable arguments. Healthy models correct themselves after two of the host's own errors.
    fn answers_for_arguments(&self) -> bool {
        self.state.answered.arguments == 0 && self.state.unreadable > 1
    }

    fn about_calls(&self, completion: &Completion) -> Decision {
        if !completion.calls.iter().any(|call| self.fault(call).is_some()) {
            return Decision::pass();
        }
        let mut made: Option<Completion> = None;
        let mut repaired: Vec<(usize, &'static str)> = Vec::new();
        let mut blocked = Vec::new();
        for (at, call) in completion.calls.iter().enumerate() {
            match self.fault(call) {
                None => {}
                Some(Fault::Unknown) => {
                    blocked.extend(self.answer(call).map(|note| Blocked { call: at, note }));
                }
                Some(Fault::Misspelt(tool)) => {
                    let arguments = match call.shape {
                        Shape::Object => call.arguments.clone(),
                        Shape::OtherJson | Shape::NotJson => {
                            self.mended(call, tool).unwrap_or_else(|| call.arguments.clone())
                        }
                    };
                    repaired.push((at, NAMES));
                    made.get_or_insert_with(|| completion.clone()).calls[at] = again(call, tool, arguments);
                }
                Some(Fault::Arguments(tool)) => match self.mended(call, tool) {
                    Some(arguments) => {
                        repaired.push((at, ARGUMENTS));
                        made.get_or_insert_with(|| completion.clone()).calls[at] =
                            again(call, tool, arguments);
                    }
                    None if self.answers_for_arguments() => {
                        blocked.push(Blocked { call: at, note: self.unreadable(call, tool) });
                    }
                    None => {}
                },
            }
        }
        match (made, repaired.first()) {
            // What is left is refused when the guard is asked about the repaired completion.
            (Some(mut made), Some((_, rule))) => {
                made.declare(|at, _| completion.calls[at].declared());
                self.make(rule, made, |at| repaired.binary_search_by_key(&at, |(of, _)| *of).is_ok())
            }
            (Some(_) | None, _) if blocked.is_empty() => Decision::pass(),
            (Some(_) | None, _) => Verdict::Block(blocked).into(),
        }
    }

    /// The arguments that are nearly JSON as JSON that fits the tool.
    fn mended(&self, call: &ToolCall, tool: &Offered) -> Option<Arc<str>> {
        if !self.settings.arguments {
            return None;
        }
        mend::object(&call.arguments).filter(|it| tool.fits(it)).map(Into::into)
    }
}

/// What is wrong with a call.
enum Fault<'o> {
    /// Its name means this tool.
    Misspelt(&'o Offered),
    /// No tool has its name.
    Unknown,
    /// The arguments of this tool are no object.
    Arguments(&'o Offered),
}

/// The call, of this tool and with these arguments.
fn again(call: &ToolCall, tool: &Offered, arguments: Arc<str>) -> Arc<ToolCall> {
    let raw = RawCall { id: call.id.clone(), tool: tool.name.clone(), arguments };
    Arc::new(ToolCall::new(raw, &Offered::offer([tool])))
}

impl Guard for CallRepair {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => self.state.offered = Tools::of(&start.offer),
            Entry::User(message) if message.from == Speaker::User => self.state.heard(&message.text),
            Entry::Completion(completion) => self.state.answered_with(completion),
            Entry::Intervention(Intervention { kind: InterventionKind::Feedback, .. }) => {
                self.state.demand = Demand::Open;
            }
            Entry::Result(result) if result.origin == Origin::Executed => self.state.ran(result),
            Entry::Answer(answer) => self.state.agreed = answer.choice == ChoiceKind::Continue,
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Repair(completion) => self.state.repaired(&note.rule, completion),
                InterventionKind::Block => self.state.refused(&note.rule),
                InterventionKind::Question(_) => self.state.asked(note),
                InterventionKind::Feedback
                | InterventionKind::Note
                | InterventionKind::Notice
                | InterventionKind::Stop => {}
            },
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let is_whole = match completion.finish {
            FinishReason::Stop | FinishReason::ToolCall | FinishReason::NotGiven => true,
            // Calls of a broken attempt ran already.
            FinishReason::Length | FinishReason::ContentFilter | FinishReason::Error => false,
        };
        if !is_whole || self.state.offered.is_empty() {
            return Ok(Decision::pass());
        }
        Ok(match completion.calls.is_empty() {
            true if self.settings.calls => self.about_text(completion),
            true => Decision::pass(),
            false => self.about_calls(completion),
        })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
