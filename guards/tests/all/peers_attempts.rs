//! The peers' answers to broken attempts, as documented.

use balk_guards::{AttemptCause, AttemptFailure, Guard, Recovery};
use balk_peers::{
    Cline, Forge, GeminiCli, HermesLike, KimiCli, NaiveRetry, OpenCode, OpenHands, QwenCode, RooCode,
};

/// The answer to each attempt: the least wait in ticks, `ask`, `stop` or nothing.
#[track_caller]
fn check_attempts(guard: &dyn Guard, cause: AttemptCause, expected: &str) {
    let attempts = expected.split_whitespace().zip(1..);
    let answers: Vec<String> = attempts
        .map(|(_, attempt)| {
            let failure = AttemptFailure { cause, ..AttemptFailure::empty(attempt) };
            match guard.recover(&failure).expect("guards of this crate never break") {
                Some(Recovery::Resend { after, .. }) => after.at_least.to_string(),
                Some(Recovery::Ask(_)) => "ask".into(),
                Some(Recovery::Stop(_)) => "stop".into(),
                None => "-".into(),
            }
        })
        .collect();
    assert_eq!(answers.join(" "), expected, "{} after {cause}", guard.name());
}

#[test]
fn broken_attempts_are_made_again_as_documented() {
    let status = |code, retry_after| AttemptCause::Status { code, retry_after };
    let (empty, broken) = (AttemptCause::Empty, AttemptCause::Disconnected);
    check_attempts(&Cline::default(), empty, "2000 4000 8000 ask");
    check_attempts(&Cline::default(), broken, "2000 4000 8000 ask");
    check_attempts(&Cline::default(), status(401, None), "ask");
    check_attempts(&RooCode::default(), empty, "5000 10000 20000 40000 80000 160000 320000 600000 600000");
    check_attempts(&OpenHands::default(), empty, "8000 16000 32000 64000 -");
    check_attempts(&OpenHands::default(), broken, "-");
    check_attempts(&GeminiCli::default(), empty, "1000 2000 4000 -");
    check_attempts(&GeminiCli::default(), broken, "3500 7000 14000 21000 21000 21000 21000 21000 21000 -");
    check_attempts(&GeminiCli::default(), status(400, None), "-");
    check_attempts(&QwenCode::default(), broken, "-");
    check_attempts(&OpenCode, broken, "2000 4000 8000 16000 30000 -");
    check_attempts(&OpenCode, status(503, None), "2000 4000 8000 16000 32000 -");
    check_attempts(&OpenCode, status(429, Some(70_000)), "70000 70000 70000 70000 70000 -");
    check_attempts(&OpenCode, status(400, None), "-");
    check_attempts(&OpenCode, empty, "-");
    check_attempts(&KimiCli::default(), empty, "300 600 -");
    check_attempts(&KimiCli::default(), broken, "0 -");
    check_attempts(&KimiCli::default(), status(503, None), "300 600 -");
    check_attempts(&KimiCli::default(), status(408, None), "-");
    check_attempts(&HermesLike::default(), empty, "0 0 0 -");
    check_attempts(&HermesLike::default(), broken, "-");
    check_attempts(&Forge::default(), empty, "0 0 0 stop");
    check_attempts(&Forge::default(), broken, "-");
    check_attempts(&NaiveRetry, status(400, None), "0 0 0 0 0");
}

#[test]
fn a_wait_varies_by_as_much_as_is_documented() {
    let after = |guard: &dyn Guard, cause: AttemptCause, attempt| {
        let again = guard.recover(&AttemptFailure { cause, ..AttemptFailure::empty(attempt) });
        let Ok(Some(Recovery::Resend { after, .. })) = again else { panic!("{}: {again:?}", guard.name()) };
        (after.at_least, after.at_most)
    };
    let busy = AttemptCause::Status { code: 503, retry_after: None };
    assert_eq!(after(&GeminiCli::default(), AttemptCause::Connect, 1), (3_500, 6_500));
    assert_eq!(after(&OpenCode, AttemptCause::Connect, 1), (2_000, 2_500));
    assert_eq!(after(&OpenCode, AttemptCause::Connect, 4), (16_000, 20_000));
    assert_eq!(after(&OpenCode, AttemptCause::Connect, 5), (30_000, 30_000));
    assert_eq!(after(&OpenCode, busy, 5), (32_000, 40_000));
}
