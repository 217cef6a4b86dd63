/** The history of the AI SDK in the form of the guards, and back. */

import type { LanguageModelV4Content as Content, LanguageModelV4Message as Message } from "@ai-sdk/provider";

import type { Form, Unit } from "../conversations.ts";
import type { Call, Said, Shown, Status } from "../values.ts";

/** What an answer in the history has. */
export type AssistantPart = Extract<Message, { role: "assistant" }>["content"][number];
type Part = Extract<Message, { role: "assistant" | "tool" }>["content"][number];
type Output = Extract<Part, { type: "tool-result" }>["output"];

/** A message as the guards see it: one for each result of a call. */
export function unitsOf(message: Message): Unit<Message>[] {
  switch (message.role) {
    case "system":
      return [{ said: { role: "system", text: message.content }, own: message }];
    case "user":
      return [{ said: { role: "user", text: textOf(message.content) }, own: message }];
    case "assistant":
      return [{ said: { role: "assistant", ...saidOf(message.content) }, own: message }];
    case "tool":
      return message.content.map((part) => ({ said: resultOf(part), own: { ...message, content: [part] } }));
  }
}

function resultOf(part: Part): Said {
  if (part.type !== "tool-result") return { role: "system", text: "" };
  return { role: "tool", id: part.toolCallId, ...outputOf(part.output) };
}

function outputOf(output: Output): { text: string; status: Status } {
  switch (output.type) {
    case "text":
      return { text: output.value, status: "unknown" };
    case "json":
      return { text: JSON.stringify(output.value), status: "unknown" };
    case "error-text":
      return { text: output.value, status: "error" };
    case "error-json":
      return { text: JSON.stringify(output.value), status: "error" };
    case "execution-denied":
      return { text: output.reason ?? "The call was denied.", status: "error" };
    case "content":
      return { text: textOf(output.value), status: "unknown" };
  }
}

function textOf(content: { type: string; text?: unknown }[], type = "text"): string {
  return content.flatMap((it) => (it.type === type && typeof it.text === "string" ? it.text : [])).join("\n");
}

/** What an answer of the model says. */
export function saidOf(content: (Part | Content)[]): Shown {
  const calls = content.flatMap((it) => {
    if (it.type !== "tool-call" || it.providerExecuted) return [];
    const text = typeof it.input === "string" ? it.input : JSON.stringify(it.input);
    return { id: it.toolCallId, tool: it.toolName, arguments: text };
  });
  return { text: textOf(content), thinking: textOf(content, "reasoning"), calls };
}

/** A call as a part of an answer in the history. */
export const callPart = (it: Call) => {
  return { type: "tool-call" as const, toolCallId: it.id, toolName: it.tool, input: inputOf(it.arguments) };
};

/** How messages of the guards look in the AI SDK. */
export const form: Form<Message> = {
  fresh: (said) => {
    switch (said.role) {
      case "system":
        return { role: "system", content: said.text };
      case "user":
        return { role: "user", content: [{ type: "text", text: said.text }] };
      case "assistant": {
        const text = said.text ? [{ type: "text" as const, text: said.text }] : [];
        return { role: "assistant", content: [...text, ...(said.calls ?? []).map(callPart)] } as Message;
      }
      case "tool": {
        const output: Output = { type: "error-text", value: said.text };
        const result = { type: "tool-result" as const, toolCallId: said.id, toolName: said.tool ?? "", output };
        return { role: "tool", content: [result] };
      }
    }
  },
  withCalls: (own, calls) => ({ ...own, content: [...(own.content as Part[]), ...calls.map(callPart)] }) as Message,
};

/** What a provider takes as arguments: an object, where the text is one. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return text;
  }
}

/** Results that follow each other are one message. */
export function promptOf(messages: Message[]): Message[] {
  const prompt: Message[] = [];
  for (const message of messages) {
    const last = prompt.at(-1);
    if (message.role !== "tool" || last?.role !== "tool") prompt.push(message);
    else prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] };
  }
  return prompt;
}
