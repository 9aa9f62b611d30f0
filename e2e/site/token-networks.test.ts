import { expect, test } from "vitest";
import { newNamedToken, PASSWORD } from "@/e2e/support/factories";
import { statusOf } from "@/e2e/support/over-http";
import { createToken, letPasswordAge, newVisitor, visitorWithToken } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { mintToken } from "@/lib/tokens/format";

const NETWORKS = ["203.0.113.0/24", "2001:db8:7::/48"];
const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });

/** Two of what lib/tokens/networks.test.ts refuses, each with its sentence. */
const REFUSED: readonly (readonly [typed: string, message: string])[] = [
  ["10.0.0.0/8\n10.0.0.0/8", "10.0.0.0/8 is there twice."],
  [`10.0.0.0/8\n${"x".repeat(4000)}`, "is not a network."],
];

test("a token created with networks works from there alone, and pages say so", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  const raw = await createToken(page, "at the office", { "Only from these networks": `${NETWORKS.join("\n")}\n` });
  expect(page.text).toContain("It works only from 203.0.113.0/24, 2001:db8:7::/48.");
  expect((await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } })).networks).toEqual(NETWORKS);
  expect(await statusOf(raw, "203.0.113.7")).toBe(200);
  expect(await statusOf(raw, "203.0.114.7")).toBe(401);
  await page.follow("Done");
  expect(page.textOf(page.rows("at the office"))).toContain("Only from 203.0.113.0/24, 2001:db8:7::/48");
  await page.follow("at the office");
  expect(page.text).toContain("Only from203.0.113.0/24, 2001:db8:7::/48");
  expect(page.value("Networks")).toBe(NETWORKS.join("\n"));
});

test("impossible networks are refused at the field, where everything typed stays", async () => {
  const { account, page } = await newVisitor();
  await page.goto(TOKEN_PAGE);
  for (const [typed, message] of REFUSED) {
    await page.press("Create token", { Name: "kept", Expires: "90", "Only from these networks": typed });
    expect(page.alerts.join()).toContain(message);
    const field = page.field("Only from these networks");
    expect(field.attr("autofocus")).toBeDefined();
    // It is in sight, though the form folds it when it is empty.
    expect(field.parents("details").is("[open]")).toBe(true);
    expect(page.value("Only from these networks")).toBe(typed);
    expect([page.value("Name"), page.value("Expires")]).toEqual(["kept", "90"]);
  }
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);

  const { token } = await newNamedToken(account.id, "stays");
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  for (const [typed, message] of REFUSED) {
    await page.press("Save networks", { Networks: typed });
    expect(page.alerts.join()).toContain(message);
    expect(page.field("Networks").attr("autofocus")).toBeDefined();
    expect(page.value("Networks")).toBe(typed);
  }
  await page.press("Save networks", { Networks: mintToken() });
  expect(page.alerts.join()).toContain("is not a network.");
  expect(page.value("Networks")).toBe("");
  expect((await find(token.id)).networks).toEqual([]);
});

test("a token's page offers networks from its use, and saved ones hold at once", async () => {
  const { page, raw, token } = await visitorWithToken("narrowed");
  for (const ip of ["198.51.100.4", "2001:db8:9:1::7"]) expect(await statusOf(raw, ip)).toBe(200);
  await expect.poll(() => db.tokenVisitor.count({ where: { tokenId: token.id } })).toBe(2);
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  await page.follow("Add the networks that it was used from");
  expect(page.value("Networks").split("\n").sort()).toEqual(["198.51.100.4/32", "2001:db8:9:1::/64"]);
  await page.press("Save networks");
  expect(page.statuses.join()).toContain("It works from these 2 networks alone now.");
  expect(await statusOf(raw, "198.51.100.4")).toBe(200);
  expect(await statusOf(raw, "198.51.100.5")).toBe(401);

  await page.press("Save networks", { Networks: "203.0.113.0/24" });
  expect(page.statuses.join()).toMatch(
    /from this network alone now\. Its last request came from .+, which is refused now\./,
  );
  expect(await statusOf(raw, "198.51.100.4")).toBe(401);
  await expect.poll(async () => (await find(token.id)).refusedCount).toBeGreaterThan(0);
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.textOf(page.part("Refused from"))).toContain("198.51.100.");
  await page.goto(TOKEN_PAGE);
  expect(page.textOf(page.part("Needs attention"))).toMatch(
    /narrowed \(cpat_…\w{4}\) was refused outside its networks: last (just now|.+ ago) from 198\.51\.100\./,
  );

  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  await page.press("Save networks", { Networks: " \n " });
  expect(page.statuses.join()).toContain("It works from everywhere now.");
  expect(await statusOf(raw, "192.0.2.1")).toBe(200);
});

test("an hour after sign-in, changing networks asks for the password", async () => {
  const { account, page, token } = await visitorWithToken("guarded");
  await letPasswordAge(account.id);
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  await page.press("Save networks", { Networks: "203.0.113.0/24", "Your password": "a wrong password" });
  expect(page.alerts).toEqual(["That is not your password."]);
  expect(page.value("Networks")).toBe("203.0.113.0/24");
  expect((await find(token.id)).networks).toEqual([]);
  await page.press("Save networks", { "Your password": PASSWORD });
  expect(page.statuses.join()).toContain("It works from this network alone now.");
  expect((await find(token.id)).networks).toEqual(["203.0.113.0/24"]);
});

test("both forms warn if the console may see only a proxy's ip", async () => {
  const { page, token } = await visitorWithToken("proxied");
  const warning = "The console may not see where requests come from";
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.text).toContain(`This page was opened from ${page.forwardedFor}.`);
  expect(page.text).not.toContain(warning);
  // One trusted proxy, and another one in front of it that is not.
  page.forwardedFor = "198.51.100.9, 10.0.0.1";
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.text).toMatch(new RegExp(`${warning}.*10\\.0\\.0\\.1 may be the ip of a proxy`));
  await page.goto(TOKEN_PAGE);
  expect(page.text).toContain(warning);
  // Where that header says nothing, the ip is the peer's.
  page.forwardedFor = "";
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.text).toContain("This page was opened from 127.0.0.1.");
});
