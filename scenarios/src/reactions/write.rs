//! Writes measured reactions as the text of a file, so that reading it gives the same again.

use crate::response::{PARAMETERS, Span};

use super::Measured;
use super::wire::VERSION;

/// The text of a file with these reactions.
#[must_use]
pub fn write(measured: &Measured) -> String {
    let mut text = format!(
        "# Reactions of a model to corrections, in parts per thousand.\n\
         format = {VERSION}\nname = {}\nmeasured = {}\nprofile = {}\n\n[parameters]\n",
        quoted(&measured.name),
        quoted(&measured.measured),
        quoted(measured.profile_name()),
    );
    let mut line = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
    if let Some(base) = measured.base {
        let rows = [Span::low, Span::value, Span::high].map(|of| row(base.map(of)));
        line("base", range(rows));
    }
    if let Some(flat) = measured.flat {
        line("flat", row(flat));
    }
    for parameter in &PARAMETERS[1..] {
        if let Some(span) = measured.span(parameter.name) {
            line(parameter.name, range([span.low(), span.value(), span.high()].map(|it| it.to_string())));
        }
    }
    if let Some(demand) = measured.demand {
        line("demand", demand.to_string());
    }
    text
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn range([low, value, high]: [String; 3]) -> String {
    format!("{{ low = {low}, value = {value}, high = {high} }}")
}

fn row(numbers: [u32; 4]) -> String {
    format!("[{}]", numbers.map(|it| it.to_string()).join(", "))
}
