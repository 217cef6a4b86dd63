//! What a server says in the headers of a response.

use std::sync::Arc;

use super::dialect::Dialect;

/// What the headers of a response say, in the names of each provider. Gemini has no documented header for any of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The id of the request: `x-request-id` of OpenAI, `request-id` of Anthropic.
    pub request_id: Arc<str>,
    /// Seconds since 1970, because Anthropic says when a limit resets and not how long that takes.
    pub now: u64,
    /// The rate limits of requests and of tokens: `x-ratelimit-*` of OpenAI, `anthropic-ratelimit-*`.
    pub limits: Option<[Limit; 2]>,
    /// Milliseconds to wait before the next request: `retry-after` in whole seconds, rounded up, and beside it
    /// `retry-after-ms` of OpenAI. [`retry_after`](super::retry_after) reads them.
    pub retry_after: Option<u64>,
}

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many there may be.
    pub limit: u64,
    /// How many of them are left.
    pub remaining: u64,
    /// Seconds until all are left again.
    pub reset: u64,
}

impl Headers {
    /// Names, in small letters, and values.
    #[must_use]
    pub fn of(&self, dialect: Dialect) -> Vec<(&'static str, String)> {
        let (request_id, limits): (_, [[&str; 3]; 2]) = match dialect {
            Dialect::OpenAi | Dialect::Responses => ("x-request-id", OPENAI),
            Dialect::Anthropic => ("request-id", ANTHROPIC),
            Dialect::Gemini => return Vec::new(),
        };
        let mut headers = vec![(request_id, self.request_id.as_ref().to_owned())];
        for ([limit, remaining, reset], it) in limits.into_iter().zip(self.limits.into_iter().flatten()) {
            let resets = match dialect {
                Dialect::OpenAi | Dialect::Responses | Dialect::Gemini => duration(it.reset),
                Dialect::Anthropic => date(self.now.saturating_add(it.reset)),
            };
            headers.push((limit, it.limit.to_string()));
            headers.push((remaining, it.remaining.to_string()));
            headers.push((reset, resets));
        }
        if let Some(ms) = self.retry_after {
            headers.push(("retry-after", ms.div_ceil(1000).to_string()));
            match dialect {
                Dialect::OpenAi | Dialect::Responses => headers.push(("retry-after-ms", ms.to_string())),
                Dialect::Anthropic | Dialect::Gemini => {}
            }
        }
        headers
    }
}

const OPENAI: [[&str; 3]; 2] = [
    ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
];

const ANTHROPIC: [[&str; 3]; 2] = [
    [
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ],
    [
        "anthropic-ratelimit-tokens-limit",
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ],
];

/// Seconds as OpenAI writes them: `1h0m5s`, `6m0s`, `7s`.
fn duration(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) => format!("{minutes}m{rest}s"),
        (_, _) => format!("{hours}h{minutes}m{rest}s"),
    }
}

/// Seconds since 1970 as a date of RFC 3339.
pub(super) fn date(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let mut days = seconds / 86_400;
    let mut year = 1970;
    // A cycle of 400 years has 146,097 days.
    year += 400 * (days / 146_097);
    days %= 146_097;
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = |year| if is_leap(year) { 366 } else { 365 };
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}T{hours:02}:{minutes:02}:{rest:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (13_574_563_200, "2400-02-29T00:00:00Z"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(date(seconds), expected);
        }
        assert!(date(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn durations_have_no_leading_zeros() {
        let cases = [(0, "0s"), (7, "7s"), (60, "1m0s"), (359, "5m59s"), (3605, "1h0m5s")];
        for (seconds, expected) in cases {
            assert_eq!(duration(seconds), expected);
        }
    }
}
