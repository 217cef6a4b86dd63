//! Where each conversation is: the places that its requests have come to, and the guards as they are there.
//!
//! A request's own history says where it is. The place with the longest beginning in common, in all that the request
//! shows, is gone on from: with the guards as its answer left them if nothing has gone on from there yet, else with
//! guards that fold the way to it anew. What no place knows is folded from its start, as it is shown. So a fork, a
//! resumed session, a summary, a sub-agent and another session with the same task each get guards that have seen their
//! own history, and none sees another's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balk_guards::wire::{Asked, Edit, Outline, Unreadable};
use balk_guards::{
    Completion, Entry, GuardFault, Intervention, Limits, Message, Protocol, Purpose, Run, Speaker, Stack,
    Start, Step, UserMessage,
};
use balk_scenarios::agents::Profile;

use super::beginning::{Beginning, Length, beginnings};
use super::history::{self, Reader, intervention};
use super::known::Known;
use super::offers::Offered;
use super::place::{Answer, Place, Waiting};
use super::put::{Put, edits};
use super::trail::Trail;
use super::watched::Watched;
use crate::listen::Held;
use crate::listen::path::{self, Item, Path};

/// Makes the guards of a conversation.
pub type Guards = dyn Fn() -> Stack + Send + Sync;

/// All places of a proxy.
pub(super) struct Places {
    guards: Box<Guards>,
    /// Whether they are only to watch.
    only_watch: bool,
    /// What is known of the agents.
    profile: Option<Arc<Profile>>,
    all: Mutex<Known>,
    /// About how many bytes all places take with their tools, and how many they may.
    kept: Arc<AtomicUsize>,
    most: usize,
    branches: AtomicUsize,
}

/// A request on its way.
pub(super) struct Going {
    pub(super) run: Run<Watched>,
    offered: Arc<Offered>,
    /// What the request lacks.
    pub(super) edits: Vec<Edit>,
    /// The request that it comes behind, if it follows an answer that its provider did not give.
    pub(super) behind: Option<Arc<str>>,
    /// Which way of the conversation it is on.
    pub(super) branch: usize,
    /// What the request has.
    pub(super) length: Length,
    /// What guards did about its results, or would have done.
    pub(super) fresh: Vec<Intervention>,
    /// What the user is to be told about its results.
    pub(super) notices: Vec<Arc<str>>,
    /// What the user was told last for the end of the run.
    pub(super) ending: Option<Arc<str>>,
    trail: Trail,
    beginning: Option<Beginning>,
    from: Option<Arc<Place>>,
    entries: Vec<Entry>,
    puts: Arc<[Put]>,
}

impl Places {
    pub(super) fn new(
        guards: Box<Guards>,
        only_watch: bool,
        profile: Option<Arc<Profile>>,
        (kept, most): (Arc<AtomicUsize>, usize),
        first_branch: usize,
    ) -> Self {
        let branches = AtomicUsize::new(first_branch);
        let all = Mutex::new(Known::new(kept.clone()));
        Self { guards, only_watch, profile, all, kept, most, branches }
    }

    /// Whether guards only watch.
    pub(super) fn only_watch(&self) -> bool {
        self.only_watch
    }

    /// Reads a request with these tools, and finds where it goes on in the conversation with this root.
    ///
    /// # Errors
    /// It is no request of its dialect; within, a guard broke.
    pub(super) fn go_on(
        &self,
        root: Path,
        outline: &Outline<'_>,
        offered: &Arc<Offered>,
    ) -> Result<(Asked, Result<Going, GuardFault>), Unreadable> {
        let beginnings = beginnings(root, outline);
        if let Some((asked, going)) = self.straight(outline, offered, &beginnings) {
            return Ok((asked, Ok(going)));
        }
        let asked = outline.asked(0, &offered.tools)?;
        let items = path::items(&asked.messages, self.profile.as_deref());
        let followed = asked.previous.as_ref().and_then(|id| locked(&self.all).answered(root, id));
        let (found, trail) = self.find(root, followed.as_ref(), &asked, &items);
        let beginning = beginnings.last().copied();
        let (before, followed) = (Length::default(), followed.as_ref());
        let request = Request { asked: &asked, offered, items: &items, trail, followed, beginning, before };
        let going = self.anywhere(&request, found);
        Ok((asked, going))
    }

    /// Where a request goes on that begins with that of a place, byte for byte, and has one turn behind it, as most
    /// have. What comes before need not be read again. None if that is not enough to know it: what the agent never saw
    /// has to be put there (after a question to its user, that is what the model said), or another place knows more.
    fn straight(
        &self,
        outline: &Outline<'_>,
        offered: &Arc<Offered>,
        beginnings: &[Beginning],
    ) -> Option<(Asked, Going)> {
        let (begun, known) = locked(&self.all).begun(beginnings)?;
        let asked = outline.asked(known, &offered.tools).ok()?;
        let echo = echo(&asked.messages)?;
        let stands_alone = is_one_turn(&asked.messages) && history::stands_alone(&asked.messages);
        if !stands_alone || asked.previous.is_some() {
            return None;
        }
        let place = locked(&self.all).shown(begun, echo)?;
        if !place.puts.is_empty() || !place.answer.puts.is_empty() {
            return None;
        }
        let items = path::items(&asked.messages, self.profile.as_deref());
        let trails = place.trail.to(&items);
        if locked(&self.all).last_of(&trails, &items).is_some() {
            return None;
        }
        let (run, own) = place.goes_on(&asked)?;
        let request = Request {
            asked: &asked,
            offered,
            items: &items,
            trail: *trails.last()?,
            followed: None,
            beginning: beginnings.last().copied(),
            before: place.length,
        };
        let known = place.length.items;
        let going = self.heard(&request, Way::Straight(run, own), place, known, Some(echo));
        Some((asked, going))
    }

    /// Where a request goes on that was read whole. `found` is the place that it goes on from, and how many of its
    /// items were known there.
    fn anywhere(
        &self,
        request: &Request<'_>,
        found: Option<(Arc<Place>, usize)>,
    ) -> Result<Going, GuardFault> {
        let Request { asked, items, .. } = *request;
        let reader = Reader { profile: self.profile.as_deref() };
        let Some((place, known)) = found else {
            let entries = reader.entries(&asked.messages);
            let run = self.resumed(asked, entries.clone())?;
            return Ok(self.going(request, Way::Forked(run), None, entries, []));
        };
        if known == items.len() && known > 0 {
            // The same request again.
            let run = self.resumed(asked, place.way_to())?;
            let way = if place.gives_way() { Way::Again(run, place.branch) } else { Way::Forked(run) };
            let (from, entries) = (place.from.clone(), place.entries.to_vec());
            return Ok(self.going(request, way, from, entries, place.puts.iter().cloned()));
        }
        let news = &asked.messages[since(items, known)..];
        // What the provider keeps need not be sent, nor is it echoed.
        let kept = asked.previous.is_some();
        let echo = if kept { Some(&place.answer.shown) } else { echo(news) };
        if !(is_one_turn(news) && history::is_shown(echo.map(|it| &**it), &place.answer.shown)) {
            let news = reader.entries(news);
            // An answer that the provider keeps was given; one that is not shown was not.
            let (mut way, from, mut entries, old) = if kept {
                (place.way_from(), Some(place), Vec::new(), Vec::new())
            } else {
                (place.way_to(), place.from.clone(), place.entries.to_vec(), place.puts.to_vec())
            };
            way.extend_from_slice(&news);
            entries.extend(news);
            let run = self.resumed(asked, way)?;
            return Ok(self.going(request, Way::Forked(run), from, entries, old));
        }
        let way = match place.goes_on(asked) {
            Some((run, own)) => Way::Straight(run, own),
            None => Way::Forked(self.resumed(asked, place.way_from())?),
        };
        let echo = echo.cloned();
        Ok(self.heard(request, way, place, known, echo.as_ref()))
    }

    /// The run hears what came after the answer of a place, at which so many items were `known`. The agent shows that
    /// answer as `echo`.
    fn heard(
        &self,
        request: &Request<'_>,
        mut way: Way,
        place: Arc<Place>,
        known: usize,
        echo: Option<&Arc<Completion>>,
    ) -> Going {
        let Request { asked, items, before, .. } = *request;
        let reader = Reader { profile: self.profile.as_deref() };
        let run = way.run();
        run.take_news();
        let shown = &place.answer.shown;
        let new = known - before.items;
        hears(run, reader, &asked.messages, since(items, new), (shown, echo.map(|it| &**it)));
        let entries = run.take_news();
        let answered = items[new..].iter().rposition(Item::is_result).map_or(known, |at| known + at + 1);
        let kept = asked.previous.is_some();
        let (old, own): (&[Put], &[Put]) = if kept { (&[], &[]) } else { (&place.puts, &place.answer.puts) };
        let is_said = |it: &Entry| matches!(it, Entry::Answer(_) | Entry::User(_));
        let (with, then) = entries.split_at(entries.iter().position(is_said).unwrap_or(entries.len()));
        let length = before.items + items.len();
        let partly = place.answer.puts.iter().find_map(Put::answered);
        let told = [Put::of_guards(answered, with, partly), Put::of_guards(length, then, None)];
        let puts: Vec<Put> = old.iter().chain(own).cloned().chain(told.into_iter().flatten()).collect();
        let fresh = entries.iter().filter_map(intervention).chain(run.guard().would_have()).collect();
        let notices = entries.iter().filter_map(|it| it.notice().cloned()).collect();
        Going { fresh, notices, ..self.going(request, way, Some(place), entries, puts) }
    }

    /// The place with the longest beginning in common, with the number of its items, and the way of the request, which
    /// may follow an answer of a place by its id.
    fn find(
        &self,
        root: Path,
        followed: Option<&Arc<Place>>,
        asked: &Asked,
        items: &[Item],
    ) -> (Option<(Arc<Place>, usize)>, Trail) {
        let known = locked(&self.all);
        let behind = |it: &Arc<Place>| it.trail.after(&it.answer.shown);
        let start = followed.map_or_else(|| Trail::of(root), behind);
        let start = asked.previous.as_ref().map_or(start, |id| start.follows(id));
        let trails = start.to(items);
        let trail = trails.last().copied().unwrap_or(start);
        let found = known.last_of(&trails, items).or_else(|| followed.cloned().map(|it| (it, 0)));
        (found, trail)
    }

    fn going(
        &self,
        request: &Request<'_>,
        way: Way,
        from: Option<Arc<Place>>,
        mut entries: Vec<Entry>,
        puts: impl IntoIterator<Item = Put>,
    ) -> Going {
        let Request { asked, offered, items, trail, followed, beginning, before } = *request;
        let puts: Arc<[Put]> = puts.into_iter().collect();
        // No request shows again what its provider keeps.
        let shown = if asked.previous.is_some() { &[] } else { &asked.messages[..] };
        let mut edits = edits(&puts, before, items, shown);
        let length =
            Length { items: before.items + items.len(), messages: before.messages + asked.messages.len() };
        // Else what follows may belong to the last message, or what comes before is not shown.
        let is_whole =
            || asked.previous.is_none() && items.last().is_some_and(|it| it.at + 1 == asked.messages.len());
        let beginning = beginning.filter(|_| is_whole());
        let named = followed.map(|it| &it.answer.named);
        if let Some(named) = named.filter(|it| !it.lacks.is_empty()) {
            edits.insert(0, Edit::Put { before: 0, messages: named.lacks.clone() });
        }
        let behind = named.and_then(|it| it.behind.clone());
        let next = || self.branches.fetch_add(1, Ordering::Relaxed);
        let (mut run, offered, branch) = match way {
            Way::Again(run, branch) => (run, offered.clone(), branch),
            Way::Straight(run, own) => (run, own, from.as_ref().map_or_else(next, |it| it.branch)),
            Way::Forked(run) => (run, offered.clone(), next()),
        };
        // The agent asks its model again after a message without a call, and only it knows why.
        if run.step() == Step::Reply {
            run.said(UserMessage { from: Speaker::Loop, text: "".into() });
            entries.extend(run.take_news());
        }
        let ending = from.as_ref().and_then(|it| it.ending.clone());
        Going {
            run,
            offered,
            ending,
            edits,
            behind,
            branch,
            length,
            fresh: Vec::new(),
            notices: Vec::new(),
            trail,
            beginning,
            from,
            entries,
            puts,
        }
    }

    /// A run that has folded these entries.
    fn resumed(&self, asked: &Asked, entries: Vec<Entry>) -> Result<Run<Watched>, GuardFault> {
        self.folded(asked, entries, self.only_watch)
    }

    /// The run of a request that has this answer, whatever its guards say about it.
    ///
    /// # Errors
    /// A guard broke.
    pub(super) fn passing(
        &self,
        asked: &Asked,
        going: &Going,
        answer: &[Entry],
    ) -> Result<Run<Watched>, GuardFault> {
        let mut way = going.from.as_ref().map_or_else(Vec::new, |it| it.way_from());
        way.extend(going.entries.iter().chain(answer).cloned());
        let run = self.folded(asked, way, true)?;
        run.guard().only_watch(self.only_watch);
        Ok(run)
    }

    fn folded(
        &self,
        asked: &Asked,
        entries: Vec<Entry>,
        only_watch: bool,
    ) -> Result<Run<Watched>, GuardFault> {
        // An agent with a tool that ends its task is one that only this tool ends.
        let finishes = asked.offer.tools().iter().any(|it| it.purpose == Purpose::Finish);
        let protocol = if finishes { Protocol::Tool } else { Protocol::Text };
        let start = Start { model: asked.model.clone(), protocol, offer: asked.offer.clone() };
        let transcript = std::iter::once(Entry::Start(start)).chain(entries).collect();
        let mut run = Run::resume(Watched::new((self.guards)(), only_watch), transcript, Limits::NONE)?;
        // The places have it.
        run.take_news();
        // It was asked about the last answer before.
        run.guard().would_have();
        Ok(run)
    }

    /// Keeps where a request came to, and what it was answered with. Where all places together take too much, the
    /// oldest ones are forgotten: a history that no place knows is folded from its start.
    pub(super) fn keeps(&self, going: Going, answer: Answer) {
        let Going { branch, trail, beginning, length, from, entries, puts, run, offered, ending, .. } = going;
        let entries = entries.into();
        let held = || Held::new(&self.kept, self.most);
        let run = Mutex::new(Some(Box::new(Waiting { run, offered, held: held() })));
        let held = held();
        let place =
            Place { trail, beginning, length, from, entries, puts, answer, ending, run, branch, held };
        place.counts();
        locked(&self.all).keeps(place, self.most);
    }
}

/// A request, and where it is.
#[derive(Clone, Copy)]
struct Request<'a> {
    asked: &'a Asked,
    offered: &'a Arc<Offered>,
    /// The items of what was read.
    items: &'a [Item],
    trail: Trail,
    /// The place whose answer it follows by its id.
    followed: Option<&'a Arc<Place>>,
    /// How it begins, up to its end.
    beginning: Option<Beginning>,
    /// What was not read.
    before: Length,
}

/// The index of the first message behind so many items.
fn since(items: &[Item], known: usize) -> usize {
    known.checked_sub(1).map_or(0, |last| items[last].at + 1)
}

/// The answer that an agent shows first of all that is new.
fn echo(news: &[Message]) -> Option<&Arc<Completion>> {
    match news.first() {
        Some(Message::Assistant(it)) => Some(it),
        Some(Message::User(_) | Message::Result { .. }) | None => None,
    }
}

/// Whether the model has spoken once at most, and first.
fn is_one_turn(news: &[Message]) -> bool {
    !news.iter().skip(1).any(|it| matches!(it, Message::Assistant(_)))
}

/// How a run came to a place.
enum Way {
    /// It is the run that was there last, and has these tools.
    Straight(Run<Watched>, Arc<Offered>),
    /// The same request came again, and nothing has gone on from its answer.
    Again(Run<Watched>, usize),
    /// It folded the way anew.
    Forked(Run<Watched>),
}

impl Way {
    fn run(&mut self) -> &mut Run<Watched> {
        match self {
            Self::Straight(run, _) | Self::Again(run, _) | Self::Forked(run) => run,
        }
    }
}

/// The run hears what an agent says after an answer, which it shows as `echo`: the messages from `since` on.
fn hears(
    run: &mut Run<Watched>,
    reader: Reader<'_>,
    messages: &[Message],
    since: usize,
    (answer, echo): (&Completion, Option<&Completion>),
) {
    let (before, news) = messages.split_at(since);
    if let Step::Tools { calls, .. } = run.step() {
        run.executed(reader.results(&calls, answer, echo, news));
    }
    for message in news {
        let Message::User(text) = message else { continue };
        match run.step() {
            Step::Model { .. } | Step::Reply => {
                if let Some(said) = reader.said(text, answer.calls.is_empty()) {
                    run.said(said);
                }
            }
            // Some agents answer every message without a call by themselves, with the same words. Words that come for
            // the third time are taken for that, and the question is asked again.
            Step::User(_) if before.iter().filter(|it| *it == message).count() > 1 => {}
            Step::User(question) => {
                if let Some(answer) = question.answered_by(text) {
                    run.answered(answer);
                }
            }
            Step::Tools { .. } | Step::Wait(_) | Step::Ended(_) => {}
        }
    }
}

/// A panic elsewhere leaves all places as they were.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
