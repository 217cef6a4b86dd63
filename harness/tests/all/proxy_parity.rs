//! The same guards in process and through a proxy. The agent of a trial talks to a proxy, which talks to a server that
//! plays the trial's model: the model does the same, and the guards do the same.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::common::recipe::recipe;
use crate::common::{path_of, scenario, seeds};
use balk::engine::{self, Trial, TruthChannel};
use balk::import::ToolTable;
use balk::proxy::{Base, Bounds, Proxy, Proxying};
use balk::serve::{Scripts, Serve, Server, Step};
use balk_guards::wire::{Asking, Dialect, Form, Reply};
use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, FinishReason, Guard, InterventionKind,
    Offer, Origin, RawCall, Recovery, Settlement, Speaker, Stack, Status, Termination, ToolCall, ToolResult,
    UserMessage, View,
};
use balk_scenarios::{Scenario, World, WorldOptions};
use rayon::prelude::*;

/// An agent that does what the host of a trial did.
struct Agent<'t> {
    http: ureq::Agent,
    url: String,
    dialect: Dialect,
    asking: Asking,
    view: View,
    /// What is left of the trial.
    rest: VecDeque<&'t Entry>,
    /// Whether a limit of the loop ended the trial.
    is_cut: bool,
    /// Whether a call has a result or the user has answered, and no request has said so yet.
    has_news: bool,
    /// How often it has asked.
    asked: usize,
    rewrites: Rewrites,
}

/// What an agent writes in other bytes every second time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rewrites {
    Nothing,
    /// The proxy has to read all of its history.
    History,
    /// The guards have to begin anew, with other tools.
    All,
}

impl<'t> Agent<'t> {
    fn new(url: &str, rewrites: Rewrites, (dialect, stream): (Dialect, bool), trial: &'t Trial) -> Self {
        let http = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(20)))
            .build()
            .new_agent();
        let url = format!("{url}/c/it/{}", path_of(dialect, stream));
        let asking = Asking { stream, ..Asking::of("balk-actor") };
        Self {
            http,
            url,
            dialect,
            asking,
            view: View::default(),
            rest: trial.entries.iter().collect(),
            is_cut: within_limits(trial).len() < trial.entries.len(),
            has_news: false,
            asked: 0,
            rewrites,
        }
    }

    /// Goes through the trial. An error says what came that no agent understands.
    fn plays(mut self) -> Result<(), String> {
        while let Some(Entry::Start(_) | Entry::User(_)) = self.rest.front() {
            self.takes();
        }
        // A bound of the trial is none of the proxy, so a run may be longer than its trial.
        while self.rest.iter().any(|it| matches!(it, Entry::Completion(_) | Entry::Failed(_))) {
            let Some(answer) = self.asks()? else { return Ok(()) };
            self.has_news = false;
            let goes_on = if answer.calls.is_empty() { self.hears(&answer) } else { self.works(&answer) };
            if !goes_on {
                return Ok(());
            }
        }
        // What came right before a limit of the loop, the proxy has to hear.
        if self.has_news && self.is_cut {
            self.asks()?;
        }
        Ok(())
    }

    fn asks(&mut self) -> Result<Option<Completion>, String> {
        let mut request = self.dialect.request(&self.view, &self.asking);
        self.asked += 1;
        if self.rewrites != Rewrites::Nothing && self.asked.is_multiple_of(2) {
            // So messages and schemas begin; within a string, their quotes have backslashes.
            let tools = request.find(r#","tools":["#).filter(|_| self.rewrites == Rewrites::History);
            let (read, kept) = request.split_at(tools.unwrap_or(request.len()));
            let spaced = read.replace(r#"{"role":"#, r#"{ "role":"#).replace(r#"{"type":"#, r#"{ "type":"#);
            request = spaced + kept;
        }
        let post = self.http.post(&self.url).header("content-type", "application/json");
        let mut response = post.send(request).map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        // An answer that broke off after its first words.
        let Ok(body) = response.body_mut().read_to_string() else { return Ok(None) };
        let form = if self.asking.stream && status == 200 { Form::Stream } else { Form::Whole };
        let reply = Reply { status, retry_after: None, form, body: body.into() };
        // A failed attempt that nothing brings back ends an agent, as it ends a trial.
        Ok(self.dialect.answer(&reply, self.view.offer()).ok())
    }

    fn takes(&mut self) {
        if let Some(entry) = self.rest.pop_front() {
            self.view.push(entry);
        }
    }

    /// The calls of this answer have the results that they had in the trial.
    fn works(&mut self, answer: &Completion) -> bool {
        self.view.push(&Entry::Completion(Arc::new(answer.clone())));
        for call in &answer.calls {
            let is_its = |entry: &Entry| {
                matches!(entry, Entry::Result(it) if it.origin == Origin::Executed
                    && it.call.tool == call.tool && it.call.arguments == call.arguments)
            };
            let Some(at) = self.rest.iter().position(|it| is_its(it)) else { return false };
            let Some(Entry::Result(result)) = self.rest.drain(..=at).next_back() else { return false };
            let raw =
                RawCall { id: call.id.clone(), tool: call.tool.clone(), arguments: call.arguments.clone() };
            let call = Arc::new(ToolCall::new(raw, self.view.offer()));
            self.view.push(&Entry::Result(ToolResult { call, ..result.clone() }));
            self.has_news = true;
        }
        while let Some(Entry::Result(_) | Entry::Intervention(_)) = self.rest.front() {
            self.rest.pop_front();
        }
        while let Some(Entry::User(_)) = self.rest.front() {
            self.takes();
        }
        true
    }

    /// The user says what they said in the trial.
    fn hears(&mut self, answer: &Completion) -> bool {
        self.view.push(&Entry::Completion(Arc::new(answer.clone())));
        let says = |entry: &Entry| matches!(entry, Entry::User(_) | Entry::Answer(_));
        let Some(at) = self.rest.iter().position(|it| says(it)) else { return false };
        let Some(said) = self.rest.drain(..=at).next_back() else { return false };
        self.has_news = matches!(said, Entry::Answer(_));
        self.view.push(said);
        while let Some(Entry::User(_)) = self.rest.front() {
            self.takes();
        }
        true
    }
}

/// What a model said: its texts and calls.
type Said = (String, Vec<(String, String)>);

fn said(completion: &Completion) -> Said {
    let calls = completion.calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string()));
    (completion.texts().map(|it| &**it).collect(), calls.collect())
}

fn says_something((text, calls): &Said) -> bool {
    !(text.trim().is_empty() && calls.is_empty())
}

/// Guards that see what a dialect carries: whether a result failed, where there is a word for that, and no difference
/// between a user and a loop.
struct AsSent {
    stack: Stack,
    dialect: Dialect,
}

impl AsSent {
    fn sent(&self, result: &ToolResult) -> ToolResult {
        let has_flag = matches!(self.dialect, Dialect::Anthropic | Dialect::Gemini);
        let status = match (result.origin, result.status) {
            (Origin::Executed, Status::Error) if has_flag => Status::Error,
            (Origin::Executed, _) => Status::Unknown,
            (Origin::Synthetic | Origin::Missing, own) => own,
        };
        ToolResult { status, ..result.clone() }
    }
}

impl Guard for AsSent {
    fn name(&self) -> &str {
        self.stack.name()
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(it) = entry {
            self.stack.observe(&Entry::Result(self.sent(it)));
        } else if let Entry::User(it) = entry {
            self.stack.observe(&Entry::User(UserMessage { from: Speaker::User, ..it.clone() }));
        } else {
            self.stack.observe(entry);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.stack.review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let sent: Vec<_> = results.iter().map(|it| self.sent(it)).collect();
        self.stack.settle(completion, &sent)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.stack.recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.stack.conclude(end)
    }
}

/// What guards say at a distance and in process at different times: what is said when a run ends, a proxy says with
/// every answer that may be the last one. And an agent behind it sees nothing of an answer that broke.
const ELSEWHERE: [&str; 4] = [
    "no-tools/open-request/notice",
    "handoff/partial-work/notice",
    "handoff/unheeded/notice",
    "retry-safety/text-shown-again/notice",
];

/// The entries up to a limit of the loop, on its turns or on its questions: a proxy has none, so there the run goes on.
fn within_limits(trial: &Trial) -> &[Entry] {
    let is_over = |at: &usize| {
        let entry = &trial.entries[*at];
        let Entry::Conclusion(it) = entry else { return matches!(entry, Entry::End(Termination::Limit(_))) };
        let next = trial.entries.get(at + 1);
        let is_said =
            matches!(next, Some(Entry::Intervention(next)) if next.kind == InterventionKind::Notice);
        matches!(it.end, Termination::Limit(_)) || it.question().is_some() && is_said
    };
    let end = (0..trial.entries.len()).find(is_over).unwrap_or(trial.entries.len());
    &trial.entries[..end]
}

/// What the guards did: how often each rule fired in each way.
fn done(entries: &[Entry]) -> BTreeMap<String, u64> {
    let mut done = BTreeMap::new();
    for entry in entries {
        if let Entry::Intervention(it) = entry {
            *done.entry(format!("{}/{}/{}", it.note.guard, it.note.rule, it.kind.name())).or_default() += 1;
        }
    }
    done
}

fn tools(offer: &Offer) -> ToolTable {
    let mut table = String::new();
    for tool in offer.tools() {
        let effect = serde_json::to_string(&tool.effect).expect("a word");
        let purpose = serde_json::to_string(&tool.purpose).expect("a word");
        let name = serde_json::to_string(&tool.name).expect("a string");
        writeln!(table, "{name} = {{ effect = {effect}, purpose = {purpose} }}").expect("text is written");
    }
    ToolTable::parse(&table).expect("it is a table")
}

/// Whether a trial cannot be played by an agent at a distance: a request of a view does not name the tools that the
/// provider runs; a proxy runs no call again; it never hears that the loop cut its history for another reason than its
/// length, that calls ran in an answer that broke, or that the agent could not go on. It takes words that come for the
/// third time for those of an agent.
fn is_only_in_process(world: &World, trial: &Trial) -> bool {
    let is_only = |entry: &Entry| {
        matches!(entry, Entry::Tried(_) | Entry::Compaction(_))
            || matches!(entry, Entry::Completion(it) if it.finish == FinishReason::Error)
            || matches!(entry, Entry::Conclusion(it) if matches!(it.end, Termination::FatalExecution(_)))
    };
    let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
    for entry in &trial.entries {
        if let Entry::Answer(it) = entry {
            *answers.entry(&it.text).or_default() += 1;
        }
    }
    world.offer().tools().iter().any(|it| it.provider_executed)
        || trial.entries.iter().any(is_only)
        || answers.values().any(|count| *count > 2)
}

/// Plays a trial; says what was different, or whether it was played.
fn check(scenario: &Arc<Scenario>, seed: u64, stack: &str, way: (Dialect, bool)) -> Result<bool, String> {
    let world = World::draw(scenario, seed, WorldOptions::default());
    let channel = TruthChannel::default();
    let mut guards = AsSent { stack: recipe(stack).stack(&channel), dialect: way.0 };
    let trial = engine::run(&world, &mut guards, &channel);
    if is_only_in_process(&world, &trial) {
        return Ok(false);
    }
    let worlds = vec![scenario.clone().into()];
    let scripts = Scripts { worlds, seed, profile: None };
    let server =
        Server::start(Serve { only: Some("one".into()), ..Serve::new(scripts) }).expect("a port is free");
    let made = recipe(stack);
    let proxy = Proxy::start(Proxying {
        guards: Some(Box::new(move || made.stack(&TruthChannel::default()))),
        tools: tools(world.offer()),
        timeout: Duration::from_secs(2),
        bounds: Bounds {
            tries: 1_000,
            time: Duration::from_secs(100),
            tick: Duration::ZERO,
            ..Bounds::default()
        },
        ..Proxying::new(Base::parse(&server.url()).expect("an address"))
    })
    .expect("a port is free");
    let name = format!("{} {seed} {stack} {way:?}", scenario.name);
    let url = proxy.url();
    let rewrites = match (scenario.name.len() as u64 + seed) % 4 {
        0 | 2 => Rewrites::Nothing,
        1 => Rewrites::History,
        _ => Rewrites::All,
    };
    Agent::new(&url, rewrites, way, &trial).plays().map_err(|why| format!("{name}: {why}"))?;
    let told = server.told(Some("one")).map_or_else(Vec::new, |it| it.steps);
    let act = |step: &Step| {
        let Step::Act { texts, calls, broke: None, .. } = step else { return None };
        let calls = calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string()));
        let said: Said = (texts.iter().map(|it| &**it).collect(), calls.collect());
        Some(said).filter(says_something)
    };
    let acts: Vec<Said> = told.iter().filter_map(act).collect();
    let completion = |entry: &Entry| {
        let Entry::Completion(it) = entry else { return None };
        Some(said(it)).filter(says_something)
    };
    let entries = within_limits(&trial);
    let goes_on = entries.len() < trial.entries.len();
    let expected: Vec<Said> = entries.iter().filter_map(completion).collect();
    let compared = if goes_on { expected.len() } else { acts.len().max(expected.len()) };
    if let Some(at) = (0..compared).find(|&at| acts.get(at) != expected.get(at)) {
        let (found, wanted) = (acts.get(at), expected.get(at));
        return Err(format!("{name}: act {}: expected {wanted:?}, found {found:?}", at + 1));
    }
    let (mut found, mut wanted) = (proxy.counted().interventions, done(entries));
    for all in [&mut found, &mut wanted] {
        all.retain(|name, _| !ELSEWHERE.contains(&&**name));
    }
    let is_less = |(name, count): (&String, &u64)| found.get(name).is_none_or(|it| it < count);
    if if goes_on { wanted.iter().any(is_less) } else { found != wanted } {
        return Err(format!("{name}: expected {wanted:?}, found {found:?}"));
    }
    Ok(true)
}

/// How many trials are played at once. Most of them wait: a model that stalls is left after two seconds.
const AT_ONCE: usize = 8;

/// Every scenario: one seed in a normal run, fifty in a long one. Scenarios and seeds take turns with dialects, whole
/// and streamed: one way a scenario in a normal run, all in a long one.
#[test]
fn guards_do_the_same_through_a_proxy() {
    let count = seeds().end() + 1;
    let both: Vec<_> = Dialect::ALL.into_iter().flat_map(|it| [(it, false), (it, true)]).collect();
    let listed: Vec<_> =
        balk_scenarios::catalogue::listed().map(|it| scenario(it.name, &[])).enumerate().collect();
    let seeds = if count > 100 { 50 } else { 1 };
    let of = |(at, scenario): &(usize, Arc<Scenario>)| {
        // `duplicate` sees calls alone, so texts are passed on before it is asked.
        let stacks = |way: (Dialect, bool)| [("default", way), ("duplicate", (way.0, true))];
        // A step more after each round: what an agent rewrites depends on the seed as well.
        let way = |seed: usize| both[(at + seed + seed / both.len()) % both.len()];
        let drawn = (0..seeds).flat_map(|seed| stacks(way(seed)).map(|played| (seed as u64, played)));
        drawn.map(|it| (scenario.clone(), it)).collect::<Vec<_>>()
    };
    let plays: Vec<_> = listed.iter().flat_map(of).collect();
    let play = |(scenario, (seed, (stack, way))): &(Arc<Scenario>, (u64, (&str, _)))| {
        check(scenario, *seed, stack, *way)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().expect("threads");
    let checked: Vec<Result<bool, String>> = pool.install(|| plays.par_iter().map(play).collect());
    let wrong: Vec<&String> = checked.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {} differ: {wrong:#?}", wrong.len(), checked.len());
    let played = checked.iter().filter(|it| **it == Ok(true)).count();
    assert!(played * 10 > checked.len() * 8, "only {played} of {} were played", checked.len());
}
