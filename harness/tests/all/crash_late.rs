//! An agent that asks its model again after its work: for a title, and once more what it asked first.
#![cfg(target_os = "linux")]

use crate::crash::{agent, check};

#[test]
fn what_an_agent_asks_after_its_work_undoes_nothing() {
    let scenarios =
        [("abandonment", "silent"), ("abandonment-control", "reached"), ("repeating-control", "reached")];
    for verdict in &check(&agent("--late"), &scenarios, &[])[1..] {
        assert_eq!(verdict["lie"], false, "{verdict:#}");
    }
}
