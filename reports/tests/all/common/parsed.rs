//! A page as a browser reads it.

use html5ever::driver::ParseOpts;
use html5ever::parse_document;
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// An element: its name, how many others it is in, its attributes, and the text directly in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) depth: usize,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(it, _)| it == name).map(|(_, value)| &**value)
    }
}

/// The elements of a page, in order. A comment is an element without a name.
pub(crate) fn elements(page: &str) -> Vec<Element> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
    let mut elements = Vec::new();
    collect(&dom.document, 0, &mut elements);
    elements
}

fn collect(node: &Handle, depth: usize, elements: &mut Vec<Element>) {
    match &node.data {
        NodeData::Element { name, attrs, template_contents, .. } => {
            let attribute = |it: &html5ever::Attribute| (it.name.local.to_string(), it.value.to_string());
            let children = node.children.borrow();
            let text = children.iter().filter_map(|child| match &child.data {
                NodeData::Text { contents } => Some(contents.borrow().to_string()),
                NodeData::Document
                | NodeData::Doctype { .. }
                | NodeData::Comment { .. }
                | NodeData::Element { .. }
                | NodeData::ProcessingInstruction { .. } => None,
            });
            elements.push(Element {
                name: name.local.to_string(),
                depth,
                attributes: attrs.borrow().iter().map(attribute).collect(),
                text: text.collect(),
            });
            if let Some(inside) = &*template_contents.borrow() {
                collect(inside, depth + 1, elements);
            }
        }
        NodeData::Comment { contents } => {
            elements.push(Element {
                name: String::new(),
                depth,
                attributes: Vec::new(),
                text: contents.to_string(),
            });
        }
        NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Text { .. }
        | NodeData::ProcessingInstruction { .. } => {}
    }
    node.children.borrow().iter().for_each(|child| collect(child, depth + 1, elements));
}
