//! Where a text has certain bytes: as many as a word has bits are looked at together.

/// How many bytes that is.
pub(crate) const BLOCK: usize = 64;

/// The places, from left to right, of the bytes of which this is true. It is asked about every byte, and should be a
/// few comparisons without a branch: then the compiler asks about several bytes at once.
#[inline]
pub fn of(bytes: &[u8], is: impl Fn(u8) -> bool) -> impl Iterator<Item = usize> {
    let (mut block, mut mask) = (0, mask_at(bytes, 0, &is));
    std::iter::from_fn(move || {
        while mask == 0 {
            block += BLOCK;
            if block >= bytes.len() {
                return None;
            }
            mask = mask_at(bytes, block, &is);
        }
        let at = block + mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(at)
    })
}

/// Of which of the bytes from `start` on, up to [`BLOCK`], this is true: one bit for each, the first one lowest.
#[inline]
pub(crate) fn mask_at(bytes: &[u8], start: usize, is: &impl Fn(u8) -> bool) -> u64 {
    let rest = &bytes[start..];
    match rest.first_chunk() {
        Some(block) => mask(block, is),
        None => {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            mask(&block, is) & !(u64::MAX << rest.len())
        }
    }
}

/// One bit for each byte. The compiler vectorizes the question; a product then packs eight flags into one byte. Plain
/// loops, because not every build inlines the closures of iterators.
#[inline]
fn mask(block: &[u8; BLOCK], is: &impl Fn(u8) -> bool) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut flags = [0_u8; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        flags[at] = is(block[at]) as u8;
        at += 1;
    }
    let eights = flags.as_chunks::<8>().0;
    let mut mask = 0;
    let mut nth = 0;
    while nth < BLOCK / 8 {
        let word = u64::from_le_bytes(eights[nth]);
        mask |= word.wrapping_mul(GATHER) >> 56 << (8 * nth);
        nth += 1;
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_is() {
        for length in 0..200 {
            let text: Vec<u8> = (0..length).map(|at| [b'a', 0, 0xff, b'7'][at * at % 11 % 4]).collect();
            for sought in [b'a', 0, 0xff, b'7', b'x'] {
                let expected: Vec<usize> = (0..length).filter(|at| text[*at] == sought).collect();
                assert_eq!(of(&text, |byte| byte == sought).collect::<Vec<_>>(), expected, "{length}");
            }
        }
    }
}
