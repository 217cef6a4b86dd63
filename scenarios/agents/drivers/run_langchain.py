"""A plain agent with LangChain: python3 run_langchain.py MODEL HISTORY TASK"""

import json
import sys
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.messages import messages_from_dict, messages_to_dict
from plain_tools import TOOLS

model, history, task = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
before = messages_from_dict(json.loads(history.read_text())) if history.exists() else []
messages = create_agent(model, TOOLS).invoke({"messages": [*before, ("user", task)]})["messages"]
history.write_text(json.dumps(messages_to_dict(messages)))
print(messages[-1].text)
