//! Records of version 2, which had no checksums, and named files as they were typed.

use std::io::BufRead;

use serde_json::{Map, Value};

use super::file::{BadBench, RECORD_BYTES, at_most};
use super::named::without_paths;
use super::plan::BENCH_SCHEMA;
use super::record::Bench;
use crate::records::seal::{Sealing, plain_lines};

impl Bench {
    /// Reads a record of version 2.
    ///
    /// # Errors
    /// It cannot be read, is of another version, or contradicts itself; the error names the line.
    pub fn read_old(input: impl BufRead) -> Result<Self, BadBench> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        for (line, text) in (1..).zip(plain_lines(input)) {
            let text = text.map_err(BadBench::Io)?;
            bytes += text.len() as u64;
            if bytes > RECORD_BYTES {
                return Err(bad(line, &at_most(RECORD_BYTES), "a longer one".into()));
            }
            let value: Value = serde_json::from_str(&text)
                .map_err(|error| bad(line, "a line of a record", error.to_string()))?;
            lines.push(value);
            if lines.len() > LINES {
                return Err(bad(line, &format!("at most {LINES} lines"), "more".into()));
            }
        }
        let Some((first, rest)) = lines.split_first_mut() else {
            return Err(bad(1, "the plan of a bench: {\"plan\": …}", "the end of the file".into()));
        };
        let plan = first.get_mut("plan").ok_or_else(|| "a line without a plan".to_owned());
        plan.and_then(renew).map_err(|found| bad(1, "the plan of a record of version 2", found))?;
        let mut sealed = Vec::new();
        let mut sealing = Sealing::new(&mut sealed);
        let unfit = |error: std::io::Error| bad(1, "JSON objects", error.to_string());
        sealing.line(first).map_err(unfit)?;
        if let Some((last, cells)) = rest.split_last() {
            cells.iter().try_for_each(|cell| sealing.line(cell)).map_err(unfit)?;
            sealing.last(last).map_err(unfit)?;
        }
        Self::read(&*sealed)
    }
}

/// A plan has at most 100,000 cells, and a cell has a line.
const LINES: usize = 100_002;

fn text<'o>(object: &'o Map<String, Value>, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn bad(line: usize, expected: &str, found: String) -> BadBench {
    BadBench::Line { line, expected: expected.to_owned(), found }
}

/// Makes a plan of version 2 one of today; the error is what was found in its place.
fn renew(plan: &mut Value) -> Result<(), String> {
    if plan["schema"] != 2 {
        return Err(format!("version {}", plan["schema"]));
    }
    plan["schema"] = BENCH_SCHEMA.into();
    let mut files = Vec::new();
    for scenario in plan["scenarios"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        let target = scenario.remove("target");
        if let (Some(Value::String(target)), Some("file"), Some(name)) =
            (target, text(scenario, "suite"), text(scenario, "name"))
        {
            files.push((target, name.to_owned()));
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(target, name)| (&**target, &**name)).collect();
    if let Some(suite) = plan["suite"].as_str() {
        plan["suite"] = without_paths(suite, &files).into();
    }
    if let Some(file) = plan.get("reactions").and_then(|it| it["file"].as_str()) {
        plan["reactions"]["file"] = file.rsplit(['/', '\\']).next().unwrap_or(file).into();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

    #[test]
    fn a_record_of_version_2_is_one_of_today_without_paths() {
        let mut bench = Bench::new(plan());
        bench.plan.scenarios[0].suite = balk_contract::record::Suite::File;
        bench.plan.suite = "FILE#repeating,polling".into();
        let mut text = Vec::new();
        bench.write(&mut text).expect("memory takes it");
        let old: String = String::from_utf8(text)
            .expect("JSON")
            .lines()
            .map(|line| {
                let (end, _) = line.rsplit_once(",\"s").expect("a checksum");
                format!("{end}}}\n")
            })
            .collect();
        let old = old
            .replacen("\"schema\":3", "\"schema\":2", 1)
            .replacen("FILE#repeating", "/home/me/a.toml", 1)
            .replacen("\"name\":\"repeating\"", "\"name\":\"repeating\",\"target\":\"/home/me/a.toml\"", 1);
        assert_eq!(Bench::read_old(old.as_bytes()).expect("it is whole"), bench);
        let refused = |text: &str| Bench::read_old(text.as_bytes()).expect_err("it is bad").to_string();
        assert_eq!(
            refused(&old.replacen("\"schema\":2", "\"schema\":1", 1)),
            "line 1: expected the plan of a record of version 2, found version 1"
        );
        for other in ["[]", "5", "\"x\"", "{}", "null"] {
            assert!(
                refused(other).starts_with("line 1: expected the plan of a record of version 2"),
                "{other}"
            );
        }
        let nameless = r#"{"plan":{"schema":2,"scenarios":[{"target":"a.toml"}]}}"#;
        assert!(refused(nameless).starts_with("line 1: "), "{}", refused(nameless));
        let long =
            Bench::read_old(std::io::BufReader::new(std::io::repeat(b' '))).expect_err("it never ends");
        assert!(long.to_string().contains("more than 16 MiB"), "{long}");
        let cut: String = old.lines().take(3).map(|line| format!("{line}\n")).collect();
        assert!(refused(&cut).starts_with("line 4: "), "{}", refused(&cut));
    }
}
