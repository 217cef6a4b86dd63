//! What both actors share: everything but the actor.

use crate::scenario::{NewsSpec, Phrase, ReplySpec, Rule, Scenario, WriteSpec};

use super::super::behaviour::PROFILES;
use super::super::convert::PROTOCOLS;
use super::super::phrases::ANY;
use super::super::roles::role_name;
use super::super::world::CHOICES;
use super::sheet::Sheet;
use super::values::{bound, conditions, phrase, quoted, ratio, table, text, texts, word};
use crate::scenario::Bound;

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    sheet.line("name", quoted(&scenario.name));
    sheet.optional("world", (scenario.world != scenario.name).then(|| quoted(&scenario.world)));
    sheet.line("protocol", word(PROTOCOLS, &scenario.protocol));
    sheet.optional("prompt", scenario.prompt.map(|it| phrase(scenario, it)));
    limits(sheet);
    tools(sheet);
    drawn(sheet);
    let languages = scenario.phrases.iter().any(|it| !is_same(it));
    scenario.phrases.iter().for_each(|it| spoken(sheet, it, languages));
    environment(sheet);
    sheet.table("[goal]");
    sheet.list("all", conditions(scenario, &scenario.goal));
    sheet.optional("unreachable", scenario.unreachable.as_deref().map(quoted));
    if let Some(it) = &scenario.compaction {
        sheet.table("[compaction]");
        sheet.optional("turns", it.turns.map(|it| bound(scenario, it)));
        sheet.optional("tokens", it.tokens.map(|it| bound(scenario, it)));
        sheet.optional("says", it.says.map(|it| phrase(scenario, it)));
    }
    user(sheet);
    sheet.table("[response]");
    sheet.line("profile", word(PROFILES, &scenario.response.profile));
    sheet.line("stubbornness", ratio(scenario.response.stubbornness));
}

fn limits(sheet: &mut Sheet<'_>) {
    let limits = sheet.scenario.limits;
    sheet.table("[limits]");
    for (key, limit) in [
        ("turns", limits.turns),
        ("attempts", limits.attempts),
        ("calls", limits.calls),
        ("interventions", limits.interventions),
        ("questions", limits.questions),
    ] {
        sheet.line(key, limit.to_string());
    }
}

fn tools(sheet: &mut Sheet<'_>) {
    let Scenario { roles, provider, distractors, toolsets, .. } = sheet.scenario;
    let names = |roles: &[_]| roles.iter().map(|it| quoted(role_name(*it))).collect();
    sheet.table("[tools]");
    sheet.list("roles", names(roles));
    sheet.list("provider", names(provider));
    sheet.optional("distractors", (*distractors > 0).then(|| distractors.to_string()));
    if let [only] = &toolsets[..] {
        sheet.line("agent", quoted(&only.name));
    }
}

/// The numbers and the pools.
fn drawn(sheet: &mut Sheet<'_>) {
    let Scenario { numbers, pools, .. } = sheet.scenario;
    if !numbers.is_empty() {
        sheet.table("[numbers]");
    }
    for it in numbers {
        sheet.line(&it.name, table([("from", it.from.to_string()), ("to", it.to.to_string())]));
    }
    for pool in pools {
        for item in &pool.items {
            sheet.table(&format!("[[pool.{}]]", pool.name));
            for (field, value) in pool.fields.iter().zip(&item.values) {
                sheet.line(field, quoted(value));
            }
            sheet.mark("reserve", item.reserve);
        }
    }
}

/// Whether a phrase is the same in all languages.
fn is_same(phrase: &Phrase) -> bool {
    phrase.variants.windows(2).all(|it| it[0] == it[1])
}

/// A phrase; whether some phrase differs from language to language.
fn spoken(sheet: &mut Sheet<'_>, phrase: &Phrase, languages: bool) {
    let scenario = sheet.scenario;
    sheet.table(&format!("[phrases.{}]", phrase.name));
    sheet.mark("pinned", phrase.pinned);
    if languages && is_same(phrase) {
        sheet.list(ANY, texts(scenario, &phrase.variants[0]));
        return;
    }
    for (language, variants) in scenario.languages.iter().zip(&phrase.variants) {
        sheet.list(language, texts(scenario, variants));
    }
}

fn environment(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let it = &scenario.environment;
    sheet.table("[environment]");
    sheet.list("facts", texts(scenario, &it.facts));
    sheet.optional("before", it.before.map(|it| phrase(scenario, it)));
    sheet.optional("after", it.after.map(|it| phrase(scenario, it)));
    if !it.files.is_empty() {
        sheet.table("[environment.files]");
    }
    for (path, content) in &it.files {
        sheet.line(&text(scenario, path), text(scenario, content));
    }
    it.rules.iter().for_each(|it| rule(sheet, it));
    it.notifications.iter().for_each(|it| news(sheet, "[[environment.notification]]", it));
}

fn rule(sheet: &mut Sheet<'_>, rule: &Rule) {
    let scenario = sheet.scenario;
    sheet.table("[[environment.rule]]");
    sheet.line("tool", quoted(role_name(rule.role)));
    sheet.list("when", conditions(scenario, &rule.when));
    sheet.optional("times", rule.times.map(|it| bound(scenario, it)));
    sheet.mark("fails", rule.fails && !rule.fatal);
    sheet.mark("fatal", rule.fatal);
    sheet.optional("does", (!rule.does).then(|| false.to_string()));
    sheet.optional("takes", rule.takes.map(|it| bound(scenario, it)));
    sheet.optional("says", rule.says.map(|it| phrase(scenario, it)));
    sheet.list("sets", texts(scenario, &rule.sets));
    sheet.list("clears", texts(scenario, &rule.clears));
    sheet.list("writes", rule.writes.iter().map(|it| written(scenario, it)).collect());
    sheet.list("deletes", texts(scenario, &rule.deletes));
}

fn written(scenario: &Scenario, it: &WriteSpec) -> String {
    let key = if it.appends { "append" } else { "content" };
    table([("path", text(scenario, &it.path)), (key, text(scenario, &it.text))])
}

/// A message between turns.
fn news(sheet: &mut Sheet<'_>, header: &str, news: &NewsSpec) {
    let scenario = sheet.scenario;
    let unless_once = |it| (it != Bound::Fixed(1)).then(|| bound(scenario, it));
    sheet.table(header);
    sheet.list("when", conditions(scenario, &news.when));
    sheet.optional("turns", unless_once(news.turns));
    sheet.optional("times", unless_once(news.times));
    sheet.line("says", phrase(scenario, news.says));
    sheet.list("sets", texts(scenario, &news.sets));
    sheet.list("clears", texts(scenario, &news.clears));
}

fn user(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let user = &scenario.user;
    sheet.table("[user]");
    sheet.line("opening", phrase(scenario, user.opening));
    sheet.list("replies", user.replies.iter().map(|it| phrase(scenario, *it)).collect());
    sheet.optional("stays_for", (user.stays_for > 0).then(|| user.stays_for.to_string()));
    user.rules.iter().for_each(|it| reply(sheet, it));
    user.interrupts.iter().for_each(|it| news(sheet, "[[user.interrupt]]", it));
    for it in &user.answers {
        sheet.table("[[user.answer]]");
        sheet.line("choice", word(CHOICES, &it.choice));
        sheet.line("says", phrase(scenario, it.says));
        sheet.list("sets", texts(scenario, &it.sets));
    }
}

fn reply(sheet: &mut Sheet<'_>, reply: &ReplySpec) {
    let scenario = sheet.scenario;
    sheet.table("[[user.reply]]");
    sheet.list("when", conditions(scenario, &reply.when));
    sheet.optional("times", reply.times.map(|it| bound(scenario, it)));
    sheet.optional("says", reply.says.map(|it| phrase(scenario, it)));
    sheet.mark("leaves", reply.says.is_none());
    sheet.list("sets", texts(scenario, &reply.sets));
    sheet.list("clears", texts(scenario, &reply.clears));
}
