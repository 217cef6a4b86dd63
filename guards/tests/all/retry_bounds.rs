//! The bounds of the retry-safety guard (spec R3, R4, R6): tries, time and questions.

use crate::common::broken::{DOWN, failure, nothing, promised, ran, shown, unknown};
use crate::common::retries::{asks, resends, run, run_set, stops};
use crate::common::{Loop, Turn, calls, says};
use balk_guards::{
    AttemptCause, AttemptResponse, Entry, FailedAttempt, Guard, Recovery, RetrySafety, RetrySafetySettings,
    Wait,
};

use AttemptCause::Disconnected;

#[test]
fn r3_the_wait_doubles_and_is_bounded() {
    let settings =
        RetrySafetySettings { retries: 5, backoff: 100, max_backoff: 700, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    for at_most in [100, 200, 400, 700, 700] {
        resends(&mut run, DOWN, nothing(), 0, at_most);
    }
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["5 times"]);
}

/// The request was sent again after this wait.
fn waited(run: &mut Loop, after: u64) {
    let failure = failure(DOWN, nothing());
    run.commit(Entry::Failed(FailedAttempt { failure, response: AttemptResponse::Resent { after } }));
}

#[test]
fn r3_all_waits_together_are_bounded() {
    let mut run = run();
    waited(&mut run, 179_300);
    resends(&mut run, DOWN, nothing(), 0, 700);
    // The provider may name a time, but not a later one than the bound.
    resends(&mut run, promised(503, 600), nothing(), 600, 700);
    stops(&mut run, promised(503, 200), nothing(), "told-to-wait", &["longer than this run may still wait"]);
    waited(&mut run, 100);
    let words = ["retrying 4 times within 3 minutes did not help"];
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &words);
    run.check(&says("Back."), "pass");
    resends(&mut run, DOWN, nothing(), 0, 500);
}

#[test]
fn r3_a_short_outage_is_survived_and_a_long_one_ends_the_run() {
    let mut drawn = 1_u64;
    let mut draw = |span: Wait| {
        drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        span.at_least + (drawn >> 33) % (span.at_most - span.at_least + 1)
    };
    let mut survives = |ticks: u64| {
        let mut guard = RetrySafety::default();
        let failure = failure(DOWN, nothing());
        let (mut now, mut tries) = (0, 0);
        while now < ticks {
            let Ok(Some(Recovery::Resend { after, .. })) = guard.recover(&failure) else { break };
            let after = draw(after);
            (now, tries) = (now + after, tries + 1);
            let response = AttemptResponse::Resent { after };
            guard.observe(&Entry::Failed(FailedAttempt { failure: failure.clone(), response }));
        }
        assert!(now <= 180_000 && tries <= 12, "{tries} tries within {now}");
        now >= ticks
    };
    let of_1000 =
        [500, 10_000, 30_000, 60_000, 181_000].map(|ticks| (0..1_000).filter(|_| survives(ticks)).count());
    assert_eq!(of_1000[..2], [1_000, 1_000]);
    assert!(of_1000[2] >= 999 && of_1000[3] >= 970 && of_1000[4] == 0, "{of_1000:?}");
}

#[test]
fn r3_extreme_settings_do_no_harm() {
    let huge = RetrySafetySettings {
        retries: u32::MAX,
        total_wait: u64::MAX,
        backoff: u64::MAX,
        max_backoff: u64::MAX,
        max_wait: u64::MAX,
        ..RetrySafetySettings::default()
    };
    let mut run = run_set(huge);
    for _ in 0..80 {
        resends(&mut run, DOWN, nothing(), 0, u64::MAX);
    }
    resends(&mut run, promised(429, u64::MAX), nothing(), u64::MAX, u64::MAX);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["81 times"]);
    let default = RetrySafetySettings::default();
    for none in
        [RetrySafetySettings { retries: 0, ..default }, RetrySafetySettings { total_wait: 0, ..default }]
    {
        let end =
            stops(&mut run_set(none), DOWN, nothing(), "early-transport-failure", &["Nothing was done"]);
        assert!(!end.contains("retrying"), "{end}");
        stops(&mut run_set(none), promised(503, 1), nothing(), "early-transport-failure", &[]);
    }
    let silent = RetrySafetySettings { questions: 0, ..default };
    stops(&mut run_set(silent), DOWN, ran(&["send_mail"]), "budget-spent", &["`send_mail`"]);
}

#[test]
fn r3_every_request_has_all_its_tries() {
    let mut run = run();
    for n in 0..40 {
        resends(&mut run, DOWN, nothing(), 0, 500);
        resends(&mut run, DOWN, nothing(), 0, 1_000);
        run.check(&calls("read", &format!("[{n}]")), "pass");
    }
    assert_eq!(run.interventions().count(), 0);
}

#[test]
fn r4_questions_about_one_request_are_bounded() {
    for refill in
        [(|_| {}) as fn(&mut Loop), |run| drop(run.check(&says("Back."), "pass")), |run| run.user("On.")]
    {
        let mut run = run();
        for _ in 0..3 {
            asks(&mut run, &Turn::default(), unknown(), "attempt-facts-incomplete", &[]);
        }
        stops(&mut run, Disconnected, unknown(), "budget-spent", &["3 times", "not asked again"]);
        // What cannot do anything twice is still free.
        resends(&mut run, DOWN, nothing(), 0, 500);
        let entries = run.entries.len();
        refill(&mut run);
        if run.entries.len() > entries {
            asks(&mut run, &Turn::default(), unknown(), "attempt-facts-incomplete", &[]);
        }
    }
}

#[test]
fn r6_the_provider_is_asked_again_when_it_wants_to_be_within_the_bound() {
    let mut run = run();
    resends(&mut run, promised(429, 2_000), nothing(), 2_000, 2_500);
    resends(&mut run, promised(503, 0), nothing(), 0, 1_000);
    resends(&mut run, promised(429, 60_000), shown(), 60_000, 62_000);
    resends(&mut run, promised(429, 60_000), nothing(), 60_000, 64_000);
    let words = ["60 seconds", "longer than this run may still wait", "Nothing was done"];
    stops(&mut run, promised(429, 60_000), nothing(), "told-to-wait", &words);
    resends(&mut run, promised(429, 57_000), nothing(), 57_000, 58_000);
    let mut run = Loop::new(RetrySafety::default());
    resends(&mut run, promised(429, 1), nothing(), 1, 501);
    resends(&mut run, DOWN, nothing(), 0, 1_000);
}
