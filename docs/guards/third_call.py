"""Blocks the third identical call after two with the same result: `--guard 'exec:python3 third_call.py'`."""
import json
import sys

TEXT = "This call was made twice, and its result was the same. Read that result, or do something else."
NOTE = {"rule": "third-call", "text": TEXT}


def spelled(call):
    return call["tool"], call["arguments"]


def review(calls):
    blocked = [{"call": at, "note": NOTE} for at, call in enumerate(calls) if times >= 2 and spelled(call) == last[0]]
    return {"verdict": {"block": blocked} if blocked else "pass"}


calls, last, times = {}, None, 0
for line in sys.stdin:
    [(kind, body)] = json.loads(line).items()
    if kind == "hello":
        answer = {"hello": {"protocol": 1, "guard": "third-call", "answers": ["review"]}}
    elif kind == "review":
        answer = {"review": review(body["completion"]["calls"])}
    else:
        entry = body.get("entry")
        said = body.get("completion") or body  # A completion, or the repair of one.
        if kind == "begin" or entry == "user":
            calls, last, times = {}, None, 0
        elif "calls" in said:
            calls = {call["id"]: spelled(call) for call in said["calls"]}
        elif entry == "result" and body["origin"] == "executed":
            now = calls[body["call"]], body["text"]
            last, times = now, times + 1 if now == last else 1
        continue  # Only questions are answered.
    print(json.dumps(answer), flush=True)
