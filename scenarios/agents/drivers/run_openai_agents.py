"""A plain agent with the OpenAI Agents SDK: python3 run_openai_agents.py API HISTORY TASK"""

import sys

from agents import Agent, Runner, SQLiteSession, function_tool, set_default_openai_api
from plain_tools import TOOLS

api, history, task = sys.argv[1:]
set_default_openai_api(api)
agent = Agent(name="agent", model="scripted-model", tools=[function_tool(it) for it in TOOLS])
print(Runner.run_sync(agent, task, session=SQLiteSession("agent", history)).final_output)
