//! Marks of chat templates around calls. Models learn them as single tokens, or as tags that only calls have.

/// What a mark does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Opens,
    Closes,
}

impl Mark {
    /// The mark at the start of the text, and its length.
    pub(super) fn at(text: &str) -> Option<(Self, usize)> {
        // All begin with one of these two.
        if !text.starts_with(['<', '[']) {
            return None;
        }
        let find = |marks: &[&str]| marks.iter().find(|it| text.starts_with(**it)).map(|it| it.len());
        find(OPENING)
            .map(|length| (Self::Opens, length))
            .or_else(|| find(CLOSING).map(|length| (Self::Closes, length)))
    }
}

/// By family: Hermes, Qwen and GLM; Claude and MiniMax; Mistral; Llama; Granite and Phi; Nemotron; LM Studio; DeepSeek;
/// Kimi. The sources are in `docs/guards.md#repairs`.
const OPENING: &[&str] = &[
    "<tool_call>",
    "<tool_calls>",
    "<tools>",
    "<function_call>",
    "<function_calls>",
    "<minimax:tool_call>",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<|tool_call|>",
    "<TOOLCALL>",
    "[TOOL_REQUEST]",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
];

/// The same with the marks that end a message.
const CLOSING: &[&str] = &[
    "</tool_call>",
    "</tool_calls>",
    "</tools>",
    "</function_call>",
    "</function_calls>",
    "</minimax:tool_call>",
    "[/TOOL_CALLS]",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|/tool_call|>",
    "</TOOLCALL>",
    "[END_TOOL_REQUEST]",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁end｜>",
    "<｜end▁of▁sentence｜>",
    "<|tool_calls_section_end|>",
    "<|tool_call_end|>",
    "<|im_end|>",
    "<|call|>",
    "<|end|>",
    "</s>",
];
