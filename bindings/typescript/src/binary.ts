/** Where the program `balk` is. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

/** The package that carries the program for this machine. */
export const PACKAGE = `@balk/cli-${process.platform}-${process.arch}`;

const NAME = process.platform === "win32" ? "balk.exe" : "balk";

/** The path of the program: of the package for this platform, else of `PATH`. `BALK` in the environment comes first. */
export function binary(): string {
  const named = process.env.BALK;
  if (named) return named;
  try {
    return createRequire(import.meta.url).resolve(`${PACKAGE}/${NAME}`);
  } catch {
    const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
    // Not the link of npm to the script that asks this.
    const found = folders.map((it) => join(it, NAME)).find((it) => !it.includes("node_modules") && existsSync(it));
    if (found) return found;
    throw new Error(
      `expected the program balk in the package ${PACKAGE} or in PATH, found neither: install that package, or Rust ` +
        "and then the program, with `cargo install --path harness --locked` in a clone of Balk",
    );
  }
}
