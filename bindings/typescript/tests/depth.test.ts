/** Values that are nested without an end. */

import { expect, test } from "vitest";

import { Stack } from "../src/index.ts";
import { TASK } from "./dialogue.ts";

function deep(levels: number, within: (value: unknown) => unknown): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level += 1) value = within(value);
  return value;
}

const circle: unknown[] = [];
circle.push(circle);
const wraps = [(it: unknown) => [it], (it: unknown) => ({ a: it })];
// The first is too deep for JavaScript, the second for the WebAssembly module.
const values = [100_000, 1_500].flatMap((levels) => wraps.map((within) => deep(levels, within)));

test.each([...values, circle].map((value) => ({ value })))("it is refused, and what was there goes on", ({ value }) => {
  const stack = new Stack("none");
  const tools = [{ name: "look", parameters: value }];
  const run = stack.run(TASK, { tools: [{ name: "look" }] });
  const exchange = stack.conversations().asks({ messages: [{ role: "user", text: TASK }] });
  const doors = [
    () => new Stack("no-tools", { "no-tools": { limit: value } }),
    () => stack.run(TASK, { tools }),
    () => stack.resume([{ value, entry: "start" }]),
    () => stack.conversations().asks({ messages: [], tools }),
    () => stack.conversations().asks({ messages: [{ role: "user", text: value as string }] }),
    () => exchange.answered({ calls: [{ id: "a", tool: "look", arguments: value as string }] }),
    () => exchange.failed({ cause: value as "connect" }),
    () => run.completed({ finish: value as "stop" }),
    () => run.responded({ choices: value }),
  ];
  for (const door of doors) {
    expect(door).toThrow();
    expect(run.step()).toEqual({ kind: "model", asked: 1 });
    expect(exchange.turn()).toMatchObject({ kind: "send" });
  }
  run.completed({ calls: [{ id: "a", tool: "look", arguments: "{}" }] });
  expect(() => run.executed([{ text: value as string }])).toThrow();
  run.executed([{ text: "seen" }]);
  expect(stack.resume(run.transcript()).step()).toEqual(run.step());
});
