import { expect, test } from "vitest";
import { call } from "@/e2e/support/ask";
import { newAccount, newNamedToken, putEvents, unique } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { watchTokens } from "@/lib/tokens/events/endings";
import { confirmNetworks, listTokenNews } from "@/lib/tokens/events/token-events";
import { revokeTokens } from "@/lib/tokens/management";
import { recordRequest } from "@/lib/tokens/use";

// What is recorded of tokens: in the statement of its cause, or by the watch where it follows from a date.

const eventsOf = (tokenId: number) =>
  db.event.findMany({
    where: { subject: "token", subjectId: tokenId },
    orderBy: { startedAt: "asc" },
    select: { kind: true, startedAt: true, endedAt: true, facts: true },
  });
const from = (ip: string) => ({
  headers: { "User-Agent": "curl/8.5.0", "X-Forwarded-For": ip },
});

test("repeated refusals of a token are one event, with number and last sender", async () => {
  const { id: accountId } = await newAccount();
  const { raw, token } = await newNamedToken(accountId, "ended", { revokedAt: new Date() });
  const networks = ["203.0.113.0/24"];
  const { raw: restricted, token: elsewhere } = await newNamedToken(accountId, "restricted", { networks });
  const { raw: ofDisabled, token: disabled } = await newNamedToken((await newAccount()).id, "of a disabled account");
  await db.account.updateMany({
    where: { accessTokens: { some: { id: disabled.id } } },
    data: { disabledAt: new Date() },
  });
  const refuse = async (secret: string, ip: string) =>
    expect((await call("/api/v1/me", secret, from(ip))).status).toBe(401);
  const began = Date.now();
  await refuse(raw, "192.0.2.1");
  await refuse(raw, "192.0.2.2");
  await refuse(restricted, "192.0.2.3");
  await refuse(ofDisabled, "192.0.2.4");
  await expect.poll(async () => (await eventsOf(token.id)).map(({ facts }) => facts)).toMatchObject([{ count: 2 }]);
  const [event] = await eventsOf(token.id);
  expect(event).toMatchObject({ kind: "refused_after_end", facts: { ip: "192.0.2.2", agent: "curl/8.5.0" } });
  expect(event?.startedAt.getTime()).toBeGreaterThanOrEqual(began);
  expect(event?.endedAt?.getTime()).toBeLessThanOrEqual(Date.now());
  await expect
    .poll(() => eventsOf(elsewhere.id))
    .toMatchObject([{ kind: "refused_elsewhere", facts: { count: 1, ip: "192.0.2.3" } }]);
  const { id } = disabled;
  await expect.poll(async () => (await db.accessToken.findUniqueOrThrow({ where: { id } })).refusedCount).toBe(1);
  expect(await eventsOf(id)).toEqual([]);

  // A day without a refusal is between them.
  const dayBefore = (at: Date | null | undefined) => new Date(Number(at) - DAY - SECOND);
  await db.event.updateMany({
    where: { subject: "token", subjectId: token.id },
    data: { startedAt: dayBefore(event?.startedAt), endedAt: dayBefore(event?.endedAt) },
  });
  const now = new Date();
  expect(await listTokenNews([token.id], now)).toEqual([]);
  await refuse(raw, "192.0.2.5");
  await expect
    .poll(async () => (await eventsOf(token.id)).map(({ facts }) => facts))
    .toMatchObject([{ count: 2 }, { count: 1, ip: "192.0.2.5" }]);
  expect(await listTokenNews([token.id], new Date())).toMatchObject([{ facts: { ip: "192.0.2.5" } }]);
});

test("a token's use from a new network is one event, except on first use", async () => {
  const { id: accountId } = await newAccount();
  const at = Date.now() - MINUTE;
  const use = (tokenId: number, ip: string, after: number, kind: "requests" | "refused" = "requests") =>
    recordRequest(tokenId, kind, { ip, agent: "curl/8.5.0" }, at + after);
  const { token: used } = await newNamedToken(accountId, "used before");
  const known = { firstSeenAt: new Date(at - DAY), lastSeenAt: new Date(at - DAY) };
  await db.tokenVisitor.create({ data: { tokenId: used.id, ip: "192.0.2.1", network: "192.0.2.1", ...known } });
  const told = { kind: "new_network", startedAt: new Date(at - 9 * DAY), endedAt: new Date(at - 2 * DAY) };
  await putEvents(["token", used.id], { ...told, facts: { network: "198.51.100.9" } });
  const { token: fresh } = await newNamedToken(accountId, "used for the first time");
  for (const [ip, after] of [
    ["192.0.2.1", 0],
    ["198.51.100.9", 1],
    ["2001:db8:1:2::1", 20],
    ["2001:db8:1:2::2", 10],
  ] as const)
    use(used.id, ip, after);
  use(used.id, "192.0.2.77", 5, "refused");
  use(fresh.id, "192.0.2.1", 0);
  use(fresh.id, "192.0.2.2", 7);
  await expect.poll(async () => (await eventsOf(used.id)).slice(1)).toHaveLength(1);
  const news = { kind: "new_network", endedAt: null };
  expect((await eventsOf(used.id)).slice(1)).toEqual([
    { ...news, startedAt: new Date(at + 10), facts: { network: "2001:db8:1:2::/64", agent: "curl/8.5.0" } },
  ]);
  expect(await eventsOf(fresh.id)).toEqual([
    { ...news, startedAt: new Date(at + 7), facts: { network: "192.0.2.2", agent: "curl/8.5.0" } },
  ]);

  const seen = [{ tokenId: used.id, network: "2001:db8:1:2::/64" }];
  const now = new Date();
  await confirmNetworks((await newAccount()).id, seen, now);
  expect(await listTokenNews([used.id], now)).toHaveLength(1);
  await confirmNetworks(accountId, seen, now);
  expect((await eventsOf(used.id)).at(-1)?.endedAt).toEqual(now);
  expect(await listTokenNews([used.id], now)).toEqual([]);
  expect(await listTokenNews([fresh.id], now)).toHaveLength(1);
});

test("the end of a token is told 14 and 3 days before, once each", async () => {
  const { id: accountId } = await newAccount();
  const now = Date.now();
  const add = async (end: number, age: number, data: { revokedAt?: Date; replacedById?: number } = {}) => {
    const [createdAt, expiresAt] = [new Date(now - age * DAY), new Date(now + end * DAY)];
    const { token } = await newNamedToken(accountId, unique("ending"), { createdAt, expiresAt, ...data });
    return { id: token.id, end };
  };
  const [far, near, nearer] = [await add(20, 100), await add(13, 100), await add(2, 100)];
  // Short, revoked, over and replaced.
  await add(5, 1);
  await add(2, 100, { revokedAt: new Date() });
  await add(-1, 100);
  await add(2, 100, { replacedById: far.id });
  // The one in its place was lost: it is to be replaced again.
  const { token: lost } = await newNamedToken(accountId, "lost");
  await revokeTokens(accountId, [lost.id]);
  const alone = await add(2, 100, { replacedById: lost.id });
  const events = () =>
    db.event.findMany({
      where: { subject: "token", accountId },
      orderBy: [{ subjectId: "asc" }, { startedAt: "asc" }],
      select: { subjectId: true, kind: true, startedAt: true, endedAt: true },
    });
  await Promise.all([1, 2, 3, 4].map(() => watchTokens(now)));
  const of = ({ id, end }: { id: number; end: number }, days: 14 | 3) => {
    const at = new Date(now + (end - days) * DAY);
    return { subjectId: id, kind: `ends_in_${days}_days`, startedAt: at, endedAt: at };
  };
  const ofAlone = [of(alone, 14), of(alone, 3)];
  const first = [of(near, 14), of(nearer, 14), of(nearer, 3), ...ofAlone];
  expect(await events()).toEqual(first);
  await watchTokens(now + HOUR);
  expect(await events()).toEqual(first);
  await watchTokens(now + 10 * DAY);
  expect(await events()).toEqual([of(far, 14), of(near, 14), of(near, 3), of(nearer, 14), of(nearer, 3), ...ofAlone]);

  const [older, newer] = [new Date(now - 8 * DAY), new Date(now - 6 * DAY)];
  const kind = "new_network";
  await putEvents(["token", far.id], { kind, startedAt: older }, { kind, startedAt: newer });
  await watchTokens(now);
  expect((await events()).filter((event) => event.kind === kind)).toMatchObject([
    { startedAt: older, endedAt: new Date(Number(older) + 7 * DAY) },
    { startedAt: newer, endedAt: null },
  ]);
});
