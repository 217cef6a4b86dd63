//! What commands that listen share: where they do, and how they wait for their end.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;

use super::interrupt::Interrupt;
use super::say::say;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::lock::Lock;

/// Where a command listens.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Listening {
    /// The port; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// The address to listen on. Anyone who can reach it can use it
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

impl Listening {
    pub(super) fn address(self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }

    /// Why it cannot listen there.
    pub(super) fn failed(self, error: &io::Error) -> Error {
        let hint = "name another --port, or 0 for any free one, and as --host an address of this machine";
        let found = format!("{}: {error}", self.address());
        Error::usage("--port", "an address to listen on", found).hint(hint)
    }
}

/// Makes the folder of a log, which no other server writes to while the value lives.
pub(super) fn log_folder(folder: Option<&Path>) -> Result<Option<Lock>, Error> {
    let Some(folder) = folder else { return Ok(None) };
    files::make_folder(folder).map_err(|why| {
        let found = format!("`{}`: {why}", folder.display());
        Error::usage("--log", "a folder that can be made", found)
    })?;
    Lock::take(folder).map(Some)
}

/// Prints where a server listens, and waits until somebody interrupts it. `looks` is called again and again; `unlogged`
/// says which file of the log could not be written.
pub(super) fn wait(
    interrupt: &Interrupt,
    (url, about): (&str, &str),
    mut looks: impl FnMut(),
    unlogged: impl Fn() -> Option<(PathBuf, String)>,
) -> Result<Exit, Error> {
    writeln!(io::stdout(), "{url}")?;
    say(format_args!("{about}"));
    let mut is_told = false;
    while !interrupt.came() {
        thread::sleep(Duration::from_millis(50));
        looks();
        if !is_told && let Some((file, why)) = unlogged() {
            say(format_args!("warning: {}: {why}; the log is not whole", file.display()));
            is_told = true;
        }
    }
    match unlogged() {
        Some((file, why)) => Err(Error::file(&file, "a file of the log that can be written", why)),
        None => Ok(Exit::Fine),
    }
}
