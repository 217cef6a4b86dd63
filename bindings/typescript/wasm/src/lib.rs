//! The guards as WebAssembly. The package `@balk/guards` wraps it; nothing here decides anything.

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host as host;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Guards by name, with settings.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Guards(host::Guards);

#[wasm_bindgen]
impl Guards {
    /// Reads the names and the settings.
    #[wasm_bindgen(constructor)]
    pub fn new(named: JsValue) -> Result<Self, JsError> {
        Ok(Self(read("guards", named)?))
    }
}

/// A loop that Balk drives.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Run(host::Run);

#[wasm_bindgen]
impl Run {
    /// A new run.
    #[wasm_bindgen(constructor)]
    pub fn new(guards: &Guards, begin: JsValue) -> Result<Self, JsError> {
        Ok(Self(host::Run::new(&guards.0, read("run", begin)?)))
    }

    /// A run that goes on where a transcript was taken.
    pub fn resume(guards: &Guards, transcript: JsValue, limits: JsValue) -> Result<Self, JsError> {
        let entries: Vec<EntryRecord> = read("transcript", transcript)?;
        Ok(Self(host::Run::resume(&guards.0, &entries, read("limits", limits)?).map_err(wrong)?))
    }

    /// What to do next.
    pub fn step(&self) -> Result<JsValue, JsError> {
        write(&self.0.step())
    }

    /// The body of the next request, as JSON text.
    pub fn request(&self, dialect: &str, model: &str, system: Option<String>) -> Result<String, JsError> {
        Ok(self.0.request(read_dialect(dialect)?, model, system.as_deref()))
    }

    /// The model answered.
    pub fn completed(&mut self, answer: JsValue) -> Result<(), JsError> {
        self.0.completed(&read("answer", answer)?);
        Ok(())
    }

    /// The model answered with this body, as JSON text.
    pub fn responded(&mut self, dialect: &str, response: &str) -> Result<(), JsError> {
        self.0.responded(read_dialect(dialect)?, response).map_err(wrong)
    }

    /// The attempt failed.
    pub fn failed(&mut self, failure: JsValue) -> Result<(), JsError> {
        self.0.failed(&read("failure", failure)?).map_err(wrong)
    }

    /// The calls ran.
    pub fn executed(&mut self, results: JsValue, finished: bool) -> Result<(), JsError> {
        let results: Vec<host::Ran> = read("results", results)?;
        self.0.executed(&results, finished).map_err(wrong)
    }

    /// The user answered a question.
    pub fn answered(&mut self, text: &str) -> Result<(), JsError> {
        self.0.answered(text).map_err(wrong)
    }

    /// The question cannot be answered: there is no user.
    pub fn unanswered(&mut self) {
        self.0.unanswered();
    }

    /// The host has waited so many milliseconds.
    pub fn waited(&mut self, ms: u32) {
        self.0.waited(ms.into());
    }

    /// The user spoke, or the agent's own loop in the user's role.
    pub fn said(&mut self, text: &str, by_user: bool) {
        self.0.said(text, by_user);
    }

    /// The agent ends the run.
    pub fn end(&mut self) {
        self.0.end();
    }

    /// What guards did since the last call.
    pub fn news(&mut self) -> Result<JsValue, JsError> {
        write(&self.0.news())
    }

    /// Everything that was committed.
    pub fn transcript(&self) -> Result<JsValue, JsError> {
        write(&self.0.transcript())
    }
}

/// Conversations of a framework with its models.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Conversations(host::Conversations);

#[wasm_bindgen]
impl Conversations {
    /// No conversations yet.
    #[wasm_bindgen(constructor)]
    pub fn new(guards: &Guards) -> Self {
        Self(host::Conversations::new(guards.0.clone()))
    }

    /// A request is to be sent.
    pub fn asks(&self, request: JsValue) -> Result<Exchange, JsError> {
        let (exchange, turn) = self.0.asks(read("request", request)?).map_err(wrong)?;
        Ok(Exchange { exchange, turn })
    }
}

/// A request on its way to its answer.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Exchange {
    exchange: host::Exchange,
    turn: host::Turn,
}

#[wasm_bindgen]
impl Exchange {
    /// What to do next.
    pub fn turn(&self) -> Result<JsValue, JsError> {
        write(&self.turn)
    }

    /// The model answered.
    pub fn answered(&mut self, answer: JsValue) -> Result<(), JsError> {
        self.turn = self.exchange.answered(&read("answer", answer)?).map_err(wrong)?;
        Ok(())
    }

    /// The attempt failed.
    pub fn failed(&mut self, failure: JsValue) -> Result<(), JsError> {
        self.turn = self.exchange.failed(&read("failure", failure)?).map_err(wrong)?;
        Ok(())
    }

    /// The host has waited so many milliseconds.
    pub fn waited(&mut self, ms: u32) -> Result<(), JsError> {
        self.turn = self.exchange.waited(ms.into()).map_err(wrong)?;
        Ok(())
    }
}

fn read<T: DeserializeOwned>(what: &str, value: JsValue) -> Result<T, JsError> {
    serde_wasm_bindgen::from_value(value).map_err(|why| JsError::new(&format!("{what}: {why}")))
}

fn write<T: Serialize>(value: &T) -> Result<JsValue, JsError> {
    value.serialize(&Serializer::json_compatible()).map_err(JsError::from)
}

fn read_dialect(name: &str) -> Result<Dialect, JsError> {
    match name {
        "openai" => Ok(Dialect::OpenAi),
        "responses" => Ok(Dialect::Responses),
        "anthropic" => Ok(Dialect::Anthropic),
        "gemini" => Ok(Dialect::Gemini),
        other => {
            let expected = "`openai`, `responses`, `anthropic` or `gemini`";
            Err(JsError::new(&format!("dialect: expected {expected}, found `{other}`")))
        }
    }
}

fn wrong(error: host::Error) -> JsError {
    JsError::new(&error.to_string())
}
