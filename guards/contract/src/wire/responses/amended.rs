//! A response without some of its calls, with others mended, or with a message behind its items.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::response::Response;
use crate::wire::amended::{Amendment, CallChange, Places, name};
use crate::wire::answering::Answering;
use crate::wire::content::json;
use crate::wire::event::Event;
use crate::wire::patch::{Json, Patch};
use crate::wire::stream::raw::Raw;

/// A response in one piece.
pub(in crate::wire) fn whole(text: &str, change: &Amendment, answering: &Answering) -> Option<String> {
    let response = Json::parse(text)?;
    let news = News::of(change, answering, response.member("output")?.elements().len() as u64);
    let mut patch = Patch::new(text);
    output(&mut patch, response, change, news.as_ref(), answering)?;
    Some(patch.end())
}

/// A response in events.
pub(in crate::wire) fn stream(
    events: &[Raw<'_>],
    change: &Amendment,
    answering: &Answering,
) -> Option<String> {
    let mut items = BTreeMap::new();
    for event in events.iter().filter_map(Raw::json).filter_map(Json::parse) {
        let at = event.member("output_index").and_then(Json::number);
        if let (Some(at), Some(item)) = (at, event.member("item")) {
            items.insert(at, is_call(item));
        }
    }
    // Some servers send the items in the last response alone.
    let items = if items.is_empty() { Places::default() } else { Places::of(items, change)? };
    let news = News::of(change, answering, items.end());
    let (told, text, number) = Default::default();
    let mut writer = Writer { items, change, answering, news, told, text, number };
    for event in events {
        writer.event(event)?;
    }
    Some(writer.text)
}

/// Changes the items of a response, if it has them all.
fn output<'a>(
    patch: &mut Patch<'a>,
    response: Json<'a>,
    change: &Amendment,
    news: Option<&News>,
    answering: &Answering,
) -> Option<()> {
    let Some(list) = response.member("output").filter(|it| it.is_list()) else { return Some(()) };
    let items = list.elements();
    // A stream begins with a response without items, and some servers end it with such a one.
    if items.is_empty() {
        return Some(());
    }
    let fates = change.fates(items.iter().map(|it| is_call(*it)))?;
    for (item, fate) in items.iter().zip(&fates) {
        mend(patch, *item, *fate, answering)?;
    }
    let is_gone = |at: usize| fates[at].is_some_and(CallChange::is_gone);
    patch.list(list, is_gone, news.map(|it| (items.len(), &*it.item)));
    Some(())
}

/// Gives a call that is mended its new name and its new arguments. It cannot become a call of another namespace.
fn mend<'a>(
    patch: &mut Patch<'a>,
    item: Json<'a>,
    change: Option<&CallChange>,
    answering: &Answering,
) -> Option<()> {
    let Some(call) = change.and_then(CallChange::call) else { return Some(()) };
    let text = |member: &str| item.member(member).and_then(Json::string);
    let name = name(call, &answering.names);
    let namespace = answering.names.called(&call.tool).and_then(|it| it.namespace.as_deref());
    if text("name").as_deref() != Some(name) && text("namespace").as_deref() != namespace {
        return None;
    }
    patch.set(item, "name", &json(&name));
    let member = if item.member("arguments").is_some() { "arguments" } else { "input" };
    patch.set(item, member, &json(&call.arguments));
    Some(())
}

fn is_call(item: Json<'_>) -> bool {
    let kind = item.member("type").and_then(Json::string);
    matches!(kind.as_deref(), Some("function_call" | "custom_tool_call"))
}

/// A message behind the items.
struct News {
    item: String,
    events: Vec<Event>,
}

impl News {
    /// The message, if there is a text, behind so many items of the provider.
    fn of(change: &Amendment, answering: &Answering, count: u64) -> Option<Self> {
        change.text()?;
        // Ids of items are made of the answer's, and are others than those of the provider's own.
        let id = format!("{}_{count}", answering.id).into();
        let answering = Answering { id, ..answering.clone() };
        let response = Response::of(&change.said(), &answering);
        let mut events = response.events(&answering);
        // Around the item are the events of the whole response.
        events.pop();
        events.drain(..2);
        Some(Self { item: json(response.output.iter().flatten().next()?), events })
    }
}

/// Events with a piece of a call's arguments.
const DELTAS: [&str; 2] = ["response.function_call_arguments.delta", "response.custom_tool_call_input.delta"];

struct Writer<'c> {
    items: Places<'c>,
    change: &'c Amendment,
    answering: &'c Answering,
    news: Option<News>,
    /// The mended calls whose arguments have been sent.
    told: BTreeSet<u64>,
    text: String,
    /// The number of the next event, once one has come or gone.
    number: Option<u64>,
}

impl Writer<'_> {
    fn event(&mut self, event: &Raw<'_>) -> Option<()> {
        let Some(data) = event.json() else {
            self.text.push_str(event.text);
            return Some(());
        };
        let said = Json::parse(data)?;
        let kind = said.member("type").and_then(Json::string).unwrap_or_default();
        let at = said.member("output_index").and_then(Json::number);
        let number = said.member("sequence_number");
        if at.is_some_and(|at| self.items.is_gone(at) || self.has_told(&kind, at)) {
            self.number = self.number.or(number.and_then(Json::number));
            return Some(());
        }
        let is_end = matches!(&*kind, "response.completed" | "response.incomplete");
        if is_end {
            self.says(number.and_then(Json::number))?;
        }
        let mut patch = Patch::new(data);
        if number.is_some()
            && let Some(next) = &mut self.number
        {
            patch.set(said, "sequence_number", &next.to_string());
            // A provider can say any number, also the last one.
            *next = next.saturating_add(1);
        }
        if let Some(at) = at {
            patch.set(said, "output_index", &self.items.moved(at).to_string());
            self.mends(&mut patch, said, &kind, at)?;
        }
        if let Some(response) = said.member("response") {
            let news = self.news.as_ref().filter(|_| is_end);
            output(&mut patch, response, self.change, news, self.answering)?;
        }
        self.text.push_str(&event.patched(data, patch));
        Some(())
    }

    /// Whether this is one more piece of the arguments of a mended call, which come in one piece.
    fn has_told(&mut self, kind: &str, at: u64) -> bool {
        DELTAS.contains(&kind)
            && self.items.change(at).and_then(CallChange::call).is_some()
            && !self.told.insert(at)
    }

    /// Writes the message behind the items, before an event with this number. Where items come in the last response
    /// alone, so does the message.
    fn says(&mut self, number: Option<u64>) -> Option<()> {
        let Some(news) = self.news.as_ref().filter(|_| self.items.end() > 0) else { return Some(()) };
        self.number = self.number.or(number);
        let at = self.items.moved(self.items.end());
        for event in &news.events {
            let mut patch = Patch::new(&event.data);
            let said = Json::parse(&event.data)?;
            patch.set(said, "output_index", &at.to_string());
            patch.set(said, "sequence_number", &self.number.unwrap_or_default().to_string());
            self.number = self.number.map(|it| it.saturating_add(1));
            write!(self.text, "{}", Event { name: event.name, data: patch.end() }).ok()?;
        }
        Some(())
    }

    /// Gives a call that is mended its new arguments, in each event that has all of them.
    fn mends<'a>(&self, patch: &mut Patch<'a>, said: Json<'a>, kind: &str, at: u64) -> Option<()> {
        let change = self.items.change(at);
        let Some(call) = change.and_then(CallChange::call) else { return Some(()) };
        let all = json(&call.arguments);
        match kind {
            "response.output_item.added" => {
                if let Some(item) = said.member("item") {
                    patch.set(item, "name", &json(&name(call, &self.answering.names)));
                }
            }
            "response.output_item.done" => {
                if let Some(item) = said.member("item") {
                    mend(patch, item, change, self.answering)?;
                }
            }
            "response.function_call_arguments.done" => {
                patch.set(said, "arguments", &all);
                if said.member("name").is_some() {
                    patch.set(said, "name", &json(&name(call, &self.answering.names)));
                }
            }
            _ if DELTAS.contains(&kind) => patch.set(said, "delta", &all),
            "response.custom_tool_call_input.done" => patch.set(said, "input", &all),
            _ => {}
        }
        Some(())
    }
}
