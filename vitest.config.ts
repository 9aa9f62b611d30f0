import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)) } },
  test: {
    // The test runner has a variable of this name, too.
    env: { BASE_URL: "" },
    include: ["*.test.ts", "{app,docs,lib,server,scripts,prisma}/**/*.test.ts"],
    // Several mostly wait, for a silence or the type check. The build runs beside them for the shorter half.
    maxWorkers: 2 * availableParallelism(),
    // They only bound a hang: the machine may be busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
