/**
 * Values as MessagePack: the form in which they go into the WebAssembly module, in one piece.
 *
 * `@msgpack/msgpack` is no replacement: it writes half of a surrogate pair, which a cut text can end with, as bytes
 * that are no UTF-8, and the module would refuse the whole value.
 */

/** The room that is kept from one value to the next. */
const KEPT = 1 << 20;

/** Names of members have fewer letters. */
const SHORT = 16;

const encoder = new TextEncoder();
let bytes = new Uint8Array(1 << 12);
let view = new DataView(bytes.buffer);
let end = 0;

/** The value, without members that are `undefined`. It is good until the next call. */
export function packed(value: unknown): Uint8Array {
  if (bytes.length > KEPT) roomOf(KEPT);
  end = 0;
  put(value);
  return bytes.subarray(0, end);
}

function put(value: unknown): void {
  if (typeof value === "string") {
    // A unit of UTF-16 becomes at most three bytes.
    reserve(5 + 3 * value.length);
    const written = ascii(value) || encoder.encodeInto(value, bytes.subarray(end + 5)).written;
    head(0xdb, written);
    end += written;
  } else if (Array.isArray(value)) {
    head(0xdd, value.length);
    for (const item of value) put(item);
  } else if (typeof value === "object" && value !== null) {
    const start = end;
    head(0xdf, 0);
    let members = 0;
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      put(name);
      put(member);
      members += 1;
    }
    view.setUint32(start + 1, members);
  } else if (typeof value === "number") {
    reserve(9);
    if (Number.isSafeInteger(value)) {
      view.setUint8(end, 0xd3);
      view.setBigInt64(end + 1, BigInt(value));
    } else {
      view.setUint8(end, 0xcb);
      view.setFloat64(end + 1, value);
    }
    end += 9;
  } else if (typeof value === "boolean" || value === undefined || value === null) {
    reserve(1);
    bytes[end] = value ? 0xc3 : value === false ? 0xc2 : 0xc0;
    end += 1;
  } else {
    throw new TypeError(`expected texts, numbers, booleans, arrays and objects; found a ${typeof value}`);
  }
}

/** Writes a short text that is ASCII, which an encoder takes longer to begin with; 0 for any other. */
function ascii(text: string): number {
  if (text.length > SHORT) return 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return 0;
    bytes[end + 5 + at] = unit;
  }
  return text.length;
}

/** The byte that says what follows, and its length. */
function head(kind: number, length: number): void {
  reserve(5);
  view.setUint8(end, kind);
  view.setUint32(end + 1, length);
  end += 5;
}

function reserve(more: number): void {
  if (end + more > bytes.length) roomOf(2 * (end + more));
}

function roomOf(length: number): void {
  const before = bytes.subarray(0, end);
  bytes = new Uint8Array(length);
  view = new DataView(bytes.buffer);
  bytes.set(before.subarray(0, length));
}
