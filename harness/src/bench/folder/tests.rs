//! Labels as names of folders, and what is said where a folder cannot be written.

use std::fs;
use std::io::ErrorKind;

use super::name::folder_name;
use super::*;

#[test]
fn a_label_is_no_way_out_of_the_folder() {
    for (label, folder) in
        [("..", "-."), (".", "-"), ("../up", "-.-up"), ("a:b=1", "a-b=1"), ("a..b", "a..b")]
    {
        assert_eq!(folder_name(label), folder);
    }
}

#[test]
fn what_is_said_of_earlier_results_depends_on_whether_there_are_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let said =
        || unwritable(&folder.path().join("transcripts/a/0-63"), ErrorKind::StorageFull.into()).to_string();
    assert!(said().contains("nothing is kept so far; start again once there is space"), "{}", said());
    files::write_passing(&folder.path().join(RECORD), "").expect("a file");
    assert!(said().contains("continue with --resume once there is space"), "{}", said());
}

#[test]
fn reactions_that_no_samples_add_up_to_are_refused_with_their_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let reference = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/reference/live/smollm2/reactions.json");
    let text = fs::read_to_string(reference).expect("it is there");
    let read = |text: &str| {
        files::write_passing(&folder.path().join(REACTIONS), text).expect("a file");
        Folder::reactions(folder.path()).map_err(|error| error.to_string())
    };
    assert!(read(&text).expect("it is as it was written").is_some());
    let error = read(&text.replacen("\"calls\": 0", "\"calls\": 22", 1)).expect_err("of 21 samples");
    assert!(
        error.contains(
            "reactions.json: row 1: expected counts that samples can add up to, found more completions of a kind \
             than samples"
        ),
        "{error}"
    );
}
