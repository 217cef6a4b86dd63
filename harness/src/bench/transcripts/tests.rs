//! Files of kept transcripts add up, and no damage passes.

use super::*;

fn frame(seed: u64, text: &str) -> Transcripts {
    let packed = compressor().and_then(|mut it| it.compress(text.as_bytes())).expect("it packs");
    Transcripts { frames: BTreeMap::from([(seed, sealed(seed, &packed))]) }
}

fn sum(parts: &[&Transcripts]) -> Transcripts {
    let mut sum = Transcripts::default();
    parts.iter().for_each(|part| sum.add((*part).clone()));
    sum
}

fn written(it: &Transcripts) -> Vec<u8> {
    let mut out = Vec::new();
    it.write(&mut out).expect("memory takes it");
    out
}

fn three() -> [Transcripts; 3] {
    [(64, "a\n"), (65, "b\n"), (127, "c\n")].map(|(seed, text)| frame(seed, text))
}

#[test]
fn files_add_up_in_any_order_and_unpack_as_one() {
    let [one, two, three] = three();
    let whole = written(&sum(&[&one, &two, &three]));
    for parts in [[&three, &one, &two], [&two, &three, &one]] {
        let sum = sum(&parts);
        assert_eq!(written(&sum), whole);
        assert_eq!(sum.file_name(), "64-127.jsonl.zst");
    }
    assert_eq!(Transcripts::parse(&whole).map(|it| written(&it)), Ok(whole.clone()));
    assert_eq!(zstd::stream::decode_all(&whole[..]).expect("it unpacks"), b"a\nb\nc\n");
}

#[test]
fn every_flipped_bit_is_found_in_its_frame() {
    let [one, two, three] = three();
    let whole = written(&sum(&[&one, &two, &three]));
    let starts = [0, one.frames[&64].len(), one.frames[&64].len() + two.frames[&65].len()];
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            let found = Transcripts::parse(&changed).expect_err("it was changed");
            let expected = starts.iter().rfind(|start| **start <= at).expect("the first is 0");
            let seal = whole.len() - 16;
            assert_eq!(found.at, if at >= seal { seal } else { *expected }, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn frames_that_are_missing_or_moved_are_found() {
    let [one, two, three] = three();
    let whole = written(&sum(&[&one, &two, &three]));
    for cut in 0..whole.len() {
        assert!(Transcripts::parse(&whole[..cut]).is_err(), "{cut}");
    }
    let frames = [&one, &two, &three].map(|it| it.frames.values().next().expect("one").clone());
    let seal = whole[whole.len() - 16..].to_vec();
    for order in [&[0, 1][..], &[1, 2], &[0, 2, 1], &[0, 0, 1, 2], &[]] {
        let parts: Vec<Vec<u8>> = order.iter().map(|at| frames[*at].clone()).chain([seal.clone()]).collect();
        assert!(Transcripts::parse(&parts.concat()).is_err(), "{order:?}");
    }
    assert!(Transcripts::parse(&[&whole[..], b"rubbish"].concat()).is_err());
}

#[test]
fn a_file_without_checksums_is_read_once_more() {
    let old = |seed: u64, text: &str| {
        let packed = compressor().and_then(|mut it| it.compress(text.as_bytes())).expect("it packs");
        [&OLD_MARK[..], &seed.to_le_bytes(), &(packed.len() as u64).to_le_bytes(), &packed].concat()
    };
    let file = [old(64, "a\n"), old(65, "b\n")].concat();
    assert!(Transcripts::is_old(&file) && !Transcripts::is_kept(&file));
    assert!(Transcripts::parse(&file).is_err());
    let [one, two, _] = three();
    assert_eq!(Transcripts::parse_old(&file), Ok(sum(&[&one, &two])));
    let cut = Transcripts::parse_old(&file[..file.len() - 1]);
    assert_eq!(cut, Err(Damage { at: old(64, "a\n").len(), seed: None }));
    assert!(Transcripts::is_kept(&written(&one)));
}
