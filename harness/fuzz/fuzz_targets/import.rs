//! A log of any agent: what is read can be written, joined, and shown to guards.
#![no_main]

use balk::import::{Format, Setting, atif, join, neutral, reading};
use balk::replay::fold;
use balk_guards::default_stack;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (nth, bytes) = input;
    // 0 names no format: it is recognised.
    let from = usize::from(nth).checked_sub(1).map(|at| Format::ALL[at % Format::ALL.len()]);
    let Ok((_, found)) = reading::read(bytes, from) else { return };
    for (line, found) in found {
        assert!(line > 0);
        match found {
            Ok(recording) => {
                assert!(!neutral(&recording, None).contains('\n'));
                assert!(!atif(&recording).contains('\n'));
                let recorded = join(recording, &Setting::default());
                assert_eq!(fold(&recorded.entries, &mut default_stack()).fault, None);
            }
            Err(bad) => assert!(!bad.to_string().contains('\n'), "{bad}"),
        }
    }
});
