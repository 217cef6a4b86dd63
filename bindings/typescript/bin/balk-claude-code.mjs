#!/usr/bin/env node
// The hook of Claude Code, as `--help` says it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { hook } from "../dist/agents/claude-code.js";
import { Stack } from "../dist/index.js";
import { visible } from "../dist/visible.js";

const HELP = `Guards for Claude Code.

balk-claude-code --settings [GUARDS]   prints the settings that have Claude Code ask this hook
balk-claude-code [GUARDS]              reads the question of a hook from standard input, and prints the answer

GUARDS is default, none, or names of guards with commas between them.`;

try {
  const options = { settings: { type: "boolean" }, help: { type: "boolean", short: "h" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [guards = "default", other] = positionals;
  if (other !== undefined) throw new Error(`expected one word with the names of guards, found \`${other}\` after it`);
  const stack = new Stack(guards);
  if (values.help) console.log(HELP);
  else if (values.settings) console.log(settings(guards));
  else {
    const answer = await hook(question(), stack);
    if (answer) console.log(JSON.stringify(answer));
  }
} catch (why) {
  // Claude Code shows the line and goes on: only code 2 would stop it.
  console.error(`balk-claude-code: ${visible(why.message).split("\n")[0]}`);
  process.exitCode = 1;
}

function settings(guards) {
  const quoted = [process.execPath, fileURLToPath(import.meta.url), guards].map((it) => JSON.stringify(it)).join(" ");
  const hooks = [{ type: "command", command: quoted, timeout: 10 }];
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks }], Stop: [{ hooks }] } }, null, 2);
}

function question() {
  const text = readFileSync(0, "utf8");
  try {
    const asked = JSON.parse(text);
    if (typeof asked?.hook_event_name === "string") return asked;
  } catch {
    // Said below.
  }
  const found = text.trim() ? "something else" : "nothing";
  throw new Error(`expected the JSON of a hook of Claude Code on standard input, found ${found}; see --help`);
}
