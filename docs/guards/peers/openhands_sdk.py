"""The stuck detector of OpenHands, unchanged, as a guard: `--guard 'exec:python3 openhands_sdk.py'`.

    python3 -m pip install openhands-sdk==1.58.2    # Python 3.12 or later

What decides is the package: `StuckDetector.is_stuck` and `get_action_error_nudge` (`conversation/stuck_detector.py`),
`classify_response` and `_send_corrective_nudge` (`agent/response_dispatch.py`). This file makes events of entries, in
the order in which the SDK's agent emits them. In place of the SDK's conversation there is a list of events.

The SDK knows whether a call was executed, and a transcript does not say it: `unexecuted` reads it from the offer, the
arguments and the answer.
"""
import contextlib
import json
import os
import sys

os.environ |= {"OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LOG_LEVEL": "CRITICAL"}
with contextlib.redirect_stdout(sys.stderr):
    from openhands.sdk.agent.response_dispatch import LLMResponseType, ResponseDispatchMixin, classify_response
    from openhands.sdk.conversation.stuck_detector import StuckDetector
    from openhands.sdk.event import ActionEvent, AgentErrorEvent, MessageEvent, ObservationEvent
    from openhands.sdk.llm import Message, MessageToolCall, TextContent
    from openhands.sdk.tool.schema import Action, Observation

NAME = "openhands"
# How answers begin that say that nothing was executed, and that the tool raised an error.
UNREAD = (
    "unknown tool", "no such tool", "invalid arguments", "invalid tool arguments", "invalid tool parameters",
    "inputvalidationerror", "error validating tool ",
)
RAISED = "error executing tool "


class AnyAction(Action):
    data: dict


class AnyObservation(Observation):
    pass


class Run:
    """A run as the SDK sees it: the events, and a completion whose calls are not all answered yet."""

    def __init__(self):
        self.events, self.tools, self.completion, self.results, self.was_stuck = [], {}, None, [], False

    def active_branch(self, limit=None):
        return self.events[-limit:]

    def is_stuck(self):
        return StuckDetector(self).is_stuck()

    def message(self, source, text):
        role = "assistant" if source == "agent" else "user"
        said = Message(role=role, content=[TextContent(text=text)])
        self.events.append(MessageEvent(source=source, llm_message=said))

    def batch(self, completion, results):
        """The events of a completion and its results. A call without a result is left out."""
        actions, answers, results = [], [], list(results)
        thought = texts(completion)
        for call in completion["calls"]:
            result = next((it for it in results if it["call"] == call["id"]), None)
            if not result:
                continue
            results.remove(result)
            failed = self.unexecuted(call, result)
            common = {"tool_name": call["tool"], "tool_call_id": call["id"]}
            arguments = arguments_of(call)
            data = arguments if isinstance(arguments, dict) else {"": call["arguments"]}
            action = ActionEvent(
                thought=thought,
                action=None if failed == "unread" else AnyAction(data=data),
                tool_call=MessageToolCall(
                    id=call["id"], name=call["tool"], arguments=call["arguments"], origin="completion"
                ),
                llm_response_id="",
                **common,
            )
            thought = []
            actions.append(action)
            if failed:
                error = AgentErrorEvent(error=result["text"], **common)
                (actions if failed == "unread" else answers).append(error)
            else:
                observation = AnyObservation.from_text(result["text"], is_error=result["status"] == "error")
                answers.append(ObservationEvent(observation=observation, action_id=action.id, **common))
        return actions + answers

    def unexecuted(self, call, result):
        if result["origin"] != "executed" or result["status"] == "ok":
            return None
        arguments = arguments_of(call)
        required = self.tools.get(call["tool"], [])
        is_offered = not self.tools or call["tool"] in self.tools
        if not is_offered or not isinstance(arguments, dict) or any(it not in arguments for it in required):
            return "unread"
        line = (result["text"].lstrip().splitlines() or [""])[0].lower()
        line = line.removeprefix("<tool_use_error>").removeprefix("error:").lstrip()
        if line.startswith(UNREAD) or (line.startswith("tool ") and " not found" in line):
            return "unread"
        return "raised" if line.startswith(RAISED) else None

    def observe(self, entry):
        kind = entry["entry"]
        if kind == "start":
            schemas = {tool["name"]: json.loads(tool.get("parameters") or "{}") for tool in entry["tools"]}
            self.tools = {name: schema.get("required", []) for name, schema in schemas.items()}
        elif kind == "completion":
            self.completion, self.results, self.was_stuck = entry, [], self.is_stuck()
            if not entry["calls"]:
                self.events.append(MessageEvent(source="agent", llm_message=message_of(entry)))
        elif kind == "result":
            self.results.append(entry)
            if len(self.results) == len(self.completion["calls"]):
                self.events += self.batch(self.completion, self.results)
        elif kind == "user":
            self.message("user" if entry["from"] == "user" else "environment", entry["text"])
        elif kind == "answer":
            self.message("user", entry.get("text") or "Continue.")
        elif kind == "intervention" and entry["note"]["guard"] == NAME and entry["kind"] in ("note", "feedback"):
            self.message("environment", entry["note"]["text"])
        del self.events[:-100]  # The detector looks at the last 20.

    def review(self, completion):
        if self.was_stuck or self.is_stuck():
            return {"stop": {"rule": "stuck", "text": "Stopped: the agent is stuck."}}
        response = classify_response(message_of(completion))
        if response in (LLMResponseType.REASONING_ONLY, LLMResponseType.EMPTY):
            sent = []
            ResponseDispatchMixin._send_corrective_nudge(None, sent.append)
            return {"retry": {"rule": "no-content", "text": sent[0].llm_message.content[0].text}}
        return "pass"

    def settle(self, completion, results):
        then = Run()
        then.events = self.events + self.batch(completion, results)
        nudge = StuckDetector(then).get_action_error_nudge()
        return {"accept": [{"rule": "failing-action", "text": nudge}] if nudge else []}


def arguments_of(call):
    try:
        return json.loads(call["arguments"])
    except ValueError:
        return None


def texts(completion):
    return [TextContent(text=part["text"]) for part in completion["parts"] if part.get("text")]


def message_of(completion):
    thoughts = [part["thinking"]["text"] for part in completion["parts"] if "thinking" in part]
    calls = [
        MessageToolCall(id=it["id"], name=it["tool"], arguments=it["arguments"], origin="completion")
        for it in completion["calls"]
    ]
    return Message(
        role="assistant",
        content=texts(completion),
        tool_calls=calls or None,
        reasoning_content="\n".join(thoughts) or None,
    )


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
