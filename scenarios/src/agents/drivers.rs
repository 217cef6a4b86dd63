//! Programs of ours that make an agent of a framework. They are written below the agent's home.

/// The drivers by the names of their files.
pub(super) const DRIVERS: [(&str, &str); 4] = [
    ("plain_tools.py", include_str!("../../agents/drivers/plain_tools.py")),
    ("run_langchain.py", include_str!("../../agents/drivers/run_langchain.py")),
    ("run_openai_agents.py", include_str!("../../agents/drivers/run_openai_agents.py")),
    ("run_pydantic_ai.py", include_str!("../../agents/drivers/run_pydantic_ai.py")),
];
