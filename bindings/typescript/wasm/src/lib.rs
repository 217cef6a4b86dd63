//! The guards as WebAssembly. The package `@balk/guards` wraps it; nothing here decides anything.
//!
//! Values come in as MessagePack, in one piece each: with a crossing for each member they would take longer, and
//! members that there are not would not be seen. They go out as values of JavaScript.

use std::arch::wasm32::memory_size;
use std::fmt::Display;
use std::hint::black_box;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host as host;
use serde::{Deserialize, Serialize};
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
    pub fn new(named: &[u8]) -> Result<Self, JsError> {
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
    pub fn new(guards: &Guards, begin: &[u8]) -> Result<Self, JsError> {
        Ok(Self(host::Run::new(&guards.0, read("run", begin)?)))
    }

    /// A run that goes on where a transcript was taken.
    pub fn resume(guards: &Guards, transcript: &[u8], limits: &[u8]) -> Result<Self, JsError> {
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
    pub fn completed(&mut self, answer: &[u8]) -> Result<(), JsError> {
        self.0.completed(&read("answer", answer)?);
        Ok(())
    }

    /// The model answered with this body, as JSON text.
    pub fn responded(&mut self, dialect: &str, response: &[u8]) -> Result<(), JsError> {
        self.0.responded(read_dialect(dialect)?, read("response", response)?).map_err(wrong)
    }

    /// The attempt failed.
    pub fn failed(&mut self, failure: &[u8]) -> Result<(), JsError> {
        self.0.failed(&read("failure", failure)?).map_err(wrong)
    }

    /// The calls ran.
    pub fn executed(&mut self, results: &[u8], finished: bool) -> Result<(), JsError> {
        let results: Vec<host::Ran> = read("results", results)?;
        self.0.executed(&results, finished).map_err(wrong)
    }

    /// The user answered a question.
    pub fn answered(&mut self, text: &[u8]) -> Result<(), JsError> {
        self.0.answered(read("answered", text)?).map_err(wrong)
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
    pub fn said(&mut self, text: &[u8], by_user: bool) -> Result<(), JsError> {
        self.0.said(read("said", text)?, by_user);
        Ok(())
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
    pub fn asks(&self, request: &[u8]) -> Result<Exchange, JsError> {
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
    pub fn answered(&mut self, answer: &[u8]) -> Result<(), JsError> {
        self.turn = self.exchange.answered(&read("answer", answer)?).map_err(wrong)?;
        Ok(())
    }

    /// The attempt failed.
    pub fn failed(&mut self, failure: &[u8]) -> Result<(), JsError> {
        self.turn = self.exchange.failed(&read("failure", failure)?).map_err(wrong)?;
        Ok(())
    }

    /// The host has waited so many milliseconds.
    pub fn waited(&mut self, ms: u32) -> Result<(), JsError> {
        self.turn = self.exchange.waited(ms.into()).map_err(wrong)?;
        Ok(())
    }
}

fn read<'a, T: Deserialize<'a>>(what: &str, packed: &'a [u8]) -> Result<T, JsError> {
    grow();
    rmp_serde::from_slice(packed).map_err(|why| wrong(format!("{what}: {why}")))
}

/// Adds a quarter to the memory each time that it had to grow. An engine takes about as long to add much as to add
/// little, and the allocator by itself asks for no more than it lacks. It keeps what it has.
fn grow() {
    static PAGES: AtomicUsize = AtomicUsize::new(0);
    const PAGE: usize = 1 << 16;
    if memory_size::<0>() > PAGES.load(Relaxed) {
        let mut spare = Vec::<u8>::new();
        // Where there is no more to be had, it is left to what needs it to say so.
        let _ = spare.try_reserve_exact(memory_size::<0>() * (PAGE / 4));
        drop(black_box(spare));
        PAGES.store(memory_size::<0>(), Relaxed);
    }
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
            Err(wrong(format!("dialect: expected {expected}, found `{other}`")))
        }
    }
}

/// An error may quote what came in.
fn wrong(error: impl Display) -> JsError {
    JsError::new(&host::visible(&error.to_string()))
}
