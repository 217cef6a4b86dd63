/** The guards for an agent that has a loop of its own. */

import { text } from "./checked.ts";
import { Conversations } from "./conversations.ts";
import { failureOf } from "./failures.ts";
import * as native from "./native.ts";
import { packed } from "./packed.ts";
import type { Answer, Call, Failure, Limits, Protocol, Ran, Step, Told, Tool } from "./values.ts";
import { waitFor } from "./wait.ts";

/** The form of requests and responses. */
export type Dialect = "openai" | "responses" | "anthropic" | "gemini";

/** The names of the shipped guards, and of stacks of them; several are one text, with commas between them. */
export type GuardName =
  | "default"
  | "none"
  | "repair"
  | "abandonment"
  | "repetition"
  | "no-tools"
  | "duplicate"
  | "empty-completion"
  | "retry-safety"
  | "handoff"
  | "progress"
  | (string & {});

/** The transcript of a run, as plain values. */
export type Transcript = ({ model?: string } & Record<string, unknown>)[];

/**
 * Guards by name: `default`, `none`, or names with commas between them. `settings` has those of each guard that is to
 * have others than its defaults: `{ "no-tools": { limit: 6 } }`.
 */
export class Stack {
  readonly #guards: native.Guards;

  /** Throws for a guard or a setting that there is not. */
  constructor(guards: GuardName = "default", settings: Partial<Record<GuardName, Record<string, unknown>>> = {}) {
    this.#guards = new native.Guards(packed({ guards, settings }));
  }

  /** A new run. */
  run(task: string, begin: { tools?: Tool[]; model?: string; protocol?: Protocol; limits?: Limits } = {}): Run {
    return new Run(new native.Run(this.#guards, packed({ task, ...begin })), begin.model ?? "");
  }

  /** A run that goes on where `Run.transcript` was taken. */
  resume(transcript: Transcript, limits: Limits = {}): Run {
    // The transcript will be packed in the same place.
    const bounds = packed(limits).slice();
    return new Run(native.Run.resume(this.#guards, packed(transcript), bounds), transcript[0]?.model ?? "");
  }

  /** The conversations of a framework with its models. */
  conversations(): Conversations {
    return new Conversations(this.#guards);
  }
}

/**
 * A run of an agent, step by step, without any input or output of its own.
 *
 * `step` says what to do; each answer to it is one call: `completed` or `responded` or `failed`, `executed`, `answered`
 * or `unanswered`, `waited`, `said` or `end`. A `Stack` makes runs.
 */
export class Run {
  readonly #run: native.Run;
  readonly #model: string;

  /** @internal */
  constructor(run: native.Run, model: string) {
    this.#run = run;
    this.#model = model;
  }

  /** What to do next. It does not change until something is given back. */
  step(): Step {
    return this.#run.step();
  }

  /** The body of the next request to the model. */
  request(dialect: Dialect = "openai", system?: string): Record<string, unknown> {
    const instructions = system === undefined ? undefined : text("system", system);
    return JSON.parse(this.#run.request(text("dialect", dialect), text("model", this.#model), instructions));
  }

  /** The model answered. */
  completed(answer: Answer): void {
    this.#run.completed(packed(answer));
  }

  /** The model answered with this body of a provider. */
  responded(response: unknown, dialect: Dialect = "openai"): void {
    this.#run.responded(text("dialect", dialect), packed(text("response", JSON.stringify(response))));
  }

  /** The attempt failed. An error that is no failure of a provider or a network is thrown again. */
  failed(error: unknown): void {
    const failure: Failure | undefined = failureOf(error);
    if (!failure) throw error;
    this.#run.failed(packed(failure));
  }

  /** The calls ran: one result each, in order. `finished` says that one of them ended the task. */
  executed(results: Ran[], finished = false): void {
    this.#run.executed(packed(results), finished);
  }

  /** The user answered a question: an option by its number or its label, or any words. */
  answered(words: string): void {
    this.#run.answered(packed(text("answered", words)));
  }

  /** The question cannot be answered, since there is no user: the run ends. */
  unanswered(): void {
    this.#run.unanswered();
  }

  /** The agent has waited so many milliseconds. */
  waited(ms: number): void {
    this.#run.waited(ms);
  }

  /** The user spoke; or, if not `byUser`, the agent's own loop in the user's role. */
  said(words: string, byUser = true): void {
    this.#run.said(packed(text("said", words)), byUser);
  }

  /** The agent ends the run. */
  end(): void {
    this.#run.end();
  }

  /** What guards did since the last call. */
  news(): Told[] {
    return this.#run.news();
  }

  /** Everything that was committed, for `Stack.resume` and for the records of `balk replay`. */
  transcript(): Transcript {
    return this.#run.transcript();
  }

  /** Plays the run to its end, and returns how it ended. The calls of a step run one after another. */
  async play(host: Host): Promise<Step & { kind: "ended" }> {
    const { dialect = "openai", system, signal } = host;
    for (;;) {
      signal?.throwIfAborted();
      const step = this.step();
      switch (step.kind) {
        case "model": {
          let response: unknown;
          try {
            response = await host.ask(this.request(dialect, system), signal);
          } catch (error) {
            signal?.throwIfAborted();
            this.failed(error);
            break;
          }
          this.responded(response, dialect);
          break;
        }
        case "tools": {
          const results: Ran[] = [];
          let hasFinished = false;
          for (const call of step.calls) {
            const { finished = false, ...result } = await ran(host, call);
            results.push(result);
            hasFinished ||= finished;
          }
          this.executed(results, hasFinished);
          break;
        }
        case "user": {
          const said = (await host.user?.(step)) ?? undefined;
          if (said === undefined) this.unanswered();
          else this.answered(said);
          break;
        }
        case "wait":
          this.waited(await waitFor(step, signal));
          break;
        case "reply":
          this.end();
          break;
        case "ended":
          return step;
      }
    }
  }
}

/** What came of a call; a tool that throws has failed. */
async function ran(host: Host, call: Call): Promise<Done> {
  try {
    return await host.call(call);
  } catch (error) {
    host.signal?.throwIfAborted();
    return { text: error instanceof Error ? error.message : String(error), status: "error" };
  }
}

/** What came of a call in a run that is played. */
export interface Done extends Ran {
  /** Whether it ended the task, as a tool of the purpose `finish` does. */
  finished?: boolean;
}

/** What an agent does in a run that is played. */
export interface Host {
  /** Sends a request and returns the response. `any`, because each client has a type of its own for it. */
  ask: (request: any, signal?: AbortSignal) => unknown;
  /** Runs a call. What it throws is its result, as an error. */
  call: (call: Call) => Awaitable<Done>;
  /** Answers a question; nothing if nobody can. */
  user?: (question: Step & { kind: "user" }) => Awaitable<string | null | undefined | void>;
  dialect?: Dialect;
  /** The instructions to the model. */
  system?: string;
  /** Ends the run before its next step, or in a wait, with its reason as the error. */
  signal?: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;
