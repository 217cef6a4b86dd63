//! Ctrl-C, and the signals of other programs and of a terminal that closes: the first asks a command to stop, the
//! second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use super::say::say;
use crate::exit::Exit;

/// How often it is looked whether a signal came: a user does not notice so short a time.
const LOOKS: Duration = Duration::from_millis(50);

/// A file that exceeds what the system allows is an error like that of a full disk. Without this, the system would end
/// the program without a word.
pub(super) fn survive_long_files() {
    flag::register(SIGXFSZ, Arc::default()).expect("the signal can be caught");
}

/// Whether the command is to stop.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From here on, the first signal only sets the flag.
    pub(super) fn catch() -> Self {
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // The order matters: only a second one finds the flag set.
            flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&came))
                .and_then(|_| flag::register(signal, Arc::clone(&came)))
                .expect("the signal can be caught");
        }
        Self(came)
    }

    /// One that never comes.
    #[cfg(test)]
    pub(super) fn never() -> Self {
        Self(Arc::default())
    }

    /// The flag that the first signal sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Says this as soon as the first signal comes, whatever the command waits for then.
    pub(super) fn say(&self, text: String) {
        let came = self.flag();
        // It ends with the program.
        thread::spawn(move || {
            while !came.load(Ordering::Relaxed) {
                thread::sleep(LOOKS);
            }
            say(format_args!("{text}"));
        });
    }

    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
