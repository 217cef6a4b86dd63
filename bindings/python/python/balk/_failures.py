"""What an error of a client says about the attempt that it ended."""

from __future__ import annotations

from typing import Any

# Error classes of the SDKs of OpenAI and Anthropic, of httpx and of Python, by what they say of the attempt. They are
# known by name, so that none of the packages is needed.
_CAUSES = {
    "TimeoutError": "timed-out",
    "TimeoutException": "timed-out",
    "APITimeoutError": "timed-out",
    "ConnectError": "connect",
    "ConnectionRefusedError": "connect",
    "APIConnectionError": "disconnected",
    "TransportError": "disconnected",
    "ConnectionError": "disconnected",
}


def failure_of(error: BaseException) -> dict[str, Any] | None:
    """The failure that an error is, in the form of `Exchange.failed`; `None` if it is not of a provider or network."""
    code = getattr(error, "status_code", None)
    if isinstance(code, int) and 400 <= code <= 599:
        return {"cause": "status", "code": code, "retry_after": _retry_after(error), "message": str(error)}
    # The first error is the most exact: `APIConnectionError` is raised from what the network said.
    chain = [error, error.__cause__]
    names = [kind.__name__ for it in chain if it is not None for kind in type(it).__mro__]
    causes = [_CAUSES[name] for name in names if name in _CAUSES]
    if not causes:
        return None
    cause = next((it for it in causes if it != "disconnected"), "disconnected")
    return {"cause": cause, "message": str(error)}


def _retry_after(error: BaseException) -> int | None:
    """The milliseconds of `Retry-After`; a date is not read."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, factor in (("retry-after-ms", 1), ("retry-after", 1000)):
        try:
            return max(0, int(float(headers[name]) * factor))
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
    return None
