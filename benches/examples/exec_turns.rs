//! How many turns a second a guard in another process takes, beside the same bytes through the same process without
//! Balk: `exec_turns [COMMAND]`. Without a command, the process is this program, which passes everything.

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use balk::bench::Stopwatch;
use balk::bench::turns::{SIZES, Turn, begin, offer, turns};
use balk::exec::lines::{FromGuard, Introduction, PROTOCOL, Question, Reviewed, ToGuard, VerdictLine};
use balk::exec::{ExecGuard, Pool, Settings};
use balk_benches::shown;
use balk_guards::{Entry, Guard, Offer};
use balk_reports::records::{CompletionRecord, EntryRecord, Work, quoted};

/// The word that makes this program the guard.
const PASS: &str = "--pass";

/// Turns of one run.
const RUN: usize = 200;

/// Bytes of turns that are played for one figure.
const BYTES: usize = 64 << 20;

#[expect(clippy::print_stdout, reason = "the figures are its output")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let command = match env::args().nth(1) {
        Some(word) if word == PASS => return Ok(pass()?),
        Some(command) => command,
        None => format!("{} {PASS}", quoted(&env::current_exe()?.display().to_string())),
    };
    let offer = offer();
    let pool = Arc::new(Pool::start(&command, Settings::default())?);
    println!("guard: {}\n", pool.introduction().guard);
    println!("| bytes of a turn | turns/s, 1 thread | turns/s, 2 threads | bare lines, 1 thread | of them |");
    println!("|--:|--:|--:|--:|--:|");
    for bytes in SIZES {
        let turns = turns(Work::Written, bytes, &offer);
        let count = (BYTES / bytes).clamp(2_000, 40_000);
        let [one, two] = [1, 2].map(|threads| played(&pool, &turns, count, threads, &offer));
        let bare = bare(&command, &turns, count)?;
        println!("| {} | {one} | {two} | {bare} | {} % |", shown(bytes), one * 100 / bare);
    }
    Ok(())
}

/// Turns a second, over all threads.
fn played(pool: &Arc<Pool>, turns: &[Turn], count: usize, threads: usize, offer: &Arc<Offer>) -> u64 {
    let play = || {
        let mut next = turns.iter().cycle();
        for _ in 0..count / RUN {
            let mut guard = ExecGuard::new(pool);
            begin(&mut guard, offer);
            let passed = next.by_ref().take(RUN).filter(|turn| turn.play(&mut guard)).count();
            assert_eq!(passed, RUN, "the guard passes");
        }
    };
    // The children are there before the clock runs.
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));
    let watch = Stopwatch::start();
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(play))));
    a_second(count / RUN * RUN * threads, watch)
}

/// The lines of these turns through the command, written and read as they are.
fn bare(command: &str, turns: &[Turn], count: usize) -> io::Result<u64> {
    let lines: Vec<Vec<u8>> = turns.iter().map(lines).collect();
    let mut words = Command::new("sh");
    let mut child = words
        .args(["-c", &format!("exec {command}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("both are pipes"));
    };
    let mut stdout = BufReader::new(stdout);
    let mut answer = String::new();
    let hello = ToGuard::Hello { protocol: PROTOCOL, balk: "".into(), answer_ms: 5_000 };
    stdin.write_all(&[json(&hello), json(&ToGuard::Begin { run: 1 })].concat())?;
    stdout.read_line(&mut answer)?;
    let watch = Stopwatch::start();
    for lines in lines.iter().cycle().take(count) {
        stdin.write_all(lines)?;
        answer.clear();
        stdout.read_line(&mut answer)?;
    }
    let bare = a_second(count, watch);
    drop(stdin);
    child.wait()?;
    Ok(bare)
}

fn a_second(turns: usize, watch: Stopwatch) -> u64 {
    let turns = u128::try_from(turns).unwrap_or(u128::MAX);
    u64::try_from(turns * 1_000_000_000 / u128::from(watch.nanoseconds().max(1))).unwrap_or(u64::MAX)
}

/// What a guard is told in a turn, as a guard in another process is told it.
fn lines(turn: &Turn) -> Vec<u8> {
    let mut told = Told::default();
    turn.play(&mut told);
    // The result is told with the next question; here it comes with its own.
    let [said, result] = &*told.0 else { panic!("a completion and its result") };
    let Entry::Completion(completion) = said else { panic!("the completion comes first") };
    let observe = |entry| json(&ToGuard::Observe(EntryRecord::from(entry)));
    let review = json(&ToGuard::Review { completion: CompletionRecord::from(&**completion) });
    [observe(said), observe(result), review].concat()
}

fn json(line: &ToGuard) -> Vec<u8> {
    let mut json = serde_json::to_vec(line).expect("a line is plain data");
    json.push(b'\n');
    json
}

/// Remembers what it is told.
#[derive(Default)]
struct Told(Vec<Entry>);

impl Guard for Told {
    fn name(&self) -> &'static str {
        "told"
    }

    fn observe(&mut self, entry: &Entry) {
        self.0.push(entry.clone());
    }
}

/// The guard: it looks at the beginning of each line, and passes.
fn pass() -> io::Result<()> {
    let introduction = Introduction {
        protocol: PROTOCOL,
        guard: "pass".to_owned(),
        answers: vec![Question::Review],
        keeps_state: false,
    };
    let passes = Reviewed { verdict: VerdictLine::Pass, notices: Vec::new() };
    let line = |answer: &FromGuard| Ok::<_, io::Error>(serde_json::to_string(answer)? + "\n");
    let (hello, passes) = (line(&FromGuard::Hello(introduction))?, line(&FromGuard::Review(passes))?);
    #[expect(clippy::disallowed_methods, reason = "a program of its own, which speaks in lines")]
    let (mut stdin, mut stdout) = (BufReader::with_capacity(1 << 20, io::stdin()), io::stdout());
    let mut said = Vec::new();
    while stdin.read_until(b'\n', &mut said)? > 0 {
        let answer = if said.starts_with(b"{\"review\"") {
            &passes
        } else if said.starts_with(b"{\"hello\"") {
            &hello
        } else {
            said.clear();
            continue;
        };
        stdout.write_all(answer.as_bytes())?;
        said.clear();
    }
    Ok(())
}
