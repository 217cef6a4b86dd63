//! The command line: one module per subcommand. Data goes to standard output, everything else to standard error.

mod audit;
mod bench;
mod check;
mod compare;
mod completions;
mod context;
mod crash;
mod document;
mod events;
mod explain;
mod format;
mod gaps;
mod gates;
mod hunt;
mod import;
mod init;
mod interrupt;
mod label;
mod list;
mod listening;
mod live;
mod load;
mod man;
mod merge;
mod migrate;
mod out;
mod phraser;
mod progress;
mod proxy;
mod recordings;
mod replay;
mod report;
mod say;
mod scenario;
mod schema;
mod screen;
mod serve;
mod set_from;
mod shrink;
mod suite;
pub mod terminal;
mod texts;
mod threads;
mod triage;
mod validity;
mod verify;
mod watch;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::error::Error;
use crate::exit::Exit;
use crate::guards::Registry;

pub use audit::Audit;
pub use bench::Bench;
pub use check::Check;
pub use compare::Compare;
pub use completions::Completions;
pub use context::Context;
pub use crash::Crash;
pub use explain::Explain;
pub use hunt::Hunt;
pub use import::Import;
pub use init::Init;
pub use label::Label;
pub use list::List;
pub use live::Live;
pub use man::Man;
pub use merge::Merge;
use migrate::Migrate;
pub use proxy::Proxy;
pub use replay::Replay;
pub use report::Report;
pub use scenario::Scenario;
pub use schema::PrintSchema;
pub use serve::Serve;
pub use shrink::Shrink;
pub use texts::Texts;
pub use triage::Triage;
pub use validity::Validity;
pub use verify::Verify;

use say::complain;

/// A deterministic crash-test bench for agent loops.
#[derive(Debug, Parser)]
#[command(name = "balk", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to colour what is shown. `auto` does on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
}

const EXIT_CODES: &str = "\
Exit codes: 0 fine, 1 unexpected error, 2 usage, 3 a file is bad, 4 an expectation or a gate does not hold,
5 a safety rule was broken, 6 guard fault, 7 not deterministic, 130 interrupted";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List scenarios and guards
    List(List),
    /// Run a scenario: one seed as a transcript, many as counts
    Scenario(Scenario),
    /// Write a new scenario file to start from
    Init(Init),
    /// Check scenario files, and show where they are wrong
    Check(Check),
    /// Rewrite scenario files of an older format
    Migrate(Migrate),
    /// Run everything twice and name the first entry that differs
    Verify(Verify),
    /// Show what guards would have done in recorded transcripts
    Replay(Replay),
    /// Read recorded runs of other agents, and write them in one form
    Import(Import),
    /// Show which runs in a pile of logs were stuck, worst first
    Triage(Triage),
    /// Judge places of recorded runs by hand, and show how far two readers agree
    Label(Label),
    /// Show how well the simulation predicts recordings and live runs
    Validity(Validity),
    /// Measure every stack on every scenario, paired seed by seed
    Bench(Bench),
    /// Measure which guard brings a real model back, on the worlds of the bench
    Live(Live),
    /// Play a scenario's stubborn model to any agent, behind the APIs of real providers
    Serve(Serve),
    /// Show what real agents do when their model balks
    Crash(Crash),
    /// Put guards between any agent and its provider
    Proxy(Proxy),
    /// Merge the parts of a bench into one record
    Merge(Merge),
    /// Report what a bench, or a crash test, showed
    Report(Report),
    /// Compare two records of a bench, or of crash tests
    Compare(Compare),
    /// Shrink a trial to the smallest one that still shows a problem
    Shrink(Shrink),
    /// Search drawn worlds for a stack's worst cases, and write them as small scenarios
    Hunt(Hunt),
    /// Show which rules the catalogue reaches, and which changes of guards it notices
    Audit(Audit),
    /// Explain whether a broken attempt may be sent again, or what an agent lacked
    Explain(Explain),
    /// Show how messages of real tools are read
    Texts(Texts),
    /// Print the JSON Schema of a document
    Schema(PrintSchema),
    /// Print a script that completes this command line in a shell
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// The command line, or what clap shows in its place. Help is wrapped to the width of the terminal; elsewhere its lines
/// stay as they are.
fn parsed() -> Result<Cli, clap::Error> {
    let mut command = Cli::command().term_width(screen::output().columns.unwrap_or(0));
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Shows help or the version, or what is wrong with the command line, which quotes it.
fn shown(instead: &clap::Error) -> Result<Exit, Error> {
    let text = instead.render();
    if instead.use_stderr() {
        // As in `say`, there is no other place to report that it cannot be written.
        let _ = write!(out::aside(), "{}", text.ansi());
        return Ok(Exit::Usage);
    }
    write!(out::people(), "{}", text.ansi())?;
    Ok(Exit::Fine)
}

/// The program with these guards: parses the command line, runs the command, and returns its exit code.
///
/// Completions and manual pages use the name of the binary. Name it `balk` if you can: reports print commands that
/// start with this name.
pub fn main_with(registry: Registry) -> ExitCode {
    let run = || {
        interrupt::survive_long_files();
        registry.check()?;
        threads::check_variable()?;
        let cli = match parsed() {
            Ok(cli) => cli,
            Err(instead) => return shown(&instead),
        };
        screen::set_colour(cli.color);
        cli.command.run(&Context { registry })
    };
    let exit = match run() {
        Ok(exit) => exit,
        // The reader of the output has gone away.
        Err(error) if error.reader_left => Exit::Fine,
        Err(error) => {
            complain(&error);
            error.exit
        }
    };
    exit.into()
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// The reason why the command could not do its work; the error has the exit code.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        match self {
            Self::List(it) => it.run(context),
            Self::Scenario(it) => it.run(context),
            Self::Init(it) => it.run(),
            Self::Check(it) => it.run(),
            Self::Migrate(it) => it.run(),
            Self::Verify(it) => it.run(context),
            Self::Replay(it) => it.run(context),
            Self::Import(it) => it.run(),
            Self::Triage(it) => it.run(context),
            Self::Label(it) => it.run(context),
            Self::Validity(it) => it.run(context),
            Self::Bench(it) => it.run(context),
            Self::Live(it) => it.run(context),
            Self::Serve(it) => it.run(),
            Self::Crash(it) => it.run(context),
            Self::Proxy(it) => it.run(context),
            Self::Merge(it) => it.run(),
            Self::Report(it) => it.run(context),
            Self::Compare(it) => it.run(),
            Self::Shrink(it) => it.run(context),
            Self::Hunt(it) => it.run(context),
            Self::Audit(it) => it.run(context),
            Self::Explain(it) => it.run(),
            Self::Texts(it) => it.run(),
            Self::Schema(it) => it.run(),
            Self::Completions(it) => it.run(Cli::command(), context),
            Self::Man(it) => it.run(Cli::command()),
        }
    }
}
