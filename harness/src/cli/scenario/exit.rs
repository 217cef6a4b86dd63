//! How the program ends after trials.

use crate::exit::Exit;

/// A guard that broke is worse than what it let through.
pub(super) fn exit(guard_fault: bool, doubled: bool) -> Exit {
    match (guard_fault, doubled) {
        (true, _) => Exit::GuardFault,
        (false, true) => Exit::Unsafe,
        (false, false) => Exit::Fine,
    }
}
