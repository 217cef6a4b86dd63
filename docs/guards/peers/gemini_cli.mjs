// The loop detection of gemini-cli, unchanged, as a guard: `--guard 'exec:node gemini_cli.mjs'`.
//
//     npm install --ignore-scripts @google/gemini-cli-core@0.61.0    # in the folder of this file, or in one above it
//
// What decides is the package's `LoopDetectionService`. This file makes stream events of completions, and does what the
// package's client does with the answers (`core/client.js`): the first detection is told to the model, the second ends
// the turn. The detection by a model, from the 30th turn on, is never asked. A transcript has no pieces of a stream:
// here each line of a text is one.
import { createInterface } from "node:readline";

// What the package prints is not an answer.
console.log = console.info = console.debug = console.error;
const source = "@google/gemini-cli-core/dist/src";
const { GeminiEventType } = await import(`${source}/core/turn.js`);
const { LoopDetectionService } = await import(`${source}/services/loopDetectionService.js`);

// The client's words (`_recoverFromLoop`).
const told = (detail) =>
  `System: Potential loop detected. Details: ${detail}. Please take a step back and confirm you're making forward ` +
  "progress. If not, take a step back, analyze your previous actions and rethink how you're approaching the problem. " +
  "Avoid repeating the same tool calls or responses without new results.";
// No detection is sent to anybody.
const config = { getDisableLoopDetection: () => false, getUsageStatisticsEnabled: () => false };

let service, prompts, found;

function prompt() {
  prompts += 1;
  service.reset(String(prompts));
  found = { count: 0 };
}

function* events({ parts, calls }) {
  for (const { text } of parts)
    for (const value of (text ?? "").match(/[^\n]*\n|[^\n]+/g) ?? []) yield { type: GeminiEventType.Content, value };
  for (const { id, tool, arguments: written } of calls) {
    let args = written;
    try {
      args = JSON.parse(written);
    } catch {} // Text that is no JSON is compared as it is.
    yield { type: GeminiEventType.ToolCallRequest, value: { callId: id, name: tool, args } };
  }
}

function completion(said) {
  found = { count: 0 };
  for (const event of events(said)) {
    found = service.addAndCheck(event);
    if (found.count > 0) break;
  }
  if (found.count > 0) service.clearDetection();
}

function review() {
  const note = { rule: found.type ?? "", text: told(found.detail) };
  if (found.count > 1) return { stop: note };
  return found.count === 1 ? { retry: note } : "pass";
}

for await (const line of createInterface({ input: process.stdin })) {
  const [[kind, body]] = Object.entries(JSON.parse(line));
  let answer;
  if (kind === "hello") answer = { protocol: 1, guard: "gemini-cli", answers: ["review"] };
  else if (kind === "review") answer = { verdict: review() };
  else if (kind === "begin") {
    [service, prompts] = [new LoopDetectionService({ config }), 0];
    prompt();
  } else if (body.entry === "completion") completion(body);
  else if (body.entry === "answer" || (body.entry === "user" && body.from === "user")) prompt();
  if (answer) process.stdout.write(`${JSON.stringify({ [kind]: answer })}\n`);
}
