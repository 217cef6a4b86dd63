"""One dialogue for every framework: a model that announces, reads a file three times, and answers.

The guards correct the announcement and refuse the third call, so the agent sees two calls and the answer.
"""

TASK = "Read notes.txt and tell me what it says."
NOTES = "milk, bread and a long list of other things"
ANNOUNCED = "I will read the file now."
ANSWER = "It says milk and bread."
CALLS = ("a", "b", "c")
TOLD = [("no-tools", "feedback"), ("duplicate", "block")]
EFFECTS = {"read_file": "read-only"}


def told_by(told: list[dict]) -> list[tuple[str, str]]:
    return [(it["guard"], it["kind"]) for it in told]
