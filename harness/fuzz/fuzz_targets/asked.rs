//! A request of any provider: it is refused or read, and what is read can be looked at in every way.
#![no_main]

use balk_guards::Offer;
use balk_guards::wire::Dialect;
use libfuzzer_sys::fuzz_target;

const DIALECTS: [Dialect; 4] = [Dialect::OpenAi, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini];

fuzz_target!(|input: (u8, &str)| {
    let (nth, request) = input;
    let dialect = DIALECTS[usize::from(nth) % DIALECTS.len()];
    let asked = dialect.asked(request);
    let _ = dialect.legal(request);
    let _ = dialect.seen(request, &Offer::default());
    let _ = dialect.wanted(request);
    let outline = dialect.outline(request);
    let Ok(asked) = asked else { return };
    let outline = outline.expect("a request that can be read has an outline");
    let tools = outline.tools().expect("its tools were read");
    let whole = outline.asked(0, &tools).expect("its messages were read");
    assert_eq!(whole.messages, asked.messages);
    assert_eq!(dialect.spliced(request, &[]).expect("nothing is changed"), request);
});
