"""Balk for Python: guards for agent loops, tests with a model that balks, and what guards say of recorded runs.

`balk.pytest_plugin` has the fixture `balk`, and `balk.served` the same without pytest.
"""

from .recorded import Firing, Transcript, firings_table, transcripts

__all__ = ["Firing", "Transcript", "firings_table", "transcripts"]
