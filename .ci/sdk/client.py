"""A conversation of an official SDK with `balk serve`: `client.py URL PROVIDER whole|stream`.

Prints a line of JSON for each answer: its text and calls, or the status of an error. The SDK sends nothing twice by
itself. Every call is answered with the same error, and every message with the same words.
"""

import json
import sys

TURNS = 8
TASK, RESULT, REPLY = "Do the task.", "error: no such file", "Go on."
TOOLS = {
    "bash": ["command"],
    "read_file": ["path"],
    "write_file": ["path", "content"],
    "list_dir": ["path"],
    "finish": ["summary"],
}


def schema(members):
    return {"type": "object", "properties": {it: {"type": "string"} for it in members}, "required": members}


def chat(url, streams):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "function": {"name": it, "parameters": schema(of)}} for it, of in TOOLS.items()]
    messages = [{"role": "user", "content": TASK}]

    def ask():
        asked = {"model": "any", "messages": messages, "tools": tools}
        if streams:
            with client.chat.completions.stream(**asked) as events:
                for _ in events:
                    pass
                said = events.get_final_completion().choices[0].message
        else:
            said = client.chat.completions.create(**asked).choices[0].message
        calls = said.tool_calls or []
        messages.append({"role": "assistant", "content": said.content})
        if calls:
            kept = [(it.id, it.function.name, it.function.arguments) for it in calls]
            messages[-1]["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for id, name, arguments in kept
            ]
            messages.extend({"role": "tool", "tool_call_id": it.id, "content": RESULT} for it in calls)
        else:
            messages.append({"role": "user", "content": REPLY})
        return said.content or "", [(it.function.name, json.loads(it.function.arguments)) for it in calls]

    return ask, openai.APIStatusError


def responses(url, streams):
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0)
    tools = [{"type": "function", "name": it, "parameters": schema(of), "strict": False} for it, of in TOOLS.items()]
    # The server keeps what was said when it streams; else the client sends all of it.
    state = {"input": [{"role": "user", "content": TASK}], "previous": None}

    def ask():
        asked = {"model": "any", "input": state["input"], "tools": tools}
        if streams:
            if state["previous"]:
                asked["previous_response_id"] = state["previous"]
            with client.responses.stream(**asked) as events:
                for _ in events:
                    pass
                said = events.get_final_response()
        else:
            said = client.responses.create(**asked)
        calls = [it for it in said.output if it.type == "function_call"]
        new = [{"type": "function_call_output", "call_id": it.call_id, "output": RESULT} for it in calls]
        new = new or [{"role": "user", "content": REPLY}]
        if streams:
            state.update(previous=said.id, input=new)
        else:
            state["input"] += [it.to_dict() for it in said.output] + new
        return said.output_text, [(it.name, json.loads(it.arguments)) for it in calls]

    return ask, openai.APIStatusError


def messages(url, streams):
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="x", max_retries=0)
    tools = [{"name": it, "input_schema": schema(of)} for it, of in TOOLS.items()]
    said_so_far = [{"role": "user", "content": TASK}]

    def ask():
        asked = {"model": "any", "max_tokens": 1000, "messages": said_so_far, "tools": tools}
        if streams:
            with client.messages.stream(**asked) as events:
                said = events.get_final_message()
        else:
            said = client.messages.create(**asked)
        calls = [it for it in said.content if it.type == "tool_use"]
        texts = [it.text for it in said.content if it.type == "text"]
        results = [{"type": "tool_result", "tool_use_id": it.id, "content": RESULT} for it in calls]
        said_so_far.append({"role": "assistant", "content": [it.to_dict() for it in said.content]})
        said_so_far.append({"role": "user", "content": results or REPLY})
        return "".join(texts), [(it.name, it.input) for it in calls]

    return ask, anthropic.APIStatusError


def gemini(url, streams):
    from google import genai
    from google.genai import errors, types

    client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=url))
    declared = [
        types.FunctionDeclaration(name=it, parameters_json_schema=schema(of)) for it, of in TOOLS.items()
    ]
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=declared)])
    contents = [types.Content(role="user", parts=[types.Part(text=TASK)])]

    def ask():
        asked = {"model": "any", "contents": contents, "config": config}
        if streams:
            chunks = list(client.models.generate_content_stream(**asked))
        else:
            chunks = [client.models.generate_content(**asked)]
        parts = [part for it in chunks for part in (it.candidates[0].content.parts or [])]
        calls = [it.function_call for it in parts if it.function_call]
        answers = [
            types.Part(function_response=types.FunctionResponse(id=it.id, name=it.name, response={"error": RESULT}))
            for it in calls
        ]
        contents.append(types.Content(role="model", parts=parts))
        contents.append(types.Content(role="user", parts=answers or [types.Part(text=REPLY)]))
        return "".join(it.text or "" for it in parts), [(it.name, it.args) for it in calls]

    return ask, errors.APIError


def main():
    url, provider, form = sys.argv[1:]
    ask, refusal = {"chat": chat, "responses": responses, "messages": messages, "gemini": gemini}[provider](
        url, form == "stream"
    )
    for _ in range(TURNS):
        try:
            text, calls = ask()
        except refusal as error:
            print(json.dumps({"status": getattr(error, "status_code", None) or error.code}))
        else:
            print(json.dumps({"text": text, "calls": calls}))


main()
