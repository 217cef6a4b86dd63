// Blocks the third identical call after two with the same result: `--guard 'exec:node third_call.mjs'`.
import { createInterface } from "node:readline";

const text = "This call was made twice, and its result was the same. Read that result, or do something else.";
const note = { rule: "third-call", text };
const spelled = (call) => JSON.stringify([call.tool, call.arguments]);

let [calls, last, times] = [{}, {}, 0];

function review(asked) {
  const blocked = asked.flatMap((it, call) => (times >= 2 && spelled(it) === last.call ? [{ call, note }] : []));
  return { verdict: blocked.length ? { block: blocked } : "pass" };
}

const answers = {
  hello: () => ({ protocol: 1, guard: "third-call", answers: ["review"] }),
  review: ({ completion }) => review(completion.calls),
  begin() {
    [calls, last, times] = [{}, {}, 0];
  },
  observe(entry) {
    const said = entry.completion ?? entry; // A completion, or the repair of one.
    if (entry.entry === "user") this.begin();
    else if (said.calls) calls = Object.fromEntries(said.calls.map((it) => [it.id, spelled(it)]));
    else if (entry.entry === "result" && entry.origin === "executed") {
      const now = { call: calls[entry.call], text: entry.text };
      times = now.call === last.call && now.text === last.text ? times + 1 : 1;
      last = now;
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [[kind, body]] = Object.entries(JSON.parse(line));
  const answer = answers[kind](body);
  if (answer) console.log(JSON.stringify({ [kind]: answer })); // Only questions are answered.
}
