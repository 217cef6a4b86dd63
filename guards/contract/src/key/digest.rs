//! The digests of a hash tree: the hash of a node, and a stack of them.

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The hash of one node, or a [`Leaf`]; lives in registers.
pub(super) type Digest = u128;

/// A digest as it is hashed into its parent.
pub(super) type Stored = [u8; 16];

/// The lowest byte of a digest that contains a node unchanged.
#[derive(Clone, Copy)]
pub(super) enum Leaf {
    Word = 1,
    String = 2,
    Positive = 3,
    Negative = 4,
}

/// What kind of node is hashed. Changing a number changes every key in every record.
#[derive(Clone, Copy)]
pub(super) enum Seed {
    Call = 1,
    Tool = 2,
    Raw = 3,
    String = 4,
    Number = 5,
    Array = 6,
    Object = 7,
}

impl Seed {
    pub(super) fn hash(self, bytes: &[u8]) -> Digest {
        xxh3_128_with_seed(bytes, self as u64)
    }
}

/// Up to this many bytes of a string fit into a digest.
pub(super) const SHORT: usize = 14;

#[inline]
pub(super) fn string(content: &[u8]) -> Digest {
    if content.len() > SHORT {
        return Seed::String.hash(content);
    }
    let mut bytes = [0; 16];
    bytes[..content.len()].copy_from_slice(content);
    leaf(Leaf::String, u128::from_le_bytes(bytes), content.len())
}

/// A node that fits: its kind, the length of its content in bytes, the content, zeros.
#[inline]
pub(super) fn leaf(kind: Leaf, content: u128, len: usize) -> Digest {
    content << 16 | (len as u128) << 8 | kind as u128
}

/// Sorts members by name and keeps the last of each name.
pub(super) fn in_order(members: &mut [[Stored; 2]]) -> &[[Stored; 2]] {
    if members.is_sorted_by(|before, after| before[0] < after[0]) {
        return members;
    }
    // Stable, so that the last of several equal names stays last.
    members.sort_by(|before, after| before[0].cmp(&after[0]));
    let mut kept = 0;
    for next in 1..members.len() {
        if members[next][0] != members[kept][0] {
            kept += 1;
        }
        members[kept] = members[next];
    }
    &members[..=kept]
}

/// A stack of digests that allocates only for arguments with many members.
pub(super) struct Digests {
    few: [Stored; FEW],
    len: usize,
    many: Vec<Stored>,
}

/// Sixteen members: more than almost any tool takes.
const FEW: usize = 32;

impl Digests {
    pub(super) fn new() -> Self {
        Self { few: [[0; 16]; FEW], len: 0, many: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, digest: Digest) {
        let digest = digest.to_le_bytes();
        if self.len < FEW {
            self.few[self.len] = digest;
        } else {
            if self.len == FEW {
                self.many.clear();
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(digest);
        }
        self.len += 1;
    }

    pub(super) fn since(&mut self, first: usize) -> &mut [Stored] {
        if self.len > FEW { &mut self.many[first..] } else { &mut self.few[first..self.len] }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if self.len > FEW {
            self.many.truncate(len);
            if len <= FEW {
                self.few[..len].copy_from_slice(&self.many);
            }
        }
        self.len = len;
    }
}
