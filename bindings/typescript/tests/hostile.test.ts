/** Texts that a terminal or a log would obey. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { hook } from "../src/agents/claude-code.ts";
import { BalkGuards } from "../src/agents/opencode.ts";
import { guards } from "../src/ai.ts";
import { Stack } from "../src/index.ts";
import type { Happening, Verdict } from "../src/served.ts";
import { shown } from "../src/shown.ts";
import { visible } from "../src/visible.ts";
import { Balk, test as played } from "../src/vitest.ts";

const HOSTILE = [
  "\x1b]52;c;eA==\x07",
  "\x9b2J",
  "\u202eright",
  "##[error]x",
  "::error::x",
  "a\n::error::x",
  "a\r::error::x",
  "a\u2028 ::error::x",
];

const folder = mkdtempSync(join(tmpdir(), "balk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a terminal or a log obeys in a text. */
function raw(text: string): string[] {
  const obeyed = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|##\[|^\s*::/gm;
  return text.match(obeyed) ?? [];
}

const verdict = (told: string | null): Verdict => {
  const counts = { identicalCalls: 1, interventions: 0, requests: 1 };
  return { reached: false, stuck: true, recovered: false, userWasTold: told !== null, told, ...counts };
};

/** What is thrown. */
const words = async (door: () => unknown): Promise<string> => {
  try {
    await door();
  } catch (why) {
    return (why as Error).message;
  }
  throw new Error("expected an error, found none");
};

test("signs are those of the program", () => {
  expect(visible("\x1b]52;c;eA==\x07\x7f\tover\rwritten\r\n")).toBe("␛]52;c;eA==␇␡\tover␍written\n");
  expect(visible("a\u202eb\x9bc\u{1fffe}\u061c")).toBe("a⟨U+202E⟩b\ufffdc\ufffd⟨U+061C⟩");
  expect(visible(" ::warning::x\n##[group]\na::b\n:::")).toBe(" :\\:warning::x\n##\\[group]\na::b\n:\\::");
});

// The names of tests are printed as well.
describe.each(HOSTILE.map((text) => [visible(text), text] as const))("nothing is obeyed of %s", (_, text) => {
  const act = { step: "act", truth: "stuck", texts: [] };
  const steps: Happening[] = [
    { step: "opened", texts: [text] },
    { ...act, texts: [text] },
    { ...act, truth: text },
    { ...act, calls: [{ tool: text, arguments: "{}" }] },
    { ...act, calls: [{ tool: "run", arguments: text }] },
    { ...act, broke: text },
    { step: "result", text },
    { step: "user", text },
    { step: "intervention", text },
    { step: "unheard-of", text },
    { step: text },
  ];
  test.each(steps.map((step, at) => [at, step] as const))("in step %i", (_, step) => {
    const said = shown(verdict(null), [step]);
    expect(raw(said)).toEqual([]);
    expect(raw(said.replace(/^.*│ /gm, ""))).toEqual([]);
  });

  test("in what the user was told", () => expect(raw(shown(verdict(text), []))).toEqual([]));

  test("in an error about a value", async () => {
    const run = new Stack().run("Read notes.txt.");
    const doors = [
      () => new Stack(text),
      () => new Stack().resume([{ entry: text }]),
      () => new Stack().conversations().asks({ messages: [{ role: text, text: "" } as never] }),
      () => run.completed({ finish: text as never }),
      () => run.request(text as never),
      () => guards({ [text]: 1 } as never),
      () => guards({ effects: { [text]: text as never } }),
    ];
    for (const door of doors) expect(raw(await words(door))).toEqual([]);
  });

  test("in what the user of an agent is shown", async () => {
    const [id, path] = ["s", join(folder, "session.jsonl")];
    const shows: string[] = [];
    const history: object[] = [{ info: { role: "user" }, parts: [{ type: "text", text: "Read it." }] }];
    const lines: object[] = [{ type: "user", message: { content: "Read it." } }];
    const session = { messages: async () => ({ data: history }), abort: async () => {} };
    const tui = { showToast: async (it: { body: { message: string } }) => shows.push(it.body.message) };
    const hooks = await BalkGuards({ client: { session, tui } } as never);
    let answer: object | undefined;
    for (const callID of ["a", "b", "c", "d", "e", "f", "g"]) {
      const part = { type: "tool", tool: "read", callID };
      history.push({ info: { role: "assistant" }, parts: [{ ...part, state: { status: "pending", input: {} } }] });
      const call = { tool: "read", sessionID: id, callID };
      const refused = await hooks["tool.execute.before"]!(call, { args: {} }).catch((why: Error) => why.message);
      const state = refused ? { status: "error", error: refused } : { status: "completed", output: text };
      history[history.length - 1] = {
        info: { role: "assistant" },
        parts: [{ ...part, state: { input: {}, ...state } }],
      };

      lines.push({
        type: "assistant",
        message: { id: callID, content: [{ type: "tool_use", id: callID, name: "Read" }] },
      });
      writeFileSync(path, lines.map((it) => JSON.stringify(it)).join("\n"));
      answer = await hook({ hook_event_name: "PreToolUse", transcript_path: path, tool_use_id: callID });
      const reason = (answer as typeof DENIED)?.hookSpecificOutput.permissionDecisionReason;
      const result = { type: "tool_result", tool_use_id: callID, content: reason ?? text, is_error: Boolean(reason) };
      lines.push({ type: "user", message: { content: [result] } });
    }
    shows.push((answer as typeof DENIED).stopReason);
    expect(shows.join()).toMatch(/The call answered: .*The call answered: /s);
    expect(raw(shows.join("\n"))).toEqual([]);
  });

  test("in what the hook's program says", () => {
    const input = JSON.stringify({ hook_event_name: "Stop", transcript_path: join(folder, text) });
    const script = join(import.meta.dirname, "../bin/balk-claude-code.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script], { input, encoding: "utf8" });
    expect(status).toBe(1);
    expect(raw(stderr)).toEqual([]);
  });

  played.skipIf(!process.env.BALK)("in what a test shows that fails", async ({ balkServer }) => {
    const balk = new Balk(balkServer);
    try {
      const play = await balk.play("repeating", { seed: 7, environment: false });
      await balk.said(`The task is not done: ${text}`);
      Object.assign(play, { scenario: text });
      expect(raw(await balk.shown())).toEqual([]);
      expect(raw(await words(() => balk.play(text, { environment: false })))).toEqual([]);
    } finally {
      balk.restore();
    }
  });
});

declare const DENIED: { hookSpecificOutput: { permissionDecisionReason: string }; stopReason: string };
