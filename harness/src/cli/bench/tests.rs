//! Whatever happens to the files of a bench or a merge, the same command ends in the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Parser;

use super::*;
use crate::cli::Merge;
use crate::cli::migrate::renew;
use crate::files::step::schedule;
use crate::files::write_passing;
use crate::guards::Registry;

/// The arguments of a bench, as on a command line.
#[derive(Parser)]
struct Parsed {
    #[command(flatten)]
    bench: Bench,
}

/// Two scenarios with two blocks each, all transcripts of which are kept.
fn bench(out: &Path, more: &[&str]) -> Bench {
    let fixed = ["bench", "--suite", "paging,text-only-chat", "--guard", "default", "--seeds", "63-64"];
    let kept = ["--keep-transcripts", "all", "--out", out.to_str().expect("a plain path")];
    Parsed::parse_from([&fixed[..], &kept, more].concat()).bench
}

/// Writes the record after each block.
struct Each(Follower);

impl Follow for Each {
    fn block(&mut self, record: &Record, played: Played<'_>) -> Result<ControlFlow<()>, Error> {
        self.0.unwritten = UNITS_BETWEEN_WRITES;
        self.0.block(record, played)
    }
}

/// What the command does, on this thread.
fn play(bench: &Bench, matrix: &Matrix) -> Result<(), Error> {
    let (folder, mut record) = bench.folder(matrix)?;
    let follower = Follower {
        folder,
        bar: ProgressBar::hidden(),
        interrupt: Interrupt::never(),
        played: 0,
        unwritten: 0,
    };
    let mut each = Each(follower);
    let seeds = matrix.plan().seeds;
    let part = bench.shard.map_or(Some(seeds), |it| it.seeds(seeds)).expect("no part is empty");
    bench::run(matrix, &mut record, part, Keep::Everything, &mut each)?;
    each.0.folder.as_ref().expect("there is --out").write(&record)
}

fn matrix(bench: &Bench) -> Matrix {
    let Ok(matrix) = bench.matrix(&Context { registry: Registry::standard() }) else {
        panic!("a good suite")
    };
    matrix
}

/// Every file below a folder, by its name there.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below").to_owned();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// Every trial that a record counts has its transcripts on the disk.
fn check_kept(out: &Path, seed: u64) {
    if !out.join(bench::RECORD).exists() {
        return;
    }
    let (folder, record) = Folder::open(out).expect("a record is whole at any time");
    let mut kept = folder.kept(&record.plan);
    for (scenario, done) in record.done.iter().enumerate() {
        for of in done.ranges().iter().flat_map(|[from, to]| *from..=*to) {
            let records = kept.of(scenario, of).expect("transcripts are whole at any time");
            assert!(!records.is_empty(), "schedule {seed}: a trial is counted and has no transcript");
        }
    }
}

/// The bench that a person starts next.
fn next(out: &Path) -> Bench {
    bench(out, if out.exists() { &["--resume"] } else { &[] })
}

/// What a person does who starts the same bench while it runs. It is refused as long as the folder is locked; before
/// and after, it does all that is left.
fn other(out: &Path, matrix: &Rc<Matrix>) -> impl FnOnce() + 'static {
    let (out, matrix) = (out.to_owned(), Rc::clone(matrix));
    move || drop(play(&next(&out), &matrix))
}

/// Faults come until a run ends well; then everything is as if none had come.
fn check_bench(schedules: std::ops::Range<u64>) {
    let work = tempfile::tempdir().expect("a folder");
    let whole = work.path().join("whole");
    let matrix = Rc::new(matrix(&bench(&whole, &[])));
    let (undisturbed, steps) = schedule::run(0, 0, || (), || play(&bench(&whole, &[]), &matrix));
    undisturbed.expect("nothing goes wrong");
    assert!(steps > 40, "{steps} steps");
    let expected = files(&whole);
    for seed in schedules {
        let out = work.path().join(format!("run{seed}"));
        let mut disturbed = 0;
        for nth in 0.. {
            // After three faults, nothing goes wrong.
            let steps = if nth < 3 { steps } else { 0 };
            let other = other(&out, &matrix);
            let (ended, _) = schedule::run(seed * 4 + nth, steps, other, || play(&next(&out), &matrix));
            check_kept(&out, seed);
            match ended {
                Ok(()) => break,
                Err(error) => {
                    assert!(nth < 3, "schedule {seed}: {error}");
                    disturbed += 1;
                }
            }
        }
        // The lock of a run that ended badly is taken over by one that finds all trials done.
        play(&bench(&out, &["--resume"]), &matrix).expect("nothing goes wrong");
        assert!(files(&out) == expected, "schedule {seed}, after {disturbed} faults");
        fs::remove_dir_all(out).expect("a folder");
    }
}

fn check_merge(schedules: std::ops::Range<u64>) {
    let work = tempfile::tempdir().expect("a folder");
    let at = |name: &str| work.path().join(name);
    let matrix = matrix(&bench(&at("whole"), &[]));
    play(&bench(&at("whole"), &[]), &matrix).expect("nothing goes wrong");
    for part in ["1/2", "2/2"] {
        play(&bench(&at(&part[..1]), &["--shard", part]), &matrix).expect("nothing goes wrong");
    }
    let merge = |out: &Path| Merge::of(vec![at("1"), at("2")], out.to_owned());
    let (undisturbed, steps) = schedule::run(0, 0, || (), || merge(&at("sum")).run());
    undisturbed.expect("nothing goes wrong");
    let expected = files(&at("whole"));
    assert!(files(&at("sum")) == expected);
    for seed in schedules {
        let out = at(&format!("run{seed}"));
        for nth in 0.. {
            let steps = if nth < 3 { steps } else { 0 };
            let other = merge(&out);
            let other = move || drop(other.run());
            let (ended, _) = schedule::run(seed * 4 + nth, steps, other, || merge(&out).run());
            if ended.is_ok() {
                break;
            }
            assert!(nth < 3, "schedule {seed}: {ended:?}");
        }
        let mut written = files(&out);
        written.retain(|name, _| !name.to_string_lossy().contains(".balk-"));
        assert!(written == expected, "schedule {seed}");
        // As a person who is not sure does: a lock that could not be removed goes now.
        merge(&out).run().expect("nothing goes wrong");
        assert!(files(&out) == expected, "schedule {seed}");
        fs::remove_dir_all(out).expect("a folder");
    }
}

/// Makes the folder of a record one of version 2, which had no checksums, and paths in its plan.
fn age(folder: &Path) {
    let record = folder.join(bench::RECORD);
    let text = fs::read_to_string(&record).expect("a record");
    let plain = |line: &str| format!("{}}}\n", line.rsplit_once(",\"s").expect("a checksum").0);
    let old = text.lines().map(plain).collect::<String>().replacen("\"schema\":3", "\"schema\":2", 1);
    let old = old.replace("\"suite\":\"written\"", "\"target\":\"x\",\"suite\":\"written\"");
    write_passing(&record, old).expect("a file");
    for (name, bytes) in
        files(folder).iter().filter(|(name, _)| name.extension().is_some_and(|it| it == "zst"))
    {
        write_passing(&folder.join(name), unsealed(bytes)).expect("a file");
    }
}

/// A file of kept transcripts as version 1 of these files was.
fn unsealed(mut file: &[u8]) -> Vec<u8> {
    let mut old = Vec::new();
    while file[0] == 0x50 {
        let length = u64::from_le_bytes(file[16..24].try_into().expect("eight bytes"));
        let end = 32 + usize::try_from(length).expect("it fits");
        old.extend_from_slice(&[0x50, 0x2a, 0x4d, 0x18, 16, 0, 0, 0]);
        old.extend_from_slice(&file[8..24]);
        old.extend_from_slice(&file[32..end]);
        file = &file[end..];
    }
    old
}

fn check_migrate(schedules: std::ops::Range<u64>) {
    let work = tempfile::tempdir().expect("a folder");
    let out = work.path().join("a");
    let mut matrix = matrix(&bench(&out, &[]));
    // A plan of version 2 names no build.
    matrix.plan.build = None;
    play(&bench(&out, &[]), &matrix).expect("nothing goes wrong");
    let new = files(&out);
    age(&out);
    let old = files(&out);
    let refused = Folder::open(&out).expect_err("it is old").to_string();
    assert!(refused.contains("found version 2; `balk migrate` with its folder makes it new"), "{refused}");
    let (undisturbed, steps) = schedule::run(0, 0, || (), || renew(&out));
    undisturbed.expect("nothing goes wrong");
    assert!(files(&out) == new);
    let again = renew(&out).expect_err("it is new").to_string();
    assert!(again.contains("expected records of an older version, found none"), "{again}");
    for seed in schedules {
        for (name, bytes) in &old {
            write_passing(&out.join(name), bytes).expect("a file");
        }
        for nth in 0..4 {
            let steps = if nth < 3 { steps } else { 0 };
            let same = out.clone();
            let other = move || drop(renew(&same));
            if schedule::run(seed * 4 + nth, steps, other, || renew(&out)).0.is_ok() {
                break;
            }
        }
        // What a run left that was ended goes with the next one that writes there.
        drop(Folder::resume(&out).expect("it is new"));
        assert!(files(&out) == new, "schedule {seed}");
    }
}

#[test]
fn after_any_fault_a_resumed_bench_ends_in_the_same_bytes() {
    check_bench(0..200);
}

#[test]
fn after_any_fault_a_merge_that_is_run_again_ends_in_the_same_bytes() {
    check_merge(0..200);
}

#[test]
fn an_older_folder_is_refused_by_name_and_made_new_after_any_fault() {
    check_migrate(0..200);
}

#[test]
#[ignore = "thousands of schedules"]
fn after_any_of_many_faults_the_bytes_are_the_same() {
    check_bench(200..10_200);
    check_merge(200..10_200);
    check_migrate(200..10_200);
}
