/** What an error of a client says about the attempt that it ended. */

import type { Failure } from "./values.ts";

/** Codes of Node.js and names of errors, by what they say of the attempt. */
const CAUSES = new Map<unknown, "connect" | "timed-out" | "disconnected">([
  ["ECONNREFUSED", "connect"],
  ["ENOTFOUND", "connect"],
  ["EAI_AGAIN", "connect"],
  ["UND_ERR_CONNECT_TIMEOUT", "connect"],
  ["ETIMEDOUT", "timed-out"],
  ["TimeoutError", "timed-out"],
  ["APIConnectionTimeoutError", "timed-out"],
  ["UND_ERR_HEADERS_TIMEOUT", "timed-out"],
  ["UND_ERR_BODY_TIMEOUT", "timed-out"],
  ["ECONNRESET", "disconnected"],
  ["EPIPE", "disconnected"],
  ["UND_ERR_SOCKET", "disconnected"],
  ["APIConnectionError", "disconnected"],
]);

/**
 * The failure that an error is; `undefined` if it is none of a provider or a network. Any object can be one: errors
 * within a stream are often plain.
 */
export function failureOf(error: unknown): Failure | undefined {
  const words = member(error, "message");
  const message = typeof words === "string" ? words : "";
  const status = ["statusCode", "status", "code"].map((name) => member(error, name)).find(isStatus);
  if (status !== undefined) return { cause: "status", code: status, retry_after: retryAfter(error), message };
  // What lies below is more exact: `fetch` and the SDKs say little beside it.
  const found = chain(error).flatMap((it) => {
    const names = [member(it, "code"), member(it, "name"), member(member(it, "constructor"), "name")];
    return names.flatMap((name) => CAUSES.get(name) ?? []);
  });
  const cause = found.find((it) => it !== "disconnected") ?? found[0];
  return cause && { cause, message };
}

const isStatus = (it: unknown): it is number => Number.isInteger(it) && Number(it) >= 400 && Number(it) <= 599;

/** An error and its causes. They may be a circle. */
function chain(error: unknown): unknown[] {
  const seen = new Set<unknown>();
  for (let it = error; it && !seen.has(it); it = member(it, "cause")) seen.add(it);
  return [...seen];
}

/** The milliseconds of `Retry-After`; a date is not read. */
function retryAfter(error: unknown): number | undefined {
  const headers = member(error, "responseHeaders") ?? member(error, "headers");
  const isHeaders = typeof member(headers, "get") === "function";
  const read = (name: string) =>
    Number.parseFloat(String(isHeaders ? (headers as Headers).get(name) : member(headers, name)));
  const ms = [read("retry-after-ms"), read("retry-after") * 1000].find((it) => it >= 0 && Number.isFinite(it));
  return ms === undefined ? undefined : Math.min(Math.round(ms), Number.MAX_SAFE_INTEGER);
}

function member(it: unknown, name: string): unknown {
  return (it as Record<string, unknown> | null | undefined)?.[name];
}
