// POST /v1/chat/completions and GET /v1/models on loopback, over workers that answer one request each at a time.
// `.ci/model-server` starts it: node server.mjs NAME GGUF MODULES PORT PROCESSES
//
// Equal requests get equal bytes: ids are made from the request, `created` is 0, and a request without a seed has
// seed 0. Not supported, and refused: `n` above 1, and a `tool_choice` that forces a call.
import {fork} from "node:child_process";
import {createHash} from "node:crypto";
import http from "node:http";
import path from "node:path";
import {fileURLToPath} from "node:url";

const [name, file, modules, port, processes] = process.argv.slice(2);
const BODY_BYTES_MAX = 4 << 20;
// What a request without these settings gets: what each model's publisher recommends (its card and
// `generation_config.json` on Hugging Face), as other servers do. At temperature 1 both models write nonsense.
const {temperature, topP} = {
    "smollm2": {temperature: 0.2, topP: 0.9},
    "qwen2.5-coder": {temperature: 0.7, topP: 0.8},
}[name];
const fingerprint = `${path.basename(modules)} ${path.basename(file)}`;

class Refusal extends Error {
    constructor(status, message, code = null, type = "invalid_request_error") {
        super(message);
        Object.assign(this, {status, code, type});
    }
}

// ---- Requests

function need(fits, place, expected, found) {
    if (!fits) throw new Refusal(400, `${place}: expected ${expected}, found ${JSON.stringify(found)?.slice(0, 80)}`);
}

const isObject = (it) => typeof it === "object" && it !== null && !Array.isArray(it);
const isText = (it) => typeof it === "string";
const isContent = (it) => it == null || isText(it) ||
    Array.isArray(it) && it.every((part) => isObject(part) && part.type === "text" && isText(part.text));

function checkMessage(message, at) {
    const roles = ["system", "developer", "user", "assistant", "tool"];
    need(isObject(message), `messages[${at}]`, "an object", message);
    need(roles.includes(message.role), `messages[${at}].role`, `one of ${roles.join(", ")}`, message.role);
    need(isContent(message.content), `messages[${at}].content`, "text, parts of text, or null", message.content);
    const calls = message.tool_calls ?? [];
    const isCall = (it) => isObject(it?.function) && isText(it.function.name) && isText(it.function.arguments);
    need(Array.isArray(calls) && calls.every(isCall), `messages[${at}].tool_calls`,
        "a list of functions with name and arguments", calls);
}

function number(request, place, otherwise, lowest, highest, whole = false) {
    const found = request[place] ?? otherwise;
    if (found === undefined) return undefined;
    const kind = whole ? Number.isInteger(found) : typeof found === "number";
    const fits = kind && found >= lowest && found <= highest;
    need(fits, place, `${whole ? "a whole number" : "a number"} from ${lowest} to ${highest}`, found);
    return found;
}

// llama.cpp takes seeds of 32 bits, the highest of which asks for a random one.
function seedOf(request) {
    const seed = number(request, "seed", 0, -(2 ** 64), 2 ** 64, true);
    return createHash("sha256").update(String(seed)).digest().readUInt32LE() >>> 1;
}

// What a worker needs of a request, and how the answer is sent.
function jobOf(body) {
    let request;
    try {
        request = JSON.parse(body);
    } catch (error) {
        throw new Refusal(400, `the body is no JSON: ${error.message}`);
    }
    need(isObject(request), "the body", "an object", request);
    const {model, messages} = request;
    const tools = request.tools ?? [], choice = request.tool_choice ?? "auto";
    need(isText(model), "model", "text", model);
    if (model !== name) throw new Refusal(404, `the model is "${name}", not "${model}"`, "model_not_found");
    need(Array.isArray(messages) && messages.length > 0, "messages", "a list that is not empty", messages);
    messages.forEach(checkMessage);
    const functions = Array.isArray(tools) && tools.every((tool) => isText(tool?.function?.name));
    need(functions, "tools", "a list of functions", tools);
    need(choice === "auto" || choice === "none", "tool_choice", '"auto" or "none"', choice);
    need((request.n ?? 1) === 1, "n", "1", request.n);
    const stops = [request.stop ?? []].flat();
    need(stops.every((stop) => isText(stop) && stop !== ""), "stop", "text or a list of texts", request.stop);
    const most = request.max_tokens == null ? "max_completion_tokens" : "max_tokens";
    return {
        prompt: JSON.stringify({tools: choice === "none" ? [] : tools, messages}),
        temperature: number(request, "temperature", temperature, 0, 2),
        topP: number(request, "top_p", topP, 0, 1),
        seed: seedOf(request),
        most: number(request, most, undefined, 1, 1e9, true),
        stops,
        streamed: request.stream === true,
        withUsage: request.stream_options?.include_usage === true,
    };
}

// ---- Answers

function sendJson(response, status, value) {
    response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(value));
}

function refuse(response, {status = 500, message, code = null, type = "server_error"}) {
    const error = {error: {message, type, param: null, code}};
    if (response.headersSent) response.end(`data: ${JSON.stringify(error)}\n\n`);
    else sendJson(response, status, error);
}

// An answer that is sent when it is whole.
class Whole {
    constructor(response) {
        Object.assign(this, {response, said: "", calls: []});
    }
    id(id) {
        this.head = {id: `chatcmpl-${id}`, object: "chat.completion", created: 0, model: name,
            system_fingerprint: fingerprint};
    }
    text(text) {
        this.said += text;
    }
    call(call) {
        this.calls.push(call);
    }
    end({finish, usage}) {
        const message = {role: "assistant", content: this.said || (this.calls.length ? null : "")};
        if (this.calls.length) message.tool_calls = this.calls;
        sendJson(this.response, 200, {...this.head, choices: [{index: 0, message, finish_reason: finish}], usage});
    }
}

// An answer that is sent as it grows, as server-sent events.
class Streamed {
    constructor(response, withUsage) {
        Object.assign(this, {response, withUsage, calls: 0});
    }
    #send(choices, more = {}) {
        const chunk = {...this.head, choices, ...more};
        this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    #delta(delta, finish = null) {
        this.#send([{index: 0, delta, finish_reason: finish}]);
    }
    id(id) {
        this.head = {id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 0, model: name,
            system_fingerprint: fingerprint};
        this.response.writeHead(200, {"content-type": "text/event-stream", "cache-control": "no-cache"});
        this.#delta({role: "assistant", content: ""});
    }
    text(text) {
        this.#delta({content: text});
    }
    call(call) {
        this.#delta({tool_calls: [{index: this.calls++, ...call}]});
    }
    end({finish, usage}) {
        this.#delta({}, finish);
        if (this.withUsage) this.#send([], {usage});
        this.response.end("data: [DONE]\n\n");
    }
}

// ---- Workers

const waiting = [];
const workers = Array.from({length: +processes}, () => {
    const child = fork(fileURLToPath(new URL("worker.mjs", import.meta.url)), [name, file, modules]);
    return {child, task: undefined, prompt: ""};
});

function common(one, other) {
    let at = 0;
    while (at < one.length && one[at] === other[at]) at++;
    return at;
}

// Gives the task that waits longest to the idle worker whose last prompt began most like this one.
function dispatch() {
    const idle = workers.filter((worker) => !worker.task);
    if (!idle.length || !waiting.length) return;
    const task = waiting.shift();
    const alike = idle.map((worker) => common(worker.prompt, task.job.prompt));
    const worker = idle[alike.indexOf(Math.max(...alike))];
    Object.assign(worker, {task, prompt: task.job.prompt});
    worker.child.send({job: task.job});
    dispatch();
}

function hear(worker, {id, text, call, done}) {
    const {answer, response} = worker.task;
    if (id !== undefined) answer.id(id);
    if (text !== undefined) answer.text(text);
    if (call !== undefined) answer.call(call);
    if (done === undefined) return;
    if (done.finish) answer.end(done);
    else refuse(response, done);
    worker.task = undefined;
    dispatch();
}

// Nobody reads the answer any more.
function leave(task) {
    const at = waiting.indexOf(task);
    if (at >= 0) waiting.splice(at, 1);
    workers.find((worker) => worker.task === task)?.child.send({abort: true});
}

// ---- The server

async function bodyOf(request) {
    const parts = [];
    let bytes = 0;
    for await (const part of request) {
        bytes += part.length;
        if (bytes > BODY_BYTES_MAX) throw new Refusal(413, `the body has more than ${BODY_BYTES_MAX} bytes`);
        parts.push(part);
    }
    return Buffer.concat(parts).toString();
}

async function complete(request, response) {
    const {streamed, withUsage, ...job} = jobOf(await bodyOf(request));
    const answer = streamed ? new Streamed(response, withUsage) : new Whole(response);
    const task = {job, response, answer};
    response.on("close", () => response.writableFinished || leave(task));
    waiting.push(task);
    dispatch();
}

const server = http.createServer(async (request, response) => {
    try {
        const route = `${request.method} ${request.url.split("?")[0]}`;
        if (route === "POST /v1/chat/completions") await complete(request, response);
        else if (route === "GET /v1/models") {
            const only = {id: name, object: "model", created: 0, owned_by: fingerprint};
            sendJson(response, 200, {object: "list", data: [only]});
        } else throw new Refusal(404, `expected POST /v1/chat/completions or GET /v1/models, found ${route}`);
    } catch (error) {
        if (error instanceof Refusal && error.status === 413) response.setHeader("connection", "close");
        refuse(response, error instanceof RangeError ? new Refusal(400, "the body is nested too deeply") : error);
    }
});
server.keepAliveTimeout = 120_000;

function end(code, message) {
    if (message) console.error(`model-server: ${message}`);
    for (const {child} of workers) child.kill("SIGKILL");
    process.exit(code);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(0));
server.on("error", (error) => end(1, `cannot listen on port ${port}: ${error.message}`));
await Promise.all(workers.map((worker) => new Promise((ready) => {
    worker.child.once("message", () => {
        worker.child.on("message", (message) => hear(worker, message));
        ready();
    });
    worker.child.on("exit", (code, signal) => end(1, `a worker ended (${signal ?? code})`));
})));
server.listen(+port, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/v1 answers as the model ${name}`);
});
