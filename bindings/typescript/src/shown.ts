/** The steps of a conversation as text, for people who look at a test that failed. */

import type { Happening, Verdict } from "./served.ts";
import { visible } from "./visible.ts";

/** How many lines of a text, characters of a line, and steps from both ends of a conversation are shown. */
const [LINES, COLUMNS, FIRST, LAST] = [6, 300, 12, 40];

/** The verdict in a line, and the conversation below it. */
export function shown(verdict: Verdict, steps: Happening[]): string {
  let turn = 0;
  const parts = steps.map((it) => {
    if (it.step === "act") turn += 1;
    return stepOf(it, turn);
  });
  const leftOut = parts.length - FIRST - LAST;
  const gap = [`… ${leftOut} steps, which \`balk.transcript()\` has …`];
  const kept = leftOut > 0 ? [...parts.slice(0, FIRST), gap, ...parts.slice(-LAST)] : parts;
  return [summary(verdict), ...kept.flat()].join("\n");
}

function summary({ stuck, reached, told, requests, identicalCalls }: Verdict): string {
  return [
    stuck ? "the model was stuck" : "the model was never stuck",
    reached ? "the task is done" : "the task is not done",
    told === null ? "the user was not told that it is not done" : `the user was told: ${visible(told)}`,
    `${requests} requests, ${identicalCalls} turns in a row with the same calls`,
  ].join("; ");
}

function stepOf(step: Happening, turn: number): string[] {
  switch (step.step) {
    case "opened":
      return texts("user", step.texts as string[]);
    case "act": {
      const calls = ((step.calls ?? []) as { tool: string; arguments: string }[]).map(
        (it) => `${it.tool} ${it.arguments}`,
      );
      const broke = "broke" in step ? [JSON.stringify(step.broke)] : [];
      const head = `── turn ${turn} ── ${visible(String(step.truth))}`;
      const model = texts("model", step.texts as string[]);
      return [head, ...model, ...texts("calls", calls), ...texts("broke", broke)];
    }
    case "result":
      return texts("result", [String(step.text)]);
    case "user":
      return texts("user", [String(step.text)]);
    case "intervention":
      return texts("AGENT", [String(step.text)]);
    default: {
      const { step: name, ...rest } = step;
      return texts(visible(name), [JSON.stringify(rest)]);
    }
  }
}

function texts(speaker: string, said: string[] = []): string[] {
  return said.flatMap((text) => {
    const lines = visible(text).split("\n");
    const more = lines.length > LINES ? [`… ${lines.length - LINES} more lines`] : [];
    return [...lines.slice(0, LINES), ...more].map((line, at) => {
      const cut = line.length <= COLUMNS ? line : `${line.slice(0, COLUMNS)}…`;
      return `${(at ? "" : speaker).padStart(7)} │ ${cut}`;
    });
  });
}
