// A conversation of an official SDK with `balk serve`: `client.mjs URL PROVIDER whole|stream`. The same as client.py.

const TURNS = 8;
const [TASK, RESULT, REPLY] = ["Do the task.", "error: no such file", "Go on."];
const TOOLS = {
  bash: ["command"],
  read_file: ["path"],
  write_file: ["path", "content"],
  list_dir: ["path"],
  finish: ["summary"],
};
const schema = (members) => ({
  type: "object",
  properties: Object.fromEntries(members.map((it) => [it, { type: "string" }])),
  required: members,
});
const tools = (make) => Object.entries(TOOLS).map(([name, members]) => make(name, schema(members)));

async function chat(url, streams) {
  const { default: OpenAI } = await import("openai");
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", maxRetries: 0 });
  const offered = tools((name, parameters) => ({ type: "function", function: { name, parameters } }));
  const messages = [{ role: "user", content: TASK }];
  return async () => {
    const asked = { model: "any", messages, tools: offered };
    const whole = streams
      ? await client.chat.completions.stream(asked).finalChatCompletion()
      : await client.chat.completions.create(asked);
    const said = whole.choices[0].message;
    const calls = said.tool_calls ?? [];
    messages.push({ role: "assistant", content: said.content, ...(calls.length ? { tool_calls: calls } : {}) });
    for (const it of calls) messages.push({ role: "tool", tool_call_id: it.id, content: RESULT });
    if (!calls.length) messages.push({ role: "user", content: REPLY });
    return [said.content ?? "", calls.map((it) => [it.function.name, JSON.parse(it.function.arguments)])];
  };
}

async function responses(url, streams) {
  const { default: OpenAI } = await import("openai");
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", maxRetries: 0 });
  const offered = tools((name, parameters) => ({ type: "function", name, parameters, strict: false }));
  let [input, previous] = [[{ role: "user", content: TASK }], undefined];
  return async () => {
    const asked = { model: "any", input, tools: offered };
    const said = streams
      ? await client.responses.stream({ ...asked, previous_response_id: previous }).finalResponse()
      : await client.responses.create(asked);
    const calls = said.output.filter((it) => it.type === "function_call");
    let added = calls.map((it) => ({ type: "function_call_output", call_id: it.call_id, output: RESULT }));
    if (!calls.length) added = [{ role: "user", content: REPLY }];
    if (streams) [input, previous] = [added, said.id];
    else input = [...input, ...said.output, ...added];
    return [said.output_text, calls.map((it) => [it.name, JSON.parse(it.arguments)])];
  };
}

async function messages(url, streams) {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const client = new Anthropic({ baseURL: url, apiKey: "x", maxRetries: 0 });
  const offered = tools((name, input_schema) => ({ name, input_schema }));
  const so_far = [{ role: "user", content: TASK }];
  return async () => {
    const asked = { model: "any", max_tokens: 1000, messages: so_far, tools: offered };
    const said = streams
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    const calls = said.content.filter((it) => it.type === "tool_use");
    const texts = said.content.filter((it) => it.type === "text").map((it) => it.text);
    const results = calls.map((it) => ({ type: "tool_result", tool_use_id: it.id, content: RESULT }));
    so_far.push({ role: "assistant", content: said.content });
    so_far.push({ role: "user", content: results.length ? results : REPLY });
    return [texts.join(""), calls.map((it) => [it.name, it.input])];
  };
}

async function gemini(url, streams) {
  const { GoogleGenAI } = await import("@google/genai");
  const client = new GoogleGenAI({ apiKey: "x", httpOptions: { baseUrl: url } });
  const declared = tools((name, parametersJsonSchema) => ({ name, parametersJsonSchema }));
  const contents = [{ role: "user", parts: [{ text: TASK }] }];
  return async () => {
    const asked = { model: "any", contents, config: { tools: [{ functionDeclarations: declared }] } };
    const parts = [];
    const take = (it) => parts.push(...(it.candidates[0].content.parts ?? []));
    if (streams) for await (const it of await client.models.generateContentStream(asked)) take(it);
    else take(await client.models.generateContent(asked));
    const calls = parts.filter((it) => it.functionCall).map((it) => it.functionCall);
    const answers = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { error: RESULT } } }));
    contents.push({ role: "model", parts });
    contents.push({ role: "user", parts: answers.length ? answers : [{ text: REPLY }] });
    return [parts.map((it) => it.text ?? "").join(""), calls.map((it) => [it.name, it.args])];
  };
}

const [url, provider, form] = process.argv.slice(2);
const ask = await { chat, responses, messages, gemini }[provider](url, form === "stream");
for (let turn = 0; turn < TURNS; turn++) {
  try {
    const [text, calls] = await ask();
    console.log(JSON.stringify({ text, calls }));
  } catch (error) {
    // Errors of the SDK have a status, all others are of this file.
    if (!error.status) throw error;
    console.log(JSON.stringify({ status: error.status }));
  }
}
