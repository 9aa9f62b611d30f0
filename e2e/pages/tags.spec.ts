import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newAccount, newServer } from "@/e2e/support/factories";
import { call, sharedOrigin } from "@/e2e/support/fixtures";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { mintToken } from "@/lib/tokens/format";

const tagsOf = async (id: number) => (await db.server.findUniqueOrThrow({ where: { id } })).tags;

withAndWithoutJavaScript((hasJavaScript) => {
  test("a server's tags are saved normalised; bad ones get a sentence and nothing of them is lost; the fleet has a chip for each, whose URL can be bookmarked", async ({
    page,
    account,
  }) => {
    const { id } = await newServer(account.id, { label: "alpha" });
    await newServer(account.id, { label: "beta" });
    await page.goto("/dashboard");
    await expect(page.getByRole("navigation", { name: "Show servers by tag" })).toHaveCount(0);
    await page.goto(`/dashboard/servers/${id}/settings`);
    const field = page.getByRole("textbox", { name: "Tags" });
    const save = page.getByRole("button", { name: "Save tags" });
    for (const [typed, sentence] of [
      ["1,2,3,4,5,6,7,8,9,10,11", "A server has at most 10 tags."],
      [`ok,${"x".repeat(33)}`, "A tag has at most 32 characters."],
      ["ok,<b>bold</b>", "A tag begins with a letter or a digit"],
      ["a\u202Eb", "A tag cannot hold line breaks, control characters or text-direction characters."],
    ] as const) {
      await field.fill(typed);
      await save.click();
      await expect(page.getByRole("alert").filter({ hasText: sentence })).toBeVisible();
      await expect(field).toHaveValue(typed);
    }
    await field.fill(mintToken());
    await save.click();
    await expect(page.getByRole("alert").filter({ hasText: "That looks like a token or a key." })).toBeVisible();
    await expect(field).toHaveValue("");
    expect(await tagsOf(id)).toEqual([]);
    await field.fill(" DB ,, Eu  West, db");
    await save.click();
    await expect(page.getByRole("status").filter({ hasText: "The tags are saved." })).toBeVisible();
    await expect(field).toHaveValue("db, eu west");
    expect(await tagsOf(id)).toEqual(["db", "eu west"]);

    await page.goto("/dashboard");
    const chips = page.getByRole("navigation", { name: "Show servers by tag" }).getByRole("link");
    await expect(chips).toHaveText(["#db 1", "#eu west 1"]);
    await chips.last().click();
    await expect(page).toHaveURL("/dashboard?tag=eu+west");
    await expect(page.locator("[data-server]")).toHaveCount(1);
    await expect(page.locator(`[data-server="${id}"]`)).toContainText("#db #eu west");
    // A line has no room for ten of 32 characters.
    await expect(page.getByTitle("#db #eu west")).toHaveCSS("text-overflow", "ellipsis");
    await page.goto("/dashboard?tag=%20EU%20west");
    await expect(page.locator("[data-server]")).toHaveCount(1);
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);
    await page.goto("/dashboard?tag=gone");
    await expect(page.getByText("No server matches.")).toBeVisible();
    await page.getByRole("link", { name: "#gone 0" }).click();
    await expect(page.locator("[data-server]")).toHaveCount(2);
  });

  test("tags of several servers are added and removed at once, of the marked ones or of a whole list; too many change none and keep what was typed and marked", async ({
    page,
    account,
  }) => {
    const stranger = await newServer((await newAccount()).id);
    const [one, two, full, rest] = [
      await newServer(account.id, { label: "one", tags: ["old"] }),
      await newServer(account.id, { label: "two", tags: ["old"] }),
      await newServer(account.id, { label: "full", tags: ["1", "2", "3", "4", "5", "6", "7", "8", "9"] }),
      await newServer(account.id, { label: "rest" }),
    ];
    await page.goto("/dashboard?order=name");
    await page.getByRole("link", { name: "Tags…" }).click();
    await expect(page).toHaveURL("/dashboard/servers/tags?order=name");
    const [add, remove] = [
      page.getByRole("textbox", { name: "Add tags" }),
      page.getByRole("textbox", { name: "Remove tags" }),
    ];
    const change = page.getByRole("button", { name: "Change tags" });
    await change.click();
    await expect(page.getByRole("alert").filter({ hasText: "Choose at least one server." })).toBeVisible();
    await add.fill("new, newer");
    await remove.fill("old");
    for (const label of ["one", "full"]) await page.getByRole("checkbox", { name: label }).check();
    await change.click();
    await expect(
      page.getByRole("alert").filter({ hasText: "Nothing was changed: full would have more than 10 tags." }),
    ).toBeVisible();
    expect(await tagsOf(one.id)).toEqual(["old"]);
    await expect(add).toHaveValue("new, newer");
    await expect(remove).toHaveValue("old");
    await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(2);
    await page.getByRole("checkbox", { name: "full" }).uncheck();
    await page.getByRole("checkbox", { name: "two" }).check();
    // Ids of other accounts' servers are ignored.
    await page.getByRole("checkbox", { name: "one" }).evaluate((box, id) => {
      const other = box.cloneNode() as HTMLInputElement;
      other.value = String(id);
      other.checked = true;
      box.parentElement?.append(other);
    }, stranger.id);
    await change.click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 2 servers were changed." })).toBeVisible();
    expect([await tagsOf(one.id), await tagsOf(two.id), await tagsOf(rest.id)]).toEqual([
      ["new", "newer"],
      ["new", "newer"],
      [],
    ]);
    expect(await tagsOf(stranger.id)).toEqual([]);
    expect(await tagsOf(full.id)).toHaveLength(9);
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);

    // A list that no page holds whole.
    await db.server.createMany({
      data: Array.from({ length: 120 }, (_, index) => ({
        accountId: account.id,
        label: `many ${index}`,
        hostname: "h",
      })),
    });
    await page.goto("/dashboard/servers/tags?q=many");
    await expect(page.getByRole("checkbox")).toHaveCount(101);
    await add.fill("many");
    await page.getByRole("checkbox", { name: "All 120 servers of this list" }).check();
    await change.click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 120 servers were changed." })).toBeVisible();
    expect(await db.server.count({ where: { accountId: account.id, tags: { has: "many" } } })).toBe(120);
    await page.goto("/dashboard/servers/tags?q=many&page=2");
    await expect(page.getByRole("checkbox")).toHaveCount(21);
    for (const box of await page.getByRole("checkbox").all()) {
      if ((await box.getAttribute("name")) === "s") await box.check();
    }
    await remove.fill("many");
    await change.click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 20 servers were changed." })).toBeVisible();
  });

  test("a change of several servers leaves nothing typed or marked for the next one, and says what it did although its list has nobody left", async ({
    page,
    account,
  }) => {
    const [one, two] = [
      await newServer(account.id, { label: "one", tags: ["old"] }),
      await newServer(account.id, { label: "two", tags: ["old"] }),
    ];
    await page.goto("/dashboard/servers/tags?tag=old");
    await page.getByRole("textbox", { name: "Add tags" }).fill("first");
    await page.getByRole("checkbox", { name: "one" }).check();
    await page.getByRole("button", { name: "Change tags" }).click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 1 server were changed." })).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Add tags" })).toHaveValue("");
    await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(0);
    await page.getByRole("textbox", { name: "Remove tags" }).fill("old");
    for (const label of ["one", "two"]) await page.getByRole("checkbox", { name: label }).check();
    await page.getByRole("button", { name: "Change tags" }).click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 2 servers were changed." })).toBeVisible();
    await expect(page.getByText("No server matches.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Change tags" })).toHaveCount(0);
    expect([await tagsOf(one.id), await tagsOf(two.id)]).toEqual([["first"], []]);
  });
});

test("/metrics has the tags of a server as a label of its info, a comma around each, and /api/v1 does not have them", {
  tag: "@one-engine",
}, async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newServer(accountId, { tags: ['a"b', "db"] });
  const { id: bare } = await newServer(accountId);
  const headers = { Authorization: `Bearer ${token}` };
  const metrics = await (await fetch(`${sharedOrigin()}/metrics`, { headers })).text();
  const infoOf = (server: number) =>
    metrics.split("\n").find((line) => line.startsWith(`console_server_info{server_id="${server}"`));
  expect(infoOf(id)).toContain(',tags=",a\\"b,db,"}');
  expect(infoOf(bare)).not.toContain("tags=");
  for (const path of ["/api/v1/servers", `/api/v1/servers/${id}`]) {
    expect((await call(path, token)).text).not.toContain("tags");
  }
});

test("the database refuses an eleventh tag from any writer", { tag: "@one-engine" }, async () => {
  const { id } = await newServer((await newAccount()).id);
  const tags = Array.from({ length: 11 }, (_, index) => `${index}`);
  await expect(db.server.update({ where: { id }, data: { tags } })).rejects.toThrow("servers_tags_few");
  await expect(db.server.update({ where: { id }, data: { tags: ["x".repeat(321)] } })).rejects.toThrow(
    "servers_tags_few",
  );
});
