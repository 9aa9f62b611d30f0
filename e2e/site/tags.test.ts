import { expect, test } from "vitest";
import { newAccount, newServer } from "@/e2e/support/factories";
import { newVisitor, visitorWithServer } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { mintToken } from "@/lib/tokens/format";

const tagsOf = async (id: number) => (await db.server.findUniqueOrThrow({ where: { id } })).tags;
const servers = (page: Visitor) => page.$("[data-server]");
const boxes = (page: Visitor) => page.$("main input[type=checkbox]");
const checked = (page: Visitor) => boxes(page).filter("[checked]").length;

test("a server's tags are saved normalised, and bad ones stay with a sentence", async () => {
  const { account, page, id } = await visitorWithServer({ label: "alpha" });
  await newServer(account.id, { label: "beta" });
  await page.goto("/dashboard");
  expect(page.hasPart("Show servers by tag")).toBe(false);
  await page.goto(`/dashboard/servers/${id}/settings`);
  for (const [typed, sentence] of [
    ["ok,<b>bold</b>", "A tag begins with a letter or a digit"],
    ["a\u202Eb", "A tag cannot hold line breaks, control characters or text-direction characters."],
  ] as const) {
    await page.press("Save tags", { Tags: typed });
    expect(page.alerts.join()).toContain(sentence);
    expect(page.value("Tags")).toBe(typed);
  }
  await page.press("Save tags", { Tags: mintToken() });
  expect(page.alerts.join()).toContain("That looks like a token or a key.");
  expect(page.value("Tags")).toBe("");
  expect(await tagsOf(id)).toEqual([]);
  await page.press("Save tags", { Tags: " DB ,, Eu  West, db" });
  expect(page.statuses.join()).toContain("The tags are saved.");
  expect(page.value("Tags")).toBe("db, eu west");
  expect(await tagsOf(id)).toEqual(["db", "eu west"]);

  await page.goto("/dashboard");
  expect(page.textsOf(page.part("Show servers by tag").find("a"))).toEqual(["#db 1", "#eu west 1"]);
  await page.follow("#eu west 1");
  expect(page.path).toBe("/dashboard?tag=eu+west");
  expect(page.textsOf(servers(page))).toEqual([expect.stringContaining("#db #eu west")]);
  expect(servers(page).attr("data-server")).toBe(String(id));
  expect(page.$("[title='#db #eu west']").length).toBe(1);
  await page.goto("/dashboard?tag=%20EU%20west");
  expect(servers(page).length).toBe(1);
  await page.goto("/dashboard?tag=gone");
  expect(page.text).toContain("No server matches.");
  await page.follow("#gone 0");
  expect(servers(page).length).toBe(2);
});

test("tags of several servers are changed at once; too many change none", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newServer((await newAccount()).id);
  const [one, two, full, rest] = [
    await newServer(account.id, { label: "one", tags: ["old"] }),
    await newServer(account.id, { label: "two", tags: ["old"] }),
    await newServer(account.id, { label: "full", tags: ["1", "2", "3", "4", "5", "6", "7", "8", "9"] }),
    await newServer(account.id, { label: "rest" }),
  ];
  await page.goto("/dashboard?order=name");
  await page.follow("Tags…");
  expect(page.path).toBe("/dashboard/servers/tags?order=name");
  await page.press("Change tags");
  expect(page.alerts.join()).toContain("Choose at least one server.");
  await page.press("Change tags", { "Add tags": "new, newer", "Remove tags": "old", one: true, full: true });
  expect(page.alerts.join()).toContain("Nothing was changed: full would have more than 10 tags.");
  expect(await tagsOf(one.id)).toEqual(["old"]);
  expect([page.value("Add tags"), page.value("Remove tags"), checked(page)]).toEqual(["new, newer", "old", 2]);
  // Ids of other accounts' servers are ignored.
  const forged = {
    [boxes(page).filter("[name=s]").attr("name") ?? ""]: [one, two, stranger].map(({ id }) => String(id)),
  };
  await page.press("Change tags", { full: false, two: true }, { forged });
  expect(page.statuses.join()).toContain("The tags of 2 servers were changed.");
  expect([page.value("Add tags"), checked(page)]).toEqual(["", 0]);
  expect([await tagsOf(one.id), await tagsOf(two.id), await tagsOf(rest.id)]).toEqual([
    ["new", "newer"],
    ["new", "newer"],
    [],
  ]);
  expect(await tagsOf(stranger.id)).toEqual([]);
  expect(await tagsOf(full.id)).toHaveLength(9);

  // A list that no page holds whole.
  await db.server.createMany({
    data: Array.from({ length: 120 }, (_, index) => ({
      accountId: account.id,
      label: `many ${index}`,
      hostname: "h",
    })),
  });
  await page.goto("/dashboard/servers/tags?q=many");
  expect(boxes(page).length).toBe(101);
  await page.press("Change tags", { "Add tags": "many", "All 120 servers of this list": true });
  expect(page.statuses.join()).toContain("The tags of 120 servers were changed.");
  expect(await db.server.count({ where: { accountId: account.id, tags: { has: "many" } } })).toBe(120);
  await page.goto("/dashboard/servers/tags?q=many&page=2");
  expect(boxes(page).length).toBe(21);
  boxes(page).filter("[name=s]").attr("checked", "");
  await page.press("Change tags", { "Remove tags": "many" });
  expect(page.statuses.join()).toContain("The tags of 20 servers were changed.");
  await page.goto("/dashboard/servers/tags?tag=9");
  await page.press("Change tags", { "Remove tags": "9", full: true });
  expect(page.text).toMatch(/The tags of 1 server were changed\..*No server matches\./);
  expect(page.buttons("Change tags").length).toBe(0);
});
