//! `balk proxy`: guards between any agent and its provider.

use std::path::PathBuf;

use balk_guards::wire::Dialect;
use clap::{Args, ValueEnum};

use super::context::Context;
use super::interrupt::Interrupt;
use super::listening::{Listening, log_folder};
use super::recordings::tool_table;
use super::say::say;
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::{DEFAULT, NONE, Recipe};
use crate::proxy::{Base, Collector, Guards, Proxy as Server, Proxying};

const AFTER_HELP: &str = "\
The first line on standard output is the base URL. Point the agent at it, in place of the provider's: with /v1 at the
end for OpenAI's APIs, as it is for Anthropic's and Gemini's. The agent's key goes to the provider as it came, and is
never written. URL/c/NAME names a conversation; without a name, one key is one conversation. URL/_balk shows what was
done, URL/_balk/metrics the same for Prometheus; if OTEL_EXPORTER_OTLP_ENDPOINT names a collector of OpenTelemetry, it
gets a span of each intervention. What no guard changes passes byte for byte; with --dry-run nothing is changed.
docs/proxy.md has the line for each agent.";

/// Arguments of `balk proxy`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Proxy {
    /// The base URL of the provider: `https://api.anthropic.com`, `http://localhost:11434/v1`
    #[arg(long, value_name = "URL")]
    upstream: String,

    /// Guards: none, default, or NAME[=VARIANT][{key=value,…}], separated by commas
    #[arg(long, value_name = "GUARDS", default_value = DEFAULT)]
    guard: String,

    /// Guard requests of this API alone; all others pass [default: all four]
    #[arg(long, value_enum, value_name = "API")]
    api: Option<Api>,

    /// What is known of the agent: a profile that comes with Balk (docs/agents.md), or the file of one. Guards then see
    /// what its tools said, without what it puts around that
    #[arg(long, value_name = "NAME|FILE")]
    agent: Option<String>,

    #[command(flatten)]
    listening: Listening,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A TOML table from tool names or patterns (`*`, `?`) to what a call can change. Without it, that is guessed from
    /// names and schemas
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// A folder that gets each conversation as a transcript for `balk replay`, and what guards did
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// Change nothing: guards only watch, and what they would have done is counted and logged
    #[arg(long)]
    dry_run: bool,
}

/// The formats of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Api {
    /// OpenAI chat completions
    Openai,
    /// OpenAI Responses
    Responses,
    /// Anthropic messages
    Anthropic,
    /// Gemini's generateContent
    Gemini,
}

impl Api {
    fn dialect(self) -> Dialect {
        match self {
            Self::Openai => Dialect::OpenAi,
            Self::Responses => Dialect::Responses,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
        }
    }
}

impl Proxy {
    /// Runs the command, until somebody interrupts it.
    ///
    /// # Errors
    /// An invalid command line, an address that is not free, an output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let upstream = Base::parse(&self.upstream).map_err(|why| {
            let expected = "the address of a provider, such as https://api.anthropic.com";
            // A password is in no message.
            let (_, address) = self.upstream.rsplit_once('@').unwrap_or(("", &self.upstream));
            Error::usage("--upstream", expected, format!("`{address}`: {why}"))
        })?;
        let config = context.config(self.config.as_deref())?;
        let recipe = Recipe::new(&context.registry, &self.guard, &config)?;
        let guards: Box<Guards> = Box::new(move || recipe.stack(&TruthChannel::default()));
        let profile = match self.agent.as_deref().map(super::serve::profile).transpose() {
            Ok(profile) => profile,
            Err(failure) => return failure.or_exit(),
        };
        let proxying = Proxying {
            address: self.listening.address(),
            token: self.listening.token()?,
            api: self.api.map(Api::dialect),
            profile,
            tools: tool_table(self.tools.as_deref())?,
            dry_run: self.dry_run,
            log: self.log.clone(),
            collector: collector(),
            guards: (self.guard != NONE).then_some(guards),
            ..Proxying::new(upstream)
        };
        let _lock = log_folder(self.log.as_deref())?;
        let interrupt = Interrupt::catch();
        let server = Server::start(proxying).map_err(|error| self.listening.failed(&error))?;
        let url = server.url();
        let does = match (&*self.guard, self.dry_run) {
            (NONE, _) => "no guard: everything passes".to_owned(),
            (set, true) => format!("`{set}` only watches"),
            (set, false) => format!("`{set}` is asked about every turn"),
        };
        let about = format!("{does}; Ctrl-C ends it; {url}/_balk shows what was done");
        let (mut unreached, mut is_told, mut is_unread) = (None, false, false);
        let mut looks = || {
            for fault in server.faults() {
                say(format_args!("warning: a guard broke, and a turn went on without it: {fault}"));
            }
            if !is_unread && let Some(why) = server.unread() {
                say(format_args!(
                    "warning: {why}; it passes unguarded, and {url}/_balk counts such requests"
                ));
                is_unread = true;
            }
            // Said once, until it is reached again.
            let now = server.unreached();
            if let Some(why) = now.as_ref().filter(|_| unreached.is_none()) {
                say(format_args!("warning: {why}; it is tried again, as the guards say"));
            }
            unreached = now;
            if !is_told && let Some(why) = server.unexported() {
                say(format_args!("warning: {why}; spans are lost, and {url}/_balk counts them"));
                is_told = true;
            }
        };
        let exit = self.listening.wait(&interrupt, (&url, &about), &mut looks, || server.unlogged());
        server.flush();
        looks();
        exit
    }
}

/// What the variables of OpenTelemetry name. One that cannot be used is no reason to leave an agent without guards.
#[expect(clippy::disallowed_methods, reason = "OpenTelemetry has its settings in the environment")]
fn collector() -> Option<Collector> {
    Collector::of(|name| std::env::var(name).ok()).unwrap_or_else(|why| {
        say(format_args!("warning: no spans are exported: {why}"));
        None
    })
}
