//! What a command line starts, as far as it must be known to prepare the answer: its programs, in order.

/// How a command is joined to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    /// It is the first, or comes after `;`, `&` or a new line.
    Then,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// It reads what the one before prints.
    Pipe,
}

/// A word, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the shell puts something else in its place: a variable, a pattern, the output of a command.
    pub(super) expands: bool,
}

/// One command of a line: its words after assignments, the program first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) join: Join,
    pub(super) words: Vec<Word>,
    /// Whether its output goes into a file.
    pub(super) redirected: bool,
    /// Whether the shell does not wait for it.
    pub(super) in_background: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(Word),
    Join(Join),
    /// `&`: what is before it goes on beside the shell.
    Background,
    /// `>` or `<`, with what is before and after it in the same operator: the next word is a file.
    Redirection {
        writes: bool,
    },
    /// `(`, `)`: a group only joins what is in it.
    Group,
}

/// Words that begin a command which is more than a list of programs.
const COMPOUND: [&str; 12] =
    ["if", "then", "else", "elif", "fi", "for", "while", "until", "case", "select", "function", "[["];

/// The commands of a line. `None` if it is no plain list of commands, or no whole one.
pub(super) fn commands(line: &str) -> Option<Vec<Simple>> {
    let mut all = Vec::new();
    let simple = |join| Simple { join, words: Vec::new(), redirected: false, in_background: false };
    let mut open = simple(Join::Then);
    let mut into_file = None;
    for token in Tokens::new(line).all()? {
        match token {
            Token::Word(word) => match into_file.take() {
                Some(true) => open.redirected |= word.text != "/dev/null",
                Some(false) => {}
                None if open.words.is_empty() && is_skipped(&word) => {}
                None => open.words.push(word),
            },
            Token::Redirection { writes } => into_file = Some(writes),
            Token::Group => {}
            Token::Join(join) => all.push(std::mem::replace(&mut open, simple(join))),
            Token::Background => {
                open.in_background = true;
                all.push(std::mem::replace(&mut open, simple(Join::Then)));
            }
        }
    }
    all.push(open);
    all.retain(|it| !it.words.is_empty());
    let is_compound = |it: &Simple| COMPOUND.contains(&it.words[0].text.as_str());
    (!all.iter().any(is_compound)).then_some(all)
}

/// Whether a word before the program is none of its own: an assignment, or a word of the shell.
fn is_skipped(word: &Word) -> bool {
    matches!(word.text.as_str(), "{" | "}" | "!" | "time") || is_assignment(&word.text)
}

/// Whether this gives a variable a value.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

struct Tokens<'l> {
    rest: std::iter::Peekable<std::str::Chars<'l>>,
    found: Vec<Token>,
    /// The word that is being read, if one is.
    word: Option<Word>,
}

impl<'l> Tokens<'l> {
    fn new(line: &'l str) -> Self {
        Self { rest: line.chars().peekable(), found: Vec::new(), word: None }
    }

    fn all(mut self) -> Option<Vec<Token>> {
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' => self.join(Join::Then),
                '#' if self.word.is_none() => while self.rest.next_if(|it| *it != '\n').is_some() {},
                '&' => self.ampersand(),
                '|' => {
                    let join = if self.takes('|') { Join::Or } else { Join::Pipe };
                    // `|&` is a pipe, too.
                    if join == Join::Pipe {
                        self.takes('&');
                    }
                    self.join(join);
                }
                '>' => self.writing()?,
                '<' => self.reading()?,
                '(' | ')' => {
                    self.end_word();
                    self.found.push(Token::Group);
                }
                '\'' => self.single()?,
                '"' => self.double()?,
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    escaped => self.push(escaped),
                },
                '$' | '`' => self.expansion(c)?,
                '*' | '?' | '[' | '~' | '{' if self.is_pattern(c) => {
                    self.push(c);
                    self.word().expands = true;
                }
                other => self.push(other),
            }
        }
        self.end_word();
        Some(self.found)
    }

    fn takes(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, c: char) {
        self.word().text.push(c);
    }

    fn end_word(&mut self) {
        self.found.extend(self.word.take().map(Token::Word));
    }

    fn join(&mut self, join: Join) {
        self.end_word();
        self.found.push(Token::Join(join));
    }

    /// Whether a shell would look for files of this name, or for lists of words. `[` and `{` alone are commands.
    fn is_pattern(&mut self, c: char) -> bool {
        let ends = self.rest.peek().is_none_or(|it| it.is_whitespace());
        match c {
            '~' => self.word.is_none(),
            '[' | '{' => self.word.is_some() || !ends,
            _ => true,
        }
    }

    fn ampersand(&mut self) {
        if self.takes('&') {
            self.join(Join::And);
        } else if self.takes('>') {
            // `&>` writes both outputs.
            self.takes('>');
            self.end_word();
            self.found.push(Token::Redirection { writes: true });
        } else {
            self.end_word();
            self.found.push(Token::Background);
        }
    }

    /// `>`, `>>`, `>|`, `>&1`, each perhaps after a number. Of an error output it is not known where it goes.
    fn writing(&mut self) -> Option<()> {
        let number = self.descriptor();
        if self.takes('&') {
            // The next word is a number, and no file.
            self.found.push(Token::Redirection { writes: false });
            return Some(());
        }
        if !self.takes('>') {
            self.takes('|');
        }
        self.found.push(Token::Redirection { writes: number.is_none_or(|it| it == "1") });
        Some(())
    }

    /// `<`, `<&3`, `<<<` and a word. A document in the command is more than a list of programs.
    fn reading(&mut self) -> Option<()> {
        self.descriptor();
        if self.takes('<') && !self.takes('<') {
            return None;
        }
        self.takes('&');
        self.found.push(Token::Redirection { writes: false });
        Some(())
    }

    /// The number right before a redirection, which is no word.
    fn descriptor(&mut self) -> Option<String> {
        match self.word.take() {
            Some(word) if word.text.chars().all(|it| it.is_ascii_digit()) && !word.text.is_empty() => {
                Some(word.text)
            }
            other => {
                self.word = other;
                self.end_word();
                None
            }
        }
    }

    fn single(&mut self) -> Option<()> {
        self.word();
        loop {
            match self.rest.next()? {
                '\'' => return Some(()),
                c => self.push(c),
            }
        }
    }

    fn double(&mut self) -> Option<()> {
        self.word();
        loop {
            match self.rest.next()? {
                '"' => return Some(()),
                '\\' => match self.rest.next()? {
                    '\n' => {}
                    c @ ('"' | '\\' | '$' | '`') => self.push(c),
                    c => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                c @ ('$' | '`') => self.expansion(c)?,
                c => self.push(c),
            }
        }
    }

    /// Takes what the shell replaces as it is written. `$` before anything that is no name is itself.
    fn expansion(&mut self, begins: char) -> Option<()> {
        self.push(begins);
        if begins == '`' {
            self.word().expands = true;
            while let Some(c) = self.rest.next_if(|it| *it != '`') {
                self.push(c);
            }
            let end = self.rest.next()?;
            self.push(end);
            return Some(());
        }
        match self.rest.peek() {
            Some('(') => self.nested('(', ')'),
            Some('{') => self.nested('{', '}'),
            Some(c) if c.is_ascii_alphanumeric() || "_?!#$@*-'".contains(*c) => {
                self.word().expands = true;
                Some(())
            }
            Some(_) | None => Some(()),
        }
    }

    /// Takes everything up to the bracket that closes this one.
    fn nested(&mut self, opens: char, closes: char) -> Option<()> {
        self.word().expands = true;
        let mut depth = 0_u32;
        loop {
            let c = self.rest.next()?;
            self.push(c);
            if c == opens {
                depth += 1;
            } else if c == closes {
                depth -= 1;
                if depth == 0 {
                    return Some(());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of a line: how each is joined, its words, `~` before one that expands, `>` after a redirected one
    /// and `&` after one in the background.
    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let shown = commands(line).map(|all| {
            let word = |it: &Word| format!("{}{}", if it.expands { "~" } else { "" }, it.text);
            let one = |it: &Simple| {
                let join = match it.join {
                    Join::Then => "",
                    Join::And => "&& ",
                    Join::Or => "|| ",
                    Join::Pipe => "| ",
                };
                let words: Vec<String> = it.words.iter().map(word).collect();
                let after = if it.in_background { " &" } else { "" };
                format!("{join}{}{}{after}", words.join("_"), if it.redirected { " >" } else { "" })
            };
            all.iter().map(one).collect::<Vec<_>>()
        });
        assert_eq!(shown.expect("it is a list of commands"), expected, "{line}");
    }

    #[test]
    fn lists_and_pipelines() {
        check("make docs", &["make_docs"]);
        check("a && b || c; d | tail -n 5 &", &["a", "&& b", "|| c", "d", "| tail_-n_5 &"]);
        check("cd x && y 2>&1 | tail -5", &["cd_x", "&& y", "| tail_-5"]);
        check("(a; b)\n{ c; }", &["a", "b", "c"]);
        check("a |& b # c | d", &["a", "| b"]);
        check("! time A=1 B='x y' make -j4", &["make_-j4"]);
        check("", &[]);
    }

    #[test]
    fn words_are_those_that_a_program_gets() {
        check(r#"grep -n 'a b' "c \"d\" \n" e\ f '' g"h"'i'"#, &["grep_-n_a b_c \"d\" \\n_e f__ghi"]);
        check("sh -c 'make --log 3 | x'", &["sh_-c_make --log 3 | x"]);
        check("awk '{print $1}' f", &["awk_{print $1}_f"]);
        check("test -f a#b", &["test_-f_a#b"]);
        check("sed -n '/^$/p' a", &["sed_-n_/^$/p_a"]);
    }

    #[test]
    fn what_a_shell_replaces_is_not_known() {
        check("ls *.txt ~/a $HOME/b", &["ls_~*.txt_~~/a_~$HOME/b"]);
        check(
            "x \"$(date +%s | cut -c 1)\" `y z` ${A:-b c}",
            &["x_~$(date +%s | cut -c 1)_~`y z`_~${A:-b c}"],
        );
        check("cp a{1,2} [b]", &["cp_~a{1,2}_~[b]"]);
        check("x 5$ \"$\" a=$ '*'", &["x_5$_$_a=$_*"]);
        check("[ -f a ] && b", &["[_-f_a_]", "&& b"]);
    }

    #[test]
    fn redirections_are_no_words() {
        check("a > f", &["a >"]);
        check("a >>f -x 2>/dev/null", &["a_-x >"]);
        check("a >/dev/null 2>&1 <in", &["a"]);
        check("a 2>err &> all", &["a >"]);
        check("a <<< 'x y' 1>f", &["a >"]);
    }

    #[test]
    fn more_than_a_list_is_not_understood() {
        for line in
            ["for i in 1 2; do x; done", "if a; then b; fi", "cat <<EOF\na\nEOF", "echo 'a", "x \"b", "x $(y"]
        {
            assert_eq!(commands(line), None, "{line}");
        }
    }
}
