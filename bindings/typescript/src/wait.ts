import type { Wait } from "./values.ts";

/** Waits for a random time from the range, and returns it in milliseconds. */
export function waitFor({ at_least, at_most }: Wait, signal?: AbortSignal): Promise<number> {
  const ms = at_least + Math.floor(Math.random() * (at_most - at_least + 1));
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve(ms);
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
