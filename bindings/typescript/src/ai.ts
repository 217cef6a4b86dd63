/**
 * Guards for agents of the AI SDK:
 *
 * ```ts
 * import { guards } from "@balk/guards/ai";
 * import { wrapLanguageModel } from "ai";
 *
 * const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: guards() });
 * ```
 */

import type {
  LanguageModelV4 as Model,
  LanguageModelV4CallOptions as Options,
  LanguageModelV4Content as Content,
  LanguageModelV4FinishReason as FinishReason,
  LanguageModelV4GenerateResult as Result,
  LanguageModelV4Middleware as Middleware,
} from "@ai-sdk/provider";

import { Attempts } from "./ai/attempts.ts";
import { Data } from "./ai/data.ts";
import { form, promptOf, saidOf, unitsOf } from "./ai/prompt.ts";
import { heldStream, type Streamed, streamOf } from "./ai/stream.ts";
import { NO_USAGE, sum } from "./ai/usage.ts";
import { members, text as textOf, word } from "./checked.ts";
import { drive, messagesOf } from "./conversations.ts";
import { type GuardName, Stack } from "./guards.ts";
import type { Answer, Call, Effect, Shown, Told, Tool } from "./values.ts";

const EFFECTS: Effect[] = ["read-only", "idempotent-write", "write", "external", "unknown"];

/** What a middleware is told, and whom it tells. */
export interface Guarding {
  guards?: GuardName | Stack;
  /** What tools can change, by their names. */
  effects?: Record<string, Effect>;
  /** Is told of everything that a guard does. What it throws, the call throws. */
  onTold?: (told: Told) => void;
}

/**
 * Guards before a model. It is asked again where a guard corrects it; a call that is refused is never made; a question
 * to the user is the answer, and the next message answers it. A stream is held until its answer is whole.
 *
 * Where the answer is to be JSON, a text is data: no guard reads it, and nothing takes its place or is added to it. Nor
 * where the answer has neither words nor calls but other parts, such as a file, or where the provider pauses its turn.
 */
export function guards(guarding: Guarding = {}): Middleware {
  members("guards", guarding, ["guards", "effects", "onTold"]);
  const { guards = "default", effects = {}, onTold } = guarding;
  for (const [name, effect] of Object.entries(effects)) word(`effects.${name}`, effect, EFFECTS);
  const conversations = (guards instanceof Stack ? guards : new Stack(textOf("guards", guards))).conversations();
  const data = new Data();
  const attempts = new Attempts();
  const whole: typeof form = {
    fresh: (said) => {
      const content = said.role === "assistant" ? attempts.partsOf(said) : undefined;
      return content ? { role: "assistant", content } : form.fresh({ ...said, text: data.shown(said.text ?? "") });
    },
    withCalls: (own, calls) => {
      const said = own.role === "assistant" ? saidOf(own.content) : undefined;
      const content = said && attempts.partsOf({ ...said, calls: [...said.calls, ...calls] });
      return content ? { ...own, role: "assistant", content } : form.withCalls(own, calls);
    },
  };
  async function asked<Came extends Result>(options: Options, model: Model, ask: (it: Options) => PromiseLike<Came>) {
    const units = options.prompt.flatMap(unitsOf);
    const tools: Tool[] = (options.tools ?? []).flatMap((it) => {
      if (it.type !== "function") return [];
      const { name, description, inputSchema } = it;
      const effect = Object.hasOwn(effects, name) ? effects[name] : undefined;
      return { name, description, parameters: inputSchema, effect };
    });
    const request = { messages: units.map((it) => it.said), tools, model: model.modelId };
    let isData = false;
    let last: Answer = {};
    const usages: Result["usage"][] = [];
    const driven = await drive(
      conversations,
      request,
      (placed) => ask({ ...options, prompt: promptOf(messagesOf(placed, units, whole)) }),
      (response) => {
        usages.push(response.usage);
        const { text, ...answer } = answerOf(response);
        const isJson = options.responseFormat?.type === "json" && text !== "";
        const isOther = text.trim() === "" && response.content.some(isWhole);
        isData = answer.calls.length === 0 && (isJson || isOther || isPaused(response));
        last = { ...answer, text: isData ? data.withheld(text) : text };
        attempts.keep(last, response.content);
        return last;
      },
      { onTold, signal: options.abortSignal },
    );
    if (!driven.answer) attempts.forget(last);
    // The SDK sees one request, so all attempts count as one.
    const response = driven.response && { ...driven.response, usage: sum(usages) };
    return { response, answer: isData ? null : driven.answer };
  }
  return {
    specificationVersion: "v4",
    wrapGenerate: async ({ params, model }) => {
      const { response, answer } = await asked(params, model, (it) => model.doGenerate(it));
      return answer ? changed(response, answer) : response!;
    },
    wrapStream: async ({ params, model }) => {
      const ask = async (it: Options) => heldStream(await model.doStream(it));
      const { response, answer } = await asked<Streamed>(params, model, ask);
      return streamOf(response, answer && changed(response, answer));
    },
  };
}

const FINISHES: Record<FinishReason["unified"], Answer["finish"]> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_call",
  error: "error",
  interrupted: "not_given",
  other: "not_given",
};

/** Whether the provider is not done with this turn: it goes on once it gets back what it said. */
function isPaused({ finishReason }: Result): boolean {
  return finishReason.raw === "pause_turn";
}

/** Whether a part is an answer without any words. */
function isWhole({ type }: Content): boolean {
  switch (type) {
    case "file":
    case "custom":
    case "tool-approval-request":
    case "tool-call":
    case "tool-result":
      return true;
    case "text":
    case "reasoning":
    case "reasoning-file":
    case "source":
      return false;
  }
}

function answerOf({ content, finishReason, usage }: Result): Shown {
  const [input_tokens, output_tokens] = [usage.inputTokens.total ?? 0, usage.outputTokens.total ?? 0];
  return { ...saidOf(content), finish: FINISHES[finishReason.unified], usage: { input_tokens, output_tokens } };
}

/** A result with what the guards let pass; what they did not change stays as the provider said it. */
function changed(came: Result | undefined, { text, calls }: Shown): Result {
  const content = came?.content ?? [];
  const said = saidOf(content);
  const isCall = (it: Content) => it.type === "tool-call" && !it.providerExecuted;
  const same = (call: Call) =>
    content.find((it) => isCall(it) && saidOf([it]).calls.some((own) => JSON.stringify(own) === JSON.stringify(call)));
  const texts: Content[] =
    text === said.text ? content.filter((it) => it.type === "text") : text ? [{ type: "text", text }] : [];
  const made = calls.map(
    (it): Content =>
      same(it) ?? { type: "tool-call", toolCallId: it.id, toolName: it.tool, input: it.arguments || "{}" },
  );
  const kept = content.filter((it) => it.type !== "text" && !isCall(it));
  return {
    usage: came?.usage ?? NO_USAGE,
    warnings: came?.warnings ?? [],
    ...came,
    content: [...kept, ...texts, ...made],
    finishReason: { unified: calls.length ? "tool-calls" : "stop", raw: undefined },
  };
}
