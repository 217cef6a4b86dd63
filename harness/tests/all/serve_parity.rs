//! The same actor behind a real server. Every trial is sent again over sockets, in each dialect, whole and streamed: a
//! request for each completion and for each failed attempt. The server acts as the actor does in process.

use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::common::recipe::recipe;
use crate::common::{between, path_of, scenario, seeds};
use balk::engine::{self, Trial, TruthChannel};
use balk::serve::{Scripts, Serve, Server, Step};
use balk_guards::wire::{Asking, Dialect, Form, Reply};
use balk_guards::{AttemptCause, Completion, Entry, FinishReason, View};
use balk_scenarios::{Act, Actor, Scenario, World, WorldOptions};
use rayon::prelude::*;

/// What a client of the server sends, and how it is answered.
struct Client {
    http: ureq::Agent,
    url: String,
    dialect: Dialect,
    asking: Asking,
}

impl Client {
    fn new(server: &Server, conversation: &str, dialect: Dialect, stream: bool) -> Self {
        let http = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // Only answers that stall are waited for, and few are to stall.
            .timeout_global(Some(Duration::from_secs(10)))
            .build()
            .new_agent();
        let url = format!("{}/c/{conversation}/{}", server.url(), path_of(dialect, stream));
        Self { http, url, dialect, asking: Asking { stream, ..Asking::of("balk-actor") } }
    }

    /// The completion that comes back; none if the answer breaks off. A request without an answer is given up once the
    /// server has it: on a busy machine that can take a while.
    fn ask(
        &self,
        view: &View,
        breaks: Option<AttemptCause>,
        has_it: impl Fn() -> bool,
    ) -> Option<Completion> {
        let mut patience = Duration::from_millis(50);
        if breaks != Some(AttemptCause::TimedOut) {
            return self.send(view, None);
        }
        loop {
            let found = self.send(view, Some(patience));
            if found.is_some() || has_it() {
                return found;
            }
            thread::sleep(patience);
            if has_it() {
                return None;
            }
            patience *= 4;
        }
    }

    fn send(&self, view: &View, patience: Option<Duration>) -> Option<Completion> {
        let request = self.dialect.request(view, &self.asking);
        let mut post = self.http.post(&self.url).header("content-type", "application/json");
        if patience.is_some() {
            post = post.config().timeout_global(patience).build();
        }
        let mut response = post.send(request).ok()?;
        let status = response.status().as_u16();
        let body = response.body_mut().read_to_string().ok()?;
        let form = if self.asking.stream && status == 200 { Form::Stream } else { Form::Whole };
        let reply = Reply { status, retry_after: None, form, body: body.into() };
        self.dialect.answer(&reply, view.offer()).ok()
    }
}

/// What an act shows to the outside, and where the script is then.
type Shown = (String, u32, String, Vec<(String, String)>, Option<AttemptCause>);

fn shown(actor: &Actor, act: &Act, completion: &Completion) -> Shown {
    let calls = completion.calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string()));
    let broke = act.broken.as_ref().map(|it| it.cause);
    let text = completion.texts().map(|text| &**text).collect::<Vec<_>>().join("|");
    (actor.state().to_owned(), actor.visit(), text, calls.collect(), broke)
}

fn acts(steps: &[Step]) -> Vec<Shown> {
    let shown = |step: &Step| match step {
        Step::Act { state, visit, texts, calls, broke, .. } => {
            let calls = calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string()));
            let text = texts.iter().map(|text| &**text).collect::<Vec<_>>().join("|");
            Some((state.clone(), *visit, text, calls.collect(), *broke))
        }
        Step::Result { .. }
        | Step::User { .. }
        | Step::Intervention { .. }
        | Step::Side { .. }
        | Step::System { .. }
        | Step::Opened { .. }
        | Step::History { .. } => None,
    };
    steps.iter().filter_map(shown).collect()
}

/// Sends a trial; returns how many requests that took, or what was different.
fn check(
    server: &Server,
    world: &Arc<World>,
    trial: &Trial,
    (name, dialect, stream): (&str, Dialect, bool),
) -> Result<usize, String> {
    let conversation = format!("{}:{}:{name}:{dialect:?}:{stream}", world.scenario().name, world.seed());
    let client = Client::new(server, &conversation, dialect, stream);
    let mut view = View::default();
    let mut expected = Vec::new();
    let mut attempt = 1;
    // The calls that a broken attempt left are committed before the attempt, which had one request.
    let mut left = false;
    for entry in &trial.entries {
        let completion = if let Entry::Completion(it) = entry { Some(it) } else { None };
        let failed = matches!(entry, Entry::Failed(_));
        let of_left = failed && std::mem::take(&mut left);
        left |= completion.is_some_and(|it| it.finish == FinishReason::Error);
        if completion.is_some() || (failed && !of_left) {
            let mut actor = Actor::new(world);
            let seen =
                dialect.seen(&dialect.request(&view, &client.asking), world.offer()).expect("it can be read");
            actor.catch_up(&seen.messages);
            let act = actor.act(attempt);
            let whole = act.completion(world.offer());
            let broke = act.broken.as_ref().map(|it| it.cause);
            let has_it =
                || server.told(Some(&conversation)).is_some_and(|it| acts(&it.steps).len() > expected.len());
            let found = client.ask(&view, broke, has_it);
            let (is_found, same) = match (&act.broken, &found) {
                (Some(_), found) => (found.is_some(), found.is_none()),
                (None, None) => (false, false),
                (None, Some(found)) => (true, found.calls == whole.calls && found.texts().eq(whole.texts())),
            };
            if !same {
                let found = if is_found { format!("{found:?}") } else { "nothing".to_owned() };
                return Err(format!(
                    "{conversation}, request {}: {act:?}, found {found}",
                    expected.len() + 1
                ));
            }
            expected.push(shown(&actor, &act, &whole));
        }
        let before = view.messages().len();
        view.push(entry);
        attempt = if view.messages().len() > before || matches!(entry, Entry::Compaction(_)) {
            1
        } else {
            attempt + u32::from(failed && !of_left)
        };
    }
    let told = server.told(Some(&conversation)).expect("it asked");
    let found = acts(&told.steps);
    match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        None if found.len() == expected.len() => Ok(expected.len()),
        at => {
            let at = at.unwrap_or(found.len().min(expected.len()));
            let (found, expected) = (found.get(at), expected.get(at));
            Err(format!(
                "{conversation}, act {}: expected {expected:?}, found {found:?}, {:#?}",
                at + 1,
                told.steps
            ))
        }
    }
}

fn some_seeds() -> Range<u64> {
    let last = *seeds().end();
    0..if last < 100 { 1 } else { 100 }
}

fn check_all(scenarios: &[Arc<Scenario>]) {
    let check = |(at, it): (usize, &Arc<Scenario>)| check_scenario(it, at * 3, some_seeds());
    let checked: Vec<_> = scenarios.par_iter().enumerate().flat_map(check).collect();
    let sent = all_same(&checked);
    assert!(sent > 15 * scenarios.len(), "only {sent} requests");
}

/// How many requests were sent.
#[track_caller]
fn all_same(checked: &[Result<usize, String>]) -> usize {
    let wrong: Vec<&String> = checked.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} of {} differ; the first: {}", wrong.len(), checked.len(), wrong[0]);
    checked.iter().flatten().sum()
}

/// Each scenario has a server of its own, so what is kept ends with it. `turn` is the first stack's turn.
fn check_scenario(scenario: &Arc<Scenario>, turn: usize, seeds: Range<u64>) -> Vec<Result<usize, String>> {
    let worlds = vec![scenario.clone().into()];
    let server =
        Server::start(Serve::new(Scripts { worlds, seed: 0, profile: None })).expect("a port is free");
    let stacks = ["none", "default", "oracle"].into_iter().zip(turn..);
    let jobs: Vec<_> = stacks.flat_map(|it| seeds.clone().map(move |seed| (it, seed))).collect();
    let checked = jobs.into_par_iter().flat_map_iter(|((stack, turn), seed)| {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let channel = TruthChannel::default();
        let trial = engine::run(&world, &mut recipe(stack).stack(&channel), &channel);
        let both = Dialect::ALL.into_iter().flat_map(|it| [(stack, it, false), (stack, it, true)]);
        let ways = both.skip((turn + usize::try_from(seed).expect("few seeds")) % 4).step_by(4);
        ways.map(|way| check(&server, &world, &trial, way)).collect::<Vec<_>>()
    });
    checked.collect()
}

/// Every scenario: one seed in a normal run, a hundred in a long one. Scenarios, stacks and seeds take turns with
/// dialects, whole and streamed, so that a long run plays each of a scenario's stacks in every way.
#[test]
fn the_catalogue_does_the_same_behind_a_server() {
    let listed = balk_scenarios::catalogue::listed().map(|it| scenario(it.name, &[]));
    check_all(&listed.collect::<Vec<_>>());
}

#[test]
fn what_comes_between_turns_does_the_same_behind_a_server() {
    check_all(&[between()]);
}

/// In this trial the oracle's words lead the actor to another tool, after a request that broke. What it does then is no
/// other attempt at that request.
#[test]
fn after_a_way_out_the_attempts_begin_anew() {
    for turn in 0..4 {
        all_same(&check_scenario(&scenario("broken-while-writing", &[]), turn, 32..33));
    }
}
