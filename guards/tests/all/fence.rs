//! Code fences against examples, and against `pulldown-cmark` on random text with many fences.

use balk_guards::fence::{Fence, canonical, fences, tag};
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

#[track_caller]
fn check(text: &str, expected: &[(&str, &str, bool)]) {
    let found: Vec<_> = fences(text).map(|Fence { info, body, closed }| (info, body, closed)).collect();
    assert_eq!(found, expected, "in {text:?}");
}

#[test]
fn backticks_and_tildes() {
    check("```py\nx = 1\n```\n", &[("py", "x = 1\n", true)]);
    check("~~~ py \nx\n~~~\n```\ny\n```", &[("py", "x\n", true), ("", "y\n", true)]);
    check("```py\r\nx\r\n```\r\n", &[("py", "x\r\n", true)]);
    check("```\n```", &[("", "", true)]);
    check("``\nx\n``\n~~\n", &[]);
    check("", &[]);
}

#[test]
fn a_fence_is_closed_by_its_own_kind_and_length() {
    check("````md\n```py\nx\n```\n````\n", &[("md", "```py\nx\n```\n", true)]);
    check("```\n~~~\n```", &[("", "~~~\n", true)]);
    check("```\nx\n`````  \t\n", &[("", "x\n", true)]);
    check("```\nx\n``` y\n", &[("", "x\n``` y\n", false)]);
    check("text\n```js\nx", &[("js", "x", false)]);
    check("```", &[("", "", false)]);
}

#[test]
fn indentation_of_four_is_code_and_no_fence() {
    check("   ```py\n   x\n  ```\n", &[("py", "   x\n", true)]);
    check("    ```py\n    x\n    ```\n", &[]);
    check("\t```py\n", &[]);
    check("```\nx\n    ```\n", &[("", "x\n    ```\n", false)]);
    check("a paragraph\n    ```py\n", &[]);
}

#[test]
fn a_backtick_fence_has_no_backtick_in_its_info() {
    check("``` a`b ```\n", &[]);
    check("```x``` is code\n", &[]);
    check("~~~ a`b ~~~\nx\n~~~", &[("a`b ~~~", "x\n", true)]);
    check("say ```py\nx\n", &[]);
}

#[test]
fn fences_interrupt_paragraphs_and_live_in_containers() {
    check("text\n```py\nx\n```\nmore", &[("py", "x\n", true)]);
    check("- a\n\n  ```py\n  x\n  ```\n", &[("py", "  x\n", true)]);
    check("- ```py\n  x\n  ```\n", &[("py", "  x\n", true)]);
    check("1. step\n   ```py\n   x\n   ```\n2. next\n", &[("py", "   x\n", true)]);
    check("> ```py\n> x\n> ```\n", &[("py", "> x\n", true)]);
    check("> - ```py\n>   x\n>   ```\n", &[("py", ">   x\n", true)]);
}

#[test]
fn the_end_of_a_container_ends_its_fence() {
    check("- ```py\n  x\nafter\n", &[("py", "  x\n", false)]);
    check("> ```py\n> x\nafter\n", &[("py", "> x\n", false)]);
    check("- > ```py\n  > x\n  after\n", &[("py", "  > x\n", false)]);
    check("> ```py\nx\n```\n", &[("py", "", false), ("", "", false)]);
    check("- ```py\n\n  x\n  ```\n", &[("py", "\n  x\n", true)]);
    check("- \n  \n    ```py\n", &[]);
    check("- -\n\n    ```py\n", &[("py", "", false)]);
    check("-\n\n  ```py\n  x\n", &[("py", "  x\n", false)]);
    check("- \n  \n    ```py", &[]);
}

#[test]
fn paragraphs_decide_what_a_marker_is() {
    check("text\n2. ```py\n", &[]);
    check("text\n1. ```py\n", &[("py", "", false)]);
    check("text\n\n2. ```py\n", &[("py", "", false)]);
    check("# head\n2. ```py\n", &[("py", "", false)]);
    check("text\n---\n2. ```py\n", &[("py", "", false)]);
    check("* * *\n    ```py\n", &[]);
}

/// A list that starts with 2 cannot interrupt a paragraph, so the fence shows whether the line before it is one.
#[test]
fn a_thematic_break_is_no_paragraph() {
    for line in ["---", "***", "___", "- - -", "*  *\t*", "_____ ", "   ***", "text\n***", "text\n_ _ _"] {
        check(&format!("{line}\n2. ```py\n"), &[("py", "", false)]);
    }
    for line in ["--", "__", "**", "***x", "___ x", "_-_", "*_*", "==", "text\n__", "#text", "####### x"] {
        check(&format!("{line}\n2. ```py\n"), &[]);
    }
    for line in ["#", "###### x", "#\tx", "text\n=", "text\n- ", "text\n===  "] {
        check(&format!("{line}\n2. ```py\n"), &[("py", "", false)]);
    }
    check("***\n    ```py\n", &[]);
}

#[test]
fn tags_lose_their_attributes() {
    for info in
        ["python", "python title=\"x\"", "python{1,3}", "{.python .numberLines}", "{#a .python}", "{python}"]
    {
        assert_eq!(tag(info), "python", "{info}");
    }
    for info in
        ["python,ignore", "python:main.py", "python=", "  python\tx", "{python, echo=FALSE}", "{ .python }"]
    {
        assert_eq!(tag(info), "python", "{info}");
    }
    for (info, expected) in
        [("", ""), ("{", ""), ("{}", ""), ("c++", "c++"), ("c#", "c#"), ("12:15:a.py", "12")]
    {
        assert_eq!(tag(info), expected, "{info}");
    }
}

#[test]
fn languages_have_one_name() {
    let is = |info, language| Fence { info, body: "", closed: true }.is(language);
    for (name, aliases) in [
        ("python", &["py", "PYTHON", "Python3", "py3"][..]),
        ("javascript", &["js", "jsx", "mjs", "cjs", "node", "JavaScript"]),
        ("typescript", &["ts", "tsx", "mts", "cts", "TypeScript"]),
    ] {
        for alias in aliases {
            assert_eq!(canonical(alias), name);
            assert!(is(alias, name) && is(name, alias), "{alias}");
        }
    }
    assert!(is("Rust", "rust") && !is("rust", "python") && !is("", "python") && !is("pyi", "py"));
    assert_eq!(canonical("COBOL"), "COBOL");
}

/// The fences that the reference finds: info string, number of lines.
fn reference(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open = None;
    for event in Parser::new(text) {
        if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = event {
            open = Some((info.to_string(), String::new()));
        } else if let (Event::Text(piece), Some((_, body))) = (&event, &mut open) {
            body.push_str(piece);
        } else if event == Event::End(TagEnd::CodeBlock) {
            found.extend(open.take().map(|(info, body)| (info, body.lines().count())));
        }
    }
    found
}

fn ours(text: &str) -> Vec<(String, usize)> {
    fences(text).map(|fence| (fence.info.to_owned(), fence.body.lines().count())).collect()
}

fn line() -> impl Strategy<Value = String> {
    let prefix = "(> ?|- |\\* |\\+  |1\\. |2\\) |12\\.  | |  |   |    |\t){0,4}";
    let rest = prop_oneof![
        4 => "(```|~~~|````|~~~~)( ?py|js x|  |)",
        2 => "[a-z]{0,3}",
        1 => "(#|##|=|==|---|\\* \\* \\*|___|-|\\*|1\\.|7\\)|>)( x|)",
        1 => "(`|``|```a`b|~~|x```|-x|1.x)",
        1 => Just(String::new()),
    ];
    (prefix, rest).prop_map(|(prefix, rest)| {
        let line = prefix + &rest;
        // The reference accepts a quote marker after a tab; by the specification of Markdown that is indented code.
        let behind = line.find('\t').is_some_and(|tab| line[tab..].contains('>'));
        if behind { line.replace('\t', " ") } else { line }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fences_are_those_of_the_reference(lines in proptest::collection::vec(line(), 0..12), newline: bool) {
        let mut text = lines.join("\n");
        // For the reference, a blank last line is a line only if it ends in a line feed.
        let blank = lines.last().is_some_and(|line| line.trim_matches([' ', '\t', '>']).is_empty());
        text.push_str(if newline || blank { "\n" } else { "" });
        prop_assert_eq!(ours(&text), reference(&text), "in {:?}", text);
    }

    #[test]
    fn any_text_is_taken(text: String, more in "[`~\n >\t1.*é-]{0,60}") {
        for text in [&text, &more] {
            for fence in fences(text) {
                prop_assert!(text.contains(fence.body));
            }
        }
    }
}
