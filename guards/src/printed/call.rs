//! A printed call, and how names are read.

use std::borrow::Cow;

/// A printed call of a tool on offer.
#[derive(Debug)]
pub(crate) struct Call<'t> {
    /// The tool, as it is printed.
    pub(crate) name: Cow<'t, str>,
    pub(crate) arguments: Arguments<'t>,
    /// Whether there is more in it than a call has: it may be the definition of a tool, or another object.
    pub(crate) is_strange: bool,
    /// Whether it is written like the call of a function in code.
    pub(crate) is_code: bool,
}

/// The arguments of a printed call.
#[derive(Debug)]
pub(crate) enum Arguments<'t> {
    /// A JSON object, as text.
    Json(Cow<'t, str>),
    /// Names and values as text. The tool's schema says what type a value has.
    Texts(Vec<(&'t str, &'t str)>),
}

/// Says whether a tool of this name is on offer.
pub(crate) type IsTool<'f> = &'f dyn Fn(&str) -> bool;

/// The name at the start of a text: a letter or `_`, then also digits, `-` and `.`.
pub(super) fn name(text: &str) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let begins = text.as_bytes().first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    begins.then(|| &text[..text.bytes().take_while(is_part).count()])
}

/// The name of a tool, without the namespace that some templates put before it.
pub(super) fn bare<'n>(name: &'n str, is_tool: IsTool<'_>) -> Option<&'n str> {
    let bare = ["functions.", "default_api."].iter().find_map(|it| name.strip_prefix(it)).unwrap_or(name);
    [name, bare].into_iter().find(|it| is_tool(it))
}
