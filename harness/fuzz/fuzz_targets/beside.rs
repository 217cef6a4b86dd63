//! What is beside the record of a bench: figures of runs, counts of instructions, the reactions of a model, judgements.
//! Each file is refused, or a report shows what it says.

use std::fmt::Debug;
use std::fs;
use std::sync::LazyLock;

use balk::bench::Folder;
use balk::live::judged;
use balk_reports::records::{Bench, Beside, Instructions, Meta, Reactions};
use balk_reports::report::document::{html, markdown};
use balk_reports::report::{Report, Section, splice};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::scratch;

/// A record of a live run, which shows all of these files.
static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let record = include_bytes!("../../../reports/reference/live/smollm2/bench.jsonl");
    Bench::read(&record[..]).expect("it is as it was written")
});

static REPORT: LazyLock<Report> = LazyLock::new(|| Report::new(&BENCH, &Beside::default()));

static FOLDER: LazyLock<Folder> =
    LazyLock::new(|| Folder::create(&scratch::folder("beside")).expect("it is empty"));

/// The one file of this name in the folder.
pub fn holds(name: &str, text: &str) {
    LazyLock::force(&FOLDER);
    let path = scratch::holds("beside", name, text);
    shown();
    fs::remove_file(path.join(name)).expect("it was written");
    match name {
        "meta.json" => again::<Meta>(text),
        "instructions.json" => again::<Vec<Instructions>>(text),
        "reactions.json" => again::<Reactions>(text),
        _ => {}
    }
}

fn shown() {
    let path = scratch::folder("beside");
    let checked = FOLDER.check_beside().map_err(|it| it.to_string());
    let cost = FOLDER.cost().map_err(|it| it.to_string());
    let reactions = Folder::reactions(&path).map_err(|it| it.to_string());
    assert_eq!(checked.is_ok(), cost.is_ok() && reactions.is_ok());
    let _ = FOLDER.answered().map_err(|it| it.to_string());
    let judged =
        FOLDER.sample().expect("a regular file").map_or_else(|| Ok(Vec::new()), |table| judged(&table));
    let (Ok(cost), Ok(judged), Ok(reactions)) = (cost, judged.map_err(|it| it.to_string()), reactions) else {
        return;
    };
    let report = Report::new(&BENCH, &Beside { cost, judged, reactions });
    serde_json::to_string(&report).expect("a report is plain data");
    for section in Section::ALL {
        let document = section.document(&report);
        let _ = (markdown(&document), html(&document));
    }
}

fn again<T: Debug + PartialEq + Serialize + DeserializeOwned>(text: &str) {
    let Ok(read) = serde_json::from_str::<T>(text) else { return };
    let written = serde_json::to_string(&read).expect("it is plain data");
    assert_eq!(serde_json::from_str::<T>(&written).expect("what was written can be read"), read);
}

/// A file with sections of a report, which are as they should be from then on.
pub fn spliced(text: &str) {
    let section = |name: &str| {
        let section = Section::named(name).ok_or_else(|| Section::ALL.map(Section::name).join(", "))?;
        Ok(markdown(&section.document(&REPORT)))
    };
    match splice(text, section) {
        Ok(once) => assert_eq!(splice(&once, section), Ok(once)),
        Err(bad) => drop(bad.to_string()),
    }
}
