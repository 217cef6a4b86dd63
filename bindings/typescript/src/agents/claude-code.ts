/**
 * Guards in Claude Code, as a hook: reads what happened from the session's transcript, and answers about the next call
 * or about the end of a turn.
 */

import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { Stack } from "../guards.ts";
import type { Answer, Call, Ran, Tool } from "../values.ts";
import { visible } from "../visible.ts";
import { type Happened, judge, type Verdict } from "./fold.ts";

/** What Claude Code gives to a hook, as far as it is needed. */
export interface HookInput {
  hook_event_name: string;
  transcript_path: string;
  /** The subagent whose call it is, if it is one's. Its calls are not in the transcript. */
  agent_id?: string;
  tool_use_id?: string;
  last_assistant_message?: string;
}

interface Line {
  type: string;
  isSidechain?: boolean;
  isMeta?: boolean;
  isApiErrorMessage?: boolean;
  message?: { id?: string; content?: string | Block[] };
}

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
}

/** What the program's own tools can change. */
export const TOOLS: Tool[] = [
  { name: "Bash", purpose: "shell" },
  { name: "BashOutput", effect: "read-only", purpose: "wait" },
  { name: "TaskOutput", effect: "read-only", purpose: "wait" },
  { name: "AskUserQuestion", effect: "read-only", purpose: "ask-user" },
  ...["Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch"].map((name): Tool => ({ name, effect: "read-only" })),
  { name: "Write", effect: "idempotent-write" },
  ...["Edit", "MultiEdit", "NotebookEdit"].map((name): Tool => ({ name, effect: "write" })),
];

/** What a hook says, as Claude Code reads it; none if everything passes. */
export async function hook(input: HookInput, stack = new Stack()): Promise<object | undefined> {
  if (input.agent_id) return undefined;
  switch (input.hook_event_name) {
    case "PreToolUse": {
      const id = input.tool_use_id;
      const history = await read(input.transcript_path, (it) => it.answer.calls.some((call) => call.id === id));
      return history && onCall(judge(stack, TOOLS, history, id));
    }
    case "Stop": {
      const said = input.last_assistant_message;
      const history = await read(input.transcript_path, (it) => it.answer.text?.trim() === said?.trim());
      return history && onStop(judge(stack, TOOLS, history));
    }
    default:
      return undefined;
  }
}

function onCall(verdict: Verdict): object | undefined {
  if (verdict.kind === "passes") return undefined;
  const denied = { permissionDecision: "deny", permissionDecisionReason: verdict.text };
  const answer = { hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } };
  return verdict.kind === "stopped" ? { ...answer, continue: false, stopReason: visible(verdict.text) } : answer;
}

function onStop(verdict: Verdict): object | undefined {
  switch (verdict.kind) {
    case "passes":
      return undefined;
    case "corrected":
      return { decision: "block", reason: verdict.text };
    case "stopped":
      return { systemMessage: visible(verdict.text) };
  }
}

/** How long the transcript may be behind, in milliseconds. Claude Code writes it beside its work: 51 were seen. */
const BEHIND_MAX = 1000;

/** The history up to the answer in question; none if the transcript does not get there. */
async function read(
  path: string,
  isIt: (it: Happened & { kind: "answer" }) => boolean,
): Promise<Happened[] | undefined> {
  const until = performance.now() + BEHIND_MAX;
  for (let seen = -1; performance.now() < until; await sleep(10)) {
    const { size } = statSync(path);
    if (size === seen) continue;
    seen = size;
    const history = happened(transcript(path));
    const last = history.findLastIndex((it) => it.kind === "answer");
    const answer = history[last];
    if (answer?.kind === "answer" && isIt(answer)) return history.slice(0, last + 1);
  }
  return undefined;
}

function transcript(path: string): Line[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line) => {
    try {
      const read = JSON.parse(line) as Line | null;
      return read ? [read] : [];
    } catch {
      // The last line may be half written.
      return [];
    }
  });
}

/** What happened by the lines of a session. The blocks of an answer are a line each, with the same id. */
export function happened(lines: Line[]): Happened[] {
  const history: Happened[] = [];
  const results = new Map<string, Ran>();
  let open: string | undefined;
  for (const { type, message, isSidechain, isMeta, isApiErrorMessage } of lines) {
    if (!message?.content || isSidechain || isApiErrorMessage) continue;
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (type === "assistant") {
      const last = history.at(-1);
      const isSame = last?.kind === "answer" && open !== undefined && open === message.id;
      const answer = isSame ? last.answer : { text: "", thinking: "", calls: [] as Call[] };
      if (!isSame) history.push({ kind: "answer", answer, results });
      open = message.id;
      for (const block of blocks) add(answer, block);
    } else if (type === "user") {
      const text = textOf(blocks);
      for (const it of blocks) {
        if (it.type === "tool_result" && it.tool_use_id) {
          const status = it.is_error ? "error" : "unknown";
          results.set(it.tool_use_id, { text: textOf(it.content), status });
        }
      }
      if (text) history.push({ kind: "user", text, ...(isMeta ? { byAgent: true } : {}) });
    }
  }
  return history;
}

function add(answer: Answer & { calls: Call[] }, block: Block): void {
  const joined = (before: string | undefined, more: string | undefined) => [before, more].filter(Boolean).join("\n");
  answer.text = joined(answer.text, block.type === "text" ? block.text : undefined);
  answer.thinking = joined(answer.thinking, block.type === "thinking" ? block.thinking : undefined);
  if (block.type === "tool_use" && block.id && block.name) {
    answer.calls.push({ id: block.id, tool: block.name, arguments: JSON.stringify(block.input ?? {}) });
  }
}

function textOf(content: string | Block[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((it) => (it.type === "text" && it.text ? it.text : [])).join("\n");
}
