//! The time of reading logs, beside that of parsing their JSON to `serde_json::Value`: `import_speed FILE|DIR…`.
//!
//! Logs are read as the commands read them, on one thread: each transcript is dropped once it is done, and so is each
//! value. All is done in turn, and the fastest of several rounds counts. The last column is the same with the stack
//! `default` folded. Files that are no JSON are left out, and so are those of no format that is known.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::{fs, io};

use balk::bench::Stopwatch;
use balk::engine::TruthChannel;
use balk::guards::{Config, DEFAULT, Recipes, Registry};
use balk::import::reading::{Ending, Input, Reading, Taken};
use balk::import::{Format, Recording, Setting, join};
use balk::replay::fold;
use mimalloc::MiMalloc;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::Value;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const ROUNDS: u32 = 7;

/// The fastest times of the files of one format, in nanoseconds.
#[derive(Default)]
struct Times {
    files: u64,
    bytes: u64,
    values: u64,
    read: u64,
    folded: u64,
}

#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
#[expect(clippy::float_arithmetic, reason = "a ratio of times is no part of a trial")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        find(Path::new(&argument), &mut files)?;
    }
    files.sort();
    let registry = Registry::standard();
    let config = Config::default();
    let recipes = Recipes::new(&registry, &config);
    let pool = ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut formats: BTreeMap<&str, Times> = BTreeMap::new();
    for file in files {
        let bytes = fs::read(&file)?;
        let fold = |recording| {
            let recorded = join(recording, &Setting::default());
            let mut stack = recipes.stack(DEFAULT, &TruthChannel::default()).expect("the stack is there");
            fold(&recorded.entries, &mut stack).events.len()
        };
        let (Some(format), _) = read(&bytes, &pool, &|_| 0)? else { continue };
        if !is_json(&bytes) {
            continue;
        }
        let times = formats.entry(format.name()).or_default();
        times.files += 1;
        times.bytes += bytes.len() as u64;
        times.values += fastest(|| parse(&bytes));
        times.read += fastest(|| read(&bytes, &pool, &|_| 1).expect("memory can be read").1);
        times.folded += fastest(|| read(&bytes, &pool, &fold).expect("memory can be read").1);
    }
    println!(
        "| format | files | MB | parsed to `Value`, MB/s | read, MB/s | read / parsed | folded / parsed |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (format, it) in formats {
        let pace = |time: u64| it.bytes as f64 * 1e3 / time as f64;
        let ratio = |time: u64| time as f64 / it.values as f64;
        println!(
            "| {format} | {} | {:.1} | {:.0} | {:.0} | {:.2} | {:.2} |",
            it.files,
            it.bytes as f64 / 1e6,
            pace(it.values),
            pace(it.read),
            ratio(it.read),
            ratio(it.folded),
        );
    }
    Ok(())
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| find(&entry?.path(), files))
}

fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[")
}

/// Parses the values of a file, up to one that is no JSON.
fn parse(bytes: &[u8]) -> usize {
    let values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    values.map_while(Result::ok).map(black_box).count()
}

/// The format of a file, and the sum of what `work` makes of its transcripts.
fn read(
    bytes: &[u8],
    pool: &ThreadPool,
    work: &(dyn Fn(Recording) -> usize + Sync),
) -> io::Result<(Option<Format>, usize)> {
    let mut inputs = std::iter::once(Input { content: Box::new(bytes), sought: false });
    let (mut format, mut sum) = (None, 0);
    Reading { from: None, pool }.read(
        &mut inputs,
        &|_, piece| piece.recordings(None).into_iter().filter_map(|(_, it)| it.ok()).map(work).collect(),
        &mut |batch| {
            for taken in batch {
                match taken {
                    Taken::Found(_, made) => sum += made.into_iter().sum::<usize>(),
                    Taken::Ended(_, Ending::Read(found)) => format = found,
                    Taken::Ended(_, Ending::Unknown | Ending::Broken { .. }) => {}
                }
            }
            Ok(())
        },
    )?;
    Ok((format, sum))
}

fn fastest(mut work: impl FnMut() -> usize) -> u64 {
    let time = |_| {
        let watch = Stopwatch::start();
        black_box(work());
        watch.nanoseconds()
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}
