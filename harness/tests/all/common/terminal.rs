//! A terminal for tests.

use std::fs::{File, OpenOptions};
use std::io::Write;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

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
