//! What the tests of other rules say about text that repeats itself, as facts, and what ours says (spec X5).
//!
//! gemini-cli (5411f113ca, `loopDetectionService.test.ts`) and qwen-code (00aa71b4a0, the same file, off by default)
//! read a stream in pieces; here each vector is one text. OpenRouter's rule and VS Code's look at the end of a finished
//! text.

use balk_guards::repetition::Watch;

const CHUNK: &str = "This is a unique sentence, id=1. This is a unique s";
const IDLE: &str = "\nI will not output any text.\n  I will just end the turn.\n  I am done.\n  I will not do anything \
                    else.\n  I will wait for the user's next command.\n";
const DONE: &str = "I have added all the requested logs and verified the test file. I will now mark the task as \
                    complete.\n  ";

/// Whether a text repeats itself, for us.
fn repeats(text: &str) -> bool {
    let mut watch = Watch::new();
    watch.push(text);
    watch.end().is_some()
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(line).collect()
}

#[test]
fn x5_where_gemini_cli_and_qwen_code_see_a_loop_so_do_we() {
    for (name, text) in [
        ("a chunk of content repeats", CHUNK.repeat(10)),
        ("longer patterns of about 150 characters", CHUNK.repeat(3).repeat(12)),
        ("the first example of a user", IDLE.repeat(15)),
        ("the second example of a user", DONE.repeat(15)),
        ("alternating short phrases", "Thinking... Done. ".repeat(30)),
        (
            "complex thought processes",
            "I need to check the file. The file does not exist. I will create the file. ".repeat(15),
        ),
        ("outside a code block", format!("```\nsome code\n```\n{}", CHUNK.repeat(10))),
        ("mixed code blocks", format!("```\ncode1\n```\ntext\n```\ncode2\n```\n{}", CHUNK.repeat(10))),
    ] {
        assert!(repeats(&text), "{name}");
    }
}

#[test]
fn x5_where_they_see_none_neither_do_we() {
    let far: String =
        (0..500).map(|n: u32| char::from(b'a' + u8::try_from(n * n % 26).unwrap_or(0))).collect();
    let fenced = |text: String| format!("Some code:\n```javascript\n{text}");
    for (name, text) in [
        ("random content", numbered(200, |n| format!("q{n}w{n}9 zK{n}x"))),
        (
            "a list with a long shared prefix",
            numbered(15, |n| {
                format!("- projects/my-google-cloud-project-12345/locations/us-central1/services/{n}\n")
            }),
        ),
        ("repetitions that are far apart", numbered(10, |n| format!("{CHUNK}{n}{far}"))),
        ("inside a code block", format!("```\n{}\n```", CHUNK.repeat(10))),
        (
            "content that goes on into a code block",
            format!("{}\n{}", CHUNK.repeat(8), fenced(CHUNK.repeat(10))),
        ),
        ("already inside a code block", fenced(CHUNK.repeat(15))),
        ("repeating tokens in code", fenced("for (let i = 0; i < 10; i++) { console.log(i); }".repeat(20))),
        ("dividers", "--------------------------------------------------".repeat(15)),
        ("box drawing", "╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─╭─".repeat(15)),
    ]
    .into_iter()
    .chain(
        [
            "\n* Bullet item",
            "\n- Dash item",
            "\n+ Plus item",
            "\n1. Numbered item",
            "\n42. Another numbered item",
            "\n| Column 1 | Column 2 |",
            "\n|---|---|",
            "\n+---+---+",
            "\n# H1 Heading",
            "\n###### H6 Heading",
            "\n> Quote text",
        ]
        .map(|structure| ("a structure in between", [CHUNK.repeat(9), CHUNK.repeat(9)].join(structure))),
    ) {
        assert!(!repeats(&text), "{name}: {text}");
    }
}

/// A structure begins anew for them, whatever follows. For us it is text: what is repeated exactly is repeated.
#[test]
fn x5_where_we_differ() {
    // They pass over list items, but for a dash, which a mistake in an expression keeps from being one. We are patient
    // with equal items, whatever their mark.
    for mark in ["*", "-", "1."] {
        assert!(!repeats(&format!("{mark} {CHUNK}\n").repeat(12)));
        assert!(repeats(&format!("{mark} {CHUNK}\n").repeat(40)));
    }
    // A mistake in an expression takes capitals and digits for a ruler.
    assert!(repeats(&"ABC-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789".repeat(20)));
    // OpenRouter's rule takes four copies of sixteen tokens, VS Code's two of sixty. We want more of a sentence where
    // other text is before it, because refrains and quoted lines look like that.
    let sentence = "The next file that has to be moved to the new folder is here. ";
    assert!(!repeats(&format!("I moved them.\n\n{}", sentence.repeat(5))));
    assert!(repeats(&sentence.repeat(4)));
    // Long code in a fence ends, and so does our patience; theirs does not.
    assert!(repeats(&format!("```\n{}", CHUNK.repeat(220))));
}
