// What a turn with guards costs from JavaScript, beside the same turn in Rust: `node benches/turns.mjs PROGRAM`.
//
// PROGRAM is the example `guard_turns` of the crate `balk-host`, which plays the same turns. Needs `npm run build`.

import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Stack } from "../dist/index.js";

const [program] = process.argv.slice(2);
const SIZES = [
  [2048, 2000],
  [50 * 1024, 200],
];

function argumentsOf(turn, size) {
  const lines = Array(Math.floor(size / 33) + 1).fill(`line ${turn} of a program that grows`);
  const content = lines.join("\\n").slice(0, size).replace(/\\+$/, "");
  return `{"path":"src/part${turn}.py","content":"${content}"}`;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Nanoseconds a turn. The runs before it are freed, so that all but the first have memory that was used before. */
async function played(written) {
  collect();
  await setTimeout(10);
  const run = new Stack().run("Write the files.", { tools: [{ name: "write_file", effect: "write" }], model: "m" });
  const began = process.hrtime.bigint();
  for (const [turn, text] of written.entries()) {
    run.completed({ calls: [{ id: String(turn), tool: "write_file", arguments: text }], finish: "tool_call" });
    if (run.step().kind !== "tools") throw new Error("expected a call that runs");
    run.executed([{ text: "written", status: "ok" }]);
  }
  run.news();
  return Number(process.hrtime.bigint() - began) / written.length;
}

async function fastest(times, time) {
  const all = [];
  for (let nth = 0; nth < times; nth += 1) all.push(await time());
  return Math.min(...all);
}

console.log("| bytes of a turn | JavaScript, ns | Rust, ns | of it |");
console.log("|--:|--:|--:|--:|");
for (const [size, turns] of SIZES) {
  const written = Array.from({ length: turns }, (_, turn) => argumentsOf(turn, size));
  const own = await fastest(25, () => played(written));
  const words = [String(size), String(turns)];
  const rust = await fastest(3, () => Number(execFileSync(program, words, { encoding: "utf8" })));
  console.log(`| ${size} | ${own.toFixed(0)} | ${rust} | ${(own / rust).toFixed(2)} |`);
}
