//! The duplicate guard: a call that is sent once more in another spelling, and looks at what others write (spec D1,
//! D7).

use crate::common::duplicates::{BLOCK, check};
use crate::common::{Turn, calls};

/// The verdict about a call that was refused before.
const AGAIN: &str = "block same-call-after-feedback 2";

fn bash(command: &str, answer: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#)).answers(answer)
}

#[test]
fn d4_a_spelling_that_got_the_same_answer_does_not_begin_the_ladder_anew() {
    let call = || bash("tool list", "");
    for variant in ["tool list 2>&1", "tool list # again", "tool list | cat"] {
        check(&[
            (call(), "pass"),
            (call(), "pass"),
            (call(), BLOCK),
            (bash(variant, ""), "pass"),
            (call(), AGAIN),
        ]);
    }
    // Another answer, or another call, may have changed something.
    for other in [bash("tool list --all", "one"), bash("tool make", "")] {
        check(&[(call(), "pass"), (call(), "pass"), (call(), BLOCK), (other, "pass"), (call(), "pass")]);
    }
}

#[test]
fn d7_a_log_that_stands_still_is_looked_at_for_longer() {
    for command in ["tail -n 4 out.log", "docker logs --tail 4 db"] {
        let call = || bash(command, "12 INFO ready to accept connections");
        let mut turns = vec![(call(), "pass"); 8];
        turns.push((call(), BLOCK));
        check(&turns);
    }
    let cut = || {
        bash(
            "make | tail -n 4",
            "12 INFO ready to accept connections, and so on and on and on and on, and then \
        nothing more that is of any use",
        )
    };
    check(&[(cut(), "pass"), (cut(), "pass"), (cut(), BLOCK)]);
}

#[test]
fn d7_the_row_of_a_job_that_waits_is_a_poll() {
    let row = "   71342     long    fit-a     ada PD       0:00      2 (Resources)";
    check(&vec![(bash("squeue -j 71342", row), "pass"); 12]);
}
