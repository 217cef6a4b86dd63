//! Pairs of texts to compare: unrelated, edited here and there, or just below the limit of edits.

use rapidfuzz::distance::levenshtein;

/// How the texts of a pair are related.
pub const RELATIONS: [&str; 6] =
    ["unrelated", "one edit", "scattered edits", "just near", "just apart", "shuffled"];

/// The alphabets of the texts.
pub const ALPHABETS: [&str; 2] = ["ASCII", "non-ASCII"];

const WORDS: [[&str; 2]; 2] = [
    [
        "def update_board(cell, mark): \n    return None\n if not winner else score_line += 1 \
         print(\"next player\") for row in range(3): \n\n self.history.append(move) while True: break",
        "import socket \n class Server: \n\tlisten = 8080 # TODO: handle timeouts \n try: except OSError as e: \
         logging.warning(e) queue.put_nowait(job) \n\n @property async with lock: yield {'id': 7} json.dumps",
    ],
    [
        "Die Prüfung schlägt fehl, \n weil die Größe über 1024 hinausgeht; 检查失败 因为 大小 超过 限制。 \n 请 重新 \
         写入 文件 für spätere Änderungen 然后 再次 运行 测试 \n „naïve“ Lösung",
        "Während der Übersetzung \n müssen alle Wörter geändert werden – 翻译 过程 中 所有 词语 都 需要 修改， \n 但是 \
         我们 不能 删除 旧的 版本 häufig gehört dazu 网络 连接 \n Straße être",
    ],
];

/// Two texts, the first of about this many bytes.
///
/// # Panics
/// A relation or an alphabet that is not listed.
#[must_use]
pub fn pair(relation: &str, alphabet: &str, bytes: usize) -> [String; 2] {
    let [words, others] = WORDS[place(&ALPHABETS, alphabet)];
    let mut dice = Dice(1);
    let left = text(words, bytes, &mut dice);
    let right = match relation {
        "unrelated" => text(others, bytes, &mut dice).into_iter().collect(),
        "one edit" => edited(&left, 1),
        "scattered edits" => edited(&left, (left.len() / 100).clamp(2, 8)),
        "just near" => edited(&left, most_near(&left)),
        "just apart" => edited(&left, most_near(&left) + 1),
        "shuffled" => shuffled(&left, &mut dice),
        other => panic!("pairs are not `{other}`"),
    };
    [left.into_iter().collect(), right]
}

fn place(names: &[&str], name: &str) -> usize {
    names.iter().position(|it| *it == name).expect("benchmarks name what is listed")
}

fn text(words: &str, bytes: usize, dice: &mut Dice) -> Vec<char> {
    let words: Vec<&str> = words.split(' ').collect();
    let mut text = String::with_capacity(bytes + 64);
    while text.len() < bytes {
        text.push_str(words[dice.below(words.len())]);
        text.push(' ');
    }
    text.truncate(text.floor_char_boundary(bytes));
    text.chars().collect()
}

/// The text with `edits` characters, evenly spread, replaced by others of its own, so that its characters say little
/// about the number of edits.
fn edited(text: &[char], edits: usize) -> String {
    let mut other = text.to_vec();
    for nth in 0..edits {
        let at = (2 * nth + 1) * text.len() / (2 * edits);
        let from = (at + 1..text.len()).chain(0..at).find(|from| text[*from] != text[at]);
        other[at] = text[from.expect("a text has two characters")];
    }
    other.into_iter().collect()
}

/// The largest number of edits that leaves the similarity just above nine tenths.
fn most_near(text: &[char]) -> usize {
    let cutoff = (text.len() - 1) / 10;
    let is_near = |edits: &usize| {
        let args = levenshtein::Args::default().score_cutoff(cutoff);
        levenshtein::distance_with_args(text.iter().copied(), edited(text, *edits).chars(), &args).is_some()
    };
    (cutoff..text.len()).take_while(is_near).last().expect("so many edits are near")
}

fn shuffled(text: &[char], dice: &mut Dice) -> String {
    let mut text = text.to_vec();
    for at in (1..text.len()).rev() {
        text.swap(at, dice.below(at + 1));
    }
    text.into_iter().collect()
}

/// Numbers that look random (Steele and others 2014), the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}
