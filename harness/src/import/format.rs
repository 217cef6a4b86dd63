//! The formats of recorded runs.

/// A format of recorded runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Requests of OpenAI chat, with or without answers; the neutral form.
    OpenAiChat,
    /// Requests and responses of OpenAI Responses, or their items.
    OpenAiResponses,
    /// Rollouts of Codex.
    Codex,
    /// Anthropic messages.
    Anthropic,
    /// Sessions of Claude Code.
    ClaudeCode,
    /// Histories of Cline and Roo Code.
    Cline,
    /// Contents of Gemini.
    Gemini,
    /// Chats of gemini-cli.
    GeminiCli,
    /// Chats of qwen-code.
    QwenCode,
    /// Event streams of OpenHands.
    OpenHands,
    /// Trajectories of SWE-agent.
    SweAgent,
    /// Trajectories of mini-swe-agent.
    MiniSweAgent,
    /// Logs of Inspect.
    Inspect,
    /// Results of tau-bench.
    TauBench,
    /// Results of tau2-bench.
    Tau2,
    /// Trajectories in ATIF.
    Atif,
    /// Spans of OpenTelemetry's GenAI conventions.
    Otel,
    /// Exports of Langfuse.
    Langfuse,
    /// Exports of LangSmith.
    LangSmith,
    /// Results of InterCode.
    InterCode,
    /// Results of FireAct.
    FireAct,
    /// Results of MedAgentBench.
    MedAgentBench,
    /// Answers of ToolBench.
    ToolBench,
    /// Results of MINT.
    Mint,
    /// Notebooks of SUPER.
    Super,
    /// Cassettes of VCR.
    Vcr,
    /// Chats of several agents, which are refused.
    AgentsChat,
    /// Balk's own records.
    Balk,
}

impl Format {
    /// All of them, in the order of the documents.
    pub const ALL: [Self; 28] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Codex,
        Self::Anthropic,
        Self::ClaudeCode,
        Self::Cline,
        Self::Gemini,
        Self::GeminiCli,
        Self::QwenCode,
        Self::OpenHands,
        Self::SweAgent,
        Self::MiniSweAgent,
        Self::Inspect,
        Self::TauBench,
        Self::Tau2,
        Self::Atif,
        Self::Otel,
        Self::Langfuse,
        Self::LangSmith,
        Self::InterCode,
        Self::FireAct,
        Self::MedAgentBench,
        Self::ToolBench,
        Self::Mint,
        Self::Super,
        Self::Vcr,
        Self::AgentsChat,
        Self::Balk,
    ];

    /// The name of it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Codex => "codex",
            Self::Anthropic => "anthropic",
            Self::ClaudeCode => "claude-code",
            Self::Cline => "cline",
            Self::Gemini => "gemini",
            Self::GeminiCli => "gemini-cli",
            Self::QwenCode => "qwen-code",
            Self::OpenHands => "openhands",
            Self::SweAgent => "swe-agent",
            Self::MiniSweAgent => "mini-swe-agent",
            Self::Inspect => "inspect",
            Self::TauBench => "tau-bench",
            Self::Tau2 => "tau2",
            Self::Atif => "atif",
            Self::Otel => "otel",
            Self::Langfuse => "langfuse",
            Self::LangSmith => "langsmith",
            Self::InterCode => "intercode",
            Self::FireAct => "fireact",
            Self::MedAgentBench => "medagentbench",
            Self::ToolBench => "toolbench",
            Self::Mint => "mint",
            Self::Super => "super",
            Self::Vcr => "vcr",
            Self::AgentsChat => "agents-chat",
            Self::Balk => "balk",
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}
