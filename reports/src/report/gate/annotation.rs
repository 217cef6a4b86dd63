//! A workflow command: a line that GitHub Actions shows beside a run, escaped as its documentation says.

/// An error with a title. `%` and line ends are escaped in both; characters that end a property, in the title only
/// (GitHub, *Workflow commands for GitHub Actions*, and `actions/toolkit`, `packages/core/src/command.ts`).
#[must_use]
pub fn annotation(title: &str, message: &str) -> String {
    let message = escaped(message);
    let title = escaped(title).replace(':', "%3A").replace(',', "%2C");
    format!("::error title={title}::{message}")
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_the_line_or_the_title() {
        assert_eq!(
            annotation("a: b, 5 %\n", "::error::x\r\n100 %0A, c"),
            "::error title=a%3A b%2C 5 %25%0A::::error::x%0D%0A100 %250A, c"
        );
    }
}
