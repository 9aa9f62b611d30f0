import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf, isAlive } from "@/e2e/support/child-processes";
import { call, expect, getData, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { SLOW } from "@/e2e/support/patience";
import { readIfThere, runCommand, signIn } from "@/e2e/support/running-command";
import { createTestDatabase } from "@/e2e/support/test-database";
import { DIST_DIRS } from "@/scripts/build";

test("npm run dev serves the demo, stops cleanly and changes no project file", async ({ page }) => {
  const database = await createTestDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // The last Next process wrote this file. It is not in git.
  const routeTypes = readIfThere("next-env.d.ts");
  const filesBefore = projectFiles();
  const dev = await runCommand("dev", { DATABASE_URL: database.url, PORT: String(port) }, "Ctrl-C stops everything");
  const started = childrenOf(dev.child.pid);
  // It builds a page when it is asked for it the first time.
  page.setDefaultNavigationTimeout(SLOW.timeout);
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  try {
    const token = /cpat_\w+/.exec(dev.output())?.[0] ?? "";
    expect(await getData("/api/v1/me", token, { origin })).toMatchObject({ email: "ada@demo.example" });
    const { servers } = await getData<{ servers: unknown[] }>("/api/v1/servers", token, { origin });
    expect(servers.length).toBeGreaterThanOrEqual(6);
    expect((await call("/api/v1/me", null, { origin })).status).toBe(401);

    await signIn(page, origin);
    expect(refused).toEqual([]);
  } finally {
    expect(await dev.stop()).toBe(0);
    await database.stop();
    rmSync(join(DIST_DIRS.test, "dev"), { recursive: true, force: true });
    if (routeTypes !== null) writeFileSync("next-env.d.ts", routeTypes);
  }
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(projectFiles()).toEqual(filesBefore);
});

/** The files that a development server could change, and the build that other tests use. */
function projectFiles() {
  const names = ["tsconfig.json", "package.json", join(DIST_DIRS.test, "BUILD_ID")];
  return names.map((name) => ({ name, text: readIfThere(name) }));
}
