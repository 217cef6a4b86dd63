//! What commands that listen share: where they do, and how they wait for their end.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::Args;

use super::interrupt::Interrupt;
use super::out;
use super::say::say;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::input;
use crate::lock::Lock;

/// Where a command listens.
#[derive(Args, Clone, Debug)]
pub(super) struct Listening {
    /// The port; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// The address to listen on. Other machines may reach any but the default, so it needs a token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// What every request must have, as /t/TOKEN before its path or in the header x-balk-token [default: none on the
    /// default address, else a random one, which is printed with the URL]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    token: Option<String>,

    /// End with standard input as well, so as not to outlive a program that holds a pipe to it
    #[arg(long)]
    until_input_ends: bool,
}

/// The shortest token.
const TOKEN_CHARS: usize = 16;

fn token(text: &str) -> Result<String, String> {
    let is_plain = text.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_'));
    if is_plain && text.len() >= TOKEN_CHARS {
        return Ok(text.to_owned());
    }
    Err(format!("expected at least {TOKEN_CHARS} of A-Z, a-z, 0-9, - and _"))
}

impl Listening {
    /// The token, random where other machines may reach the address and none was named.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(super) fn token(&self) -> Result<Option<Arc<str>>, Error> {
        if self.token.is_some() || self.host.is_loopback() {
            return Ok(self.token.as_deref().map(Arc::from));
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Some(format!("{:032x}", u128::from_le_bytes(random)).into()))
    }

    pub(super) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }

    /// Why it cannot listen there.
    pub(super) fn failed(&self, error: &io::Error) -> Error {
        let hint = "name another --port, or 0 for any free one, and as --host an address of this machine";
        let found = format!("{}: {error}", self.address());
        Error::usage("--port", "an address to listen on", found).hint(hint)
    }

    /// Prints where a server listens, and waits for its end. `looks` is called again and again; `unlogged` says which
    /// file of the log could not be written.
    pub(super) fn wait(
        &self,
        interrupt: &Interrupt,
        (url, about): (&str, &str),
        mut looks: impl FnMut(),
        unlogged: impl Fn() -> Option<(PathBuf, String)>,
    ) -> Result<Exit, Error> {
        writeln!(out::data(), "{url}")?;
        say(format_args!("{about}"));
        let has_ended = self.until_input_ends.then(input::has_ended);
        let is_over = || interrupt.came() || has_ended.as_ref().is_some_and(|it| it.load(Ordering::Relaxed));
        let mut is_told = false;
        while !is_over() {
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
