/**
 * Guards in opencode, as a plug-in: a call that a guard refuses does not run, and its model is told why; after an
 * answer that is not the end, it is told to go on; a question or a stop ends the turn, with the words on the screen.
 *
 * A file in the folder `plugins` of opencode's configuration exports it, or a function that calls it with its options:
 *
 * ```js
 * export { BalkGuards } from "@balk/guards/opencode";
 * ```
 */

import type { Plugin } from "@opencode-ai/plugin";

import { members, text } from "../checked.ts";
import { Stack } from "../guards.ts";
import type { Call, Ran, Tool } from "../values.ts";
import { visible } from "../visible.ts";
import { type Happened, judge } from "./fold.ts";

type Client = Parameters<Plugin>[0]["client"];
type Messages = NonNullable<Awaited<ReturnType<Client["session"]["messages"]>>["data"]>;
type Part = Messages[number]["parts"][number];

/** What the program's own tools can change. */
const TOOLS: Tool[] = [
  { name: "bash", purpose: "shell" },
  ...["read", "glob", "grep", "list", "webfetch", "websearch"].map((name): Tool => ({ name, effect: "read-only" })),
  { name: "write", effect: "idempotent-write" },
  ...["edit", "patch", "apply_patch"].map((name): Tool => ({ name, effect: "write" })),
  { name: "question", effect: "read-only", purpose: "ask-user" },
];

/** The plug-in. Its option `guards` has the names of guards with commas between them. */
export const BalkGuards: Plugin = async ({ client }, options = {}) => {
  members("the options of Balk", options, ["guards"]);
  const stack = new Stack(text("guards", (options.guards as string | undefined) ?? "default"));
  const messages = async (id: string) => (await client.session.messages({ path: { id } })).data ?? [];
  const show = (words: string) =>
    client.tui.showToast({ body: { title: "Balk", message: visible(words), variant: "warning" } });
  return {
    "tool.execute.before": async ({ sessionID, callID }, { args }) => {
      const verdict = judge(stack, TOOLS, happened(await messages(sessionID), callID, args), callID);
      if (verdict.kind === "passes") return;
      if (verdict.kind === "stopped") {
        await show(verdict.text);
        await client.session.abort({ path: { id: sessionID } });
      }
      throw new Error(verdict.text);
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return;
      const id = event.properties.sessionID;
      // A subagent's answer has been handed over by now.
      if ((await client.session.get({ path: { id } })).data?.parentID) return;
      const all = await messages(id);
      const answered = all.findLast((it) => it.info.role === "assistant")?.info;
      // An answer that the user aborted, or that failed, is not to go on.
      if (answered?.role === "assistant" && answered.error) return;
      const history = happened(all);
      const last = history.at(-1);
      // With calls, it was ended by somebody else.
      if (last?.kind !== "answer" || last.answer.calls.length > 0) return;
      const verdict = judge(stack, TOOLS, history);
      if (verdict.kind === "stopped") await show(verdict.text);
      if (verdict.kind !== "corrected") return;
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: verdict.text }] } });
    },
  };
};

export default BalkGuards;

/** What happened by the messages of a session. `args` are those of a call that runs next, which it may not have yet. */
export function happened(messages: Messages, callID?: string, args?: unknown): Happened[] {
  return messages.flatMap(({ info, parts }): Happened[] => {
    const said = parts.flatMap((it) => (it.type === "text" && !it.ignored && it.text ? it.text : [])).join("\n");
    if (info.role === "user") return said ? [{ kind: "user", text: said }] : [];
    if (info.error && info.error.name !== "MessageAbortedError") return [];
    const tools = parts.filter((it) => it.type === "tool");
    const calls = tools.map((it): Call => {
      const input = it.callID === callID ? args : it.state.input;
      return { id: it.callID, tool: it.tool, arguments: JSON.stringify(input ?? {}) };
    });
    const results = new Map(tools.flatMap((it) => resultOf(it)));
    return said || calls.length ? [{ kind: "answer", answer: { text: said, calls }, results }] : [];
  });
}

function resultOf({ callID, state }: Extract<Part, { type: "tool" }>): [string, Ran][] {
  if (state.status === "completed") return [[callID, { text: state.output, status: "unknown" }]];
  return state.status === "error" ? [[callID, { text: state.error, status: "error" }]] : [];
}
