//! Widths, on a terminal and elsewhere.

use super::super::block::paragraph;
use super::super::text::{code, strong};
use super::*;

fn stacks() -> Table {
    let mut table = Table::new([("stack", Side::Left), ("done", Side::Right), ("what it says", Side::Left)]);
    table.row(["既定", "7", "a word and another"]);
    table.row(["🙂 or none", "1,000", "ok"]);
    table
}

#[track_caller]
fn check(document: impl Into<Document>, columns: Option<usize>, expected: &str) {
    assert_eq!(terminal(&document.into(), Screen { colour: false, columns }), expected);
}

#[test]
fn wide_characters_take_two_columns() {
    check(
        stacks(),
        None,
        "stack        done  what it says\n\
         既定            7  a word and another\n\
         🙂 or none  1,000  ok\n",
    );
}

#[test]
fn cells_are_wrapped_where_the_screen_is_narrow() {
    check(
        stacks(),
        Some(30),
        "stack        done  what it\n                   says\n\
         既定            7  a word and\n                   another\n\
         🙂 or none  1,000  ok\n",
    );
}

#[test]
fn an_interval_stays_on_the_line_of_its_number() {
    let mut table = Table::of_numbers(["guard", "recovered", "of"]);
    table.row(["default", "1 (0.3–44.5 %)", "9 (1 to 2) of 3"]);
    check(
        table,
        Some(37),
        "guard         recovered            of\n\
         default  1 (0.3–44.5 %)    9 (1 to 2)\n\
         \x20                                of 3\n",
    );
}

#[test]
fn columns_that_do_not_fit_are_put_below() {
    let mut table = Table::of_numbers(["guard", "interventions", "trials"]);
    table.row(["default", "12", "100"]);
    check(
        table,
        Some(24),
        "guard    interventions\ndefault             12\n\n\
         guard    trials\ndefault     100\n",
    );
}

#[test]
fn no_line_is_wider_than_the_screen_as_long_as_words_are_not() {
    let text = "Prose is wrapped between words, as is 日本語の長い文章です where it is too long for a line.";
    for columns in 12..90 {
        let shown = terminal(
            &[paragraph(text), stacks().into()].into(),
            Screen { colour: true, columns: Some(columns) },
        );
        assert!(shown.lines().all(|line| display_width(line) <= columns.max(20)), "{columns}:\n{shown}");
    }
}

#[test]
fn a_long_chinese_title_fits_80_columns_in_prose_and_in_a_cell() {
    let title = "反复读取已经读过的文件，而不继续完成任务。".repeat(5);
    let mut table = Table::new([("scenario", Side::Left), ("kind", Side::Left), ("title", Side::Left)]);
    table.row(["repeating-success", "stubborn", &title]);
    let document = Document::from([paragraph(title.as_str()), table.into()]);
    let shown = terminal(&document, Screen { colour: false, columns: Some(80) });
    let widths: Vec<usize> = shown.lines().map(display_width).collect();
    assert!(widths.iter().all(|width| *width <= 80) && widths[0] == 80, "{shown}");
    let heading =
        shown.lines().position(|line| line == "scenario           kind      title").expect("one group");
    let cells = shown
        .lines()
        .skip(heading + 1)
        .map(|line| line.chars().filter(|c| !c.is_ascii()).collect::<String>());
    assert_eq!(cells.collect::<String>(), title);
}

#[test]
fn an_indented_cell_that_fits_is_not_broken() {
    let mut table = Table::new([("", Side::Left); 2]);
    table.row(["* retry-safety", "one"]);
    table.row(["  retry-safety=conservative", "two"]);
    check(table, None, "* retry-safety               one\n  retry-safety=conservative  two\n");
}

#[test]
fn titles_and_notes_are_next_to_their_table_and_columns_without_a_name_have_no_heading() {
    let mut table =
        Table { title: strong("two"), notes: vec!["2 more".into()], ..Table::new([("", Side::Left); 2]) };
    table.row(["a", "b"]);
    check(table.clone(), None, "two\na  b\n2 more\n");
    table.rows.clear();
    check(table, None, "two\n2 more\n");
}

#[test]
fn colours_take_no_columns() {
    let screen = Screen { colour: true, columns: None };
    let mut table = Table::new([(strong("stack"), Side::Left), (Text::from("of"), Side::Right)]);
    table.row(["x", "100"]);
    assert_eq!(terminal(&table.into(), screen), "\u{1b}[1mstack\u{1b}[0m   of\nx      100\n");
}

#[test]
fn a_command_is_never_broken() {
    check(
        [paragraph(Text::from("run again: ") + code("balk scenario repeating --seed 7") + " or not")],
        Some(20),
        "run again:\nbalk scenario repeating --seed 7\nor not\n",
    );
}

#[test]
fn a_long_indented_line_loses_nothing_but_its_breaks() {
    let line = "    one two 三四五六七八 three, four five six seven eight";
    for columns in 8..display_width(line) {
        let lines = super::wrapped(line, columns);
        let kept: String = lines.concat().split(' ').collect();
        assert_eq!(kept, line.replace(' ', ""), "{columns} columns: {lines:?}");
    }
}
