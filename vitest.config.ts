import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)) } },
  test: {
    // The test runner has a variable of this name, too.
    env: { BASE_URL: "" },
    include: ["*.test.ts", "{app,docs,lib,server,scripts,prisma}/**/*.test.ts"],
    // The build runs beside them, and leaves both cores to them for the longer half.
    maxWorkers: "100%",
    // They only bound a hang: the machine may be busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
