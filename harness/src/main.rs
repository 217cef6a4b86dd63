//! The program: takes the command line apart, runs the command, and ends with its exit code.

use std::process::ExitCode;

use balk::cli::Cli;
use balk::exit::Exit;
use clap::Parser;
use mimalloc::MiMalloc;

/// A trial makes and drops small things all the time: with the system's allocator it takes an eighth longer.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let exit = match Cli::parse().command.run() {
        Ok(exit) => exit,
        // Whoever read the output has seen enough.
        Err(error) if error.reader_left => Exit::Fine,
        Err(error) => {
            balk::cli::complain(&error);
            error.exit
        }
    };
    exit.into()
}
