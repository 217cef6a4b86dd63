// The chat form of `.ci/model-server`: node --test .ci/model/chat.test.mjs
import assert from "node:assert/strict";
import {test} from "node:test";
import {Reader, turns} from "./chat.mjs";

const CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>';
const LIST = CALL.replace('{"path": "a"}', '["a"]');

// What a reader makes of a text that arrives in parts of `size` characters.
function read(text, {stops = [], tools = true} = {}, size = 1) {
    const read = {said: "", calls: []};
    const reader = new Reader({stops, tools, say: (text) => read.said += text, call: (call) => read.calls.push(call)});
    for (let at = 0; at < text.length && !reader.stopped; at += size) reader.push(text.slice(at, at + size));
    reader.end();
    return read;
}

const call = (path) => ({name: "read", arguments: JSON.stringify({path})});
for (const [what, text, options, said, calls] of [
    ["a call", CALL, {}, "", [call("a")]],
    ["text around calls", ` I read.\n${CALL}\n${CALL.replace('"a"', '"b"')} Done.\n`, {}, "I read.\n\n Done.",
        [call("a"), call("b")]],
    ["no tools", CALL, {tools: false}, CALL, []],
    ["a call that was cut", "So: " + CALL.slice(0, -5), {}, "So: " + CALL.slice(0, -5), []],
    ["tags around no JSON", "<tool_call>read a</tool_call>", {}, "<tool_call>read a</tool_call>", []],
    ["arguments that are no object", LIST, {}, LIST, []],
    ["a call without tags", '{"name": "read", "arguments": {}}', {}, '{"name": "read", "arguments": {}}', []],
    ["a stop", "one END two", {stops: ["END", "two"]}, "one", []],
    ["a stop that does not come", "one EN", {stops: ["END"]}, "one EN", []],
    ["a stop in a call", CALL, {stops: ["path"]}, CALL.slice(0, CALL.indexOf("path")), []],
    ["nothing", "", {}, "", []],
]) {
    test(what, () => {
        for (let size = 1; size <= text.length + 1; size++) assert.deepEqual(read(text, options, size), {said, calls});
    });
}

test("a conversation with tools has the form of Qwen2.5", () => {
    const tool = {type: "function", function: {name: "read", parameters: {type: "object", required: ["a,\n b"]}}};
    const asked = (name, given) => ({id: "1", type: "function", function: {name, arguments: given}});
    const messages = [
        {role: "user", content: [{type: "text", text: "Read a "}, {type: "text", text: "and b."}]},
        {role: "assistant", content: "Yes.", tool_calls: [asked("read", '{"path":["a",1]}'), asked("read", '{"pa')]},
        {role: "tool", content: "1"},
        {role: "tool", content: "2"},
        {role: "assistant", content: "Done."},
    ];
    assert.deepEqual(turns(messages, [tool], "You help."), [
        `system
You help.

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "required": ["a,\\n b"]}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`,
        "user\nRead a and b.",
        'assistant\nYes.\n<tool_call>\n{"name": "read", "arguments": {"path": ["a", 1]}}\n</tool_call>' +
            '\n<tool_call>\n{"name": "read", "arguments": {"pa}\n</tool_call>',
        "user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>",
        "assistant\nDone.",
    ]);
});

test("a system message takes the place of the model's own", () => {
    const messages = [{role: "developer", content: "Be brief."}, {role: "user", content: "Hello."}];
    assert.deepEqual(turns(messages, [], "You help."), ["system\nBe brief.", "user\nHello."]);
});
