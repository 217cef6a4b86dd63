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

#[derive(Serialize)]
#[serde(untagged)]
enum Model<'a> {
    OpenAi {
        id: &'a str,
        object: &'static str,
        created: u64,
        owned_by: &'static str,
    },
    Anthropic {
        #[serde(rename = "type")]
        kind: &'static str,
        id: &'a str,
        display_name: &'a str,
        created_at: String,
    },
    #[serde(rename_all = "camelCase")]
    Gemini {
        name: String,
        display_name: &'a str,
        supported_generation_methods: [&'static str; 2],
    },
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
    let all = ids.iter().map(|&id| match dialect {
        Dialect::OpenAi | Dialect::Responses => {
            Model::OpenAi { id, object: "model", created, owned_by: "balk" }
        }
        Dialect::Anthropic => {
            Model::Anthropic { kind: "model", id, display_name: id, created_at: date(created) }
        }
        Dialect::Gemini => Model::Gemini {
            name: format!("models/{id}"),
            display_name: id,
            supported_generation_methods: ["generateContent", "countTokens"],
        },
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
