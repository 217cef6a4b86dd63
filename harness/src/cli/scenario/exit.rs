//! The exit code after trials.

use crate::exit::Exit;

/// A guard fault is worse than the effects that it let through.
pub(super) fn exit(guard_fault: bool, doubled: bool) -> Exit {
    match (guard_fault, doubled) {
        (true, _) => Exit::GuardFault,
        (false, true) => Exit::Unsafe,
        (false, false) => Exit::Fine,
    }
}
