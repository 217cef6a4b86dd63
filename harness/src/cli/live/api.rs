//! The formats of requests that `balk live` speaks.

use balk_contract::wire::Dialect;
use clap::ValueEnum;

/// The formats of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Api {
    /// OpenAI chat completions
    Openai,
    /// OpenAI Responses
    Responses,
    /// Anthropic messages
    Anthropic,
}

impl Api {
    /// Its name in plans.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// The dialect of the API with this name.
    pub(super) fn dialect(name: &str) -> Dialect {
        match Self::value_variants().iter().find(|it| it.name() == name) {
            Some(Self::Responses) => Dialect::Responses,
            Some(Self::Anthropic) => Dialect::Anthropic,
            Some(Self::Openai) | None => Dialect::OpenAi,
        }
    }
}
