// Builds the guards as WebAssembly into `src/wasm`, and copies them beside what the compiler writes. Needs Rust with
// the target wasm32-unknown-unknown.

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
// Hashes and searches are faster with vectors, which Node.js has had since version 16.
const env = { ...process.env, CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: "-Ctarget-feature=+simd128" };
const run = (program, ...words) => execFileSync(program, words, { cwd: here, env, stdio: "inherit" });
const where = ["--locked", "--manifest-path", "wasm/Cargo.toml", "--target-dir", "wasm/target"];
const cargo = (what, ...words) => run("cargo", what, ...where, ...words);

cargo("build", "--release", "--target", "wasm32-unknown-unknown", "--package", "balk-wasm");
const module = "wasm/target/wasm32-unknown-unknown/release/balk_wasm.wasm";
cargo("run", "--quiet", "--package", "bind", "--", module, "src/wasm");

const bound = join(here, "src/wasm/guards_bg.wasm");
const features = ["bulk-memory", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext", "simd"];
const optimise = ["-O3", ...features.map((it) => `--enable-${it}`), bound, "-o", bound];
run(process.execPath, "node_modules/binaryen/bin/wasm-opt", ...optimise);

// As text in a module, so that it is found wherever the module is: in a bundle as well.
const text = readFileSync(bound).toString("base64");
writeFileSync(join(here, "src/wasm/bytes.js"), `export default "${text}";\n`);
writeFileSync(join(here, "src/wasm/bytes.d.ts"), "declare const bytes: string;\nexport default bytes;\n");
for (const name of ["guards_bg.wasm", "guards_bg.wasm.d.ts"]) rmSync(join(here, "src/wasm", name), { force: true });
cpSync(join(here, "src/wasm"), join(here, "dist/wasm"), { recursive: true });

// npm packs no links.
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(here, "../..", name), join(here, name));
