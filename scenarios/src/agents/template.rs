//! Texts of a command, an environment or a file, with holes that are filled for one run.
//!
//! A word of small letters in braces is a hole. All other braces are text, so that JSON and TOML stay as they are.

/// A text with holes that are filled for one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Literals and holes in turn.
    first: String,
    rest: Vec<(Hole, String)>,
}

/// What fills a hole of a [`Template`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hole {
    /// `{task}`: what the user says.
    Task,
    /// `{url}`: where the model is, without a path.
    Url,
    /// `{home}`: the folder that the agent has as its home.
    Home,
    /// `{workspace}`: the folder that the agent works in.
    Workspace,
}

/// What one run fills the holes with.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// What the user says: the task, or the words with which the last conversation goes on.
    pub task: &'a str,
    /// Where the model is, without a path: `http://127.0.0.1:8080`.
    pub url: &'a str,
    /// The folder that the agent has as its home.
    pub home: &'a str,
    /// The folder that the agent works in.
    pub workspace: &'a str,
}

const HOLES: [(&str, Hole); 4] =
    [("task", Hole::Task), ("url", Hole::Url), ("home", Hole::Home), ("workspace", Hole::Workspace)];

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// The word of a hole that is not known.
    pub fn read(text: &str) -> Result<Self, String> {
        let (mut template, mut rest) = (Self { first: String::new(), rest: Vec::new() }, text);
        while let Some((before, brace)) = rest.split_once('{') {
            template.last().push_str(before);
            let word = brace.split_once('}').filter(|(word, _)| is_word(word));
            let Some((word, after)) = word else {
                template.last().push('{');
                rest = brace;
                continue;
            };
            let (_, hole) = HOLES.iter().find(|(it, _)| *it == word).ok_or_else(|| word.to_owned())?;
            template.rest.push((*hole, String::new()));
            rest = after;
        }
        template.last().push_str(rest);
        Ok(template)
    }

    /// A text as it is, whatever braces are in it.
    #[must_use]
    pub fn verbatim(text: &str) -> Self {
        Self { first: text.to_owned(), rest: Vec::new() }
    }

    /// The text without holes.
    #[must_use]
    pub fn fill(&self, filling: &Filling<'_>) -> String {
        let mut text = self.first.clone();
        for (hole, literal) in &self.rest {
            text.push_str(match hole {
                Hole::Task => filling.task,
                Hole::Url => filling.url,
                Hole::Home => filling.home,
                Hole::Workspace => filling.workspace,
            });
            text.push_str(literal);
        }
        text
    }

    /// The text with its holes as they are written, and with `mark` in place of each text around them.
    #[must_use]
    pub fn masked(&self, mark: &str) -> String {
        let mark = |literal: &String| if literal.is_empty() { "" } else { mark };
        let mut text = mark(&self.first).to_owned();
        for (hole, literal) in &self.rest {
            let word = HOLES.iter().filter(|(_, it)| it == hole).map(|(word, _)| *word);
            text.extend(["{"].into_iter().chain(word).chain(["}", mark(literal)]));
        }
        text
    }

    /// Whether it has this hole.
    #[must_use]
    pub fn has(&self, hole: Hole) -> bool {
        self.rest.iter().any(|(it, _)| *it == hole)
    }

    /// The literal at the end.
    fn last(&mut self) -> &mut String {
        self.rest.last_mut().map_or(&mut self.first, |(_, literal)| literal)
    }
}

/// Whether a text in braces is a hole.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILLING: Filling<'_> =
        Filling { task: "say {url}", url: "http://127.0.0.1:1", home: "/h", workspace: "/w" };

    #[test]
    fn words_in_braces_are_filled_once_and_other_braces_stay() {
        for (text, expected) in [
            ("", Ok("")),
            ("{task}", Ok("say {url}")),
            ("{home}{workspace}/a", Ok("/h/w/a")),
            (
                "{ \"a\": { \"url\": \"{url}/v1\" }, \"b\": {} }",
                Ok("{ \"a\": { \"url\": \"http://127.0.0.1:1/v1\" }, \"b\": {} }"),
            ),
            ("{{task}}", Ok("{say {url}}")),
            ("${HOME} {a b} {é} }{ {", Ok("${HOME} {a b} {é} }{ {")),
            ("{urls}", Err("urls")),
        ] {
            let filled = Template::read(text).map(|it| it.fill(&FILLING));
            assert_eq!(filled, expected.map(str::to_owned).map_err(str::to_owned), "{text}");
        }
    }

    proptest! {
        /// Texts without holes stay as they are, and no text makes the reader panic.
        #[test]
        fn what_has_no_hole_stays(text in "[{} a-zA-Z\"é:\n]{0,24}") {
            if let Ok(template) = Template::read(&text) {
                let plain = HOLES.iter().all(|(_, hole)| !template.has(*hole));
                prop_assert_eq!(plain, template.fill(&FILLING) == text);
            }
        }
    }
}
