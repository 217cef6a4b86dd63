//! The record of `balk crash` as others read it.

use std::fs;

use crate::common::program::{balk, ran};

#[test]
fn a_report_of_what_is_no_record_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path();
    let refused = |arguments: &[&str]| {
        let (code, out, err) = ran(&mut balk(work, &[&["report"], arguments].concat()));
        assert_eq!((code, &*out), (if err.contains("one folder of a bench") { 2 } else { 3 }, ""), "{err}");
        err
    };
    let write = |text: &str| fs::write(work.join("a/runs.json"), text).expect("a file");
    fs::create_dir(work.join("a")).expect("a folder");
    write("[]");
    assert!(
        refused(&["a"]).contains("a/runs.json: expected the record of `balk crash`"),
        "{}",
        refused(&["a"])
    );
    for (other, text) in [(1, r#"{"schema": 1}"#), (3, r#"{"schema": 3, "later": true}"#)] {
        write(text);
        let expected = format!("expected version 2 of the format, found {other}");
        assert!(refused(&["a"]).contains(&expected), "{}", refused(&["a"]));
    }
    write(r#"{"schema": 2, "balk": 3}"#);
    assert!(refused(&["a"]).contains("at line 1 column"), "{}", refused(&["a"]));
    let record = r#"{"schema": 2, "balk": "0", "command": "", "isolated": true, "planned": 0, "agents": [],
        "runs": [], "in_process": []}"#;
    write(record);
    assert!(refused(&["a", "--out", "a/runs.json"]).contains("a file that the report is made from"));
    assert_eq!(fs::read_to_string(work.join("a/runs.json")).ok().as_deref(), Some(record));
    fs::create_dir(work.join("b")).expect("a folder");
    assert!(refused(&["a", "b"]).contains("b/runs.json"), "{}", refused(&["a", "b"]));
    fs::remove_file(work.join("a/runs.json")).expect("it is there");
    assert!(refused(&["a", "b"]).contains("expected one folder of a bench"), "{}", refused(&["a", "b"]));
    assert!(
        refused(&["b"]).contains("or of balk crash, with runs.json, found neither"),
        "{}",
        refused(&["b"])
    );
}
