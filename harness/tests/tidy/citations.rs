//! Cited documents, in comments and prose, and the links of Markdown.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::finding::{Finding, Rule};
use crate::modules::Sources;
use crate::repository::Repository;

/// The document with the rows of the specification.
const SPECIFICATION: &str = "docs/specification.md";

/// The targets of citations: the files of the repository, and the anchors of each document.
struct Library<'a> {
    repository: &'a Repository,
    anchors: BTreeMap<&'a str, BTreeSet<String>>,
    rows: BTreeSet<String>,
}

/// Citations that a reader of the repository cannot follow.
pub(crate) fn citations(repository: &Repository, sources: &Sources) -> Vec<Finding> {
    let library = Library::of(repository);
    let mut findings = Vec::new();
    for (path, text) in &repository.files {
        for (line, said) in passages(path, text, sources) {
            let key = |word: &str| word.to_owned();
            let documents = documents(&said).into_iter().filter(|cited| !library.has(path, cited));
            let found = |cited: &str| format!("`{cited}` is cited, and is not in the repository");
            findings.extend(documents.map(|cited| (path.clone(), line, key(cited), found(cited))));
        }
        // A row named by a test or a scenario is a citation too.
        for (at, said) in text.lines().enumerate().filter(|_| is_written(path)) {
            let rows = rows(said).into_iter().filter(|row| !library.rows.contains(*row));
            let found = |row: &str| format!("row {row} is cited, and is not a heading in {SPECIFICATION}");
            findings.extend(rows.map(|row| (path.clone(), at + 1, row.to_owned(), found(row))));
        }
    }
    let finding = |(path, line, key, found)| Finding { rule: Rule::Citation, path, line, key, found };
    findings.into_iter().map(finding).collect()
}

/// Markdown links that lead to no file and no heading of the repository.
pub(crate) fn links(repository: &Repository) -> Vec<Finding> {
    let library = Library::of(repository);
    let mut findings = Vec::new();
    for (path, text) in repository.ending("md") {
        for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
                continue;
            };
            if dest_url.contains("://") || dest_url.starts_with("mailto:") || library.leads(path, &dest_url) {
                continue;
            }
            findings.push(Finding {
                rule: Rule::Link,
                path: path.to_owned(),
                line: text[..range.start].matches('\n').count() + 1,
                key: dest_url.to_string(),
                found: format!("a link to `{dest_url}`, which does not exist"),
            });
        }
    }
    findings
}

impl<'a> Library<'a> {
    fn of(repository: &'a Repository) -> Self {
        let anchors: BTreeMap<&str, BTreeSet<String>> =
            repository.ending("md").map(|(path, text)| (path, anchors(text))).collect();
        let specification = repository.files.get(SPECIFICATION).map_or("", String::as_str);
        let headings = specification.lines().filter_map(|line| line.strip_prefix("### "));
        let rows = headings.filter_map(|heading| rows_of(heading).next()).map(str::to_owned).collect();
        Self { repository, anchors, rows }
    }

    /// Whether a document's path ends in the cited one, and the document has the anchor.
    fn has(&self, from: &str, cited: &str) -> bool {
        let (path, anchor) = cited.split_once('#').unwrap_or((cited, ""));
        let path = path.trim_start_matches("./").trim_start_matches("../");
        let beside = format!("/{path}");
        let mut fitting =
            self.anchors.iter().filter(|(known, _)| **known == path || known.ends_with(&beside));
        fitting.any(|(_, anchors)| anchor.is_empty() || anchors.contains(anchor)) || self.leads(from, cited)
    }

    /// Whether the target of a link from `from` exists.
    fn leads(&self, from: &str, target: &str) -> bool {
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let to = if path.is_empty() { from.to_owned() } else { beside(from, path) };
        let known = |anchors: &BTreeSet<String>| anchors.contains(anchor);
        self.repository.has(&to) && (anchor.is_empty() || self.anchors.get(to.as_str()).is_some_and(known))
    }
}

/// The file that `path` means in the document `from`.
fn beside(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The anchors that GitHub gives to the headings of a document, and explicit ones.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(said) | Event::Code(said) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&said);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let numbered = (1..).map(|n| format!("{slug}-{n}"));
                let free = std::iter::once(slug.clone()).chain(numbered).find(|slug| !anchors.contains(slug));
                anchors.extend(free);
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let ids = html.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next());
                anchors.extend(ids.map(str::to_owned));
            }
            Event::Start(_)
            | Event::End(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    anchors
}

/// GitHub's rule: letters become lower case, digits, `-` and `_` stay, white space becomes `-`, everything else is
/// removed.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|mark| match mark {
        ' ' => Some('-'),
        '-' | '_' => Some(mark),
        _ => mark.is_alphanumeric().then_some(mark),
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Whether a file is written by hand for people to read.
fn is_written(path: &str) -> bool {
    !path.starts_with("harness/tests/tidy/")
        && [".rs", ".md", ".toml"].iter().any(|ending| path.ends_with(ending))
}

/// The lines of a file that are prose, without code and examples.
fn passages(path: &str, text: &str, sources: &Sources) -> Vec<(usize, String)> {
    let lines = || text.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned()));
    if path.starts_with("harness/tests/tidy/") {
        return Vec::new();
    }
    if let Some(source) = sources.get(path) {
        return outside_of_fences(source.comments.iter().cloned());
    }
    if path.ends_with(".md") {
        return outside_of_fences(lines().map(|(at, line)| (at, without_targets(&line))));
    }
    if path.ends_with(".toml") || path.starts_with(".ci/") {
        return lines().filter(|(_, line)| line.starts_with('#') || line.starts_with("source =")).collect();
    }
    Vec::new()
}

fn outside_of_fences(lines: impl Iterator<Item = (usize, String)>) -> Vec<(usize, String)> {
    let mut fenced = false;
    let outside = lines.filter(|(_, line)| {
        let edge = line.trim_start().starts_with("```");
        fenced ^= edge;
        !edge && !fenced
    });
    outside.collect()
}

/// A line of Markdown without the targets of its links, which are checked separately.
fn without_targets(line: &str) -> String {
    let mut parts = line.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| said + "](" + part.split_once(')').map_or("", |(_, rest)| rest))
}

/// The documents that a line names: `name.md`, with folders before it and an anchor after it, but no addresses.
fn documents(line: &str) -> Vec<&str> {
    let apart = |mark: char| !(mark.is_alphanumeric() || "_./#-:".contains(mark));
    let words = line.split(apart).map(|word| word.trim_end_matches(['.', ':', '#']));
    words
        .filter(|word| {
            let path = word.split('#').next().unwrap_or(word);
            !word.contains("//") && path.len() > ".md".len() && path.ends_with(".md")
        })
        .collect()
}

/// The rows of the specification that a line names: "spec N8", "spec E1, E4", "spec H1 to H3".
fn rows(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("spec ") {
        let before = line[..at].chars().next_back();
        if before.is_none_or(|mark| !mark.is_alphanumeric()) {
            found.extend(rows_of(&line[at + "spec ".len()..]));
        }
    }
    found
}

/// The rows at the start of `text`.
fn rows_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split([' ', ',', ';', ':', '.', ')']).filter(|word| !word.is_empty());
    words.filter(|word| !matches!(*word, "and" | "to")).take_while(|word| is_row(word))
}

/// Letters, then a number: `N8`.
fn is_row(word: &str) -> bool {
    let digits = word.trim_start_matches(|mark: char| mark.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    (1..=2).contains(&letters) && !digits.is_empty() && digits.chars().all(|mark| mark.is_ascii_digit())
}
