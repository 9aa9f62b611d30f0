import { expect, test } from "vitest";
import { newAccount, newGameService, newOwnedService, unique } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import {
  MAX_OPEN_TICKETS,
  MAX_SHARES,
  MAX_TICKETS,
  MAX_TICKETS_OF_ACCOUNT,
  openServiceTicket,
  shareService,
} from "@/lib/game-services/access";
import { createService, MAX_SERVICES } from "@/lib/game-services/management";
import { createServer, MAX_SERVERS } from "@/lib/servers/management";
import { MAX_SESSIONS } from "@/lib/sign-in/session-row";
import { deleteOld } from "@/lib/sweep/retention";

// Reaches the limits that docs/limits.md states.

test("an account has at most a thousand servers", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`insert into servers (account_id, label, hostname) select ${id}, 'l', 'h' from generate_series(2, ${MAX_SERVERS})`;
  const add = () => createServer(id, { label: "Further", hostname: "further.example.net" });
  expect((await add()).kind).toBe("created");
  expect((await add()).kind).toBe("invalid");
  expect(await db.server.count({ where: { accountId: id } })).toBe(MAX_SERVERS);
});

test("an account has at most a hundred game services", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`
    insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select ${id}, 'n', 'n' || n || '.' || ${id} || '.example.com', 'o', 1 from generate_series(2, ${MAX_SERVICES}) n`;
  const add = (name: string) =>
    createService(
      id,
      {
        name: "Further",
        javaHostname: `${name}${id}.play.example.org`,
        originHost: "origin.example.org",
        originPort: "25565",
      },
      { ownHosts: [], allowPrivateOrigins: false },
    );
  expect((await add("a")).kind).toBe("created");
  expect((await add("b")).kind).toBe("invalid");
  expect(await db.gameService.count({ where: { accountId: id } })).toBe(MAX_SERVICES);
});

test("a game service is shared with at most fifty e-mails, with or without accounts", async () => {
  const owner = await newAccount();
  const { id } = await newGameService(owner.id);
  const others = Array.from({ length: MAX_SHARES + 1 }, () => `${unique("shared")}@example.com`);
  await db.account.createMany({ data: others.map((email) => ({ email, name: "Shared" })) });
  const share = async (email: string) => (await shareService(owner.id, id, email)).kind;
  const [one = "", another = "", ...first] = others;
  for (const email of first) expect(await share(email)).toBe("shared");
  // One place is left, for two at once.
  expect((await Promise.all([one, another].map(share))).sort()).toEqual(["invalid", "shared"]);
  expect(await share("nobody@example.net")).toBe("invalid");
  expect(await db.serviceShare.count({ where: { serviceId: id } })).toBe(MAX_SHARES);
  expect(await db.serviceGrant.count({ where: { serviceId: id } })).toBe(MAX_SHARES);
});

test("tickets are limited per service and per account, whatever services the account deletes", async () => {
  const { accountId, id } = await newOwnedService();
  const open = (serviceId = id) => openServiceTicket(accountId, serviceId, "It does not work");
  const closeAll = () => db.ticket.updateMany({ where: { accountId }, data: { status: "closed" } });
  for (let n = 1; n < MAX_OPEN_TICKETS; n++) expect((await open()).kind).toBe("opened");
  const lastTwo = await Promise.all([open(), open()]);
  expect(lastTwo.map(({ kind }) => kind).sort()).toEqual(["invalid", "opened"]);
  await closeAll();
  await db.$executeRaw`
    insert into tickets (account_id, service_id, subject, status)
    select ${accountId}, ${id}, 's', 'closed' from generate_series(${MAX_OPEN_TICKETS} + 2, ${MAX_TICKETS})`;
  expect((await open()).kind).toBe("opened");
  await closeAll();
  expect((await open()).kind).toBe("invalid");
  expect(await db.ticket.count({ where: { serviceId: id } })).toBe(MAX_TICKETS);

  await db.gameService.delete({ where: { id } });
  await db.$executeRaw`
    insert into tickets (account_id, subject, status)
    select ${accountId}, 's', 'closed' from generate_series(${MAX_TICKETS} + 2, ${MAX_TICKETS_OF_ACCOUNT})`;
  const [one, two] = [await newGameService(accountId), await newGameService(accountId)];
  const last = await Promise.all([open(one.id), open(two.id)]);
  expect(last.map(({ kind }) => kind).sort()).toEqual(["invalid", "opened"]);
  expect(await db.ticket.count({ where: { accountId } })).toBe(MAX_TICKETS_OF_ACCOUNT);
});

test("of the sessions of an account the latest thousand are kept", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`
    insert into sessions (token_hash, account_id, created_at, expires_at)
    select md5(${id}::text || n), ${id}, now() - n * interval '1 s', now() + interval '1 day' from generate_series(1, 1010) n`;
  await deleteOld("sessions", async () => true);
  expect(await db.session.count({ where: { accountId: id } })).toBe(MAX_SESSIONS);
  const oldest = await db.session.findFirst({ where: { accountId: id }, orderBy: { createdAt: "asc" } });
  expect(oldest?.createdAt.getTime()).toBeGreaterThan(Date.now() - 1005 * SECOND - MINUTE);
});
