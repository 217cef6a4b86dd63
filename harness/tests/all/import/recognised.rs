//! Formats are recognised by what files have inside; what is nearly one, or two, says so.

use balk::import::{Format, reading};

use super::{all, one};

#[track_caller]
fn check_unknown(file: &str, expected: &str) {
    let all = all(file);
    let bad = all[0].1.as_ref().expect_err("it is of no format");
    assert_eq!(bad.to_string(), format!("unknown-format: {expected}"));
}

#[test]
fn a_near_miss_says_what_is_missing() {
    check_unknown(
        r#"{"info": {}, "simulations": [{"id": "1", "turns": []}]}"#,
        "expected a format that is known, found none: for `tau2`, this is missing: simulations[].messages[].role",
    );
    check_unknown(
        r#"{"schema_version": "ATIF-v1.7", "steps": []}"#,
        "expected a format that is known, found none: for `atif`, this is missing: steps[].source",
    );
    check_unknown(
        "{\"sessionId\": \"s\", \"type\": \"user\"}\n{}",
        "expected a format that is known, found none: for `claude-code`, this is missing: message.role",
    );
    check_unknown(
        r#"{"a": 1}"#,
        "expected a format that is known, found none (`balk import --help` lists them)",
    );
}

#[test]
fn two_formats_at_once_are_an_error_that_names_both() {
    check_unknown(
        r#"{"contents": [], "messages": []}"#,
        "expected one format, found `openai-chat` and `gemini`: choose with --from",
    );
    let text = br#"{"contents": [], "messages": []}"#;
    let (format, found) = reading::read(&text[..], Some(Format::Gemini)).expect("memory can be read");
    assert_eq!(format, Some(Format::Gemini));
    assert!(found[0].1.is_ok(), "{found:?}");
}

#[test]
fn what_is_forced_says_where_it_is_something_else() {
    let text = br#"{"messages": [{"role": "user", "content": "x"}]}"#;
    for (format, expected) in [
        (Format::Gemini, "wrong-shape: line: missing field `contents`"),
        (Format::Atif, "wrong-shape: line: missing field `steps`"),
        (Format::Otel, "wrong-shape: line: missing field `resourceSpans`"),
    ] {
        let (_, found) = reading::read(&text[..], Some(format)).expect("memory can be read");
        let bad = found[0].1.as_ref().expect_err("it is no such log");
        assert_eq!(bad.to_string(), expected, "{}", format.name());
    }
}

/// A special form wins over the general one that it is made of.
#[test]
fn the_special_form_wins() {
    let call = r#"{"type": "tool_use", "id": "a", "name": "ls", "input": {}}"#;
    let anthropic = format!(r#"{{"messages": [{{"role": "assistant", "content": [{call}]}}]}}"#);
    let (format, _) = reading::read(anthropic.as_bytes(), None).expect("memory can be read");
    assert_eq!(format, Some(Format::Anthropic));
    // Without a block of its own, there is nothing to tell, and nothing to lose.
    let plain = r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}"#;
    let (format, _) = reading::read(plain.as_bytes(), None).expect("memory can be read");
    assert_eq!(format, Some(Format::OpenAiChat));
    assert_eq!(one(plain).messages.len(), 1);
}

/// A file may begin with lines that say nothing, such as a summary.
#[test]
fn lines_before_the_first_message_do_not_hide_it() {
    let file = "{\"type\": \"summary\"}\n{\"x\": 1}\n{\"type\": \"user\", \"sessionId\": \"s\", \"message\": \
                {\"role\": \"user\", \"content\": \"x\"}}\n";
    let (format, _) = reading::read(file.as_bytes(), None).expect("memory can be read");
    assert_eq!(format, Some(Format::ClaudeCode));
}
