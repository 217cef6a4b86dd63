/** The guards where a framework drives the loop and sends its whole history with each request. */

import { failureOf } from "./failures.ts";
import * as native from "./native.ts";
import { packed } from "./packed.ts";
import type { Answer, Call, Failure, Placed, Request, Said, Shown, Told, Turn } from "./values.ts";
import { waitFor } from "./wait.ts";

/**
 * The conversations of a framework with its models, any number of them at the same time. A request goes on from an
 * earlier one if it begins with the same messages and the answer. The text of the instructions may be another one, and
 * so may the tools. Any other history is folded from its start. A `Stack` makes them.
 */
export class Conversations {
  readonly #conversations: native.Conversations;

  /** @internal */
  constructor(guards: native.Guards) {
    this.#conversations = new native.Conversations(guards);
  }

  /** The framework is about to send this request. */
  asks(request: Request): Exchange {
    return new Exchange(this.#conversations.asks(packed(request)));
  }
}

/** A request on its way to its answer. Dropped before, it leaves no trace. */
export class Exchange {
  readonly #exchange: native.Exchange;

  /** @internal */
  constructor(exchange: native.Exchange) {
    this.#exchange = exchange;
  }

  /** What to do next. */
  turn(): Turn {
    return this.#exchange.turn();
  }

  /** The model answered. */
  answered(answer: Answer): void {
    this.#exchange.answered(packed(answer));
  }

  /** The attempt failed. */
  failed(failure: Failure): void {
    this.#exchange.failed(packed(failure));
  }

  /** The host has waited so many milliseconds. */
  waited(ms: number): void {
    this.#exchange.waited(ms);
  }
}

/** What the framework gets. */
export interface Driven<Response> {
  /** What its model said last; none if it was not asked. */
  response: Response | undefined;
  /** What stands in its place; `null` if it passes as it came. */
  answer: Shown | null;
}

/** What a framework has beside its model. */
export interface Driving {
  /** Is told of everything that a guard does. What it throws, `drive` throws. */
  onTold?: (told: Told) => void;
  /** Ends a wait, with its reason as the error. */
  signal?: AbortSignal;
}

/**
 * Asks the model until the guards let an answer pass. `ask` sends the messages, `answerOf` says what a response is.
 * Throws the last error of the model if no guard wants to ask it again.
 */
export async function drive<Response>(
  conversations: Conversations,
  request: Request,
  ask: (messages: Placed[]) => PromiseLike<Response>,
  answerOf: (response: Response) => Answer,
  { onTold, signal }: Driving = {},
): Promise<Driven<Response>> {
  const exchange = conversations.asks(request);
  let response: Response | undefined;
  let error: unknown;
  for (;;) {
    const turn = exchange.turn();
    switch (turn.kind) {
      case "send":
        try {
          response = await ask(turn.messages);
          error = undefined;
        } catch (thrown) {
          const failure = failureOf(thrown);
          if (!failure) throw thrown;
          error = thrown;
          exchange.failed(failure);
          break;
        }
        exchange.answered(answerOf(response));
        break;
      case "wait":
        exchange.waited(await waitFor(turn, signal));
        break;
      case "show":
        for (const told of turn.told) onTold?.(told);
        return { response, answer: turn.answer };
      case "failed":
        for (const told of turn.told) onTold?.(told);
        if (error !== undefined) throw error;
        return { response, answer: null };
    }
  }
}

/** A message of a framework: in the form of the guards, and what it is made of in the framework. */
export interface Unit<Own> {
  said: Said;
  own: Own;
}

/** How messages of the guards look in a framework. */
export interface Form<Own> {
  /** A message that the framework does not have. */
  fresh: (said: Said) => Own;
  /** An answer of the model, with more calls after its own. */
  withCalls: (own: Own, calls: Call[]) => Own;
}

/** The messages of a request as the framework's model is to be sent them. */
export function messagesOf<Own>(placed: Placed[], units: Unit<Own>[], form: Form<Own>): Own[] {
  return placed.map((it) => {
    if (it.kind === "new") return form.fresh(it.said);
    const own = units[it.from]!.own;
    return it.calls ? form.withCalls(own, it.calls) : own;
  });
}
