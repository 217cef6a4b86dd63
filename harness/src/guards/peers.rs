//! The rules of other agents, and naive versions of the field designs, to compare our guards with.

use balk_peers::{
    Cline, Crush, Forge, GeminiCli, HermesLike, KimiCli, NaiveAbandonment, NaiveDuplicate, NaiveNoTools,
    NaiveRetry, OpenCode, OpenHands, OpenRouter, QwenCode, RooCode, TurnLimit,
};

use super::registered::{NoSettings, Registered};

/// Every peer that can be named. None is audited: a peer's missing ability is not a fault to report.
pub(super) fn peers() -> impl Iterator<Item = Registered> {
    agents().into_iter().chain(naive()).map(Registered::peer)
}

fn agents() -> [Registered; 12] {
    [
        Registered::new(
            "cline",
            "rules of classic Cline, efcec4b1c6: the same call 3 and 5 times, no tool used",
            |NoSettings {}| Cline::default(),
        ),
        Registered::new(
            "roo-code",
            "rules of Roo Code, cb83656718: the same call a 4th time, no tool used",
            RooCode::new,
        ),
        Registered::new(
            "openhands",
            "rules of the OpenHands SDK, 611629e699: the same step 4 times, not executed 3 and 4",
            |NoSettings {}| OpenHands::default(),
        ),
        Registered::new(
            "gemini-cli",
            "rules of gemini-cli, 5411f113ca: cycles of 1 to 5 calls 5 times, chanting text",
            |NoSettings {}| GeminiCli::default(),
        ),
        Registered::new(
            "qwen-code",
            "rules of qwen-code, 00aa71b4a0: 5 equal calls, git overviews, many calls; no nudge",
            |NoSettings {}| QwenCode::default(),
        ),
        Registered::new(
            "opencode",
            "rule of opencode, 31e22f65a2: 3 equal calls in one message ask for a permission",
            |NoSettings {}| OpenCode,
        ),
        Registered::new(
            "crush",
            "rule of crush, 37f36e9382: more than 5 of 10 steps equal, with their results",
            |NoSettings {}| Crush::default(),
        ),
        Registered::new(
            "kimi-cli",
            "rule of kimi-cli, 4a550effdf: the same call 3, 5, 8 and 12 times",
            |NoSettings {}| KimiCli::default(),
        ),
        Registered::new(
            "openrouter",
            "rule of OpenRouter's agent SDK, 5a7ed03e5a: the same rounds of a tool 3 and 6 times",
            |NoSettings {}| OpenRouter::default(),
        ),
        Registered::new(
            "hermes-like",
            "rules of hermes-agent, 06c25ac90b: failures, equal results, cycles; words, then stops",
            HermesLike::new,
        ),
        Registered::new(
            "turn-limit",
            "rule of smolagents, e3a5b8994b: 20 turns, then the end",
            TurnLimit::new,
        ),
        Registered::new(
            "forge",
            "rules of forge 0.9.3, 3565af35c6: printed calls made calls, no tool used, unknown tools, steps, failures",
            Forge::new,
        ),
    ]
}

fn naive() -> [Registered; 4] {
    [
        Registered::new(
            "naive-abandonment",
            "the field design read naively: three failed calls and then a fence are corrected",
            NaiveAbandonment::new,
        ),
        Registered::new(
            "naive-no-tools",
            "the field design read naively: text without a call is corrected, each time",
            |NoSettings {}| NaiveNoTools,
        ),
        Registered::new(
            "naive-duplicate",
            "the field design read naively: a call that was made before is refused, for ever",
            |NoSettings {}| NaiveDuplicate::default(),
        ),
        Registered::new(
            "naive-retry",
            "the field design read naively: whatever broke is sent again at once",
            |NoSettings {}| NaiveRetry,
        ),
    ]
}
