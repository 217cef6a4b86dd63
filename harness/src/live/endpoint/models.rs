//! What a server says about itself.

use serde::Deserialize;

/// The models that a server lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    /// How the server names itself, in the header `server`.
    pub server: Option<String>,
    /// The models, in the order of the server.
    pub listed: Vec<Listed>,
}

/// A model in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name to ask for.
    pub name: String,
    /// Who provides it; local servers write their own name here (`llamacpp`, `vllm`).
    pub owner: Option<String>,
}

#[derive(Deserialize)]
struct List {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
    #[serde(default)]
    owned_by: Option<String>,
}

/// Reads the header and the body of a list.
pub(super) fn read(header: Option<&str>, body: &str) -> Option<Models> {
    let List { data } = serde_json::from_str(body).ok()?;
    let listed = |it: Model| Listed { name: plain(&it.id), owner: it.owned_by.as_deref().map(plain) };
    Some(Models { server: header.map(plain), listed: data.into_iter().map(listed).collect() })
}

/// A name that can be shown: without what a terminal would obey, and bounded.
fn plain(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).take(200).collect()
}
