/** What is published: needs `npm run build`. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { expect, test } from "vitest";

import type { GuardName } from "../src/index.ts";

const PACKAGE = join(import.meta.dirname, "..");

test("what is published has its licences and a README", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: PACKAGE, encoding: "utf8" });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map((it) => it.path);
  expect(paths).toEqual(expect.arrayContaining(["README.md", "LICENSE-APACHE", "LICENSE-MIT", "dist/index.d.ts"]));
  expect(createRequire(import.meta.url).resolve("@balk/guards/package.json")).toBe(join(PACKAGE, "package.json"));
});

test("its types have none of the WebAssembly", () => {
  for (const name of ["guards", "conversations", "served"]) {
    expect(readFileSync(join(PACKAGE, `dist/${name}.d.ts`), "utf8")).not.toContain("native");
  }
  // Names that the compiler knows, and any other text.
  const names: GuardName[] = ["no-tools", "no-tools,duplicate"];
  expect(names).toHaveLength(2);
});
