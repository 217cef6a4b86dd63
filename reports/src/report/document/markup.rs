//! Markup: HTML and SVG in which foreign text cannot become a tag.
//!
//! Names of elements and attributes are constants of this program, and every other text goes through
//! [`Markup::text`], an attribute's value, or [`Markup::data`]. These three escape it, and nothing else writes it.

use serde_json::Value;

use super::visible::visible;

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
        // In a log of GitHub Actions this begins a command; no reference can stand in a script.
        let json = json.replace("##[", "##\\u005b");
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

fn all_visible(data: &Value) -> Value {
    match data {
        Value::String(text) => Value::String(visible(text).into_owned()),
        Value::Array(all) => Value::Array(all.iter().map(all_visible).collect()),
        Value::Object(members) => {
            let shown = |(name, value): (&String, &Value)| (visible(name).into_owned(), all_visible(value));
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
