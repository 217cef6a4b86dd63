//! What a server answers besides completions: which models there are, and how many tokens a request has.

use serde::Serialize;

use super::dialect::Dialect;
use super::headers::date;

/// A list in the form of any provider.
#[derive(Default, Serialize)]
struct List<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<Model<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Vec<Model<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_more: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_id: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_id: Option<Option<&'a str>>,
}

/// A model in the form of any provider.
#[derive(Default, Serialize)]
struct Model<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owned_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(rename = "displayName", skip_serializing_if = "Option::is_none")]
    shown_name: Option<&'a str>,
    #[serde(rename = "supportedGenerationMethods", skip_serializing_if = "Option::is_none")]
    methods: Option<[&'static str; 2]>,
}

impl<'a> Model<'a> {
    fn openai(id: &'a str, created: u64) -> Self {
        Self {
            id: Some(id),
            object: Some("model"),
            created: Some(created),
            owned_by: Some("balk"),
            ..Self::default()
        }
    }

    fn anthropic(id: &'a str, created: u64) -> Self {
        Self {
            kind: Some("model"),
            id: Some(id),
            display_name: Some(id),
            created_at: Some(date(created)),
            ..Self::default()
        }
    }

    fn gemini(id: &'a str) -> Self {
        Self {
            name: Some(format!("models/{id}")),
            shown_name: Some(id),
            methods: Some(["generateContent", "countTokens"]),
            ..Self::default()
        }
    }
}

/// A number of tokens in the form of any provider.
#[derive(Default, Serialize)]
struct Count {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_tokens: Option<u64>,
    #[serde(rename = "totalTokens", skip_serializing_if = "Option::is_none")]
    total_tokens: Option<u64>,
}

/// Which models there are, as JSON text: the answer to `GET /v1/models`, and of Gemini to `GET /v1beta/models`.
/// `created` is in seconds since 1970.
#[must_use]
pub fn models(dialect: Dialect, ids: &[&str], created: u64) -> String {
    let all = ids.iter().map(|id| match dialect {
        Dialect::OpenAi | Dialect::Responses => Model::openai(id, created),
        Dialect::Anthropic => Model::anthropic(id, created),
        Dialect::Gemini => Model::gemini(id),
    });
    let all = Some(all.collect());
    json(&match dialect {
        Dialect::OpenAi | Dialect::Responses => List { object: Some("list"), data: all, ..List::default() },
        Dialect::Anthropic => List {
            data: all,
            has_more: Some(false),
            first_id: Some(ids.first().copied()),
            last_id: Some(ids.last().copied()),
            ..List::default()
        },
        Dialect::Gemini => List { models: all, ..List::default() },
    })
}

/// How many tokens a request has, as JSON text: the answer to `POST /v1/messages/count_tokens` of Anthropic,
/// `:countTokens` of Gemini, and `POST /v1/responses/input_tokens` of OpenAI. OpenAI chat has no such question.
#[must_use]
pub fn token_count(dialect: Dialect, tokens: u64) -> Option<String> {
    let count = match dialect {
        Dialect::OpenAi => return None,
        Dialect::Responses => {
            Count { object: Some("response.input_tokens"), input_tokens: Some(tokens), ..Count::default() }
        }
        Dialect::Anthropic => Count { input_tokens: Some(tokens), ..Count::default() },
        Dialect::Gemini => Count { total_tokens: Some(tokens), ..Count::default() },
    };
    Some(json(&count))
}

fn json(it: &impl Serialize) -> String {
    serde_json::to_string(it).expect("it has string keys only")
}
