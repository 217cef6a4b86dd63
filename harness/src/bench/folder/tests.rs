//! Labels as names of folders, and what is said where a folder cannot be written.

use std::io::ErrorKind;

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
