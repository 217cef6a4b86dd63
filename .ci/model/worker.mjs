// One model in one process with one thread. The server sends a job at a time; the worker sends what the model says.
//
// An answer depends on the request and on nothing else. The result of a batch depends in its last bits on where the
// batch begins and ends, so batches are cut at places that only the conversation decides; what an earlier request left
// in the cache is used up to such a place, and generated tokens never are.
import {createHash} from "node:crypto";
import path from "node:path";
import {pathToFileURL} from "node:url";
import {PERSONAS, Reader, turns} from "./chat.mjs";

const [name, file, modules] = process.argv.slice(2);
const CONTEXT = 8192, BATCH = 256;

const {getLlama} = await import(pathToFileURL(path.join(modules, "node_modules/node-llama-cpp/dist/index.js")));
const llama = await getLlama({gpu: false, build: "never", logLevel: "error", maxThreads: 1});
const model = await llama.loadModel({modelPath: file});
const context = await model.createContext({contextSize: CONTEXT, batchSize: BATCH, threads: 1});
const sequence = context.getSequence();
// What the cache has: the batches that were evaluated, in order.
let cached = [];
let abort;

// The conversation as batches: a turn begins one, and a long turn is several.
function batches(messages, tools) {
    const special = (text) => model.tokenize(text, true);
    // Tags of the template that a message quotes are tokenized as plain text.
    const closed = turns(messages, tools, PERSONAS[name])
        .map((turn) => [...special("<|im_start|>"), ...model.tokenize(turn), ...special("<|im_end|>\n")]);
    return [...closed, special("<|im_start|>assistant\n")].flatMap((turn) => {
        const cut = [];
        for (let at = 0; at < turn.length; at += BATCH) cut.push(turn.slice(at, at + BATCH));
        return cut;
    });
}

const count = (batches) => batches.reduce((sum, batch) => sum + batch.length, 0);
const equal = (one, other) => one.length === other?.length && one.every((token, at) => token === other[at]);

// Brings the cache to these batches; returns how many tokens it had already.
async function remember(batches) {
    let same = 0;
    while (same < batches.length && equal(batches[same], cached[same])) same++;
    cached = cached.slice(0, same);
    const kept = count(cached);
    if (kept === 0) await sequence.clearHistory();
    else await sequence.eraseContextTokenRanges([{start: kept, end: sequence.nextTokenIndex}]);
    for (const batch of batches.slice(same)) {
        if (abort.signal.aborted) break;
        await sequence.evaluateWithoutGeneratingNewTokens(batch);
        cached.push(batch);
    }
    return kept;
}

// Generates up to `most` tokens; returns how many it were, and whether the model came to an end.
async function generate(opened, most, job, reader) {
    const sampling = {temperature: job.temperature, topP: job.topP, topK: 0, minP: 0, seed: job.seed};
    let tokens = 0, before = [], waiting = [];
    if (most === 0) return {tokens, ended: false};
    for await (const token of sequence.evaluate(opened, sampling)) {
        if (abort.signal.aborted) return {tokens, ended: false};
        tokens++;
        waiting.push(token);
        // A character may take several tokens.
        const text = model.detokenize(waiting, true, before);
        if (!text.endsWith("\ufffd") || waiting.length > 3) {
            reader.push(text);
            before = waiting;
            waiting = [];
        }
        if (reader.stopped) return {tokens, ended: true};
        if (tokens === most) return {tokens, ended: false};
    }
    return {tokens, ended: true};
}

async function complete(job) {
    const begun = performance.now();
    const {messages, tools} = JSON.parse(job.prompt);
    const all = batches(messages, tools), prompt = count(all), left = CONTEXT - prompt;
    const most = job.most ?? left;
    if (left < 1 || most > left) {
        const wanted = `${prompt} of the prompt and ${job.most === undefined ? "at least 1" : most} of the answer`;
        return {status: 400, code: "context_length_exceeded", type: "invalid_request_error",
            message: `the context of this model is ${CONTEXT} tokens; the request needs ${wanted}`};
    }
    const id = createHash("sha256").update(JSON.stringify(job)).digest("hex").slice(0, 24);
    process.send({id});
    let calls = 0;
    const reader = new Reader({stops: job.stops, tools: tools.length > 0,
        say: (text) => process.send({text}),
        call: (call) => process.send({call: {id: `call_${id}_${calls++}`, type: "function", function: call}})});
    const opened = all.pop();
    const kept = await remember(all);
    const evaluated = performance.now();
    const {tokens: answer, ended} = await generate(opened, most, job, reader);
    reader.end();
    const finish = !ended ? "length" : calls ? "tool_calls" : "stop";
    const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
    console.error(`prompt of ${prompt} tokens, ${kept} of them cached: ${seconds(begun, evaluated)} s; ` +
        `answer of ${answer}: ${seconds(evaluated, performance.now())} s; ` +
        (abort.signal.aborted ? "the client left" : finish));
    return {finish, usage: {prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer}};
}

process.on("message", async ({job}) => {
    if (!job) return abort?.abort();
    abort = new AbortController();
    try {
        process.send({done: await complete(job)});
    } catch (error) {
        cached = [];
        process.send({done: {status: 500, type: "server_error", code: null, message: String(error)}});
    }
});
process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {}); // The server ends its workers itself.
process.send({ready: true});
