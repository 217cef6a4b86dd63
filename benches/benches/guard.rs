//! The cost that a guard adds to a turn: keying the call, folding the entries, answering the questions. For
//! comparison, on the same bytes: hashing them once, and parsing them to a tree.

use std::hint::black_box;
use std::time::Duration;

use balk::bench::turns::{SIZES, arguments, offer, raw, turns};
use balk_benches::{HISTORIES, shown, stack};
use balk_guards::{Completion, FinishReason, Usage};
use balk_reports::records::Work;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

fn construction(c: &mut Criterion) {
    let offer = offer();
    for bytes in SIZES {
        let mut group = group(c, format!("completion/{}", shown(bytes)), bytes);
        let (part, call) = raw(0, bytes);
        group.bench_function("Completion::new", |b| {
            b.iter(|| {
                let parts = [part.clone()];
                let calls = [black_box(&call).clone()];
                Completion::new(parts, calls, FinishReason::ToolCall, Usage::default(), &offer)
            });
        });
        anchors(&mut group, bytes);
    }
}

fn fold_and_questions(c: &mut Criterion) {
    let offer = offer();
    for bytes in SIZES {
        for history in HISTORIES {
            let mut group = group(c, format!("guard/{}/{history} turns", shown(bytes)), bytes);
            let works = Work::ALL.map(|work| (work.name(), turns(work, bytes, &offer)));
            for guard in ["abandonment", "duplicate", "progress", "default"] {
                for (what, turns) in &works {
                    group.bench_function(format!("{guard}, {what}"), |b| {
                        let mut stack = stack(guard, &offer);
                        let mut next = turns.iter().cycle();
                        for turn in next.by_ref().take(history) {
                            turn.play(&mut stack);
                        }
                        b.iter(|| next.next().is_some_and(|turn| turn.play(black_box(&mut stack))));
                    });
                }
            }
            anchors(&mut group, bytes);
        }
    }
}

fn anchors(group: &mut BenchmarkGroup<'_, WallTime>, bytes: usize) {
    let text = arguments(0, bytes);
    group.bench_function("anchor: xxh3_64", |b| b.iter(|| xxh3_64(black_box(&text).as_bytes())));
    group.bench_function("anchor: serde_json to Value", |b| {
        b.iter(|| serde_json::from_str::<Value>(black_box(&text)));
    });
}

fn group(c: &mut Criterion, name: String, bytes: usize) -> BenchmarkGroup<'_, WallTime> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(u64::try_from(bytes).expect("a size fits")));
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group
}

criterion_group!(benches, construction, fold_and_questions);
criterion_main!(benches);
