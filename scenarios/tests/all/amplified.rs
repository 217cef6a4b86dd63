//! A short file does not become a lot of text.

use balk_scenarios::format::{Diagnostic, parse, template_of};
use balk_scenarios::toolsets;

/// What is wrong with the starter once a part of it is replaced.
#[track_caller]
fn wrong(changes: &[(&str, &str)]) -> Vec<String> {
    errors(changes).iter().map(|it| format!("{}: {}", it.message, it.place.label)).collect()
}

/// What there is most of in a trial that may say too much, once parts of the starter are replaced.
#[track_caller]
fn too_much(changes: &[(&str, &str)]) -> String {
    let [only] = &errors(changes)[..] else { panic!("{:?}", wrong(changes)) };
    assert_eq!(only.message, "a trial may say too much");
    only.help[0].split(" may have ").next().expect("a part").to_owned()
}

#[track_caller]
fn errors(changes: &[(&str, &str)]) -> Vec<Diagnostic> {
    let text = changes.iter().fold(template_of("mine"), |text, (old, new)| {
        assert!(text.contains(old), "the starter has no {old}");
        text.replace(old, new)
    });
    match parse("mine.toml", &text, toolsets::catalogue()) {
        Ok(_) => Vec::new(),
        Err(wrong) => wrong.all().to_vec(),
    }
}

const VALUE: &str = "what = \"the usage guide\"";
const VARIANT: &str = "\"Next I will write {page.what}.\"";
const REPLIES: &str = "replies = [\"proceed\", \"proceed\", \"proceed\"]";

fn value(bytes: usize) -> String {
    format!("what = \"{}\"", "x".repeat(bytes))
}

fn often(times: usize) -> String {
    format!("\"{}\"", "{page.what}".repeat(times))
}

#[test]
fn a_long_value_that_is_named_often_is_refused() {
    let at_most = "expected at most 1048576 (1 MiB)";
    let found = wrong(&[(VALUE, &value(100_000)), (VARIANT, &often(1_000))]);
    assert_eq!(found, [format!("this text may become 100000000 bytes long: {at_most}")]);
    // The bound itself is fine.
    assert_eq!(wrong(&[(VALUE, &value(1 << 10)), (VARIANT, &often(1 << 10))]), [""; 0]);
    let one_more = wrong(&[(VALUE, &value(1 << 10)), (VARIANT, &often((1 << 10) + 1))]);
    assert_eq!(one_more, [format!("this text may become 1049600 bytes long: {at_most}")]);
}

#[test]
fn many_texts_of_some_length_are_refused() {
    let many = vec![often(1 << 10); 17].join(", ");
    let [found] = &wrong(&[(VALUE, &value(1 << 10)), (VARIANT, &many)])[..] else { panic!("one error") };
    assert!(found.starts_with("the texts of this file may become too long: "), "{found}");
}

#[test]
fn a_long_phrase_that_the_user_says_often_is_refused() {
    let replies = |count| format!("replies = [{}]", vec!["\"excuse\""; count].join(", "));
    let long = [(VALUE, &*value(1 << 10)), (VARIANT, &*often(1 << 8))];
    let of = |count| wrong(&[long[0], long[1], (REPLIES, &replies(count))]);
    assert_eq!(of(3), [""; 0]);
    let at_most = "expected at most 1048576 bytes (1 MiB) in all, and there are more from here on";
    let expected = format!("the user may say too much: {at_most}");
    assert_eq!(of(1_000), [expected]);
}

#[test]
fn a_trial_that_may_be_very_long_is_refused() {
    let turns = |count: u32| format!("turns = {count}");
    let of = |count, more: &[(&str, &str)]| wrong(&[&[("turns = 30", &*turns(count))], more].concat());
    assert_eq!(of(10_000, &[]), [""; 0]);
    assert_eq!(of(10_001, &[]), ["the limit of turns is 10001: expected at most 10000"]);
    let long = [(VALUE, &*value(1 << 10)), (VARIANT, &*often(1 << 8))];
    assert_eq!(of(700, &long), [""; 0]);
    let found = of(1_100, &long);
    assert!(found.len() == 1 && found[0].starts_with("a trial may say too much: "), "{found:?}");
}

const TURNS: (&str, &str) = ("turns = 30", "turns = 10000");
const CALLS: (&str, &str) = ("calls = 40", "calls = 10000");
const SENT: &str = "content = \"# {page.what}\\n\"";
const SAYS: &str = "fails = true\nsays = \"locked\"";

fn content(text: &str, times: usize) -> String {
    format!("content = \"{}\"", text.repeat(times))
}

#[test]
fn what_is_sent_with_calls_counts() {
    let long = (SENT, &*content("x", 100_000));
    assert_eq!(wrong(&[long]), [""; 0]);
    assert_eq!(too_much(&[long, TURNS]), "an attempt of the model");
    // In JSON it is longer.
    let escaped = (SENT, &*content("\\u0001", 100_000));
    let turns = ("turns = 30", "turns = 1000");
    assert_eq!(wrong(&[long, turns]), [""; 0]);
    assert_eq!(too_much(&[escaped, turns]), "an attempt of the model");
}

#[test]
fn what_is_said_of_arguments_counts() {
    let long = (SENT, &*content("x", 10_000));
    let of = |said: &str| (SAYS, format!("{SAYS}\n\n[phrases.echo]\nany = [\"{said}\"]\n"));
    let (says, echo) = of(&"{argument:content}".repeat(5));
    let echo = echo.replacen("\"locked\"", "\"echo\"", 1);
    assert_eq!(wrong(&[long, (says, &echo)]), [""; 0]);
    assert_eq!(too_much(&[long, (says, &echo), CALLS]), "the answer to a call");
}

#[test]
fn files_that_grow_count() {
    let writes = format!("{SAYS}\nwrites = [{{ path = \"log\", append = \"{}\" }}]", "x".repeat(1_000));
    assert_eq!(wrong(&[(SAYS, &writes)]), [""; 0]);
    assert_eq!(too_much(&[(SAYS, &writes), CALLS]), "a file that is read");
    let writes = writes.replacen("append", "content", 1);
    assert_eq!(wrong(&[(SAYS, &writes), CALLS]), [""; 0]);
    let writes = writes.replacen("\"log\"", "\"{nth}.log\"", 1).replacen("xx", &"x".repeat(500_000), 1);
    let only_writes =
        ("roles = [\"write\", \"read\", \"list\", \"shell\"]", "roles = [\"write\", \"shell\"]");
    assert_eq!(too_much(&[(SAYS, &writes), only_writes, CALLS]), "the text that a call adds to the files");
}

#[test]
fn attempts_that_break_off_count() {
    let (long, variant) = (value(1 << 10), often(1 << 8));
    let says = "says = \"excuse\"";
    let breaks = format!("{says}\nbreak = [{{ cause = \"disconnected\", at = \"output\" }}]");
    let attempts = ("attempts = 3", "attempts = 100");
    let long = [(VALUE, &*long), (VARIANT, &variant)];
    assert_eq!(wrong(&[long[0], long[1], (says, &breaks)]), [""; 0]);
    // Without a break there is one attempt in each turn.
    assert_eq!(wrong(&[long[0], long[1], attempts]), [""; 0]);
    assert_eq!(too_much(&[long[0], long[1], (says, &breaks), attempts]), "an attempt of the model");
}

#[test]
fn notifications_that_come_often_count() {
    let of =
        |times: u32| format!("[[environment.notification]]\nsays = \"unlocked\"\ntimes = {times}\n\n[goal]");
    assert_eq!(wrong(&[("[goal]", &of(1_000))]), [""; 0]);
    assert_eq!(too_much(&[("[goal]", &of(u32::MAX))]), "a notification or an interrupt");
}

#[test]
fn phrases_that_are_the_same_in_many_languages_are_refused() {
    let letters = || 'a'..='z';
    let languages: String =
        letters().flat_map(|a| letters().map(move |b| format!("{a}{b} = [\"x\"]\n"))).collect();
    let phrases: String = (0..2_000).map(|at| format!("[phrases.q{at}]\nany = [\"{{hex}}\"]\n")).collect();
    let first = "[phrases.task]";
    let found = wrong(&[(first, &format!("{phrases}[phrases.all]\n{languages}{first}"))]);
    assert!(found.iter().any(|it| it.starts_with("the texts of this file may become too long")), "{found:?}");
}
