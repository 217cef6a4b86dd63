//! Files as they come: lists, documents, lines; packed, mixed, cut off, and with more than memory should hold.

use std::io::{self, Read, Write};

use balk::import::{BadLine, DOCUMENT_BYTES_MAX, Format, Message, reading};

use super::{all, logs, shown};

const CHAT: &str = r#"{"id": "c", "messages": [{"role": "assistant", "content": "x"}]}"#;

fn ids(file: &str) -> Vec<(u64, Result<String, String>)> {
    let found = all(file).into_iter();
    found.map(|(line, it)| (line, it.map(|it| it.id.to_string()).map_err(|bad| bad.to_string()))).collect()
}

#[test]
fn lines_of_several_formats_are_read_and_the_others_reported() {
    let result = r#"{"type": "tool_result", "tool_use_id": "z"}"#;
    let anthropic = format!(r#"{{"id": "a", "messages": [{{"role": "user", "content": [{result}]}}]}}"#);
    let gemini = r#"{"id": "g", "contents": []}"#;
    let file = [CHAT, "", gemini, &anthropic, "{\"mess", "\u{1}", CHAT].join("\n");
    assert_eq!(
        ids(&file),
        [
            (1, Ok("c".into())),
            (3, Ok("g".into())),
            (
                4,
                Err("orphan-result: messages[0].content[0].tool_use_id: expected the id of an earlier call, found `z`"
                    .into())
            ),
            (5, Err("not-json: column 6: EOF while parsing a string".into())),
            (6, Err("not-json: column 1: expected value".into())),
            (7, Ok("c".into())),
        ]
    );
}

#[test]
fn an_element_that_is_wrong_does_not_keep_the_others_from_being_read() {
    let element =
        |id| format!(r#"{{"task_id": {id}, "reward": 0.0, "traj": [{{"role": "user", "content": "x"}}]}}"#);
    let wrong = element(2).replace("\"user\"", "\"critic\"");
    let found = ids(&format!("[{}, {wrong}, {}]", element(1), element(3)));
    assert_eq!((&found[0].1, &found[2].1), (&Ok("1".to_owned()), &Ok("3".to_owned())));
    assert!(
        found[1].1.as_ref().is_err_and(|it| it.starts_with("wrong-shape: [1].traj[0].role: ")),
        "{found:?}"
    );
}

/// Documents with a run for each task: one run that is wrong, wherever it is, is one bad part.
#[test]
fn a_task_that_is_wrong_does_not_keep_the_others_from_being_read() {
    let fireact = |traj: &str| format!(r#"{{"em": true, "traj": {traj}}}"#);
    let said = |role: &str| fireact(&format!(r#"[{{"role": "{role}", "content": "x"}}]"#));
    let intercode =
        |turns: &str| format!(r#"{{"environment": "ic_bash", "query": "q", "turn_history": {turns}}}"#);
    let turns = intercode(r#"{"actions": ["ls"], "observations": ["none"]}"#);
    let three = |first: &str, second: &str, third: &str| {
        ids(&format!(r#"{{"a": {first}, "b": {second}, "c": {third}}}"#))
    };
    let user = said("user");
    for (first, others, wrong, reason) in [
        (&user, &user, &said("critic"), "wrong-shape: b.traj[0].role: "),
        (&user, &user, &fireact("7"), "wrong-shape: b.traj: "),
        (&user, &user, &"null".to_owned(), "wrong-shape: b: "),
        (
            &turns,
            &turns,
            &intercode(r#"{"actions": [7], "observations": []}"#),
            "wrong-shape: b.turn_history.actions[0]: ",
        ),
        (&turns, &turns, &intercode("null"), "wrong-shape: b.turn_history: "),
    ] {
        let found = three(first, wrong, others);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!((&found[0].1, &found[2].1), (&Ok("a".to_owned()), &Ok("c".to_owned())), "{found:?}");
        assert!(found[1].1.as_ref().is_err_and(|it| it.starts_with(reason)), "{reason} {found:?}");
    }
}

/// The lists of platforms, too.
#[test]
fn a_request_that_is_wrong_does_not_keep_the_others_from_being_read() {
    let langfuse = |trace: &str| {
        format!(
            r#"{{"type": "GENERATION", "trace_id": {trace}, "start_time": "2026-01-01",
            "input": [{{"role": "user", "content": "x"}}]}}"#
        )
    };
    let langsmith = |trace: &str| {
        format!(
            r#"{{"run_type": "llm", "trace_id": {trace}, "start_time": "2026-01-01",
            "inputs": {{"messages": [{{"role": "user", "content": "x"}}]}}}}"#
        )
    };
    let list = |run: &dyn Fn(&str) -> String| format!("[{}, {}, {}]", run("\"a\""), run("7"), run("\"c\""));
    let files = [
        (list(&langfuse), "[1]"),
        (format!(r#"{{"id": "t", "observations": {}}}"#, list(&langfuse)), "observations[1]"),
        (list(&langsmith), "[1]"),
        (format!(r#"{{"runs": {}}}"#, list(&langsmith)), "runs[1]"),
    ];
    for (file, place) in files {
        let found: Vec<_> = ids(&file).into_iter().map(|(_, it)| it).collect();
        let bad = format!("wrong-shape: {place}.trace_id: invalid type: integer `7`, expected a string");
        assert_eq!(found, [Err(bad), Ok("a".to_owned()), Ok("c".to_owned())], "{file}");
    }
}

/// The list of runs in a document is read element by element, whatever comes before and after it.
#[test]
fn a_document_gives_its_runs_with_what_it_says_before_them() {
    let run = |id: u32| format!(r#"{{"id": "{id}", "messages": [{{"role": "user", "content": "x"}}]}}"#);
    let runs: Vec<String> = (0..2_000).map(run).collect();
    let file = format!(
        "{{\n\"info\": {{\"agent_info\": {{\"llm\": \"m\"}}}},\n\"simulations\": [\n{}\n],\n\"x\": 1}}",
        runs.join(",\n")
    );
    let found = all(&file);
    assert_eq!(found.len(), 2_000);
    for (at, (line, recording)) in found.into_iter().enumerate() {
        let recording = recording.expect("it is whole");
        assert_eq!((line, &*recording.id, &*recording.model), (at as u64 + 4, &*at.to_string(), "m"));
    }
}

/// So is one whose first line is long, and whose runs are a line each: it looks like lines, and is none.
#[test]
fn a_document_that_looks_like_lines_is_a_document() {
    let run = |id: u32| format!(r#"{{"id": "{id}", "messages": [{{"role": "user", "content": "x"}}]}}"#);
    let file = format!("{{\"info\": {{}}, \"simulations\": [{},\n{},\n{}\n]}}\n", run(0), run(1), run(2));
    assert_eq!(ids(&file), [(1, Ok("0".into())), (2, Ok("1".into())), (3, Ok("2".into()))]);
    // A line that breaks off does not hide those after it.
    let file = format!("{}\n{CHAT}\n{CHAT}", &CHAT[..CHAT.len() - 4]);
    assert_eq!(ids(&file)[1..], [(2, Ok("c".into())), (3, Ok("c".into()))]);
}

/// The same in one line, and after a byte order mark.
#[test]
fn white_space_between_values_means_nothing() {
    for (file, bytes) in logs().into_iter().filter(|(file, _)| file.ends_with(".json")) {
        let value: serde_json::Value = serde_json::from_slice(&bytes).expect("it is JSON");
        let (format, found) = reading::read(&bytes[..], None).expect("memory can be read");
        let found: Vec<_> =
            found.into_iter().map(|(_, it)| it.map(|it| shown(&it)).map_err(reason)).collect();
        let pretty = serde_json::to_string_pretty(&value).expect("it can be written");
        for other in [value.to_string(), format!("\u{feff}{value}"), pretty] {
            let (other_format, others) = reading::read(other.as_bytes(), None).expect("memory can be read");
            let strip = |text: String| text.replace([' ', '\n'], "");
            let others: Vec<_> =
                others.into_iter().map(|(_, it)| it.map(|it| strip(shown(&it))).map_err(reason)).collect();
            let found: Vec<_> = found.iter().cloned().map(|it| it.map(strip)).collect();
            assert_eq!((format, found), (other_format, others), "{file}");
        }
    }
}

fn reason(bad: BadLine) -> &'static str {
    bad.reason()
}

#[test]
fn packed_files_are_the_same() {
    for (file, bytes) in logs() {
        let plain = reading::read(&bytes[..], None).expect("memory can be read");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).expect("memory takes it");
        let gzip = gzip.finish().expect("memory takes it");
        let zstd = zstd::bulk::compress(&bytes, 1).expect("it packs");
        for packed in [gzip, zstd] {
            assert_eq!(plain, reading::read(&packed[..], None).expect("memory can be read"), "{file}");
        }
    }
}

/// An archive of Inspect has a file for each sample, and what holds for all of them in another one.
#[test]
fn an_archive_gives_its_samples() {
    let sample = r#"{"id": "x", "epoch": 2, "messages": [{"role": "user", "content": "x"}],
        "scores": {"s": {"value": "I"}}}"#;
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("header.json", r#"{"eval": {"model": "m"}}"#),
        ("samples/x_epoch_2.json", sample),
        ("summaries.json", "[]"),
        ("samples/y_epoch_1.json", "{\"id\""),
    ] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory takes it");
        zip.write_all(text.as_bytes()).expect("memory takes it");
    }
    let bytes = zip.finish().expect("memory takes it").into_inner();
    let (format, found) = reading::read(&bytes[..], None).expect("memory can be read");
    assert_eq!((format, found.len()), (Some(Format::Inspect), 2));
    let recording = found[0].1.as_ref().expect("it is whole");
    assert_eq!(shown(recording), "id \"x/2\", model \"m\", failed, tools []\n  user \"x\"");
    let bad = found[1].1.as_ref().expect_err("it breaks off").to_string();
    assert!(bad.starts_with("not-json: samples/y_epoch_1.json: "), "{bad}");
    // Without its end, where the list of its files is, it is no archive.
    assert!(reading::read(&bytes[..bytes.len() - 30], None).is_err());
    // The list has four entries. The last one names the place of the second one, whose name is as long.
    let entries: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"PK\x01\x02")).collect();
    let mut overlapping = bytes.clone();
    let [second, last] = [entries[1] + 42, entries[3] + 42];
    overlapping.copy_within(second..second + 4, last);
    let error = reading::read(&overlapping[..], None).expect_err("one file is there twice");
    assert!(error.to_string().contains("found two that overlap"), "{error}");
}

/// A run is held in memory as a whole, so there is an end to its length.
#[test]
#[ignore = "reads more than may be held"]
fn a_run_that_is_too_long_is_reported() {
    let head = r#"[{"role": "user", "content": ""#.as_bytes();
    let long = head.chain(io::repeat(b'x').take(DOCUMENT_BYTES_MAX as u64 + 1)).chain(&b"\"}]"[..]);
    let (_, found) = reading::read(long, None).expect("memory can be read");
    let expected = format!("too-long: expected at most {DOCUMENT_BYTES_MAX} bytes, found more");
    assert_eq!(found[0].1.as_ref().expect_err("it is too long").to_string(), expected);
}

#[test]
fn depth_has_an_end() {
    let deep = format!(r#"{{"messages": [{{"role": "user", "content": {}"#, "[".repeat(200_000));
    let found = ids(&deep);
    assert!(
        found[0]
            .1
            .as_ref()
            .is_err_and(|it| it.contains("recursion limit exceeded") || it.contains("expected an object")),
        "{found:?}"
    );
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert!(ids(&deep).iter().all(|(_, it)| it.is_err()));
}

/// Calls of one answer, results in another order, one twice, one never, an id that comes again.
#[test]
fn calls_and_results_are_joined_however_they_come() {
    let file = r#"{"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "ls", "input": {}},
            {"type": "tool_use", "id": "a", "name": "ls", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"},
            {"type": "tool_result", "tool_use_id": "a", "content": "2"},
            {"type": "tool_result", "tool_use_id": "a", "content": "3"}]}]}"#;
    let recording = super::one(file);
    assert_eq!(recording.reused_ids, 1);
    let results = recording.messages.iter().filter(|it| matches!(it, Message::Result(_))).count();
    assert_eq!(results, 3);
    let recorded = balk::import::join(recording, &balk::import::Setting::default());
    assert_eq!((recorded.oddities.late_results, recorded.oddities.missing_results), (1, 0));
}
