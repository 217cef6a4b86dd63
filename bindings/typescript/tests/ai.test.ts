/** The middleware in real agents of the AI SDK, with its mock model. */

import {
  APICallError,
  type LanguageModelV4Content as Content,
  type LanguageModelV4StreamPart as StreamPart,
} from "@ai-sdk/provider";
import { generateText, isStepCount, type ModelMessage, Output, streamText, tool, wrapLanguageModel } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { z } from "zod";

import { guards as middleware } from "../src/ai.ts";
import type { Told } from "../src/index.ts";
import { ANNOUNCED, ANSWER, EFFECTS, names, NOTES, TASK, TOLD } from "./dialogue.ts";

const text = (it: string): Content[] => [{ type: "text", text: it }];
const call = (id: string, path = "notes.txt"): Content => {
  // Not as the framework writes it.
  return { type: "tool-call", toolCallId: id, toolName: "read_file", input: `{ "path": "${path}" }` };
};

const tools = {
  read_file: tool({ inputSchema: z.object({ path: z.string() }), execute: () => NOTES }),
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

const finish = (content: Content[]) => {
  const unified = content.some((it) => it.type === "tool-call") ? ("tool-calls" as const) : ("stop" as const);
  return { unified, raw: undefined };
};

function agent(answers: (Content[] | Error)[], guards = "default") {
  const told: Told[] = [];
  const left = [...answers];
  const next = () => {
    const content = left.shift();
    if (!content) throw new Error("the model is asked once more than it answers");
    if (content instanceof Error) throw content;
    return content;
  };
  const mock = new MockLanguageModelV4({
    doGenerate: async () => {
      const content = next();
      return { content, finishReason: finish(content), usage, warnings: [] };
    },
    doStream: async () => {
      const content = next();
      const parts = content.flatMap((it, at): StreamPart[] => {
        const id = `${at}`;
        if (it.type === "reasoning") {
          const { text: delta, providerMetadata } = it;
          const end: StreamPart = { type: "reasoning-end", id, providerMetadata };
          return [{ type: "reasoning-start", id }, { type: "reasoning-delta", id, delta }, end];
        }
        if (it.type !== "text") return [it as StreamPart];
        const deltas = it.text.split(/(?= )/).map((delta) => ({ type: "text-delta" as const, id, delta }));
        return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
      });
      const end: StreamPart = { type: "finish", finishReason: finish(content), usage };
      return { stream: convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...parts, end]) };
    },
  });
  const guarding = middleware({ guards, effects: EFFECTS, onTold: (it) => told.push(it) });
  const model = wrapLanguageModel({ model: mock, middleware: guarding });
  return { model, mock, told };
}

const stopWhen = isStepCount(10);
const kinds = (messages: { content: unknown; role: string }[]) =>
  messages.flatMap((it) =>
    typeof it.content === "string"
      ? [`${it.role} text`]
      : (it.content as { type: string }[]).map((part) => `${it.role} ${part.type}`),
  );
const LOOP = [text(ANNOUNCED), ...["a", "b", "c"].map((id) => [call(id)]), text(ANSWER)];

test("an agent sees what the guards let pass, and the model knows the whole of it", async () => {
  const { model, mock, told } = agent(LOOP);
  const result = await generateText({ model, tools, stopWhen, prompt: TASK, instructions: "Be short." });
  expect(result.text.startsWith(ANSWER)).toBe(true);
  expect(names(told).slice(0, 2)).toEqual(TOLD);
  const seen = ["assistant tool-call", "tool tool-result", "assistant tool-call", "tool tool-result"];
  expect(kinds(result.responseMessages)).toEqual([...seen, "assistant text"]);
  const sent = mock.doGenerateCalls.at(-1)!.prompt;
  const correction = ["assistant text", "user text"];
  const refused = ["assistant tool-call", "tool tool-result"];
  expect(kinds(sent)).toEqual(["system text", "user text", ...correction, ...seen, ...refused]);
  expect(sent.at(-1)!.content[0]).toMatchObject({ toolCallId: "c", toolName: "read_file" });
});

test("of several calls the others run", async () => {
  const { model, mock } = agent([[call("a")], [call("b")], [call("c"), call("d", "more.txt")], text(ANSWER)]);
  await generateText({ model, tools, stopWhen, prompt: TASK });
  const sent = mock.doGenerateCalls.at(-1)!.prompt;
  const parts = sent.flatMap((it): object[] => (typeof it.content === "string" ? [] : it.content));
  const ids = parts.flatMap((it) => ("toolCallId" in it ? it.toolCallId : []));
  expect(ids).toEqual(["a", "a", "b", "b", "d", "c", "d", "c"]);
  expect(sent.map((it) => it.role).slice(-2)).toEqual(["assistant", "tool"]);
});

test("a question is put in the model's place and answered by the next message", async () => {
  const announced = (nth: number) => text(`I will read the file now, as step ${nth} of my plan.`);
  const { model, mock, told } = agent([announced(1), announced(2), [call("a")], text(ANSWER)], "no-tools");
  const messages: ModelMessage[] = [{ role: "user", content: TASK }];
  const asked = await generateText({ model, tools, stopWhen, messages });
  expect(told.at(-1)!.kind).toBe("question");
  expect(asked.text).toContain("1. ");
  messages.push(...asked.responseMessages, { role: "user", content: "Read it with read_file." });
  const answered = await generateText({ model, tools, stopWhen, messages });
  expect(answered.text).toBe(ANSWER);
  // The model never said the question.
  expect(JSON.stringify(mock.doGenerateCalls.at(-1)!.prompt)).not.toContain("1. ");
});

test("a stream is held until its answer is whole", async () => {
  const { model, told } = agent(LOOP);
  const result = streamText({ model, tools, stopWhen, prompt: TASK });
  const texts: string[] = [];
  for await (const delta of result.textStream) texts.push(delta);
  expect(texts.join("").startsWith(ANSWER)).toBe(true);
  expect(names(told).slice(0, 2)).toEqual(TOLD);
  expect((await result.steps).map((it) => it.finishReason)).toEqual(["tool-calls", "tool-calls", "stop"]);
});

const signed = (signature: string, ...said: Content[]): Content[] => {
  return [{ type: "reasoning", text: "", providerMetadata: { provider: { signature } } }, ...said];
};
const signatures = (parts: object) => JSON.stringify(parts).match(/"signature":"[^"]+/g)?.map((it) => it.slice(13));
const THOUGHT = [
  signed("1", ...text(ANNOUNCED)),
  ...["2", "3", "4"].map((id) => signed(id, call(id))),
  signed("5", ...text(ANSWER)),
];

test("what the model thought is put back with its answer, as its provider signed it", async () => {
  const { model, mock } = agent(THOUGHT);
  await generateText({ model, tools, stopWhen, prompt: TASK });
  expect(mock.doGenerateCalls.map((it) => signatures(it.prompt))).toEqual([
    undefined,
    ["1"],
    ["1", "2"],
    ["1", "2", "3"],
    ["1", "2", "3", "4"],
  ]);
  const [, announced, asked] = mock.doGenerateCalls[1]!.prompt;
  expect(kinds([announced!, asked!])).toEqual(["assistant reasoning", "assistant text", "user text"]);
  const refused = mock.doGenerateCalls.at(-1)!.prompt.slice(-2);
  expect(kinds(refused)).toEqual(["assistant reasoning", "assistant tool-call", "tool tool-result"]);
  expect(refused[0]!.content[1]).toMatchObject({ toolCallId: "4", input: { path: "notes.txt" } });
});

test("of a stream as well", async () => {
  const { model, mock } = agent(THOUGHT);
  const result = streamText({ model, tools, stopWhen, prompt: TASK });
  expect(signatures(await result.responseMessages)).toEqual(["2", "3", "5"]);
  expect(signatures(mock.doStreamCalls.at(-1)!.prompt)).toEqual(["1", "2", "3", "4"]);
});

test("of several signed calls the others run, and the model's history has them as it made them", async () => {
  const made = (id: string): Content => ({ ...call(id), providerMetadata: { provider: { signature: id } } });
  const { model, mock } = agent([[made("a")], [made("b")], [made("c"), call("d", "more.txt")], text(ANSWER)]);
  await generateText({ model, tools, stopWhen, prompt: TASK });
  const sent = mock.doGenerateCalls.at(-1)!.prompt;
  expect(signatures(sent.filter((it) => it.role === "assistant"))).toEqual(["a", "b", "c"]);
  expect(sent.at(-2)!.content).toMatchObject([{ toolCallId: "c" }, { toolCallId: "d" }]);
});

test("an answer of other parts than words and calls is no empty one", async () => {
  const file: Content = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } };
  const approval: Content[] = [
    { type: "tool-call", toolCallId: "a", toolName: "remote", input: "{}", providerExecuted: true },
    { type: "tool-approval-request", approvalId: "b", toolCallId: "a" },
  ];
  const { model, mock, told } = agent([[file], text(ANSWER)]);
  const messages: ModelMessage[] = [{ role: "user", content: "Draw me a list." }];
  const drawn = await generateText({ model, messages });
  expect(drawn.files.map((it) => it.mediaType)).toEqual(["image/png"]);
  messages.push(...drawn.responseMessages, { role: "user", content: TASK });
  await generateText({ model, messages });
  expect(kinds(mock.doGenerateCalls.at(-1)!.prompt)).toEqual(["user text", "assistant file", "user text"]);
  const { model: asking } = agent([approval]);
  const { content } = await asking.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: TASK }] }] });
  expect([content, told]).toEqual([approval, []]);
});

test("what a turn says that its provider pauses is no announcement", async () => {
  const search: Content = {
    type: "tool-call",
    toolCallId: "s",
    toolName: "web_search",
    input: "{}",
    providerExecuted: true,
  };
  const told: Told[] = [];
  const content = [...text(ANNOUNCED), search];
  const mock = new MockLanguageModelV4({
    doGenerate: async () => ({ content, finishReason: { unified: "stop", raw: "pause_turn" }, usage, warnings: [] }),
  });
  const guarding = middleware({ effects: EFFECTS, onTold: (it) => told.push(it) });
  const model = wrapLanguageModel({ model: mock, middleware: guarding });
  const offered = [{ type: "function" as const, name: "read_file", inputSchema: { type: "object" as const } }];
  const prompt = [{ role: "user" as const, content: text(TASK) as { type: "text"; text: string }[] }];
  const paused = await model.doGenerate({ prompt, tools: offered });
  expect([paused.content, told, mock.doGenerateCalls.length]).toEqual([content, [], 1]);
});

test("what no guard objects to passes part by part as it came", async () => {
  const { model } = agent([text("Two words.")], "none");
  const deltas: string[] = [];
  for await (const delta of streamText({ model, prompt: TASK }).textStream) deltas.push(delta);
  expect(deltas).toEqual(["Two", " words."]);
});

test("a busy provider is asked again, and a refusal is thrown", async () => {
  const error = (statusCode: number) =>
    new APICallError({
      message: "no",
      url: "",
      requestBodyValues: {},
      statusCode,
      responseHeaders: { "retry-after-ms": "1" },
    });
  const { model, mock } = agent([error(503), text(ANSWER)]);
  expect((await generateText({ model, prompt: TASK, maxRetries: 0 })).text.startsWith(ANSWER)).toBe(true);
  expect(mock.doGenerateCalls).toHaveLength(2);
  await expect(generateText({ ...agent([error(401)]), prompt: TASK, maxRetries: 0 })).rejects.toThrow("no");
});

test("an answer that is data passes as it came, whatever it says", async () => {
  const output = Output.object({ schema: z.object({ note: z.string() }) });
  const json = (note: string) => text(JSON.stringify({ note }));
  const announced = agent([json(ANNOUNCED)]);
  const result = await generateText({ ...announced, tools, prompt: TASK, output });
  expect([result.output, announced.told]).toEqual([{ note: ANNOUNCED }, []]);
  // JSON that is like a call, and one that repeats itself.
  for (const it of [{ name: "read_file", arguments: { path: "a" } }, { note: "I try it again. ".repeat(100) }]) {
    const { model } = agent([text(JSON.stringify(it))]);
    const { text: came } = await generateText({ model, tools, prompt: TASK, output: Output.json() });
    expect(JSON.parse(came)).toEqual(it);
  }
});

test("what the user is to know is not added to data", async () => {
  const inputSchema = z.object({ path: z.string() });
  const failing = { read_file: tool({ inputSchema, execute: () => "Error: no such file" }) };
  const output = Output.json();
  const found = '{"found":false}';
  const { model, mock, told } = agent([[call("a")], [call("b")], text(found), text(found)]);
  const messages: ModelMessage[] = [{ role: "user", content: TASK }];
  const result = await generateText({ model, tools: failing, stopWhen, messages, output });
  expect(result.text).toBe(found);
  expect(names(told)).toEqual(["duplicate block", "handoff notice"]);
  // The model is shown its own words.
  messages.push(...result.responseMessages, { role: "user", content: "And now?" });
  await generateText({ model, tools: failing, stopWhen, messages, output });
  expect(JSON.stringify(mock.doGenerateCalls.at(-1)!.prompt)).toContain(JSON.stringify(found));
  expect(JSON.stringify(mock.doGenerateCalls.at(-1)!.prompt)).not.toContain("data:");
});

test("a long talk in data is left alone", async () => {
  const { model, told } = agent(Array.from({ length: 20 }, () => text("[]")));
  const messages: ModelMessage[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    messages.push({ role: "user", content: `Question ${turn}` });
    const result = await generateText({ model, tools, messages, output: Output.json() });
    messages.push(...result.responseMessages);
  }
  expect(told).toEqual([]);
});

test("options and effects that there are not are refused by name", () => {
  const refused = "guards: expected `guards`, `effects`, `onTold`, found `guard`";
  expect(() => middleware({ guard: "none" } as never)).toThrow(refused);
  const effects = { read_file: "readonly" } as never;
  expect(() => middleware({ guards: ["no-tools"] as never })).toThrow("guards: expected a string, found an object");
  expect(() => middleware({ effects })).toThrow(/^effects.read_file: expected `read-only`, .* found `readonly`/);
});

test("a tool may be named like a member of every object", async () => {
  const { model } = agent([text("Hello.")]);
  const named = { constructor: tools.read_file, toString: tools.read_file } as unknown as typeof tools;
  expect((await generateText({ model, tools: named, prompt: "Greet me.", maxRetries: 0 })).text).toBe("Hello.");
});

test("all attempts count as one request, whichever way it is asked", async () => {
  const answers = () => agent([text(ANNOUNCED), [call("a")]]).model;
  const counted = (it: { inputTokens?: number; outputTokens?: number }) => [it.inputTokens, it.outputTokens];
  const generated = await generateText({ model: answers(), tools, prompt: TASK });
  expect(counted(generated.usage)).toEqual([20, 10]);
  const streamed = streamText({ model: answers(), tools, prompt: TASK });
  expect(counted(await streamed.usage)).toEqual([20, 10]);
});

test("an error of the one who is told is the error of the call", async () => {
  const { model: mock } = agent([text(ANNOUNCED), [call("a")]], "none");
  const onTold = () => {
    throw new Error("my log is full");
  };
  const model = wrapLanguageModel({ model: mock, middleware: middleware({ onTold }) });
  await expect(generateText({ model, tools, prompt: TASK, maxRetries: 0 })).rejects.toThrow("my log is full");
});
