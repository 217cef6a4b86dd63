//! The words around a fence.

use crate::fence::{Fence, fences};

/// The last line with words before a fence, and its opening line.
pub(super) fn heading<'t>(text: &'t str, fence: &Fence<'t>) -> &'t str {
    let before = text[..place(text, fence)].trim_end();
    let opening = before.rfind('\n').unwrap_or(0);
    let line = before[..opening].trim_end().rfind('\n').map_or(0, |at| at + 1);
    &before[line..]
}

/// The text without what is in its fences.
pub(super) fn outside(text: &str) -> String {
    let (mut outside, mut done) = (String::new(), 0);
    for fence in fences(text) {
        let start = place(text, &fence);
        outside.push_str(&text[done..start]);
        done = start + fence.body.len();
    }
    outside.push_str(&text[done..]);
    outside
}

/// Where the body of a fence begins in its text.
fn place(text: &str, fence: &Fence<'_>) -> usize {
    fence.body.as_ptr().addr() - text.as_ptr().addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_a_fence() {
        let text = "One.\n\nThis is a.py:\n\n```py\nx\n```\nTwo.\n```\ny\n";
        assert_eq!(outside(text), "One.\n\nThis is a.py:\n\n```py\n```\nTwo.\n```\n");
        let headings: Vec<_> = fences(text).map(|it| heading(text, &it)).collect();
        assert_eq!(headings, ["This is a.py:\n\n```py", "Two.\n```"]);
        let bare = "```\nx";
        assert_eq!(fences(bare).map(|it| heading(bare, &it)).collect::<Vec<_>>(), ["```"]);
    }
}
