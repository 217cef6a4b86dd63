//! Whatever a model answers, and however its stream is cut: the same completion as in one piece.

use balk_contract::wire::{Delta, Dialect, Form, Remedy, Reply};
use balk_contract::{AttemptCause, Completion, is_blank};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::common::{add, fed, finished, offer, sse};
use crate::drawn::{Answer, anthropic, openai};
use crate::drawn_items::{gemini, responses};

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![openai(), responses(), anthropic(), gemini()]
}

/// The events as bytes, with what else a server may send between them.
fn bytes(events: &[String], end: &str, mark: bool) -> Vec<u8> {
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let stream = sse(&events).replace("data: {", ": alive\nevent: x\ndata: {").replace('\n', end);
    format!("{}{stream}", if mark { "\u{feff}" } else { "" }).into_bytes()
}

/// Cuts bytes at these places, be it within a character.
fn cut<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

/// What of a completion's texts a person can see.
fn shown(completion: &Completion) -> String {
    completion.texts().map(|text| &**text).collect()
}

fn whole(answer: &Answer) -> Completion {
    answer.dialect.completion(&answer.whole, &offer()).expect("a whole response")
}

proptest! {
    #[test]
    fn a_stream_brings_the_completion_that_the_whole_response_brings(
        answer in answer(), end in select(vec!["\n", "\r", "\r\n"]), mark: bool, cuts in vec(any::<Index>(), 0..12),
    ) {
        let bytes = bytes(&answer.events, end, mark);
        let (seen, completion) = fed(answer.dialect, cut(&bytes, &cuts));
        let completion = completion.expect("a stream that ends well");
        prop_assert_eq!(&completion, &whole(&answer), "{:?}", &answer);
        // Blank texts are shown as they arrive, and dropped at the end.
        let squeezed = |text: &str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
        prop_assert_eq!(squeezed(&seen.text), squeezed(&shown(&completion)));
    }

    #[test]
    fn a_reply_is_read_whole_and_as_a_stream_and_a_cut_one_is_lost(answer in answer(), at: Index) {
        let stream = sse(&answer.events.iter().map(String::as_str).collect::<Vec<_>>());
        let reply = |form, body: &str| Reply { status: 200, retry_after: None, form, body: body.into() };
        let all = Ok(whole(&answer));
        prop_assert_eq!(&answer.dialect.answer(&reply(Form::Stream, &stream), &offer()), &all);
        prop_assert_eq!(&answer.dialect.answer(&reply(Form::Whole, &answer.whole), &offer()), &all);
        let cut = (0..at.index(answer.whole.len())).rfind(|&it| answer.whole.is_char_boundary(it)).unwrap_or(0);
        let refusal = answer.dialect.answer(&reply(Form::Whole, &answer.whole[..cut]), &offer()).unwrap_err();
        prop_assert_eq!((refusal.cause, refusal.remedy), (AttemptCause::Disconnected, Remedy::Again));
    }

    #[test]
    fn one_piece_single_bytes_and_events_are_the_same(answer in answer(), end in select(vec!["\n", "\r", "\r\n"])) {
        let bytes = bytes(&answer.events, end, false);
        let at_once = fed(answer.dialect, [&*bytes]);
        prop_assert_eq!(&fed(answer.dialect, bytes.chunks(1)), &at_once);
        let mut reader = answer.dialect.stream();
        let mut seen = Delta::default();
        for event in &answer.events {
            add(&mut seen, &reader.push(event));
        }
        prop_assert_eq!((seen, finished(reader)), at_once);
    }

    #[test]
    fn a_stream_that_is_cut_off_brings_the_completion_or_what_arrived_of_it(answer in answer(), at: Index) {
        let bytes = bytes(&answer.events, "\n", false);
        let bytes = &bytes[..at.index(bytes.len())];
        let all = whole(&answer);
        let (seen, end) = fed(answer.dialect, [bytes]);
        match end {
            // Of OpenAI chat, tokens may be what is missing.
            Ok(completion) => prop_assert_eq!(Completion { usage: all.usage, ..completion }, all),
            Err(broken) => {
                let facts = broken.facts;
                prop_assert_eq!(facts.provider_progress, Some(!bytes.is_empty()));
                prop_assert_eq!(facts.visible_output, Some(!is_blank(&seen.text)));
                prop_assert_eq!(facts.tool_call_materialized, Some(!broken.partial.calls.is_empty()));
                prop_assert!(!broken.partial.calls.is_empty() <= (facts.tool_input_started == Some(true)));
                // The calls that are whole are calls of the whole answer.
                for call in &broken.partial.calls {
                    prop_assert!(all.calls.contains(call), "{call:?} of {all:?}");
                }
            }
        }
    }

    #[test]
    fn reading_never_panics(
        bytes in vec(any::<u8>(), 0..64),
        text: String,
        answer in answer(),
        at: Index,
        status in select(vec![0_u16, 200, 204, 302, 400, 429, 503, 999]),
        form in select(vec![Form::Whole, Form::Stream]),
    ) {
        for dialect in Dialect::ALL {
            let noise = format!("data: {text}\n\n");
            drop(fed(dialect, [&*bytes, noise.as_bytes()]));
            for body in [noise, text.clone(), String::from_utf8_lossy(&bytes).into_owned()] {
                drop(dialect.answer(&Reply { status, retry_after: None, form, body: body.into() }, &offer()));
            }
            // Events of the other dialect, and one with a byte changed.
            let mut bytes = self::bytes(&answer.events, "\n", false);
            drop(fed(dialect, [&*bytes]));
            // An answer that is cut, as a reply.
            for body in [&answer.whole[..], &answer.events.join("\n")] {
                let cut = (0..=at.index(body.len() + 1)).rfind(|&it| body.is_char_boundary(it)).unwrap_or(0);
                let reply = Reply { status, retry_after: None, form, body: body[..cut].into() };
                let read = dialect.answer(&reply, &offer());
                prop_assert!(read.is_err() || (200..300).contains(&status), "{:?}", reply);
            }
            let at = at.index(bytes.len());
            bytes[at] = bytes[at].wrapping_add(1);
            let at_once = fed(dialect, [&*bytes]);
            prop_assert_eq!(fed(dialect, bytes.chunks(1)), at_once);
        }
    }
}
