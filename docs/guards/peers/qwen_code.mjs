// The loop detection of qwen-code, unchanged, as a guard: `--guard 'exec:node qwen_code.mjs'`.
//
//     npm install --ignore-scripts --omit=optional @qwen-code/qwen-code@0.24.4    # in this folder, or in one above it
//
// What decides is the package's `LoopDetectionService`, in which the checks that are always on are asked. The package
// is one program in pieces with generated names, and does not export that class: its client has one. This file makes
// stream events of completions, and tells the service the results, as the client does. The tool that runs commands has
// the product's name for it.
import { createInterface } from "node:readline";

// What the package prints is not an answer.
console.log = console.info = console.debug = console.warn = console.error;
// The piece that has `class LoopDetectionService` in 0.24.4.
const { Config } = await import("@qwen-code/qwen-code/chunks/chunk-DPEB6S2R.js");
const SHELL = "run_shell_command";

// Nothing is sent to anybody, and only what is always on counts.
const config = new Config({
  sessionId: "balk",
  targetDir: "/",
  cwd: "/",
  model: "none",
  debugMode: false,
  usageStatisticsEnabled: false,
  skipLoopDetection: true,
});
const LoopDetectionService = config.getLlmClient().getLoopDetectionService().constructor;

let service, prompts, broke;

function prompt() {
  prompts += 1;
  broke = false;
  service.reset(String(prompts));
}

function request({ id, tool, arguments: written }) {
  let args = { "": written }; // Text that is no JSON is compared as it is.
  try {
    args = JSON.parse(written || "{}") ?? {};
  } catch {}
  const name = typeof args.command === "string" ? SHELL : tool;
  return { type: "tool_call_request", value: { callId: id, name, args } };
}

function retry() {
  service.checkAlwaysOnSafeties({ type: "retry" });
  broke = false;
}

function completion({ calls, finish }) {
  for (const call of calls) if (service.checkAlwaysOnSafeties(request(call))) break;
  broke = finish === "error";
  if (!broke) service.checkAlwaysOnSafeties({ type: "finished" });
}

function result({ call, origin, text }) {
  if (origin === "missing") return;
  service.recordToolResultByCallId(call, [{ functionResponse: { id: call, response: { output: text } } }]);
}

function review() {
  if (!service.checkAlwaysOnSafeties({ type: "content" })) return "pass";
  return { stop: { rule: service.getLastLoopType(), text: "Stopped: a potential loop was detected." } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [[kind, body]] = Object.entries(JSON.parse(line));
  let answer;
  if (kind === "hello") answer = { protocol: 1, guard: "qwen-code", answers: ["review"] };
  else if (kind === "review") answer = { verdict: review() };
  else if (kind === "begin") {
    [service, prompts] = [new LoopDetectionService(config), 0];
    prompt();
  } else if (body.entry === "completion") completion(body);
  else if (body.entry === "result") result(body);
  else if (body.entry === "failed" && (broke || body.failure.cause === "empty")) retry();
  else if (body.entry === "answer" || (body.entry === "user" && body.from === "user")) prompt();
  if (answer) process.stdout.write(`${JSON.stringify({ [kind]: answer })}\n`);
}
