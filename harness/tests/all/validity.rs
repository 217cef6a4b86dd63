//! `balk validity`: simulated detection beside recorded detection.

use std::path::Path;

use crate::common::program::{balk, ran, whole};

fn validity(more: &[&str]) -> std::process::Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let asked = ["validity", "good", "--labels", "labels/good.tsv", "--protocol", "tool"];
    balk(&folder, &[&asked[..], more].concat())
}

#[test]
fn both_sides_stand_side_by_side() {
    let arguments = ["--guard", "no-tools", "--guard", "default", "--guard", "cline", "--seeds", "0-99"];
    insta::assert_snapshot!("validity", whole(&mut validity(&arguments)));
}

/// Runs of a plan alone count for disturbance only, and runs of a slip for detection only.
#[test]
fn simulated_detection_is_that_of_the_slip() {
    let json = |suite: &str, guard: &str| {
        let arguments = ["--suite", suite, "--guard", guard, "--seeds", "0-49", "--format", "json"];
        let (code, out, err) = ran(&mut validity(&arguments));
        assert_eq!((code, &*err), (0, ""));
        serde_json::from_str::<serde_json::Value>(&out).expect("it is JSON")
    };
    let stretches = |it: &serde_json::Value| it["stacks"][0]["simulated_stretches"].clone();
    // No run of a plan alone is stuck, and every run of a slip is.
    let healthy = json("drawn/page-through", "naive-duplicate");
    assert_eq!(healthy["stacks"][0]["simulated"], "0.0000");
    assert!(stretches(&healthy)[1].as_u64() > Some(0), "{healthy}");
    let stuck = json("drawn/same-call", "naive-duplicate");
    assert_eq!(stretches(&stuck), serde_json::json!([0, 0]));
}

#[test]
fn halves_share_no_trajectory_and_make_the_whole() {
    let weight = |half: &str| {
        let arguments = ["--guard", "none", "--seeds", "0-0", "--half", half, "--format", "json"];
        let (code, out, err) = ran(&mut validity(&arguments));
        assert_eq!((code, &*err), (0, ""));
        let it: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        it["weight"].as_u64().expect("a weight")
    };
    assert_eq!(weight("even") + weight("odd"), weight("all"));
}

#[test]
fn what_cannot_be_used_is_refused() {
    for (arguments, expected) in [
        (&["--guard", "nobody"][..], "expected a known guard, found `nobody`"),
        (&["--suite", "nowhere"], "expected a scenario's name or file, found `nowhere`"),
        (&["--seeds", "9-1"], "expected two seeds"),
    ] {
        let (code, _, err) = ran(&mut validity(arguments));
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}
