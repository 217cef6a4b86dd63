import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { type Answer, drive, type Driven, failureOf, type Placed, type Said, Stack, type Told } from "../src/index.ts";
import { ANNOUNCED, ANSWER, names, NOTES, TASK } from "./dialogue.ts";

const read: Answer = { calls: [{ id: "a", tool: "read_file", arguments: '{"path":"notes.txt"}' }] };

function framework(guards = "default") {
  const conversations = new Stack(guards).conversations();
  const sent: Placed[][] = [];
  const told: Told[] = [];
  const asks = (messages: Said[], ...answers: (Answer | Error)[]): Promise<Driven<Answer>> => {
    const ask = async (placed: Placed[]) => {
      sent.push(placed);
      const answer = answers.shift();
      if (!answer || answer instanceof Error) throw answer ?? new Error("it is asked once more than it answers");
      return answer;
    };
    return drive(conversations, { messages, tools: [{ name: "read_file" }] }, ask, (it) => it, {
      onTold: (it) => told.push(it),
    });
  };
  return { asks, sent, told };
}

test("a correction is a request that the framework never sees", async () => {
  const { asks, sent, told } = framework();
  const messages: Said[] = [{ role: "user", text: TASK }];
  const first = await asks(messages, { text: ANNOUNCED }, read);
  expect(first).toMatchObject({ response: read, answer: null });
  expect(names(told)).toEqual(["no-tools feedback"]);
  messages.push({ role: "assistant", ...read }, { role: "tool", id: "a", text: NOTES });
  await asks(messages, { text: ANSWER });
  expect(sent.at(-1)).toEqual([
    { kind: "own", from: 0 },
    { kind: "new", said: expect.objectContaining({ role: "assistant", text: ANNOUNCED }) },
    { kind: "new", said: { role: "user", text: told[0]!.text } },
    { kind: "own", from: 1 },
    { kind: "own", from: 2 },
  ]);
});

test("a lost connection is tried again, and the last error is thrown where no guard would", async () => {
  const { asks, sent } = framework();
  const lost = Object.assign(new Error("fetch failed"), { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });
  const driven = await asks([{ role: "user", text: TASK }], lost, read);
  expect(driven.response).toBe(read);
  expect(sent).toHaveLength(2);
  const refused = Object.assign(new Error("no key"), { status: 401 });
  await expect(asks([{ role: "user", text: TASK }], refused)).rejects.toBe(refused);
  const bug = new TypeError("my own bug");
  await expect(asks([{ role: "user", text: TASK }], bug)).rejects.toBe(bug);
});

test("what guards did is told where the last attempt fails as well", async () => {
  const { asks, told } = framework();
  const refused = Object.assign(new Error("no key"), { status: 401 });
  await expect(asks([{ role: "user", text: TASK }], { text: ANNOUNCED }, refused)).rejects.toBe(refused);
  expect(names(told)[0]).toBe("no-tools feedback");
});

test("errors of clients are failures of providers and networks", () => {
  class APIConnectionTimeoutError extends Error {}
  const error = (members: object) => Object.assign(new Error("why"), members);
  const message = "why";
  const headers = { "retry-after": "2" };
  expect(failureOf(error({ statusCode: 429, responseHeaders: headers }))).toEqual({
    cause: "status",
    code: 429,
    retry_after: 2000,
    message,
  });
  expect(failureOf(error({ cause: error({ code: "ECONNREFUSED" }) }))).toEqual({ cause: "connect", message });
  expect(failureOf(new APIConnectionTimeoutError("why"))).toEqual({ cause: "timed-out", message });
  expect(failureOf(AbortSignal.abort().reason)).toBeUndefined();
  expect(failureOf(error({ status: 200 }))).toBeUndefined();
  expect(failureOf("why")).toBeUndefined();
});

test("a plain object or an error of another realm is a failure too", () => {
  const status = (code: number, more = {}) => expect.objectContaining({ cause: "status", code, ...more });
  expect(failureOf({ statusCode: 529, message: "Overloaded" })).toEqual(status(529, { message: "Overloaded" }));
  expect(failureOf({ code: 503 })).toEqual(status(503, { message: "" }));
  expect(failureOf({ status: 500.5 })).toBeUndefined();
  expect(failureOf(runInNewContext('Object.assign(new Error("x"), { status: 503 })'))).toEqual(status(503));
  const unlike = Object.assign(Object.create(null), { cause: { code: "ECONNRESET" } });
  expect(failureOf(unlike)).toEqual({ cause: "disconnected", message: "" });
  const circle = Object.assign(new Error("a"), { cause: new Error("b") });
  circle.cause.cause = circle;
  expect(failureOf(circle)).toBeUndefined();
  const late = { status: 429, headers: { "retry-after": "99999999999999999999" } };
  expect(failureOf(late)).toEqual(status(429, { retry_after: Number.MAX_SAFE_INTEGER }));
  const headers = { get: (name: string) => (name === "retry-after" ? "2" : null) };
  expect(failureOf({ status: 429, headers })).toEqual(status(429, { retry_after: 2000 }));
});
