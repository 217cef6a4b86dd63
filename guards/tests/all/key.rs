//! The call key against a slow reference: trees with exact numbers and strings of UTF-16 units, written in one
//! canonical form, and spelled as JSON in random ways.

use std::collections::BTreeMap;
use std::fmt::Write;

use balk_guards::{CallKey, Offer, RawCall, Shape, ToolCall};
use proptest::prelude::*;
use serde::de::IgnoredAny;

fn call(tool: &str, arguments: &str) -> ToolCall {
    ToolCall::new(
        RawCall { id: "c1".into(), tool: tool.into(), arguments: arguments.into() },
        &Offer::default(),
    )
}

fn key(arguments: &str) -> CallKey {
    call("write", arguments).key
}

#[track_caller]
fn check_equal(texts: &[&str]) {
    for text in texts {
        assert_ne!(call("write", text).shape, Shape::NotJson, "{text}");
        assert_eq!(key(texts[0]), key(text), "{} and {text}", texts[0]);
    }
}

#[track_caller]
fn check_all_differ(texts: &[&str]) {
    for (at, one) in texts.iter().enumerate() {
        for other in &texts[..at] {
            assert_ne!(key(one), key(other), "{one} and {other}");
        }
    }
}

#[test]
fn spelling_does_not_matter() {
    check_equal(&["1", "1.0", "10e-1", "0.1E+1", "1e0", "1e-0", " 1\n", "100e-2", "0.0010e3"]);
    check_equal(&["0", "-0", "0.000", "0e999999999999999999999999", "-0.0E-7"]);
    check_equal(&["1e999", "10e998", "0.1e1000", "1e0000000000000000000999"]);
    check_equal(&["1e9999999999999999999999", "1.0e+09999999999999999999999"]);
    check_equal(&["100000000000000000001", "100000000000000000001.0", "1000000000000000000010e-1"]);
    check_equal(&[r#""a/é""#, r#""\u0061\/\u00e9""#, r#""\u0061\u002F\u00E9""#]);
    check_equal(&[r#""😀\n""#, r#""\ud83d\ude00\u000a""#, r#""\uD83D\uDE00\u000A""#]);
    check_equal(&[r#"{"a":1,"b":[2]}"#, "{ \"b\" : [ 2.0 ] ,\r\n\t\"\\u0061\" : 1 }"]);
    check_equal(&[r#"{"a":2}"#, r#"{"a":1,"a":2}"#, r#"{"a":{"b":[]},"\u0061":3,"a":2}"#]);
}

#[test]
fn meaning_does() {
    check_all_differ(&[
        "1",
        "-1",
        "\"1\"",
        "true",
        "false",
        "null",
        "\"true\"",
        "[]",
        "{}",
        "\"\"",
        "0",
        "[1]",
        "[[1]]",
        "[[]]",
        r#"{"1":1}"#,
        r#"["1",1]"#,
        r#"[1,"1"]"#,
        r#"{"":{}}"#,
        "10",
        "1e1000000000000000000",
        "1e-1000000000000000000",
        "1e1000000000000000001",
        "-1e1000000000000000000",
        "100000000000000000001",
        "100000000000000000002",
        "0.1",
        "0.10000000000000000001",
        "nul",
        "{",
        "{a:1}",
    ]);
    check_all_differ(&[r#""\ud83d""#, r#""\ude00""#, r#""\ude00\ud83d""#, r#""\ud83d\ude00""#, r#""�""#]);
    check_all_differ(&[r#""\ud83dx""#, r#""\ud83d\u0078\u0078""#, r#""\ud83d\\ude00""#, r#""\ud83d\ud83d""#]);
    check_all_differ(&[r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#, r#"{"a":1}"#, r#"{"a":1,"a":2}"#]);
}

#[test]
fn tools_stay_apart() {
    assert_ne!(call("read", "{}").key, call("write", "{}").key);
    assert_ne!(call("a", r#""b""#).key, call("ab", r#""""#).key);
    assert_ne!(call("a", "bc").key, call("ab", "c").key);
}

#[test]
fn what_is_not_json_is_compared_byte_by_byte() {
    for text in
        ["{\"a\":1,}", "{'a':1}", "[1 2]", "01", "1.", ".5", "+1", "1e", "--1", "\"\u{1}\"", "\"a\nb\""]
    {
        assert_eq!(call("write", text).shape, Shape::NotJson, "{text}");
        assert_ne!(key(text), key(&format!("{text} ")), "{text}");
    }
    for text in [
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123\"",
        "\"",
        "\"\\",
        "tru",
        "truex",
        "{} {}",
        "\u{feff}{}",
        "\u{a0}1",
    ] {
        assert_eq!(call("write", text).shape, Shape::NotJson, "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(call("write", &nested(128)).shape, Shape::OtherJson);
    assert_eq!(call("write", &nested(129)).shape, Shape::NotJson);
    assert_eq!(call("write", &nested(1_000_000)).shape, Shape::NotJson);
    assert_eq!(call("write", &r#"{"a":"#.repeat(1_000_000)).shape, Shape::NotJson);
}

#[test]
fn many_members_are_ordered_too() {
    let member = |n: u32| format!("\"k{n}\":[{n},{{\"x\":{n}}}]");
    let spell =
        |order: Vec<u32>| format!("{{{}}}", order.into_iter().map(member).collect::<Vec<_>>().join(","));
    assert_eq!(key(&spell((0..500).collect())), key(&spell((0..500).rev().collect())));
    assert_eq!(key(&spell((0..20).collect())), key(&spell((0..20).chain(0..20).collect())));
    assert_ne!(key(&spell((0..500).collect())), key(&spell((0..499).collect())));
}

#[test]
fn a_key_has_one_spelling() {
    let key = key("{}");
    let text = serde_json::to_string(&key).expect("a key is a string");
    assert_eq!(serde_json::from_str::<CallKey>(&text).expect("it was just written"), key);
    for bad in ["\"\"", "\"+0000000000000000000000000000001\"", "\"ABCDEF00000000000000000000000000\"", "1"] {
        assert!(serde_json::from_str::<CallKey>(bad).is_err(), "{bad}");
    }
}

/// A JSON value with the meaning of RFC 8259.
#[derive(Clone, Debug)]
enum Tree {
    Word(&'static str),
    /// `digits × 10^power`.
    Number {
        negative: bool,
        digits: String,
        power: i32,
    },
    /// UTF-16 units, including unpaired surrogates.
    Text(Vec<u16>),
    Array(Vec<Tree>),
    Object(Vec<(Vec<u16>, Tree)>),
}

impl Tree {
    /// Equal for two trees exactly if their keys must be equal.
    fn canonical(&self) -> String {
        match self {
            Self::Word(word) => (*word).into(),
            Self::Number { negative, digits, power } => {
                let digits = digits.trim_start_matches('0');
                let short = digits.trim_end_matches('0');
                let power = *power + i32::try_from(digits.len() - short.len()).expect("short texts");
                let sign = if *negative { "-" } else { "" };
                if short.is_empty() { "0".into() } else { format!("{sign}{short}e{power}") }
            }
            Self::Text(units) => format!("{units:x?}t"),
            Self::Array(items) => format!("{:?}", items.iter().map(Tree::canonical).collect::<Vec<_>>()),
            Self::Object(members) => {
                let members: BTreeMap<_, _> =
                    members.iter().map(|(name, it)| (name, it.canonical())).collect();
                format!("{members:?}")
            }
        }
    }

    fn spell(&self, dice: &mut Dice, out: &mut String) {
        dice.space(out);
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Number { negative, digits, power } => spell_number(*negative, digits, *power, dice, out),
            Self::Text(units) => spell_text(units, dice, out),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.spell(dice, out);
                }
                dice.space(out);
                out.push(']');
            }
            Self::Object(members) => {
                // Shuffled by last occurrence; earlier occurrences of a name are noise and come first.
                let last: BTreeMap<_, _> = members.iter().map(|(name, it)| (name, it)).collect();
                let mut order: Vec<_> = last.into_iter().collect();
                for at in (1..order.len()).rev() {
                    order.swap(at, dice.below(at + 1));
                }
                if let Some(&(name, _)) = order.first()
                    && dice.below(3) == 0
                {
                    order.insert(0, (name, &Tree::Word("null")));
                }
                out.push('{');
                for (at, (name, value)) in order.into_iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    dice.space(out);
                    spell_text(name, dice, out);
                    dice.space(out);
                    out.push(':');
                    value.spell(dice, out);
                }
                dice.space(out);
                out.push('}');
            }
        }
        dice.space(out);
    }

    /// The leaf number `n`, counted from the left.
    fn leaf(&mut self, n: &mut usize) -> Option<&mut Tree> {
        match self {
            Self::Word(_) | Self::Number { .. } | Self::Text(_) => {
                *n = n.wrapping_sub(1);
                (*n == usize::MAX).then_some(self)
            }
            Self::Array(items) => items.iter_mut().find_map(|it| it.leaf(n)),
            Self::Object(members) => members.iter_mut().find_map(|(_, it)| it.leaf(n)),
        }
    }
}

fn spell_number(negative: bool, digits: &str, power: i32, dice: &mut Dice, out: &mut String) {
    out.push_str(if negative { "-" } else { "" });
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        out.push_str(["0", "0.0", "0e7", "0.00E-1"][dice.below(4)]);
        return;
    }
    let zeros = dice.below(4);
    let digits = format!("{digits}{}", "0".repeat(zeros));
    let len = i32::try_from(digits.len()).expect("short texts");
    let power = power - i32::try_from(zeros).expect("short texts");
    // The decimal point comes after this many digits, or this far before the first.
    let point = i32::try_from(dice.below(digits.len() + 4)).expect("short texts") - 3;
    let (whole, fraction) = match usize::try_from(point) {
        Ok(0) => (String::from("0"), digits),
        Ok(point) if point < digits.len() => (digits[..point].into(), digits[point..].into()),
        Ok(_) => (digits, String::new()),
        Err(_) => (String::from("0"), format!("{}{digits}", "0".repeat(point.unsigned_abs() as usize))),
    };
    let power = power + len - point.min(len);
    out.push_str(if whole.is_empty() { "0" } else { &whole });
    if !fraction.is_empty() {
        write!(out, ".{fraction}").expect("a string takes all");
    }
    if power != 0 || dice.below(4) == 0 {
        out.push(if dice.below(2) == 0 { 'e' } else { 'E' });
        out.push_str(if power < 0 { "-" } else { ["", "+"][dice.below(2)] });
        write!(out, "{}{}", "0".repeat(dice.below(3)), power.abs()).expect("a string takes all");
    }
}

fn spell_text(units: &[u16], dice: &mut Dice, out: &mut String) {
    out.push('"');
    for char in char::decode_utf16(units.iter().copied()) {
        let raw = char.as_ref().copied().ok().filter(|&char| char >= ' ' && char != '"' && char != '\\');
        let short = match char {
            Ok('"') => "\\\"",
            Ok('\\') => "\\\\",
            Ok('/') => "\\/",
            Ok('\n') => "\\n",
            Ok('\t') => "\\t",
            Ok('\r') => "\\r",
            Ok('\u{8}') => "\\b",
            Ok('\u{c}') => "\\f",
            Ok(_) | Err(_) => "",
        };
        match (dice.below(3), raw) {
            (1, _) if !short.is_empty() => out.push_str(short),
            (0 | 1, Some(char)) => out.push(char),
            (_, _) => {
                let mut pair = [0; 2];
                let units: &[u16] = match &char {
                    Ok(char) => char.encode_utf16(&mut pair),
                    Err(half) => &[half.unpaired_surrogate()],
                };
                for unit in units {
                    let spelled =
                        if dice.below(2) == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
                    out.push_str(&spelled);
                }
            }
        }
    }
    out.push('"');
}

/// Random draws for spellings.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn space(&mut self, out: &mut String) {
        for _ in 0..self.below(6).saturating_sub(3) {
            out.push([' ', '\n', '\t', '\r'][self.below(4)]);
        }
    }
}

fn text() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => (b' '..=b'~').prop_map(u16::from),
        1 => 0_u16..0x20,
        1 => proptest::sample::select(vec![0x22, 0x5c, 0x2f, 0x7f, 0xe9, 0xd83d, 0xde00, 0xd800, 0xdfff, 0xffff]),
        1 => any::<u16>(),
    ];
    prop_oneof![3 => proptest::collection::vec(unit.clone(), 0..4), 1 => proptest::collection::vec(unit, 0..40)]
}

fn leaf() -> impl Strategy<Value = Tree> {
    let number = (any::<bool>(), prop_oneof!["[0-9]{1,3}", "[0-9]{15,25}", "10{0,22}[0-3]"], -5..5)
        .prop_map(|(negative, digits, power)| Tree::Number { negative, digits, power });
    prop_oneof![
        1 => proptest::sample::select(vec!["true", "false", "null"]).prop_map(Tree::Word),
        3 => number,
        3 => text().prop_map(Tree::Text),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    leaf().prop_recursive(4, 80, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Tree::Array),
            proptest::collection::vec((text(), inner), 0..30).prop_map(Tree::Object),
        ]
    })
}

fn spell(tree: &Tree, seed: u64) -> String {
    let mut out = String::new();
    tree.spell(&mut Dice(seed), &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_spellings_of_one_tree_have_one_key(tree in tree(), one: u64, other: u64) {
        let (one, other) = (spell(&tree, one), spell(&tree, other));
        let shape = if matches!(tree, Tree::Object(_)) { Shape::Object } else { Shape::OtherJson };
        prop_assert_eq!(call("write", &one).shape, shape);
        prop_assert_eq!(key(&one), key(&other), "{} and {}", one, other);
    }

    #[test]
    fn keys_are_equal_exactly_when_canonical_forms_are(
        tree in tree(), at in 0_usize..20, new in leaf(), seeds: (u64, u64),
    ) {
        let mut changed = tree.clone();
        if let Some(old) = changed.leaf(&mut at.clone()) {
            *old = new;
        }
        let (one, other) = (spell(&tree, seeds.0), spell(&changed, seeds.1));
        prop_assert_eq!(key(&one) == key(&other), tree.canonical() == changed.canonical(), "{} and {}", one, other);
    }

    #[test]
    fn small_leaves_too(one in leaf(), other in leaf(), seeds: (u64, u64)) {
        let equal = key(&spell(&one, seeds.0)) == key(&spell(&other, seeds.1));
        prop_assert_eq!(equal, one.canonical() == other.canonical());
    }

    /// `IgnoredAny` checks only the grammar, and has no limit on the depth.
    #[test]
    fn the_shape_is_what_the_grammar_says(
        text in prop_oneof![
            any::<String>(),
            "[-+0-9.eE]{1,8}",
            "\"([a-z\\\\\"/u0-9]|\\\\u[0-9a-fD]{4}|\u{1}|é){0,12}\"?",
            "[\\[\\]{}:,\" 0-1atrue\\\\n]{0,14}",
            "(\\{(\"a\":|)(\\[|1|\\]|\\}|,|null| ){0,6}\\}?)",
        ],
    ) {
        prop_assume!(!text.trim().is_empty());
        let valid = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        prop_assert_eq!(call("write", &text).shape != Shape::NotJson, valid);
    }

    #[test]
    fn a_damaged_text_is_judged_as_the_grammar_does(tree in tree(), seed: u64, at: usize, to: char) {
        let text = spell(&tree, seed);
        let chars: Vec<char> = text.chars().collect();
        let at = at % chars.len();
        let damaged: String = chars.iter().enumerate().map(|(n, &char)| if n == at { to } else { char }).collect();
        let cut: String = chars[..at].iter().collect();
        for text in [damaged, cut] {
            prop_assume!(!text.trim().is_empty());
            let valid = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            prop_assert_eq!(call("write", &text).shape != Shape::NotJson, valid, "{}", text);
        }
    }
}
