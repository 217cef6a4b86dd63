/** The WebAssembly module, ready for use. */

import bytes from "./wasm/bytes.js";
import { initSync } from "./wasm/guards.js";

const text = atob(bytes);
const module = new Uint8Array(text.length);
for (let at = 0; at < text.length; at += 1) module[at] = text.charCodeAt(at);
initSync({ module });

export { Conversations, Exchange, Guards, Run } from "./wasm/guards.js";

/** The value without members that are `undefined`: the module takes them for values. */
export function defined<T>(value: T): T {
  if (Array.isArray(value)) return value.map(defined) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, it]) => it !== undefined);
  return Object.fromEntries(members.map(([name, it]) => [name, defined(it)])) as T;
}
