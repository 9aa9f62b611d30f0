import { expect, test } from "vitest";
import { ago, newAccount, newNamedToken, putEvents } from "@/e2e/support/factories";
import { newVisitor, visitorWithToken } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { watchTokens } from "@/lib/tokens/events/endings";

// What pages say of the use of a token: new networks, refusals, its end.

const WHICH = "Which token is this? Paste it, or its last four characters";

/** What needs attention, line by line. */
const attention = (page: Visitor) => (page.hasPart("Needs attention") ? page.part("Needs attention").find("li") : null);

/** A token that its owner used from 192.0.2.1 for long, and since yesterday somebody from another network. */
async function movedToken(accountId: number, name: string, network = "198.51.100.5") {
  const made = await newNamedToken(accountId, name);
  for (const [ip, days, requests] of [
    ["192.0.2.1", 40, 4000],
    [network, 1, 12],
  ] as const) {
    const [firstSeenAt, lastSeenAt] = [new Date(Date.now() - days * DAY), new Date()];
    const data = { tokenId: made.token.id, ip, network: ip, firstSeenAt, lastSeenAt, requests, agent: "curl/8.5.0" };
    await db.tokenVisitor.create({ data });
  }
  await newNetwork(made.token.id, network);
  return made;
}

/** The event of a token that was used from a new network a day ago. */
const newNetwork = (tokenId: number, network: string) =>
  putEvents(["token", tokenId], { kind: "new_network", startedAt: new Date(Date.now() - DAY), facts: { network } });

/** The event of a token that was refused until so many milliseconds ago. */
async function refusedUntil(tokenId: number, ms: number) {
  const [startedAt, endedAt] = [new Date(Date.now() - 2.5 * DAY), new Date(Date.now() - ms)];
  const facts = { count: 9, ip: "203.0.113.9" };
  await putEvents(["token", tokenId], { kind: "refused_after_end", startedAt, endedAt, facts });
}

test("a new network is marked, and “This was us” ends its notice alone", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newAccount();
  const theirs = await movedToken(stranger.id, "of somebody else");
  const { token } = await movedToken(account.id, "moved");
  const other = await movedToken(account.id, "moved too", "203.0.113.77");
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  const usedFrom = (text: string) => page.textOf(page.rows(text, "Used from"));
  expect(usedFrom("198.51.100.5")).toMatch(/New.*curl.*1 day ago.*12$/);
  expect(usedFrom("192.0.2.1")).toMatch(/^192\.0\.2\.1 ?curl.*4,000$/);
  const notice = () => page.$("li").filter((_, item) => page.$(item).text().includes("was used from a new network"));
  expect(page.link("Replace moved", notice()).attr("href")).toMatch(/#replace$/);
  expect(page.links("Revoke moved", notice()).length).toBe(1);
  await page.press("This was us moved", {}, { within: notice() });
  expect(notice().length).toBe(0);
  expect(page.rows("New", "Used from").length).toBe(0);
  await page.goto(TOKEN_PAGE);
  const lines = () => page.textsOf(attention(page) ?? page.$("none"));
  expect(lines()).toEqual([expect.stringMatching(/^moved too .*203\.0\.113\.77/)]);
  // A form that names a token of another account changes nothing.
  await page.press("This was us moved too", {}, { forged: { seen: `${theirs.token.id} 198.51.100.5` } });
  await page.goto(TOKEN_PAGE);
  expect(lines()).toEqual([expect.stringMatching(/^moved too/)]);
  const known = { subject: "token", endedAt: { not: null } };
  const foreign = { ...known, subjectId: { in: [theirs.token.id, other.token.id] } };
  expect(await db.event.count({ where: foreign })).toBe(0);
  expect(await db.event.count({ where: { ...known, subjectId: token.id } })).toBe(1);
});

test("a found token can be replaced, revoked, or its new network confirmed", async () => {
  const { account, page } = await newVisitor();
  const { raw } = await movedToken(account.id, "in my hand");
  await page.goto(TOKEN_PAGE);
  await page.press("Find it", { [WHICH]: raw });
  const found = page.part("Which token is this?").find("li");
  expect(page.link("Replace in my hand", found).attr("href")).toMatch(/#replace$/);
  expect(page.links("Revoke in my hand", found).length).toBe(1);
  await page.press("This was us in my hand", {}, { within: found });
  await page.goto(TOKEN_PAGE);
  expect(attention(page)).toBeNull();
});

test("a day of use is a chart with its numbers and the last ips", async () => {
  const { page, token } = await visitorWithToken("watched");
  const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR);
  await db.tokenUseHour.create({
    data: { tokenId: token.id, hour, requests: 1200, limited: 30, refused: 4, peak: 131 },
  });
  await db.tokenVisitor.create({
    data: { tokenId: token.id, ip: "192.0.2.7", network: "192.0.2.7", agent: "curl/8.5.0 extra" },
  });
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.$("[aria-label='Requests in each of the last 24 hours, at most 1,204']").length).toBe(1);
  expect(page.text).toContain(`Busiest minute: 131 requests, of which the limit answers ${API_REQUESTS.limit}.`);
  expect(page.text).toContain("1,170 answered, 30 refused over the limit (429), 4 refused (401)");
  const cells = page.textsOf(page.rows("1,170").find("td"));
  expect(cells.slice(-3)).toEqual(["1,170", "30", "4"]);
  expect(page.textOf(page.rows("192.0.2.7", "Used from"))).toContain("curl/8.5.0");
});

test("a token's page tells where it was used apart from where it is refused", async () => {
  const { page, token } = await visitorWithToken("ended", {
    lastUsedAt: ago(30 * HOUR),
    lastUsedIp: "192.0.2.1",
    revokedAt: ago(20 * HOUR),
    refusedCount: 3,
    lastRefusedAt: ago(HOUR),
    lastRefusedIp: "203.0.113.9",
  });
  const refused = { firstSeenAt: ago(2 * HOUR), lastSeenAt: ago(HOUR) };
  await db.tokenVisitor.create({ data: { tokenId: token.id, ip: "203.0.113.9", network: "203.0.113.9", ...refused } });
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.text).toContain("Last used1 day ago192.0.2.1");
  expect(page.text).toMatch(/Refused 3 times, last 1 hour ago from 203\.0\.113\.9/);
  expect(page.rows("192.0.2.1", "Used from").length).toBe(1);
  expect(page.rows("203.0.113.9", "Used from").length).toBe(0);
  expect(page.rows("203.0.113.9", "Refused from").length).toBe(1);
});

test("several tokens used from a new network are one line offering to revoke them", async () => {
  const { account, page } = await newVisitor();
  for (const name of ["moved one", "moved two"]) {
    const { token } = await newNamedToken(account.id, name);
    await newNetwork(token.id, "198.51.100.5");
  }
  await page.goto(TOKEN_PAGE);
  expect(attention(page)?.length).toBe(1);
  await page.follow("Revoke 2 tokens", page.part("Needs attention"));
  expect(page.textOf(page.part("Revoke 2 tokens?"))).toContain("moved two");
});

test("ten tokens that end within two weeks are one line with all names", async () => {
  const { account, page } = await newVisitor();
  const life = { createdAt: ago(30 * DAY), expiresAt: new Date(Date.now() + 3 * DAY) };
  for (let i = 0; i < 10; i++) await newNamedToken(account.id, `ending ${i}`, life);
  await watchTokens(Date.now());
  await page.goto(TOKEN_PAGE);
  const lines = attention(page);
  expect(lines?.length).toBe(1);
  expect(page.textsOf(lines ?? "none")).toEqual([expect.stringContaining("10 tokens end within two weeks")]);
  expect(lines?.find("a").length).toBe(10);
});

test("the page says at its top what needs attention, and nothing else", async () => {
  const { account, page } = await newVisitor();
  const make = async (name: string, data = {}) => (await newNamedToken(account.id, name, data)).token.id;
  await refusedUntil(await make("dead", { revokedAt: ago(3 * DAY) }), HOUR);
  await refusedUntil(await make("dead and quiet", { revokedAt: ago(3 * DAY) }), 2 * DAY);
  await make("ending", { createdAt: ago(30 * DAY), expiresAt: new Date(Date.now() + 3 * DAY) });
  await make("born for three days", { expiresAt: new Date(Date.now() + 3 * DAY) });
  const moved = await make("moved");
  await newNetwork(moved, "198.51.100.5");
  await newNetwork(await make("moved and settled"), "198.51.100.6");
  await db.event.updateMany({
    where: { facts: { path: ["network"], equals: "198.51.100.6" }, accountId: account.id },
    data: { endedAt: ago(0) },
  });
  await watchTokens(Date.now());
  await page.goto(TOKEN_PAGE);
  expect(page.textsOf(attention(page) ?? "none")).toEqual([
    expect.stringMatching(
      /^dead \(cpat_…\w{4}\) was revoked 3 days ago and is still tried: last 1 hour ago from 203\.0\.113\.9\.$/,
    ),
    expect.stringMatching(/^ending \(cpat_…\w{4}\) ends in 3 days, on .+\. ?Replace ending$/),
    expect.stringMatching(
      /^moved \(cpat_…\w{4}\) was used from a new network 1 day ago: 198\.51\.100\.5\. ?Replace moved ?Revoke moved ?This was us moved$/,
    ),
  ]);
});
