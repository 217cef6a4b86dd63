use super::*;

const GOOD: &str = "run-1\t4\tstuck\tcycle\t2\t3\t0\t12.667\tthe same two calls, third lap";

fn with_header(lines: &[&str]) -> String {
    let header = COLUMNS.join("\t");
    std::iter::once(&*header).chain(lines.iter().copied()).map(|line| format!("{line}\n")).collect()
}

#[test]
fn points_are_read() {
    let text = with_header(&[GOOD, "run-1\t6\tlegit\tnone\t-\t1\t1\t3\tnew\u{a0}text"]);
    let stuck = Point {
        trajectory: "run-1".into(),
        message: 4,
        label: Label::Stuck,
        kind: "cycle".into(),
        onset: Some(2),
        confidence: 3,
        control: false,
        weight: Weight(12_667),
        reason: "the same two calls, third lap".into(),
        place: None,
    };
    let legit = Point {
        trajectory: "run-1".into(),
        message: 6,
        label: Label::Legit,
        kind: "none".into(),
        onset: None,
        confidence: 1,
        control: true,
        weight: Weight(3_000),
        reason: "new\u{a0}text".into(),
        place: None,
    };
    assert_eq!(parse(&text), Ok(vec![stuck, legit]));
    assert_eq!(parse(&text.replace('\n', "\r\n")), parse(&text));
    assert_eq!(parse(text.trim_end()), parse(&text));
}

#[test]
fn weights_are_exact() {
    for (text, weight) in
        [("1", 1_000), ("0.5", 500), ("12.75", 12_750), ("0.001", 1), ("1000000", 1_000_000_000)]
    {
        assert_eq!(text.parse(), Ok(Weight(weight)), "{text}");
    }
    for text in [
        "",
        ".",
        "1.",
        ".5",
        "0",
        "0.000",
        "-1",
        "+1",
        "1e3",
        "1.2345",
        "1,5",
        " 1",
        "NaN",
        "inf",
        "1000000.001",
        "99999999999999999999999",
        "1.+5",
        "٣",
    ] {
        assert_eq!(text.parse::<Weight>(), Err(()), "{text}");
    }
    assert_eq!(Weight(12_050).to_string(), "12.050");
}

#[track_caller]
fn check_bad(text: &str, expected: &str) {
    let BadLabels { place, expected: due, found, hint } = parse(text).expect_err("the labels are bad");
    assert_eq!(format!("{place}: expected {due}, found {found}; {hint}"), expected);
}

#[test]
fn a_bad_header_is_shown() {
    let due = "line 1: expected the header `trajectory_id message_index label kind onset confidence control \
               weight reason`, separated by tabs, found";
    check_bad("", &format!("{due} nothing; {SEE_HELP}"));
    check_bad("point_id\tlabel\n", &format!("{due} `point_id label`; {SEE_HELP}"));
    check_bad(
        &with_header(&[GOOD]).replace("onset", "Onset"),
        &format!(
            "{due} `trajectory_id message_index label kind Onset confidence control weight reason`; {SEE_HELP}"
        ),
    );
}

#[test]
fn bad_lines_are_shown() {
    check_bad(&with_header(&[]), &format!("line 2: expected a judged point, found nothing; {SEE_HELP}"));
    check_bad(
        &with_header(&[GOOD, "run-1\t5\tstuck"]),
        "line 3: expected 9 columns, separated by tabs, found 3; a cell has no tabs and no line breaks",
    );
    check_bad(
        &with_header(&[GOOD, &GOOD.replace("stuck", "legit")]),
        "line 3: expected a point that no earlier line judges, found message 4 of `run-1`, as in line 2; keep \
         one of the two lines",
    );
}

#[test]
fn bad_cells_are_shown() {
    for (at, cell, expected) in [
        (0, "", "column 1 (trajectory_id): expected the id of a transcript, found ``"),
        (1, "-1", "column 2 (message_index): expected an index in `messages`, from 0, found `-1`"),
        (2, "Stuck", "column 3 (label): expected `stuck`, `legit` or `unsure`, found `Stuck`"),
        (3, " ", "column 4 (kind): expected a word for the repetition, or `none`, found ``"),
        (4, "5", "column 5 (onset): expected `-`, or an index up to that of the judged message, found `5`"),
        (5, "4", "column 6 (confidence): expected 1, 2 or 3, found `4`"),
        (6, "yes", "column 7 (control): expected 0 or 1, found `yes`"),
        (
            7,
            "-2.000",
            "column 8 (weight): expected a number above 0 and up to 1000000.000, with at most three decimals, found \
             `-2.000`",
        ),
        (8, "", "column 9 (reason): expected the deciding fact, found ``"),
    ] {
        let mut cells: Vec<&str> = GOOD.split('\t').collect();
        cells[at] = cell;
        check_bad(&with_header(&[&cells.join("\t")]), &format!("line 2, {expected}; {SEE_HELP}"));
    }
}

#[test]
fn comments_and_places_are_read() {
    let rows =
        with_header(&[GOOD]).replace("reason\n", "reason\tplace\n").replace("lap\n", "lap\ta.jsonl:3:4\n");
    let commented = format!("# by a reader\n#\n{rows}");
    let points = parse(&commented).expect("the labels are good");
    assert_eq!(points[0].place.as_deref(), Some("a.jsonl:3:4"));
    assert_eq!(parse(&rows), Ok(points));
    // Below the header a line with `#` is a point.
    check_bad(
        &format!("# by a reader\n{rows}# more\n"),
        "line 4: expected 10 columns, separated by tabs, found 1; a cell has no tabs and no line breaks",
    );
    let due = "the header `trajectory_id message_index label kind onset confidence control weight reason`";
    check_bad(
        "# by a reader\n",
        &format!("line 1: expected {due}, separated by tabs, found nothing; {SEE_HELP}"),
    );
}
