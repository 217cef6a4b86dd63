//! Whatever a text is: it is no markup of Markdown, no element of XML, no formula of a spreadsheet, and nothing that a
//! terminal obeys. Each writer is checked with a parser of its medium.

use std::collections::BTreeSet;

use balk_reports::records::Beside;
use balk_reports::report::document::{Document, Screen, markdown, sign, terminal};
use balk_reports::report::{Report, bench_report, crash, csv, junit};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};
use quick_xml::events::Event as Xml;

use crate::hostile::{bench_with, crash_with};

/// The reports of a bench and of a crash test with this text wherever foreign text can be.
fn documents(text: &str) -> [Document; 2] {
    let tables = Report::new(&bench_with(text, 4), &Beside::default());
    let crashed = crash_with(text);
    [bench_report(&tables), crash::crash_report(&crash::Report::new(&[crashed]))]
}

/// Block and inline elements of a Markdown text, and how much of it is HTML.
fn elements(text: &str) -> (Vec<String>, usize) {
    let (mut elements, mut html) = (Vec::new(), 0);
    for event in Parser::new_ext(text, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
        match event {
            Event::Start(tag) => elements.push(format!("{tag:?}")),
            Event::Html(it) | Event::InlineHtml(it) => html += it.matches('<').count(),
            Event::Code(_) | Event::Text(_) | Event::SoftBreak | Event::End(_) => {}
            other @ (Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_)) => elements.push(format!("{other:?}")),
        }
    }
    (elements, html)
}

/// Elements of an XML text, with the names of their attributes.
fn nodes(text: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut nodes = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Xml::Eof => return nodes,
            Xml::Start(it) | Xml::Empty(it) => {
                let mut node = String::from_utf8(it.name().as_ref().to_vec()).expect("text");
                for attribute in it.attributes() {
                    let attribute = attribute.expect("well-formed");
                    let value = std::str::from_utf8(&attribute.value).expect("text");
                    quick_xml::escape::unescape(value).expect("well-formed");
                    node += &format!(" {}", String::from_utf8_lossy(attribute.key.as_ref()));
                }
                nodes.push(node);
            }
            Xml::Comment(_) | Xml::PI(_) | Xml::DocType(_) => nodes.push("markup".into()),
            Xml::End(_) | Xml::Text(_) | Xml::CData(_) | Xml::Decl(_) | Xml::GeneralRef(_) => {}
        }
    }
}

/// The cells of a CSV text; every row has as many.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.expect("as many cells").iter().map(str::to_owned).collect()).collect()
}

/// The colours of a text for a terminal, and the rest of it.
fn colours(text: &str) -> (BTreeSet<String>, String) {
    let (mut colours, mut rest) = (BTreeSet::new(), String::new());
    let mut pieces = text.split('\u{1b}');
    rest += pieces.next().expect("there is a first piece");
    for piece in pieces {
        let (colour, behind) = piece.split_once('m').expect("a colour");
        colours.insert(colour.to_owned());
        rest += behind;
    }
    (colours, rest)
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "`",
        "``",
        "\n",
        "\n\n",
        "\r",
        "|",
        "\\",
        "\\|",
        "*",
        "**a**",
        "_b_",
        "~~c~~",
        "[a](b)",
        "![a](b)",
        "[a]: b\n",
        "<img src=x>",
        "<!-- x -->",
        "<b>",
        "</details>",
        "<?x?>",
        "<https://a.b>",
        "https://a.b",
        "# ",
        "- ",
        "+ ",
        "> ",
        "1. ",
        "```\n",
        "~~~\n",
        "---\n",
        "===\n",
        "    ",
        "\t",
        "| a |\n|---|\n",
        "$x$",
        "[^1]",
        "[^1]: x\n",
        ":::",
        "=1+1",
        "@a",
        "+1",
        "-1",
        ",",
        "\"",
        ";",
        "'",
        "]]>",
        "&lt;",
        "&",
        "\0",
        "\u{7}",
        "\u{1b}[31m",
        "\u{1b}]52;c;eA==\u{7}",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{fdd0}",
        "\u{85}",
        "\u{2028}",
        " ",
    ];
    let pieces = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 1..6);
    prop_oneof![4 => pieces.prop_map(|it| it.concat()), 1 => any::<String>()]
        .prop_filter("a text that shows nothing", |it| it.contains(|c: char| !c.is_whitespace()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_no_markup_of_markdown(text in hostile()) {
        for (found, harmless) in documents(&text).iter().zip(documents("text")) {
            let (found, harmless) = (markdown(found), markdown(&harmless));
            prop_assert_eq!(elements(&found), elements(&harmless), "{}", found);
            prop_assert!(!found.contains(|c| sign(c).is_some()), "{found:?}");
        }
    }

    #[test]
    fn a_text_is_nothing_that_a_terminal_obeys(text in hostile()) {
        for (found, harmless) in documents(&text).iter().zip(documents("text")) {
            let screen = Screen { colour: true, columns: Some(80) };
            let (found, rest) = colours(&terminal(found, screen));
            prop_assert_eq!(found, colours(&terminal(&harmless, screen)).0);
            prop_assert!(!rest.contains(|c| sign(c).is_some()), "{rest:?}");
        }
    }

    #[test]
    fn a_text_is_no_element_of_junit(text in hostile()) {
        let bench = |text| {
            let tables = Report::new(&bench_with(text, 4), &Beside::default());
            junit::render(&tables, &junit::safety(&tables))
        };
        let crash = |text| crash::junit(&crash::Report::new(&[crash_with(text)]));
        for (found, harmless) in [(bench(&*text), bench("text")), (crash(&*text), crash("text"))] {
            prop_assert_eq!(nodes(&found), nodes(&harmless), "{}", found);
            prop_assert!(!found.contains(|c| sign(c).is_some()), "{found:?}");
        }
    }

    #[test]
    fn a_text_is_no_formula_of_a_spreadsheet(text in hostile()) {
        let bench = |text| csv::render(&Report::new(&bench_with(text, 4), &Beside::default()));
        let crash = |text| crash::csv(&crash::Report::new(&[crash_with(text)]));
        for (found, harmless) in [(bench(&*text), bench("text")), (crash(&*text), crash("text"))] {
            let (found, harmless) = (cells(&found), cells(&harmless));
            prop_assert_eq!(found.len(), harmless.len());
            prop_assert_eq!(found[0].len(), harmless[0].len());
            for cell in found.iter().flatten() {
                let begins = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                prop_assert!(!begins || cell.parse::<f64>().is_ok(), "{cell:?}");
            }
        }
    }
}
