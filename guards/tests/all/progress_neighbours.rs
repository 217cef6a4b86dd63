//! The progress guard: healthy work in rows, checks and waits, each beside the standstill that looks like it.

use std::sync::Arc;

use crate::common::{Loop, Turn, again, calls};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("look").effect(Effect::ReadOnly),
        Tool::new("send_mail"),
        Tool::new("add_todo"),
        Tool::new("search"),
        Tool::new("edit_file"),
        Tool::new("get_job"),
        Tool::new("sleep"),
        Tool::new("browser_click"),
        Tool::new("bash").purpose(Purpose::Shell),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn bash(command: &str, answer: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#)).answers_something(answer)
}

// Nearly the same words: another thing, or another spelling.

const PEOPLE: [&str; 6] =
    ["Ann Miller", "Robert Chen", "Olga Petrova", "Dan Wright", "Eve Summers", "Grace Obi"];

fn mail(to: &str, text: &str) -> Turn {
    calls("send_mail", &format!(r#"{{"to":"{to}","text":"{text}"}}"#))
        .answers("The mail was accepted for delivery.")
}

#[test]
fn a_mail_to_each_of_several_people_is_a_row_and_a_mail_in_other_spellings_is_none() {
    let invited = PEOPLE.map(|it| {
        mail(
            it,
            &format!("Dear {it}, the meeting of next Monday is moved to the large room on the third floor."),
        )
    });
    check(invited, &[]);
    let row = [("田中 一郎", "大阪"), ("佐藤 花子", "名古屋"), ("鈴木 次郎", "札幌"), ("高橋 美咲", "福岡")];
    let inserted = row.map(|(name, city)| {
        bash(
            &format!("psql -c 'insert into people (name, city) values (({name}), ({city}))'"),
            "INSERT of one row: 0 1",
        )
    });
    check(inserted, &[]);
    let once_more = [
        "Dear Ann, the meeting of next Monday is in the large room.",
        "Dear Ann, the meeting of next Monday is in the large room!",
        "Dear Ann: the meeting of next monday is in the large room.",
        "Dear Ann, the meetings of next Monday is in the large room.",
    ];
    check(once_more.map(|it| mail("ann", it)), &["4 note near-call 1"]);
}

#[test]
fn what_is_added_one_after_another_is_a_row_and_what_is_asked_in_other_words_is_none() {
    let words = [
        "buy white paint for the wall",
        "call the school about Friday",
        "return the books to the library",
        "water the plants of our neighbours",
        "change the bulb in the hall",
        "book a table for Saturday night",
        "pick up shoes from repair",
    ];
    let of = |tool: &str, word: &str, answer: &str| {
        calls(tool, &format!(r#"{{"text":"{word}"}}"#)).answers(answer)
    };
    check(words.map(|it| of("add_todo", it, "The item was added to your list.")), &[]);
    check(words.map(|it| bash(&format!("gh issue comment 7 -b '{it}'"), "the comment was posted")), &[]);
    check(words.map(|it| of("search", it, "No document matches your words.")), &["6 note same-answer 1"]);
    let broken = "add_todo returned: Error: 'NoneType' object is not iterable";
    check(words.map(|it| of("add_todo", it, broken)), &["6 note same-answer 1"]);
}

#[test]
fn a_long_deed_with_the_next_number_is_a_row_and_a_program_with_another_number_is_none() {
    let letter = "Dear customer,\\nour records show that this invoice has not been paid yet. We kindly ask you to \
                  transfer the amount within ten days. If you have paid in the meantime, please disregard this letter.";
    let remind = |n: usize| mail("all", &format!("Invoice {n}: {letter}"));
    check((4101..4112).map(remind), &[]);
    let solve = |n: usize| {
        bash(
            &format!("python3 -c 'x = {n}\\nprint(len(set(range(3))))\\n# {letter}'"),
            "the sum is the same: 3",
        )
    };
    check((1..8).map(solve), &["6 note near-call 1"]);
}

// A check after each step.

fn edit(n: usize) -> Turn {
    calls("edit_file", &format!(r#"{{"path":"src/part{n}.ts","new_string":"const a{n} = 1"}}"#))
        .answers(&format!("edited part{n}"))
}

fn tested() -> Turn {
    bash("npm test", "Tests: 31 passed, 31 total")
}

#[test]
fn a_check_that_passes_after_each_new_step_is_work_and_one_after_nothing_new_is_none() {
    check((0..20).flat_map(|n| [edit(n), tested()]), &[]);
    let step = |n: usize| bash(&format!("sed -i s/old{n}/new{n}/ m{n}.py"), "");
    check((0..10).flat_map(|n| [step(n), tested()]), &[]);
    let both =
        |n: usize| step(n).and_calls("bash", r#"{"command":"npm test"}"#).answers("all 31 tests passed");
    check((0..10).map(both), &[]);
    // Many steps of unknown effect, and the check has not moved at all.
    check((0..12).flat_map(|n| [step(n), tested()]), &["24 note repeat 1"]);
    let known =
        |n: usize| calls("look", &format!(r#"{{"path":"{}"}}"#, n % 2)).answers("a text that is known");
    check((0..6).flat_map(|n| [known(n), tested()]), &["8 note cycle 1", "12 note repeat 1"]);
}

#[test]
fn a_test_that_fails_after_each_step_is_no_check_that_passes() {
    let failed = || bash("npm test", "FAIL test/cart.test.ts\nError: no total in 'cart'");
    check((0..3).flat_map(|n| [edit(n), failed()]), &["6 note repeat 1"]);
}

// Waiting.

fn job(id: &str, state: &str) -> Turn {
    calls("get_job", &format!(r#"{{"id":"{id}"}}"#))
        .answers(&format!(r#"{{"job":"{id}","state":"{state}"}}"#))
}

#[test]
fn jobs_that_are_looked_at_in_turn_may_go_on_and_ended_ones_do_not() {
    for state in ["provisioning", "UPLOADING_PARTS", "procesando", "en cours", "处理中", "wird erstellt"] {
        check(again(&[job("a", state), job("b", state)], 12), &[]);
    }
    for state in ["completed", "active", "terminado", "已完成", "abgeschlossen"] {
        check(again(&[job("a", state), job("b", state)], 5), &["4 note cycle 1"]);
    }
    // A job without a sign of life.
    check(again(&[job("a", "provisioning")], 16), &["10 note waiting 1", "16 block waiting 2"]);
}

#[test]
fn a_tool_with_the_name_of_a_pause_waits_and_one_that_only_has_it_inside_does_not() {
    let look = || bash("cat out", "part 2 of the index");
    let sleep = || calls("sleep", r#"{"ms":30000}"#).answers("");
    check(again(&[sleep(), look()], 12), &[]);
    check(again(&[sleep(), look()], 24), &["20 note waiting 1"]);
    let named = || calls("look", r#"{"path":"sleep"}"#).answers("");
    check(again(&[named(), look()], 5), &["4 note cycle 1"]);
}

// One failure in several spellings.

const SPELLINGS: [&str; 7] = [
    "npm test",
    "npm run test",
    "npx jest",
    "npm test 2>&1 | tail -20",
    "CI=1 npm test",
    "npx jest --runInBand",
    "cd web && npm test",
];

#[test]
fn one_failure_in_several_spellings_with_changes_in_between_is_told_at_the_fifth() {
    let error = "FAIL test/cart.test.ts\nTypeError: Cannot read properties of undefined (reading 'total')";
    let turns = |error: fn(usize, &str) -> String, text: &'static str| {
        (0..7).flat_map(move |n| [edit(n), bash(SPELLINGS[n], &error(n, text))]).collect::<Vec<_>>()
    };
    check(turns(|_, text| text.to_owned(), error), &["10 note persisting-failure 1"]);
    let text = {
        let mut run = run();
        run.said(turns(|_, text| text.to_owned(), error));
        run.interventions().next().expect("a note").note.text.to_string()
    };
    assert!(text.contains("in several spellings failed in the same way 5 times"), "{text}");
    // Another failure each second time, and one that ends in between.
    check(turns(|n, text| if n % 2 == 0 { text.to_owned() } else { format!("{text} in '{n}'") }, error), &[]);
    check(
        turns(|n, text| if n % 3 == 2 { "5 passed".into() } else { text.to_owned() }, error)[..8].to_vec(),
        &[],
    );
}

#[test]
fn items_of_a_batch_that_are_refused_alike_are_no_spellings() {
    let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "iota"];
    let refused =
        |name: &str| bash(&format!("rm -r /srv/{name}"), "rm: error: '/srv' is a read-only file system");
    check(names.iter().enumerate().flat_map(|(n, it)| [refused(it), edit(n)]), &[]);
}

// References.

fn click(n: usize, text: &str) -> Turn {
    let of = |at: usize| n * 17 + at;
    let page = format!(
        "- heading 'Checkout' [level=1]\n- textbox 'Street' [ref=e{}]\n- button 'Order' [ref=e{}]\n- {text} [ref=e{}]",
        of(2),
        of(5),
        of(8),
    );
    let arguments = format!(r#"{{"element":"Order button","ref":"e{}"}}"#, of(5));
    calls("browser_click", &arguments).answers(&page)
}

#[test]
fn a_page_that_only_numbers_its_elements_anew_is_the_same_page() {
    check((1..8).map(|n| click(n, "Please fill in all fields")), &["6 note same-answer 1"]);
    let things = [
        "a chair",
        "a lamp",
        "two cups",
        "a rug",
        "a vase",
        "ten nails",
        "a desk",
        "a shelf",
        "a mat",
        "a bin",
    ];
    check((0..10).map(|n| click(n, &format!("Added to the cart: {}", things[n]))), &[]);
}
