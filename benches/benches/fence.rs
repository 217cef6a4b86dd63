//! Finding code fences in a message. For comparison, on the same bytes: hashing them once, and parsing them as
//! Markdown, the other way to find fences.

use std::hint::black_box;
use std::time::Duration;

use balk::bench::turns::{SIZES, program};
use balk_benches::shown;
use balk_guards::fence::fences;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pulldown_cmark::{Event, Parser, Tag};
use xxhash_rust::xxh3::xxh3_64;

fn scan(c: &mut Criterion) {
    for bytes in SIZES {
        for (name, text) in [("prose", prose(bytes)), ("fences", fenced(bytes))] {
            let mut group = c.benchmark_group(format!("fence/{name}/{}", shown(bytes)));
            group.throughput(Throughput::Bytes(u64::try_from(text.len()).expect("a size fits")));
            group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
            group.bench_function("fences", |b| b.iter(|| fences(black_box(&text)).count()));
            group.bench_function("anchor: xxh3_64", |b| b.iter(|| xxh3_64(black_box(&text).as_bytes())));
            group.bench_function("anchor: pulldown-cmark", |b| b.iter(|| markdown(black_box(&text))));
        }
    }
}

fn markdown(text: &str) -> usize {
    Parser::new(text).filter(|event| matches!(event, Event::Start(Tag::CodeBlock(_)))).count()
}

/// Paragraphs and a list, without a fence.
fn prose(bytes: usize) -> String {
    repeated(
        "The write fails because of the import.\nI look at `game.py` next:\n\n- the path\n- the lock\n\n",
        bytes,
    )
}

/// A fence of twelve lines after each sentence.
fn fenced(bytes: usize) -> String {
    let program = program(1, 600.min(bytes / 2));
    repeated(&format!("Here is the file:\n\n```python\n{program}\n```\n\n"), bytes)
}

fn repeated(text: &str, bytes: usize) -> String {
    let mut text = text.repeat(bytes / text.len() + 1);
    text.truncate(bytes);
    text
}

criterion_group!(benches, scan);
criterion_main!(benches);
