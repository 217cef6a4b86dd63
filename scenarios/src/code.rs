//! Program text for actors that write or show code: plausible lines in no particular language.

use crate::draws::Dice;

/// Writes 12 to 19 lines, each from one random word. Two programs share words and shape, but far less than nine tenths
/// of their characters, so no near-duplicate rule confuses them.
pub(crate) fn write(dice: &mut Dice, out: &mut String) {
    let lines = 12 + dice.below(8);
    out.reserve(LINE_BYTES * usize::try_from(lines).expect("a small number"));
    for _ in 0..lines {
        line(dice.word(), out);
    }
}

/// Every line is shorter.
const LINE_BYTES: usize = 40;
/// Every program is shorter.
pub(crate) const BYTES_MAX: usize = 19 * LINE_BYTES;

fn line(mut bits: u64, out: &mut String) {
    let mut take = |n: u64| {
        let at = bits % n;
        bits /= n;
        usize::try_from(at).expect("a small number")
    };
    let target = NOUNS[take(32)];
    let verb = VERBS[take(32)];
    let (first, second) = (NOUNS[take(32)], NOUNS[take(32)]);
    for text in [target, " = ", verb, "_", first, "(", second, ", ", NUMBERS[take(16)], ")\n"] {
        out.push_str(text);
    }
}

const NOUNS: [&str; 32] = [
    "screen", "snake", "food", "score", "speed", "grid", "event", "clock", "color", "player", "board",
    "level", "font", "timer", "queue", "cell", "image", "sound", "menu", "state", "point", "frame", "layer",
    "mask", "index", "total", "value", "group", "table", "chart", "axis", "label",
];
const VERBS: [&str; 32] = [
    "load", "draw", "update", "move", "reset", "build", "check", "merge", "split", "scale", "fill", "find",
    "sort", "clear", "init", "paint", "close", "open", "read", "start", "stop", "shift", "count", "render",
    "parse", "clip", "blend", "save", "trim", "pack", "place", "sum",
];
const NUMBERS: [&str; 16] =
    ["0", "1", "2", "3", "4", "8", "10", "12", "16", "20", "24", "32", "60", "64", "100", "255"];
