//! What the products say to the model, word for word, with the file that says it. `{name}` is a hole.
//!
//! These sentences are quotations: they belong to their products, under the licences that each heading names. The
//! rules of this crate are our own code.

use balk_contract::wording::excerpt;

/// The text with its holes filled, in the order in which they come.
pub(super) fn fill(template: &str, holes: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    for (name, value) in holes {
        let hole = format!("{{{name}}}");
        let (before, after) = rest.split_once(&*hole).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Characters of an error or of arguments that are repeated to the model. The products repeat them whole.
const QUOTED_CHARS: usize = 500;

/// What a message repeats, cut if it is long.
pub(super) fn quoted(text: &str) -> String {
    excerpt(text, QUOTED_CHARS)
}

/// OpenHands/software-agent-sdk 611629e699, MIT.
pub(super) mod openhands {
    /// `conversation/stuck_detector.py`, `get_action_error_nudge`.
    pub(crate) const SAME_ERROR: &str = "You've called `{tool}` with the same arguments {count} \
         times in a row and gotten the same error each time: {error}. Repeating the exact same call \
         again will not work — review the error message and either correct the arguments or try a \
         different approach.";
    /// `agent/response_dispatch.py`, `_send_corrective_nudge`.
    pub(crate) const NO_CONTENT: &str = "Your last response did not include a function call or a \
         message. Please use a tool to proceed with the task.";
}

/// MoonshotAI/kimi-cli 4a550effdf, Apache-2.0: `soul/toolset.py`.
pub(super) mod kimi_cli {
    /// `_REMINDER_TEXT_1`.
    pub(crate) const FIRST: &str = "<system-reminder>\nYou are repeating the exact same tool call \
         with identical parameters. Please carefully analyze the previous result. If the task is not \
         yet complete, try a different method or parameters instead of repeating the same \
         call.\n</system-reminder>";
    /// `_make_reminder_text_2`.
    pub(crate) const SECOND: &str = "<system-reminder>\nYou have repeatedly called the same tool \
         with identical parameters many times.\nRepeated tool call detected:\n- tool: {tool}\n- \
         repeated_times: {count}\n- arguments: {arguments}\nThe previous repeated calls did not make \
         progress. Do not call this exact same tool with the exact same arguments again.\nCarefully \
         inspect the latest tool result and choose a different next action, different parameters, or \
         finish the task if enough evidence has been gathered.\n</system-reminder>";
    /// `_REMINDER_TEXT_3`.
    pub(crate) const THIRD: &str = "<system-reminder>\nYou are stuck in a dead end and have \
         repeatedly made the same function call without progress.\nStop all function calls \
         immediately. Do not call any tool in your next response.\nIn analysis, review the current \
         execution state and identify why progress is blocked.\nThen return a text-only summary to \
         the user that reports the current problem, what has already been tried, and what \
         information or decision is needed next.\n</system-reminder>";
}

/// cline/cline efcec4b1c6, Apache-2.0: `apps/vscode/src/core/prompts/responses.ts`. The two tools that end a task or
/// ask the user are holes here: the product's own are `attempt_completion` and `ask_followup_question`.
pub(super) mod cline {
    /// `repeatedToolCall`.
    pub(crate) const SAME_CALL: &str = "Tool [{tool}] has been called {count} times consecutively \
         with identical arguments. This is not making progress. Please use a different tool or \
         different arguments instead of repeating the same call.";
    /// `noToolsUsed`, for models that call tools natively.
    pub(crate) const NO_TOOL: &str = "[ERROR] You did not use a tool in your previous response! \
         Please retry with a tool use.\n\n# Next Steps\n\nIf you have completed the user's task, use \
         the {finish} tool. \nIf you require additional information from the user, use the {ask} \
         tool. \nOtherwise, if you have not completed the task and do not need additional \
         information, then proceed with the next step of the task. \n(This is an automated message, \
         so do not respond to it conversationally.)";
}

/// RooCodeInc/Roo-Code cb83656718, Apache-2.0. The same two tools are holes.
pub(super) mod roo_code {
    /// `src/core/prompts/responses.ts`, `noToolsUsed`.
    pub(crate) const NO_TOOL: &str = "[ERROR] You did not use a tool in your previous response! \
         Please retry with a tool use.\n\n# Reminder: Instructions for Tool Use\n\nTools are invoked \
         using the platform's native tool calling mechanism. Each tool requires specific parameters \
         as defined in the tool descriptions. Refer to the tool definitions provided in your system \
         instructions for the correct parameter structure and usage examples.\n\nAlways ensure you \
         provide all required parameters for the tool you wish to use.\n\n# Next Steps\n\nIf you \
         have completed the user's task, use the {finish} tool.\nIf you require additional \
         information from the user, use the {ask} tool.\nOtherwise, if you have not completed the \
         task and do not need additional information, then proceed with the next step of the \
         task.\n(This is an automated message, so do not respond to it conversationally.)";
}

/// google-gemini/gemini-cli 5411f113ca, Apache-2.0.
pub(super) mod gemini_cli {
    /// `packages/core/src/core/client.ts`, `_recoverFromLoop`.
    pub(crate) const LOOP: &str = "System: Potential loop detected. Details: {detail}. Please take \
         a step back and confirm you're making forward progress. If not, take a step back, analyze \
         your previous actions and rethink how you're approaching the problem. Avoid repeating the \
         same tool calls or responses without new results.";
    /// `packages/core/src/services/loopDetectionService.ts`, `addAndCheck`.
    pub(crate) const CALLS: &str = "Repeated tool call: {tool} with arguments {arguments}";
    /// The same.
    pub(crate) const TEXT: &str = "Repeating content detected: \"{sample}...\"";
    /// `packages/core/src/core/geminiChat.ts`: added to the system instruction of the next attempt.
    pub(crate) const THOUGHTS: &str = "[System: You previously generated thoughts but failed to \
         provide a final user-facing response. Please ensure you provide your final answer or call a \
         tool now.]";
}

/// OpenRouterTeam/typescript-agent 5a7ed03e5a, Apache-2.0: `packages/agent/src/lib/doom-loop.ts`,
/// `buildToolVerdictMessage`.
pub(super) mod openrouter {
    /// The only call of its tool, the same in each round.
    pub(crate) const SAME_CALL: &str = "Doom loop suspected: tool \"{tool}\" was invoked in {count} \
         consecutive rounds with identical arguments (fingerprint {fingerprint}…). Repeating the \
         call will not change the result. Take a different approach, or explain why repetition is \
         required.";
    /// Several calls, the same set in each round.
    pub(crate) const SAME_SET: &str = "Doom loop suspected: tool \"{tool}\" was invoked in {count} \
         consecutive rounds with the same set of {calls} parallel calls (round identity \
         {identity}…). Reissuing the same fan-out will not change the results. Take a different \
         approach, or explain why repetition is required.";
    /// A call that came again beside others that did not.
    pub(crate) const SAME_MEMBER: &str = "Doom loop suspected: this exact \"{tool}\" call has been \
         repeated across consecutive rounds. Repeating it will not change the result. Take a \
         different approach, or explain why repetition is required.";
}

/// NousResearch/hermes-agent 06c25ac90b, MIT: `agent/tool_guardrails.py`.
pub(super) mod hermes_like {
    /// `append_toolguard_guidance`, for a warning.
    pub(crate) const WARNING: &str = "[Tool loop warning: {code}; count={count}; {message}]";
    /// The rest are `_DECISION_MESSAGES` by code.
    pub(crate) const FAILURE_BLOCK: &str = "Blocked {tool}: the same tool call failed {count} times \
         with identical arguments. Stop retrying it unchanged; change strategy or explain the \
         blocker.";
    pub(crate) const ANSWER_BLOCK: &str = "Blocked {tool}: this read-only call returned the same \
         result {count} times. Stop repeating it unchanged; use the result already provided or try a \
         different query.";
    pub(crate) const FAILURE: &str = "{tool} has failed {count} times with identical arguments. \
         This looks like a loop; inspect the error and change strategy instead of retrying it \
         unchanged.";
    pub(crate) const ANSWER: &str = "{tool} returned the same result {count} times. Use the result \
         already provided or change the query instead of repeating it unchanged.";
    /// `_tool_failure_recovery_hint`, the common part and that of other tools than a shell.
    pub(crate) const FAILING_TOOL: &str = "{tool} has failed {count} times this turn. This looks \
         like a loop. Do not switch to text-only replies; keep using tools, but diagnose before \
         retrying. First inspect the latest error/output and verify your assumptions. Try different \
         arguments, a narrower query/path, an absolute path when relevant, or a different tool that \
         can make progress. If the blocker is external, report the blocker after one diagnostic \
         attempt instead of repeating the same failing path.";
    /// The same for a shell.
    pub(crate) const FAILING_SHELL: &str = "{tool} has failed {count} times this turn. This looks \
         like a loop. Do not switch to text-only replies; keep using tools, but diagnose before \
         retrying. First inspect the latest error/output and verify your assumptions. For terminal \
         failures, run a small diagnostic such as `pwd && ls -la` in the same tool, then try an \
         absolute path, a simpler command, a different working directory, or a different tool such \
         as read_file/write_file/patch.";
    /// `_IDENTICAL_CALL_NOTICE`.
    pub(crate) const SAME_RESULT: &str = "[hermes note: this is the {ordinal} consecutive identical \
         call to {tool} with identical arguments returning the same result. Do not repeat it — \
         change arguments, use a different tool, or proceed with what you have.]";
    /// `_IDENTICAL_CYCLE_NOTICE`.
    pub(crate) const CYCLE: &str = "[hermes note: the last {count} rounds repeated the same cycle \
         of {period} tool calls (ending with {tool}) with identical arguments and identical results. \
         Do not repeat the batch — change arguments, use a different tool, or proceed with what you \
         have.]";
}

/// antoinezambelli/forge 0.9.3 (3565af35c6), MIT: `src/forge/prompts/nudges.py`, with the prefixes of
/// `core/inference.py` and `core/runner.py`.
pub(super) mod forge {
    /// `retry_nudge`.
    pub(crate) const TEXT: &str = "Your previous response was not a valid tool call. You must \
         respond with a tool call, not free text. Please try again with a valid tool call.";
    /// `unknown_tool_nudge`.
    pub(crate) const UNKNOWN: &str = "[UnknownTool] Tool '{tool}' does not exist. Available tools: \
         {tools}. Call one of them.";
    /// `tool_arg_validation_nudge`.
    pub(crate) const ARGUMENTS: &str = "[ToolArgValidationError] Tool call to '{tool}' had \
         malformed arguments. Got args={args} (type: {type}). Required: args must be a JSON object \
         (dict). Re-emit the tool call with args as an object — {} for no-arg tools or {\"key\": \
         value} otherwise.";
    /// `step_nudge`, tier 1.
    pub(crate) const STEP_POLITE: &str = "[StepEnforcementError] You cannot call {finish} yet. You \
         must first complete these required steps: {steps}. Call one of them now.";
    /// Tier 2.
    pub(crate) const STEP_DIRECT: &str = "[StepEnforcementError] You must call one of these tools \
         now: {steps}. Pick one.";
    /// Tier 3.
    pub(crate) const STEP_SHARP: &str = "[StepEnforcementError] STOP. You MUST call one of: \
         {steps}. Do NOT call {finish}. Your next response MUST be a tool call to one of: {steps}.";
}
