/** The examples of docs/typescript.md. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const DOCUMENT = join(import.meta.dirname, "../../../docs/typescript.md");

/** The block below the mark with this name. */
export function example(name: string): string {
  const [, after] = readFileSync(DOCUMENT, "utf8").split(`<!-- ${name} -->\n`);
  const [, block] = after?.match(/^```\w+\n(.*?)^```$/ms) ?? [];
  if (!block) throw new Error(`${DOCUMENT}: expected an example ${name}`);
  return block;
}
