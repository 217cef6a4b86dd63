/** The tokens of several requests to a model. */

import type { LanguageModelV4GenerateResult as Result } from "@ai-sdk/provider";

type Usage = Result["usage"];

/** No tokens were counted. */
export const NO_USAGE: Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The tokens of all requests; `raw` has those of the last one, as its provider counted them. */
export function sum(usages: Usage[]): Usage {
  return usages.reduce(
    (all, it) => ({
      ...it,
      inputTokens: added(all.inputTokens, it.inputTokens),
      outputTokens: added(all.outputTokens, it.outputTokens),
    }),
    NO_USAGE,
  );
}

/** Counts of the same names; one that only one of them has is that one. */
function added<Counts extends Record<string, number | undefined>>(all: Counts, more: Counts): Counts {
  const names = Object.keys({ ...all, ...more });
  const both = (name: string) => [all[name], more[name]].filter((it) => it !== undefined);
  const plus = (name: string) => (both(name).length ? both(name).reduce((a, b) => a + b) : undefined);
  return Object.fromEntries(names.map((name) => [name, plus(name)])) as Counts;
}
