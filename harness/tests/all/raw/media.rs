//! What a parser of each medium finds in an output: nothing that the hostile text made.

use balk_reports::report::document::sign;
use html5ever::driver::ParseOpts;
use html5ever::parse_document;
use html5ever::tendril::TendrilSink as _;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use pulldown_cmark::{Event, Options, Parser, Tag};
use quick_xml::events::Event as Xml;
use serde_json::Value;

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    Text,
    Json,
    Html,
    Markdown,
    Csv,
    Junit,
    Toml,
}

/// The name of what a piece of the hostile text would make.
const MADE: &str = "hostile";

impl Medium {
    /// What is wrong with this output; `None` if nothing is.
    pub(super) fn wrong(self, output: &str) -> Option<String> {
        workflow_command(output).or_else(|| self.wrong_in_a_file(output))
    }

    /// The same for a file, which is no log.
    pub(super) fn wrong_in_a_file(self, output: &str) -> Option<String> {
        let control = output.replace("\r\n", "\n").chars().find(|it| sign(*it).is_some());
        control.map(|it| format!("the character {it:?} is raw")).or_else(|| match self {
            Self::Text => None,
            Self::Json => json(output),
            Self::Html => html(output),
            Self::Markdown => markdown(output),
            Self::Csv => csv(output),
            Self::Junit => xml(output),
            Self::Toml => output.parse::<toml::Table>().err().map(|it| it.to_string()),
        })
    }
}

/// A line that GitHub Actions obeys, with white space before it as C# knows it.
fn workflow_command(output: &str) -> Option<String> {
    let obeyed = |it: &&str| it.trim_start().starts_with("::") || it.contains("##[");
    output.split(['\n', '\r']).find(obeyed).map(|it| format!("a workflow command: {it:?}"))
}

/// One object, or one a line.
fn json(output: &str) -> Option<String> {
    let values = serde_json::Deserializer::from_str(output).into_iter::<Value>();
    values.filter_map(Result::err).map(|it| it.to_string()).next()
}

fn html(output: &str) -> Option<String> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(output);
    made(&dom.document)
}

fn made(node: &Handle) -> Option<String> {
    let children = node.children.borrow();
    match &node.data {
        NodeData::Element { name, attrs, template_contents, .. } => {
            let name = &*name.local;
            let attributes = attrs.borrow();
            let attribute = |it: &&html5ever::Attribute| {
                let value = it.value.trim_start().to_lowercase();
                let is_address = ["href", "src", "action"].contains(&&*it.name.local);
                &*it.name.local == MADE
                    || it.name.local.starts_with("on")
                    || (is_address && ["javascript:", "hostile:"].iter().any(|it| value.starts_with(it)))
            };
            if let Some(it) = attributes.iter().find(attribute) {
                return Some(format!("the attribute {}={:?}", it.name.local, it.value));
            }
            let is_data = attributes.iter().any(|it| &*it.value == "application/json");
            let inside: String = children.iter().filter_map(text).collect();
            let is_code = name == "style" || (name == "script" && !is_data);
            if name == MADE || (is_code && inside.contains(MADE)) {
                return Some(format!("the element {name}: {inside}"));
            }
            if name == "script"
                && is_data
                && let Some(wrong) = json(&inside)
            {
                return Some(format!("data: {wrong}"));
            }
            if let Some(wrong) = template_contents.borrow().as_ref().and_then(made) {
                return Some(wrong);
            }
        }
        NodeData::Comment { contents } if contents.contains(MADE) => {
            return Some(format!("a comment: {contents}"));
        }
        NodeData::Comment { .. }
        | NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Text { .. }
        | NodeData::ProcessingInstruction { .. } => {}
    }
    children.iter().find_map(made)
}

fn text(node: &Handle) -> Option<String> {
    match &node.data {
        NodeData::Text { contents } => Some(contents.borrow().to_string()),
        NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Comment { .. }
        | NodeData::Element { .. }
        | NodeData::ProcessingInstruction { .. } => None,
    }
}

fn markdown(output: &str) -> Option<String> {
    for event in Parser::new_ext(output, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
        match event {
            Event::Html(it) | Event::InlineHtml(it) if it.contains(MADE) => {
                return Some(format!("HTML in Markdown: {it}"));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                if dest_url.contains(MADE) {
                    return Some(format!("a link to {dest_url}"));
                }
            }
            Event::InlineMath(it) | Event::DisplayMath(it) | Event::FootnoteReference(it) => {
                return Some(format!("markup in Markdown: {it}"));
            }
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    None
}

/// Rows of as many cells, none of which is a formula.
fn csv(output: &str) -> Option<String> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(output.as_bytes());
    reader.records().find_map(|row| match row {
        Ok(row) => {
            let begins = |it: &&str| it.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
            let formula = row.iter().find(|it| begins(it) && it.parse::<f64>().is_err());
            formula.map(|it| format!("a formula: {it}"))
        }
        Err(error) => Some(error.to_string()),
    })
}

fn xml(output: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(output);
    loop {
        match reader.read_event() {
            Ok(Xml::Eof) => return None,
            Ok(Xml::Start(it) | Xml::Empty(it)) => {
                let mut names = vec![String::from_utf8_lossy(it.name().as_ref()).into_owned()];
                for attribute in it.attributes() {
                    match attribute {
                        Ok(it) => names.push(String::from_utf8_lossy(it.key.as_ref()).into_owned()),
                        Err(error) => return Some(error.to_string()),
                    }
                }
                if names.iter().any(|it| it == MADE) {
                    return Some(format!("an element or an attribute: {names:?}"));
                }
            }
            Ok(it @ (Xml::Comment(_) | Xml::PI(_) | Xml::DocType(_) | Xml::CData(_))) => {
                return Some(format!("markup in XML: {it:?}"));
            }
            Ok(Xml::End(_) | Xml::Text(_) | Xml::Decl(_) | Xml::GeneralRef(_)) => {}
            Err(error) => return Some(error.to_string()),
        }
    }
}
