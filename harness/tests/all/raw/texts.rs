//! Hostile texts: pieces that act on a terminal, a log, or a parser of what is printed, in a drawn order.

use proptest::prelude::*;

/// What no output may be made of. Where a piece makes an element, an attribute or an address, that is named `hostile`.
const PIECES: [&str; 69] = [
    "\u{1b}]52;c;eA==\u{7}",
    "\u{1b}]2;title\u{7}",
    "\u{1b}]8;;hostile:x\u{1b}\\",
    "\u{1b}[2J",
    "\u{1b}[8mhidden",
    "\u{1b}[31mred",
    "\u{1b}Phostile\u{1b}\\",
    "\u{1b}c",
    "\u{1b}",
    "\u{9b}3J",
    "\u{9d}0;title\u{9c}",
    "\u{85}",
    "\u{7f}",
    "\u{8}",
    "\u{7}",
    "\u{c}",
    "\r",
    "\r\n",
    "\n",
    "\u{202e}turned",
    "\u{2066}",
    "\u{200f}",
    "\u{61c}",
    "\u{200b}",
    "\u{feff}",
    "\u{2028}::hostile",
    "\u{2029}",
    "\u{fffe}",
    "\u{1fffe}",
    "\n::warning::hostile\n",
    "\r::error file=x::hostile",
    "\n \t::add-mask::hostile",
    "##[warning]hostile",
    "::",
    "`",
    "\n```\n",
    "~~~",
    "|",
    "\n# ",
    "\n- ",
    "<script>hostile()</script>",
    "</script><hostile>",
    "</title><hostile>",
    "</style><hostile>",
    "\" hostile=\"x",
    "' hostile='x",
    "<!--hostile",
    "-->",
    "]]>",
    "<![CDATA[",
    "<?hostile?>",
    "&hostile;",
    "&#60;hostile&#62;",
    "[a](javascript:hostile)",
    "[[hostile|a]]",
    "![a](hostile:x)",
    "<hostile:x>",
    "[a]: hostile:x\n",
    "\n=hostile()",
    "=cmd|' /C hostile'!A0",
    "\n+1",
    "\n@hostile",
    ",",
    ";",
    "\\",
    "{",
    "$(hostile)",
    "漢",
    " ",
];

/// A case starts some hundreds of processes and has every piece, so there is one for each 256 of the usual ones. None
/// is made simpler. (`proptest!` would take `PROPTEST_CASES` as it is, whatever a configuration says.)
pub(super) fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = usual.cases.div_ceil(256);
    ProptestConfig { cases, max_shrink_iters: 0, failure_persistence: None, ..usual }
}

/// All pieces, in any order: only the first ones are in what is shown in short.
pub(super) fn hostile() -> impl Strategy<Value = String> {
    Just(PIECES.to_vec()).prop_shuffle().prop_map(|it| it.concat())
}
