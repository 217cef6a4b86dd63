"""The guardrails of hermes-agent, unchanged, as a guard: `--guard 'exec:python3 hermes_guardrails.py'`.

    python3 -m pip install --no-deps hermes-agent==0.19.0 pyyaml    # Python 3.11 to 3.13

What decides is the package: `ToolCallGuardrailController` (`agent/tool_guardrails.py`), with `before_call` and
`after_call` around each call, as `agent/tool_executor.py` has them, with hard stops. Which tools only read is a setting
of the package; here the offer says it. Calls of unknown tools, calls whose arguments are no JSON object, and calls that
were not executed never reach the controller there, nor here.
"""
import copy
import dataclasses
import json
import sys

from agent.tool_guardrails import ToolCallGuardrailConfig, ToolCallGuardrailController, append_toolguard_guidance

NAME = "hermes-like"
# Tools that wait, by their names.
POLLERS = ("process_manage", "_get_result", "_poll")
CONFIG = ToolCallGuardrailConfig(hard_stop_enabled=True, mutating_tools=frozenset())


def arguments_of(call):
    try:
        arguments = json.loads(call["arguments"].strip() or "{}")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def taken(calls, result):
    """The call of this result, which is no longer among the calls."""
    call = next((it for it in calls if it["id"] == result["call"]), None)
    if call:
        calls.remove(call)
    return call


class Run:
    def __init__(self):
        self.controller, self.tools, self.calls, self.is_halted = ToolCallGuardrailController(CONFIG), {}, [], False

    def observe(self, entry):
        kind = entry["entry"]
        if kind == "start":
            self.tools = {tool["name"]: tool for tool in entry["tools"]}
        elif kind == "completion":
            self.calls = list(entry["calls"])
        elif kind == "result":
            self.after(self.controller, taken(self.calls, entry), entry)
            self.is_halted |= self.controller.halt_decision is not None
        elif kind == "intervention" and entry["note"]["guard"] == NAME and entry["kind"] == "block":
            self.is_halted = True
        elif kind == "answer" or (kind == "user" and entry["from"] == "user"):
            self.controller.reset_for_turn()
            self.is_halted = False

    def readable(self, call):
        """The arguments of a call that reaches the controller."""
        return arguments_of(call) if not self.tools or call["tool"] in self.tools else None

    def told_apart(self, controller, call):
        """The controller, told whether the tool of this call only reads."""
        name = call["tool"]
        tool = self.tools.get(name, {})
        effect = call.get("effect") or tool.get("effect")
        reads = effect == "read-only" and tool.get("purpose") not in ("shell", "wait") and not name.endswith(POLLERS)
        names = frozenset([name] if reads else [])
        controller.config = dataclasses.replace(CONFIG, idempotent_tools=names)
        return controller

    def asked(self):
        """A controller that may forget what it is asked; the run is as it was."""
        controller = copy.copy(self.controller)
        for name, value in vars(controller).items():
            if isinstance(value, dict):
                setattr(controller, name, dict(value))
        return controller

    def after(self, controller, call, result):
        """What is added to the result of a call."""
        arguments = call and self.readable(call)
        if arguments is None or result["origin"] != "executed":
            return None
        failed = result["status"] == "error"
        decision = self.told_apart(controller, call).after_call(
            call["tool"], arguments, result["text"], failed=failed
        )
        text = append_toolguard_guidance("", decision).strip()
        return {"rule": decision.code, "text": text} if text else None

    def review(self, completion):
        if self.is_halted:
            return {"stop": {"rule": "halt", "text": "Stopped: the guardrails ended the turn."}}
        blocked = []
        for at, call in enumerate(completion["calls"]):
            arguments = self.readable(call)
            if arguments is None:
                continue
            decision = self.told_apart(self.asked(), call).before_call(call["tool"], arguments)
            if not decision.allows_execution:
                blocked.append({"call": at, "note": {"rule": decision.code, "text": decision.message}})
        return {"block": blocked} if blocked else "pass"

    def settle(self, completion, results):
        controller = self.asked()
        calls = list(completion["calls"])
        notes = [self.after(controller, taken(calls, it), it) for it in results]
        return {"accept": [note for note in notes if note]}


run = None
for line in sys.stdin:
    [(kind, body)] = json.loads(line).items()
    if kind == "hello":
        answer = {"protocol": 1, "guard": NAME, "answers": ["review", "settle"]}
    elif kind == "begin":
        run = Run()
        continue
    elif kind == "observe":
        run.observe(body)
        continue
    elif kind == "review":
        answer = {"verdict": run.review(body["completion"])}
    else:
        answer = run.settle(body["completion"], body["results"])
    print(json.dumps({kind: answer}), flush=True)
