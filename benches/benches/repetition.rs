//! Finding a text that repeats itself, as a whole and in pieces of a stream. For comparison, on the same bytes: hashing
//! them once, and the rule of gemini-cli as the crate `balk-peers` has it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use balk::bench::turns::{offer, program};
use balk_benches::{shown, stack};
use balk_guards::repetition::Watch;
use balk_guards::{Completion, Entry, FinishReason, Guard, Part, Usage};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the texts.
const SIZES: [usize; 2] = [2 << 10, 50 << 10];
/// Bytes of a piece of a stream: some tokens.
const PIECE: usize = 24;

fn watch(c: &mut Criterion) {
    let offer = offer();
    for bytes in SIZES {
        for (name, text) in [("prose", prose(bytes)), ("code", program(1, bytes)), ("chant", chant(bytes))] {
            let mut group = c.benchmark_group(format!("repetition/{name}/{}", shown(bytes)));
            group.throughput(Throughput::Bytes(u64::try_from(text.len()).expect("a size fits")));
            group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
            let mut watch = Watch::new();
            group.bench_function("whole", |b| {
                b.iter(|| {
                    watch.clear();
                    watch.push(black_box(&text));
                    watch.end()
                });
            });
            group.bench_function("in pieces", |b| {
                b.iter(|| {
                    watch.clear();
                    let pieces = black_box(text.as_bytes()).chunks(PIECE);
                    pieces.filter_map(|piece| std::str::from_utf8(piece).ok()).for_each(|piece| {
                        watch.push(piece);
                    });
                    watch.end()
                });
            });
            group.bench_function("anchor: xxh3_64", |b| b.iter(|| xxh3_64(black_box(&text).as_bytes())));
            let parts = [Part::Text(Arc::from(&*text))];
            let completion = Completion::new(parts, [], FinishReason::Stop, Usage::default(), &offer);
            let entry = Entry::Completion(Arc::new(completion));
            group.sample_size(10);
            group.bench_function("anchor: gemini-cli", |b| {
                b.iter_batched_ref(
                    || stack("gemini-cli", &offer),
                    |stack| stack.observe(black_box(&entry)),
                    criterion::BatchSize::SmallInput,
                );
            });
        }
    }
}

/// Sentences that differ in a number and a name.
fn prose(bytes: usize) -> String {
    let mut text = String::new();
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text += &format!(
            "I read `part{n}.py` next: it has {} lines, and line {} calls the parser.\n",
            n * 7,
            n * 3
        );
    }
    text.truncate(bytes);
    text
}

fn chant(bytes: usize) -> String {
    let mut text = "I will now look at the file and then I will go on. ".repeat(bytes / 50);
    text.truncate(bytes);
    text
}

criterion_group!(benches, watch);
criterion_main!(benches);
