/**
 * Guards in Claude Code and opencode, with `balk serve` as their model: needs the program in the variable BALK, and in
 * AGENTS the folder of `.ci/install-agents`.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Play, Server } from "../src/served.ts";
import { example } from "./document.ts";

const { AGENTS = "", BALK } = process.env;
const has = (agent: string) => Boolean(BALK) && existsSync(join(AGENTS, agent, "bin"));
const PACKAGE = join(import.meta.dirname, "..");
const run = promisify(execFile);

let server: Server;
let folder: string;
beforeAll(async () => {
  if (BALK) server = await Server.start();
});
afterAll(() => server?.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "balk-"));
  mkdirSync(join(folder, "work"));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** What the program of an agent prints, in a home and a folder of its own. */
async function agent(name: string, command: string[], home: string, env: Record<string, string>): Promise<string> {
  const bin = join(AGENTS, name, "bin");
  const [program = "", ...words] = command;
  const running = run(join(bin, program), words, {
    cwd: join(folder, "work"),
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, ...env },
  });
  // opencode reads its input to the end.
  running.child.stdin?.end();
  return running.then(
    ({ stdout }) => stdout,
    // One that was stopped says so with its exit code.
    (failed: { stdout: string }) => failed.stdout,
  );
}

/** The address that a server prints. */
function listening(output: Readable): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    output.on("data", (it) => {
      said += it;
      const [url] = said.match(/http:\/\/127\.0\.0\.1:\d+/) ?? [];
      if (url) resolve(url);
    });
  });
}

const words = async (play: Play) => {
  const steps = (await play.transcript()).filter((it) => it.step === "intervention" || it.step === "result");
  return JSON.stringify(steps);
};

describe.skipIf(!has("claude-code"))("Claude Code", () => {
  const claude = async (play: Play, task: string, turns: number) => {
    const settings = join(folder, "balk.json");
    const { stdout } = await run(process.execPath, [join(PACKAGE, "bin/balk-claude-code.mjs"), "--settings"]);
    writeFileSync(settings, stdout);
    const model = ["--model", "claude-sonnet-4-5", "--permission-mode", "bypassPermissions"];
    const command = ["claude", "-p", task, ...model, "--settings", settings, "--max-turns", String(turns)];
    return agent("claude-code", command, folder, {
      ANTHROPIC_BASE_URL: play.url,
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    });
  };

  test("an announced call is asked for, and made", async () => {
    const play = await server.play("probe-listing", 8, join(folder, "work"));
    expect(await claude(play, play.task, 6)).toContain("main.lua");
    expect(await words(play)).toContain("calls no tool, so nothing was done");
    expect((await play.verdict()).reached).toBe(true);
  });

  test("a call that failed again and again is refused, with the reason", async () => {
    const play = await server.play("repeating", 8, join(folder, "work"));
    await claude(play, "Run npm run build", 12);
    expect(await words(play)).toContain("nothing has changed since (duplicate 1 in this run)");
    // The third time, the user is asked, and the turn ends.
    expect((await play.verdict()).identicalCalls).toBe(4);
  });

  test("healthy work is left alone", async () => {
    const play = await server.play("repeating-control", 8, join(folder, "work"));
    await claude(play, "Run npm run build", 12);
    expect((await play.transcript()).filter((it) => it.step === "act").length).toBeGreaterThan(3);
    expect(await words(play)).not.toContain("in this run)");
  });
});

describe.skipIf(!has("opencode"))("opencode", () => {
  // It installs packages into a home that is new, so one serves all tests.
  const home = mkdtempSync(join(tmpdir(), "balk-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const env = {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
  const config = join(home, ".config/opencode");
  beforeAll(async () => {
    await run("npm", ["pack", "--pack-destination", home], { cwd: PACKAGE });
    const lines = example("opencode").replace("PATH-TO-CHECKOUT/bindings/typescript", home);
    await run("sh", ["-ec", lines], { env: { ...process.env, HOME: home } });
  });
  const configure = (play: Play) => {
    const options = { baseURL: play.openaiUrl, apiKey: "x" };
    const scripted = { npm: "@ai-sdk/openai-compatible", name: "scripted", options, models: { m: { name: "m" } } };
    const settings = {
      share: "disabled",
      model: "scripted/m",
      enabled_providers: ["scripted"],
      provider: { scripted },
    };
    writeFileSync(join(config, "opencode.json"), JSON.stringify(settings));
  };
  const opencode = (play: Play, task: string) => {
    configure(play);
    return agent("opencode", ["opencode", "run", "--auto", task], home, env);
  };

  test("an announced call is asked for, and made", async () => {
    const play = await server.play("probe-listing", 8, join(folder, "work"));
    configure(play);
    const bin = join(AGENTS, "opencode/bin");
    const running = spawn(join(bin, "opencode"), ["serve", "--port", "0"], {
      cwd: join(folder, "work"),
      env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home, ...env },
    });
    try {
      const url = await listening(running.stdout);
      const ask = async (path: string, body: object) => {
        const headers = { "content-type": "application/json" };
        return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
      };
      const { id } = (await ask("/session", {})) as { id: string };
      await ask(`/session/${id}/message`, { parts: [{ type: "text", text: play.task }] });
      await expect.poll(async () => (await play.verdict()).recovered, { timeout: 20_000 }).toBe(true);
      expect(await words(play)).toContain("calls no tool, so nothing was done");
    } finally {
      running.kill();
      await once(running, "close");
    }
  });

  test("a call that failed again and again is refused, with the reason", async () => {
    const play = await server.play("repeating", 8, join(folder, "work"));
    await opencode(play, "Run npm run build");
    expect(await words(play)).toContain("nothing has changed since (duplicate 1 in this run)");
    // The third time, the user is asked, and the session ends.
    expect((await play.verdict()).identicalCalls).toBe(4);
  });

  test("healthy work is left alone", async () => {
    const play = await server.play("repeating-control", 8, join(folder, "work"));
    // A build that fails and succeeds as the scenario says.
    const scripts = { build: "cat config/build.json" };
    writeFileSync(join(folder, "work/package.json"), JSON.stringify({ scripts }));
    await opencode(play, "Run npm run build");
    expect((await play.verdict()).reached).toBe(true);
    expect(await words(play)).not.toContain("in this run)");
  });

  test("guards are named in a file of one's own", async () => {
    writeFileSync(join(config, "plugins/balk.js"), example("balk.js"));
    const play = await server.play("repeating", 8, join(folder, "work"));
    await opencode(play, "Run npm run build");
    expect(await words(play)).toContain("nothing has changed since (duplicate 1 in this run)");
  });
});
