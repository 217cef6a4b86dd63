//! The rules for a legal request, and how a violation is reported.

use std::fmt;

/// A provider's requirement for a request. Each variant names its providers; those without a name apply to OpenAI chat
/// and to Anthropic. Of OpenAI Responses and Gemini only those are checked that their errors are known to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// All: there is at least one message, not counting instructions to the model.
    NoMessages,
    /// And Gemini: a message is not empty; an assistant's message in OpenAI chat has text or calls.
    EmptyMessage,
    /// Text is never blank: in OpenAI chat in the user's role, in Anthropic messages in every block.
    BlankText,
    /// And Gemini: calls and thinking are the assistant's; results are not.
    Role,
    /// All: a tool's name, offered or called, is 1 to 64 of `[A-Za-z0-9_-]`. Gemini also takes dots, but neither a
    /// digit nor a dash at the beginning.
    ToolName,
    /// Each call has a unique id within the request.
    RepeatedId,
    /// All: every call is answered, in all but Responses before anything else is said.
    UnansweredCall,
    /// All: a result answers a call of the request, or of the response that a request of Responses follows.
    OrphanedResult,
    /// And Gemini: a result comes directly after the message with its call, once.
    ResultPlace,
    /// The last message is not the assistant's.
    EndsWithAssistant,
    /// OpenAI, chat and Responses: the arguments of a call are a string.
    ArgumentsText,
    /// Anthropic: the first message is the user's. Gemini: calls come after a message of the user's side.
    FirstUser,
    /// Anthropic: user and assistant take turns. Gemini: no call comes directly after another message of the model.
    Alternate,
    /// Anthropic: the results come before anything else in their message.
    ResultsFirst,
    /// Anthropic: the id of a call consists of `[A-Za-z0-9_-]`.
    CallId,
    /// Anthropic and Gemini: the input of a call is an object.
    InputObject,
    /// Anthropic: a message with thinking begins with it, and none follows a call.
    ThinkingFirst,
    /// Anthropic: thinking carries its signature.
    ThinkingSigned,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 18] = [
        Self::NoMessages,
        Self::EmptyMessage,
        Self::BlankText,
        Self::Role,
        Self::ToolName,
        Self::RepeatedId,
        Self::UnansweredCall,
        Self::OrphanedResult,
        Self::ResultPlace,
        Self::EndsWithAssistant,
        Self::ArgumentsText,
        Self::FirstUser,
        Self::Alternate,
        Self::ResultsFirst,
        Self::CallId,
        Self::InputObject,
        Self::ThinkingFirst,
        Self::ThinkingSigned,
    ];

    /// What the rule expects, as the end of "expected …".
    #[must_use]
    pub const fn expects(self) -> &'static str {
        match self {
            Self::NoMessages => "at least one message",
            Self::EmptyMessage => "a message with content or calls",
            Self::BlankText => "text that is not blank",
            Self::Role => "calls and thinking from the assistant, and results from the other side",
            Self::ToolName => "a tool name of 1 to 64 characters out of [A-Za-z0-9_-]",
            Self::RepeatedId => "an id that no other call has",
            Self::UnansweredCall => "a result for every call before anything else",
            Self::OrphanedResult => "a result of a call in this request",
            Self::ResultPlace => "one result, directly after the message with its call",
            Self::EndsWithAssistant => "a last message that is not the assistant's",
            Self::ArgumentsText => "arguments as a string",
            Self::FirstUser => "a first message from the user",
            Self::Alternate => "user and assistant in turns",
            Self::ResultsFirst => "results before all other content of their message",
            Self::CallId => "a call id made of [A-Za-z0-9_-]",
            Self::InputObject => "an object as input",
            Self::ThinkingFirst => "thinking at the beginning of its message",
            Self::ThinkingSigned => "thinking with a signature",
        }
    }
}

/// A request that a provider would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The first rule that it breaks.
    pub rule: Rule,
    /// Where, as a path into the request: `messages[2].content[0]`.
    pub place: String,
    /// What was found there.
    pub found: String,
}

impl Illegal {
    pub(super) fn new(rule: Rule, place: impl Into<String>, found: impl Into<String>) -> Self {
        Self { rule, place: place.into(), found: found.into() }
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.place, self.rule.expects(), self.found)
    }
}

impl std::error::Error for Illegal {}
