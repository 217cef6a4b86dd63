// The ChatML form of a conversation with tools, and the way back from a model's text to content and calls.
// Both models get the tool form of Qwen2.5: the tools are listed in the system message, a call is JSON between
// <tool_call> tags. SmolLM2-135M-Instruct was trained without tools; its own template has no place for them. The
// template of Qwen2.5-Coder doubles the braces around the example of a call; here they are single, as in Qwen2.5.

const OPEN = "<tool_call>", CLOSE = "</tool_call>";

// The system message of a model's own template, for conversations that begin without one.
export const PERSONAS = {
    "smollm2": "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    "qwen2.5-coder": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
};

// JSON with a space after colons and commas, as Python writes it: the models were trained on that.
function spaced(value) {
    return JSON.stringify(value, null, 1).replace(/,\n */g, ", ").replace(/\n */g, "");
}

function toolText(tools) {
    const list = tools.map((tool) => "\n" + spaced(tool)).join("");
    return "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
        `You are provided with function signatures within <tools></tools> XML tags:\n<tools>${list}\n</tools>\n\n` +
        "For each function call, return a json object with function name and arguments within " +
        `${OPEN}${CLOSE} XML tags:\n${OPEN}\n{"name": <function-name>, "arguments": <args-json-object>}\n${CLOSE}`;
}

function text(content) {
    return Array.isArray(content) ? content.map((part) => part.text).join("") : content ?? "";
}

// A call as the model would have written it. Arguments that are no JSON go in as they are.
function callText({name, arguments: given}) {
    let written = given;
    try {
        written = spaced(JSON.parse(given));
    } catch { /* The client sent what a model once wrote. */ }
    return `\n${OPEN}\n{"name": ${JSON.stringify(name)}, "arguments": ${written}}\n${CLOSE}`;
}

// The turns of a conversation, each as the text between <|im_start|> and <|im_end|>.
export function turns(messages, tools, persona) {
    const [first, ...rest] = messages;
    const own = first.role === "system" || first.role === "developer";
    const system = own ? text(first.content) : persona;
    const turns = ["system\n" + system + (tools.length ? toolText(tools) : "")];
    let before;
    for (const message of own ? rest : messages) {
        if (message.role === "tool") {
            const result = `\n<tool_response>\n${text(message.content)}\n</tool_response>`;
            if (before === "tool") turns[turns.length - 1] += result;
            else turns.push("user" + result);
        } else if (message.role === "assistant" && message.tool_calls?.length) {
            const said = text(message.content);
            const calls = message.tool_calls.map((call) => callText(call.function)).join("");
            turns.push("assistant" + (said && "\n" + said) + calls);
        } else {
            turns.push((message.role === "developer" ? "system" : message.role) + "\n" + text(message.content));
        }
        before = message.role;
    }
    return turns;
}

// The call in a block of tags and JSON, or undefined where the block is not well formed.
function call(block) {
    try {
        const {name, arguments: given} = JSON.parse(block.slice(OPEN.length, -CLOSE.length));
        const object = typeof given === "object" && given !== null && !Array.isArray(given);
        return typeof name === "string" && object ? {name, arguments: JSON.stringify(given)} : undefined;
    } catch {
        return undefined;
    }
}

// How many characters at the end of `text` may be the beginning of a marker.
function unsure(text, markers) {
    const longest = Math.max(0, ...markers.map((marker) => marker.length - 1));
    for (let length = Math.min(text.length, longest); length > 0; length--) {
        const end = text.slice(-length);
        if (markers.some((marker) => marker.startsWith(end))) return length;
    }
    return 0;
}

// Reads a model's text as it grows. `say` gets the text of the message, `call` its well-formed calls; everything else
// stays text, and so do tags where no tools were offered. White space around the message and its calls is dropped.
export class Reader {
    #held = "";
    #space = "";
    #spoke = false;

    constructor({stops, tools, say, call}) {
        Object.assign(this, {stops, tools, say, call, stopped: false});
    }

    push(text) {
        this.#held += text;
        const at = this.stops.map((stop) => this.#held.indexOf(stop)).filter((at) => at >= 0);
        if (at.length) {
            this.stopped = true;
            this.#held = this.#held.slice(0, Math.min(...at));
        }
        while (this.#step());
    }

    end() {
        this.#text(this.#held);
        this.#held = "";
    }

    // Takes text or one block from what is held. False: it takes more text to know what the rest is.
    #step() {
        const open = this.tools ? this.#held.indexOf(OPEN) : -1;
        if (open < 0) {
            const markers = this.tools ? [OPEN, ...this.stops] : this.stops;
            this.#take(this.#held.length - unsure(this.#held, markers));
            return false;
        }
        this.#take(open);
        const close = this.#held.indexOf(CLOSE);
        if (close < 0) return false;
        const block = this.#held.slice(0, close + CLOSE.length);
        const found = call(block);
        if (found) this.call(found);
        else this.#text(block);
        this.#held = this.#held.slice(block.length);
        return true;
    }

    #take(length) {
        this.#text(this.#held.slice(0, length));
        this.#held = this.#held.slice(length);
    }

    #text(more) {
        const all = this.#space + more;
        const end = all.trimEnd().length;
        this.#space = all.slice(end);
        const said = this.#spoke ? all.slice(0, end) : all.slice(0, end).trimStart();
        if (!said) return;
        this.#spoke = true;
        this.say(said);
    }
}
