//! Completions are kept, and no damage to them passes.

use super::*;

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
    let errors: Vec<_> = flipped(&folder.path().join(PACKED)).into_iter().filter_map(|(_, it)| it).collect();
    assert!(errors.iter().all(|it| it.contains(&format!("{PACKED}: line "))), "{errors:#?}");
    assert!(errors.len() > 1_000, "{}", errors.len());
    let text = zstd::stream::decode_all(File::open(folder.path().join(PACKED)).expect("a file"));
    let text = String::from_utf8(text.expect("it is packed")).expect("JSON");
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] ^= 1;
        let packed = zstd::stream::encode_all(&*changed, 1).expect("memory takes it");
        files::write_passing(&folder.path().join(PACKED), packed).expect("a file");
        let error = Store::read(folder.path()).err().map(|it| it.to_string()).unwrap_or_default();
        let line = 1 + text[..at].matches('\n').count();
        assert!(error.contains(&format!("{PACKED}: line {line}: ")), "byte {at}: {error}");
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
    let packed = folder.path().join(PACKED);
    let store = store(folder.path());
    store.pack().expect("it can be written");
    let new = std::fs::read(&packed).expect("a file");
    let old: String = all(&store).values().map(|line| format!("{line}\n")).collect();
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
