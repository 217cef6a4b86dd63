//! Patterns for names: `*` matches any characters; everything else matches itself, in either case.

/// Whether the pattern matches the whole name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            match rest.find(middle) {
                Some(at) => rest = &rest[at + middle.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("*", ""),
            ("gpt-4*", "GPT-4o-mini"),
            ("*sonnet*", "claude-sonnet-5"),
            ("a*b*c", "abxbc"),
            ("x", "x"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("gpt-4", "gpt-4o"), ("*mini", "mini-2"), ("a*b", "a"), ("ab*ba", "aba"), ("", "x")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
