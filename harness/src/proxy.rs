//! Guards between any agent and its provider, by one base URL.
//!
//! A request of an agent goes to the provider, and the answer comes back: the same dialect on both sides, nothing is
//! translated, and what no guard changes passes byte for byte. Between the two, a [`Run`](balk_guards::Run) drives the
//! guards as every loop of Balk does. What a guard wants becomes what the wire can say: a call that it repairs is in
//! the answer; a correction is another request that the agent never sees; a question or a stop is a message of the
//! assistant. Exchanges that the agent never saw are put back into its later requests, so the model's history is whole.
//!
//! ```no_run
//! use balk::proxy::{Base, Proxy, Proxying};
//! use balk_guards::Stack;
//!
//! let upstream = Base::parse("https://api.anthropic.com").unwrap();
//! let guards = || Stack::new(vec![Box::new(balk_guards::Duplicate::new(Default::default()))]);
//! let proxying = Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) };
//! let proxy = Proxy::start(proxying).unwrap();
//! // Point the agent at `proxy.url()`.
//! ```

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use balk_guards::wire::Dialect;
use balk_scenarios::agents::Profile;
use tokio::runtime::Runtime;

pub use crate::listen::Limits;
pub use collector::Collector;
pub use counts::{Conversation, Counted};
pub use places::Guards;
pub use turn::Bounds;
pub use upstream::Base;

use crate::import::ToolTable;
use crate::listen::{Door, Lines, url};
use counts::Counts;
use log::Log;
use offers::Offers;
use places::Places;
use shared::Shared;
use spans::Spans;
use upstream::Upstream;

mod attempt;
mod beginning;
mod collector;
mod counts;
mod delivery;
mod echo;
mod history;
mod http;
mod ids;
mod keys;
mod known;
mod log;
mod offers;
mod passing;
mod place;
mod places;
mod put;
mod reply;
mod rest;
mod route;
mod shared;
mod size;
mod spans;
mod state;
mod stream;
mod tee;
mod trail;
mod turn;
mod unfinished;
mod upstream;
mod watched;

/// A proxy, before it starts.
pub struct Proxying {
    /// Where requests go.
    pub upstream: Base,
    /// Makes the guards of a conversation; without any, everything passes as it comes.
    pub guards: Option<Box<Guards>>,
    /// The only dialect whose requests are guarded; without one, all are.
    pub api: Option<Dialect>,
    /// What is known of the agent: what it puts around results, and what it adds to the user's words.
    pub profile: Option<Arc<Profile>>,
    /// What the agent's tools can change. What it lacks is guessed from names and schemas.
    pub tools: ToolTable,
    /// Where to listen; port 0 is any free one.
    pub address: SocketAddr,
    /// What every request must have as `/t/TOKEN` before its path, or in the header `x-balk-token`; the provider does
    /// not get it. Without it, anyone who can reach the address can use it.
    pub token: Option<Arc<str>>,
    /// What clients can make it read and keep.
    pub limits: Limits,
    /// How long one request of an agent may take.
    pub bounds: Bounds,
    /// How long the provider may send nothing.
    pub timeout: Duration,
    /// Guards only watch.
    pub dry_run: bool,
    /// A folder that gets transcripts and interventions.
    pub log: Option<PathBuf>,
    /// What gets a span for each intervention.
    pub collector: Option<Collector>,
}

impl Proxying {
    /// A proxy without guards, on any free port of this machine.
    #[must_use]
    pub fn new(upstream: Base) -> Self {
        Self {
            upstream,
            guards: None,
            api: None,
            profile: None,
            tools: ToolTable::default(),
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            token: None,
            limits: Limits::default(),
            bounds: Bounds::default(),
            // The SDKs of OpenAI and Anthropic wait as long.
            timeout: Duration::from_secs(600),
            dry_run: false,
            log: None,
            collector: None,
        }
    }
}

/// A proxy that runs until it is dropped.
pub struct Proxy {
    shared: Arc<Shared>,
    url: String,
    /// Connections that are open end with it.
    _runtime: Runtime,
}

impl Proxy {
    /// Starts a proxy in the background.
    ///
    /// # Errors
    /// The address is not free, the folder of the log cannot be created, or the system's certificates cannot be read.
    pub fn start(proxying: Proxying) -> io::Result<Self> {
        let Proxying {
            upstream,
            guards,
            api,
            profile,
            tools,
            address,
            token,
            limits,
            bounds,
            timeout,
            dry_run,
            log,
            collector,
        } = proxying;
        let log = log.map(|folder| Log::new(&folder)).transpose()?;
        let first_branch = log.as_ref().map_or(0, Log::free_number);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let counts = Arc::<Counts>::default();
        let (upstream, lines, spans) = {
            let _inside = runtime.enter();
            let spans = collector.map(|it| Spans::new(it, counts.clone(), runtime.handle().clone()));
            (Upstream::new(upstream, timeout)?, Lines::listen(address)?, spans.transpose()?)
        };
        let address = lines.address()?;
        let (kept, most) = (Arc::<AtomicUsize>::default(), limits.kept);
        let shared = Arc::new(Shared {
            upstream,
            places: guards.map(|it| Places::new(it, dry_run, profile, (kept.clone(), most), first_branch)),
            api,
            dry_run,
            offers: Offers::new(tools, kept, most),
            bounds,
            limits,
            log,
            counts,
            spans,
            bodies: Arc::default(),
            faults: Mutex::default(),
            unread: Mutex::default(),
            told: Mutex::default(),
        });
        let (all, door) = (shared.clone(), Door::new(token).sending_on());
        let url = url(address) + &door.path();
        runtime.spawn(lines.answer(door, limits, move |_, request| http::handle(all.clone(), request)));
        Ok(Self { shared, url, _runtime: runtime })
    }

    /// Where clients on this machine reach it, without a path but the one with the token.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// What it has done.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.shared.counts.counted()
    }

    /// The first file of the log that could not be written, and why.
    #[must_use]
    pub fn unlogged(&self) -> Option<(PathBuf, String)> {
        self.shared.log.as_ref()?.unwritten()
    }

    /// Why the first of the spans that were lost did not reach the collector.
    #[must_use]
    pub fn unexported(&self) -> Option<String> {
        self.shared.spans.as_ref()?.unexported()
    }

    /// Sends the spans that wait, for two seconds at most. None are sent after that. A proxy that is dropped does this
    /// too.
    pub fn flush(&self) {
        if let Some(spans) = &self.shared.spans {
            spans.flush();
        }
    }

    /// What guards told users last, in order: questions, stops and notices.
    #[must_use]
    pub fn told(&self) -> Vec<Arc<str>> {
        self.shared.told()
    }

    /// Why the provider could not be reached the last time, if it could not.
    #[must_use]
    pub fn unreached(&self) -> Option<String> {
        self.shared.upstream.unreached().clone()
    }

    /// Why the first request could not be read that could not. Such requests pass, and no guard sees them.
    #[must_use]
    pub fn unread(&self) -> Option<String> {
        self.shared.unread()
    }

    /// The guards that broke since the last call, and how. Their agents went on without them.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.shared.faults()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.flush();
    }
}
