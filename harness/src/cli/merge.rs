//! `balk merge`: merges the parts of a bench into one record.

use std::path::{Path, PathBuf};

use balk_reports::records::Apart;
use clap::Args;

use super::bench::unless_of_builds;
use super::say::say;
use crate::bench::{Folder, RECORD};
use crate::error::Error;
use crate::exit::Exit;
use crate::files;

/// Arguments of `balk merge`.
#[derive(Args, Clone, Debug)]
pub struct Merge {
    /// Folders of `balk bench --out`, in any order
    #[arg(value_name = "DIR", required = true)]
    inputs: Vec<PathBuf>,

    /// A folder for the whole; must be empty, or what a merge of the same parts left
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Take parts of different builds of Balk; the record then says that several builds made it
    #[arg(long)]
    any_build: bool,
}

impl Merge {
    #[cfg(test)]
    pub(super) fn of(inputs: Vec<PathBuf>, out: PathBuf) -> Self {
        Self { inputs, out, any_build: false }
    }

    /// Runs the command. It reads all parts before it writes anything.
    ///
    /// # Errors
    /// A part that cannot be read, is a live record, has another plan, or shares trials with another part; a folder
    /// that cannot be written to.
    pub fn run(&self) -> Result<Exit, Error> {
        let (first, rest) = self.inputs.split_first().expect("one is required");
        let (folder, mut whole) = Folder::open(first)?;
        if whole.plan.live.is_some() {
            let hint =
                "a merge would lose the answers of the model: go on in one folder with `balk live --resume`";
            return Err(Error::file(first, "a folder of balk bench", "a live record").hint(hint));
        }
        let mut kept = folder.check_transcripts(&whole)?;
        let mut folders = vec![folder];
        for path in rest {
            let (folder, mut part) = Folder::open(path)?;
            if self.any_build {
                whole.plan.allow_build_of(&mut part.plan);
            }
            whole.merge(&part).map_err(|apart| unfit(first, path, apart))?;
            kept += folder.check_transcripts(&part)?;
            folders.push(folder);
        }
        if self.inputs.iter().any(|it| files::is_same(it, &self.out)) {
            Folder::check_new(&self.out)?;
        }
        // None where a merge of the same parts was ended after its last write: nothing is left to do.
        if let Some(out) = Folder::begin(&self.out, &whole, kept)? {
            let written = folders.iter().try_for_each(|it| out.add_transcripts(it));
            written.and_then(|()| out.write(&whole)).map_err(|error| {
                error.hint("the parts are as they were: start the same merge again once it can be written")
            })?;
        }
        if !whole.is_whole() {
            let [from, to] = whole.plan.seeds;
            say(format_args!("note: some of the planned seeds {from}-{to} are missing in all parts"));
        }
        Ok(Exit::Fine)
    }
}

fn unfit(first: &Path, path: &Path, apart: Apart) -> Error {
    let record = path.join(RECORD);
    match apart {
        Apart::Unlike(unlike) => Error::file(
            &record,
            &format!("the plan of {}, with {} {}", first.join(RECORD).display(), unlike.place, unlike.first),
            &unlike.second,
        )
        .hint(&unless_of_builds(
            &unlike,
            "only parts of one plan can be merged: measure it again with the same command",
        )),
        Apart::Twice { scenario, seed } => {
            Error::file(&record, "trials that no other part has", format!("seed {seed} of {scenario} twice"))
                .hint("name each part only once")
        }
    }
}
