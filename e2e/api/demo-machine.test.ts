import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { AgentBench, TOOLS } from "@/e2e/support/agent";
import { db } from "@/lib/database/client";
import { FIRST_ACCOUNT } from "@/prisma/demo/data";
import { startThisMachine } from "@/prisma/demo/this-machine";

// The machine that the demo runs on, where it cannot join the fleet. That it does is in e2e/operations/demo.spec.ts.

const NOWHERE = "http://127.0.0.1:1";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("outside Linux the demo leaves out this machine and says why", async () => {
  vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  const { line, stop } = await startThisMachine(NOWHERE);
  expect(await line).toBe('"This machine" is left out: its daemon reads /proc, which Linux alone has.');
  await stop();
});

test("without curl and wget the demo leaves out this machine and says why", async ({ skip }) => {
  skip(process.platform !== "linux", "the daemon reads /proc");
  const { name, email } = FIRST_ACCOUNT;
  const { id: accountId } = await db.account.create({ data: { name, email } });
  const bench = new AgentBench();
  onTestFinished(() => bench.remove());
  onTestFinished(async () => void (await db.account.delete({ where: { id: accountId } })));
  bench.only(TOOLS);
  vi.stubEnv("PATH", bench.dir);
  const { line, stop } = await startThisMachine(NOWHERE);
  expect(await line).toMatch(/^"This machine" is left out: This needs curl or GNU wget/);
  expect(await db.server.count({ where: { accountId } })).toBe(0);
  await stop();
});
