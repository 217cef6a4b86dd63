//! The folder of a run, as the server's place for tools.

use std::io;

use balk_guards::ToolCall;
use balk_scenarios::Environment;

use super::site::{Armed, Came, Site};
use crate::serve;

/// The folder in which an agent works.
#[derive(Debug)]
pub(super) struct Real {
    site: Site,
    armed: Option<Armed>,
    root: String,
}

impl Real {
    pub(super) fn new(site: Site, root: String) -> Self {
        Self { site, armed: None, root }
    }
}

impl serve::Site for Real {
    fn arm(&mut self, before: &Environment, calls: &[ToolCall]) -> io::Result<()> {
        if let Some(armed) = self.armed.take() {
            // The agent asked again and never answered: what may have run is found when it looks.
            self.site.came_of(armed, &[])?;
        }
        self.armed = Some(self.site.arm(before, calls)?);
        Ok(())
    }

    fn came_of(&mut self, results: &[Option<&str>]) -> io::Result<Option<serve::Results>> {
        let Some(armed) = self.armed.take() else { return Ok(None) };
        let answers: Vec<_> = armed.answers().cloned().collect();
        let outcome = self.site.came_of(armed, results)?;
        let came = outcome.came.iter().map(|it| match it {
            Came::AsSaid => serve::Came::AsSaid,
            Came::Otherwise(_) => serve::Came::Otherwise,
            Came::NotRun => serve::Came::NotRun,
            Came::NotKnown(_) => serve::Came::NotKnown,
        });
        Ok(Some(serve::Results {
            calls: answers.into_iter().zip(came).collect(),
            environment: outcome.environment,
        }))
    }

    fn root(&self) -> Option<&str> {
        Some(&self.root)
    }

    fn look(&self, environment: &mut Environment) {
        self.site.look(environment);
    }
}
