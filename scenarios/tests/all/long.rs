//! Long files: twice the file is twice the work, and what is said about one has a bound.
//!
//! Nothing here looks at a clock. Each file would take minutes where everything is compared with everything.

use std::fmt::Write;

use balk_scenarios::format::{Diagnostics, check, parse, template_of};
use balk_scenarios::toolsets;

const COUNT: usize = 12_000;

/// The starter, with something put before a part of it, once for each number.
#[track_caller]
fn grown(before: &str, more: impl Fn(usize) -> String) -> String {
    let text = template_of("mine");
    assert!(text.contains(before), "the starter has no {before}");
    let all = (0..COUNT).fold(String::new(), |mut all, at| {
        all.write_str(&more(at)).expect("writing to a string never fails");
        all
    });
    text.replacen(before, &(all + before), 1)
}

/// The starter, with another text of its task.
fn with_task(text: &str) -> String {
    let starter = template_of("mine");
    let task = "en = [\"Write {page.what} into {page.path}.\", \"Please add {page.path}: {page.what}.\"]";
    assert!(starter.contains(task), "the starter has another task");
    starter.replacen(task, &format!("en = [{text}]"), 1)
}

/// Whether a file is valid, how many diagnostics it has, and the last of them.
fn found(text: &str) -> (bool, usize, String) {
    match check("long.toml", text, toolsets::catalogue()) {
        Ok(checked) => {
            checked.warnings.iter().for_each(|it| assert!(it.render(false).len() < 4_000, "a long warning"));
            let last = checked.warnings.last().map_or(String::new(), |it| it.message.clone());
            (true, checked.warnings.len(), last)
        }
        Err(wrong) => (false, wrong.all().len(), last(&wrong)),
    }
}

fn last(wrong: &Diagnostics) -> String {
    assert!(wrong.render(false).len() < 100_000, "too much is said");
    wrong.all().last().expect("never empty").message.clone()
}

#[track_caller]
fn assert_fine(text: &str) {
    assert_eq!(found(text), (true, 0, String::new()));
}

/// 50 are shown, and how many more there are.
#[track_caller]
fn assert_more(text: &str, is_valid: bool, last: &str) {
    assert_eq!(found(text), (is_valid, 51, last.to_owned()));
}

#[test]
fn a_text_of_many_placeholders() {
    assert_fine(&with_task(&format!("\"{}\"", "{page.path}".repeat(COUNT))));
    assert_fine(&with_task(&format!("\"{}\"", "{{a}}".repeat(COUNT))));
}

#[test]
fn many_placeholders_that_are_unknown() {
    let one = format!("\"{}\"", "{bad.x}".repeat(COUNT));
    assert_more(&with_task(&one), false, "11950 more errors are not shown");
    let many: Vec<String> = (0..COUNT).map(|at| format!("\"{{bad{at}}}\"")).collect();
    assert_more(&with_task(&many.join(",")), false, "11950 more errors are not shown");
}

#[test]
fn many_names_that_are_used_nowhere() {
    let pools = grown("[[pool.page]]", |at| format!("[[pool.p{at}]]\na = \"{at}\"\n"));
    let numbers = grown("minutes = {", |at| format!("n{at} = {{ from = 1, to = 2 }}\n"));
    let phrases = grown("[phrases.task]", |at| format!("[phrases.q{at}]\nany = [\"x {at}\"]\n"));
    let parameters = grown("spontaneous = \"", |at| format!("q{at} = \"1/2\"\n"));
    for text in [pools, numbers, phrases, parameters] {
        assert_more(&text, true, "11950 more warnings are not shown");
    }
}

/// Names are not looked at in the order of the file.
#[test]
fn of_many_names_the_first_of_the_file_are_shown() {
    let text = grown("[[pool.page]]", |at| format!("[[pool.p{at}]]\na = \"{at}\"\n"));
    let checked = check("long.toml", &text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let shown = checked.warnings.iter().take(50).map(|it| it.message.clone());
    assert!(shown.eq((0..50).map(|at| format!("the pool `p{at}` is used nowhere"))));
}

#[test]
fn many_names_that_are_used() {
    let mut text = grown("minutes = {", |at| format!("n{at} = {{ from = 1, to = 2 }}\n"));
    text = text.replacen("[phrases.done]", "[phrases.counts]\nany = [COUNTS]\n\n[phrases.done]", 1);
    let counts: String = (0..COUNT).map(|at| format!("{{n{at}}}")).collect();
    text = text.replacen("COUNTS", &format!("\"{counts}\""), 1);
    text = text.replacen("opening = \"task\"\nreplies = [", "opening = \"task\"\nreplies = [\"counts\", ", 1);
    assert_fine(&text);
}

#[test]
fn many_languages_of_a_phrase() {
    let text = grown("[phrases.task]", |at| match at {
        0 => "[phrases.many]\n".to_owned(),
        at => format!("l{at} = [\"x\"]\n"),
    });
    let (is_valid, count, _) = found(&text);
    assert_eq!((is_valid, count), (false, 51));
}

#[test]
fn many_facts() {
    let facts: Vec<String> = (0..COUNT).map(|at| format!("\"f{at}\"")).collect();
    let text = template_of("mine").replacen(
        "facts = [\"locked\"]",
        &format!("facts = [\"locked\", {}]", facts.join(", ")),
        1,
    );
    assert_more(&text, true, "11950 more warnings are not shown");
}

/// The starter with as many states, each of which leads to the next one and says the same.
fn with_states() -> String {
    let state = |at: usize| {
        let to = if at + 1 < COUNT { format!("s{}", at + 1) } else { "done".to_owned() };
        format!(
            "[[stubborn.state]]\nname = \"s{at}\"\ntruth = [{{ is = \"productive\" }}]\nsays = \"announce\"\n\
             [[stubborn.state.next]]\nwhen = \"always\"\nto = \"{to}\"\n"
        )
    };
    grown("[[stubborn.state]]", state).replacen("start = \"write\"", "start = \"s0\"", 1)
}

#[test]
fn many_states_in_a_row() {
    // The states of the starter are not reached any more.
    let (is_valid, count, _) = found(&with_states());
    assert_eq!((is_valid, count), (false, 4));
}

#[test]
fn many_states_that_say_what_they_may_not() {
    let announced = "en = [\"I will write {page.path} now.\"]";
    let wrong = format!("en = [\"{}\"]", "{argument:path}".repeat(COUNT));
    let text = with_states();
    assert!(text.contains(announced), "the starter announces something else");
    assert_more(&text.replacen(announced, &wrong, 1), false, "11950 more errors are not shown");
}

#[test]
fn many_rules_and_transitions() {
    let rule = "[[environment.rule]]\ntool = \"write\"\nwhen = [{ argument = \"path\", contains = \"zzz\" }]\n\
                says = \"locked\"\n\n";
    let rules = grown("[[environment.rule]]", |_| rule.to_owned());
    let next = "[[stubborn.state.next]]\nwhen = \"refused\"\nto = \"talk\"\n\n";
    let transitions = grown("[[stubborn.state.next]]", |_| next.to_owned());
    for text in [rules, transitions] {
        let (is_valid, count, last) = found(&text);
        assert_eq!((is_valid, count), (true, 51), "{last}");
    }
}

#[test]
fn rules_that_differ_are_compared_up_to_a_bound() {
    let rule = |at: usize| {
        let when = format!("when = [{{ no_file = \"f{at}\" }}]");
        format!("[[environment.rule]]\ntool = \"write\"\n{when}\nfails = true\nsays = \"locked\"\n\n")
    };
    let text = grown("[[environment.rule]]", rule);
    assert_eq!(found(&text), (true, 1, "not all of this file was looked at".to_owned()));
}

#[test]
fn what_was_not_looked_at_is_said_among_many_warnings() {
    let rule = |at: usize| {
        let when = format!("when = [{{ no_file = \"f{at}\" }}]");
        format!("[[environment.rule]]\ntool = \"write\"\n{when}\nfails = true\nsays = \"locked\"\n\n")
    };
    let facts: Vec<String> = (0..60).map(|at| format!("\"f{at}\"")).collect();
    let text = grown("[[environment.rule]]", rule);
    let text = text.replacen("facts = [", &format!("facts = [{}, ", facts.join(", ")), 1);
    let checked = check("long.toml", &text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let shown: Vec<&str> = checked.warnings.iter().map(|it| &*it.message).collect();
    assert!(shown.contains(&"not all of this file was looked at"), "{shown:?}");
    assert_eq!((shown.len(), shown.last()), (52, Some(&"10 more warnings are not shown")));
    // Each of them counts, whether it is shown or not.
    assert_eq!(checked.warnings.iter().map(|it| it.count).sum::<usize>(), 61);
}

#[test]
fn a_few_diagnostics_are_all_shown() {
    let text = with_task(&format!("\"{}\"", "{bad.x}".repeat(50)));
    let wrong =
        parse("long.toml", &text, toolsets::catalogue()).map(|_| ()).expect_err("unknown placeholders");
    assert_eq!(wrong.all().len(), 50);
    let text = with_task(&format!("\"{}\"", "{bad.x}".repeat(51)));
    let wrong =
        parse("long.toml", &text, toolsets::catalogue()).map(|_| ()).expect_err("unknown placeholders");
    assert_eq!((wrong.all().len(), last(&wrong)), (51, "1 more error is not shown".to_owned()));
}
