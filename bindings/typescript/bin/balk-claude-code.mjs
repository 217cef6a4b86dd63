#!/usr/bin/env node
// The hook of Claude Code: `balk-claude-code [GUARDS]` reads a question from standard input and prints the answer;
// `balk-claude-code --settings [GUARDS]` prints the settings that have Claude Code ask it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { hook } from "../dist/agents/claude-code.js";
import { Stack } from "../dist/index.js";

const words = process.argv.slice(2);
const guards = words.find((it) => it !== "--settings") ?? "default";
const stack = new Stack(guards);
if (words.includes("--settings")) {
  const quoted = [process.execPath, fileURLToPath(import.meta.url), guards].map((it) => JSON.stringify(it)).join(" ");
  const hooks = [{ type: "command", command: quoted, timeout: 10 }];
  console.log(JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks }], Stop: [{ hooks }] } }, null, 2));
} else {
  const answer = await hook(JSON.parse(readFileSync(0, "utf8")), stack);
  if (answer) console.log(JSON.stringify(answer));
}
