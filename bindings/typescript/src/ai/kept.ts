/** Values for later requests, within a bound. */

/** How many are kept; the conversations that are kept are as many. */
const KEPT = 64;

/** Values by their keys. The oldest is forgotten. */
export class Kept<Value> extends Map<string, Value> {
  override set(key: string, value: Value): this {
    super.set(key, value);
    for (const [oldest] of this) {
      if (this.size <= KEPT) break;
      this.delete(oldest);
    }
    return this;
  }
}
