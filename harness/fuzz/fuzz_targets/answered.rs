//! An answer of any provider, whole and as a stream in pieces: it is refused or read, and pieces do not matter.
#![no_main]

use balk_guards::Offer;
use balk_guards::wire::Dialect;
use libfuzzer_sys::fuzz_target;

const DIALECTS: [Dialect; 4] = [Dialect::OpenAi, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini];

fuzz_target!(|input: (u8, u8, &str)| {
    let (nth, piece, body) = input;
    let dialect = DIALECTS[usize::from(nth) % DIALECTS.len()];
    let offer = Offer::default();
    let _ = dialect.completion(body, &offer);
    let mut whole = dialect.stream();
    let text = whole.feed(body.as_bytes()).text;
    let mut pieces = dialect.stream();
    let mut shown = String::new();
    for bytes in body.as_bytes().chunks(usize::from(piece) + 1) {
        shown += &pieces.feed(bytes).text;
    }
    assert_eq!(shown, text);
    assert_eq!(whole.finish(&offer).ok(), pieces.finish(&offer).ok());
});
