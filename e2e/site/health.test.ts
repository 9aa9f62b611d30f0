import { expect, test } from "vitest";
import { newServer, putSample } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { newVisitor, visitorWithServer } from "@/e2e/support/site";
import type { Part, Visitor } from "@/e2e/support/visitor";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";

const STRAINED = { cpuPct: 88, memUsedMb: 9000, memTotalMb: 10_000, diskUsedPct: 96, netLossPct: 0 };

/** What the sample above does not measure. */
const NEVER_LOST =
  "Not measured on this server, so no points are lost for: load per core (up to 100 points), time stolen by other guests (160), waiting for disks (100), swap (50), retransmissions (150), processes killed for lack of memory (185), failed services (45).";

const section = (page: Visitor) => page.part(/^Why the score is \d+$/);
/** The sentences that are in sight before anything is unfolded. */
const sentences = (page: Visitor) =>
  page.textsOf(
    section(page)
      .find("p")
      .filter((_, p) => page.$(p).parents("details:not([open])").length === 0),
  );
const components = (page: Visitor): Part => page.part(/six components/);

test("lost points explain the score, worst first, each with a link to its chart", async () => {
  const { page, id } = await visitorWithServer({ createdAt: new Date(Date.now() - 2 * DAY) });
  await recordCheckIn(id, { sample: STRAINED });
  await page.goto(serverPath(id));
  const score = Number(page.textOf("[data-score]"));
  expect(page.textsOf("h2")).toContain(`Why the score is ${score}`);
  const table = components(page);
  const lost = page.textsOf(table.find("tbody td:last-child data")).map((text) => -Number(text.replace("−", "-")));
  // What is at full score stands in one line.
  const full = table.find("tfoot [data-component]");
  expect(lost.length + full.length).toBe(6);
  for (const data of full.find("data").toArray()) expect(page.$(data).attr("value")).toBe("1000");
  expect(lost).toEqual(lost.toSorted((a, b) => b - a));
  expect(1000 - lost.reduce((sum, points) => sum + points, 0)).toBe(score);
  expect(page.textOf(table.find("tfoot"))).toContain(`1000 − ${1000 - score} = ${score}`);
  const links = table.find("a").toArray();
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(page.$(page.$(link).attr("href") ?? "none").length).toBe(1);
  expect(sentences(page)).toEqual([expect.stringMatching(/^Find the largest folders/), NEVER_LOST]);
});

test("an offline server's page says since when, and its score before that", async () => {
  const { account, page } = await newVisitor();
  const lastSeenAt = new Date(Math.floor((Date.now() - 3 * HOUR) / MINUTE) * MINUTE);
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - 2 * DAY), lastSeenAt });
  await putSample(id, lastSeenAt, { cpuPct: 20 });
  await page.goto(serverPath(id));
  expect(page.textOf(page.part("Current values"))).toContain("Measured 3 hours ago.");
  const sentence = `No check-in since ${momentText(lastSeenAt, "UTC")} UTC; the score was \\d+ before\\.`;
  expect(page.textOf(section(page).find("strong").first())).toMatch(new RegExp(`^${sentence}$`));
  // The points are folded.
  expect(components(page).parents("details:not([open])").length).toBe(1);
});
