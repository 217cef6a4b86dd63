//! A heat map: a table whose cells are links.

use super::text::{inline, scrolled};
use crate::report::document::figure::{HeatCell, HeatMap, HeatRow, Ramp};
use crate::report::document::markup::Markup;

/// The classes of the shades.
const SHADES: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];

/// Writes the heat map of this number on its page.
pub(super) fn heat_map(out: &mut Markup, map: &HeatMap, nth: usize) {
    let ramp = match map.ramp {
        Ramp::Good => "heat good",
        Ramp::Bad => "heat bad",
    };
    out.around("figure", &[("class", ramp)], |out| {
        out.around("figcaption", &[], |out| {
            out.element("strong", &[], &map.title);
            out.constant(" ");
            inline(out, &map.caption);
        });
        out.around("div", &[("class", "tools")], |out| {
            out.around("ol", &[("class", "legend"), ("aria-label", "Shades")], |out| {
                for (shade, words) in SHADES.into_iter().zip(map.levels) {
                    out.element("li", &[("class", shade)], words);
                }
            });
            filters(out, map, nth);
        });
        scrolled(out, &map.title, |out| {
            out.around("table", &[("class", "cells"), ("data-map", &nth.to_string())], |out| {
                head(out, map);
                for rows in map.rows.chunk_by(|one, next| one.group == next.group) {
                    out.around("tbody", &[("data-group", rows[0].group)], |out| body(out, map, rows, nth));
                }
            });
        });
        out.around("noscript", &[], |out| {
            out.element("p", &[], "With a script, rows can be sorted and filtered, and each cell opens.");
        });
    });
}

/// What is shown of the table. The script makes them work, and shows them.
fn filters(out: &mut Markup, map: &HeatMap, nth: usize) {
    out.around("div", &[("class", "filters"), ("hidden", "")], |out| {
        for (name, label) in [("rows", "Find scenarios"), ("columns", "Find stacks")] {
            let id = format!("filter-{nth}-{name}");
            out.element("label", &[("for", &id)], label);
            let attributes = [("id", &*id), ("data-filter", name), ("type", "search"), ("size", "12")];
            out.open("input", &attributes);
        }
        let rows = map.rows.len();
        out.element("output", &[], &format!("{rows} of {rows} scenarios"));
    });
}

fn head(out: &mut Markup, map: &HeatMap) {
    out.open("thead", &[]);
    out.around("tr", &[], |out| {
        out.element("th", &[("scope", "col"), ("class", "corner")], "scenario");
        for column in &map.columns {
            let attributes = [("scope", "col"), ("class", column.role.class()), ("title", &*column.about)];
            out.around("th", &attributes, |out| out.element("span", &[], &column.name));
        }
    });
    out.close("thead");
}

fn body(out: &mut Markup, map: &HeatMap, rows: &[HeatRow], nth: usize) {
    let columns = (map.columns.len() + 1).to_string();
    out.around("tr", &[("class", "group")], |out| {
        out.element("th", &[("scope", "rowgroup"), ("colspan", &columns)], rows[0].group);
    });
    out.constant("\n");
    let first = map.rows.iter().position(|it| std::ptr::eq(it, &rows[0])).unwrap_or_default();
    for (at, row) in rows.iter().enumerate() {
        out.around("tr", &[], |out| {
            out.element("th", &[("scope", "row"), ("title", &row.about)], &row.name);
            for (column, cell) in row.cells.iter().enumerate() {
                match cell {
                    Some(it) => filled(out, it, &format!("#cell-{nth}-{}-{column}", first + at)),
                    None => out.element("td", &[], "–"),
                }
            }
        });
        out.constant("\n");
    }
}

fn filled(out: &mut Markup, cell: &HeatCell, link: &str) {
    let shade = SHADES[cell.level.min(SHADES.len() - 1)];
    let order = cell.order.to_string();
    out.around("td", &[("class", shade), ("data-order", &order)], |out| {
        out.element("a", &[("href", link)], &cell.shown);
    });
}
