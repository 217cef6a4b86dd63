//! A terminal for tests.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What a program shows on a terminal: `run` gets the program's end, and must drop every copy of it.
pub(crate) fn shown(run: impl FnOnce(File)) -> String {
    let (mut person, program) = terminal("");
    // Unread output would fill the terminal and block the program.
    let reader = thread::spawn(move || {
        let mut seen = Vec::new();
        // When the last program at a terminal ends, reading on is an error.
        let _ = person.read_to_end(&mut seen);
        String::from_utf8_lossy(&seen).into_owned()
    });
    run(program);
    reader.join().expect("it reads to the end")
}

/// A terminal on which these keys were pressed: the person's end, and the program's end.
pub(crate) fn terminal(keys: &str) -> (File, File) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&person).expect("it is ours");
    unlockpt(&person).expect("it is ours");
    let name = ptsname(&person, Vec::new()).expect("it has a name");
    let name = name.to_str().expect("a plain name");
    let program = OpenOptions::new().read(true).write(true).open(name).expect("it opens");
    let mut person = File::from(person);
    person.write_all(keys.as_bytes()).expect("it takes keys");
    (person, program)
}
