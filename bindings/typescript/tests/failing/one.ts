/** A test that fails, for the test of what is then shown. */

import { expect } from "vitest";

import { test } from "../../src/vitest.ts";

test("repeats", async ({ balk }) => {
  const play = await balk.play("repeating", { seed: 7 });
  const messages: object[] = [{ role: "user", content: play.task }];
  for (let turn = 0; turn < 6; turn += 1) {
    const body = JSON.stringify({ model: "any", messages, tools: play.tools });
    const answer = await fetch(`${play.openaiUrl}/chat/completions`, { method: "POST", body });
    const said = (await answer.json()).choices[0].message;
    messages.push(said);
    for (const it of said.tool_calls ?? []) {
      const content = await play.call(it.function.name, it.function.arguments);
      messages.push({ role: "tool", tool_call_id: it.id, content });
    }
  }
  expect((await balk.verdict()).recovered).toBe(true);
});
