/**
 * One dialogue for every door: a model that announces, reads a file three times, and answers. The guards correct the
 * announcement and refuse the third call, so the agent sees two calls and the answer.
 */

import type { Told } from "../src/index.ts";

export const TASK = "Read notes.txt and tell me what it says.";
export const NOTES = "milk, bread and a long list of other things";
export const ANNOUNCED = "I will read the file now.";
export const ANSWER = "It says milk and bread.";
export const TOLD = ["no-tools feedback", "duplicate block"];
export const EFFECTS = { read_file: "read-only" } as const;

export const names = (told: Told[]) => told.map((it) => `${it.guard} ${it.kind}`);
