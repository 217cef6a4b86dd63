/**
 * Tests of agents with a model that balks:
 *
 * ```ts
 * import { test } from "@balk/guards/vitest";
 * import { expect } from "vitest";
 *
 * test("a repeated call", async ({ balk }) => {
 *   const play = await balk.play("repeating", { seed: 7 });
 *   await balk.said(await myAgent(play.task, toolsOf(play)));
 *   const { recovered, userWasTold, identicalCalls } = await balk.verdict();
 *   expect(recovered || userWasTold).toBe(true);
 *   expect(identicalCalls).toBeLessThanOrEqual(5);
 * });
 * ```
 *
 * A test that fails shows what was played.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { test as base } from "vitest";

import { members } from "./checked.ts";
import { environment as variables, type Happening, type Play, SEED, Server, type Verdict } from "./served.ts";
import { shown } from "./shown.ts";
import { visible } from "./visible.ts";

/** How a scenario is played. */
export interface Playing {
  /** What its world is drawn from. */
  seed?: number;
  /** Whether the variables of the SDKs point at the play. Else the test gives its `openaiUrl` or `url` to a client. */
  environment?: boolean;
}

/** The variables are those of the whole process, so one test has them at a time: whose they are, and as they were. */
let pointed: { by: Balk; before: NodeJS.ProcessEnv } | undefined;

/** What a test asks about the scenario that is played to its agent: everything but `play` is about the last one. */
export class Balk {
  readonly plays: Play[] = [];
  readonly #server: Server;
  readonly #folders: string[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Plays a scenario in a conversation of its own, and points the SDKs at it by their variables. Clients that were made
   * before still talk to where they were pointed. `folder` of a play has the files of its task.
   *
   * Throws if the variables point at the play of another test that runs at the same time.
   */
  async play(scenario: string, playing: Playing = {}): Promise<Play & { folder: string }> {
    members("balk.play", playing, ["seed", "environment"]);
    const { seed = SEED, environment = true } = playing;
    if (environment) this.#take();
    const folder = mkdtempSync(join(tmpdir(), "balk-"));
    this.#folders.push(folder);
    const play = Object.assign(await this.#server.play(scenario, seed, folder), { folder });
    this.plays.push(play);
    if (environment) Object.assign(process.env, variables(play));
    return play;
  }

  /** Has the variables from now on. */
  #take(): void {
    if (pointed && pointed.by !== this) {
      throw new Error(
        "balk.play: expected no other test with a play at the same time, found one: the variables of the SDKs can " +
          "point at one play only. Run the tests one after another, or play with `{ environment: false }` and give " +
          "`play.openaiUrl` or `play.url` to the client",
      );
    }
    pointed ??= { by: this, before: { ...process.env } };
  }

  /** Says what the agent told its user at the end. Without it, the model's last words count as shown. */
  said(text: string): Promise<void> {
    return this.#last.said(text);
  }

  /** What came of it. */
  verdict(): Promise<Verdict> {
    return this.#last.verdict();
  }

  /** What happened, step by step, with the hidden truth of each act of the model. */
  transcript(): Promise<Happening[]> {
    return this.#last.transcript();
  }

  /** What was played, as text. */
  async shown(): Promise<string> {
    const plays = this.plays.map(async (it) => {
      const head = `balk played ${visible(it.scenario)}, seed ${it.seed}`;
      return `${head}\n${shown(await it.verdict(), await it.transcript())}`;
    });
    return (await Promise.all(plays)).join("\n\n");
  }

  /** The variables and the disk as they were before. */
  restore(): void {
    if (pointed?.by === this) {
      const { before } = pointed;
      for (const name of this.plays.flatMap((it) => Object.keys(variables(it)))) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      pointed = undefined;
    }
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  get #last(): Play {
    const last = this.plays.at(-1);
    if (!last) throw new Error("expected `await balk.play(…)` before it");
    return last;
  }
}

/** `test` of vitest, with `balk`: one server a worker, a conversation a play. */
export const test = base.extend<{ balk: Balk; balkServer: Server }>({
  balkServer: [
    async ({}, use) => {
      const server = await Server.start(process.env.BALK_SUITE?.split(","));
      await use(server);
      await server.close();
    },
    { scope: "worker" },
  ],
  balk: async ({ balkServer, task }, use) => {
    const balk = new Balk(balkServer);
    try {
      await use(balk);
      const [error] = task.result?.errors ?? [];
      // That nothing can be shown is not to hide the error.
      const shown = (why: Error) => `what was played cannot be shown: ${why.message}`;
      if (error && balk.plays.length > 0) error.message += `\n\n${await balk.shown().catch(shown)}`;
    } finally {
      balk.restore();
    }
  },
});
