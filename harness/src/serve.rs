//! The stubborn models behind real APIs: a server that plays a scenario to any agent.
//!
//! The wire only translates: a request becomes news for the actor, and an act becomes calls of the agent's own tools.
//! A conversation is a tree: `path` finds the act that a request goes on from, `place` has the script as it is
//! there. Nothing here reads a clock, so the same requests get the same answers, byte for byte.
//!
//! ```no_run
//! use balk::serve::{Scripts, Serve, Server};
//!
//! let scenario = balk_scenarios::catalogue::find("abandonment").unwrap().read(&[]).unwrap();
//! let server = Server::start(Serve::new(Scripts { worlds: vec![scenario.into()], seed: 7, profile: None })).unwrap();
//! let base_url = format!("{}/v1", server.url());
//! // Point the agent at `base_url`, run it, and then:
//! let told = server.told(None).expect("the agent asked something");
//! assert!(told.verdict.identical_calls <= 3);
//! ```

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use balk_scenarios::World;
use tokio::runtime::Runtime;

use crate::files;
use crate::listen::{Door, Lines, url};

pub use crate::listen::Limits;
pub use conversations::{Sites, Told};
pub use record::{Called, History, Outcome, Step, Where};
pub use script::{Script, Scripts};
pub use site::{Came, Elsewhere, Results, Site};
pub use verdict::{Verdict, user_read};

use conversations::Conversations;

mod absolute;
mod body;
mod control;
mod conversation;
mod conversations;
mod http;
mod place;
mod record;
mod refused;
mod script;
mod send;
mod side;
mod site;
mod usage;
mod verdict;

/// What is served, and how.
pub struct Serve {
    /// What is played.
    pub scripts: Scripts,
    /// Where to listen; port 0 is any free one.
    pub address: SocketAddr,
    /// What every request must have as `/t/TOKEN` before its path, or in the header `x-balk-token`. Without it, anyone
    /// who can reach the address can use it.
    pub token: Option<Arc<str>>,
    /// Where the agents' tools work.
    pub sites: Box<Sites>,
    /// The most requests of a conversation. The next one is refused.
    pub max_requests: Option<u64>,
    /// What clients can make it read and keep.
    pub limits: Limits,
    /// The name of the only conversation, to which every request belongs. Else a request names its own. With a name, no
    /// client can ask about the script or reset it: it is played to an agent, which could cheat.
    pub only: Option<String>,
    /// A folder that gets the steps of each conversation as they come.
    pub log: Option<PathBuf>,
}

impl Serve {
    /// These scripts on any free port of this machine, for agents that work elsewhere.
    #[must_use]
    pub fn new(scripts: Scripts) -> Self {
        Self {
            scripts,
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            token: None,
            sites: Box::new(|| Box::<Elsewhere>::default()),
            max_requests: None,
            limits: Limits::default(),
            only: None,
            log: None,
        }
    }
}

/// A server that runs until it is dropped.
pub struct Server {
    conversations: Arc<Conversations>,
    url: String,
    /// Connections that are open end with it.
    _runtime: Runtime,
}

impl Server {
    /// Starts a server in the background.
    ///
    /// # Errors
    /// The address is not free, or the folder of the log cannot be created.
    pub fn start(serve: Serve) -> io::Result<Self> {
        let Serve { scripts, address, token, sites, max_requests, limits, only, log } = serve;
        if let Some(folder) = &log {
            files::make_folder(folder)?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let conversations =
            Arc::new(Conversations::new(scripts, sites, (max_requests, limits.kept), log, only));
        let lines = {
            let _inside = runtime.enter();
            Lines::listen(address)?
        };
        let address = lines.address()?;
        let (all, door) = (conversations.clone(), Door::new(token));
        let url = url(address) + &door.path();
        runtime.spawn(
            lines.answer(door, limits, move |shears, request| {
                http::handle(all.clone(), limits, shears, request)
            }),
        );
        Ok(Self { conversations, url, _runtime: runtime })
    }

    /// Where clients on this machine reach it, without a path but the one with the token.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// What happened in the conversation of this name or, without a name, in the only one. `None` if there is none.
    #[must_use]
    pub fn told(&self, conversation: Option<&str>) -> Option<Told> {
        self.conversations.told(conversation)
    }

    /// The world that is played in a conversation, with the tools of its agent.
    #[must_use]
    pub fn world(&self, conversation: Option<&str>) -> Option<Arc<World>> {
        self.conversations.with(conversation, |it| it.scene().map(|scene| scene.world.clone())).flatten()
    }

    /// What the scenario's user says if the agent ends its work now. `None` where they have nothing to say.
    #[must_use]
    pub fn user_replies(&self, conversation: Option<&str>) -> Option<Arc<str>> {
        self.conversations.with(conversation, conversation::Conversation::user_replies).flatten()
    }

    /// The agent of a conversation has ended: what was made ready for its calls is taken away, and the place where it
    /// worked says whether the task is done.
    ///
    /// # Errors
    /// That place cannot be looked at.
    pub fn ends(&self, conversation: Option<&str>) -> io::Result<()> {
        self.conversations.with(conversation, conversation::Conversation::leaves).unwrap_or(Ok(()))
    }

    /// The first file of the log that could not be written, and why. The steps in it are kept here all the same.
    #[must_use]
    pub fn unlogged(&self) -> Option<(PathBuf, String)> {
        self.conversations.unlogged()
    }

    /// Why the first request was refused that was. `None` if none was.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        self.conversations.refused()
    }

    /// How many requests were answered, in all conversations. Those that were refused are not.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.conversations.answered()
    }

    /// Set once a conversation has come to its bound.
    #[must_use]
    pub fn bound(&self) -> Arc<AtomicBool> {
        self.conversations.bound().clone()
    }
}
