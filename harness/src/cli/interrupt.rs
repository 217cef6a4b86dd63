//! Ctrl-C: the first one asks a command to stop, the second one ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::exit::Exit;

/// Whether the user has pressed Ctrl-C.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From here on, the first Ctrl-C only sets the flag.
    pub(super) fn catch() -> Self {
        let came = Arc::new(AtomicBool::new(false));
        // The order matters: only a second Ctrl-C finds the flag set.
        flag::register_conditional_shutdown(SIGINT, Exit::Interrupted as i32, Arc::clone(&came))
            .and_then(|_| flag::register(SIGINT, Arc::clone(&came)))
            .expect("Ctrl-C can be caught");
        Self(came)
    }

    /// The flag that the first Ctrl-C sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    pub(super) fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
