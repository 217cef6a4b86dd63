//! Completions are kept, and no damage to them passes.

use std::collections::BTreeSet;

use super::*;
use crate::files::step::schedule;

fn place(turn: u32) -> Place {
    Place { scenario: "a".into(), seed: 7, turn, attempt: 0, sample: 0 }
}

fn reply(body: &str) -> Reply {
    Reply { status: 200, retry_after: None, form: Form::Whole, body: body.into() }
}

/// A store with two completions in a folder, whose journal is still there.
fn store(folder: &Path) -> Store {
    let store = Store::read(folder).expect("there is none");
    store.write().expect("it can be written");
    store.keep(&place(1), r#"{"a":1}"#, &reply("one")).expect("it can be written");
    store.keep(&place(2), r#"{"a":1}"#, &reply("two\n")).expect("it can be written");
    store
}

fn all(store: &Store) -> Kept {
    store.locked().lines.clone()
}

/// Flips each bit of a file. Returns the errors: one for each, or none where the same is read all the same.
fn flipped(file: &Path) -> Vec<(usize, Option<String>)> {
    let folder = file.parent().expect("a folder");
    let (bytes, whole) = (std::fs::read(file).expect("a file"), all(&Store::read(folder).expect("whole")));
    let mut found = Vec::new();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            files::write_passing(file, changed).expect("a file");
            match Store::read(folder) {
                Ok(same) => {
                    assert!(all(&same) == whole, "byte {at}, bit {bit}");
                    found.push((at, None));
                }
                Err(error) => found.push((at, Some(error.to_string()))),
            }
        }
    }
    files::write_passing(file, bytes).expect("a file");
    found
}

#[test]
fn every_flipped_bit_of_a_journal_is_found_in_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join(JOURNAL);
    drop(store(folder.path()));
    let text = std::fs::read_to_string(&journal).expect("a file");
    for (at, error) in flipped(&journal) {
        let line = 1 + text[..at].matches('\n').count();
        let error = error.unwrap_or_else(|| panic!("byte {at}"));
        assert!(error.contains(&format!("{JOURNAL}: line {line}: expected ")), "byte {at}: {error}");
    }
}

/// The packer has bits that nothing reads.
#[test]
fn no_flipped_bit_of_packed_completions_changes_what_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    store(folder.path()).pack().expect("it can be written");
    let errors: Vec<_> =
        flipped(&folder.path().join(COMPLETIONS)).into_iter().filter_map(|(_, it)| it).collect();
    assert!(errors.iter().all(|it| it.contains(&format!("{COMPLETIONS}: line "))), "{errors:#?}");
    assert!(errors.len() > 1_000, "{}", errors.len());
    let text =
        zstd::stream::decode_all(std::fs::File::open(folder.path().join(COMPLETIONS)).expect("a file"));
    let text = String::from_utf8(text.expect("it is packed")).expect("JSON");
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] ^= 1;
        let packed = zstd::stream::encode_all(&*changed, 1).expect("memory takes it");
        files::write_passing(&folder.path().join(COMPLETIONS), packed).expect("a file");
        let error = Store::read(folder.path()).err().map(|it| it.to_string()).unwrap_or_default();
        let line = 1 + text[..at].matches('\n').count();
        assert!(error.contains(&format!("{COMPLETIONS}: line {line}: ")), "byte {at}: {error}");
    }
}

#[test]
fn a_killed_run_goes_on_and_what_it_left_of_a_line_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join(JOURNAL);
    drop(store(folder.path()));
    let text = std::fs::read_to_string(&journal).expect("a file");
    files::write_passing(&journal, &text[..text.len() - 1]).expect("a file");
    let store = Store::read(folder.path()).expect("the first line is whole");
    store.write().expect("it can be written");
    store.keep(&place(2), r#"{"a":1}"#, &reply("two\n")).expect("it can be written");
    assert_eq!((store.count(), std::fs::read_to_string(&journal).expect("a file")), (2, text));
}

#[test]
fn completions_without_checksums_get_them_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = folder.path().join(COMPLETIONS);
    let store = store(folder.path());
    store.pack().expect("it can be written");
    let new = std::fs::read(&packed).expect("a file");
    let old: String = all(&store).values().map(|line| format!("{line}\n")).collect();
    // Some files were packed without the last line feed.
    let old = old.trim_end();
    files::write_passing(&packed, zstd::stream::encode_all(old.as_bytes(), 1).expect("it packs"))
        .expect("a file");
    let error = Store::read(folder.path()).err().map(|it| it.to_string()).unwrap_or_default();
    assert!(error.contains("line 1: expected a line with its checksum at the end, found none"), "{error}");
    assert!(error.contains("`balk migrate`"), "{error}");
    assert_eq!(Store::renew(folder.path()).ok(), Some(true));
    assert_eq!(std::fs::read(&packed).expect("a file"), new);
    assert_eq!(Store::renew(folder.path()).ok(), Some(false));
}

#[test]
fn completions_have_a_bound() {
    let mut out = Vec::new();
    let folder = tempfile::tempdir().expect("a folder");
    sealed(&mut out, &all(&store(folder.path()))).expect("memory takes it");
    let input = |most| Input { path: Path::new("a"), sealed: Sealed::growing(&*out), most };
    let mut lines = Kept::new();
    assert!(input(out.len() as u64).read(&mut lines).is_ok());
    let error = input(300).read(&mut lines).expect_err("it is longer").to_string();
    assert_eq!(error, "a: line 2: expected completions of at most 0 MiB, unpacked, found more");
}

/// Nothing is kept that could not be read again.
#[test]
fn a_reply_that_is_longer_than_a_line_is_not_kept_and_others_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let long = reply(&"x".repeat(16 << 20));
    assert!(!store.keep(&place(3), r#"{"a":1}"#, &long).expect("it is no fault of the file"));
    assert!(store.keep(&place(4), r#"{"a":1}"#, &reply("four")).expect("it can be written"));
    drop(store);
    assert_eq!(Store::read(folder.path()).expect("it is whole").count(), 3);
}

/// Nor after so many bytes.
#[test]
fn a_record_that_is_full_keeps_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path());
    let most = store.locked().bytes + 10;
    store.locked().most = most;
    let error = store.keep(&place(3), r#"{"a":1}"#, &reply("three")).expect_err("it is full").to_string();
    assert!(error.contains("expected completions of at most 0 MiB, unpacked, found more"), "{error}");
    assert_eq!(store.count(), 2);
    drop(store);
    assert_eq!(Store::read(folder.path()).expect("it is whole").count(), 2);
}

/// What a live run does with its completions: each is kept once, then all are packed. `kept` are the turns for which
/// that is done.
fn play(folder: &Path, kept: &mut BTreeSet<u32>) -> Result<(), Error> {
    let _lock = Lock::take(folder)?;
    let store = Store::read(folder)?;
    store.write()?;
    for turn in 1..=4 {
        if store.find(&place(turn), r#"{"a":1}"#).is_none() {
            store.keep(&place(turn), r#"{"a":1}"#, &reply("a long answer\n"))?;
        }
        kept.insert(turn);
    }
    store.pack()
}

/// Faults come until a run ends well; no completion that was kept is lost, and the bytes are as if none had come.
fn check(schedules: std::ops::Range<u64>) {
    let work = tempfile::tempdir().expect("a folder");
    let new = |name: String| {
        let folder = work.path().join(name);
        files::make_folder(&folder).expect("a folder");
        folder
    };
    let whole = new("whole".to_owned());
    let (undisturbed, steps) = schedule::run(0, 0, || (), || play(&whole, &mut BTreeSet::new()));
    undisturbed.expect("nothing goes wrong");
    assert!(steps > 20, "{steps} steps");
    let packed = |folder: &Path| std::fs::read(folder.join(COMPLETIONS)).expect("it is packed");
    for seed in schedules {
        let folder = new(format!("run{seed}"));
        let mut kept = BTreeSet::new();
        for nth in 0.. {
            let steps = if nth < 3 { steps } else { 0 };
            let other = folder.clone();
            let other = move || drop(play(&other, &mut BTreeSet::new()));
            let (ended, _) = schedule::run(seed * 4 + nth, steps, other, || play(&folder, &mut kept));
            let there = Store::read(&folder).expect("it is whole at any time");
            for turn in &kept {
                let found = there.find(&place(*turn), r#"{"a":1}"#);
                assert!(found.is_some(), "schedule {seed}: the completion of turn {turn} is lost");
            }
            if ended.is_ok() {
                break;
            }
            assert!(nth < 3, "schedule {seed}: {ended:?}");
        }
        // The lock file of a run that ended badly is taken over by the next one.
        drop(Lock::take(&folder).expect("it is free"));
        assert!(packed(&folder) == packed(&whole), "schedule {seed}");
        let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
        assert_eq!(left.len(), 1, "schedule {seed}: {left:?}");
    }
}

#[test]
fn after_any_fault_what_was_kept_is_there_and_a_resumed_run_ends_in_the_same_bytes() {
    check(0..200);
}

#[test]
#[ignore = "thousands of schedules"]
fn after_any_of_many_faults_what_was_kept_is_there() {
    check(200..10_200);
}
