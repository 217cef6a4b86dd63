//! Whether the answer to a call that left no trace is the agent's own word to its model.
//!
//! A tool that works elsewhere than in the place leaves no trace either: a program of the agent's own, a folder in a
//! container. What such a tool prints is no word of the agent. So an answer counts only if it speaks to the model, or
//! says that something was held back.

/// Whether a text speaks to the model. Only English is known.
pub(super) fn speaks_to_model(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    PHRASES.iter().any(|it| lower.contains(it)) || words.any(|it| WORDS.contains(&it))
}

/// Words that speak to the model, or say that a call was held back. `denied` is missing: systems say it of files.
const WORDS: [&str; 28] = [
    "you",
    "your",
    "please",
    "stop",
    "instead",
    "blocked",
    "rejected",
    "refused",
    "declined",
    "forbidden",
    "disallowed",
    "prohibited",
    "skipped",
    "suppressed",
    "cancelled",
    "canceled",
    "interrupted",
    "loop",
    "repeat",
    "repeated",
    "repeating",
    "repetition",
    "duplicate",
    "identical",
    "approval",
    "approve",
    "policy",
    "guardrail",
];

/// The same in several words.
const PHRASES: [&str; 14] = [
    "not allowed",
    "not permitted",
    "not executed",
    "not run",
    "not been run",
    "not approved",
    "do not",
    "don't",
    "must not",
    "limit reached",
    "limit exceeded",
    "denied by",
    "access denied",
    "has not been read",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_agent_speak_to_its_model() {
        for text in [
            "Blocked: standalone sleep 60.",
            "Your previous response was cut.",
            "This call was not executed: the same call failed three times.",
            "Tool call limit reached (50).",
            "Error: the user doesn't want to proceed. The tool use was rejected.",
            "Stop. Try another way.",
            "File has not been read yet. Read it first before writing to it.",
            "Access denied by the administrator",
        ] {
            assert!(speaks_to_model(text), "{text}");
        }
    }

    #[test]
    fn what_programs_print_does_not() {
        for text in [
            "",
            "ugrep: warning: contracts/2022/: No such file or directory",
            "(no output)",
            "README.md:3:clause 14",
            "File written: a.txt (12 bytes)",
            "make: *** exit status 2",
            "cat: a.txt: Permission denied",
            "bash: make: command not found",
            "3 passed, 1 failed",
        ] {
            assert!(!speaks_to_model(text), "{text}");
        }
    }
}
