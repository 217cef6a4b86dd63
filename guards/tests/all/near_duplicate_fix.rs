//! Near-duplicate writes against spec D5: a fix of what the error names, and a cosmetic change.

use crate::common::duplicates::{BLOCK, SECOND, run};
use crate::common::{Loop, Turn, calls};
use serde_json::json;

const PROGRAM: &str = "fn total(prices: &[u32]) -> u32 {\n    let mut sum = 0;\n    for price in prices {\n        \
                       sum += price;\n    }\n    sum\n}\n\nfn main() {\n    println!(\"{}\", total(&[1, 2, 3]));\n}\n";

fn write(content: &str) -> Turn {
    calls("write_file", &json!({ "path": "a.rs", "content": content }).to_string())
}

/// The program fails with an error, and then a changed one with the same error.
fn after(error: &str, first: &str, second: &str) -> (Loop, String) {
    let mut run = run();
    run.check(&write(first).fails(error), "pass");
    let said = crate::common::outline(&run.turn(&write(second).fails(error)));
    (run, said)
}

#[test]
fn d5_a_fix_of_what_the_error_names_is_no_near_duplicate() {
    let open = PROGRAM.trim_end().trim_end_matches('}');
    for (error, first, second) in [
        ("unexpected end of input; not written", open, PROGRAM),
        ("語法錯誤：缺少括號", open, PROGRAM),
        ("Zeile 2: unbekannte Option", PROGRAM, &PROGRAM.replace("mut sum", "mut  sum")),
        ("a.rs:6:5: expected `;`", PROGRAM, &PROGRAM.replace("    sum\n", "    sum;\n")),
        ("a.rs(2,9): es fehlt etwas", PROGRAM, &PROGRAM.replace("= 0", "= 0_u32")),
        ("error: Vec is not in scope", PROGRAM, &format!("use std::vec::Vec;\n{PROGRAM}")),
        ("el campo version es obligatorio", PROGRAM, &format!("// version 1\n{PROGRAM}")),
    ] {
        let (mut run, said) = after(error, first, second);
        assert_eq!(said, "pass", "{error}");
        // It failed in the same way, so the next change is one of many.
        run.check(&write(&second.replace("sum", "all")), BLOCK);
    }
}

#[test]
fn d5_a_cosmetic_change_is_a_near_duplicate_at_once() {
    for error in [
        "package `rich` is missing; rolled back",
        "EACCES: permission denied, open 'a.rs'",
        "rolled back (checked at 12:05:03)",
        "Zeile 2: unbekannte Option",
        "a.rs:2:9: wrong",
    ] {
        let (mut run, said) = after(error, PROGRAM, &format!("{PROGRAM}// the end\n"));
        assert_eq!(said, BLOCK, "{error}");
        run.check(&write(&format!("{PROGRAM}// an end\n")), SECOND);
    }
}

#[test]
fn d5_another_error_after_a_fix_may_be_fixed_as_well_but_not_the_first_one_again() {
    let open = PROGRAM.trim_end().trim_end_matches('}');
    let other = format!("use std::vec::Vec;\n{PROGRAM}");
    let mut run = run();
    run.check(&write(open).fails("unexpected end of input; not written"), "pass");
    run.check(&write(PROGRAM).fails("error: Vec is not in scope of main"), "pass");
    run.check(&write(&other).fails("unexpected end of input; not written"), "pass");
    run.check(&write(open), BLOCK);
}
