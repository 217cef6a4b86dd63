//! Spec X5: a text that repeats itself inside one message.

use crate::common::{Loop, Turn, bare_offer, calls, says, thinks};
use balk_guards::repetition::{Repeated, Watch};
use balk_guards::{
    CallRepair, ChoiceKind, EmptyCompletion, FinishReason, Guard, NoTools, Offer, Repetition, Stack,
    default_stack,
};
use proptest::collection::vec;
use proptest::prelude::*;

const CHANT: &str = "I will now look at the file and then I will go on. ";
const FIRST: &str = "retry repeats-itself 1";
const SECOND: &str = "retry repeats-itself 2";
const THIRD: &str = "ask repeats-itself 3";
const LAST: &str = "stop repeats-itself 4";

fn run() -> Loop {
    Loop::new(Repetition::default())
}

fn chant() -> Turn {
    says(&CHANT.repeat(20))
}

/// What the guard says last in a turn, as an outline and as a text.
fn last(run: &mut Loop, turn: &Turn) -> (String, String) {
    match (run.said([turn.clone()]).last(), run.interventions().last()) {
        (Some(said), Some(it)) => (said.trim_start_matches("1 ").to_owned(), it.note.text.to_string()),
        _ => ("pass".to_owned(), String::new()),
    }
}

#[track_caller]
fn check(run: &mut Loop, turn: &Turn, expected: &str) -> String {
    let (said, text) = last(run, turn);
    assert_eq!(said, expected, "to {turn:?}");
    text
}

fn repeated(text: &str) -> Option<Repeated> {
    let mut watch = Watch::new();
    watch.push(text);
    watch.end()
}

/// What was thought beside a text, and a text in place of which a call was made, are not what the model says.
#[test]
fn x5_thinking_beside_a_text_and_a_repaired_text_are_left_alone() {
    check(&mut run(), &thinks(&CHANT.repeat(20)), FIRST);
    check(&mut run(), &thinks(&CHANT.repeat(20)).and_says("The file is fine."), "pass");
    check(&mut run(), &says("The file is fine.").and_thinks(&CHANT.repeat(20)), "pass");
    let guards = Stack::new(vec![Box::new(CallRepair::default()), Box::new(Repetition::default())]);
    let call = r#"{"name": "read", "arguments": {"path": "a"}}"#;
    // At most 400 characters may come before a call that is meant.
    let chant = "我现在来看看这个文件。".repeat(35);
    let mut repaired = Loop::new(guards);
    repaired.turn(&says(&format!("{chant}\n{call}")));
    assert_eq!(repaired.interventions().map(|it| it.kind.name()).collect::<Vec<_>>(), ["repair"]);
    check(&mut run(), &says(&chant), FIRST);
}

// The ladder.

#[test]
fn x5_two_corrections_a_question_and_the_end() {
    let mut run = run();
    run.choice = ChoiceKind::Instruct;
    let first = check(&mut run, &chant(), FIRST);
    assert!(first.contains("the same 51 characters come 20 times in a row"), "{first}");
    assert!(first.contains("Go on with the task from where you were before it"), "{first}");
    assert!(!first.contains("look at the file"), "{first}");
    let second = check(&mut run, &chant(), SECOND);
    assert!(second.contains("time 2 in this run") && second.contains("the user is asked"), "{second}");
    let third = check(&mut run, &chant(), THIRD);
    assert!(third.contains("in its last message") && third.contains("twice before"), "{third}");
    let last = check(&mut run, &chant(), LAST);
    assert!(last.starts_with("Stopped: the model repeats one text"), "{last}");
}

#[test]
fn m2_a_call_is_only_asked_for_where_there_are_tools() {
    let without = std::sync::Arc::new(Offer::default());
    for (offer, speaks) in [(bare_offer(), true), (without, false)] {
        let mut run = Loop::with_offer(Repetition::default(), offer);
        for _ in 0..2 {
            let said = last(&mut run, &chant()).1;
            assert_eq!(said.contains("call"), speaks, "{said}");
        }
    }
}

#[test]
fn m1_the_texts_differ() {
    let mut run = run();
    for n in 0..12 {
        run.turn(&chant());
        if n % 4 == 3 {
            check(&mut run, &says("Done."), "pass");
        }
    }
    let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    for pair in said.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

#[test]
fn x5_a_message_in_order_takes_it_back_to_the_first_step_and_a_request_to_the_beginning() {
    let mut run = run();
    check(&mut run, &chant(), FIRST);
    check(&mut run, &chant(), SECOND);
    check(&mut run, &calls("read", "{}"), "pass");
    check(&mut run, &chant(), SECOND);
    check(&mut run, &chant(), THIRD);
    run.user("Go on.");
    check(&mut run, &chant(), LAST);
    run.user("Then read b.py first, and tell me what it says.");
    check(&mut run, &chant(), FIRST);
}

#[test]
fn x5_thinking_that_repeats_itself_is_corrected_if_nothing_else_came() {
    let mut run = run();
    let said = check(&mut run, &thinks(&CHANT.repeat(20)), FIRST);
    assert!(said.contains("Your last thinking repeats itself"), "{said}");
    check(&mut run, &thinks(&CHANT.repeat(20)).and_says("The import is missing."), "pass");
    check(&mut run, &thinks(&CHANT.repeat(20)).and_calls("read", "{}"), "pass");
}

#[test]
fn x5_text_beside_calls_is_left_alone() {
    check(&mut run(), &chant().and_calls("read", "{}"), "pass");
}

#[test]
fn x5_a_chant_that_was_cut_off_is_not_to_be_continued() {
    let cut = || chant().finishes(FinishReason::Length);
    let mut run = Loop::new(default_stack());
    let said = check(&mut run, &cut(), FIRST);
    assert!(said.contains("and then it was cut off"), "{said}");
    check(&mut run, &cut(), SECOND);
    check(&mut run, &cut(), THIRD);
    // The order of the two decides: they answer alike.
    let members: Vec<Box<dyn Guard>> = vec![
        Box::new(EmptyCompletion::default()),
        Box::new(NoTools::default()),
        Box::new(Repetition::default()),
    ];
    check(&mut Loop::new(Stack::new(members)), &cut(), "retry truncated-text 1");
}

#[test]
fn x5_a_run_is_taken_up_where_it_was_saved() {
    let mut run = run();
    run.user("Write \"I will now look at the file and then I will go on\" sixty times.");
    run.pass(&chant(), 1);
    check(&mut run, &says(&"The second file is not there. ".repeat(30)), FIRST);
    let saved = run.guard.save();
    run.guard = Box::new(Repetition::default());
    run.guard.load(saved).expect("its own state");
    run.pass(&chant(), 1);
    check(&mut run, &says(&"The second file is not there. ".repeat(30)), SECOND);
}

// What it finds.

#[test]
fn x5_one_text_over_and_over_is_found_in_any_language_and_form() {
    for (unit, times) in [
        (CHANT, 10),
        ("Thinking... Done. ", 17),
        ("the file is not there and ", 12),
        ("- I read the file again.\n", 90),
        ("我现在来处理这个文件，然后继续。", 19),
        ("ファイルを確認してから続けます", 20),
        ("Я сейчас прочитаю файл ещё раз.\n\n", 10),
        ("ฉันจะอ่านไฟล์อีกครั้งแล้วทำต่อ", 10),
        ("no, ", 500),
        ("}\n", 5_002),
        ("!", 10_000),
    ] {
        let text = unit.repeat(times);
        let found = repeated(&text).unwrap_or_else(|| panic!("{unit}"));
        assert_eq!((found.chars, found.is_open), (unit.chars().count(), true), "{unit}");
        assert!(found.times == times || unit == "}\n" && found.times + 1 == times, "{unit}: {found:?}");
        assert_eq!((found.first, text[found.last..].trim()), (unit.len(), ""), "{unit}");
        let before = "That is what I found out about it: nothing at all, so far. ";
        let found = repeated(&format!("{before}{text}")).unwrap_or_else(|| panic!("{unit} at the end"));
        assert!(found.times >= times - 1 && found.is_open, "{unit}: {found:?}");
        let less = unit.repeat(if times > 400 { times / 2 } else { 6 });
        assert_eq!(repeated(&format!("{before}{less}")), None, "{unit}");
    }
}

#[test]
fn x5_a_paragraph_four_times_is_enough_and_it_may_have_a_fence_in_it() {
    let paragraph = "I look at the file.\n\n```python\nx = {1: [2, 3]}\n```\n\nThis does not work, because the import \
                     of the module is missing. So I look at the module, and at the test, and then I read the file \
                     once more, from the beginning to the end, and find nothing in it \
                     that could be the reason; so I have to look at the file, which is where I have begun:\n\n";
    assert!(paragraph.len() > 300);
    let found = repeated(&format!("So.\n{}", paragraph.repeat(4))).expect("four paragraphs");
    assert_eq!((found.chars, found.times), (paragraph.len(), 4));
    assert_eq!(repeated(&format!("So.\n{}", paragraph.repeat(3))), None);
}

#[test]
fn x5_a_message_that_is_one_sentence_four_times_is_nothing_else() {
    for unit in ["I will write it now.\n", "Thinking... Done. ", "我现在来处理。\n", CHANT] {
        for text in
            [unit.repeat(4), unit.repeat(4).trim_end().to_owned(), format!("\n{}\n\n", unit.repeat(4))]
        {
            let found = repeated(&text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.times, found.chars), (4, unit.chars().count()), "{text}");
        }
        for less in [unit.repeat(3), unit.repeat(9) + "So", format!("So: {}", unit.repeat(9))] {
            assert_eq!(repeated(&less), None, "{less}");
        }
        let mut watch = Watch::new();
        assert_eq!(watch.push(&unit.repeat(5)), None, "it may go on");
    }
    for unit in ["no ", "x = 1;\n", "| a b | c d |\n", "----", "- [ ] Task\n"] {
        assert_eq!(repeated(&unit.repeat(8)), None, "{unit}");
    }
    for request in ["Say it 12 times.", "Say 'I will write it now.' a dozen times"] {
        let mut watch = Watch::answering(request);
        watch.push(&"I will write it now.\n".repeat(12));
        assert_eq!(watch.end(), None, "{request}");
    }
}

#[test]
fn x5_a_long_unit_that_is_like_itself_inside_is_found_as_a_whole() {
    let lines: String =
        (0..40).map(|n| format!("Look at the file once more, and at part {} too.\n", n / 3)).collect();
    let text = lines.repeat(12);
    let found = repeated(&text).expect("twelve copies");
    assert_eq!(found.chars, lines.len(), "{found:?}");
    assert!(found.times >= 9, "{found:?}");
}

#[test]
fn x5_who_finds_the_way_out_alone_is_left_alone() {
    let answer = "The build fails because the import is missing; I have added it, and all tests pass now. ";
    let rest: String = (1..30).map(|n| format!("{n}. {answer}\n")).collect();
    check(&mut run(), &says(&format!("{}{rest}", CHANT.repeat(12))), "pass");
    check(&mut run(), &says(&format!("{}So.", CHANT.repeat(12))), FIRST);
    check(&mut run(), &says(&format!("{rest}{}", CHANT.repeat(12))), FIRST);
}

// What looks like it.

/// Lines made from a number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|n| line(n) + "\n").collect()
}

fn healthy() -> Vec<(&'static str, String)> {
    let fenced = |text: String| format!("Here it is:\n\n```\n{text}```\n");
    let row = |_| "<tr><td></td><td>none</td><td></td></tr>".to_owned();
    vec![
        ("closing braces", lines(12, |n| "  ".repeat(12 - n) + "}")),
        ("ends", "end\n".repeat(60)),
        (
            "breaks of a switch",
            lines(40, |n| format!("    case {n}:\n        return \"none\";\n        break;")),
        ),
        ("equal statements", "    self.assertEqual(result, expected)\n".repeat(60)),
        ("equal statements in a fence", fenced("draw the line and turn\n".repeat(200))),
        ("imports", lines(40, |n| format!("import {{ Part{n} }} from './parts/part{n}';"))),
        ("a matrix of zeros", lines(28, |_| "0 ".repeat(28))),
        ("a table of equal cells", format!("| a | b |\n|---|---|\n{}", "| none | none |\n".repeat(60))),
        ("a table", lines(60, |n| format!("| shelf in the north hall | {n} | counted |"))),
        ("a list with one beginning", lines(60, |n| format!("- projects/cloud/locations/us/services/{n}"))),
        ("numbered steps", lines(60, |n| format!("{n}. I will try it again with the next file."))),
        ("a check list", "- [ ] Task\n".repeat(40)),
        ("a form", "- [ ] still to be filled in by the owner\n".repeat(30)),
        (
            "a log",
            lines(80, |n| format!("2026-01-01 12:{:02}:{:02} INFO heartbeat received", n / 60, n % 60)),
        ),
        (
            "the same line of a log in a fence",
            fenced("INFO: waiting for the server to come up\n".repeat(100)),
        ),
        ("progress bars", lines(50, |n| format!("[{}{}] {n}/50", "#".repeat(n), " ".repeat(50 - n)))),
        ("rulers", format!("{}\nText\n{}\n", "-".repeat(400), "=".repeat(400))),
        ("a drawing", lines(20, |n| format!("{}/{}\\", " ".repeat(20 - n), "_".repeat(2 * n)))),
        ("box drawing", "╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─".repeat(15)),
        ("base64", "QUJDREVGR0hJSktM".repeat(3) + &"A".repeat(1_500)),
        ("equal objects", format!("[{}]", "{\"x\": 0, \"y\": 0}, ".repeat(100))),
        ("zeros", format!("[{}]", "0, ".repeat(784))),
        ("falses", format!("[{}]", "false, ".repeat(200))),
        ("a hex dump", lines(60, |n| format!("{:08x}: 0000 0000 0000 0000 0000 0000", n * 16))),
        ("rows", lines(100, |n| format!("{n},Smith,Berlin,2026-01-01,open"))),
        ("html", format!("<table>\n{}</table>\n", lines(60, row))),
        ("laughter", "ha ".repeat(200)),
        ("a refrain", {
            let refrain = "Row, row, row your boat, gently down the stream.\n".repeat(4);
            (1..6).map(|n| format!("{refrain}This is the verse, and its number is {n}.\n")).collect()
        }),
        ("tests", lines(80, |n| format!("test parts::part_{n} ... ok"))),
        ("dots", ".".repeat(1_000)),
        ("a word for emphasis", "very ".repeat(100)),
        ("zero bytes", "\\x00".repeat(400)),
        ("a level", format!("{}\n{}", "W".repeat(64), "W..............................W\n".repeat(30))),
    ]
}

#[test]
fn x5_healthy_text_that_looks_like_it_is_left_alone() {
    for (name, text) in healthy() {
        assert_eq!(repeated(&text), None, "{name}");
        check(&mut run(), &says(&text), "pass");
        check(&mut run(), &thinks(&text), "pass");
    }
}

#[test]
fn x5_a_fence_needs_much_more() {
    let line = "draw the line and turn\n";
    for fence in ["```\n", "~~~python\n", "  ```rust\n", "> ```\n", "1. ```\n"] {
        assert_eq!(repeated(&format!("Look:\n{fence}{}", line.repeat(300))), None, "{fence}");
        assert!(repeated(&format!("Look:\n{fence}{}", line.repeat(600))).is_some(), "{fence}");
    }
    for not in ["", "a ```\n", "``\n", "```\nx\n```\n", "~~~\n```\n~~~\n"] {
        assert!(repeated(&format!("Look:\n{not}{}", line.repeat(60))).is_some(), "{not}");
    }
}

#[test]
fn x5_a_user_may_ask_for_it() {
    let turn = |unit: &str, times: usize| says(&unit.repeat(times));
    for (request, unit, times) in [
        ("Write it 100 times.", CHANT, 100),
        ("Generate 50 rows for me.", "Smith and sons in Berlin have an open order\n", 50),
        (
            "Write 'I will not talk in class' a hundred times, one below the other.",
            "I will not talk in class.\n",
            100,
        ),
        ("请把“我以后上课不再说话了”写一百遍。", "我以后上课不再说话了。", 100),
    ] {
        let mut run = run();
        check(&mut run, &turn(unit, times), FIRST);
        run.user(request);
        check(&mut run, &turn(unit, times), "pass");
        run.user("Go on.");
        check(&mut run, &turn(unit, times), "pass");
        check(&mut run, &turn(unit, 300), FIRST);
        let mut watch = Watch::answering(request);
        watch.push(&unit.repeat(times));
        assert_eq!(watch.end(), None, "{request}");
    }
}

// A stream.

#[test]
fn x5_a_stream_is_cut_while_it_chants() {
    for unit in [CHANT, "我现在来处理这个文件，然后继续。", "no "] {
        let enough = repeated(&unit.repeat(700)).map_or(0, |_| if unit == "no " { 2_000 } else { 1_024 });
        let mut watch = Watch::new();
        let mut read = 0;
        let found = std::iter::repeat_n(unit, 2_000).find_map(|piece| {
            read += piece.len();
            watch.push(piece)
        });
        let found = found.unwrap_or_else(|| panic!("{unit}"));
        assert!(found.is_open && read <= enough + 256 + unit.len(), "{unit}: {read}");
        assert_eq!(watch.push(unit), None, "it is told once");
        let before = watch.found().expect("still").times;
        watch.push(&unit.repeat(100));
        assert!(watch.found().expect("still").times > before);
    }
}

/// Text with stretches that repeat themselves, exactly or nearly.
fn texts() -> impl Strategy<Value = String> {
    let unit = prop_oneof![
        Just(CHANT.to_owned()),
        Just("```\n".to_owned()),
        Just("我来处理。".to_owned()),
        Just("x = {}\n".to_owned()),
        "[ab .\n]{1,90}",
        "[a-z\n ]{200,700}",
    ];
    vec((unit, 1..40_usize, any::<bool>()), 1..8).prop_map(|parts| {
        parts.into_iter().fold(String::new(), |mut text, (unit, times, is_moved)| {
            for n in 0..times {
                text += &unit;
                if is_moved && n % 7 == 6 {
                    text += &n.to_string();
                }
            }
            text
        })
    })
}

proptest! {
    #[test]
    fn x5_how_a_text_is_cut_into_pieces_never_matters(text in texts(), pieces in vec(1..900_usize, 1..40)) {
        let mut watch = Watch::new();
        let mut told = Vec::new();
        let mut rest = &*text;
        for piece in pieces.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at(rest.ceil_char_boundary((*piece).min(rest.len())));
            told.extend(watch.push(piece));
            rest = more;
        }
        let mut whole = Watch::new();
        let at_once = whole.push(&text);
        prop_assert_eq!(watch.found(), whole.found());
        prop_assert!(!told.is_empty() || at_once.is_none());
        prop_assert_eq!(watch.end(), whole.end());
        whole.clear();
        whole.push(&text);
        prop_assert_eq!(whole.end(), watch.end(), "a watch that is used again is a new one");
    }

    /// The report is true: the text has the copies that are counted.
    #[test]
    fn x5_what_is_reported_is_there(text in texts()) {
        if let Some(it) = repeated(&text) {
            let span = &text.as_bytes()[..it.last];
            prop_assert!(it.times >= 4, "{:?}", it);
            let copy: Vec<&[u8]> = span.rchunks(text[..it.first].chars().rev().take(it.chars).map(char::len_utf8).sum())
                .take(it.times - 1).collect();
            prop_assert!(copy.windows(2).all(|it| it[0] == it[1]), "{:?}", it);
            prop_assert!(!it.is_open || text[it.last..].trim().is_empty(), "{:?}", it);
        }
    }
}

#[test]
fn x5_the_memory_is_bounded() {
    let mut watch = Watch::new();
    for n in 0..20_000 {
        watch.push(&format!("Part {n} of the text says something that part {} did not. ", n + 1));
    }
    assert_eq!(watch.end(), None);
    assert!(std::mem::size_of_val(&watch) < 1_024);
}
