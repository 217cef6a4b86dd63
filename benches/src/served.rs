//! Servers of a load in processes of their own, so that their memory and their time are not those of the clients.
//!
//! Such a process is the same program with other arguments. It prints where it listens; then it answers each line of
//! its standard input with one line about itself.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What ends a load.
pub type Failure = Box<dyn Error>;

/// A server in a process of its own. It ends when this is dropped.
#[derive(Debug)]
pub struct Served {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Where it listens.
    pub address: SocketAddr,
}

/// What a server says of itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Said<T> {
    /// The memory of its process that is in use, in bytes.
    pub resident: u64,
    /// The time of processors that it has used, in milliseconds.
    pub processor_ms: u64,
    /// What it was asked for.
    pub told: T,
}

impl Served {
    /// Starts this program with these arguments.
    ///
    /// # Errors
    /// It does not say where it listens.
    pub fn start(arguments: &[&str]) -> Result<Self, Failure> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let mut output = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut address = String::new();
        output.read_line(&mut address)?;
        Ok(Self { process, input, output, address: address.trim().parse()? })
    }

    /// What it says of itself, and of this.
    ///
    /// # Errors
    /// It has ended.
    pub fn said<T: DeserializeOwned>(&mut self, name: &str) -> Result<Said<T>, Failure> {
        writeln!(self.input, "{name}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is about to end anyway.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Says where this process listens, and then what it knows of each name that it is asked for.
///
/// # Errors
/// The process that started this one has gone away, or sends what is no text.
#[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
pub fn serve<T: Serialize>(address: SocketAddr, told: impl Fn(&str) -> T) -> Result<(), Failure> {
    println!("{address}");
    for name in io::stdin().lines() {
        let told = told(&name?);
        let said = Said { resident: resident(), processor_ms: processor_ms(), told };
        println!("{}", serde_json::to_string(&said)?);
    }
    Ok(())
}

/// The memory of this process that is in use, in bytes; 0 where nothing tells.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The time of processors that this process has used, in milliseconds; 0 where nothing tells.
fn processor_ms() -> u64 {
    /// Linux counts it in hundredths of a second, for programs.
    const TICK_MS: u64 = 10;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program comes before it, in brackets, and may have any character.
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|it| it.parse::<u64>().ok());
    ticks.sum::<u64>() * TICK_MS
}
