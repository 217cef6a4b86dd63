//! Where spans go, as the standard variables of OpenTelemetry say it.

use std::fmt;
use std::time::Duration;

use super::upstream;

/// What gets a span for each intervention: a collector of OpenTelemetry, or anything else that speaks OTLP over HTTP.
///
/// What is not here is read from the environment by the SDK of OpenTelemetry, as in every program that uses it:
/// `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_EXPORTER_OTLP_COMPRESSION`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`
/// and `OTEL_BSP_SCHEDULE_DELAY`.
#[derive(Clone, PartialEq, Eq)]
pub struct Collector {
    /// The whole address, which may have a key in its query.
    pub(super) endpoint: String,
    /// The address as messages show it.
    shown: String,
    /// The name of this service in a trace.
    pub service: Option<String>,
    /// How long a request may take.
    pub timeout: Duration,
}

/// The path of traces below an address for all signals.
const TRACES: &str = "/v1/traces";

impl Collector {
    /// A collector with this address of traces: `http://localhost:4318/v1/traces`.
    ///
    /// # Errors
    /// It is not one of a server. The error says what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, authority, path) = upstream::server(text)?;
        if authority.as_str().contains('@') {
            return Err("it has a name or a password in it; OTEL_EXPORTER_OTLP_HEADERS has keys".to_owned());
        }
        let whole = path.as_ref().map_or("/", |it| it.as_str());
        let path = path.as_ref().map_or("/", |it| it.path());
        Ok(Self {
            endpoint: format!("{scheme}://{authority}{whole}"),
            shown: format!("{scheme}://{authority}{path}"),
            service: None,
            // What OTLP has as the default.
            timeout: Duration::from_secs(10),
        })
    }

    /// The collector that these variables of the environment name, if any. An empty variable counts as none.
    ///
    /// # Errors
    /// They name one that cannot be used.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let set = |name: &str| variable(name).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        let for_traces = |rest: &str| {
            let names = [format!("OTEL_EXPORTER_OTLP_TRACES_{rest}"), format!("OTEL_EXPORTER_OTLP_{rest}")];
            names.into_iter().find_map(|name| set(&name).map(|value| (name, value)))
        };
        let is_off = set("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true"))
            || set("OTEL_TRACES_EXPORTER").is_some_and(|it| it.split(',').all(|it| it.trim() != "otlp"));
        let Some((name, address)) = for_traces("ENDPOINT").filter(|_| !is_off) else { return Ok(None) };
        if let Some((name, protocol)) = for_traces("PROTOCOL").filter(|(_, it)| !it.starts_with("http/")) {
            return Err(format!("{name} is {protocol}, expected http/protobuf"));
        }
        let is_whole = name.contains("TRACES");
        let address = if is_whole { address } else { format!("{}{TRACES}", address.trim_end_matches('/')) };
        let mut collector = Self::parse(&address)
            .map_err(|why| format!("{name}: {why}; expected an address such as http://localhost:4318"))?;
        collector.service = set("OTEL_SERVICE_NAME");
        if let Some(limit) = for_traces("TIMEOUT").and_then(|(_, it)| it.parse().ok()) {
            collector.timeout = Duration::from_millis(limit);
        }
        Ok(Some(collector))
    }
}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint: _, shown, service, timeout } = self;
        let mut fields = f.debug_struct("Collector");
        fields.field("shown", shown).field("service", service).field("timeout", timeout).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The collector of these variables: its whole address, its service and its timeout.
    fn of(variables: &[(&str, &str)]) -> Result<Option<(String, Option<String>, u64)>, String> {
        let value = |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, it)| (*it).to_owned());
        let seconds = |it: Duration| it.as_secs();
        Ok(Collector::of(value)?.map(|it| (it.endpoint, it.service, seconds(it.timeout))))
    }

    #[track_caller]
    fn check(variables: &[(&str, &str)], endpoint: Option<&str>) {
        let found = of(variables).expect("they can be used").map(|(endpoint, ..)| endpoint);
        assert_eq!(found.as_deref(), endpoint);
    }

    const ALL: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const OWN: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    #[test]
    fn the_address_for_traces_is_whole_and_the_other_one_gets_a_path() {
        check(&[], None);
        check(&[(ALL, ""), (OWN, " ")], None);
        check(&[(ALL, "http://a:4318")], Some("http://a:4318/v1/traces"));
        check(&[(ALL, "http://a:4318/")], Some("http://a:4318/v1/traces"));
        check(&[(ALL, "https://a/x")], Some("https://a/x/v1/traces"));
        check(&[(OWN, "https://a/x/"), (ALL, "http://b")], Some("https://a/x/"));
        check(&[(OWN, "https://a")], Some("https://a/"));
        check(&[(OWN, "https://a/t?key=k")], Some("https://a/t?key=k"));
    }

    #[test]
    fn what_is_turned_off_has_no_collector() {
        let on = (ALL, "http://a");
        check(&[on, ("OTEL_SDK_DISABLED", "TRUE")], None);
        check(&[on, ("OTEL_SDK_DISABLED", "1")], Some("http://a/v1/traces"));
        check(&[on, ("OTEL_TRACES_EXPORTER", "none")], None);
        check(&[on, ("OTEL_TRACES_EXPORTER", "console, otlp")], Some("http://a/v1/traces"));
    }

    #[test]
    fn a_service_has_a_name_and_a_request_a_time_limit() {
        let on = (ALL, "http://a");
        let found = |more: &[(&str, &str)]| of(&[&[on], more].concat()).expect("it can be used");
        let whole = || "http://a/v1/traces".to_owned();
        assert_eq!(found(&[]), Some((whole(), None, 10)));
        let more = [("OTEL_SERVICE_NAME", "s"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "3000")];
        assert_eq!(found(&more), Some((whole(), Some("s".to_owned()), 3)));
    }

    #[test]
    fn what_cannot_be_used_says_why_and_shows_no_key() {
        let why = |variables: &[(&str, &str)]| of(variables).expect_err("it cannot be used");
        let found = why(&[(OWN, "collector")]);
        let lacks = "it lacks http:// or https:// at its beginning";
        assert_eq!(found, format!("{OWN}: {lacks}; expected an address such as http://localhost:4318"));
        let protocol = "OTEL_EXPORTER_OTLP_PROTOCOL";
        let found = why(&[(ALL, "http://a:4317"), (protocol, "grpc")]);
        assert_eq!(found, format!("{protocol} is grpc, expected http/protobuf"));
        assert!(!why(&[(OWN, "http://me:secret@a")]).contains("secret"));
        let collector = Collector::parse("http://a/t?key=secret").expect("an address");
        assert_eq!(collector.to_string(), "http://a/t");
        assert!(!format!("{collector:?}").contains("secret"));
    }
}
