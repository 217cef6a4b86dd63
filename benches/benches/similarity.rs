//! Whether two texts are near: with the profile of one text kept, and with neither. For comparison, on the same pair:
//! hashing both texts once, and the direct use of `rapidfuzz`, which counts the characters of both texts for the
//! cutoff and computes the distance of `chars()` up to it.

use std::hint::black_box;
use std::time::Duration;

use balk_benches::pairs::{ALPHABETS, RELATIONS, pair};
use balk_benches::shown;
use balk_guards::similarity::{Profile, Ratio};
use criterion::{Criterion, criterion_group, criterion_main};
use rapidfuzz::distance::levenshtein;
use xxhash_rust::xxh3::xxh3_64;

const SIZES: [usize; 6] = [100, 600, 1 << 10, 2 << 10, 10 << 10, 50 << 10];

fn nearness(c: &mut Criterion) {
    let above = Ratio::default();
    for alphabet in ALPHABETS {
        for relation in RELATIONS {
            for bytes in SIZES {
                let [left, right] = pair(relation, alphabet, bytes);
                let mut group =
                    c.benchmark_group(format!("similarity/{alphabet}/{relation}/{}", shown(bytes)));
                group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
                group.bench_function("kept", |b| {
                    let kept = Profile::new(&left);
                    b.iter(|| black_box(&kept).nearness(&Profile::new(black_box(&right)), above));
                });
                group.bench_function("neither kept", |b| {
                    b.iter(|| {
                        Profile::new(black_box(&left)).nearness(&Profile::new(black_box(&right)), above)
                    });
                });
                group.bench_function("anchor: rapidfuzz", |b| {
                    b.iter(|| is_near(black_box(&left), black_box(&right)));
                });
                group.bench_function("anchor: xxh3_64", |b| {
                    b.iter(|| [black_box(&left), black_box(&right)].map(|text| xxh3_64(text.as_bytes())));
                });
            }
        }
    }
}

fn is_near(left: &str, right: &str) -> bool {
    let longer = left.chars().count().max(right.chars().count());
    let args = levenshtein::Args::default().score_cutoff(longer.saturating_sub(1) / 10);
    levenshtein::distance_with_args(left.chars(), right.chars(), &args).is_some()
}

criterion_group!(benches, nearness);
criterion_main!(benches);
