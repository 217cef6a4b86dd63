//! The forms of every format, and by what each is recognised.

use serde::de::IgnoredAny;

use super::bad::BadLine;
use super::format::Format;
use super::sink::{Head, Sink};
use super::{
    anthropic, atif, claude_code, cline, gemini, gemini_cli, inspect, intercode, langfuse, langsmith,
    medagentbench, mini_swe_agent, mint, notebook, openai_chat, openhands, otel, parse, react_text,
    responses, swe_agent, tau, toolbench, vcr,
};
use Format::{
    AgentsChat, Anthropic, Atif, Balk, ClaudeCode, Cline, Codex, FireAct, Gemini, GeminiCli, Inspect,
    InterCode, LangSmith, Langfuse, MedAgentBench, MiniSweAgent, Mint, OpenAiChat, OpenAiResponses,
    OpenHands, Otel, QwenCode, Super, SweAgent, Tau2, TauBench, ToolBench, Vcr,
};

/// What values are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// A file with one a line.
    Lines,
    /// A list, of which each is looked at.
    Elements,
    /// A list that is looked at as a whole.
    List,
    /// A document.
    Document,
    /// A document in YAML.
    Yaml,
}

/// What is one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Each value.
    Value,
    /// All values of a file.
    File,
    /// Each element of the list in this member of a document.
    Member(&'static str),
}

/// One form of a format.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) format: Format,
    pub(super) containers: &'static [Container],
    pub(super) unit: Unit,
    /// What it has inside, as [`Shape::has`] takes it.
    pub(super) marks: &'static [&'static str],
    pub(super) read: Reader,
    /// Reads what comes before the first element of [`Unit::Member`].
    pub(super) head: fn(&[u8]) -> Head,
}

/// Reads a piece.
pub(super) type Reader = fn(&str, &Head, &mut Sink) -> Result<(), BadLine>;

const VALUES: &[Container] = &[Container::Lines, Container::Elements, Container::Document];
const LISTS: &[Container] = &[Container::List];
/// A file of lines may have but one.
const LINES: &[Container] = &[Container::Lines, Container::Document];
const ELEMENTS: &[Container] = &[Container::Elements];
/// Lines, or a list that is known by its first element.
const LINES_OR_LIST: &[Container] = &[Container::Lines, Container::Elements, Container::Document];
const YAML: &[Container] = &[Container::Yaml];
const DOCUMENTS: &[Container] = &[Container::Document];

/// A form of a log that is one value.
const fn value(
    format: Format,
    containers: &'static [Container],
    marks: &'static [&'static str],
    read: Reader,
) -> Row {
    Row { format, containers, unit: Unit::Value, marks, read, head: |_| Head::default() }
}

/// A form of a log that is a file.
const fn file(
    format: Format,
    containers: &'static [Container],
    marks: &'static [&'static str],
    read: Reader,
) -> Row {
    Row { format, containers, unit: Unit::File, marks, read, head: |_| Head::default() }
}

/// Refuses a value, which has to be JSON.
fn refuse(text: &str, place: &str, why: &str) -> Result<(), BadLine> {
    parse::value::<IgnoredAny>(text)?;
    Err(BadLine::shape(place.into(), why))
}

/// Why the chats of several agents are refused.
const AGENTS_CHAT: &str =
    "a chat of several agents: which text is a call, and which is the result of one, is not marked in it";

/// Why our own records are refused here.
const OWN: &str = "expected messages, found the entries of a record of Balk: `balk replay` reads it";

/// Why the completions of a live record are refused here: nothing would compare their checksums.
const COMPLETIONS: &str =
    "expected messages, found the completions of a live record: its `transcripts` are for `balk replay`";

/// What tells the blocks of Anthropic from the parts of OpenAI.
const BLOCKS: &str = "messages[].content[].type=tool_use|tool_result|thinking";

/// What tells the request of one of OpenAI's responses.
const RESPONSES_INPUT: &str = "input[].role or input[].type";

/// What tells an observation of Langfuse.
const OBSERVATION: &str = "type=GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN";

/// All forms. One that demands all that another one does is the more special.
pub(super) static ROWS: &[Row] = &[
    value(OpenAiChat, VALUES, &["messages[]"], |text, _, sink| openai_chat::object(text, sink)),
    value(OpenAiChat, VALUES, &["request.messages[].role"], |text, _, sink| openai_chat::object(text, sink)),
    value(Balk, LINES, &["request.messages[].role", "request_hash", "is_stream"], |text, _, _| {
        refuse(text, "request", COMPLETIONS)
    }),
    file(OpenAiChat, LISTS, &["[].role", "[].content or [].tool_calls"], |text, _, sink| {
        openai_chat::list(text, sink)
    }),
    value(OpenAiChat, LINES, &["[].role", "[].content or [].tool_calls"], |text, _, sink| {
        openai_chat::list(text, sink)
    }),
    file(OpenAiChat, LINES, &["object=chat.completion.chunk"], |text, _, sink| {
        openai_chat::chunks(text, sink)
    }),
    file(OpenAiChat, LISTS, &["[].object=chat.completion.chunk"], |text, _, sink| {
        openai_chat::chunks(text, sink)
    }),
    value(OpenAiResponses, VALUES, &["input", "output[].type"], |text, _, sink| {
        responses::object(text, sink)
    }),
    value(OpenAiResponses, VALUES, &["model", RESPONSES_INPUT], |text, _, sink| {
        responses::object(text, sink)
    }),
    value(OpenAiResponses, VALUES, &["request.input", "response"], |text, _, sink| {
        responses::object(text, sink)
    }),
    file(
        OpenAiResponses,
        LINES,
        &[
            "type=function_call|function_call_output|reasoning|custom_tool_call|local_shell_call",
            "call_id or summary",
        ],
        |text, _, sink| responses::items(text, sink),
    ),
    file(
        OpenAiResponses,
        LISTS,
        &[
            "[].type=function_call|function_call_output|reasoning|custom_tool_call|local_shell_call",
            "[].call_id or [].summary",
        ],
        |text, _, sink| responses::items(text, sink),
    ),
    file(
        Codex,
        LINES,
        &["type=session_meta|response_item|event_msg|turn_context", "payload"],
        |text, _, sink| responses::rollout(text, sink),
    ),
    value(Anthropic, VALUES, &["messages[].role", BLOCKS], |text, _, sink| anthropic::object(text, sink)),
    value(
        Anthropic,
        VALUES,
        &[
            "request.messages[].role",
            "response.content[].type or request.messages[].content[].type=tool_use|tool_result|thinking",
        ],
        |text, _, sink| anthropic::object(text, sink),
    ),
    file(
        Anthropic,
        LISTS,
        &["[].role", "[].content or [].tool_calls", "[].content[].type=tool_use|tool_result|thinking"],
        |text, _, sink| anthropic::list(text, sink),
    ),
    file(ClaudeCode, LINES, &["type=user|assistant", "sessionId", "message.role"], |text, _, sink| {
        claude_code::session(text, sink)
    }),
    value(
        ClaudeCode,
        DOCUMENTS,
        &["loglines[].type=user|assistant", "loglines[].message.role"],
        |text, _, sink| claude_code::exported(text, sink),
    ),
    value(Cline, DOCUMENTS, &["messages[].role", BLOCKS, "sessionId", "agent"], |text, _, sink| {
        cline::session(text, sink)
    }),
    file(Cline, LISTS, &["[].role", "[].content or [].tool_calls", "[].ts"], |text, _, sink| {
        cline::history(text, sink)
    }),
    file(
        Cline,
        LISTS,
        &[
            "[].role",
            "[].content or [].tool_calls",
            "[].content[].type=tool_use|tool_result|thinking",
            "[].ts",
        ],
        |text, _, sink| cline::history(text, sink),
    ),
    value(Gemini, VALUES, &["contents[]"], |text, _, sink| gemini::object(text, sink)),
    file(Gemini, LISTS, &["[].role=user|model", "[].parts"], |text, _, sink| gemini::list(text, sink)),
    value(GeminiCli, DOCUMENTS, &["sessionId", "projectHash", "messages[].type"], |text, _, sink| {
        gemini_cli::document(text, sink)
    }),
    file(GeminiCli, LINES, &["sessionId", "projectHash"], |text, _, sink| gemini_cli::lines(text, sink)),
    file(
        QwenCode,
        LINES,
        &["type=user|assistant", "sessionId", "message.role", "message.parts"],
        |text, _, sink| gemini_cli::qwen(text, sink),
    ),
    file(
        OpenHands,
        LISTS,
        &["[].source=agent|user|environment", "[].action or [].observation"],
        |text, _, sink| openhands::events(text, sink),
    ),
    value(
        OpenHands,
        VALUES,
        &["history[].source=agent|user|environment", "history[].action or history[].observation"],
        |text, _, sink| openhands::evaluated(text, sink),
    ),
    value(SweAgent, VALUES, &["trajectory[].action", "trajectory[].observation"], |text, _, sink| {
        swe_agent::trajectory(text, sink)
    }),
    value(
        MiniSweAgent,
        VALUES,
        &["messages[].role", "info.mini_version or trajectory_format"],
        |text, _, sink| mini_swe_agent::trajectory(text, sink),
    ),
    Row {
        format: Inspect,
        containers: DOCUMENTS,
        unit: Unit::Member("samples"),
        marks: &["eval.task", "samples[].messages"],
        read: inspect::sample,
        head: inspect::head,
    },
    value(TauBench, ELEMENTS, &["traj[].role", "task_id", "reward"], |text, _, sink| {
        tau::tau_bench(text, sink)
    }),
    Row {
        format: Tau2,
        containers: DOCUMENTS,
        unit: Unit::Member("simulations"),
        marks: &["info", "simulations[].messages[].role"],
        read: tau::tau2,
        head: tau::head,
    },
    value(Tau2, VALUES, &["messages[].role", "task_id", "reward_info"], tau::tau2),
    value(Atif, VALUES, &["schema_version", "steps[].source"], |text, _, sink| atif::trajectory(text, sink)),
    file(Otel, LINES, &["resourceSpans[].scopeSpans[].spans"], |text, _, sink| otel::spans(text, sink)),
    file(
        Langfuse,
        LINES,
        &["trace_id or traceId", OBSERVATION, "input", "start_time or startTime"],
        |text, _, sink| langfuse::observations(text, sink),
    ),
    // With a model and a list of messages, or with parts as the answer, an observation is also like one of OpenAI's
    // responses.
    file(
        Langfuse,
        LINES_OR_LIST,
        &["trace_id or traceId", OBSERVATION, "start_time or startTime", "model", RESPONSES_INPUT],
        |text, _, sink| langfuse::observations(text, sink),
    ),
    file(
        Langfuse,
        LINES_OR_LIST,
        &["trace_id or traceId", OBSERVATION, "start_time or startTime", "input", "output[].type"],
        |text, _, sink| langfuse::observations(text, sink),
    ),
    file(
        Langfuse,
        LISTS,
        &[
            "[].trace_id or [].traceId",
            "[].type=GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN",
            "[].input",
            "[].start_time or [].startTime",
        ],
        |text, _, sink| langfuse::observations(text, sink),
    ),
    value(
        Langfuse,
        VALUES,
        &["observations[].type=GENERATION|SPAN|EVENT|AGENT|TOOL|CHAIN", "observations[].input"],
        |text, _, sink| langfuse::traced(text, sink),
    ),
    file(LangSmith, LINES, &["run_type", "inputs", "trace_id"], |text, _, sink| langsmith::runs(text, sink)),
    value(LangSmith, DOCUMENTS, &["runs[].run_type", "runs[].inputs"], |text, _, sink| {
        langsmith::answer(text, sink)
    }),
    file(LangSmith, LISTS, &["[].run_type", "[].inputs", "[].trace_id"], |text, _, sink| {
        langsmith::runs(text, sink)
    }),
    value(
        InterCode,
        DOCUMENTS,
        &["*.turn_history.actions[]", "*.turn_history.observations[]"],
        |text, _, sink| intercode::document(text, sink),
    ),
    value(FireAct, DOCUMENTS, &["*.traj", "*.em"], |text, _, sink| react_text::document(text, sink)),
    value(MedAgentBench, VALUES, &["turns[].agent_reply", "turns[].action_kind"], |text, _, sink| {
        medagentbench::task(text, sink)
    }),
    value(ToolBench, VALUES, &["win", "tree.tree"], |text, _, sink| toolbench::answer(text, sink)),
    value(Mint, VALUES, &["state.history[].role", "task.task_id"], |text, _, sink| mint::task(text, sink)),
    value(Super, DOCUMENTS, &["cells[].cell_type", "cells[].source"], |text, _, sink| {
        notebook::notebook(text, sink)
    }),
    file(Vcr, YAML, &[], |text, _, sink| vcr::cassette(text, sink)),
    file(AgentsChat, LISTS, &["[].role=human", "[].content or [].tool_calls"], |text, _, _| {
        refuse(text, "[0]", AGENTS_CHAT)
    }),
    value(AgentsChat, VALUES, &["history[].role", "mistake_agent"], |text, _, _| {
        refuse(text, "history[0]", AGENTS_CHAT)
    }),
    value(Balk, VALUES, &["schema", "entries"], |text, _, _| refuse(text, "line", OWN)),
];
