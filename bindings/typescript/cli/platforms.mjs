// Makes the packages that carry the program `balk`, one a platform: `platforms.mjs FOLDER [TARGET=PROGRAM...]`.
//
// FOLDER gets a folder for each package, with its package.json; where PROGRAM is given for a Rust target, the program
// as well. `platforms.mjs --check` compares the optional dependencies in package.json with what would be made.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const OWN = JSON.parse(readFileSync(join(HERE, "../package.json"), "utf8"));
const TEMPLATE = readFileSync(join(HERE, "package.template.json"), "utf8");

/** The targets of Rust, by the names of Node.js for platform and architecture. */
const PLATFORMS = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
};

function packages() {
  return Object.entries(PLATFORMS).map(([name, target]) => {
    const [os, cpu] = name.split("-");
    const program = os === "win32" ? "balk.exe" : "balk";
    const values = { name, os, cpu, target, program, version: OWN.version };
    const text = TEMPLATE.replaceAll(/\{(\w+)\}/g, (_, key) => values[key]);
    return { ...values, text, json: JSON.parse(text) };
  });
}

const [folder, ...given] = process.argv.slice(2);
if (folder === "--check") {
  const made = Object.fromEntries(packages().map(({ json }) => [json.name, json.version]));
  const own = OWN.optionalDependencies;
  if (JSON.stringify(own) !== JSON.stringify(made)) {
    console.error(
      `package.json: expected the optionalDependencies ${JSON.stringify(made)}, found ${JSON.stringify(own)}`,
    );
    process.exitCode = 1;
  }
} else if (folder) {
  const programs = new Map(given.map((it) => it.split(/=(.*)/s).slice(0, 2)));
  for (const { name, target, program, text } of packages()) {
    const into = join(folder, `cli-${name}`);
    mkdirSync(into, { recursive: true });
    writeFileSync(join(into, "package.json"), text);
    const built = programs.get(target);
    programs.delete(target);
    if (!built) continue;
    copyFileSync(built, join(into, program));
    chmodSync(join(into, program), 0o755);
  }
  for (const target of programs.keys()) {
    console.error(`${target}: expected one of ${Object.values(PLATFORMS).join(", ")}`);
    process.exitCode = 1;
  }
} else {
  console.error("expected `platforms.mjs FOLDER [TARGET=PROGRAM...]` or `platforms.mjs --check`");
  process.exitCode = 2;
}
