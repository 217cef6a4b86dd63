/** The hook of Claude Code and the plug-in of opencode, with histories in their forms. */

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test, vi } from "vitest";

import { hook } from "../src/agents/claude-code.ts";
import { type Happened, judge } from "../src/agents/fold.ts";
import { BalkGuards, happened } from "../src/agents/opencode.ts";
import { Stack } from "../src/index.ts";
import { NOTES, TASK } from "./dialogue.ts";

const folder = mkdtempSync(join(tmpdir(), "balk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lines of a session of Claude Code: a line for each block of an answer, with the same id. */
const user = (content: unknown, isMeta = false) => ({ type: "user", isMeta, message: { role: "user", content } });
const says = (id: string, text: string) => assistant(id, { type: "text", text });
const reads = (id: string, call = id, file_path = "notes.txt") =>
  assistant(id, { type: "tool_use", id: call, name: "Read", input: { file_path } });
const assistant = (id: string, block: object) => ({
  type: "assistant",
  message: { id, role: "assistant", content: [block] },
});
const result = (tool_use_id: string, content = NOTES, is_error = false) =>
  user([{ type: "tool_result", tool_use_id, content, is_error }]);
const side = { type: "assistant", isSidechain: true, message: { id: "s", content: [{ type: "text", text: "aside" }] } };

const asks = (lines: object[], input: object, guards?: string) => {
  const transcript_path = join(folder, "session.jsonl");
  // The last line is half written.
  writeFileSync(transcript_path, [...lines.map((it) => JSON.stringify(it)), '{"type":"us'].join("\n"));
  return hook({ transcript_path, hook_event_name: "", ...input }, new Stack(guards));
};
const before = (lines: object[], tool_use_id: string) => asks(lines, { hook_event_name: "PreToolUse", tool_use_id });
const stop = (lines: object[], last_assistant_message: string, guards?: string) =>
  asks(lines, { hook_event_name: "Stop", last_assistant_message }, guards);
const reasonOf = (answer: object | undefined): string =>
  (answer as { hookSpecificOutput: { permissionDecisionReason: string } }).hookSpecificOutput.permissionDecisionReason;

const twice = [user(TASK), reads("a"), result("a"), side, reads("b"), result("b")];

test("work that no guard objects to passes", async () => {
  expect(await before([user(TASK), says("a", "Sure."), reads("a")], "a")).toBeUndefined();
  expect(await stop([...twice.slice(0, 3), says("z", "Milk.")], "Milk.")).toBeUndefined();
  expect(await asks([], { hook_event_name: "SessionStart" })).toBeUndefined();
});

test("a call that repeats itself is denied, and the next one passes", async () => {
  const denied = await before([...twice, reads("c")], "c");
  expect(denied).toMatchObject({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } });
  const told = `PreToolUse:Read hook error: ${reasonOf(denied)}`;
  const after = [...twice, reads("c"), result("c", told, true), reads("d", "d", "more.txt")];
  expect(await before(after, "d")).toBeUndefined();
});

test("of several calls of an answer the others pass", async () => {
  const lines = [...twice, reads("c"), reads("c", "d", "more.txt")];
  expect(reasonOf(await before(lines, "c"))).toBeTruthy();
  expect(await before(lines, "d")).toBeUndefined();
});

test("a model that goes on with it is stopped, and goes on after the user's next words", async () => {
  const lines: object[] = [...twice];
  let answer: object | undefined;
  for (const id of ["c", "d", "e"]) {
    lines.push(reads(id));
    answer = await before(lines, id);
    lines.push(result(id, `PreToolUse:Read hook error: ${reasonOf(answer)}`, true));
  }
  expect(answer).toMatchObject({ continue: false, stopReason: expect.stringContaining("1. ") });
  lines.push(user("Read more.txt."), reads("f", "f", "more.txt"));
  expect(await before(lines, "f")).toBeUndefined();
});

test("where the history went another way, guards go on from what it shows", async () => {
  // The call ran all the same.
  const lines = [...twice, reads("c"), result("c"), reads("d")];
  expect(reasonOf(await before(lines, "d"))).toBeTruthy();
});

test("a long history of an agent that did not listen costs about as much as it is long", () => {
  const ran = (nth: number): Happened => {
    const call = { id: `${nth}`, tool: "read_file", arguments: '{"path":"notes.txt"}' };
    return { kind: "answer", answer: { text: "", calls: [call] }, results: new Map([[call.id, { text: NOTES }]]) };
  };
  const tools = [{ name: "read_file", effect: "read-only" as const }];
  const read = (turns: number, last: number) => {
    using resume = vi.spyOn(Stack.prototype, "resume");
    const turn = Array.from({ length: turns }, (_, nth) => ran(nth));
    const verdict = judge(new Stack(), tools, [{ kind: "user", text: TASK }, ...turn], `${last}`);
    return { verdict, entries: resume.mock.calls.reduce((sum, [transcript]) => sum + transcript.length, 0) };
  };
  const [few, many] = [read(100, 99), read(400, 399)];
  expect([few.verdict.kind, many.verdict.kind]).toEqual(["corrected", "corrected"]);
  expect(many.entries).toBeLessThan(5 * few.entries);
});

test("an announced call is asked for once, and then the user is asked", async () => {
  const announced = (nth: number) => `I will read the file now, as step ${nth} of my plan.`;
  const lines = [user(TASK), says("a", announced(1))];
  const first = (await stop(lines, announced(1), "no-tools")) as { decision: string; reason: string };
  expect(first.decision).toBe("block");
  lines.push(user(`Stop hook feedback:\n${first.reason}`, true), says("b", announced(2)));
  const second = await stop(lines, announced(2), "no-tools");
  expect(second).toEqual({ systemMessage: expect.stringContaining("1. ") });
  lines.push(user("Read it with Read."), reads("c"), result("c"), says("d", "Milk and bread."));
  expect(await stop(lines, "Milk and bread.", "no-tools")).toBeUndefined();
});

test("a call that the transcript never shows passes", async () => {
  expect(await before(twice, "never")).toBeUndefined();
});

test("a call of a subagent passes without a look into the transcript, which never shows it", async () => {
  const input = { hook_event_name: "PreToolUse", tool_use_id: "a", agent_id: "one" };
  expect(await hook({ transcript_path: join(folder, "none.jsonl"), ...input })).toBeUndefined();
});

test("a transcript is read again only if it grew", async () => {
  using parse = vi.spyOn(JSON, "parse");
  await before(twice, "never");
  // Each line, and the half one.
  expect(parse).toHaveBeenCalledTimes(twice.length + 1);
});

test("a call that the transcript shows a little later is judged", async () => {
  const transcript_path = join(folder, "late.jsonl");
  const written = (lines: object[]) => lines.map((it) => `${JSON.stringify(it)}\n`).join("");
  writeFileSync(transcript_path, written(twice));
  const answer = hook({ hook_event_name: "PreToolUse", transcript_path, tool_use_id: "c" });
  appendFileSync(transcript_path, written([reads("c")]));
  expect(reasonOf(await answer)).toBeTruthy();
});

test("a transcript that takes long to read is given up by the clock", async () => {
  const transcript_path = join(folder, "long.jsonl");
  writeFileSync(transcript_path, "{}");
  using parse = vi.spyOn(JSON, "parse").mockImplementation(() => {
    appendFileSync(transcript_path, " ");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return {};
  });
  expect(await hook({ hook_event_name: "PreToolUse", transcript_path, tool_use_id: "never" })).toBeUndefined();
  expect(parse.mock.calls.length).toBeLessThan(10);
});

test("lines without a message, and messages without content, are passed over", async () => {
  const odd = [null, { type: "user" }, { type: "assistant", message: { id: "x" } }] as object[];
  expect(await before([...odd, ...twice, ...odd, reads("c")], "c")).toBeDefined();
});

test("the hook's program says in a line what is wrong", () => {
  const program = (input: string, ...words: string[]) => {
    const script = join(import.meta.dirname, "../bin/balk-claude-code.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { input, encoding: "utf8" });
    expect(stderr.split("\n").length).toBeLessThanOrEqual(2);
    return { status, stdout, stderr };
  };
  const question = JSON.stringify({ hook_event_name: "Stop", transcript_path: join(folder, "none.jsonl") });
  expect(program("", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("GUARDS is default") });
  expect(program("", "dulicate")).toMatchObject({ status: 1, stderr: expect.stringContaining("found `dulicate`") });
  expect(program("", "--setings")).toMatchObject({ status: 1, stderr: expect.stringContaining("--setings") });
  expect(program("")).toMatchObject({ status: 1, stderr: expect.stringContaining("found nothing") });
  expect(program("null")).toMatchObject({ status: 1, stderr: expect.stringContaining("found something else") });
  expect(program(question)).toMatchObject({ status: 1, stderr: expect.stringContaining("none.jsonl") });
  expect(program("", "--settings", "duplicate").stdout).toContain('\\"duplicate\\"');
});

test("in opencode, an option that there is not is refused by name", async () => {
  await expect(BalkGuards({} as never, { guard: "none" })).rejects.toThrow("expected `guards`, found `guard`");
  await expect(BalkGuards({} as never, { guards: ["none"] })).rejects.toThrow("guards: expected a string");
});

/** Messages of opencode. */
const part = (callID: string, state: object) => ({ type: "tool", tool: "read", callID, state });
const done = (id: string) => part(id, { status: "completed", input: { filePath: "notes.txt" }, output: NOTES });
const message = (role: string, ...parts: object[]) => ({ info: { role }, parts });
type Messages = Parameters<typeof happened>[0];

/** The plug-in in a session with this history, and what it said to the model. */
async function opencode(history: object[], session: { parentID?: string } = {}) {
  const prompted: string[] = [];
  const client = {
    session: {
      get: async () => ({ data: session }),
      messages: async () => ({ data: history }),
      promptAsync: async ({ body }: { body: { parts: { text: string }[] } }) => prompted.push(body.parts[0]!.text),
    },
  };
  const hooks = await BalkGuards({ client } as never);
  const call = (callID: string) =>
    hooks["tool.execute.before"]!({ tool: "read", sessionID: "s", callID }, { args: { filePath: "notes.txt" } });
  const idle = () => hooks.event!({ event: { type: "session.idle", properties: { sessionID: "s" } } });
  return { call, idle, prompted };
}

test("in opencode, a refused call throws, and an announcement gets an answer", async () => {
  const history = [message("user", { type: "text", text: TASK })];
  const { call, idle, prompted } = await opencode(history);
  history.push(message("assistant", { type: "text", text: "I will read the file now." }));
  await idle();
  expect(prompted).toHaveLength(1);
  history.push(message("user", { type: "text", text: prompted[0] }));
  for (const id of ["a", "b"]) {
    history.push(message("assistant", part(id, { status: "pending", input: {} })));
    await call(id);
    history[history.length - 1] = message("assistant", done(id));
  }
  history.push(message("assistant", part("c", { status: "pending", input: {} })));
  const refused = await call("c").then(
    () => "",
    (error: Error) => error.message,
  );
  expect(refused).toBeTruthy();
  history[history.length - 1] = message("assistant", part("c", { status: "error", input: {}, error: refused }));
  history.push(message("assistant", { type: "text", text: "Milk and bread." }));
  await idle();
  expect(prompted).toHaveLength(1);
  expect(happened(history as Messages)).toHaveLength(7);
});

test("in opencode, what the user aborted is left alone", async () => {
  const aborted = message("assistant", { type: "text", text: "I will read" });
  const error = { name: "MessageAbortedError", data: { message: "Aborted" } };
  const history = [message("user", { type: "text", text: TASK }), { ...aborted, info: { role: "assistant", error } }];
  const { idle, prompted } = await opencode(history);
  await idle();
  // Before it said a word, and after it has announced something.
  history[1]!.parts = [];
  history.splice(1, 0, message("assistant", { type: "text", text: "I will read the file now." }));
  await idle();
  expect(prompted).toEqual([]);
});

test("in opencode, a subagent is not woken after its answer", async () => {
  const announced = message("assistant", { type: "text", text: "I will read the file now." });
  const history = [message("user", { type: "text", text: TASK }), announced];
  const child = await opencode(history, { parentID: "p" });
  const main = await opencode(history);
  await child.idle();
  await main.idle();
  expect([child.prompted.length, main.prompted.length]).toEqual([0, 1]);
});
