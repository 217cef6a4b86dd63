//! How a real model did: the parts of a report that only a live record has.

use super::number::{counted, grouped, names, or_dash, percent_of, share};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{
    Block, Document, Table, Text, code, emphasis, folded, joined, paragraph, strong,
};
use crate::report::reactions::reactions;
use crate::report::tables::{LiveEffect, LiveJudgements, LiveRow, LiveTable, LiveWorld};
use crate::statistics::Share;

/// The summary.
pub(super) fn short(live: &LiveTable) -> Vec<Text> {
    let mut points = Vec::new();
    if let Some(it) = live.rows.first().filter(|it| it.counts.trials > 0) {
        let trials = counted(it.done.of, "trial");
        points
            .push(strong("Goal reached without a guard") + format!(": {} % of {trials}", it.done.percent()));
    }
    let mut list = |what: &str, has: &dyn Fn(&LiveRow) -> bool| {
        let found: Vec<&str> = live.rows.iter().skip(1).filter(|it| has(it)).map(|it| &*it.stack).collect();
        if !found.is_empty() {
            points.push(strong(what) + ": " + names(found));
        }
    };
    for (effect, what) in [
        (LiveEffect::Helps, "Significantly more goals reached than without a guard"),
        (LiveEffect::Harms, "Significantly fewer goals reached than without a guard"),
        (LiveEffect::NothingShown, "No significant difference from no guard"),
        (LiveEffect::NeverSteppedIn, "Never stepped in"),
    ] {
        list(what, &|it| it.effect == Some(effect));
    }
    list("Lost more goals than it saved", &|it| {
        it.against.as_ref().is_some_and(|it| it.difference.lost > it.difference.saved)
    });
    list("Disturbed runs that got on", &|it| it.counts.false_interventions > 0);
    list("Repeated an effect that should happen once", &|it| it.counts.doubled > 0);
    list("Had a guard that broke", &|it| it.counts.guard_faults > 0);
    points
}

/// One row per stack, in two tables: how its trials ended, and what the stack did and took.
pub(super) fn stacks(live: &LiveTable) -> Document {
    [ends(live).or("No stack."), steps(live).or("No stack.")].into()
}

/// Everything that only a live record has.
pub(super) fn live(live: &LiveTable) -> Document {
    if live.asked.messages {
        return messages(live);
    }
    let mut document = Document::from([paragraph(asked(live)), paragraph(tokens(live))]);
    document.blocks.extend(stacks(live).blocks);
    document.push(paragraph(caption(live)));
    document.push(Block::List(terms()));
    if let Some(judged) = &live.judged {
        document.blocks.extend(judgements(judged).blocks);
    }
    if let Some(record) = &live.reactions {
        document.push(folded("What the model does after each message", reactions(record)));
    }
    let stacks: Vec<&str> = live.rows.iter().map(|it| &*it.stack).collect();
    let about = "Intervals of a written world treat trials as independent, those of drawn worlds groups of skeletons. \
                 Each speaks of its row alone.";
    for (heading, is_unreachable, of) in [
        ("By world: goal reached, %", false, (|it| &it.done) as fn(&LiveWorld) -> &[Share]),
        ("By world: user told where the goal cannot be reached, %", true, |it| &it.told),
    ] {
        let worlds = live.worlds.iter().filter(|it| it.unreachable.is_some() == is_unreachable);
        let table = by_world(&stacks, worlds, of);
        if !table.is_empty() {
            let mut inside = Document::from(table);
            inside.push(paragraph(about));
            document.push(folded(heading, inside));
        }
    }
    let rules = by_rule(live);
    if !rules.is_empty() {
        document.push(folded("By guard and rule", rules));
    }
    document
}

/// What the model does after messages that came to scripted ones.
fn messages(live: &LiveTable) -> Document {
    let mut document = Document::from([paragraph(asked(live))]);
    match &live.reactions {
        Some(record) => document.blocks.extend(reactions(record).blocks),
        None => document.push(paragraph("No message was tried to the end yet.")),
    }
    document
}

/// How the model was asked.
fn asked(live: &LiveTable) -> Text {
    let it = &live.asked;
    let mut text = Text::from("A real model took the actor's place: ")
        + code(&it.model)
        + ", with requests in the format "
        + code(&it.api);
    if !it.sampling.is_empty() {
        let settings = it.sampling.iter().map(|it| code(format!("{}={}", it.name, it.value)));
        text = text + " and the settings " + joined(settings);
    }
    text + "."
}

/// What the shared prefixes saved.
fn tokens(live: &LiveTable) -> String {
    let it = &live.tokens;
    format!(
        "Up to its first intervention, a stack shares every completion with the first row. All stacks together took {} \
         tokens. Shared prefixes saved {}: {} of the {} that it takes to play every stack from the start. These are \
         counts of this record, so they have no interval.",
        grouped(it.taken),
        grouped(it.saved),
        percent_of(it.saved, it.taken + it.saved),
        grouped(it.taken + it.saved),
    )
}

/// How the trials of each stack ended, and the comparison with the baseline.
fn ends(live: &LiveTable) -> Table {
    let has_unreachable = live.unreachable() > 0;
    let mut columns = vec![
        "stack",
        "against no guard",
        "trials",
        "goal reached, %",
        "saved",
        "lost",
        "saved minus lost, points",
        "corrected p",
        "told, %",
        "left untold, %",
        "at a bound",
    ];
    if has_unreachable {
        columns.push("told where the goal cannot be reached, %");
    }
    let mut table = Table::of_numbers(columns);
    for row in &live.rows {
        let against = row.against.as_ref();
        let mut cells = vec![
            code(&row.stack),
            row.effect.map_or("–", effect).into(),
            grouped(row.counts.trials).into(),
            share(&row.done).into(),
            or_dash(against.map(|it| grouped(it.difference.saved))).into(),
            or_dash(against.map(|it| grouped(it.difference.lost))).into(),
            or_dash(against.map(|it| it.difference)).into(),
            or_dash(against.map(|it| it.p_corrected)).into(),
            row.told.percent().into(),
            row.not_told.percent().into(),
            grouped(row.live.bound).into(),
        ];
        if has_unreachable {
            cells.push(share(&row.told_unreachable).into());
        }
        table.row(cells);
    }
    table
}

const fn effect(it: LiveEffect) -> &'static str {
    match it {
        LiveEffect::NeverSteppedIn => "never stepped in",
        LiveEffect::Helps => "helps",
        LiveEffect::Harms => "harms",
        LiveEffect::NothingShown => "no difference shown",
    }
}

/// What each stack did, and what its trials took from the model.
fn steps(live: &LiveTable) -> Table {
    let mut table = Table::of_numbers([
        "stack",
        "missed, % of stuck trials",
        "interventions",
        "disturbing",
        "in doubt",
        "tokens taken",
        "tokens not taken again",
        "unknown commands",
        "overflows",
    ]);
    for row in &live.rows {
        let (counts, live) = (&row.counts, &row.live);
        let numbers = [
            counts.interventions,
            counts.false_interventions,
            row.in_doubt,
            live.taken(),
            live.saved(),
            live.unknown_commands,
            live.overflowed,
        ];
        let cells = std::iter::once(share(&row.missed)).chain(numbers.map(grouped)).map(Text::from);
        table.row(std::iter::once(code(&row.stack)).chain(cells));
    }
    table
}

fn caption(live: &LiveTable) -> String {
    let worlds = counted(live.worlds.len() as u64, "world");
    let unreachable = match live.unreachable() {
        0 => String::new(),
        it => format!(" In {it} of them the goal cannot be reached."),
    };
    let compared =
        live.compared.as_ref().map_or_else(String::new, |it| format!(" Each test is one of {it}."));
    format!(
        "A row is a stack over {worlds}; every trial counts alike.{unreachable} The 95 % intervals in brackets treat \
         worlds as independent, and of drawn worlds groups of skeletons. If one written world is behind a figure, its \
         interval treats trials as independent, and speaks of that world alone. The effective number is in square \
         brackets after n: so many independent trials would say as much. Other numbers are plain counts.{compared}"
    )
}

/// What the columns mean.
fn terms() -> Vec<Text> {
    vec![
        emphasis("Against no guard")
            + ": a stack helps or harms if significantly more or fewer goals were reached (corrected p below 5 %). If \
               no difference was shown, there can still be one.",
        emphasis("Saved, lost")
            + ": goals reached here but not in the same trial of the first row, and the other way round.",
        emphasis("Told, left untold")
            + ": trials without their goal, whose user knew it in the end, or did not. Of those left untold, "
            + emphasis("at a bound")
            + " counts the ones that ended at a limit of the run.",
        emphasis("Missed") + ": stuck trials without an intervention or a resend after they got stuck.",
        emphasis("Disturbing")
            + ": interventions where the two rounds before changed the world. All others are "
            + emphasis("in doubt")
            + ": only a reader of the transcript can tell whether they helped or disturbed.",
        emphasis("Tokens not taken again")
            + ": those of completions that an earlier stack had in the same place, for the same request.",
        emphasis("Unknown commands") + ": commands of which the world only knew that it does not have them.",
        emphasis("Overflows")
            + ": trials that ended because the messages no longer fitted into the model's context.",
    ]
}

/// What a reader says of the sample of interventions.
fn judgements(judged: &LiveJudgements) -> Document {
    if judged.all.judged == 0 {
        let drawn = counted(judged.all.drawn, "intervention");
        return [paragraph(
            Text::from(format!("A sample of {drawn} waits to be judged in "))
                + code("judge.tsv")
                + ". With judgements, this report says how many were false.",
        )]
        .into();
    }
    let columns = ["interventions", "in all", "drawn", "judged", "false", "share of false ones, %"];
    let mut table = Table::of_numbers(columns);
    for (kind, it) in [("disturbing", judged.disturbing), ("in doubt", judged.in_doubt), ("both", judged.all)]
    {
        let counts = [it.interventions, it.drawn, it.judged, it.found_false].map(grouped);
        let cells = std::iter::once(kind.to_owned()).chain(counts).chain([it.share.to_string()]);
        table.row(cells.map(Text::from));
    }
    let caption = "A reader judged a sample of the interventions: false are those of a model that got on. \
                   Interventions of which the reader is not sure count as not judged. The 95 % intervals treat runs \
                   as independent. In the last row, a judged intervention counts for as many as its kind has for each \
                   one in the sample.";
    let mut document = Document::from(table);
    document.push(paragraph(caption));
    document
}

/// What each stack did, rule by rule.
fn by_rule(live: &LiveTable) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("guard", Left),
        ("rule", Left),
        ("interventions", Right),
        ("disturbing", Right),
        ("in doubt", Right),
    ]);
    for it in &live.rules {
        let names = [&it.stack, &it.guard, &it.rule].map(code);
        let counts = [it.interventions, it.disturbing, it.in_doubt].map(|it| grouped(it).into());
        table.row(names.into_iter().chain(counts));
    }
    table
}

/// One row per world, one column per stack.
fn by_world<'r>(
    stacks: &[&str],
    worlds: impl Iterator<Item = &'r LiveWorld>,
    of: fn(&LiveWorld) -> &[Share],
) -> Table {
    let columns = ["world".into(), "trials".into()].into_iter().chain(stacks.iter().map(|&it| code(it)));
    let mut table = Table::of_numbers(columns);
    for it in worlds {
        let shares = of(it).iter().map(|it| it.percent().into());
        table.row([code(&it.scenario), grouped(it.trials).into()].into_iter().chain(shares));
    }
    table
}
