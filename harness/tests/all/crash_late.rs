//! An agent that asks its model for something else, before its work and after it: for a title, and once more what it
//! asked first.
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

/// What offers no tool of the task is refused, and the agent goes on.
#[test]
fn a_first_request_that_cannot_be_bound_costs_no_verdict() {
    let scenarios = [("abandonment", "silent"), ("abandonment-control", "reached")];
    for verdict in check(&agent("--title-tool"), &scenarios, &[]) {
        assert!(verdict["requests"].as_u64() > Some(2), "{verdict:#}");
        assert_eq!(verdict["same_acts"][0], verdict["same_acts"][1], "{verdict:#}");
    }
}
