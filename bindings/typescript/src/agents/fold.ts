/** The state of guards in an agent that shows its history and asks about each call: folded anew for each question. */

import { type Run, Stack } from "../guards.ts";
import type { Answer, Call, Ran, Step, Told, Tool } from "../values.ts";

/** What happened in an agent. */
export type Happened =
  | { kind: "user"; text: string; /** Whether the agent said it in the user's place. */ byAgent?: boolean }
  | { kind: "answer"; answer: Answer & { calls: Call[] }; /** By the ids of the calls. */ results: Map<string, Ran> };

/** What is to be done about the last answer. */
export type Verdict =
  | { kind: "passes" }
  /** The model is told this: a call is refused, or an answer without a call is not the end. */
  | { kind: "corrected"; text: string }
  /** The user is told this, and the agent stops. */
  | { kind: "stopped"; text: string };

/**
 * Guards are resumed again only once the history is longer by this part of it. All of that together then costs about
 * nine times as much as to read the history once, and the same history always has the same places.
 */
const LONGER = 1 / 8;

/**
 * What guards say to the last answer, which may have no results yet; about one of its calls, or about the answer.
 *
 * Guards decide the same again each time, so what they said before is found anew in the history. Where the history has
 * gone another way (the plug-in was not there yet, or the agent did not listen), they go on from what it shows: at
 * once or, in a long history where that happens often, a little later, and at the last answer in any case.
 */
export function judge(stack: Stack, tools: Tool[], history: Happened[], call?: string): Verdict {
  const seen = history.flatMap((it) => (it.kind === "answer" ? it.answer.calls.map(({ tool }) => tool) : []));
  const others = [...new Set(seen)].filter((name) => tools.every((it) => it.name !== name));
  const offer = { tools: [...tools, ...others.map((name) => ({ name }))] };
  const [first, ...rest] = history;
  if (first?.kind !== "user") return { kind: "passes" };
  const shown = new Stack("none").run(first.text, offer);
  let run: Run | undefined = stack.run(first.text, offer);
  let told: Told[] = [];
  let earliest = 0;
  for (const [at, happened] of rest.entries()) {
    const isLast = happened.kind === "answer" && at === rest.length - 1;
    if (!run && (isLast || at >= earliest)) {
      run = stack.resume(shown.transcript());
      run.news();
      told = [];
      earliest = at + Math.floor(at * LONGER);
    }
    follow(shown, happened, []);
    const follows = run && follow(run, happened, told);
    told = run?.news() ?? [];
    if (run && isLast) return verdict(run, told, happened, call);
    const goesOn = run && follows && (happened.kind === "user" || settle(run, happened, told));
    if (happened.kind === "answer") settle(shown, happened, []);
    if (!goesOn) run = undefined;
  }
  return { kind: "passes" };
}

/** Takes a message; whether it can come here. `told` is what guards said last. */
function follow(run: Run, happened: Happened, told: Told[]): boolean {
  const step = rested(run);
  if (step.kind === "ended" || step.kind === "tools") return false;
  if (happened.kind === "answer") {
    if (step.kind === "user") return false;
    // The agent asks its model again after a message without a call, and only it knows why.
    if (step.kind === "reply") run.said("", false);
    run.completed(happened.answer);
  } else if (step.kind === "user") run.answered(happened.text);
  // What guards said came back as a message of the agent.
  else if (!told.some((it) => happened.text.includes(it.text))) run.said(happened.text, !happened.byAgent);
  return true;
}

/** Gives back what came of the calls; whether those that guards refused were refused. Adds what they say to `told`. */
function settle(run: Run, { answer, results }: Happened & { kind: "answer" }, told: Told[]): boolean {
  const due = run.step();
  const runs = due.kind === "tools" ? due.calls.map((it) => it.id) : [];
  const came = (call: Call): Ran => results.get(call.id) ?? { text: "No result came.", status: "error" };
  for (let step = run.step(); step.kind === "tools"; step = rested(run)) run.executed(step.calls.map(came));
  told.push(...run.news());
  // Where the user was to be asked, the agent may have words of its own for a call that did not run.
  const asks = due.kind === "user";
  const wasRefused = (id: string) => {
    const result = results.get(id);
    return told.some((it) => result?.text.includes(it.text)) || (asks && result?.status !== "unknown");
  };
  return answer.calls.every((it) => runs.includes(it.id) || wasRefused(it.id));
}

/** The next step that is no wait: an agent waits by itself. */
function rested(run: Run): Step {
  for (let step = run.step(); ; step = run.step()) {
    if (step.kind !== "wait") return step;
    run.waited(step.at_least);
  }
}

function verdict(run: Run, told: Told[], { answer }: Happened & { kind: "answer" }, call?: string): Verdict {
  const step = run.step();
  const words = (forUser: boolean) => told.filter((it) => it.for_user === forUser).map((it) => it.text);
  switch (step.kind) {
    case "user": {
      const options = step.options.map((it, at) => `${at + 1}. ${it.label}`);
      const stops = words(true).filter((it) => it !== step.question);
      return { kind: "stopped", text: [...stops, step.question, ...options].join("\n") };
    }
    case "ended":
      return step.end === "finished" ? { kind: "passes" } : { kind: "stopped", text: words(true).join("\n\n") };
    case "tools":
      if (call === undefined || step.calls.some((it) => it.id === call)) return { kind: "passes" };
      // What is said of it comes with the results of the others.
      run.executed(step.calls.map(() => ({ text: "" })));
      told.push(...run.news());
      return { kind: "corrected", text: words(false).join("\n\n") };
    case "model":
      // An empty answer, or one with calls that were all refused.
      return answer.calls.length === 0 && told.length === 0
        ? { kind: "passes" }
        : { kind: "corrected", text: words(false).join("\n\n") };
    case "wait":
    case "reply":
      return { kind: "passes" };
  }
}
