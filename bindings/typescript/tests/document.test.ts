/** The examples of docs/typescript.md do what it says: needs `npm run build`, and the program in the variable BALK. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Plugin } from "@opencode-ai/plugin";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { example } from "./document.ts";

// Within the package, which then finds itself by its name.
const folder = mkdtempSync(join(import.meta.dirname, "document-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PACKAGE = join(import.meta.dirname, "..");

/** What a program of a package prints about the folder with the agent and its tests. */
function says(script: string, ...words: string[]): { status: number | null; said: string } {
  const env = { ...process.env, NO_COLOR: "1" };
  const program = join(PACKAGE, "node_modules", script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    encoding: "utf8",
    env,
  });
  return { status, said: stdout + stderr };
}

test("a file of one's own names the guards of opencode", async () => {
  const parts = ["a", "b"].map((callID) => {
    return { type: "tool", tool: "read", callID, state: { status: "completed", input: {}, output: "No such file" } };
  });
  const next = { type: "tool", tool: "read", callID: "c", state: { status: "pending", input: {} } };
  const history = [
    { info: { role: "user" }, parts: [{ type: "text", text: "Read it." }] },
    ...[...parts, next].map((it) => ({ info: { role: "assistant" }, parts: [it] })),
  ];
  const client = { session: { messages: async () => ({ data: history }) } };
  const called = async (guards: string) => {
    const file = join(folder, `${guards}.js`);
    writeFileSync(file, example("balk.js").replace("duplicate,no-tools", guards));
    const { Balk } = (await import(file)) as { Balk: (opencode: object) => ReturnType<Plugin> };
    const hooks = await Balk({ client });
    return hooks["tool.execute.before"]!({ tool: "read", sessionID: "s", callID: "c" }, { args: {} });
  };
  await expect(called("duplicate,no-tools")).rejects.toThrow("nothing has changed since");
  await expect(called("no-tools")).resolves.toBeUndefined();
});

describe.skipIf(!process.env.BALK)("an agent and three tests of it", () => {
  const vitest = ["vitest/vitest.mjs", "run", "--root", ".", "--testTimeout", "60000"] as const;
  const tested = () => says(...vitest).said.match(/Tests +(.*)/)?.[1];
  beforeEach(() => {
    for (const name of ["agent.ts", "agent.test.ts"]) writeFileSync(join(folder, name), example(name));
  });

  test("pass", () => {
    expect(tested()).toBe("3 passed (3)");
  });

  test("have the types of the packages", () => {
    const settings = { extends: "../../tsconfig.json", include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    expect(says("typescript/bin/tsc")).toEqual({ status: 0, said: "" });
  });

  test("fail without the guards, but for the healthy work", () => {
    const model = 'openai("gpt-5")';
    const bare = example("agent.ts").replace(`wrapLanguageModel({ model: ${model}, middleware })`, model);
    writeFileSync(join(folder, "agent.ts"), bare);
    expect(tested()).toBe("2 failed | 1 passed (3)");
  });
});
