//! The facts that rules need about a Rust file, read from its tokens: macros hide nothing from tokens.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// One Rust file.
pub(crate) struct Source {
    pub(crate) scope: Scope,
    pub(crate) functions: Vec<Function>,
    /// Lines of `#[serde(flatten)]` and `#[serde(untagged)]`.
    pub(crate) flattened: Vec<(usize, String)>,
    /// Lines with a second name of a field, `#[serde(alias = "…")]`, and that name in its quotes.
    pub(crate) aliased: Vec<(usize, String)>,
    /// The text of every comment, by line.
    pub(crate) comments: Vec<(usize, String)>,
}

/// A function, with the lines from `fn` to its closing brace. Functions in it are part of it.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// One module, in a file or inline.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) inline: Vec<(String, Scope)>,
    pub(crate) declared: Vec<Declared>,
    /// Items that are defined here.
    pub(crate) names: BTreeMap<String, usize>,
    pub(crate) imports: Vec<Import>,
    /// Paths and single names in code.
    pub(crate) mentions: Vec<Mention>,
}

/// `mod name;`
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// The value of `#[path]`.
    pub(crate) path: Option<String>,
}

/// One leaf of a `use`.
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    /// Its name here; none for `*`.
    pub(crate) name: Option<String>,
    pub(crate) public: bool,
    pub(crate) line: usize,
}

/// A path that code names.
pub(crate) struct Mention {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
}

/// Keywords before a defined name.
const DEFINING: [&str; 9] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];

impl Source {
    /// Reads the tokens of `text`; `path` is for the message if it is not Rust.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: no Rust: {error}"));
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut source = Self {
            scope: Scope::read(&trees),
            functions: Vec::new(),
            flattened: Vec::new(),
            aliased: Vec::new(),
            comments: comments(text, &trees),
        };
        functions(&trees, &mut source.functions);
        flattened(&trees, &mut source.flattened);
        aliased(&trees, &mut source.aliased);
        source
    }
}

impl Scope {
    fn read(trees: &[TokenTree]) -> Self {
        let mut scope = Self::default();
        let mut code: Vec<TokenTree> = Vec::new();
        let mut path = None;
        let mut at = 0;
        while at < trees.len() {
            match (word(trees.get(at)).as_deref(), trees.get(at + 1), trees.get(at + 2)) {
                (Some("mod"), Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) => {
                    scope.inline.push((name.to_string(), Self::read(&inside(body))));
                    at += 3;
                }
                (Some("mod"), Some(TokenTree::Ident(name)), _) => {
                    let line = name.span().start().line;
                    scope.declared.push(Declared { name: name.to_string(), line, path: path.take() });
                    at += 3;
                }
                (Some("use"), Some(_), _) => {
                    let end = at + until_semicolon(&trees[at..]);
                    imports(&[], &trees[at + 1..end], is_public(&trees[..at]), &mut scope.imports);
                    at = end + 1;
                }
                _ => {
                    path = attribute_path(&trees[at..]).or(path);
                    scope.define(&trees[at..]);
                    code.push(trees[at].clone());
                    at += 1;
                }
            }
        }
        mentions(&code, &mut scope.mentions);
        scope
    }

    /// Records the name that is defined at the start of `trees`, if there is one.
    fn define(&mut self, trees: &[TokenTree]) {
        if !word(trees.first()).is_some_and(|word| DEFINING.contains(&word.as_str())) {
            return;
        }
        // `macro_rules! name`, `static mut NAME`.
        let name =
            trees[1..].iter().find(|tree| !is(Some(tree), '!') && word(Some(tree)).as_deref() != Some("mut"));
        if let Some(TokenTree::Ident(name)) = name {
            self.names.insert(name.to_string(), name.span().start().line);
        }
    }
}

/// The trees of a group.
fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        Some(TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | None => None,
    }
}

fn is(tree: Option<&TokenTree>, mark: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// Whether `::` is at `at`.
fn is_path(trees: &[TokenTree], at: usize) -> bool {
    is(trees.get(at), ':') && is(trees.get(at + 1), ':')
}

fn until_semicolon(trees: &[TokenTree]) -> usize {
    trees.iter().position(|tree| is(Some(tree), ';')).unwrap_or(trees.len())
}

/// Whether the last token is `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let last = match before.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => before.len() - 1,
        _ => before.len(),
    };
    last > 0 && word(before.get(last - 1)).as_deref() == Some("pub")
}

/// The value of `#[path = "…"]`, if `trees` starts with it.
fn attribute_path(trees: &[TokenTree]) -> Option<String> {
    let Some(TokenTree::Group(group)) = trees.get(1).filter(|_| is(trees.first(), '#')) else { return None };
    let inside = inside(group);
    (word(inside.first()).as_deref() == Some("path"))
        .then(|| inside.last().map(|value| value.to_string().trim_matches('"').to_owned()))
        .flatten()
}

/// The leaves of a use tree below `prefix`.
fn imports(prefix: &[String], trees: &[TokenTree], public: bool, out: &mut Vec<Import>) {
    for part in trees.split(|tree| is(Some(tree), ',')).filter(|part| !part.is_empty()) {
        let line = part[0].span().start().line;
        let mut path = prefix.to_vec();
        let mut name = None;
        let mut words = part.iter();
        loop {
            match words.next() {
                Some(TokenTree::Ident(ident)) if ident == "as" => {
                    name = words.next().map(ToString::to_string)
                }
                // `{self}` means the parent of the braces.
                Some(TokenTree::Ident(ident)) if ident == "self" && !path.is_empty() => {}
                Some(TokenTree::Ident(ident)) => path.push(ident.to_string()),
                Some(TokenTree::Group(group)) => {
                    imports(&path, &inside(group), public, out);
                    break;
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                    out.push(Import { path, name: None, public, line });
                    break;
                }
                Some(TokenTree::Punct(_) | TokenTree::Literal(_)) => {}
                None => {
                    let name = name.or_else(|| path.last().cloned());
                    out.push(Import { path, name, public, line });
                    break;
                }
            }
        }
    }
}

/// The paths and names in code, except fields and methods. A `use` in a function names what it imports.
fn mentions(trees: &[TokenTree], out: &mut Vec<Mention>) {
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Group(group) => mentions(&inside(group), out),
            TokenTree::Ident(ident) if ident == "use" => {
                let end = at + until_semicolon(&trees[at..]);
                let mut local = Vec::new();
                imports(&[], &trees[at + 1..end], false, &mut local);
                out.extend(local.into_iter().map(|import| Mention { path: import.path, line: import.line }));
                at = end;
            }
            TokenTree::Ident(ident) => {
                let start = at;
                let mut path = vec![ident.to_string()];
                while is_path(trees, at + 1)
                    && let Some(next) = word(trees.get(at + 3))
                {
                    path.push(next);
                    at += 3;
                }
                let named = is(trees.get(at + 1), ':') && !is_path(trees, at + 1);
                if !(follows_another(&trees[..start]) || path.len() == 1 && named) {
                    out.push(Mention { path, line: ident.span().start().line });
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
        at += 1;
    }
}

/// Whether the name after `before` is a field, a method, a lifetime or the end of `<T as Trait>::name`.
fn follows_another(before: &[TokenTree]) -> bool {
    let (last, one_before) = (before.last(), before.len().checked_sub(2).and_then(|at| before.get(at)));
    (is(last, '.') && !is(one_before, '.')) || is(last, '\'') || (is(last, ':') && is(one_before, ':'))
}

fn functions(trees: &[TokenTree], out: &mut Vec<Function>) {
    let mut at = 0;
    while at < trees.len() {
        match (&trees[at], trees.get(at + 1)) {
            (TokenTree::Ident(ident), Some(TokenTree::Ident(name))) if ident == "fn" => {
                let end = at + until_semicolon(&trees[at..]);
                let body = trees[at..end].iter().position(is_braced).map(|body| at + body);
                if let Some(body) = body {
                    let (first, last) = (ident.span().start().line, trees[body].span().end().line);
                    out.push(Function { name: name.to_string(), first, last });
                }
                at = body.unwrap_or(at);
            }
            (TokenTree::Group(group), _) => functions(&inside(group), out),
            _ => {}
        }
        at += 1;
    }
}

fn is_braced(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn flattened(trees: &[TokenTree], out: &mut Vec<(usize, String)>) {
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else { continue };
        let inside = inside(group);
        if at > 0 && word(trees.get(at - 1)).as_deref() == Some("serde") {
            let words = inside.iter().filter_map(|tree| Some((tree.span().start().line, word(Some(tree))?)));
            out.extend(words.filter(|(_, word)| word == "flatten" || word == "untagged"));
        }
        flattened(&inside, out);
    }
}

/// Second names of fields. A variant of an enum is no member of an object, so it cannot come twice.
fn aliased(trees: &[TokenTree], out: &mut Vec<(usize, String)>) {
    let mut names = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) if at > 0 && is(trees.get(at - 1), '#') => {
                let attribute = inside(group);
                if word(attribute.first()).as_deref() == Some("serde") {
                    aliases(&attribute, &mut names);
                }
            }
            TokenTree::Group(group) => aliased(&inside(group), out),
            TokenTree::Ident(ident) if ident == "pub" => {}
            TokenTree::Ident(_) if is(trees.get(at + 1), ':') && !is_path(trees, at + 1) => {
                out.append(&mut names)
            }
            TokenTree::Ident(_) => names.clear(),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The names in `alias = "…"` of an attribute.
fn aliases(attribute: &[TokenTree], out: &mut Vec<(usize, String)>) {
    for (at, tree) in attribute.iter().enumerate() {
        if let TokenTree::Group(group) = tree {
            aliases(&inside(group), out);
        } else if word(Some(tree)).as_deref() == Some("alias")
            && let Some(name) = attribute.get(at + 2)
        {
            out.push((tree.span().start().line, name.to_string()));
        }
    }
}

/// The text after `//` in each line, if that is not inside a literal.
fn comments(text: &str, trees: &[TokenTree]) -> Vec<(usize, String)> {
    let mut bare = text.as_bytes().to_vec();
    blank(trees, text, &mut bare);
    let lines = bare.split(|byte| *byte == b'\n').zip(text.lines()).enumerate();
    let comment = |(at, (bare, line)): (usize, (&[u8], &str))| {
        let start = bare.windows(2).position(|two| two == b"//")?;
        Some((at + 1, line[start..].trim_start_matches(['/', '!']).to_owned()))
    };
    lines.filter_map(comment).collect()
}

/// Blanks out literals. A doc comment is a literal too, and stays.
fn blank(trees: &[TokenTree], text: &str, bare: &mut [u8]) {
    for tree in trees {
        match tree {
            TokenTree::Group(group) => blank(&inside(group), text, bare),
            TokenTree::Literal(literal) => {
                let range = literal.span().byte_range();
                if !text[range.clone()].starts_with('/') {
                    bare[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}
