import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": fileURLToPath(new URL(".", import.meta.url)) } },
  test: { include: ["{app,lib,server,scripts,prisma}/**/*.test.ts"], testTimeout: 30_000 },
});
