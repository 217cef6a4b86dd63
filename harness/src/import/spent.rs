//! What a run cost, as far as its source says: when something was said, and the tokens of an answer.
//!
//! Both are read leniently: what is no time or no number is unknown, and no reason to refuse a run.

use std::fmt;

use balk_guards::Usage;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::content::Word;

/// From this number on, a number counts the next smaller unit: as seconds, it is in the year 5138.
const SECONDS_MAX: i64 = 100_000_000_000;

/// A moment: RFC 3339; the same without a zone, which is taken for UTC, since only differences are asked for; or the
/// seconds, milliseconds, microseconds or nanoseconds since 1970.
pub(super) fn moment(value: Option<&RawValue>) -> Option<Timestamp> {
    let text = value?.get();
    match text.strip_prefix('"') {
        Some(inside) => moment_of(inside.strip_suffix('"')?),
        None => since_1970(text),
    }
}

/// The same of a text.
pub(super) fn moment_of(text: &str) -> Option<Timestamp> {
    let local = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    text.parse::<Timestamp>().ok().or_else(local).or_else(|| since_1970(text))
}

fn since_1970(text: &str) -> Option<Timestamp> {
    let Ok(number) = text.parse::<i64>() else {
        let seconds = SignedDuration::try_from_secs_f64(text.parse().ok()?).ok()?;
        return Timestamp::from_duration(seconds).ok();
    };
    let unit = |thousands: u32| number < SECONDS_MAX.saturating_mul(1000_i64.pow(thousands));
    match number {
        _ if unit(0) => Timestamp::from_second(number),
        _ if unit(1) => Timestamp::from_millisecond(number),
        _ if unit(2) => Timestamp::from_microsecond(number),
        _ => Timestamp::from_nanosecond(number.into()),
    }
    .ok()
}

/// Tokens of the request, by the names of providers and their libraries.
const INPUT: [&str; 5] = ["prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "input"];

/// Tokens of the answer.
const OUTPUT: [&str; 5] =
    ["completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "output"];

/// Tokens of the request that `input_tokens` of Anthropic leaves out, and `prompt_tokens` of OpenAI has in it.
const CACHED: [&str; 2] = ["cache_creation_input_tokens", "cache_read_input_tokens"];

/// Tokens of the answer that Gemini counts apart.
const THOUGHTS: [&str; 2] = ["thoughtsTokenCount", "thoughts"];

/// The tokens of an answer. Sources: platform.openai.com/docs/api-reference/chat, docs.anthropic.com/en/api/messages,
/// ai.google.dev/api/generate-content, and the formats that have counts of their own ([`super`]).
pub(super) fn usage(value: Option<&RawValue>) -> Usage {
    let counts = value.and_then(|it| serde_json::from_str::<Counts>(it.get()).ok()).unwrap_or_default();
    let cached = if counts.has_cached { 0 } else { counts.cached };
    Usage {
        input_tokens: counts.input.saturating_add(cached),
        output_tokens: counts.output.saturating_add(counts.thoughts),
    }
}

/// The counts in an object. A library may write one count by two names.
#[derive(Default)]
struct Counts {
    input: u64,
    /// Whether `input` has in it what is `cached`.
    has_cached: bool,
    cached: u64,
    output: u64,
    thoughts: u64,
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Counts {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Self, A::Error> {
        while let Some(Word(name)) = members.next_key()? {
            let is_in = |names: &[&str]| names.contains(&&*name);
            if !(is_in(&INPUT) || is_in(&OUTPUT) || is_in(&CACHED) || is_in(&THOUGHTS)) {
                members.next_value::<IgnoredAny>()?;
            } else if let Ok(count) = members.next_value::<&RawValue>()?.get().parse::<u64>() {
                self.add(&name, count);
            }
        }
        Ok(self)
    }
}

impl Counts {
    fn add(&mut self, name: &str, count: u64) {
        if INPUT.contains(&name) {
            self.input = self.input.max(count);
            self.has_cached |= name == INPUT[0];
        } else if OUTPUT.contains(&name) {
            self.output = self.output.max(count);
        } else if CACHED.contains(&name) {
            self.cached = self.cached.saturating_add(count);
        } else {
            self.thoughts = self.thoughts.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_moment(json: &str, moment_found: Option<&str>) {
        let value: &RawValue = serde_json::from_str(json).expect("it is JSON");
        assert_eq!(moment(Some(value)).map(|it| it.to_string()).as_deref(), moment_found, "{json}");
    }

    #[test]
    fn a_moment_has_many_forms() {
        check_moment("\"2025-06-14T11:00:00Z\"", Some("2025-06-14T11:00:00Z"));
        check_moment("\"2025-05-12T20:27:36.997226-04:00\"", Some("2025-05-13T00:27:36.997226Z"));
        check_moment("\"2025-01-27T22:44:56.900854\"", Some("2025-01-27T22:44:56.900854Z"));
        check_moment("\"2025-01-27 22:44:56\"", Some("2025-01-27T22:44:56Z"));
        check_moment("1763510640", Some("2025-11-19T00:04:00Z"));
        check_moment("1763510640.25", Some("2025-11-19T00:04:00.25Z"));
        check_moment("1783376868634", Some("2026-07-06T22:27:48.634Z"));
        check_moment("\"1544712660000000000\"", Some("2018-12-13T14:51:00Z"));
        for none in ["null", "\"yesterday\"", "\"\"", "{}", "[1]", "true", "1e400", "-9e300"] {
            check_moment(none, None);
        }
    }

    #[track_caller]
    fn check_usage(json: &str, [input_tokens, output_tokens]: [u64; 2]) {
        let value: &RawValue = serde_json::from_str(json).expect("it is JSON");
        assert_eq!(usage(Some(value)), Usage { input_tokens, output_tokens }, "{json}");
    }

    #[test]
    fn tokens_have_many_names() {
        check_usage(r#"{"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}"#, [10, 3]);
        let cached = r#""cache_creation_input_tokens": 5, "cache_read_input_tokens": 100"#;
        check_usage(&format!(r#"{{"input_tokens": 10, {cached}, "output_tokens": 3}}"#), [115, 3]);
        check_usage(&format!(r#"{{"prompt_tokens": 115, {cached}, "completion_tokens": 3}}"#), [115, 3]);
        check_usage(r#"{"prompt_tokens": 10, "input_tokens": 10, "output_tokens": 3}"#, [10, 3]);
        check_usage(r#"{"promptTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 7}"#, [4, 9]);
        check_usage(r#"{"prompt_tokens": null, "completion_tokens": -1}"#, [0, 0]);
        for none in ["null", "7", "\"x\"", "[]", "{}"] {
            check_usage(none, [0, 0]);
        }
    }
}
