import { expect, test } from "vitest";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { call, getData, origin } from "@/e2e/support/over-http";
import { newVisitor, visitorWithService } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { listViewers } from "@/lib/game-services/access";

type Service = { id: number; name: string; status: string; config_version: number; java_hostname: string };

const SERVICES = "/dashboard/game-services";
const seenBy = async (token: string) =>
  (await getData<{ services: Service[] }>("/api/v1/game-services", token)).services.map(({ id }) => id);

test("a service shared with an e-mail is visible as soon as its account exists", async () => {
  const { account, page, id } = await visitorWithService();
  const known = await newAccount();
  const unknown = `${unique("later")}@example.com`;
  for (const email of [known.email.toUpperCase(), unknown]) {
    await page.goto(`${SERVICES}/${id}/access`);
    await page.press("Share", { "E-mail": email });
    expect(page.text).toContain("Shared. The account with this e-mail sees the service");
    expect(page.textsOf("tbody th")).toContainEqual(expect.stringMatching(new RegExp(email, "i")));
  }
  expect(await seenBy(known.token)).toEqual([id]);
  // Another program makes the account.
  const later = await db.account.create({ data: { name: "Later", email: unknown }, select: { id: true } });
  expect(await db.serviceGrant.count({ where: { serviceId: id, accountId: later.id } })).toBe(1);
  await page.goto(`${SERVICES}/${id}/access`);
  await page.press("Stop sharing", {}, { within: page.rows(new RegExp(known.email, "i")) });
  expect(page.text).toContain("no longer shared");
  expect(await seenBy(known.token)).toEqual([]);

  await page.press("Allow support access");
  expect(page.text).toContain("Support staff can see this service now.");
  await page.press("Open a ticket", { Subject: "Players cannot connect" });
  expect(page.text).toContain("The ticket is open.");
  expect(await db.ticket.findMany({ where: { serviceId: id } })).toMatchObject([
    { accountId: account.id, subject: "Players cannot connect", status: "open" },
  ]);
  await page.press("Close");
  expect(page.text).toContain("The ticket is closed.");
});

/** All combinations of ownership, grant, support access and open ticket: 16 rows for each of four viewers. */
const NO_OR_YES = [false, true] as const;
const ROWS = NO_OR_YES.flatMap((owns) =>
  NO_OR_YES.flatMap((granted) =>
    NO_OR_YES.flatMap((support) => NO_OR_YES.map((ticket) => ({ owns, granted, support, ticket }))),
  ),
);

for (const role of ["customer", "support", "admin", "disabled"] as const) {
  test(`${role}: page and API agree on visibility in all 16 combinations of rights`, async () => {
    const viewer = await newAccount(role === "disabled" ? "support" : role);
    const other = await newAccount();
    const { cookies } = await Visitor.signedIn(origin, viewer.id);
    const statusOf = async (path: string) => {
      const headers = { Cookie: `session=${cookies.get("session")}` };
      const answer = await fetch(origin + path, { headers, redirect: "manual" });
      return { status: answer.status, text: await answer.text() };
    };
    if (role === "disabled") await db.account.update({ where: { id: viewer.id }, data: { disabledAt: new Date() } });
    for (const row of ROWS) {
      const label = JSON.stringify(row);
      const owner = row.owns ? viewer : other;
      const { id } = await newGameService(owner.id, { supportAccess: row.support });
      if (row.granted) await db.serviceGrant.create({ data: { serviceId: id, accountId: viewer.id } });
      if (row.ticket) await db.ticket.create({ data: { accountId: owner.id, serviceId: id, subject: "Help" } });
      const answer = await call(`/api/v1/game-services/${id}`, viewer.token);
      const shown = await statusOf(`${SERVICES}/${id}`);
      const isSeen =
        role !== "disabled" && (row.owns || row.granted || (role !== "customer" && (row.support || row.ticket)));
      if (role === "disabled") {
        expect([answer.status, shown.status], label).toEqual([401, 307]);
        continue;
      }
      expect([answer.status, shown.status], label).toEqual(isSeen ? [200, 200] : [404, 404]);
      const viewers = await listViewers(id);
      expect(
        viewers.some(({ accountId }) => accountId === viewer.id),
        label,
      ).toBe(isSeen);
      if (!isSeen) continue;
      const { data } = answer.json as { data: Service };
      for (const value of [data.name, data.java_hostname]) expect(shown.text, label).toContain(value);
      expect((await statusOf(`${SERVICES}/${id}/access`)).status, label).toBe(row.owns ? 200 : 307);
    }
  });
}

test("foreign, unknown and impossible services are the same missing page everywhere", async () => {
  const { page } = await newVisitor();
  const { id } = await newGameService((await newAccount()).id);
  for (const rest of ["", "/settings", "/access", "/delete", "/dns"]) {
    const pages: string[] = [];
    for (const text of [String(id), "2147483647", "nonsense"]) {
      await page.goto(`${SERVICES}/${text}${rest}`);
      expect(page.status, text + rest).toBe(404);
      // What the browser shows, whole: all but nonces and the place that was asked for.
      page.$("[nonce]").removeAttr("nonce");
      pages.push(page.$("body").html()?.replaceAll(`game-services/${text}`, "game-services/ID") ?? "");
    }
    expect(new Set(pages).size, rest).toBe(1);
  }
});

for (const role of ["support", "admin"] as const) {
  test(`${role}: services of others are found only where the API shows them`, async () => {
    const [staff, owner, stranger] = [await newAccount(role), await newAccount(), await newAccount()];
    const page = await Visitor.signedIn(origin, staff.id);
    const open = await newGameService(owner.id);
    const allowed = await newGameService(owner.id, { supportAccess: true });
    const hidden = await newGameService(owner.id);
    const subject = unique("Players cannot connect");
    const ticket = { accountId: owner.id, serviceId: open.id, subject };
    await db.ticket.create({ data: ticket });
    await db.ticket.create({
      data: { ...ticket, serviceId: hidden.id, subject: `${subject} closed`, status: "closed" },
    });
    // Not the owner's, so it shows nothing.
    const foreign = { accountId: stranger.id, serviceId: hidden.id, subject: `${subject} foreign` };
    await db.ticket.create({ data: foreign });
    await page.goto(SERVICES);
    await page.follow("Support");
    expect(page.textsOf(page.rows(subject))).toEqual([expect.stringContaining(owner.email)]);
    for (const { id } of [open, allowed, hidden]) {
      await page.goto(`${SERVICES}/support`);
      await page.press("Open", { "Id of the game service": String(id) });
      const { status } = await call(`/api/v1/game-services/${id}`, staff.token);
      expect(status).toBe(id === hidden.id ? 404 : 200);
      if (status === 200) expect(page.path).toMatch(new RegExp(`^${SERVICES}/${id}(?:$|\\?)`));
      else expect(page.text).toContain(`You may see no game service with the id "${id}".`);
    }
    await page.goto(`${SERVICES}/support`);
    await page.follow(/./, page.rows(subject));
    expect(page.path).toBe(`${SERVICES}/${open.id}`);
    // The API lists what is owned and granted, as before.
    expect(await seenBy(staff.token)).toEqual([]);
    const ofOwner = await Visitor.signedIn(origin, owner.id);
    await ofOwner.goto(`${SERVICES}/support`);
    expect(ofOwner.path).toBe(SERVICES);
  });
}
