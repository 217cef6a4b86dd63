/** A model that balks on purpose, for tests: `balk serve` as a child process, and conversations with it. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { dirname, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import { binary } from "./binary.ts";
import { said } from "./checked.ts";
import { visible } from "./visible.ts";

/** The seed of a conversation that names none, as for the commands of `balk`. */
export const SEED = 1024;

/** How many requests a conversation may have. The next one is refused with status 403, which no SDK sends again. */
const REQUESTS_MAX = 100;

/** How many lines of what the server wrote are said if it has ended. */
const LAST_LINES = 5;

/** What came of a conversation, as far as the server knows it. */
export interface Verdict {
  /** Whether the task is done, in the scenario's own world. */
  reached: boolean;
  /** Whether the model was stuck in at least one turn. */
  stuck: boolean;
  /** Whether the model was stuck, and the task is done all the same. */
  recovered: boolean;
  /** Whether the agent told its user that the task is not done. */
  userWasTold: boolean;
  /** The line with which it did. */
  told: string | null;
  /** The largest number of turns in a row with the same calls. */
  identicalCalls: number;
  /** How often the agent said something to the model of its own accord. */
  interventions: number;
  /** How many requests the agent sent. */
  requests: number;
}

/** A step of a conversation: what happened, with the hidden truth of each act of the model. */
export type Happening = { step: string } & Record<string, unknown>;

/** A tool for the task, as OpenAI chat wants it. */
export interface OfferedTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** The verdict in the words of the server. */
interface Judged extends Pick<Verdict, "stuck" | "recovered" | "told" | "interventions" | "requests"> {
  goal: boolean;
  identical_calls: number;
}

interface Task {
  scenario: string;
  title: string;
  seed: string;
  task: string;
  files: Record<string, string>;
  tools: OfferedTool["function"][];
}

/** A scenario that is played to an agent: one conversation with the server. */
export class Play {
  /** The base URL for the SDKs of Anthropic and Gemini. */
  readonly url: string;
  /** The base URL for the SDKs of OpenAI. */
  readonly openaiUrl: string;
  readonly scenario: string;
  readonly title: string;
  readonly seed: number;
  /** What the user says first. */
  readonly task: string;
  /** The files of the task, by their paths. */
  readonly files: Record<string, string>;
  /** Tools for the task. `call` answers for them. None of them ends the task: words do. */
  readonly tools: OfferedTool[];

  readonly #server: Server;

  private constructor(server: Server, url: string, begun: Task) {
    this.#server = server;
    this.url = url;
    this.openaiUrl = `${url}/v1`;
    this.scenario = begun.scenario;
    this.title = begun.title;
    this.seed = Number(begun.seed);
    this.task = begun.task;
    this.files = begun.files;
    this.tools = begun.tools.map((it) => ({ type: "function", function: it }));
  }

  /** @internal Begins a conversation. `folder` gets the files of the task. */
  static async begin(server: Server, url: string, folder?: string): Promise<Play> {
    const begins = JSON.stringify(folder ? { workspace: folder } : {});
    const answer = await server.ask(url, "begin", begins);
    const task = (await answer.json()) as Task;
    for (const [name, text] of Object.entries(folder ? task.files : {})) {
      const file = resolve(folder!, name);
      // A scenario may have files outside of the folder, such as /etc/hosts.
      if (relative(folder!, file).startsWith("..")) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return new Play(server, url, task);
  }

  /** What a call of the model answers in the scenario's world, as the text of its result. */
  async call(tool: string, args: string | Record<string, unknown>): Promise<string> {
    const asked = JSON.stringify({ tool, arguments: args });
    return (await this.#ask<{ text: string }>("call", asked)).text;
  }

  /** What the user says if the agent ends its work now; `null` if they have nothing more to say. */
  async reply(): Promise<string | null> {
    return (await this.#ask<{ reply: string | null }>("reply")).reply;
  }

  /** Says what the agent told its user last. Without it, the model's last words count as shown. */
  async said(text: string): Promise<void> {
    await this.#ask("said", text);
  }

  /** What came of it so far. */
  async verdict(): Promise<Verdict> {
    const it = await this.#ask<Judged>("verdict");
    return {
      reached: it.goal,
      stuck: it.stuck,
      recovered: it.recovered,
      userWasTold: it.told !== null,
      told: it.told,
      identicalCalls: it.identical_calls,
      interventions: it.interventions,
      requests: it.requests,
    };
  }

  /** What happened so far, step by step. */
  async transcript(): Promise<Happening[]> {
    const answer = await this.#server.ask(this.url, "transcript");
    const lines = (await answer.text()).split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Happening);
  }

  async #ask<Answer>(what: string, body?: string): Promise<Answer> {
    return (await this.#server.ask(this.url, what, body)).json() as Answer;
  }
}

/** `balk serve` with many scenarios, until it is closed. */
export class Server {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  /** What it wrote to standard error. */
  #wrote = "";
  #url = "";
  #conversations = 0;

  private constructor(process: ChildProcess) {
    this.#process = process;
    this.#closed = once(process, "close");
    process.stderr?.on("data", (it) => {
      this.#wrote += it;
    });
  }

  /** `suite` has names of scenarios, files of scenarios, and words such as `all`, `stubborn` and `drawn`. */
  static async start(suite: string[] = ["all"]): Promise<Server> {
    // The server ends with this process, even if it is killed: then its input ends.
    const bounds = ["--max-requests", String(REQUESTS_MAX), "--until-input-ends"];
    const words = ["serve", "--suite", suite.join(","), ...bounds];
    const child = spawn(binary(), words, { stdio: ["pipe", "pipe", "pipe"] });
    const server = new Server(child);
    const line = once(createInterface(child.stdout), "line");
    const first = await Promise.race([line, server.#closed.then(() => undefined)]);
    if (!first) throw new Error(visible(`\`balk ${words.join(" ")}\` did not start:\n${server.#wrote.trim()}`));
    server.#url = String(first[0]);
    return server;
  }

  /** Begins a conversation in which this scenario is played, with a world that the seed draws. */
  async play(scenario: string, seed = SEED, folder?: string): Promise<Play> {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      throw new RangeError(`seed: expected a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, found ${said(seed)}`);
    }
    this.#conversations += 1;
    const name = `${encodeURIComponent(scenario)}:${seed}:${this.#conversations}`;
    return Play.begin(this, `${this.#url}/c/${name}`, folder);
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.#process.kill();
    await this.#closed;
  }

  /** @internal The answer to a question about a conversation. */
  async ask(url: string, what: string, body?: string): Promise<Response> {
    const answer = await sent(`${url}/_balk/${what}`, body).catch(async (cause: unknown) => {
      throw new Error(visible(await this.#silence()), { cause });
    });
    if (answer.ok) return answer;
    const { error } = (await answer.json()) as { error: string | { message: string } };
    throw new Error(visible(typeof error === "string" ? error : error.message));
  }

  /** Why no answer came. */
  async #silence(): Promise<string> {
    // Its end may be known a little later.
    await Promise.race([this.#closed, sleep(1000, undefined, { ref: false })]);
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) return "`balk serve` does not answer";
    const how = signalCode ? `signal ${signalCode}` : `code ${exitCode}`;
    return [`\`balk serve\` has ended (${how})`, ...this.#wrote.trim().split("\n").slice(-LAST_LINES)].join("\n");
  }
}

/** The answer to a request that goes past a proxy of the environment, with which Node.js may send what it fetches. */
async function sent(url: string, body?: string): Promise<Response> {
  // An agent of its own knows no proxy.
  const asked = request(url, { method: body === undefined ? "GET" : "POST", agent: false });
  const answered = once(asked, "response") as Promise<[IncomingMessage]>;
  // The server may answer and hang up before it has read the body.
  asked.on("error", () => {}).end(body);
  const [came] = await answered;
  return new Response(await text(came), { status: came.statusCode });
}

/** The variables by which the SDKs of OpenAI, Anthropic and Google, and what is built on them, find the model. */
export function environment(play: Play): Record<string, string> {
  return {
    OPENAI_BASE_URL: play.openaiUrl,
    OPENAI_API_KEY: "balk",
    ANTHROPIC_BASE_URL: play.url,
    ANTHROPIC_API_KEY: "balk",
    GOOGLE_GEMINI_BASE_URL: play.url,
    GEMINI_API_KEY: "balk",
    GOOGLE_API_KEY: "balk",
    // A proxy of this machine does not know the server.
    NO_PROXY: "127.0.0.1",
    no_proxy: "127.0.0.1",
  };
}
