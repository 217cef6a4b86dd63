//! Where a request goes on: the act that it follows, of all that there are.

use balk_guards::Completion;

use super::super::record::{History, Step};
use super::Conversation;
use super::found::{Found, Goes, marks};
use crate::listen::path::{Item, Path};

impl Conversation {
    /// Where these items go on: after the last place on their way at which the script acted. A turn of the model that
    /// is of a later act leads on from there: the agent has left out what was before it, or begins with other words.
    /// What is new must follow the last turn, unless the agent put turns of its own after the last act.
    pub(super) fn find(&mut self, start: Option<usize>, items: &[Item]) -> Found {
        let mut path = start.map_or(Path::default(), |act| self.acts[act].path);
        let mut found = start.map(|act| (act, 0));
        let mut is_moved = false;
        for (at, item) in items.iter().enumerate() {
            let base = found.map(|(act, _)| act);
            if let Some(act) = item.after.as_ref().and_then(|it| self.shown(it, path, base)) {
                // Another beginning is known from now on.
                self.at.entry(path).or_insert(act);
                (found, path, is_moved) = (Some((act, at)), self.acts[act].path, true);
            }
            path = path.then(&item.said);
            if let Some(&act) = self.at.get(&path) {
                path = self.acts[act].path;
                found = Some((self.at[&path], at + 1));
            }
        }
        let Some(last) = self.acts.len().checked_sub(1) else {
            return Found { goes: Goes::Start, history: None, path };
        };
        let known = found.map_or(0, |(_, known)| known);
        let turns = items[known..].iter().rposition(|it| it.after.is_some());
        let actor = &self.acts[last].scene.actor;
        let is_last = |act: usize| self.acts[act].path == self.acts[last].path;
        let is_rewritten = match found {
            Some((act, _)) => (is_moved || !is_last(act)) && turns.is_some_and(|at| at > 0),
            None => turns.is_some() || items.iter().any(|it| actor.is_summary(it.text())),
        };
        let (goes, history) = match found {
            _ if is_rewritten => (Goes::After(last, known + turns.unwrap_or(0)), Some(History::Rewritten)),
            Some((act, known)) if !is_last(act) => (Goes::After(act, known), Some(History::Forked)),
            Some((act, known)) => (Goes::After(act, known), is_moved.then_some(History::Rewritten)),
            None if self.is_task_again(items) => {
                self.at.insert(path, last);
                (Goes::After(last, items.len()), Some(History::Rewritten))
            }
            None => (Goes::Start, Some(History::Restarted)),
        };
        Found { goes, history, path }
    }

    /// The act that a turn is of, where that is a later one than the one at this place.
    fn shown(&self, theirs: &Completion, path: Path, base: Option<usize>) -> Option<usize> {
        for mark in marks(theirs).into_iter().flatten() {
            if self.turns.contains_key(&path.and(mark)) {
                return None;
            }
            if let Some(&act) = self.turns.get(&mark)
                && base.is_none_or(|it| it < act)
            {
                return Some(self.at[&self.acts[act].path]);
            }
        }
        None
    }

    /// A turn with these marks is of this act.
    pub(super) fn knows(&mut self, act: usize, marks: [Option<Path>; 2]) {
        let path = self.acts[act].path;
        for mark in marks.into_iter().flatten() {
            self.turns.insert(path.and(mark), act);
            self.turns.insert(mark, act);
        }
    }

    /// Whether this is the task once more, in other words around it, before anything else came.
    fn is_task_again(&self, items: &[Item]) -> bool {
        let Some(last) = self.acts.last().filter(|it| it.from.is_none()) else { return false };
        let is_task = |text: &str| text.contains(&**last.scene.world.opening());
        let opened = self.steps.iter().rev().find_map(|it| match it {
            Step::Opened { texts } => Some(texts),
            Step::Act { .. }
            | Step::Result { .. }
            | Step::User { .. }
            | Step::Intervention { .. }
            | Step::Side { .. }
            | Step::System { .. }
            | Step::History { .. } => None,
        });
        items.iter().any(|it| is_task(it.text())) && opened.is_some_and(|it| it.iter().any(|it| is_task(it)))
    }
}
