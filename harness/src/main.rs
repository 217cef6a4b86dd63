//! The program, with Balk's own guards.

use std::process::ExitCode;

use balk::guards::Registry;
use mimalloc::MiMalloc;

/// A trial allocates and frees small objects all the time: with the system's allocator it takes an eighth longer.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    balk::main_with(Registry::standard())
}
