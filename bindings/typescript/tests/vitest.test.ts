/** The helper for tests, with a little agent: needs the program `balk` in the variable BALK. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect } from "vitest";

import type { Play } from "../src/served.ts";
import { Balk, test } from "../src/vitest.ts";

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/** An agent without guards: runs the calls in the scenario's world, and passes on what its model says. */
async function agent(play: Play, turns = 20): Promise<string> {
  const messages: object[] = [{ role: "user", content: play.task }];
  for (let turn = 0; turn < turns; turn += 1) {
    const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "any", messages, tools: play.tools }),
    });
    const { choices } = (await answer.json()) as { choices: [{ message: Message }] };
    const said = choices[0].message;
    messages.push(said);
    for (const it of said.tool_calls ?? []) {
      const content = await play.call(it.function.name, it.function.arguments);
      messages.push({ role: "tool", tool_call_id: it.id, content });
    }
    if (said.tool_calls?.length) continue;
    const reply = await play.reply();
    if (reply === null) return said.content ?? "";
    messages.push({ role: "user", content: reply });
  }
  return `I stopped after ${turns} turns: the task is not done.`;
}

/** What vitest says of a file of tests that fail, with these variables. */
function failed(file: string, variables: Record<string, string> = {}): string {
  const words = ["node_modules/vitest/vitest.mjs", "run", file, "--config", "tests/failing/vitest.config.ts"];
  const env = { ...process.env, NO_COLOR: "1", ...variables };
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env, timeout: 110_000 });
  return stdout + stderr;
}

describe.skipIf(!process.env.BALK)("balk", () => {
  test("a healthy model does its task", async ({ balk }) => {
    const play = await balk.play("abandonment-control", { seed: 7 });
    for (const [name, text] of Object.entries(play.files))
      expect(readFileSync(join(play.folder, name), "utf8")).toBe(text);
    await balk.said(await agent(play));
    const { reached, stuck, recovered, userWasTold, interventions } = await balk.verdict();
    expect({ reached, stuck, recovered, userWasTold, interventions }).toEqual({
      reached: true,
      stuck: false,
      recovered: false,
      userWasTold: false,
      interventions: 0,
    });
  });

  test("a model that repeats a call is seen to, and its user is told", async ({ balk }) => {
    await balk.said(await agent(await balk.play("repeating", { seed: 7 }), 8));
    const verdict = await balk.verdict();
    expect(verdict).toMatchObject({ reached: false, stuck: true, userWasTold: true });
    expect(verdict.identicalCalls).toBeGreaterThan(3);
    expect((await balk.transcript())[0]).toMatchObject({ step: "opened" });
  });

  test("a call changes nothing of a play", async ({ balk }) => {
    const play = await balk.play("repeating-control", { seed: 7 });
    const before = { ...play };
    await agent(play);
    expect((await balk.verdict()).reached).toBe(true);
    expect({ ...play }).toStrictEqual(before);
  });

  test("a test that fails shows what was played", () => {
    const said = failed("one.ts");
    expect(said).toContain("balk played repeating, seed 7");
    expect(said).toContain("the model was stuck; the task is not done");
    expect(said).toMatch(/calls │ .*npm run build/);
  });

  test("of two tests at the same time, the variables point at the play of the first", async ({ balk, balkServer }) => {
    const other = new Balk(balkServer);
    const first = await balk.play("repeating", { seed: 1 });
    await expect(other.play("repeating", { seed: 2 })).rejects.toThrow("{ environment: false }");
    const second = await other.play("repeating", { seed: 2, environment: false });
    expect(second.openaiUrl).not.toBe(first.openaiUrl);
    other.restore();
    expect(process.env.OPENAI_BASE_URL).toBe(first.openaiUrl);
    balk.restore();
    expect(process.env.OPENAI_BASE_URL).toBeUndefined();
    await other.play("repeating", { seed: 3 });
    other.restore();
  });

  test("what the server refuses is said in its words, and an unknown option by its name", async ({ balk }) => {
    await expect(balk.play("repeating", { sed: 1 } as never)).rejects.toThrow("found `sed`");
    await balk.play("repeating");
    await expect(balk.said("x".repeat(50_000_000))).rejects.toThrow("bytes");
  });

  test("a test whose server died fails with its own error", () => {
    const said = failed("dying.ts");
    expect(said).toContain("my own error");
    expect(said).toContain("what was played cannot be shown: `balk serve` has ended");
  });

  test("a proxy of the environment is not asked for the server", () => {
    const proxy = "http://127.0.0.1:9";
    const said = failed("one.ts", { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy, http_proxy: proxy });
    expect(said).toContain("the model was stuck; the task is not done");
  });

  test("the variables are as they were before", () => {
    expect(process.env.OPENAI_BASE_URL).toBeUndefined();
    expect(existsSync(process.env.BALK ?? "")).toBe(true);
  });
});
