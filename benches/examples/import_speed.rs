//! The time of reading logs, beside that of parsing their JSON to `serde_json::Value`: `import_speed FILE|DIR…`.
//!
//! Logs are read as the commands read them, on one thread: all files of a format together, each transcript dropped once
//! it is done, and so is each value. All is done in turn, and the fastest of several rounds counts. The last column is
//! the same with the stack `default` folded. Files that are no JSON are left out, and so are those of no format that is
//! known.

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
    let fold = |recording| {
        let recorded = join(recording, &Setting::default());
        let mut stack = recipes.stack(DEFAULT, &TruthChannel::default()).expect("the stack is there");
        fold(&recorded.entries, &mut stack).events.len()
    };
    let mut formats: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    for file in files {
        let file = [fs::read(&file)?];
        let (Some(format), _) = read(&file, &pool, &|_| 0)? else { continue };
        formats.entry(format.name()).or_default().extend(file.into_iter().filter(|it| is_json(it)));
    }
    println!(
        "| format | files | MB | parsed to `Value`, MB/s | read, MB/s | read / parsed | folded / parsed |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (format, files) in formats.into_iter().filter(|(_, files)| !files.is_empty()) {
        let bytes = files.iter().map(Vec::len).sum::<usize>() as f64;
        let parsed = fastest(|| files.iter().map(|file| parse(file)).sum());
        let only_read = fastest(|| read(&files, &pool, &|_| 1).expect("memory can be read").1);
        let folded = fastest(|| read(&files, &pool, &fold).expect("memory can be read").1);
        let pace = |time: u64| bytes * 1e3 / time as f64;
        let ratio = |time: u64| time as f64 / parsed as f64;
        println!(
            "| `{format}` | {} | {:.1} | {:.0} | {:.0} | {:.2} | {:.2} |",
            files.len(),
            bytes / 1e6,
            pace(parsed),
            pace(only_read),
            ratio(only_read),
            ratio(folded),
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

/// The format of the last file, and the sum of what `work` makes of the transcripts of all.
fn read(
    files: &[Vec<u8>],
    pool: &ThreadPool,
    work: &(dyn Fn(Recording) -> usize + Sync),
) -> io::Result<(Option<Format>, usize)> {
    let mut inputs = files.iter().map(|file| Input { content: Box::new(&file[..]), sought: false });
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
