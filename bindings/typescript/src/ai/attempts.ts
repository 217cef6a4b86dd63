/** Answers that the SDK never saw, as their provider gave them: a text and calls alone lack thinking and signatures. */

import type { LanguageModelV4Content as Content } from "@ai-sdk/provider";

import type { Answer } from "../values.ts";
import { Kept } from "./kept.ts";
import { type AssistantPart, callPart } from "./prompt.ts";

/** The answers of all conversations. */
export class Attempts {
  readonly #contents = new Kept<Content[]>();

  /** Keeps an answer if it says more than a text and calls. */
  keep(said: Answer, content: Content[]): void {
    const isMore = (it: Content) => (it.type !== "text" && it.type !== "tool-call") || it.providerMetadata;
    if (content.some(isMore)) this.#contents.set(keyOf(said), content);
  }

  /** Forgets an answer that the SDK has itself. */
  forget(said: Answer): void {
    this.#contents.delete(keyOf(said));
  }

  /** The parts of an answer that is kept, with these calls. */
  partsOf(said: Answer): AssistantPart[] | undefined {
    return this.#contents.get(keyOf(said))?.flatMap((it) => partOf(it, said));
  }
}

/** Calls have ids of their own; a text alone may be said in two conversations, but hardly with the same tokens. */
function keyOf({ text, thinking = "", calls = [], usage }: Answer): string {
  const ids = calls.map((it) => it.id).sort();
  return JSON.stringify([text, thinking, ids.length ? ids : [usage?.input_tokens, usage?.output_tokens]]);
}

function partOf(content: Content, { calls = [] }: Answer): AssistantPart[] {
  const { providerMetadata: providerOptions } = content;
  switch (content.type) {
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted } = content;
      const own = calls.find((it) => it.id === toolCallId) ?? { id: toolCallId, tool: toolName, arguments: input };
      return [{ ...callPart(own), providerExecuted, providerOptions }];
    }
    case "tool-result": {
      if (content.preliminary) return [];
      const { type, toolCallId, toolName, result: value, isError } = content;
      const output = { type: isError ? ("error-json" as const) : ("json" as const), value };
      return [{ type, toolCallId, toolName, output, providerOptions }];
    }
    case "text":
    case "reasoning": {
      const { type, text } = content;
      // Providers refuse a text that says nothing.
      return text || providerOptions ? [{ type, text, providerOptions }] : [];
    }
    case "file":
    case "reasoning-file": {
      const { type, mediaType, data } = content;
      return [{ type, mediaType, data, providerOptions }];
    }
    case "custom":
      return [{ type: content.type, kind: content.kind, providerOptions }];
    case "source":
    case "tool-approval-request":
      return [];
  }
}
