/** Answers that are data, which no guard is to judge as words. */

import { Kept } from "./kept.ts";

/** What the guards are shown in the place of data, and the data that it is. */
export class Data {
  readonly #texts = new Kept<string>();
  #count = 0;

  /** What stands for this text. */
  withheld(text: string): string {
    this.#count += 1;
    const mark = `data:application/json,${this.#count}`;
    this.#texts.set(mark, text);
    return mark;
  }

  /** The text that this stands for, if it does for one. */
  shown(text: string): string {
    return this.#texts.get(text) ?? text;
  }
}
