/** The WebAssembly module, ready for use. */

import bytes from "./wasm/bytes.js";
import { initSync } from "./wasm/guards.js";

const text = atob(bytes);
const module = new Uint8Array(text.length);
for (let at = 0; at < text.length; at += 1) module[at] = text.charCodeAt(at);
initSync({ module });

export { Conversations, Exchange, Guards, Run } from "./wasm/guards.js";
