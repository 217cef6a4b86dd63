"""A plain agent with Pydantic AI: python3 run_pydantic_ai.py MODEL HISTORY TASK"""

import sys
from pathlib import Path

from plain_tools import TOOLS
from pydantic_ai import Agent, ModelMessagesTypeAdapter

model, history, task = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
before = ModelMessagesTypeAdapter.validate_json(history.read_bytes()) if history.exists() else None
result = Agent(model, tools=TOOLS).run_sync(task, message_history=before)
history.write_bytes(result.all_messages_json())
print(result.output)
