#!/usr/bin/env node
// Runs the program `balk` of the package for this platform.

import { spawnSync } from "node:child_process";

import { binary } from "../dist/binary.js";

let program;
try {
  program = binary();
} catch (why) {
  console.error(`balk: ${why.message}`);
  process.exit(127);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) throw error;
if (signal) process.kill(process.pid, signal);
process.exitCode = status ?? 1;
