//! What a report does not show: its biases and limits.

/// The limits of a simulated bench, each in two or three sentences.
pub const LIMITS: [&str; 9] = [
    "No real model took part. Actors are scripts, their texts are drawn from pools, and tools are a simulated world.",
    "The people who wrote the guards also wrote the actors, chose their weights, and rebuilt the rules of other \
     agents. Reserved pools (`--reserve`) and the flat mode check for this bias; they do not remove it.",
    "How an actor takes a correction is a model. Some of its parameters are measured on recorded runs; others are \
     assumed within a range. A figure that depends on a parameter is only as good as that parameter.",
    "The catalogue is a collection of behaviours, not a sample of real traffic. A pooled figure counts every trial, \
     stuck run or turn alike, however rare the behaviour is in the field. It compares stacks and forecasts nothing.",
    "Rules of other agents are rebuilt from the documentation or source of one version. They are not the products, \
     which combine several rules and change.",
    "`oracle` and `ceiling` are told the truth, which no real guard can be. `oracle` speaks as often as our guards \
     may; it is no bound, because a stack that intervenes at other times has other luck. `ceiling` is the bound: each \
     of its corrections works, from the first stuck turn on.",
    "Tokens are estimated as bytes / 4. They account for no tokenizer, cache or price.",
    "Intervals over a suite are about other scenarios of its kind, as if these were drawn at random, which they were \
     not. Intervals on one scenario are about its other seeds. Each interval claims 95 % by itself.",
    "There are many comparisons. P-values are corrected within each table (Holm), not across tables. Results that \
     are listed because they are the largest are overstated.",
];

/// The limits of a live record.
pub const LIVE_LIMITS: [&str; 9] = [
    "One model took part, with one prompt and one group of settings. Other models, and this one with another prompt, \
     do other things.",
    "Tools are a simulated world, and the user is a script. The world is small: a command that it does not know fails \
     as in a shell that lacks it. The column for such commands says how often.",
    "The people who wrote the guards also wrote the worlds, and rebuilt the rules of other agents.",
    "The worlds are a collection, not a sample of real tasks. A pooled figure counts every trial alike. It compares \
     stacks and forecasts nothing.",
    "What a turn was is decided by the world: whether it moved anything, or showed the model something new. Work that \
     neither shows, such as a plan in words, counts as stuck.",
    "An intervention counts as disturbing only if the two rounds before it changed the world. Whether one in doubt \
     disturbed, only a reader of the transcript can say.",
    "Rules of other agents are rebuilt from the documentation or source of one version. They are not the products, \
     which combine several rules and change.",
    "Tokens are those that the server counts; where it counts none, bytes / 4. They account for no cache or price.",
    "Intervals over all worlds are about other worlds of their kind, as if these were drawn at random, which the \
     written ones were not. Intervals on one world are about its other seeds. Each interval claims 95 % by itself. \
     P-values are corrected for all stacks (Holm).",
];

/// The limits of a record.
pub(super) fn limits(is_simulated: bool) -> &'static [&'static str] {
    if is_simulated { &LIMITS } else { &LIVE_LIMITS }
}
