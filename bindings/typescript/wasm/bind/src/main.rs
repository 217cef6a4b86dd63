//! Writes the JavaScript side of a WebAssembly module that `wasm-bindgen` was compiled into: `bind MODULE FOLDER`.

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut words = std::env::args_os().skip(1);
    let mut next = || words.next().context("expected `bind MODULE FOLDER`, found fewer words");
    let (module, folder) = (next()?, next()?);
    Bindgen::new().input_path(module).web(true)?.out_name("guards").typescript(true).generate(folder)
}
