//! What is shown of a live record: every figure can be counted by hand.

use crate::common::{live, small};
use balk_reports::records::{Bench, Beside, JudgedIntervention};
use balk_reports::report::compare::{Comparison, comparison_as_document};
use balk_reports::report::document::{Block, Document, Screen, markdown, terminal};
use balk_reports::report::{
    LiveEffect, LiveJudged, LiveRow, LiveTable, Report, Section, bench_report, csv as table, junit, lapses,
};
use boon::{Compiler, Schemas};

fn report(worlds: usize) -> Report {
    Report::new(&live::bench(worlds, live::SEEDS), &Beside::default())
}

fn table(worlds: usize) -> LiveTable {
    report(worlds).live.expect("it is live")
}

fn rows<T>(it: &LiveTable, of: impl Fn(&LiveRow) -> T) -> Vec<T> {
    it.rows.iter().map(of).collect()
}

/// A record in which no trial is done.
fn nothing() -> Report {
    Report::new(&Bench::new(live::bench(3, 1).plan), &Beside::default())
}

#[test]
fn the_report_as_people_read_it() {
    insta::assert_snapshot!(markdown(&bench_report(&report(3))));
}

#[test]
fn the_table_at_the_end_of_a_run() {
    let stacks = Section::Stacks.document(&report(3));
    insta::assert_snapshot!(terminal(&stacks, Screen::default()));
    let whole = Section::Live.document(&report(3));
    assert!(stacks.blocks.iter().all(|it| matches!(it, Block::Table(_)) && whole.blocks.contains(it)));
}

/// Of 16 seeds in three worlds, at 440 tokens a trial: none 48 × 440; default 16 × 330, 4 × 220 and 16 × 110; mute
/// nothing; peer 48 × 330. To play all from the start takes 192 × 440.
#[test]
fn saved_tokens_are_a_share_of_what_all_stacks_take_from_the_start() {
    let it = table(3);
    assert_eq!(rows(&it, |it| it.live.taken()), [21_120, 7_920, 0, 15_840]);
    assert_eq!(rows(&it, |it| it.live.saved()), [0, 13_200, 21_120, 5_280]);
    assert_eq!((it.tokens.taken, it.tokens.saved), (44_880, 39_600));
    assert_eq!(it.tokens.share_saved.to_string(), "0.4688");
    let said = "took 44,880 tokens. Shared prefixes saved 39,600: 46.9 % of the 84,480";
    assert!(markdown(&Section::Live.document(&report(3))).contains(said));
    let none = nothing();
    let said = "took 0 tokens. Shared prefixes saved 0: – of the 0";
    assert!(markdown(&Section::Live.document(&none)).contains(said));
    assert_eq!(none.live.expect("it is live").tokens.share_saved.to_string(), "–");
}

#[test]
fn what_does_not_disturb_is_in_doubt() {
    let it = table(3);
    let steps = rows(&it, |it| (it.counts.interventions, it.counts.false_interventions, it.in_doubt));
    assert_eq!(steps, [(0, 0, 0), (52, 4, 48), (0, 0, 0), (48, 32, 16)]);
    let rules: Vec<_> = it
        .rules
        .iter()
        .map(|it| (&*it.stack, &*it.rule, it.interventions, it.disturbing, it.in_doubt))
        .collect();
    assert_eq!(rules, [("default", "rule", 52, 4, 48), ("peer", "rule", 48, 32, 16)]);
}

#[test]
fn goal_told_and_untold_are_all_trials_and_a_bound_is_one_way_to_be_untold() {
    let it = table(3);
    let ends = rows(&it, |it| (it.done.count, it.told.count, it.not_told.count, it.live.bound));
    assert_eq!(ends, [(24, 0, 24, 22), (32, 12, 4, 4), (24, 0, 24, 22), (16, 16, 16, 0)]);
    assert!(it.rows.iter().all(|it| it.done.of == 48 && it.told.of == 48 && it.not_told.of == 48));
    // Three worlds are the unit, not 48 trials.
    assert!(it.rows.iter().all(|it| it.done.effective_count() < 16), "{:?}", it.rows[0].done);
    let told = rows(&it, |it| (it.told_unreachable.count, it.told_unreachable.of));
    assert_eq!(told, [(0, 16), (12, 16), (0, 16), (16, 16)]);
    let missed = rows(&it, |it| (it.missed.count, it.missed.of));
    assert_eq!(missed, [(32, 32), (0, 32), (32, 32), (0, 32)]);
    assert_eq!(
        rows(&it, |it| (it.live.unknown_commands, it.live.overflowed)),
        [(32, 0), (0, 0), (32, 0), (0, 2)]
    );
}

/// In one world trials are the unit. Eight pairs that differ in one direction: p = 2 / 2^8, times three stacks.
#[test]
fn a_stack_helps_harms_or_does_nothing() {
    let one = table(1);
    let differences =
        rows(&one, |it| it.against.as_ref().map(|it| (it.difference.saved, it.difference.lost)));
    assert_eq!(differences, [None, Some((8, 0)), Some((0, 0)), Some((0, 8))]);
    let p = |it: &LiveRow| it.against.as_ref().map(|it| it.p_corrected.to_string());
    assert_eq!(p(&one.rows[1]).as_deref(), Some("0.0234"));
    let effects = [None, Some(LiveEffect::Helps), Some(LiveEffect::NeverSteppedIn), Some(LiveEffect::Harms)];
    assert_eq!(rows(&one, |it| it.effect), effects);
    // Over three worlds, one of which differs, nothing is sure.
    let effects = [
        None,
        Some(LiveEffect::NothingShown),
        Some(LiveEffect::NeverSteppedIn),
        Some(LiveEffect::NothingShown),
    ];
    assert_eq!(rows(&table(3), |it| it.effect), effects);
    assert_eq!(rows(&nothing().live.expect("it is live"), |it| it.effect), [None; 4]);
}

#[test]
fn every_world_has_a_row_with_the_goal_of_each_stack() {
    let it = table(3);
    let goals: Vec<Vec<u64>> =
        it.worlds.iter().map(|it| it.done.iter().map(|it| it.count).collect()).collect();
    assert_eq!(goals, [[8, 16, 8, 0], [16, 16, 16, 16], [0, 0, 0, 0]]);
    assert_eq!(it.worlds[2].told.iter().map(|it| it.count).collect::<Vec<_>>(), [0, 12, 0, 16]);
    assert_eq!((it.unreachable(), it.worlds[0].trials), (1, 16));
}

#[test]
fn nothing_is_said_about_scripts_and_their_response_model() {
    let text = markdown(&bench_report(&report(3)));
    for words in [
        "response model",
        "Flat",
        "Drawn",
        "balk scenario",
        "balk bench",
        "No real model",
        "stubborn",
        "healthy",
    ] {
        assert!(!text.contains(words), "{words}");
    }
    for section in [Section::Ranking, Section::Models, Section::Sensitivity, Section::Default, Section::Runs]
    {
        let Block::Paragraph(text) = &section.document(&report(3)).blocks[0] else { panic!("a sentence") };
        assert!(text.plain().contains("a real model took their place"));
    }
    assert_eq!((report(3).ranking, report(3).versus), (None, None));
    // And the other way round.
    let simulated = Report::new(&small::bench(small::SEEDS), &Beside::default());
    let no: Document = Section::Live.document(&simulated);
    assert_eq!(markdown(&no), "No real model took part in this record.\n");
    assert!(!markdown(&bench_report(&simulated)).contains("The real model"));
}

#[test]
fn programs_get_the_counts_too() {
    let mut compiler = Compiler::new();
    let schema = serde_json::to_value(Report::schema()).expect("a schema is JSON");
    compiler.add_resource("report.json", schema).expect("a schema");
    let mut schemas = Schemas::new();
    let schema = compiler.compile("report.json", &mut schemas).expect("a schema");
    for report in [report(3), nothing()] {
        let value = serde_json::to_value(&report).expect("plain data");
        schemas.validate(&value, schema).expect("as the schema says");
    }
    let value = serde_json::to_value(report(3)).expect("plain data");
    assert_eq!(value["live"]["rows"][1]["in_doubt"], 48);
    assert_eq!(value["live"]["rows"][2]["effect"], "never-stepped-in");
    assert_eq!(value["scenarios"][0]["rows"][3]["live"]["overflowed"], 2);
    let small = Report::new(&small::bench(small::SEEDS), &Beside::default());
    let small = serde_json::to_value(small).expect("plain data");
    assert!(small.get("live").is_none() && small["scenarios"][0]["rows"][0].get("live").is_none());
}

#[test]
fn csv_has_the_counts_instead_of_response_models() {
    let text = table::render(&report(3));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().expect("a first line").clone();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("equal lengths");
    let of = |row: usize, name: &str| {
        let at = names.iter().position(|it| it == name).unwrap_or_else(|| panic!("a column {name}"));
        rows[row][at].to_owned()
    };
    // `watch` with `default`.
    let columns = ["stack", "interventions", "in_doubt", "live_fresh_in", "live_shared_out", "live_bound"];
    assert_eq!(columns.map(|it| of(5, it)), ["default", "4", "0", "800", "560", "0"]);
    assert_eq!([of(1, "in_doubt"), of(8, "live_unknown_commands")], ["32", "32"]);
    assert!(!names.iter().any(|it| it.starts_with("recovered_flat") || it.starts_with("recovered_drawn")));
    let simulated = table::render(&Report::new(&small::bench(small::SEEDS), &Beside::default()));
    assert!(simulated.contains("recovered_flat") && !simulated.contains("live_"));
}

#[test]
fn trials_are_shown_from_the_record() {
    let report = report(3);
    let text = junit::render(&report, &[]);
    let read = quick_junit::Report::deserialize_from_str(&text).expect("well-formed");
    assert!(text.contains("<testsuites name=\"balk live\""), "{text}");
    let out = read.test_suites[0].test_cases[1].system_out.as_ref().map(|it| it.as_str().to_owned());
    assert_eq!(out.as_deref(), Some("balk live --offline DIR --show chart:0 --guard default"));
    let lines = terminal(&lapses(&live::bench(3, live::SEEDS), str::to_owned), Screen::default());
    let expected = "\
default: 4 x not done and not told in 1 scenario; the first: balk live --offline DIR --show gap:12 --guard default
default: 4 x disturbing intervention in 1 scenario; the first: balk live --offline DIR --show watch:0 --guard default
mute: 24 x not done and not told in 2 scenarios; the first: balk live --offline DIR --show chart:8 --guard mute
peer: 16 x not done and not told in 1 scenario; the first: balk live --offline DIR --show chart:0 --guard peer
peer: 32 x disturbing intervention in 2 scenarios; the first: balk live --offline DIR --show chart:0 --guard peer
";
    assert_eq!(lines, expected);
}

#[test]
fn a_live_record_reads_back_and_its_ends_must_add_up() {
    let mut bench = live::bench(3, live::SEEDS);
    let written = |bench: &Bench| {
        let mut written = Vec::new();
        bench.write(&mut written).expect("a vector takes all");
        written
    };
    assert_eq!(Bench::read(&written(&bench)[..]).expect("as written"), bench);
    bench.cells[0].live.bound = 9;
    let error = Bench::read(&written(&bench)[..]).expect_err("eight are untold").to_string();
    assert!(error.contains("more trials at a bound than were left untold"), "{error}");
}

#[test]
fn a_comparison_says_that_the_models_differ() {
    let (before, mut after) = (live::bench(3, live::SEEDS), live::bench(3, live::SEEDS));
    let live = after.plan.live.as_mut().expect("it is live");
    live.model = "large-coder".into();
    live.system.push('!');
    let of = |before: &Bench, after: &Bench| {
        let comparison = Comparison::new(before, after);
        terminal(&comparison_as_document(&comparison, ["a", "b"]), Screen::default())
    };
    let text = of(&before, &after);
    let note = "model: small-coder (anthropic max_tokens=1024 temperature=0.7) in A, \
                large-coder (anthropic max_tokens=1024 temperature=0.7) in B";
    assert!(text.contains(note) && text.contains("the instructions before the task differ"), "{text}");
    let text = of(&small::bench(8), &before);
    assert!(text.contains("model: none, because actors are scripts in A, small-coder"), "{text}");
}

/// What has not run is named, and pooled figures cover only the rest.
#[test]
fn a_run_that_stopped_early_says_so() {
    let text = markdown(&bench_report(&Report::new(&live::bench(3, 4), &Beside::default())));
    assert!(text.contains("48 of 192 planned trials have run"), "{text}");
    assert!(text.contains("- **This record is not whole**: "), "{text}");
}

/// Three runs. Two of four disturbing interventions are false, and one of three in doubt, each of which weighs ten
/// times as much.
#[test]
fn a_reader_decides_which_interventions_were_false() {
    let judged = |run: &str, disturbing: bool, is_false: Option<bool>| JudgedIntervention {
        run: run.into(),
        disturbing,
        is_false,
        weight: if disturbing { 1_000 } else { 10_000 },
    };
    let mut sample = vec![
        judged("a", true, Some(true)),
        judged("a", true, Some(false)),
        judged("b", true, Some(true)),
        judged("c", true, Some(false)),
        judged("a", false, Some(false)),
        judged("b", false, Some(true)),
        judged("c", false, Some(false)),
        judged("c", false, None),
    ];
    let report = |sample: &[JudgedIntervention]| {
        let beside = Beside { judged: sample.to_vec(), ..Beside::default() };
        Report::new(&live::bench(1, live::SEEDS), &beside)
    };
    let whole = report(&sample);
    let it = whole.live.as_ref().and_then(|it| it.judged).expect("a sample");
    let counts = |it: LiveJudged| [it.interventions, it.drawn, it.judged, it.found_false];
    assert_eq!(
        [it.disturbing, it.in_doubt, it.all].map(counts),
        [[4, 4, 4, 2], [40, 4, 3, 1], [44, 8, 7, 3]]
    );
    let share = |it: LiveJudged| it.share.share.expect("judged");
    // (2 · 1 + 1 · 10) / (4 · 1 + 3 · 10)
    assert_eq!([it.disturbing, it.in_doubt, it.all].map(share), [0.5, 1.0 / 3.0, 12.0 / 34.0]);
    assert!(markdown(&Section::Live.document(&whole)).contains("| both | 44 | 8 | 7 | 3 | 35.3 ("));

    for it in &mut sample {
        it.is_false = None;
    }
    let said = "A sample of 8 interventions waits to be judged";
    assert!(markdown(&Section::Live.document(&report(&sample))).contains(said));
    assert!(!markdown(&Section::Live.document(&report(&[]))).contains("judged in"));
}
