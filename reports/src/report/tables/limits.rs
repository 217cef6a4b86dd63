//! What a report does not show: its biases, written down.

/// What this does not show, each in a sentence or two.
pub const LIMITS: [&str; 9] = [
    "No real model was asked. Actors are scripts, texts are drawn from pools, and tools are a simulated \
     world.",
    "Whoever wrote the guards also wrote the actors, chose what weighs how much in them, and wrote down the \
     rules of other agents. Pools that are kept back (`--reserve`) and the flat mode check that; \
     they do not undo it.",
    "How an actor takes a correction is a model. Some of its numbers are measured on recorded runs, others \
     are assumed within a range. A figure that moves with one of them is worth no more than that number.",
    "The catalogue is a collection of behaviours, and no sample of real traffic. A pooled figure counts \
     every trial, stuck run or turn alike, however rare such behaviour is in the field: it compares \
     stacks, and is no forecast.",
    "Rules of other agents are rebuilt from what is documented or open of one version. They are not the \
     products, which have more than one rule, and change.",
    "`oracle` is told the truth, and cannot be built. What it brings back is a mark to measure by and no strict \
     bound: it speaks as seldom as it can, and who speaks at other times now and then does better.",
    "Tokens are estimated as bytes / 4. No tokenizer, cache or price is in them.",
    "Intervals hold for other seeds of the same scenarios, and not for other scenarios. Each stands for \
     itself.",
    "Comparisons are many. P-values are corrected within each table (Holm), and not across tables; what is \
     listed because it is largest is overstated.",
];
