//! The comparison with a live record as text for people and as JSON for programs.

use balk_reports::report::document::{Block, Document, Table, marked, paragraph};
use balk_reports::statistics::Cluster;
use serde_json::{Value, json};

use super::{Acts, Figure, LiveComparison, Measure, NEAR_POINTS, Sides, Simulated, mean};

/// The whole text.
#[must_use]
pub fn live(it: &LiveComparison) -> Document {
    let mut document = Document::default();
    document.push(paragraph(played(it)));
    document.push(recovery(it));
    document.push(paragraph(agreement(it)));
    if let Some(text) = verdict(&it.recovery()) {
        document.push(paragraph(text));
    }
    document.push(by_world(it));
    document.push(shares(it, "a new call after a message of the stack", "live samples", Measure::Reaction));
    document.push(shares(it, "goals reached, of all runs", "live runs", Measure::Goals));
    document.push(disturbance(it));
    document.push(paragraph(marked(meaning())));
    document
}

/// One JSON object.
#[must_use]
pub fn json(it: &LiveComparison) -> Value {
    let side = |it: &Option<Simulated>| {
        it.map(|it| {
            json!({
                "simulated": format!("{:.4}", it.share),
                "difference": format!("{:.4}", it.difference),
                "mean_absolute_difference_by_world": format!("{:.4}", it.by_world),
            })
        })
    };
    let figure = |stack: usize, measure: Measure| {
        let figure = it.figure(stack, measure);
        let Cluster { count, of } = figure.sum();
        let bounds = (measure != Measure::Disturbance).then(|| figure.share().bounds());
        json!({
            "live": {"count": count, "of": of, "ci95": bounds},
            "worlds": figure.live.len(),
            "assumed": side(&figure.assumed),
            "fitted": side(&figure.fitted),
        })
    };
    let stacks = it.stacks.iter().enumerate().map(|(stack, name)| {
        json!({
            "stack": name,
            "recovered": figure(stack, Measure::Recovery),
            "new_call": figure(stack, Measure::Reaction),
            "goals": figure(stack, Measure::Goals),
            "disturbing": figure(stack, Measure::Disturbance),
        })
    });
    let recovery = it.recovery();
    let mean = |side: Side| {
        let of = |by: fn(&Simulated) -> f64| side.mean(&recovery, by).map(|it| format!("{it:.4}"));
        json!({"over_stacks": of(apart), "by_world": of(|it| it.by_world)})
    };
    let [stuck, elsewhere] = it.stuck();
    json!({
        "model": it.model,
        "fitted_from": it.origin,
        "worlds": it.worlds.len(),
        "stacks": stacks.collect::<Vec<_>>(),
        "mean_absolute_difference": {"assumed": mean(Side::Assumed), "fitted": mean(Side::Fitted)},
        "fitted_is_near": Side::Fitted.mean(&recovery, apart).map(is_near),
        "stuck_runs": stuck,
        "stuck_runs_without_counterpart": elsewhere,
    })
}

/// Which reactions the scripted actor has.
#[derive(Clone, Copy)]
enum Side {
    Assumed,
    Fitted,
}

impl Side {
    fn of(self, figure: &Figure) -> Option<Simulated> {
        match self {
            Self::Assumed => figure.assumed,
            Self::Fitted => figure.fitted,
        }
    }

    /// The mean over the stacks.
    fn mean(self, figures: &[Figure], by: fn(&Simulated) -> f64) -> Option<f64> {
        mean(figures.iter().filter_map(|it| self.of(it)).map(|it| by(&it)))
    }
}

fn apart(it: &Simulated) -> f64 {
    it.difference.abs()
}

/// Whether this difference, of shares, is small. What is shown as 10.0 points is.
fn is_near(difference: f64) -> bool {
    (1_000.0 * difference).round() <= 10.0 * NEAR_POINTS
}

fn points(difference: Option<f64>) -> String {
    difference.map_or_else(nothing, |it| format!("{:.1}", 100.0 * it))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(nothing, |it| format!("{:.1} %", 100.0 * it))
}

fn nothing() -> String {
    "–".to_owned()
}

fn played(it: &LiveComparison) -> String {
    let fitted = match &it.origin {
        Some(origin) => format!("The fitted ones are from {origin}."),
        None => "There are no fitted ones: balk live --react measures them, and --set-from names a \
                 file of them."
            .to_owned(),
    };
    format!(
        "The model {} in {}, beside scripted actors in the same worlds under the same stacks. Assumed are the \
         reactions that each scenario names, or those of a model that the seed draws from the population. {fitted}",
        it.model,
        counted(it.worlds.len() as u64, "world"),
    )
}

/// A number of things.
fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn recovery(it: &LiveComparison) -> Table {
    let columns = [
        "stack",
        "stuck live runs",
        "live (95 %)",
        "assumed",
        "difference",
        "by world",
        "fitted",
        "difference",
        "by world",
    ];
    let title = "recovered, of the runs that got stuck".into();
    let mut table = Table { title, ..Table::of_numbers(columns) };
    for (stack, name) in it.stacks.iter().enumerate() {
        let figure = it.figure(stack, Measure::Recovery);
        let cells = |side: Option<Simulated>| {
            [
                percent(side.map(|it| it.share)),
                side.map_or_else(nothing, |it| format!("{:+.1}", 100.0 * it.difference)),
                points(side.map(|it| it.by_world)),
            ]
        };
        let live = [name.clone(), figure.sum().of.to_string(), figure.share().percent()];
        table.row(live.into_iter().chain(cells(figure.assumed)).chain(cells(figure.fitted)));
    }
    table.notes = vec![
        "difference: simulated minus live, in points; by world: the mean absolute difference over the worlds"
            .into(),
    ];
    table
}

fn agreement(it: &LiveComparison) -> String {
    let [stuck, elsewhere] = it.stuck();
    let figures = it.recovery();
    if figures.is_empty() {
        return format!(
            "Recovery cannot be compared: no live run got stuck in a world with a stubborn actor and a goal in reach. \
             In other worlds {} got stuck.",
            counted(elsewhere, "live run")
        );
    }
    let with = |by: fn(&Simulated) -> f64| {
        let [assumed, fitted] = [Side::Assumed, Side::Fitted].map(|side| side.mean(&figures, by));
        let fitted = fitted.map(|it| format!(", {} fitted", points(Some(it)))).unwrap_or_default();
        format!("{} points assumed{fitted}", points(assumed))
    };
    let mut text = format!(
        "Mean absolute difference over {} (n = {} in {}): {}. World by world: {}.",
        counted(figures.len() as u64, "stack"),
        counted(stuck - elsewhere, "stuck live run"),
        counted(it.recovering().count() as u64, "world"),
        with(apart),
        with(|it| it.by_world),
    );
    if elsewhere > 0 {
        text.push_str(&format!(
            " {} got stuck in worlds without a stubborn actor or without a goal in reach; the simulation has nothing \
             to put beside them.",
            counted(elsewhere, "more live run"),
        ));
    }
    text
}

/// Whether the fitted reactions predict what the model did.
fn verdict(figures: &[Figure]) -> Option<String> {
    let all = Side::Fitted.mean(figures, apart)?;
    let near = figures.iter().filter_map(|it| it.fitted).filter(|it| is_near(apart(it))).count();
    Some(format!(
        "With fitted reactions the simulated share of recovered runs lies within {NEAR_POINTS:.0} points of the live \
         one: {} on average, and under {near} of {}.",
        if is_near(all) { "yes" } else { "no" },
        counted(figures.len() as u64, "stack"),
    ))
}

/// Where the two sides part.
fn by_world(it: &LiveComparison) -> Table {
    let columns = ["world", "stuck live runs"].into_iter().chain(it.stacks.iter().map(|it| &**it));
    let title = "recovered by world, in percent: live / assumed / fitted".into();
    let mut table = Table { title, ..Table::of_numbers(columns) };
    let whole = |acts: Option<&Acts>| {
        let share = acts.and_then(|it| Measure::Recovery.share(it));
        share.map_or_else(nothing, |it| format!("{:.0}", 100.0 * it))
    };
    for world in it.recovering() {
        let stuck: u64 = world.stacks.iter().map(|it| it.live.counts.onsets).sum();
        let cell = |Sides { live, assumed, fitted }: &Sides| {
            [Some(live), Some(assumed), fitted.as_ref()].map(whole).join(" / ")
        };
        table.row([world.name.clone(), stuck.to_string()].into_iter().chain(world.stacks.iter().map(cell)));
    }
    table
}

/// A table of shares without differences.
fn shares(it: &LiveComparison, title: &str, of: &str, measure: Measure) -> Table {
    let columns = ["stack", of, "live (95 %)", "assumed", "fitted"];
    let mut table = Table { title: title.into(), ..Table::of_numbers(columns) };
    for (stack, name) in it.stacks.iter().enumerate() {
        let figure = it.figure(stack, measure);
        let side = |it: Option<Simulated>| percent(it.map(|it| it.share));
        table.row([
            name.clone(),
            figure.sum().of.to_string(),
            figure.share().percent(),
            side(figure.assumed),
            side(figure.fitted),
        ]);
    }
    table
}

fn disturbance(it: &LiveComparison) -> Block {
    let columns = ["stack", "live healthy turns", "live", "assumed", "fitted"];
    let title = "disturbing interventions per 1,000 healthy turns".into();
    let mut table = Table { title, ..Table::of_numbers(columns) };
    let rate = |it: Option<f64>| it.map_or_else(nothing, |it| format!("{:.1}", 1_000.0 * it));
    for (stack, name) in it.stacks.iter().enumerate() {
        let figure = it.figure(stack, Measure::Disturbance);
        let sum = figure.sum();
        table.row([
            name.clone(),
            sum.of.to_string(),
            rate(super::share(sum)),
            rate(figure.assumed.map(|it| it.share)),
            rate(figure.fitted.map(|it| it.share)),
        ]);
    }
    table.into()
}

fn meaning() -> &'static str {
    "How often a model gets stuck, and how, is its own; a stubborn actor always gets stuck. So only recovery after \
     that can be compared, and goals reached cannot: they are shown for completeness. A new call in live samples \
     (`balk live --react`) is none that had moved nothing; in simulated runs it is none that was sent before, after \
     the first message to an actor that calls nothing or repeats a call. Disturbing is an intervention in a healthy \
     turn of a scripted actor; with a real model, one after two rounds that changed the world. In each simulated \
     figure, worlds count as they do in the live one. Live intervals are clustered by world. With few trials a world, \
     chance alone parts the two sides world by world."
}
