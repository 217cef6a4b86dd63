/** A test whose server dies, for the test of what is then said. */

import { test } from "../../src/vitest.ts";

test("loses its server", async ({ balk, balkServer }) => {
  await balk.play("repeating");
  await balkServer.close();
  throw new Error("my own error");
});
