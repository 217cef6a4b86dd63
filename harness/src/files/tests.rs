//! What is written is there whole, where it was asked for, and nothing else is beside it.

use super::*;

/// Writes files as a user does.
#[expect(clippy::disallowed_methods, reason = "a file that was there before")]
fn there(path: &Path, text: &str) {
    fs::write(path, text).expect("it can be written");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|it| it.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("it is there")
}

fn says(text: &'static str) -> impl FnOnce(&mut Out<'_>) -> io::Result<()> {
    move |out| out.write_all(text.as_bytes())
}

#[test]
fn what_fails_halfway_leaves_the_file_as_it_was_and_nothing_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/er/a.txt");
    write_whole(&path, says("first")).expect("it can be written");
    let failed = write_whole(&path, |out| {
        out.write_all(b"second")?;
        Err(io::Error::other("no space left"))
    });
    assert!(failed.is_err());
    assert_eq!(text(&path), "first");
    assert_eq!(names(path.parent().expect("it has one")), ["a.txt"]);
}

#[test]
fn a_new_file_replaces_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a");
    write_new(&path, says("first")).expect("it can be written");
    let again = write_new(&path, says("second")).expect_err("it is there");
    assert_eq!((again.kind(), &*text(&path)), (ErrorKind::AlreadyExists, "first"));
    assert_eq!(grow_new(&path).expect_err("it is there").kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(folder.path()), ["a"]);
}

#[test]
fn what_to_do_depends_on_what_is_wrong() {
    assert_eq!(way_out(&ErrorKind::StorageFull.into()), "once there is space");
    assert_eq!(way_out(&ErrorKind::FileTooLarge.into()), "once there is space");
    assert_eq!(way_out(&ErrorKind::PermissionDenied.into()), "once it can be written");
    assert_eq!(way_out(&ErrorKind::ReadOnlyFilesystem.into()), "once it can be written");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    use std::thread;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn pipe(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        there(&path, "first");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
        write_whole(&path, says("second")).expect("it can be written");
        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!((mode & 0o777, &*text(&path)), (0o640, "second"));
    }

    #[test]
    fn what_only_its_owner_may_read_is_nobody_elses_while_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        there(&path, "first");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        let unfinished = |out: &mut Out<'_>| {
            let name = names(folder.path()).into_iter().find(|it| it.starts_with('.')).expect("it is begun");
            let mode = fs::metadata(folder.path().join(name))?.permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            out.write_all(b"second")
        };
        write_whole(&path, unfinished).expect("it can be written");
        assert_eq!(text(&path), "second");
    }

    #[test]
    fn a_link_with_a_name_of_our_own_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        there(&at("real"), "first");
        symlink("real", at("link")).expect("a link");
        write_own(&at("link"), says("second")).expect("it can be written");
        assert_eq!((text(&at("real")), text(&at("link"))), ("first".to_owned(), "second".to_owned()));
        assert!(!at("link").is_symlink());
    }

    #[test]
    fn a_link_stays_and_one_that_leads_nowhere_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        there(&at("real"), "first");
        symlink("real", at("link")).expect("a link");
        symlink("gone", at("dangling")).expect("a link");
        write_whole(&at("link"), says("second")).expect("it can be written");
        assert!(at("link").is_symlink());
        assert_eq!(text(&at("real")), "second");
        for refused in [write_new(&at("link"), says("x")), write_whole(&at("dangling"), says("x"))] {
            assert_eq!(refused.expect_err("it is there").kind(), ErrorKind::AlreadyExists);
        }
        assert_eq!(names(folder.path()), ["dangling", "link", "real"]);
    }

    #[test]
    fn a_pipe_is_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("pipe");
        pipe(&path);
        let write: [fn(&Path) -> io::Result<()>; 3] = [
            |it| write_whole(it, says("said")),
            |it| write_new(it, says("said")),
            |it| grow_new(it)?.write_all(b"said"),
        ];
        for write in write {
            // A child that another test starts has the other end open for a moment, so nothing may be read at first.
            let reader = thread::spawn({
                let path = path.clone();
                move || std::iter::repeat_with(|| text(&path)).find(|it| !it.is_empty())
            });
            write(&path).expect("somebody reads");
            assert_eq!(reader.join().expect("it ends").as_deref(), Some("said"));
            assert!(fs::metadata(&path).expect("it is there").file_type().is_fifo());
        }
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[test]
    fn a_device_takes_what_is_written_or_says_why_not() {
        write_whole(Path::new("/dev/null"), says("said")).expect("it takes everything");
        assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());
        if cfg!(target_os = "linux") {
            let full = write_whole(Path::new("/dev/full"), says("said")).expect_err("it is always full");
            assert_eq!(full.kind(), ErrorKind::StorageFull);
        }
    }
}
