import { expect, test } from "vitest";

import { type Answer, type Call, type Ran, Stack } from "../src/index.ts";
import { ANNOUNCED, ANSWER, names, NOTES, TASK, TOLD } from "./dialogue.ts";

const tools = [{ name: "read_file", effect: "read-only" } as const];
const call = (id: string): Call => ({ id, tool: "read_file", arguments: '{"path":"notes.txt"}' });
const chat = (answer: Answer) => {
  const calls = (answer.calls ?? []).map((it) => {
    return { id: it.id, type: "function", function: { name: it.tool, arguments: it.arguments } };
  });
  const message = { role: "assistant", content: answer.text ?? null, ...(calls.length ? { tool_calls: calls } : {}) };
  return { choices: [{ message, finish_reason: calls.length ? "tool_calls" : "stop" }] };
};

test("a run goes step by step and can be resumed", () => {
  const stack = new Stack();
  const run = stack.run(TASK, { tools, model: "some-model" });
  for (const id of ["a", "b"]) {
    expect(run.step()).toEqual({ kind: "model", asked: 1 });
    run.completed({ text: undefined, calls: [call(id)] });
    expect(run.step()).toEqual({ kind: "tools", calls: [call(id)], attempt: 1 });
    run.executed([{ text: NOTES, status: "ok" }]);
  }
  expect(run.news()).toEqual([]);
  const resumed = stack.resume(JSON.parse(JSON.stringify(run.transcript())));
  for (const it of [run, resumed]) {
    it.completed({ calls: [call("c")] });
    expect(names(it.news())).toEqual(["duplicate block"]);
  }
  expect(resumed.transcript()).toEqual(run.transcript());
  expect(resumed.request()).toMatchObject({ model: "some-model" });
});

test("a run is played to its end", async () => {
  const answers = [{ text: ANNOUNCED }, ...["a", "b", "c"].map((id) => ({ calls: [call(id)] })), { text: ANSWER }];
  const sent: { messages: { role: string }[] }[] = [];
  const run = new Stack().run(TASK, { tools });
  const ended = await run.play({
    ask: async (request) => {
      sent.push(request as (typeof sent)[number]);
      return chat(answers.shift()!);
    },
    call: (): Ran => ({ text: NOTES, status: "ok" }),
    system: "Be short.",
  });
  expect(ended.end).toBe("finished");
  expect(names(run.news()).slice(0, 2)).toEqual(TOLD);
  expect(sent[0]!.messages.map((it) => it.role)).toEqual(["system", "user"]);
});

test("a question ends a run that nobody can answer, and goes on where somebody can", async () => {
  const announced = (nth: number) => ({ text: `I will read the file now, as step ${nth} of my plan.` });
  const played = async (user?: () => string) => {
    const answers = [announced(1), announced(2), { calls: [call("a")] }, { text: ANSWER }];
    const run = new Stack("no-tools").run(TASK, { tools });
    const ask = async () => chat(answers.shift()!);
    return (await run.play({ ask, call: () => ({ text: NOTES }), user })).end;
  };
  expect(await played()).not.toBe("finished");
  expect(await played(() => "Read it with read_file.")).toBe("finished");
});

test("a busy provider is asked again after a wait, and any other error is thrown", async () => {
  const busy = Object.assign(new Error("busy"), { status: 503, headers: new Headers({ "retry-after-ms": "20" }) });
  const played = (error: unknown) => {
    const answers = [error, chat({ text: ANSWER })];
    const ask = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return new Stack().run(TASK).play({ ask, call: () => ({ text: "" }) });
  };
  const began = performance.now();
  expect((await played(busy)).end).toBe("finished");
  expect(performance.now() - began).toBeGreaterThanOrEqual(19);
  await expect(played(new TypeError("my own bug"))).rejects.toThrow("my own bug");
});

test("a wait ends with its signal", async () => {
  const busy = Object.assign(new Error("busy"), { status: 503, headers: { "retry-after": "60" } });
  const asked = new Stack().run(TASK).play({
    ask: () => Promise.reject(busy),
    call: () => ({ text: "" }),
    signal: AbortSignal.timeout(50),
  });
  await expect(asked).rejects.toThrow(/timeout/i);
});

test("errors say what was expected", () => {
  expect(() => new Stack("dulicate")).toThrow(/^guards: expected `default`, .* found `dulicate`$/);
  expect(() => new Stack("handoff,handoff")).toThrow("found `handoff` twice");
  expect(() => new Stack("no-tools", { "no-tools": { limits: 1 } })).toThrow("limits");
  const run = new Stack().run(TASK);
  expect(() => run.executed([{ text: "" }])).toThrow("executed: expected no results, found 1");
  expect(() => run.completed({ finish: "end" as "stop" })).toThrow("answer: unknown variant `end`");
  expect(() => run.request("opnai" as "openai")).toThrow("found `opnai`");
});

test("what is no text is refused where a text belongs", () => {
  const run = new Stack().run(TASK);
  const other = (it: unknown) => it as string;
  expect(() => run.said(other(5))).toThrow("said: expected a string, found `5` (number)");
  expect(() => run.answered(other({}))).toThrow("answered: expected a string, found an object");
  expect(() => run.request("openai", other(null))).toThrow("system: expected a string, found `null`");
  expect(() => run.request(other(7) as "openai")).toThrow("dialect: expected a string");
  expect(() => run.responded(undefined)).toThrow("response: expected a string, found `undefined`");
  expect(run.step()).toEqual({ kind: "model", asked: 1 });
});

test("a tool that finishes ends the task", async () => {
  const offer = { tools: [...tools, { name: "done", purpose: "finish" } as const] };
  const answers = [{ calls: [call("a")] }, { calls: [{ id: "b", tool: "done", arguments: "{}" }] }];
  const run = new Stack().run(TASK, offer);
  const ended = await run.play({
    ask: () => chat(answers.shift()!),
    call: ({ tool }) => ({ text: NOTES, finished: tool === "done" }),
  });
  expect(ended.end).toBe("finished");
  expect(answers).toEqual([]);
});

test("a tool that throws has failed, and its words are its result", async () => {
  const answers = [{ calls: [call("a")] }, { text: ANSWER }];
  const run = new Stack("none").run(TASK, { tools });
  await run.play({
    ask: () => chat(answers.shift()!),
    call: () => {
      throw new Error("no such file");
    },
  });
  expect(run.transcript()).toContainEqual(expect.objectContaining({ text: "no such file", status: "error" }));
});

test("a client that throws at once is busy too, and no words of the user are no answer", async () => {
  const busy = Object.assign(new Error("busy"), { status: 503, headers: { "retry-after-ms": "1" } });
  const announced = (nth: number) => ({ text: `I will read the file now, as step ${nth} of my plan.` });
  const answers = [busy, announced(1), announced(2)];
  const ended = await new Stack().run(TASK, { tools }).play({
    ask: () => {
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return chat(answer);
    },
    call: () => ({ text: "" }),
    user: () => null,
  });
  expect(ended.end).toBe("stopped-by-user");
});

test("a run that is aborted asks nobody any more, and its client has the signal", async () => {
  const controller = new AbortController();
  let asked = 0;
  const play = new Stack().run(TASK, { tools }).play({
    ask: (_, signal) => {
      asked += 1;
      expect(signal).toBe(controller.signal);
      controller.abort(new Error("enough"));
      return chat({ calls: [call("a")] });
    },
    call: () => ({ text: NOTES }),
    signal: controller.signal,
  });
  await expect(play).rejects.toThrow("enough");
  expect(asked).toBe(1);
});
