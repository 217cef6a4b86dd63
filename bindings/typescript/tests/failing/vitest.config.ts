import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["tests/failing/{one,dying}.ts"], testTimeout: 60_000 } });
