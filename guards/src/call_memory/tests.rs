use super::*;
use balk_contract::Offer;
use balk_contract::{Completion, RawCall};

fn result(nth: u32) -> Entry {
    let raw = RawCall { id: "c".into(), tool: "ls".into(), arguments: format!("[{nth}]").into() };
    let call = Arc::new(ToolCall::new(raw, &Offer::default()));
    Entry::Result(ToolResult::executed(&call, Status::Ok, "a"))
}

#[test]
fn the_call_that_ran_longest_ago_is_forgotten_first() {
    let mut memory = CallMemory::default();
    let mut drawn = 1_u32;
    for _ in 0..1_000 {
        memory.observe(&Entry::Completion(Arc::new(Completion::default())));
        // One to four calls in each turn, from 96 different ones.
        for _ in 0..=drawn % 4 {
            drawn = drawn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            memory.observe(&result((drawn >> 16) % 96));
            let mut order: Vec<u8> = (0..).take(memory.calls.len()).collect();
            order.sort_by_key(|&at| memory.turns[usize::from(at)]);
            assert_eq!(memory.order, order);
        }
    }
    assert_eq!(memory.calls.len(), CALLS);
}
