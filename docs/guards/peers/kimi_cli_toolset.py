"""The repetition rule of kimi-cli, unchanged, as a guard: `--guard 'exec:python3 kimi_cli_toolset.py'`.

    python3 -m pip install kimi-cli==1.52.0    # Python 3.12 or later

What decides is the package: `KimiToolset` (`soul/toolset.py`), with `begin_step` and `end_step` around the calls of a
completion, as `soul/kimisoul.py` has them. The tools here answer nothing, so what a result has is the reminder. The
product runs the calls of the step in which the turn ends; a guard can only refuse them.
"""
import asyncio
import copy
import json
import sys

from kimi_cli import telemetry
from kimi_cli.soul.toolset import KimiToolset
from kosong.message import ToolCall
from kosong.tooling import ToolOk

NAME = "kimi-cli"


class SilentTool:
    def __init__(self, name):
        self.name = name

    async def call(self, arguments):
        return ToolOk(output="")


async def stepped(toolset, last, calls):
    """The reminders of a step, and the calls that count."""
    toolset.begin_step(last)
    asked = [
        ToolCall(id=call["id"], function=ToolCall.FunctionBody(name=call["tool"], arguments=call["arguments"]))
        for call in calls
    ]
    handled = [toolset.handle(call) for call in asked]
    results = [await it if isinstance(it, asyncio.Future) else it for it in handled]
    # Equal calls of a step share one result.
    values = {id(it.return_value): it.return_value for it in results if not it.return_value.is_error}
    reminders = [it.output.strip() for it in values.values() if it.output]
    return reminders, toolset.end_step()


class Run:
    def __init__(self):
        self.toolset, self.offers, self.last, self.completion, self.results = KimiToolset(), False, [], None, 0

    def step(self, toolset):
        calls = self.completion["calls"]
        if not self.offers:
            for call in calls:
                toolset.add(SilentTool(call["tool"]))
        return loop.run_until_complete(stepped(toolset, self.last, calls))

    def observe(self, entry):
        kind = entry["entry"]
        if kind == "start":
            self.offers = bool(entry["tools"])
            for tool in entry["tools"]:
                self.toolset.add(SilentTool(tool["name"]))
        elif kind == "completion":
            self.completion, self.results = entry, 0
            if not entry["calls"]:
                self.last = []
        elif kind == "result":
            self.results += 1
            if self.results == len(self.completion["calls"]):
                _, self.last = self.step(self.toolset)
        elif kind == "answer" or (kind == "user" and entry["from"] == "user"):
            self.last = []

    def asked(self):
        """The step that is asked about, and its reminders; the run is as it was."""
        toolset = copy.copy(self.toolset)
        toolset._seen_call_keys = set(toolset._seen_call_keys)
        return toolset, self.step(toolset)[0]

    def review(self):
        toolset, _ = self.asked()
        if toolset.force_stop_turn:
            return {"stop": {"rule": "same-call", "text": "Stopped: the same call was made again and again."}}
        return "pass"

    def settle(self):
        return {"accept": [{"rule": "same-call", "text": text} for text in self.asked()[1]]}


telemetry.disable()
loop = asyncio.new_event_loop()
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
        answer = {"verdict": run.review()}
    else:
        answer = run.settle()
    print(json.dumps({kind: answer}), flush=True)
