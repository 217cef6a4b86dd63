//! Which differences between two results are volatile, and which near misses are not.

use balk_guards::{ResultKey, identity};
use proptest::prelude::*;

#[track_caller]
fn check_same(pairs: &[(&str, &str)]) {
    for (one, other) in pairs {
        for (before, after) in [("", ""), ("ok: ", ", see 7 lines\n"), ("é(", ")"), ("\n", "\n/tmp/x")] {
            let frame = |text: &str| format!("{before}{text}{after}");
            assert_eq!(identity(&frame(one)), identity(&frame(other)), "{} and {}", frame(one), frame(other));
        }
    }
}

#[track_caller]
fn check_differ(pairs: &[(&str, &str)]) {
    for (one, other) in pairs {
        for (before, after) in [("", ""), ("ok: ", " and 7 lines\n"), ("(", ")")] {
            let frame = |text: &str| format!("{before}{text}{after}");
            assert_ne!(identity(&frame(one)), identity(&frame(other)), "{} and {}", frame(one), frame(other));
        }
    }
}

#[test]
fn moments_are_masked() {
    check_same(&[
        ("2024-05-01", "2023-12-31"),
        ("2024/05/01", "1999/12/31"),
        ("app.log.2024-05-01", "app.log.2024-05-02"),
        ("{\"at\":\"2024-05-01T12:30:01Z\"}", "{\"at\":\"2024-06-01T12:30:02Z\"}"),
        ("05/01/2024", "31/12/2023"),
        ("2024-05-01T12:30:01Z", "2024-05-01T12:30:02.123456Z"),
        ("2024-05-01T12:30:01+02:00", "2024-05-02T02:30:01.5-05:00"),
        ("2024-05-01 12:30:01,123", "2024-05-01 12:30:02,999"),
        ("2024-05-01 12:30", "2024-05-01 12:31"),
        ("log_2024-05-01.txt", "log_2024-05-02.txt"),
        ("Fri May  3 12:30:01 2024", "Sat May 11 02:30:01 2024"),
        ("Date:   Fri May 3 12:30:01 2024 +0200", "Date:   Mon Jun 13 12:30:01 2025 -0500"),
        ("Fri, 03 May 2024 12:30:01 GMT", "Sat, 04 May 2024 01:30:01 GMT"),
        ("-rw-r--r-- 1 u u 5 May  3 12:30 a", "-rw-r--r-- 1 u u 5 Jun 13 02:31 a"),
        ("-rw-r--r-- 1 u u 5 May  3  2024 a", "-rw-r--r-- 1 u u 5 Jun 13  2021 a"),
        ("May 3, 2024", "December 31, 2023"),
        ("[03/May/2024:12:30:01 +0000]", "[04/May/2024:12:30:02 +0000]"),
        ("12:30:01", "23:59:59"),
        ("12:30:01.123", "02:30:01.4"),
        ("0:00:12", "0:01:13"),
        ("12:30 pm", "11:31 pm"),
        ("at 9:05am", "at 11:31am"),
    ]);
}

#[test]
fn references_of_elements_are_masked_by_their_name() {
    check_same(&[
        ("- button 'Save' [ref=e12]", "- button 'Save' [ref=e3]"),
        ("[ref=s1e12]", "[ref=s2e9]"),
        ("{\"ref\":\"e12\"}", "{\"ref\":\"e140\"}"),
        ("ref: f1", "ref: f22"),
        ("[ref=m12]", "[ref=m3]"),
    ]);
    check_differ(&[
        ("[ref=12]", "[ref=13]"),
        ("href=e12", "href=e13"),
        ("see e12", "see e13"),
        ("[ref=E12]", "[ref=E13]"),
        ("[ref=el12]", "[ref=el13]"),
    ]);
}

#[test]
fn rates_of_progress_bars_are_masked() {
    check_same(&[
        ("100%|██| 3/3 [00:00<00:00, 284.96it/s]", "100%|██| 3/3 [00:00<00:00, 163.1it/s]"),
        ("57.5/57.5 kB 5.2 MB/s", "57.5/57.5 kB 11.4 MB/s"),
        ("at 812 kB/s", "at 2 kB/s"),
        ("3.25GiB/s", "4GiB/s"),
    ]);
    check_differ(&[
        ("1200 req/s", "1400 req/s"),
        ("5.2 MB", "5.3 MB"),
        ("3/3 it", "4/3 it"),
        ("5 MB/s2", "6 MB/s2"),
        ("5.2 MB/s", "5.2 GB"),
    ]);
}

#[test]
fn numbers_that_look_like_moments_stay() {
    check_differ(&[
        ("main.rs:12:30", "main.rs:12:31"),
        ("main.rs:12:30:01", "main.rs:12:30:02"),
        ("12:30  error  no-undef", "12:31  error  no-undef"),
        ("2024-13-01", "2024-13-02"),
        ("2024-05-32", "2024-05-33"),
        ("1.2024-05-01", "1.2024-05-02"),
        ("2024", "2025"),
        ("in 2024 there", "in 2025 there"),
        ("May 3 files", "May 4 files"),
        ("3 May files", "4 May files"),
        ("12:60:01", "12:61:01"),
        ("1:2:3", "1:2:4"),
        ("10/20", "10/21"),
        ("20240501", "20240502"),
        ("2024-05-01x", "2024-05-02x"),
        ("12:30:01:05", "12:30:01:06"),
    ]);
}

#[test]
fn durations_are_masked() {
    check_same(&[
        ("1.23s", "45.6s"),
        ("12 ms", "1,234 ms"),
        ("elapsed:12ms", "elapsed:13ms"),
        ("took 0.4 seconds", "took 12 seconds"),
        ("(3 min)", "(14 min)"),
        ("1h 2m 3s", "4h 5m 6s"),
        ("2m3.5s", "12m0.1s"),
        ("real 0m1.234s", "real 1m0.002s"),
        ("5µs", "17.5µs"),
        ("finished in 3 hours", "finished in 4 hours"),
        ("test result: ok. 4 passed; finished in 0.00s", "test result: ok. 4 passed; finished in 1.25s"),
    ]);
}

#[test]
fn numbers_that_look_like_durations_stay() {
    check_differ(&[
        ("[1,2,345 s]", "[7,2,345 s]"),
        ("12,34,567 ms", "13,34,567 ms"),
        ("3 m", "4 m"),
        ("2 h", "3 h"),
        ("5 days", "6 days"),
        ("3 files", "4 files"),
        ("3 strings", "4 strings"),
        ("1.2.3s", "1.2.4s"),
        ("0:12s", "0:13s"),
        ("v1.23s", "v1.24s"),
        ("s3", "s4"),
        ("5 MS", "6 MS"),
        ("1.23", "1.24"),
        ("id_12 ms", "id_13 ms"),
        ("4 passed; finished in 0.00s", "5 passed; finished in 0.00s"),
        ("3 m 4 m", "3 m 5 m"),
        ("2 second-level", "3 second-level"),
    ]);
    check_differ(&[("1.5s", "1.5 files"), ("took 1s", "took 12:30:01")]);
}

#[test]
fn countdowns_are_masked() {
    check_same(&[
        ("7 steps left", "2 steps left"),
        ("Cell In[3], line 1", "Cell In[14], line 1"),
        ("In [3]:", "In [4]:"),
        ("Out[3]: 7", "Out[9]: 7"),
        ("<ipython-input-3-0b5a>", "<ipython-input-4-0b5a>"),
        ("You have 2 attempts remaining.", "You have 12 attempts remaining."),
        ("steps left: 7", "steps left: 6"),
        ("remaining steps: 7", "remaining steps: 12"),
        ("{\"turns_remaining\": 7}", "{\"turns_remaining\": 6}"),
    ]);
}

#[test]
fn what_comes_with_the_last_step_does_not_count() {
    let last = "16\nYou have 1 steps left.\nYou should propose a solution now.\n";
    assert_eq!(identity("16\nYou have 2 steps left.\n"), identity(last));
    assert_eq!(identity("no\n2 attempts remaining\n"), identity("no\n1 attempt remaining\nThis was it."));
    let log = format!("{last}{}", "x".repeat(200));
    for (one, other) in [
        ("16\n2 steps left\nred", "16\n2 steps left\ngreen"),
        ("16\n1 steps left\n", "17\n1 steps left\n"),
        (last, &log),
        ("Out[1]: 7\nred", "Out[1]: 7\ngreen"),
    ] {
        assert_ne!(identity(one), identity(other), "{one} and {other}");
    }
}

#[test]
fn numbers_that_look_like_countdowns_stay() {
    check_differ(&[
        ("7 files left", "6 files left"),
        ("x[3]", "x[4]"),
        ("Out[3]: 7", "Out[3]: 8"),
        ("In 3 days", "In 4 days"),
        ("Step 3 of 10", "Step 4 of 10"),
        ("step 3/10", "step 4/10"),
        ("3/10 steps", "4/10 steps"),
        ("3 of 10 iterations", "4 of 10 iterations"),
        ("7 steps", "6 steps"),
        ("7 steps leftover", "6 steps leftover"),
        ("Step 3: build", "Step 4: build"),
        ("step 3 of the plan", "step 4 of the plan"),
        ("3/10 tests", "4/10 tests"),
        ("3 of 10 tests", "4 of 10 tests"),
        ("left: 7", "left: 6"),
        ("assertion failed\n  left: 1\n right: 2", "assertion failed\n  left: 1\n right: 3"),
    ]);
}

#[test]
fn addresses_and_ids_are_masked() {
    check_same(&[
        ("<A object at 0x7ffe5a3b1c80>", "<A object at 0x55d4c8a1b2c0>"),
        ("0x7ffe5a3b10", "0x7ffe5a3b18"),
        ("panic at 0x804a010", "panic at 0x804a0f4"),
        ("[mp4 @ 0x4d247b07] no tag", "[mp4 @ 0x6d68c07c] no tag"),
        ("Widget@0x5a3b1c80", "Widget@0x4d8a11b2"),
        ("550e8400-e29b-41d4-a716-446655440000", "abcdefab-cdef-4bcd-9efa-abcdefabcdef"),
        ("run_550E8400-E29B-41D4-A716-446655440000", "run_550E8400-E29B-41D4-A716-446655440001"),
        ("job 3f2b8c1d", "job 0a9b8c7d6e5f"),
        ("trace 65e16704", "trace 3b9655b4"),
        ("trace 520447adb", "trace 1620458fc"),
        ("trace=4bf92f3577b34da6a3ce929d0e0e4736", "trace=00f067aa0ba902b7"),
        ("/x/3F2B8C1D.log", "/x/3F2B8C1E.log"),
        ("sent msg_a8Kd93LmQz7XcVb2", "sent msg_Zq4Rt7uVw2Xy9AbC1d"),
        ("at 1767225600, done", "at 1767229999, done"),
        ("[1767225600.123] up", "[1767225601.5] up"),
        ("ts=1767225600123", "ts=1767225600999"),
        ("message 1329384756102938475 sent", "message 1329384799988877766 sent"),
        ("still running (pid 4711)", "still running (pid 90210)"),
        ("PID: 4711", "PID: 12"),
        (r#"{"error":"x","request_id":"req_26223360"}"#, r#"{"error":"x","request_id":"req_00086061"}"#),
        (r#"{"request_id": "004e2211"}"#, r#"{"request_id": "26223360"}"#),
        ("failed, traceId=4711", "failed, traceId=12"),
    ]);
}

#[test]
fn numbers_that_look_like_ids_stay() {
    check_differ(&[
        ("0x80070005", "0x80070006"),
        ("0x1f", "0x2f"),
        ("at 0x1f", "at 0x2f"),
        ("12345678", "12345679"),
        ("12345678b", "12345679b"),
        ("12345678db", "12345679db"),
        ("deadbeef", "feedface"),
        ("a1b2c3d", "a1b2c3e"),
        ("1e10000000", "1e10000001"),
        ("12345e10", "12345e11"),
        ("12345e100", "12345e101"),
        ("#1f2e3d4c", "#1f2e3d4d"),
        ("3f2B8c1D", "3f2B8c1E"),
        ("3f2b8c1dz", "3f2b8c1ez"),
        ("1.2.3", "1.2.4"),
        ("id 1234567890", "id 1234567891"),
        ("550e840-e29b-41d4-a716-44665544", "550e841-e29b-41d4-a716-44665544"),
        ("e83c5163316f89bfbde7d9ab23ca2e25604af290", "e83c5163316f89bfbde7d9ab23ca2e25604af291"),
        ("exit code 1", "exit code 2"),
        ("port 4711", "port 4712"),
        ("process 4711", "process 4712"),
        ("count: 3200000000", "count: 3200000001"),
        ("isbn 978014143951", "isbn 978014143952"),
        ("parseHTTPResponse2xxOr3xx", "parseHTTPResponse2xxOr4xx"),
        ("a8Kd93Lm", "a8Kd93Ln"),
        ("rapid 12", "rapid 13"),
        (r#"{"id": "26223360"}"#, r#"{"id": "26223361"}"#),
        ("required 12", "required 13"),
        ("order_id=4711", "order_id=4712"),
        ("line 12", "line 13"),
    ]);
}

#[test]
fn temporary_names_are_masked() {
    check_same(&[
        ("/tmp/tmpab12cd/out.txt", "/tmp/tmpx9y8z7k2/out.txt"),
        ("/tmp/.tmpXy12Za", "/tmp/.tmpQwErTy"),
        ("/tmp/tmp.Xy12Za90Qw", "/tmp/tmp.QwErTyUiOp"),
        ("/private/tmp/build-x7k2p9/a", "/private/tmp/build-q1w2e3/a"),
        ("/var/tmp/go-build123456/b001", "/var/tmp/go-build9876543210/b001"),
        // After as many slashes as are checked one by one, and after more; the second of two.
        ("a/b/c/tmp/tmpab12cd", "a/b/c/tmp/tmpx9y8z7k2"),
        ("a/b/c/d/tmp/tmpab12cd", "a/b/c/d/tmp/tmpx9y8z7k2"),
        ("a/b/c/d/e/f /tmp/tmpab12cd/out.txt", "a/b/c/d/e/f /tmp/tmpx9y8z7k2/out.txt"),
        ("/tmp/a /tmp/tmpab12cd", "/tmp/a /tmp/tmpx9y8z7k2"),
        ("a//tmp/tmpab12cd", "a//tmp/tmpx9y8z7k2"),
    ]);
}

#[test]
fn names_that_look_temporary_stay() {
    check_differ(&[
        ("/tmp/report2024.txt", "/tmp/report2025.txt"),
        ("/tmp/out.txt", "/tmp/in.txt"),
        ("/tmp/tmpfile", "/tmp/tmpfolder"),
        ("/tmp/python3script", "/tmp/python2script"),
        ("/tmp/tmpab12cd/a", "/tmp/tmpab12cd/b"),
        ("/home/tmpab12cd", "/home/tmpab12ce"),
        ("/tmp/", "/tmp"),
        ("/tmp/a/tmpab12cd", "/tmp/a/tmpab12ce"),
    ]);
}

#[test]
fn a_key_has_one_spelling() {
    let key = identity("x");
    let text = serde_json::to_string(&key).expect("a key is a string");
    assert_eq!(serde_json::from_str::<ResultKey>(&text).expect("it was just written"), key);
    assert!(serde_json::from_str::<ResultKey>("\"x\"").is_err());
}

/// One volatile part, in a random form.
fn volatile() -> impl Strategy<Value = (usize, String)> {
    let two = |bound: u32| (0..bound).prop_map(|n| format!("{n:02}"));
    let clock = (two(24), two(60), two(60)).prop_map(|(h, m, s)| format!("{h}:{m}:{s}"));
    let date = (1900..2100, 1..13, 1..32).prop_map(|(y, m, d)| format!("{y}-{m:02}-{d:02}"));
    prop_oneof![
        clock.clone().prop_map(|it| (0, it)),
        (date, clock).prop_map(|(date, clock)| (1, format!("{date}T{clock}Z"))),
        "[0-9]{1,4}\\.[0-9]{1,3}s".prop_map(|it| (2, it)),
        "[2-9][0-9]{0,2} steps left".prop_map(|it| (3, it)),
        "0x7ff[0-9a-f]{9}".prop_map(|it| (4, it)),
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}".prop_map(|it| (5, it)),
        "/tmp/tmp[a-z0-9]{7}[0-9]".prop_map(|it| (6, it)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn results_that_differ_in_volatile_parts_are_the_same(
        parts in proptest::collection::vec((volatile(), volatile(), "[a-zé ]{0,9}|[0-9]{1,3}|a[.]rs:[0-9]{2}"), 0..8),
    ) {
        let (mut one, mut other) = (String::new(), String::new());
        for ((kind, part), (other_kind, other_part), plain) in parts {
            let other_part = if kind == other_kind { other_part } else { part.clone() };
            one += &format!("{plain}, {part} ");
            other += &format!("{plain}, {other_part} ");
        }
        prop_assert_eq!(identity(&one), identity(&other), "{} and {}", one, other);
    }

    /// Counts in plain words are never masked.
    #[test]
    fn results_that_differ_in_a_count_are_not(
        n in 0_u32..99_999,
        m in 0_u32..99_999,
        word in "(files|tests|lines|KB|%|)",
    ) {
        let text = |n| format!("found {n} {word}, exit code 0");
        prop_assert_eq!(identity(&text(n)) == identity(&text(m)), n == m);
    }

    #[test]
    fn any_text_is_taken(text: String, more in "[0-9a-f:./ _xtmpTZ+µé-]{0,60}") {
        prop_assert_eq!(identity(&text), identity(&text.clone()));
        let _ = identity(&more);
    }
}
