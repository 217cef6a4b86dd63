//! The holes of a message, and what they are filled with.

/// A kind of hole: something that differs from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hole {
    /// A time of day.
    Clock,
    /// A column of a line.
    Col,
    /// A day.
    Date,
    /// A folder.
    Dir,
    /// Eight hexadecimal digits.
    Hex,
    /// The name of a host.
    Host,
    /// A line of a file.
    Line,
    /// A whole number above one.
    Number,
    /// An identifier.
    Name,
    /// The name of a package.
    Package,
    /// A file.
    Path,
    /// A port.
    Port,
    /// A duration in seconds.
    Seconds,
    /// An address.
    Url,
    /// The name of a user.
    User,
    /// A version.
    Version,
    /// A branch.
    Branch,
}

/// The name of each hole in files, and its values; where there are none, they are drawn numbers.
const HOLES: [(&str, Hole, &[&str]); 17] = [
    ("branch", Hole::Branch, &["main", "fix-login", "feature/export", "release-2"]),
    ("clock", Hole::Clock, &[]),
    ("col", Hole::Col, &[]),
    ("date", Hole::Date, &[]),
    ("dir", Hole::Dir, &["build", "/srv/app", "data/raw", "/home/ada/shop", "pkg/server"]),
    ("hex", Hole::Hex, &[]),
    ("host", Hole::Host, &["git.example.org", "db.internal", "mirror.example.net", "10.0.3.7"]),
    ("line", Hole::Line, &[]),
    ("n", Hole::Number, &[]),
    ("name", Hole::Name, &["orders", "totals", "checkout", "session", "invoice", "reader"]),
    ("package", Hole::Package, &["leftpad", "libfoo", "colorkit", "fastdate", "netutil"]),
    ("path", Hole::Path, &["src/app.py", "lib/totals.js", "notes.txt", "cmd/run.go", "src/reader.rs"]),
    ("port", Hole::Port, &["3000", "5173", "8080", "9090"]),
    ("seconds", Hole::Seconds, &[]),
    ("url", Hole::Url, &["https://example.org/files/data.tar.gz", "https://mirror.example.net/pool/a.zip"]),
    ("user", Hole::User, &["ada", "deploy", "jo", "ci"]),
    ("version", Hole::Version, &["1.4.2", "0.9.0", "2.31.1", "3.0.0", "5.12.7"]),
];

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The kind, and the number: 1 in `{path}`, 2 in `{path2}`.
    Hole(Hole, usize),
}

/// The values that the holes of one message have got so far.
#[derive(Debug, Default)]
pub(super) struct Filled {
    values: Vec<((Hole, usize), String)>,
}

impl Hole {
    /// The hole of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        HOLES.iter().find(|(it, ..)| *it == name).map(|(_, hole, _)| *hole)
    }

    /// The names of all holes.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        HOLES.iter().map(|(name, ..)| *name)
    }

    /// The words that it can be filled with; none for numbers.
    fn words(self) -> &'static [&'static str] {
        HOLES.iter().find(|(_, hole, _)| *hole == self).map_or(&[], |(.., values)| values)
    }
}

impl Filled {
    /// The value of this hole, drawn when it is first met. Words of one kind differ: `{path}` is not `{path2}`.
    pub(super) fn value(
        &mut self,
        hole: Hole,
        number: usize,
        below: &mut impl FnMut(usize) -> usize,
    ) -> String {
        if let Some((_, value)) = self.values.iter().find(|(of, _)| *of == (hole, number)) {
            return value.clone();
        }
        let words = hole.words();
        let known = self.values.iter().find(|((of, _), _)| *of == hole);
        let at = known.and_then(|((_, of), value)| Some((*of, words.iter().position(|it| it == value)?)));
        let value = match at {
            // As many words further on as the number is greater.
            Some((of, at)) => words[(at + words.len() + number - of) % words.len()].to_owned(),
            None => drawn(hole, below),
        };
        self.values.push(((hole, number), value.clone()));
        value
    }
}

fn drawn(hole: Hole, below: &mut impl FnMut(usize) -> usize) -> String {
    match hole {
        Hole::Clock => format!("{:02}:{:02}:{:02}", below(24), below(60), below(60)),
        Hole::Col => (below(76) + 4).to_string(),
        Hole::Date => format!("2026-{:02}-{:02}", below(12) + 1, below(28) + 1),
        Hole::Hex => (0..8).filter_map(|_| char::from_digit(u32::try_from(below(16)).ok()?, 16)).collect(),
        Hole::Line => (below(300) + 1).to_string(),
        Hole::Number => (below(39) + 2).to_string(),
        Hole::Seconds => format!("{}.{:02}", below(10), below(100)),
        Hole::Branch
        | Hole::Dir
        | Hole::Host
        | Hole::Name
        | Hole::Package
        | Hole::Path
        | Hole::Port
        | Hole::Url
        | Hole::User
        | Hole::Version => hole.words()[below(hole.words().len())].to_owned(),
    }
}
