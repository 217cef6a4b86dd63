//! Bytes, taken off as numbers and short texts.

pub struct Draws<'a>(pub &'a [u8]);

impl Draws<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    pub fn text(&mut self) -> String {
        let length = usize::from(self.byte() % 64).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }
}
