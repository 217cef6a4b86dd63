/** What an error of a client says about the attempt that it ended. */

import type { Failure } from "./values.ts";

/** Codes of Node.js and names of errors, by what they say of the attempt. */
const CAUSES: Record<string, "connect" | "timed-out" | "disconnected"> = {
  ECONNREFUSED: "connect",
  ENOTFOUND: "connect",
  EAI_AGAIN: "connect",
  UND_ERR_CONNECT_TIMEOUT: "connect",
  ETIMEDOUT: "timed-out",
  TimeoutError: "timed-out",
  APIConnectionTimeoutError: "timed-out",
  UND_ERR_HEADERS_TIMEOUT: "timed-out",
  UND_ERR_BODY_TIMEOUT: "timed-out",
  ECONNRESET: "disconnected",
  EPIPE: "disconnected",
  UND_ERR_SOCKET: "disconnected",
  APIConnectionError: "disconnected",
};

/** The failure that an error is; `undefined` if it is none of a provider or a network. */
export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const code = member(error, "statusCode") ?? member(error, "status");
  if (typeof code === "number" && code >= 400 && code <= 599) {
    return { cause: "status", code, retry_after: retryAfter(error), message };
  }
  // What lies below is more exact: `fetch` and the SDKs say little beside it.
  const found = chain(error).flatMap((it) => {
    const words = [member(it, "code"), it.name, it.constructor.name];
    return words.flatMap((word) => CAUSES[String(word)] ?? []);
  });
  const cause = found.find((it) => it !== "disconnected") ?? found[0];
  return cause && { cause, message };
}

function chain(error: Error): Error[] {
  const { cause } = error;
  return [error, ...(cause instanceof Error && cause !== error ? chain(cause) : [])];
}

/** The milliseconds of `Retry-After`; a date is not read. */
function retryAfter(error: Error): number | undefined {
  const headers = member(error, "responseHeaders") ?? member(error, "headers");
  const named = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const read = (name: string) => Number.parseFloat(String(member(named, name)));
  const ms = [read("retry-after-ms"), read("retry-after") * 1000].find((it) => it >= 0 && Number.isFinite(it));
  return ms === undefined ? undefined : Math.round(ms);
}

function member(it: unknown, name: string): unknown {
  return it instanceof Object ? (it as Record<string, unknown>)[name] : undefined;
}
