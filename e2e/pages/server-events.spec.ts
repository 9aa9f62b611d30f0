import { expectReadable, expectToFit } from "@/e2e/support/axe";
import { newServer, putEvents, putSample } from "@/e2e/support/factories";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { clockText, momentText } from "@/lib/format/relative-time";
import { HOUR } from "@/lib/format/time";

withAndWithoutJavaScript((hasJavaScript) => {
  test("a server's events are marked below its score, reachable by arrow keys and listed", async ({
    page,
    account,
  }) => {
    const now = Date.now();
    const at = (hours: number) => new Date(now - hours * HOUR);
    const { id } = await newServer(account.id, { createdAt: at(20), firstSeenAt: at(20), lastSeenAt: new Date() });
    await putSample(id, new Date(), { cpuPct: 5 });
    const rows = [["offline", 10, 9]] as const;
    await putEvents(id, ...rows.map(([kind, from, to]) => ({ kind, startedAt: at(from), endedAt: at(to) })));
    const conditions = [
      ["critical", 5, 4, { cause: "disk", score: 317 }],
      ["strained", 4, 3, { cause: "cpu", score: 667 }],
      ["disk_full", 5, null, { percent: 99 }],
      ["clock_wrong", 2, 1, { seconds: -90 }],
    ] as const;
    await putEvents(
      id,
      ...conditions.map(([kind, from, to, facts]) => ({ kind, facts, startedAt: at(from), endedAt: to && at(to) })),
    );
    await page.goto(`/dashboard/servers/${id}?range=24h`);
    const score = page.getByRole("figure", { name: "Score", exact: true });
    await expect(score.locator("[data-lane='5']")).toHaveCount(1);
    for (const [kind] of rows) await expect(score.locator(`rect[data-mark='${kind}']`)).toHaveCount(1);
    // Each mark can be read by keyboard.
    const words = score.getByRole("group", { name: "Events" }).locator("label > span");
    await score.getByRole("radio").first().focus();
    for (const [index, [, hours]] of rows.entries()) {
      await expect(words.filter({ visible: true })).toHaveCount(1);
      await expect(words.nth(index)).toBeVisible();
      await expect(words.nth(index)).toContainText(momentText(at(hours), "UTC"));
      await page.keyboard.press("ArrowRight");
    }
    const list = score.locator("[data-outages='5']");
    await expect(list.locator("summary")).toHaveText(
      "Offline 1 time in 24 hours, 1 h in all. Critical 1 time in 24 hours, 1 h in all. Strained 1 time in 24 hours, 1 h in all. Disk full 1 time in 24 hours, 5 h in all. Clock wrong 1 time in 24 hours, 1 h in all.",
    );
    await list.locator("summary").click();
    const items = list.getByRole("listitem");
    await expect(items.nth(0)).toContainText("◷ Clock wrong (2 min behind): ");
    await expect(items.nth(1)).toContainText("▽ Strained (CPU, score 667): ");
    await expect(list).toContainText("‼ Critical (Disk, score 317): ");
    await expect(list).toContainText("■ Disk full (99 % used): since ");
    await expect(items.nth(4)).toHaveText(new RegExp(`^✕ Offline: ${momentText(at(10), "UTC")} to .* UTC \\(1 h\\)$`));
    await expect(page.locator("main")).toContainText(
      new RegExp(`The server is known since .*${clockText(at(20), "UTC")} UTC\\.`),
    );
    // axe is a script.
    await (hasJavaScript ? expectReadable(page) : expectToFit(page));
  });
});
