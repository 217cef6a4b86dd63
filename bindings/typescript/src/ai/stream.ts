/** Streams of the AI SDK as whole results, and back. */

import type {
  LanguageModelV4Content as Content,
  LanguageModelV4GenerateResult as Result,
  LanguageModelV4StreamPart as StreamPart,
  LanguageModelV4StreamResult as StreamResult,
} from "@ai-sdk/provider";

import { NO_USAGE } from "./usage.ts";

type Metadata = Content["providerMetadata"];

/** A result that came as a stream. */
export interface Streamed extends Result {
  parts: StreamPart[];
  head: Omit<StreamResult, "stream">;
}

/** Reads a stream to its end. An error in it is thrown. */
export async function heldStream({ stream, ...head }: StreamResult): Promise<Streamed> {
  const parts: StreamPart[] = [];
  const content: Content[] = [];
  const texts = new Map<string, { text: string; providerMetadata?: Metadata }>();
  const result: Streamed = {
    parts,
    head,
    content,
    finishReason: { unified: "other", raw: undefined },
    usage: NO_USAGE,
    warnings: [],
  };
  for await (const part of stream) {
    parts.push(part);
    switch (part.type) {
      case "error":
        throw part.error;
      case "stream-start":
        result.warnings = part.warnings;
        break;
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning";
        const whole = { type, text: "", providerMetadata: part.providerMetadata } as const;
        content.push(whole);
        texts.set(type + part.id, whole);
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const whole = texts.get(part.type.replace("-delta", "") + part.id);
        if (!whole) break;
        whole.text += part.delta;
        whole.providerMetadata = part.providerMetadata ?? whole.providerMetadata;
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const whole = texts.get(part.type.replace("-end", "") + part.id);
        if (whole) whole.providerMetadata = part.providerMetadata ?? whole.providerMetadata;
        break;
      }
      case "finish":
        result.finishReason = part.finishReason;
        result.usage = part.usage;
        result.providerMetadata = part.providerMetadata;
        break;
      case "tool-call":
      case "tool-result":
      case "tool-approval-request":
      case "custom":
      case "file":
      case "reasoning-file":
      case "source":
        content.push(part);
        break;
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "response-metadata":
      case "ping":
      case "raw":
        break;
    }
  }
  return result;
}

/** A stream of what came, or of what takes its place. */
export function streamOf(came: Streamed | undefined, changed: Result | null): StreamResult {
  const own = came?.parts.map((it) => (it.type === "finish" ? { ...it, usage: came.usage } : it)) ?? [];
  const parts = changed ? partsOf(own, changed) : own;
  const stream = new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return { ...came?.head, stream };
}

function partsOf(
  came: StreamPart[],
  { content, finishReason, usage, warnings, providerMetadata }: Result,
): StreamPart[] {
  return [
    { type: "stream-start", warnings },
    ...came.filter((it) => it.type === "response-metadata"),
    ...content.flatMap((it, at): StreamPart[] => {
      if (it.type !== "text" && it.type !== "reasoning") return [it];
      const [id, { type, text: delta, providerMetadata }] = [String(at), it];
      return [
        { type: `${type}-start`, id, providerMetadata },
        { type: `${type}-delta`, id, delta },
        { type: `${type}-end`, id },
      ];
    }),
    { type: "finish", finishReason, usage, providerMetadata },
  ];
}
