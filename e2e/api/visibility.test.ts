import { expect, test } from "vitest";
import { call, expectFailure, getData } from "@/e2e/support/ask";
import { comparable } from "@/e2e/support/calls";
import { newAccount, newBenchmarkRun, newGameService, newServer, type TestAccount } from "@/e2e/support/factories";
import { UNUSABLE_IDS } from "@/e2e/support/unusable-ids";
import { db } from "@/lib/database/client";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// Spec 2.5 and section 4, rules 4, 5 and 8: who sees which game service, decided anew by each request.

const ROLES = ["customer", "support", "admin"] as const;
const NO_OR_YES = [false, true] as const;
/** The ticket that exists, if any, and whether it opens the service to staff. */
const TICKETS = {
  none: false,
  open: true,
  closed: false,
  "open, of another service": false,
  "open, of another account": false,
  "open, without a service": false,
} as const;

type Ticket = keyof typeof TICKETS;
type Row = { owner: boolean; grant: boolean; supportAccess: boolean; ticket: Ticket };

const ROWS: Row[] = NO_OR_YES.flatMap((owner) =>
  NO_OR_YES.flatMap((grant) =>
    NO_OR_YES.flatMap((supportAccess) =>
      (Object.keys(TICKETS) as Ticket[]).map((ticket) => ({ owner, grant, supportAccess, ticket })),
    ),
  ),
);

function isVisible(role: (typeof ROLES)[number], row: Row): boolean {
  if (row.owner || row.grant) return true;
  return role !== "customer" && (row.supportAccess || TICKETS[row.ticket]);
}

async function setUpRow(viewer: TestAccount, other: TestAccount, row: Row): Promise<number> {
  const owner = row.owner ? viewer : other;
  const { id } = await newGameService(owner.id, { supportAccess: row.supportAccess });
  if (row.grant) await db.serviceGrant.create({ data: { serviceId: id, accountId: viewer.id } });
  if (row.ticket !== "none") {
    const anotherService = await newGameService(owner.id);
    const serviceIds: Partial<Record<Ticket, number | null>> = {
      "open, of another service": anotherService.id,
      "open, without a service": null,
    };
    const { [row.ticket]: serviceId = id } = serviceIds;
    const stranger = owner === viewer ? other : await newAccount();
    await db.ticket.create({
      data: {
        accountId: row.ticket === "open, of another account" ? stranger.id : owner.id,
        serviceId,
        subject: "Players cannot connect",
        status: row.ticket === "closed" ? "closed" : "open",
      },
    });
  }
  return id;
}

for (const role of ROLES) {
  test(`${role}: owner, grant, support access and ticket decide visibility in all 48 combinations`, async () => {
    const other = await newAccount();
    // Three calls a row, and a token has 120 a minute: a fresh viewer for every few rows.
    for (let from = 0; from < ROWS.length; from += 24) {
      const viewer = await newAccount(role);
      for (const row of ROWS.slice(from, from + 24)) {
        const id = await setUpRow(viewer, other, row);
        const status = isVisible(role, row) ? 200 : 404;
        const label = JSON.stringify(row);
        expect((await call(`/api/v1/game-services/${id}`, viewer.token)).status, label).toBe(status);
        expect((await call(`/api/v1/game-services/${id}/metrics`, viewer.token)).status, label).toBe(status);
        const { services } = await getData<{ services: { id: number }[] }>("/api/v1/game-services", viewer.token);
        expect(
          services.some((service) => service.id === id),
          `list: ${label}`,
        ).toBe(row.owner || row.grant);
      }
    }
  });
}

test("each input toggled changes the very next response of a staff account", async () => {
  const owner = await newAccount();
  const staff = await newAccount("support");
  const { id: serviceId } = await newGameService(owner.id);
  const status = async () => (await call(`/api/v1/game-services/${serviceId}`, staff.token)).status;
  const setSupportAccess = (supportAccess: boolean) =>
    db.gameService.update({ where: { id: serviceId }, data: { supportAccess } });
  const ticket = await db.ticket.create({
    data: { accountId: owner.id, serviceId, subject: "Help", status: "closed" },
  });
  const setTicket = (status: "open" | "closed") => db.ticket.update({ where: { id: ticket.id }, data: { status } });
  const grant = { serviceId, accountId: staff.id };
  const setRole = (role: "support" | "customer") => db.account.update({ where: { id: staff.id }, data: { role } });

  expect(await status()).toBe(404);
  await setSupportAccess(true);
  expect(await status()).toBe(200);
  await setSupportAccess(false);
  expect(await status()).toBe(404);
  await setTicket("open");
  expect(await status()).toBe(200);
  await setRole("customer");
  expect(await status()).toBe(404);
  await setRole("support");
  expect(await status()).toBe(200);
  await setTicket("closed");
  expect(await status()).toBe(404);
  await db.serviceGrant.create({ data: grant });
  expect(await status()).toBe(200);
  await db.serviceGrant.delete({ where: { serviceId_accountId: grant } });
  expect(await status()).toBe(404);
});

/** Headers that differ with each call. */
const CHANGING = ["date", "x-request-id", "ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset"];

for (const [what, path] of [
  ["servers", "/api/v1/servers/:id"],
  ["benchmarks", "/api/v1/servers/:id/benchmarks"],
  ["game services", "/api/v1/game-services/:id"],
  ["metrics", "/api/v1/game-services/:id/metrics"],
  ["metrics with a wrong range", "/api/v1/game-services/:id/metrics?range=nonsense"],
] as const) {
  test(`${what}: foreign, unknown and malformed ids get the same whole response`, async () => {
    const owner = await newAccount();
    const { id: serverId } = await newServer(owner.id);
    await newBenchmarkRun(serverId);
    const { id: serviceId } = await newGameService(owner.id);
    const foreign = path.includes("servers") ? serverId : serviceId;
    const { token } = await newAccount();
    expect((await call(path.replace(":id", String(foreign)).split("?")[0] ?? "", owner.token)).status).toBe(200);
    const first = await expectFailure(call(path.replace(":id", String(foreign)), token), 404, "Not found.");
    for (const id of ["2147483647", ...UNUSABLE_IDS]) {
      expect(comparable(await call(path.replace(":id", id), token), CHANGING), id).toEqual(comparable(first, CHANGING));
    }
  });
}

test("staff see the servers and benchmarks of others no more than customers do", async () => {
  const owner = await newAccount();
  const { id } = await newServer(owner.id);
  for (const role of ["support", "admin"] as const) {
    const { token } = await newAccount(role);
    await expectFailure(call(`/api/v1/servers/${id}`, token), 404, "Not found.");
    await expectFailure(call(`/api/v1/servers/${id}/benchmarks`, token), 404, "Not found.");
    expect(await getData("/api/v1/servers", token)).toEqual({ servers: [] });
  }
});

test("a refused id costs the caller's quota exactly what an allowed one costs", async () => {
  const owner = await newAccount();
  const { id } = await newGameService(owner.id);
  const { token } = await newAccount();
  const remaining = async (path: string) => Number((await call(path, token)).headers.get("x-ratelimit-remaining"));
  expect(await remaining("/api/v1/me")).toBe(API_REQUESTS.limit - 1);
  expect(await remaining(`/api/v1/game-services/${id}`)).toBe(API_REQUESTS.limit - 2);
  expect(await remaining("/api/v1/game-services/abc")).toBe(API_REQUESTS.limit - 3);
  expect(await remaining("/api/v1/me")).toBe(116);
});
