//! The data of cells: one block of JSON that the script reads when a cell is opened.
//!
//! Many cells share texts, and many commands share words, so each is there once and cells name it by its index.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::report::document::figure::{Detail, Fact, HeatMap, Trial};
use crate::report::document::markup::Markup;
use crate::report::document::svg;

/// The data of all heat maps of a page.
#[derive(Default)]
pub(super) struct Cells {
    texts: Texts,
    maps: Vec<Value>,
    frames: Markup,
}

#[derive(Default)]
struct Texts {
    index: BTreeMap<String, usize>,
    all: Vec<String>,
}

impl Texts {
    fn index(&mut self, text: &str) -> usize {
        if let Some(known) = self.index.get(text) {
            return *known;
        }
        self.index.insert(text.to_owned(), self.all.len());
        self.all.push(text.to_owned());
        self.all.len() - 1
    }

    fn facts(&mut self, facts: &[Fact]) -> Vec<usize> {
        facts.iter().flat_map(|it| [self.index(&it.name), self.index(&it.value)]).collect()
    }

    /// The words of a command.
    fn command(&mut self, command: &str) -> Vec<usize> {
        command.split(' ').map(|word| self.index(word)).collect()
    }

    fn trial(&mut self, it: &Trial) -> Value {
        json!([self.command(&it.command), it.page.as_ref().map(|it| self.index(it))])
    }

    /// Facts, curves, rules, failures, command and trial, in this order.
    fn detail(&mut self, it: &Detail) -> Value {
        let steps = |steps: &[(u32, u64)]| -> Vec<u64> {
            steps.iter().flat_map(|(turns, runs)| [u64::from(*turns), *runs]).collect()
        };
        let curves: Vec<Value> =
            it.histograms.iter().map(|it| json!([self.index(it.name), it.of, steps(&it.steps)])).collect();
        let failures: Vec<Value> =
            it.failures.iter().map(|it| json!([self.index(&it.what), self.trial(&it.trial)])).collect();
        let trial = it.trial.as_ref().map(|it| self.trial(it));
        json!([
            self.facts(&it.facts),
            curves,
            self.facts(&it.rules),
            failures,
            self.command(&it.command),
            trial
        ])
    }
}

impl Cells {
    /// Whether the page has no heat map.
    pub(super) fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Adds the cells of a heat map; its number on the page.
    pub(super) fn add(&mut self, map: &HeatMap) -> usize {
        let texts = &mut self.texts;
        let rows: Vec<Value> = map
            .rows
            .iter()
            .map(|row| {
                let cells: Vec<Option<Value>> =
                    row.cells.iter().map(|it| it.as_ref().map(|it| texts.detail(&it.detail))).collect();
                json!({"name": row.name, "about": row.about, "cells": cells})
            })
            .collect();
        let columns: Vec<Value> =
            map.columns.iter().map(|it| json!({"name": it.name, "about": it.about})).collect();
        self.maps.push(json!({"turns": HeatMap::TURNS, "columns": columns, "rows": rows}));
        let nth = self.maps.len() - 1;
        self.frames.around("template", &[("id", &format!("frames-{nth}"))], |out| {
            for frame in map.frames() {
                out.around("div", &[("data-curve", &frame.title)], |out| svg::curve(out, &frame, None));
            }
        });
        nth
    }

    /// Writes the data, the frames of the curves, and the dialogue in which a cell is shown.
    pub(super) fn write(self, out: &mut Markup) {
        out.around("dialog", &[("id", "cell"), ("aria-labelledby", "cell-title")], |out| {
            out.element("h2", &[("id", "cell-title")], "Cell");
            out.element("div", &[("id", "cell-content")], "");
            out.element("button", &[("id", "cell-close"), ("type", "button")], "Close");
        });
        out.add(self.frames);
        out.data("cells", &json!({"texts": self.texts.all, "maps": self.maps}));
    }
}
