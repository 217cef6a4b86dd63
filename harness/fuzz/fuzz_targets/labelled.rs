//! The file of a reader of `balk label`: it is refused, or the reader goes on with it.

use std::path::Path;
use std::sync::LazyLock;

use balk::label::answer::Judgement;
use balk::label::{Kept, Place, Plan, Sample, Source, reader_of};
use balk::replay::labels::{Label, Weight};

use super::scratch;

const FILE: &str = "labels.tsv";

/// The first line of a file of [`opened`].
static PLAN: LazyLock<String> = LazyLock::new(|| {
    let file = scratch::folder("begun").join(FILE);
    judge(&mut opened(&file).expect("it is not there yet"));
    let text = std::fs::read_to_string(file).expect("it was written");
    text.split_inclusive('\n').next().expect("it has a plan").to_owned()
});

/// A file with this text.
pub fn plays(text: &str) {
    let file = scratch::holds("label", FILE, text).join(FILE);
    let _ = reader_of(&file).map_err(|it| it.to_string());
    let Ok(mut kept) = opened(&file).map_err(|it| it.to_string()) else { return };
    judge(&mut kept);
    let again = opened(&file).map_err(|it| it.to_string()).expect("what was written can be read");
    let labels = |kept: &Kept| (0..kept.len()).map(|at| kept.label(at)).collect::<Vec<_>>();
    assert_eq!(labels(&again), labels(&kept));
}

/// The same of judgements below the plan of the reader.
pub fn goes_on(judgements: &str) {
    plays(&format!("{}{judgements}", *PLAN));
}

/// A sample of two places, and what this file has of it.
fn opened(file: &Path) -> Result<Kept, balk::error::Error> {
    let place = |message| Place {
        run: "a".into(),
        message,
        file: 0,
        line: 1,
        nth: 1,
        control: message > 2,
        weight: Weight(1_000),
    };
    let sample = Sample { places: vec![place(2), place(4)] };
    let source = Source { file: "a.jsonl".into(), digest: "0".into() };
    Kept::open(file, Plan::new("r", 7, 2, &sample, vec![source]), sample)
}

fn judge(kept: &mut Kept) {
    let judgement = Judgement {
        label: Label::Stuck,
        confidence: 2,
        kind: "cycle".into(),
        onset: Some(1),
        reason: "it repeats".into(),
    };
    kept.judge(0, judgement).expect("nothing else writes to the file");
}
