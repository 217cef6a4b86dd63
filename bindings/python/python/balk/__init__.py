"""Balk for Python: guards for agent loops, tests with a model that balks, and what guards say of recorded runs.

`balk.guards` has the guards for an agent with a loop of its own, and `balk.middleware` those for agents of frameworks.
`balk.pytest_plugin` has the fixture `balk`, and `balk.served` the same without pytest. `balk.ray` uses many machines.
"""

from .guards import Call, Ran, Run, Stack, Tool
from .recorded import Firing, Transcript, firings_table, transcripts

__all__ = ["Call", "Firing", "Ran", "Run", "Stack", "Tool", "Transcript", "firings_table", "transcripts"]
