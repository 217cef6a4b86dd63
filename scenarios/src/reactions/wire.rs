//! The file on disk. These types are strict, and only the conversion uses them.

use std::fmt::{self, Formatter};

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use toml::Spanned;

use crate::format::syntax::PER_THOUSAND;

/// The keys at the top of the file, each with the start of its line.
pub(super) const TOP: &[(&str, &str)] = &[
    ("format", "format = 1"),
    ("name", "name = \"…\""),
    ("measured", "measured = \"…\""),
    ("profile", "profile = \"weak\""),
    ("parameters", "[parameters]"),
];

/// The version of the format that this program reads and writes.
pub(super) const VERSION: u32 = 1;

pub(super) type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReactionsFile {
    pub(super) format: Spanned<u32>,
    pub(super) name: Text,
    pub(super) measured: Text,
    pub(super) profile: Text,
    pub(super) parameters: ParametersTable,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParametersTable {
    pub(super) base: Option<RowsTable>,
    pub(super) flat: Option<Row>,
    pub(super) cause: Option<SpanTable>,
    pub(super) form: Option<SpanTable>,
    pub(super) example: Option<SpanTable>,
    pub(super) options: Option<SpanTable>,
    pub(super) shows: Option<SpanTable>,
    pub(super) withholds: Option<SpanTable>,
    pub(super) novel: Option<SpanTable>,
    pub(super) fade: Option<SpanTable>,
    pub(super) obeys: Option<SpanTable>,
    pub(super) empty: Option<SpanTable>,
    pub(super) demand: Option<Spanned<Number>>,
    pub(super) names: Option<SpanTable>,
    pub(super) easy: Option<SpanTable>,
    pub(super) finds: Option<SpanTable>,
    pub(super) named: Option<SpanTable>,
    pub(super) first: Option<SpanTable>,
}

/// A number with its range.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a range, as in { low = 0, value = 40, high = 150 }")]
pub(super) struct SpanTable {
    pub(super) low: Spanned<Number>,
    pub(super) value: Spanned<Number>,
    pub(super) high: Spanned<Number>,
}

/// The same at the first to the fourth correction in a row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "rows, as in { low = [0, 0, 0, 0], value = […], high = […] }")]
pub(super) struct RowsTable {
    pub(super) low: Row,
    pub(super) value: Row,
    pub(super) high: Row,
}

pub(super) type Row = Spanned<Vec<Spanned<Number>>>;

/// Parts per thousand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) u32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl Visitor<'_> for Expected {
            type Value = Number;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number of {PER_THOUSAND}")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number, E> {
                u32::try_from(number)
                    .map(Number)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
            }
        }
        deserializer.deserialize_any(Expected)
    }
}
