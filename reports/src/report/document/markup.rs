//! Markup: HTML and SVG in which foreign text cannot become a tag.
//!
//! Names of elements and attributes are constants of this program, and every other text goes through
//! [`Markup::text`], an attribute's value, or [`Markup::data`]. These three escape it, and nothing else writes it.

use serde_json::Value;

/// Markup under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Markup(String);

/// The attributes of an element: constant names, and any values.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    /// The start tag of an element. An element without content, such as `meta`, has no end tag.
    pub(super) fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// The end tag of an element.
    pub(super) fn close(&mut self, tag: &'static str) {
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// A text. What would act on the page or on the direction of the text is shown instead.
    pub(super) fn text(&mut self, text: &str) {
        for c in visible(text).chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
    }

    /// An element with a text.
    pub(super) fn element(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// An element with these contents.
    pub(super) fn around(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes);
        inside(self);
        self.close(tag);
    }

    /// Markup of this program: a style, a script, a line break.
    pub(super) fn constant(&mut self, text: &'static str) {
        self.0.push_str(text);
    }

    /// A block of data that a script reads. Browsers do not run it.
    pub(super) fn data(&mut self, id: &str, data: &Value) {
        self.open("script", &[("type", "application/json"), ("id", id)]);
        let json = serde_json::to_string(&all_visible(data)).expect("plain data");
        for c in json.chars() {
            match c {
                // They are only inside of strings, where JSON can escape any character.
                '<' => self.0.push_str("\\u003c"),
                '>' => self.0.push_str("\\u003e"),
                '&' => self.0.push_str("\\u0026"),
                c => self.0.push(c),
            }
        }
        self.close("script");
    }

    /// Appends other markup.
    pub(super) fn add(&mut self, more: Self) {
        self.0.push_str(&more.0);
    }

    /// The finished text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// The text with visible signs in place of control characters, marks that change the direction of a text, and
/// noncharacters. Ends of lines are line feeds.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    shown.push('\n');
                }
            }
            // The picture of a control character.
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
            }
            '\u{80}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' => shown.push('\u{fffd}'),
            c if u32::from(c) & 0xfffe == 0xfffe => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

fn all_visible(data: &Value) -> Value {
    match data {
        Value::String(text) => Value::String(visible(text)),
        Value::Array(all) => Value::Array(all.iter().map(all_visible).collect()),
        Value::Object(members) => {
            let shown = |(name, value): (&String, &Value)| (visible(name), all_visible(value));
            Value::Object(members.iter().map(shown).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => data.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut markup = Markup::default();
        markup.element("p", &[("title", "\"><b>'")], "</p><!-- & \0\u{202e}\u{fffe}\u{85}a\r\nb\rc");
        assert_eq!(
            markup.finish(),
            "<p title=\"&quot;&gt;&lt;b&gt;&#39;\">&lt;/p&gt;&lt;!-- &amp; ␀⟨U+202E⟩\u{fffd}\u{fffd}a\nb\nc</p>"
        );
    }

    #[test]
    fn data_cannot_end_its_block() {
        let mut markup = Markup::default();
        markup.data("d", &serde_json::json!({"</script>": ["<!--", "\u{2066}\u{1}"]}));
        let text = markup.finish();
        assert_eq!(
            text,
            "<script type=\"application/json\" id=\"d\">\
             {\"\\u003c/script\\u003e\":[\"\\u003c!--\",\"⟨U+2066⟩␁\"]}</script>"
        );
    }
}
