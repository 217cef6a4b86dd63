/** Checks of what callers give: plain JavaScript has no compiler that would say it. */

import { visible } from "./visible.ts";

/** Throws for a member that there is not: a mistyped one would do nothing. */
export function members(what: string, value: object, names: string[]): void {
  const other = Object.keys(value).find((it) => !names.includes(it));
  if (other !== undefined) throw unlike(what, listed(names), `\`${other}\``);
}

/** Throws for a value that is none of these words. */
export function word(what: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string)) throw unlike(what, listed(words), said(value));
}

/** The value, if it is a text. */
export function text(what: string, value: string): string {
  if (typeof value !== "string") throw unlike(what, "a string", said(value));
  return value;
}

const unlike = (what: string, expected: string, found: string) =>
  new TypeError(visible(`${what}: expected ${expected}, found ${found}`));

const listed = (words: readonly string[]) => words.map((it) => `\`${it}\``).join(", ");

/** A value in an error. */
export function said(value: unknown): string {
  if (value === undefined || value === null) return `\`${value}\``;
  return typeof value === "object" ? "an object" : `\`${String(value)}\` (${typeof value})`;
}
