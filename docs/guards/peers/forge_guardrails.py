"""The guardrails of forge, unchanged, as a guard: `--guard 'exec:python3 forge_guardrails.py'`.

    python3 -m pip install forge-guardrails==0.9.3    # Python 3.12 or later

What decides is the package: `Guardrails.check`, and `Guardrails.record` after a reply whose calls all worked. Replies
in which a tool failed are counted in its `ErrorTracker`, as its `WorkflowRunner` does. Where text may end the task, a
text is a call of the tool `respond`, which forge's proxy adds for that. No steps are required. An empty reply is an
empty text.
"""
import json
import sys

from forge.core.workflow import TextResponse, ToolCall
from forge.guardrails import CheckResult, Guardrails

NAME = "forge"
RESPOND = "respond"
PASS = CheckResult(action="execute")
# What `core/inference.py` puts before the words.
PREFIXES = {"unknown_tool": "UnknownTool", "tool_arg_validation": "ToolArgValidationError"}


def called(call):
    try:
        return ToolCall(call["tool"], json.loads(call["arguments"] or "{}"))
    except ValueError:
        return ToolCall(call["tool"], call["arguments"])


class Run:
    def __init__(self):
        self.tools, self.text_ends, self.found = [], False, PASS
        self.begin()

    def begin(self):
        """A task begins."""
        self.calls, self.results = [], []
        self.guardrails = Guardrails([*self.tools, RESPOND] if self.text_ends else self.tools, RESPOND)

    def observe(self, entry):
        kind = entry["entry"]
        if kind == "start":
            self.tools = [tool["name"] for tool in entry["tools"]]
            self.text_ends = entry["protocol"] == "text"
            self.begin()
        elif kind == "completion":
            self.completion(entry)
        elif kind == "result":
            self.results.append(entry)
            if len(self.results) == len(self.calls):
                self.settle([it for it in self.results if it["origin"] == "executed"])
        elif kind == "failed" and entry["failure"]["cause"] == "empty":
            self.guardrails.check(TextResponse(""))
        elif kind == "intervention" and entry["kind"] == "repair" and entry["note"]["guard"] == NAME:
            self.calls, self.found = entry["completion"]["calls"], PASS
        elif kind == "answer" or (kind == "user" and entry["from"] == "user"):
            self.begin()

    def completion(self, said):
        self.calls, self.results = said["calls"], []
        if self.guardrails._errors.tool_errors_exhausted:
            self.found = CheckResult(action="fatal", reason="tools failed in too many replies in a row")
            return
        text = "\n".join(part["text"] for part in said["parts"] if "text" in part)
        response = [called(it) for it in self.calls] or TextResponse(text)
        if self.text_ends and not self.calls and text.strip():
            if self.guardrails._validator.validate(response).needs_retry:
                response = [ToolCall(RESPOND, {"message": text})]
        self.found = self.guardrails.check(response)

    def settle(self, results):
        """The calls of a reply have run."""
        if any(it["status"] == "error" for it in results):
            self.guardrails._errors.record_result(success=False)
        elif results:
            self.guardrails.record([it["tool"] for it in self.calls])

    def review(self, completion):
        found = self.found
        if found.action == "fatal":
            return {"stop": {"rule": "fatal", "text": f"Stopped: {found.reason}."}}
        if found.action == "retry":
            return {"retry": {"rule": found.nudge.kind, "text": found.nudge.content}}
        if found.nudge:
            note = {"rule": found.nudge.kind, "text": f"[{PREFIXES[found.nudge.kind]}] {found.nudge.content}"}
            return {"block": [{"call": at, "note": note} for at in range(len(completion["calls"]))]}
        if completion["calls"] or not found.tool_calls or found.tool_calls[0].tool == RESPOND:
            return "pass"
        calls = [
            {"id": f"printed-{at}", "tool": it.tool, "arguments": json.dumps(it.args)}
            for at, it in enumerate(found.tool_calls)
        ]
        thoughts = [part for part in completion["parts"] if "thinking" in part]
        repaired = {**completion, "parts": thoughts, "calls": calls, "finish": "tool_call"}
        note = {"rule": "printed-call", "text": "Printed calls were made calls."}
        return {"repair": {"note": note, "completion": repaired}}


run = None
for line in sys.stdin:
    [(kind, body)] = json.loads(line).items()
    if kind == "hello":
        answer = {"protocol": 1, "guard": NAME, "answers": ["review"]}
    elif kind == "begin":
        run = Run()
        continue
    elif kind == "observe":
        run.observe(body)
        continue
    else:
        answer = {"verdict": run.review(body["completion"])}
    print(json.dumps({kind: answer}), flush=True)
