import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { binary, PACKAGE } from "../src/binary.ts";
import { Server } from "../src/served.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "balk-"));
  vi.stubEnv("BALK", undefined);
  vi.stubEnv("PATH", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("the program is looked for in PATH, and the variable comes first", () => {
  expect(binary).toThrow(`expected the program balk in the package ${PACKAGE} or in PATH, found neither`);
  writeFileSync(join(folder, "balk"), "");
  expect(binary()).toBe(join(folder, "balk"));
  vi.stubEnv("BALK", "/elsewhere/balk");
  expect(binary()).toBe("/elsewhere/balk");
});

test("a server that does not start says why", async () => {
  writeFileSync(join(folder, "balk"), "#!/bin/sh\necho 'no scenario is named so' >&2\nexit 2\n");
  chmodSync(join(folder, "balk"), 0o755);
  await expect(Server.start(["so"])).rejects.toThrow(
    /`balk serve --suite so .*did not start:\nno scenario is named so/,
  );
});

test("a server that has ended says so, and is closed at once", async () => {
  const address = "http://127.0.0.1:9/";
  const script = `#!/bin/sh\necho ${address}\necho 'out of luck' >&2\nsleep 0.1\nexit 3\n`;
  writeFileSync(join(folder, "balk"), script);
  chmodSync(join(folder, "balk"), 0o755);
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  const server = await Server.start();
  await expect(server.play("repeating")).rejects.toThrow("`balk serve` has ended (code 3)\nout of luck");
  await server.close();
});

test("a seed that is none is refused", async () => {
  writeFileSync(join(folder, "balk"), "#!/bin/sh\necho http://127.0.0.1:9/\nexec sleep 9\n");
  chmodSync(join(folder, "balk"), 0o755);
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  const server = await Server.start();
  for (const seed of [1.5, -1, Number.NaN, 2 ** 60, "7" as never]) {
    await expect(server.play("repeating", seed)).rejects.toThrow("seed: expected a whole number");
  }
  await server.close();
});

test("each package for a platform names its program, and carries it", () => {
  const program = join(folder, "program");
  writeFileSync(program, "the program");
  const script = join(import.meta.dirname, "../cli/platforms.mjs");
  const make = (...words: string[]) => execFileSync(process.execPath, [script, ...words], { stdio: "pipe" });
  make(folder, `aarch64-apple-darwin=${program}`);
  expect(readFileSync(join(folder, "cli-darwin-arm64/balk"), "utf8")).toBe("the program");
  const made = JSON.parse(readFileSync(join(folder, "cli-win32-x64/package.json"), "utf8"));
  expect(made).toMatchObject({ name: "@balk/cli-win32-x64", os: ["win32"], cpu: ["x64"], files: ["balk.exe"] });
  expect(() => make(folder, `riscv=${program}`)).toThrow("riscv: expected one of");
});
