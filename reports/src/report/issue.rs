//! The link that opens a new issue with a gap report in it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::records::{Drawn, GapReport};

/// The longest link, in bytes; a link is ASCII. Servers and browsers refuse much longer ones.
pub const LINK_CHARS_MAX: usize = 8_000;

/// The longest address of a repository.
pub const REPOSITORY_CHARS_MAX: usize = 500;

/// The most bytes of the link that its title takes.
const TITLE_CHARS_MAX: usize = 600;

/// Every character that RFC 3986 does not call unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A link to a new issue on a gap, at a repository that takes `issues/new?title=…&body=…` (GitHub, Gitea,
/// Forgejo). The most important parts come first: a text that is too long loses its end.
#[must_use]
pub fn issue_link(repository: &str, report: &GapReport) -> String {
    prefilled(repository, &format!("Gap: {}", report.lacking()), &body(report))
}

/// A link to a new issue with this title and as much of this body as fits.
fn prefilled(repository: &str, title: &str, body: &str) -> String {
    let mut link = format!("{}/issues/new?title=", repository.trim_end_matches('/'));
    let title_end = link.len() + TITLE_CHARS_MAX;
    push_encoded(&mut link, title, title_end);
    link.push_str("&body=");
    push_encoded(&mut link, body, LINK_CHARS_MAX);
    link
}

/// Adds whole characters of `text` while the link is at most `end` bytes long.
fn push_encoded(link: &mut String, text: &str, end: usize) {
    for c in text.chars() {
        let from = link.len();
        link.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), ENCODED));
        if link.len() > end {
            link.truncate(from);
            return;
        }
    }
}

/// The report in Markdown. Foreign text is indented as code, so that it can neither format the page nor mention people.
fn body(report: &GapReport) -> String {
    let mut text = String::new();
    section(&mut text, "What blocks the run", &report.explanation);
    section(&mut text, "What is missing", &report.lacking());
    let tried: Vec<String> = report.tried.iter().map(ToString::to_string).collect();
    section(&mut text, "What was tried", &tried.join("\n"));
    section(&mut text, "What would help", &report.could_do.join("\n"));
    let run = &report.run;
    let mut place =
        format!("{}, seed {}, guards {}, Balk {}\n", run.scenario, run.seed, run.guard, report.balk);
    for Drawn { name, value } in &run.set {
        place.push_str(&format!("--set {name}={value}\n"));
    }
    section(&mut text, "Where it happened", &format!("{place}report {}", report.id));
    section(&mut text, "The task", &report.task);
    text
}

fn section(text: &mut String, title: &str, content: &str) {
    text.push_str(&format!("### {title}\n\n"));
    for line in content.replace("\r\n", "\n").split(['\n', '\r']) {
        text.push_str(&format!("    {line}\n"));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    use super::*;

    const REPOSITORY: &str = "https://example.org/agent";

    /// The title and the body, as a server decodes them.
    fn decoded(link: &str) -> (String, String) {
        let query = link.strip_prefix("https://example.org/agent/issues/new?title=").expect("the place");
        let (title, body) = query.split_once("&body=").expect("a title and a body");
        let text = |it| percent_decode_str(it).decode_utf8().expect("whole characters").into_owned();
        (text(title), text(body))
    }

    #[track_caller]
    fn check(title: &str, body: &str) {
        let link = prefilled(REPOSITORY, title, body);
        assert!(link.len() <= LINK_CHARS_MAX, "{}", link.len());
        let legal = |c: char| c.is_ascii_alphanumeric() || "-._~%".contains(c);
        let at = "https://example.org/agent/issues/new?title=".len();
        assert!(link[at..].replacen("&body=", "", 1).chars().all(legal), "{link}");
        let (title_sent, body_sent) = decoded(&link);
        assert!(title.starts_with(&title_sent) && body.starts_with(&body_sent));
        let whole = body_sent.len() == body.len();
        assert!(whole || link.len() > LINK_CHARS_MAX - "%F0%9F%92%A5".len(), "cut earlier than it has to be");
    }

    #[test]
    fn h3_a_hundred_kilobytes_of_the_worst_still_make_a_link() {
        for worst in ["\"", "\n", "💥", "\"\n💥", "&body=", "%", "%20", "+", "é", "\u{0}"] {
            check(worst, &worst.repeat(100_000 / worst.len()));
            check(&worst.repeat(10_000), worst);
        }
        check("", "");
    }

    proptest! {
        #[test]
        fn h3_a_link_is_bounded_and_decodes_to_what_was_meant(title in ".*", body in "(?s).{0,4000}") {
            check(&title, &body);
        }
    }

    #[test]
    fn foreign_text_is_code() {
        let mut text = String::new();
        section(&mut text, "The task", "# shout\r@somebody\r\n```");
        assert_eq!(text, "### The task\n\n    # shout\n    @somebody\n    ```\n\n");
    }
}
