//! How often a rule of `balk-peers` and the code of its product decide alike: `agreement RULE COMMAND SEEDS
//! [FILE|DIR…]`.
//!
//! The command is a guard in another process (`docs/exec-guards.md`), in which the product's code decides. Both see the
//! same entries and are asked the same questions, and each answer is compared: its kind, and the words for the model.
//! First come the listed scenarios with the seeds from 0, in which the rule acts; then recorded runs, in which nothing
//! acts. Once one of the two has ended a run, the rest of it is not compared. A rule with rungs that are not of that
//! code names them after a colon, `gemini-cli:thinking-only`; there it counts as silent, and what follows in a run that
//! such a rung ends is not compared.
//!
//! Differences are counted by what the two said, and the first have a line each with their place. Where only the
//! words differ, they are counted by what the rule said. The exit code is 4 if less than 99.5 % of the decisions are
//! equal, or less than 99.5 % of those in which one of the two intervenes, and 1 if the two cannot be compared.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::{env, io};

use balk::engine::{self, TruthChannel};
use balk::exec::lines::Question;
use balk::exec::{ExecGuard, Pool, Settings};
use balk::import::reading::{Input, Reading, Taken};
use balk::import::{Setting, join};
use balk::replay::fold;
use balk_benches::scenario;
use balk_guards::key::CallKey;
use balk_guards::{
    Answer, AttemptFailure, Completion, Decision, Entry, Guard, Intervention, InterventionKind, Recovery,
    Settlement, Stack, ToolResult,
};
use balk_peers::{Forge, GeminiCli, HermesLike, KimiCli, OpenHands, QwenCode};
use balk_scenarios::catalogue::listed;
use balk_scenarios::{World, WorldOptions};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

/// A product is large, and the machine may be busy.
fn settings() -> Settings {
    Settings { start_ms: 120_000, answer_ms: 60_000, ..Settings::default() }
}

/// Of 1,000 decisions, how many have to be equal.
const EQUAL_OF_1000: u64 = 995;
/// How many differences have a line each.
const PLACES: usize = 40;

#[expect(clippy::print_stdout, reason = "the figures are its output")]
fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [rule, command, seeds, paths @ ..] = &arguments[..] else {
        return Err("usage: agreement RULE[:RUNG,…] COMMAND SEEDS [FILE|DIR…]".into());
    };
    let both = Both::new(rule, command)?;
    let played = both.scenarios(seeds.parse()?)?;
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| find(Path::new(path), &mut files))?;
    files.sort();
    let replayed = both.recorded(&files)?;
    let mut enough = true;
    for (name, tally) in [("scenarios", played), ("recorded runs", replayed)] {
        if tally.runs == 0 {
            continue;
        }
        let Tally { runs, decisions, equal, acts, acts_equal, words, places, differences, .. } = tally;
        places.iter().take(PLACES).for_each(|it| println!("{it}"));
        let in_words: u64 = words.values().sum();
        println!(
            "{rule}, {runs} {name}: {decisions} decisions, {equal} equal; in {acts} one intervenes, {acts_equal} \
             equal, {in_words} of them in other words"
        );
        words.iter().for_each(|(rung, count)| println!("    {count} in other words: {rung}"));
        differences.iter().for_each(|(what, count)| println!("    {count} differ: {what}"));
        enough &= equal * 1_000 >= decisions * EQUAL_OF_1000 && acts_equal * 1_000 >= acts * EQUAL_OF_1000;
    }
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::from(4) })
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| find(&entry?.path(), files))
}

/// A rule, and the code of its product.
struct Both {
    rule: fn() -> Box<dyn Guard>,
    code: Arc<Pool>,
    /// Rungs of the rule that are not of that code.
    left_out: Arc<[String]>,
}

/// What was compared.
#[derive(Default)]
struct Tally {
    runs: u64,
    decisions: u64,
    equal: u64,
    /// Decisions in which one of the two is not silent.
    acts: u64,
    acts_equal: u64,
    /// Equal ones in which the words for the model differ, by what the rule said first in other words.
    words: BTreeMap<String, u64>,
    /// What the two said where they differ, and where.
    differences: BTreeMap<String, u64>,
    places: Vec<String>,
    /// How the code broke.
    fault: Option<String>,
}

impl Tally {
    fn plus(mut self, other: Self) -> Self {
        self.runs += other.runs;
        self.decisions += other.decisions;
        self.equal += other.equal;
        self.acts += other.acts;
        self.acts_equal += other.acts_equal;
        let add = |sum: &mut BTreeMap<String, u64>, other: BTreeMap<String, u64>| {
            other.into_iter().for_each(|(what, count)| *sum.entry(what).or_default() += count);
        };
        add(&mut self.words, other.words);
        add(&mut self.differences, other.differences);
        self.places.extend(other.places);
        self
    }
}

impl Both {
    fn new(rule: &str, command: &str) -> Result<Self, String> {
        let (name, left_out) = rule.split_once(':').unwrap_or((rule, ""));
        let rule: fn() -> Box<dyn Guard> = match name {
            "forge" => || Box::new(Forge::default()),
            "gemini-cli" => || Box::new(GeminiCli::default()),
            "hermes-like" => || Box::new(HermesLike::default()),
            "kimi-cli" => || Box::new(KimiCli::default()),
            "openhands" => || Box::new(OpenHands::default()),
            "qwen-code" => || Box::new(QwenCode::default()),
            _ => {
                return Err(format!(
                    "expected forge, gemini-cli, hermes-like, kimi-cli, openhands or qwen-code, found `{name}`"
                ));
            }
        };
        let code = Arc::new(Pool::start(command, settings())?);
        let left_out = left_out.split(',').map(str::to_owned).collect();
        Ok(Self { rule, code, left_out })
    }

    fn pair(&self, place: String) -> (Pair, Arc<Mutex<Tally>>) {
        let tally = Arc::new(Mutex::new(Tally { runs: 1, ..Tally::default() }));
        let pair = Pair {
            rule: (self.rule)(),
            code: ExecGuard::new(&self.code),
            asked: self.code.introduction().answers.clone(),
            left_out: self.left_out.clone(),
            place,
            turn: 0,
            is_over: AtomicBool::new(false),
            tally: tally.clone(),
        };
        (pair, tally)
    }

    /// Plays the listed scenarios.
    fn scenarios(&self, seeds: u64) -> Result<Tally, String> {
        let scenarios: Vec<_> = listed().map(|it| (it.name, scenario(it.name, &[]))).collect();
        let runs: Vec<_> = scenarios.iter().flat_map(|it| (0..seeds).map(move |seed| (it, seed))).collect();
        let tallies: Result<Vec<Tally>, String> = runs
            .into_par_iter()
            .map(|((name, scenario), seed)| {
                let (pair, tally) = self.pair(format!("{name}, seed {seed}"));
                let channel = TruthChannel::default();
                let world = World::draw(scenario, seed, WorldOptions::default());
                engine::run(&world, &mut Stack::new(vec![Box::new(pair)]), &channel);
                taken(&tally)
            })
            .collect();
        Ok(tallies?.into_iter().fold(Tally::default(), Tally::plus))
    }

    /// Folds recorded runs.
    fn recorded(&self, files: &[PathBuf]) -> Result<Tally, Box<dyn std::error::Error>> {
        let open = |file: &PathBuf| Ok(Input { content: Box::new(File::open(file)?), sought: true });
        let mut inputs = files.iter().map(open).collect::<io::Result<Vec<_>>>()?.into_iter();
        let pool = ThreadPoolBuilder::new().build()?;
        let mut tallies = Vec::new();
        let compared = |(line, recording)| {
            let recorded = join(recording, &Setting::default());
            let (mut pair, tally) = self.pair(format!("line {line}, {}", recorded.id));
            let _ = fold(&recorded.entries, &mut pair);
            taken(&tally)
        };
        Reading { from: None, pool: &pool }.read(
            &mut inputs,
            &|_, piece| {
                let found = piece.recordings(None).into_iter();
                found.filter_map(|(line, it)| it.ok().map(|it| compared((line, it)))).collect()
            },
            &mut |batch| {
                for taken in batch {
                    if let Taken::Found(file, found) = taken {
                        tallies.extend(found.into_iter().map(|it| (file, it)));
                    }
                }
                Ok(())
            },
        )?;
        let mut sum = Tally::default();
        for (file, tally) in tallies {
            let mut tally = tally?;
            let name = files[file].display();
            tally.places.iter_mut().for_each(|it| *it = format!("{name}, {it}"));
            sum = sum.plus(tally);
        }
        Ok(sum)
    }
}

/// What was compared in a run, or how the code broke in it.
fn taken(tally: &Mutex<Tally>) -> Result<Tally, String> {
    let tally = std::mem::take(&mut *tally.lock().expect("nothing panics with it"));
    tally.fault.clone().map_or(Ok(tally), Err)
}

/// Answers as the rule does, and compares its answers with those of the code.
struct Pair {
    rule: Box<dyn Guard>,
    code: ExecGuard,
    /// What the code is asked.
    asked: Vec<Question>,
    left_out: Arc<[String]>,
    place: String,
    turn: u64,
    is_over: AtomicBool,
    tally: Arc<Mutex<Tally>>,
}

impl Pair {
    /// The answer of the code, if it is asked that.
    fn code<T>(&self, question: Question, ask: impl FnOnce(&ExecGuard) -> Answer<T>) -> Answer<Option<T>> {
        let answer = self.asked.contains(&question).then(|| ask(&self.code)).transpose();
        if let Err(fault) = &answer {
            self.tally.lock().expect("nothing panics with it").fault =
                Some(format!("{}: {fault}", self.place));
        }
        answer
    }

    fn compare(&self, question: Question, rule: &[Intervention], code: &[Intervention]) {
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        let (left_out, rule): (Vec<_>, Vec<_>) =
            rule.iter().partition(|it| self.left_out.contains(&it.note.rule.to_string()));
        if left_out.iter().any(|it| it.kind == InterventionKind::Stop) {
            self.is_over.store(true, Ordering::Relaxed);
            return;
        }
        let kinds =
            |of: &mut dyn Iterator<Item = &Intervention>| of.map(|it| it.kind.name()).collect::<Vec<_>>();
        let (by_rule, by_code) = (kinds(&mut rule.iter().copied()), kinds(&mut code.iter()));
        let acts = !by_rule.is_empty() || !by_code.is_empty();
        let is_equal = by_rule == by_code;
        let mut tally = self.tally.lock().expect("nothing panics with it");
        tally.decisions += 1;
        tally.acts += u64::from(acts);
        if is_equal {
            tally.equal += 1;
            tally.acts_equal += u64::from(acts);
            let mut pairs = rule.iter().zip(code);
            if let Some((said, _)) = pairs.find(|(rule, code)| told(rule) != told(code)) {
                *tally.words.entry(shown([*said])).or_default() += 1;
            }
        } else {
            let (place, turn, question) = (&self.place, self.turn, question.name());
            let what = format!("{question}: {} | {}", shown(rule), shown(code));
            tally.places.push(format!("{place}, turn {turn}, {what}"));
            *tally.differences.entry(what).or_default() += 1;
        }
        if by_rule.contains(&"stop") || by_code.contains(&"stop") {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }
}

/// What the model is told: words, or the calls that its own became.
fn told(said: &Intervention) -> Option<(&str, Vec<CallKey>)> {
    match &said.kind {
        InterventionKind::Feedback | InterventionKind::Note | InterventionKind::Block => {
            Some((&*said.note.text, Vec::new()))
        }
        InterventionKind::Repair(completion) => {
            Some(("", completion.calls.iter().map(|call| call.key).collect()))
        }
        InterventionKind::Question(_) | InterventionKind::Notice | InterventionKind::Stop => None,
    }
}

/// The kinds and rules of what was said.
fn shown<'a>(said: impl IntoIterator<Item = &'a Intervention>) -> String {
    let said: Vec<String> =
        said.into_iter().map(|it| format!("{} ({})", it.kind.name(), it.note.rule)).collect();
    if said.is_empty() { "silent".to_owned() } else { said.join(", ") }
}

fn notes(settlement: &Settlement) -> Vec<Intervention> {
    let note = |note: &_| Intervention { kind: InterventionKind::Note, note: Clone::clone(note), seen: true };
    match settlement {
        Settlement::Accept(notes) => notes.iter().map(note).collect(),
        Settlement::Rerun { .. } => Vec::new(),
    }
}

impl Guard for Pair {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn observe(&mut self, entry: &Entry) {
        self.turn += u64::from(matches!(entry, Entry::Completion(_)));
        self.rule.observe(entry);
        self.code.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let decision = self.rule.review(completion)?;
        if let Some(code) = self.code(Question::Review, |code| code.review(completion))? {
            self.compare(Question::Review, &decision.interventions(true), &code.interventions(true));
        }
        Ok(decision)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let settlement = self.rule.settle(completion, results)?;
        if let Some(code) = self.code(Question::Settle, |code| code.settle(completion, results))? {
            self.compare(Question::Settle, &notes(&settlement), &notes(&code));
        }
        Ok(settlement)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.rule.recover(failure)
    }
}
