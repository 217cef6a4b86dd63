//! Server-sent events, by the standard: lines, and which of them are data
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use memchr::memchr2;

use crate::wire::refusal::{Refusal, STREAM_BYTES};

/// A stream of events. Only their data counts: providers that name their events repeat the name in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Events {
    /// The current, incomplete line.
    line: Vec<u8>,
    /// The data of the current, incomplete event.
    data: Option<String>,
    /// The last line ended with CR, so a following LF belongs to it.
    after_cr: bool,
    /// The first line has ended, so no byte order mark can follow.
    began: bool,
}

impl Events {
    /// Takes bytes, and passes the data of each event that they complete to `take`.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&str) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            self.keep(&bytes[..end])?;
            if let Some(data) = self.line_ends()? {
                take(&data)?;
            }
            let rest = &bytes[end + 1..];
            let is_cr = bytes[end] == b'\r';
            self.after_cr = is_cr && rest.is_empty();
            bytes = if is_cr { rest.strip_prefix(b"\n").unwrap_or(rest) } else { rest };
        }
        self.keep(bytes)
    }

    /// The data of an event that the end of the stream cut off before its empty line, if the data is complete: some
    /// servers omit that line.
    pub(super) fn rest(&mut self) -> Option<String> {
        if !self.line.is_empty() {
            self.line_ends().ok()?;
        }
        self.data.take().filter(|data| is_whole(data))
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let kept = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if bytes.len() > STREAM_BYTES.saturating_sub(kept) {
            return Err(Refusal::too_long());
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Handles a complete line. An empty one ends the event; its data is returned.
    fn line_ends(&mut self) -> Result<Option<String>, Refusal> {
        let mut line = self.line.as_slice();
        if !self.began {
            self.began = true;
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        let event = if line.is_empty() { self.data.take() } else { None };
        if let Some(value) = data_of(line) {
            let value = std::str::from_utf8(value).map_err(|_| Refusal::not_utf8())?;
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        self.line.clear();
        Ok(event.filter(|data| !data.is_empty()))
    }
}

/// The value of a line, if it is a data line.
fn data_of(line: &[u8]) -> Option<&[u8]> {
    match line.strip_prefix(b"data")? {
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        [] => Some(&[]),
        [_, ..] => None,
    }
}

/// Whether it is a data line.
pub(super) fn is_data(line: &[u8]) -> bool {
    data_of(line).is_some()
}

fn is_whole(data: &str) -> bool {
    data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}
