/**
 * Guards in Claude Code and opencode, with `balk serve` as their model: needs the program in the variable BALK, and in
 * AGENTS the folder of `.ci/install-agents`.
 */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Play, Server } from "../src/served.ts";

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
async function agent(name: string, command: string[], env: Record<string, string>): Promise<string> {
  const bin = join(AGENTS, name, "bin");
  const [program = "", ...words] = command;
  const running = run(join(bin, program), words, {
    cwd: join(folder, "work"),
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, ...env },
  });
  // opencode reads its input to the end.
  running.child.stdin?.end();
  return running.then(
    ({ stdout }) => stdout,
    // One that was stopped says so with its exit code.
    (failed: { stdout: string }) => failed.stdout,
  );
}

const tookTurns = async (play: Play) => (await play.transcript()).filter((it) => it.step === "act");
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
    return agent("claude-code", command, {
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
    expect((await tookTurns(play)).length).toBeGreaterThan(3);
    expect(await words(play)).not.toContain("in this run)");
  });
});

describe.skipIf(!has("opencode"))("opencode", () => {
  const opencode = async (play: Play, task: string) => {
    const config = join(folder, ".config/opencode");
    mkdirSync(join(config, "plugins"), { recursive: true });
    const plugin = join(PACKAGE, "dist/agents/opencode.js");
    writeFileSync(join(config, "plugins/balk.js"), `export { BalkGuards } from ${JSON.stringify(plugin)};\n`);
    const options = { baseURL: play.openaiUrl, apiKey: "x" };
    const scripted = { npm: "@ai-sdk/openai-compatible", name: "scripted", options, models: { m: { name: "m" } } };
    const settings = {
      share: "disabled",
      model: "scripted/m",
      enabled_providers: ["scripted"],
      provider: { scripted },
    };
    writeFileSync(join(config, "opencode.json"), JSON.stringify(settings));
    return agent("opencode", ["opencode", "run", "--auto", task], {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    });
  };

  test("a call that failed again and again is refused, with the reason", async () => {
    const play = await server.play("repeating", 8, join(folder, "work"));
    await opencode(play, "Run npm run build");
    expect(await words(play)).toContain("nothing has changed since (duplicate 1 in this run)");
    // The third time, the user is asked, and the session ends.
    expect((await play.verdict()).identicalCalls).toBe(4);
  });

  test("healthy work is left alone", async () => {
    const play = await server.play("repeating-control", 8, join(folder, "work"));
    await opencode(play, "Run npm run build");
    expect((await tookTurns(play)).length).toBeGreaterThan(3);
    expect(await words(play)).not.toContain("in this run)");
  });
});
