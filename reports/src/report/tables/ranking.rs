//! The ranking: which stack is ahead of which for almost all parameters of the response model.

use schemars::JsonSchema;
use serde::Serialize;

use super::draws::{add, stubborn};
use crate::records::{Bench, DRAWS};

/// Stack A is ahead of stack B if A gets more stubborn trials done than B in at least 31 of the 32 draws of the
/// response model's parameters. Ties and draws without trials count for neither. Nothing else is a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ranking {
    /// The number of draws.
    pub draws: u64,
    /// The number of draws in which a stack must be better.
    pub least: u64,
    /// Every stack, in the order of the plan.
    pub rows: Vec<Ranked>,
}

/// The stacks that one stack is ahead of or behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ranked {
    /// The stack.
    pub stack: String,
    /// The stacks that it is ahead of, in the order of the plan.
    pub before: Vec<String>,
    /// The stacks that it is behind.
    pub behind: Vec<String>,
    /// For each stack of the plan, the number of draws in which this one gets more done.
    pub more_in: Vec<u64>,
}

/// 95 % of the draws: 31 of 32.
const LEAST: usize = (95 * DRAWS).div_ceil(100);

impl Ranking {
    pub(super) fn new(bench: &Bench) -> Self {
        let stacks = &bench.plan.stacks;
        let done: Vec<[u64; DRAWS]> = (0..stacks.len())
            .map(|stack| {
                let mut sum = [0; DRAWS];
                stubborn(bench).for_each(|at| add(&mut sum, &bench.cell(at, stack).drawn_by.done));
                sum
            })
            .collect();
        let more = |one: &[u64; DRAWS], other: &[u64; DRAWS]| {
            one.iter().zip(other).filter(|(one, other)| one > other).count()
        };
        let names = |wanted: &dyn Fn(&[u64; DRAWS]) -> bool| -> Vec<String> {
            let named = stacks.iter().zip(&done).filter(|(_, it)| wanted(it));
            named.map(|(stack, _)| stack.guard.clone()).collect()
        };
        let rows = stacks.iter().zip(&done).map(|(stack, mine)| Ranked {
            stack: stack.guard.clone(),
            before: names(&|other| more(mine, other) >= LEAST),
            behind: names(&|other| more(other, mine) >= LEAST),
            more_in: done.iter().map(|other| more(mine, other) as u64).collect(),
        });
        Self { draws: DRAWS as u64, least: LEAST as u64, rows: rows.collect() }
    }
}
