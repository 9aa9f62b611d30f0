import { expect, test } from "vitest";
import { AGENTS, type Body, EMPTY, REPORTERS } from "@/e2e/support/agent-protocols";
import { send as sendTo } from "@/e2e/support/agent-requests";
import { getData } from "@/e2e/support/ask";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { getServerReport } from "@/lib/servers/servers";

// What the console remembers of bodies that it cannot use, for the page of their server.

const [, DAEMON] = Object.entries(REPORTERS)[0] as [string, (typeof REPORTERS)[string]];

async function newReporter() {
  const account = await newAccount();
  const server = await newReportingServer(account.id);
  const send = async (path: string, body: Body, headers?: Record<string, string>) =>
    (await sendTo(path, server.key, body, headers)).status;
  const refusal = async () => (await getServerReport(account.id, String(server.id))).refusal;
  /** Changes with each write of the row. */
  const version = async () => {
    const [row] = await db.$queryRaw<{ xmin: string }[]>`select xmin::text from servers where id = ${server.id}`;
    return row?.xmin;
  };
  const refusedAgo = (ms: number) =>
    db.$executeRaw`update servers set refused_since = now() - ${ms} * interval '1 ms' where id = ${server.id}`;
  return { account, ...server, send, refusal, version, refusedAgo };
}

for (const [name, { path, body }] of Object.entries(REPORTERS)) {
  test(`why a body of ${name} is refused is kept until the next check-in`, async () => {
    const { send, refusal } = await newReporter();
    const before = Date.now() - SECOND;
    const broken = "\u0000{";
    expect(await send(path, broken)).toBe(400);
    expect(await refusal()).toEqual({ reason: expect.stringMatching(/^[^{]+\.$/), since: expect.any(Number) });
    expect((await refusal())?.since).toBeGreaterThan(before);
    expect(await send(path, body(Date.now() - SECOND, 0))).toBeLessThan(300);
    expect(await refusal()).toBeNull();
    // At once, although a check-in has just come.
    expect(await send(path, broken, { "Content-Encoding": "br" })).toBe(415);
    expect((await refusal())?.reason).toMatch(/^Send /);
    expect(await send(path, body(Date.now(), 1))).toBeLessThan(300);
    expect(await refusal()).toBeNull();
    expect(await send(path, "x".repeat(2 ** 21))).toBe(413);
    expect((await refusal())?.reason).toMatch(/^The body is larger than /);
  });
}

test("refused bodies cause at most one write a minute, whatever the reasons", async () => {
  const { send, refusal, version, refusedAgo } = await newReporter();
  const aheadBy = (ms: number) => send(DAEMON.path, JSON.stringify({ sampled_at: Date.now() + ms }));
  await aheadBy(HOUR);
  const [first, written] = [await refusal(), await version()];
  expect(first?.reason).toMatch(/^sampled_at: is 60 minutes ahead/);
  await aheadBy(HOUR);
  await send(DAEMON.path, "{");
  await aheadBy(2 * HOUR);
  expect([await refusal(), await version()]).toEqual([first, written]);
  await refusedAgo(5 * MINUTE);
  const since = (await refusal())?.since;
  const dated = await version();
  await aheadBy(2 * HOUR);
  expect([await version(), (await refusal())?.since]).toEqual([dated, since]);
  await send(DAEMON.path, "{");
  expect((await refusal())?.reason).toBe("The body is not JSON.");
  expect((await refusal())?.since).toBeGreaterThan((since ?? 0) + 4 * MINUTE);
});

for (const [name, { path, body }] of Object.entries(AGENTS)) {
  test(`bodies of ${name} without usable values are told of while the server is silent`, async () => {
    const { id, send, refusal } = await newReporter();
    const empty = EMPTY[path.split("?")[0] ?? ""] ?? "";
    expect(await send(path, empty)).toBeLessThan(300);
    expect((await refusal())?.reason).toMatch(/^It holds nothing of .+\.$/);
    expect(await send(path, body(Date.now() - SECOND, 0))).toBeLessThan(300);
    // The rest of a scrape, in a request of its own.
    expect(await send(path, empty)).toBeLessThan(300);
    expect(await refusal()).toBeNull();
    await db.server.update({ where: { id }, data: { lastSeenAt: new Date(Date.now() - 3 * MINUTE) } });
    expect(await send(path, body(Date.now() - 3 * HOUR, 0))).toBeLessThan(300);
    expect((await refusal())?.reason).toBe("Its values are more than 2 hours old.");
  });
}

test("a body stored in part is no refusal, and long reasons are cut", async () => {
  const { path, body } = AGENTS.Telegraf as (typeof AGENTS)[string];
  const { send, refusal } = await newReporter();
  expect(await send(path, `${body(Date.now() - SECOND, 0)}\nno line\n`)).toBe(400);
  expect(await refusal()).toBeNull();
  expect(await send(path, "no line\n".repeat(90))).toBe(400);
  expect((await refusal())?.reason).toMatch(/^line 1: .+…$/s);
  expect((await refusal())?.reason).toHaveLength(300);
});

test("a refusal is no check-in, and neither API nor other accounts show it", async () => {
  const { account, id, send } = await newReporter();
  const other = await newReporter();
  const before = await getData(`/api/v1/servers/${id}`, account.token);
  expect(await send(DAEMON.path, "{")).toBe(400);
  expect(await getData(`/api/v1/servers/${id}`, account.token)).toEqual(before);
  expect(await other.refusal()).toBeNull();
  await expect(getServerReport(other.account.id, String(id))).rejects.toThrow("Not found.");
});
