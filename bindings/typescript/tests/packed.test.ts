import { expect, test } from "vitest";

import { Stack } from "../src/index.ts";
import { initSync } from "../src/wasm/guards.js";
import { TASK } from "./dialogue.ts";

test("texts arrive as they are", () => {
  const lengths = [0, 1, 15, 16, 17, 5000, 3_000_000, 20];
  const letters = ["a", "é", "→", "\u{1f600}"];
  const texts = lengths.flatMap((length) => letters.map((letter) => "x".repeat(length) + letter));
  const run = new Stack("none").run(TASK, { tools: [{ name: "write_file" }] });
  for (const text of texts) {
    run.completed({ calls: [{ id: "é", tool: "write_file", arguments: text }] });
    expect(run.step()).toEqual({
      kind: "tools",
      calls: [{ id: "é", tool: "write_file", arguments: text }],
      attempt: 1,
    });
    run.executed([{ text: "written" }]);
  }
  run.completed({ text: "half a letter: \ud83d" });
  expect(JSON.stringify(run.transcript())).toContain("half a letter: \ufffd");
});

test("values arrive as they are", () => {
  const parameters = {
    type: "object",
    default: [0, -1, 4294967296, Number.MAX_SAFE_INTEGER, 1e300, -0.5, true, false, null, {}, []],
    clé: { nested: [["deep"]], absent: undefined },
  };
  const run = new Stack().run(TASK, { tools: [{ name: "look", description: undefined, parameters }] });
  const [tool] = run.request().tools as { function: { parameters: unknown } }[];
  expect(tool!.function.parameters).toEqual(JSON.parse(JSON.stringify(parameters)));
  const wrong = () => run.completed({ text: (() => "later") as unknown as string });
  expect(wrong).toThrow("found a function");
});

test("a member that there is not is refused", () => {
  const tools = [{ name: "look", effct: "read-only" } as { name: string }];
  expect(() => new Stack().run(TASK, { tools })).toThrow("run: unknown field `effct`, expected one of `name`");
  const stack = new Stack();
  expect(() => stack.conversations().asks({ messages: [], tools })).toThrow("request: unknown field `effct`");
  const run = stack.run(TASK, { tools: [{ name: "look" }] });
  const call = { id: "a", tool: "look", args: "{}" } as unknown as { id: string; tool: string; arguments: string };
  expect(() => run.completed({ calls: [call] })).toThrow("answer: unknown field `args`");
  run.completed({ calls: [{ id: "a", tool: "look", arguments: "{}" }] });
  const result = { text: "seen", error: true } as { text: string };
  expect(() => run.executed([result])).toThrow("results: unknown field `error`, expected `text` or `status`");
  expect(() => stack.resume(run.transcript(), { turn: 3 } as object)).toThrow("limits: unknown field `turn`");
});

test("memory grows in large steps", () => {
  // The module is there already, so that it takes no other.
  const { memory } = initSync({ module: new Uint8Array() });
  const buffers = new Set([memory.buffer]);
  const before = memory.buffer.byteLength;
  const run = new Stack().run(TASK, { tools: [{ name: "write_file" }] });
  for (let turn = 0; turn < 1000; turn += 1) {
    run.completed({ calls: [{ id: "a", tool: "write_file", arguments: `{"text":"${turn}${"x".repeat(50_000)}"}` }] });
    run.executed([{ text: "written" }]);
    buffers.add(memory.buffer);
  }
  // A buffer is another one each time that its memory grew.
  expect(memory.buffer.byteLength).toBeGreaterThan(before);
  expect(buffers.size).toBeLessThan(30);
});
