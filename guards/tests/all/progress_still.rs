//! The progress guard: what hides a standstill behind a number. A pause of another length, a longer time limit, the
//! next lines of a file that has ended, another number in the name of the same file (spec P1).

use std::sync::Arc;

use crate::common::{Loop, Turn, calls};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn said(turns: impl IntoIterator<Item = Turn>) -> Vec<String> {
    let tools =
        [Tool::new("write").effect(Effect::IdempotentWrite), Tool::new("bash").purpose(Purpose::Shell)];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools))).said(turns)
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

#[test]
fn a_look_after_longer_and_longer_pauses_is_the_same_look() {
    let in_one = |n: usize, part: usize| {
        bash(&format!("sleep {n}0 && tail -1 export.log")).answers(&format!("writing part {part}"))
    };
    let first = ["10 note waiting 1", "16 block waiting 2", "17 ask waiting 3"];
    assert_eq!(said((1..18).map(|n| in_one(n, 4))), first);
    let apart = |n: usize, share: usize| {
        [bash(&format!("sleep {n}")).answers(""), bash("restore status").answers(&format!("{share} %"))]
    };
    let first = ["20 note waiting 1", "31 block waiting 2", "32 ask waiting 3"];
    assert_eq!(said((1..18).flat_map(|n| apart(n, 37))), first);
    // What moves is waited for, and so is what moves again after a while.
    assert_eq!(said((1..30).map(|n| in_one(n, n))), [""; 0]);
    assert_eq!(said((1..30).flat_map(|n| apart(n, n))), [""; 0]);
    assert_eq!(said((1..30).flat_map(|n| apart(n, n / 8))), [""; 0]);
    // Work in between is no waiting.
    let works =
        |n: usize| [bash(&format!("sleep {n}")).answers(""), bash(&format!("make part{n}")).answers("built")];
    assert_eq!(said((1..30).flat_map(works)), [""; 0]);
}

#[test]
fn a_failure_of_one_word_is_the_same_failure_and_needs_more_of_them() {
    let download = |n: usize| bash(&format!("dl get --timeout {n}0"));
    let said_once = said((1..13).map(|n| download(n).fails("timeout")));
    assert_eq!(said_once, ["12 note same-failure 1"]);
    assert_eq!(said((1..13).map(|n| download(n).fails(if n == 6 { "refused" } else { "timeout" }))), [""; 0]);
    assert_eq!(
        said((1..13).map(|n| if n == 6 { bash("ls").answers("a") } else { download(n).fails("timeout") })),
        [""; 0]
    );
}

#[test]
fn a_comment_that_counts_changes_nothing() {
    let tries = |n: usize| bash(&format!("deploy status --wait  # retry no. {n}"));
    assert_eq!(
        said((1..4).map(|n| tries(n).fails("error: no deployment named `cart`"))),
        ["3 note near-call 1"]
    );
    assert_eq!(
        said((1..4).map(|n| tries(n).answers("the deployment has no replicas"))),
        ["3 note near-call 1"]
    );
    let others = |n: usize| bash(&format!("deploy status --wait --part {n}"));
    assert_eq!(said((1..4).map(|n| others(n).fails("error: no deployment named `cart`"))), [""; 0]);
}

#[test]
fn lines_after_the_end_of_a_file_are_pages() {
    for command in
        ["sed -n {}00,{}99p todo.txt", "sed -n '{}00,{}99p' todo.txt", "tail -n +{}00 todo.txt | head -100"]
    {
        let lines =
            |n: usize, answer: &str| bash(&command.replace("{}", &n.to_string())).answers_something(answer);
        assert_eq!(said((1..7).map(|n| lines(n, ""))), ["6 note same-answer 1"], "{command}");
        assert_eq!(said((1..20).map(|n| lines(n, &format!("item {n}")))), [""; 0], "{command}");
    }
    // Lines of other files, and what is done to other lines.
    assert_eq!(said((1..20).map(|n| bash(&format!("sed -n 5p part{n}.txt")).answers(""))), [""; 0]);
    assert_eq!(said((1..20).map(|n| bash(&format!("sed -i {n}d todo.txt")).answers(""))), [""; 0]);
}

/// A report that says where we are, under the next number each time.
fn copy(name: &str, n: usize, text: &str) -> Turn {
    let arguments = format!(r#"{{"path":"{}","content":"{text}"}}"#, name.replace('#', &n.to_string()));
    calls("write", &arguments).answers(&format!("wrote {} bytes to file {n}", text.len()))
}

#[test]
fn the_same_text_in_numbered_files_is_written_again() {
    const REPORT: &str =
        "To summarise where we are: I went through the files, and I know how they hang together.";
    let copies = |n: usize| copy("REPORT_v#.md", n, REPORT);
    assert_eq!(said((1..22).map(copies)), ["10 note rewriting 1", "21 block rewriting 2"]);
    // With another clock in each.
    let stamped = |n: usize| copy("REPORT_#.md", n, &format!("# 09:1{}:0{}\\n{REPORT}", n % 6, n % 10));
    assert_eq!(said((1..12).map(stamped)), ["10 note rewriting 1"]);
    // Other texts, other files, short beginnings, and other work in between.
    assert_eq!(said((1..30).map(|n| copy("day#.md", n, &format!("{REPORT} Day {n}.")))), [""; 0]);
    assert_eq!(said((1..30).map(|n| copy("part#/init.py", n, "import all"))), [""; 0]);
    let labels = |n: usize| {
        let arguments = format!(r#"{{"file_name":"parts/{n}.txt","content":"label {n}: occitan"}}"#);
        calls("write", &arguments).answers("wrote 16 bytes")
    };
    assert_eq!(said((1..30).map(labels)), [""; 0]);
    let names =
        ["red", "blue", "green", "black", "white", "pink", "grey", "gold", "lime", "teal", "navy", "plum"];
    assert_eq!(said(names.map(|name| copy(&format!("{name}.md"), 0, REPORT))), [""; 0]);
    let works = |n: usize| [copies(n), bash(&format!("publish {n}")).answers(&format!("published as {n}"))];
    assert_eq!(said((1..20).flat_map(works)), [""; 0]);
}

/// A plan in other words is a plan again, while no step of it is taken.
#[test]
fn a_plan_in_other_words_is_written_again() {
    let plans =
        ["1 look\\n2 find\\n3 mend", "[ ] cause\\n[ ] repair", "first why, then how", "A: cause\\nB: run"];
    let writes = |tool: &str, n: usize| {
        calls(tool, &format!(r#"{{"list":"{}","n":"a"}}"#, plans[n % plans.len()])).answers("Updated.")
    };
    let names = ["TodoWrite", "update_todo_list", "update_plan", "set_card"];
    let said = |turns: Vec<Turn>| {
        let tools = names.map(|it| Tool::new(it).effect(Effect::IdempotentWrite));
        let offer = Offer::new(tools.into_iter().chain([Tool::new("bash").purpose(Purpose::Shell)]));
        Loop::with_offer(Progress::default(), Arc::new(offer)).said(turns)
    };
    for tool in &names[..3] {
        assert_eq!(said((0..4).map(|n| writes(tool, n)).collect()), [""; 0], "{tool}");
        assert_eq!(said((0..5).map(|n| writes(tool, n)).collect()), ["5 note rewriting 1"], "{tool}");
        let steps =
            |n: usize| [writes(tool, n), bash(&format!("make part{n}")).answers(&format!("built {n}"))];
        assert_eq!(said((0..12).flat_map(steps).collect()), [""; 0], "{tool}");
    }
    // What else a tool keeps may be set to one thing after another.
    assert_eq!(said((0..5).map(|n| writes("set_card", n)).collect()), [""; 0]);
}

/// Programs say "nothing" in more than one way.
#[test]
fn nothing_and_no_matches_are_the_same_answer() {
    let names = ["thermostat", "radiator", "heater", "trv", "boiler"];
    let search = |n: usize| {
        let place = n % names.len();
        let answer = ["", "(no matches)", "(no matches)", "", "No matches found"][place];
        bash(&format!("states list | grep -i {}", names[place])).answers(answer)
    };
    assert_eq!(said((0..10).map(search)), ["10 note same-answer 1"]);
    // One name after another, each asked about once.
    assert_eq!(said((0..5).map(search)), [""; 0]);
    // What is piped into a search has answered, also with nothing.
    let words =
        ["out of memory", "disk is full", "low on space", "no space left", "quota was met", "no room left"];
    let greps = words.map(|it| bash(&format!("zcat app.gz | grep '{it}'")).answers(""));
    assert_eq!(said(greps), ["6 note same-answer 1"]);
}
