//! The rules of other agents, as documented, and naive readings of the field designs: what ours are compared
//! with.

use std::sync::Arc;

use balk_guards::Guard;
use balk_peers::{
    Cline, Crush, GeminiCli, HermesLike, HermesLikeSettings, KimiCli, NaiveAbandonment,
    NaiveAbandonmentSettings, NaiveDuplicate, NaiveNoTools, NaiveRetry, OpenCode, OpenHands, OpenRouter,
    QwenCode, RooCode, RooCodeSettings, TurnLimit, TurnLimitSettings,
};
use serde_json::{Map, Value};

use super::{Maker, NoSettings, Registered, maker, read, settings_of};

/// Every peer that can be named. None is part of the stack `default`, and none is audited: what a rule cannot
/// do is not its mistake.
pub const PEERS: &[Registered] = &[
    plain(
        "cline",
        "rules as documented for classic Cline, efcec4b1c6: the same call 3 and 5 times, no tool used",
        |settings| with_none(settings, Cline::default),
    ),
    Registered {
        defaults: settings_of::<RooCodeSettings>,
        ..plain(
            "roo-code",
            "rules as documented for Roo Code, cb83656718: the same call a 4th time, no tool used",
            |settings| maker(settings, RooCode::new),
        )
    },
    plain(
        "openhands",
        "rules as documented for the OpenHands SDK, 611629e699: the same step 4 times, failing 3 and 4",
        |settings| with_none(settings, OpenHands::default),
    ),
    plain(
        "gemini-cli",
        "rules as documented for gemini-cli, 5411f113ca: cycles of 1 to 5 calls 5 times, chanting text",
        |settings| with_none(settings, GeminiCli::default),
    ),
    plain(
        "qwen-code",
        "rules as documented for qwen-code, 00aa71b4a0: 5 equal calls, git overviews, many calls; no nudge",
        |settings| with_none(settings, QwenCode::default),
    ),
    plain(
        "opencode",
        "rule as documented for opencode, 31e22f65a2: 3 equal calls in one message ask for a permission",
        |settings| with_none(settings, || OpenCode),
    ),
    plain(
        "crush",
        "rule as documented for crush, 37f36e9382: more than 5 of 10 steps equal, with their results",
        |settings| with_none(settings, Crush::default),
    ),
    plain(
        "kimi-cli",
        "rule as documented for kimi-cli, 4a550effdf: the same call 3, 5, 8 and 12 times",
        |settings| with_none(settings, KimiCli::default),
    ),
    plain(
        "openrouter",
        "rule as documented for OpenRouter's agent SDK, 5a7ed03e5a: the same rounds of a tool 3 and 6 times",
        |settings| with_none(settings, OpenRouter::default),
    ),
    Registered {
        defaults: settings_of::<HermesLikeSettings>,
        ..plain(
            "hermes-like",
            "rules as documented for hermes-agent, 06c25ac90b: failures, equal results, cycles; words, then stops",
            |settings| maker(settings, HermesLike::new),
        )
    },
    Registered {
        defaults: settings_of::<TurnLimitSettings>,
        ..plain(
            "turn-limit",
            "rule as documented for smolagents, e3a5b8994b: 20 turns, then the end",
            |settings| maker(settings, TurnLimit::new),
        )
    },
    Registered {
        defaults: settings_of::<NaiveAbandonmentSettings>,
        ..plain(
            "naive-abandonment",
            "the field design read naively: three failed calls and then a fence are corrected",
            |settings| maker(settings, NaiveAbandonment::new),
        )
    },
    plain(
        "naive-no-tools",
        "the field design read naively: text without a call is corrected, each time",
        |settings| with_none(settings, || NaiveNoTools),
    ),
    plain(
        "naive-duplicate",
        "the field design read naively: a call that was made before is refused, for ever",
        |settings| with_none(settings, NaiveDuplicate::default),
    ),
    plain("naive-retry", "the field design read naively: whatever broke is sent again at once", |settings| {
        with_none(settings, || NaiveRetry)
    }),
];

/// A row without variants and settings.
const fn plain(
    name: &'static str,
    about: &'static str,
    read: fn(Map<String, Value>) -> Result<Maker, serde_json::Error>,
) -> Registered {
    Registered {
        name,
        about,
        by_default: false,
        variants: &[],
        rules: &[],
        off: &[],
        defaults: Map::new,
        read,
    }
}

/// A guard that takes no settings.
fn with_none<G: Guard + 'static>(
    settings: Map<String, Value>,
    make: fn() -> G,
) -> Result<Maker, serde_json::Error> {
    read::<NoSettings>(settings)?;
    Ok(Arc::new(move |_| Box::new(make())))
}
