import { expect, test } from "vitest";
import { agentConfigurations } from "@/app/dashboard/servers/agent-configurations";
import { newOwnedServer, newServer } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { checkInAt } from "@/e2e/support/record-check-in";
import { newVisitor, visitorWithServer } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";
import { requestBenchmark } from "@/lib/servers/benchmarks";
import { hashToken } from "@/lib/tokens/format";

const KEY = /csrv_[0-9A-Za-z]{36}/;

/** The only key on the page, wherever it stands. */
function keyOn(page: Visitor): string {
  const [key = "", ...others] = new Set(page.textOf("main").match(new RegExp(KEY, "g")) ?? []);
  expect(key).toMatch(KEY);
  expect(others).toEqual([]);
  return key;
}

async function addServer(page: Visitor, label = "Web front"): Promise<string> {
  await page.goto("/dashboard/servers/new");
  await page.press("Add server", { Label: label, Hostname: "web-1.example.com" });
  return keyOn(page);
}

test("a server is added with a key shown once and the lines to paste", async () => {
  const { account, page } = await newVisitor();
  const key = await addServer(page);
  const server = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
  const stored = await db.serverKey.findFirstOrThrow({ where: { serverId: server.id }, omit: { keyHash: false } });
  expect(stored.keyHash).toBe(hashToken(key));
  const lines = page.textsOf("pre, code").filter((text) => text.includes("sudo sh agent.sh install"));
  expect(lines.join()).toContain(`curl -fsSO ${origin}/agent.sh`);
  expect(lines.join()).not.toContain("csrv_");
  expect(await checkInAt(origin, key)).toBeLessThan(300);
  await page.follow("Go to the server");
  expect(page.heading).toBe("Web front");
  expect(page.textOf(page.$("main header").first())).toContain("Online");
  expect(page.html).not.toMatch(KEY);
});

test("unusable names come back with a sentence at their field, and add nothing", async () => {
  const { account, page } = await newVisitor();
  await page.goto("/dashboard/servers/new");
  await page.press("Add server", { Label: "Fine", Hostname: "not a hostname" });
  expect(page.field("Hostname").attr("aria-invalid")).toBe("true");
  expect(page.alerts.join()).toContain("A hostname consists of");
  expect([page.value("Label"), page.value("Hostname")]).toEqual(["Fine", "not a hostname"]);
  expect(await db.server.count({ where: { accountId: account.id } })).toBe(0);
});

test("a server is renamed, and removed only after a question that names it", async () => {
  const { page, id } = await visitorWithServer({ label: "Old <b>name</b>" });
  await page.goto(`/dashboard/servers/${id}`);
  await page.follow("Settings", page.$("main"));
  await page.press("Rename", { Label: "New name" });
  expect(page.statuses.join()).toContain("New name");
  expect(await db.server.findUniqueOrThrow({ where: { id } })).toMatchObject({ label: "New name" });
  expect(page.links("New name").length).toBeGreaterThan(0);
  expect(page.textOf("title")).toContain("New name");

  await page.follow("Remove this server…");
  expect(page.heading).toBe("Remove New name?");
  await page.follow("Cancel");
  expect(page.path).toMatch(/settings$/);
  await page.follow("Remove this server…");
  await page.press("Remove server");
  expect(page.text).toContain("The server is removed.");
  expect(await db.server.count({ where: { id } })).toBe(0);
  await page.goto(`/dashboard/servers/${id}`);
  expect(page.status).toBe(404);
});

test("a new key is shown once, and the old works until the time shown", async () => {
  const { account, page } = await newVisitor();
  const before = await addServer(page, "Has a key");
  const { id } = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
  await page.goto(`/dashboard/servers/${id}/settings`);
  await page.press("Replace the key");
  expect(page.text).toContain("Give the server its new key now");
  const key = keyOn(page);
  expect(key).not.toBe(before);
  for (const working of [key, before]) expect(await checkInAt(origin, working)).toBeLessThan(300);
  await page.follow("Done");
  expect(page.text).toContain(`csrv_…${before.slice(-4)}`);
  expect(page.text).toContain("was replaced and ends in");
  expect(page.html).not.toMatch(KEY);
});

test("a benchmark's line is shown once, and its pending run can be cancelled", async () => {
  const { page, id } = await visitorWithServer();
  await page.goto(`/dashboard/servers/${id}`);
  await page.follow("Run a benchmark");
  await page.press("Show the line to run", { "Label of the run": "After delivery" });
  const [line = ""] = page.textsOf("pre, code").filter((text) => text.includes("yabs.sh | bash"));
  expect(line).toContain(`${origin}/ingest/v1/benchmarks/`);
  const shown = line.split("/benchmarks/")[1]?.replaceAll('"', "") ?? "";
  const run = await db.benchmarkRun.findFirstOrThrow({ where: { serverId: id }, omit: { agentTokenHash: false } });
  expect(run.agentTokenHash).toBe(hashToken(shown));
  // The list below the line has the run already, under the label that it was just given.
  expect(page.textsOf("li").some((item) => item.includes("After delivery"))).toBe(true);
  await page.follow("Done");
  expect(page.text).toContain("After delivery");
  expect(page.html).not.toContain(shown);
  await page.press("Cancel the run After delivery");
  expect(page.text).toContain("The run is cancelled");
  expect(await db.benchmarkRun.count({ where: { serverId: id } })).toBe(0);
});

test("a run says that its key has ended, or since when it runs", async () => {
  const { account, page, id } = await visitorWithServer();
  await requestBenchmark(account.id, id, "Forgotten", new Date(Date.now() - 2 * DAY));
  await page.goto(`/dashboard/servers/${id}/benchmark`);
  expect(page.text).toContain("No result came within 24 hours");
  await page.goto(`/dashboard/servers/${id}`);
  expect(page.text).toContain("No result came: “Forgotten”, requested 2 days ago.");
  await db.benchmarkRun.updateMany({ where: { serverId: id }, data: { status: "running" } });
  await page.reload();
  expect(page.text).toContain("Running: “Forgotten”, started 2 days ago.");
});

test("no form does anything to a server of another account, whatever id it carries", async () => {
  const { account, page } = await newVisitor();
  const { accountId: stranger, id: foreign } = await newOwnedServer({ label: "Foreign" });
  const { id: own } = await newServer(account.id, { label: "Own", createdAt: new Date(Date.now() - DAY) });
  const run = await requestBenchmark(stranger, foreign, "Theirs");
  await requestBenchmark(account.id, own, "Mine", new Date(Date.now() - 2.5 * HOUR));
  const coming = { startedAt: new Date(Date.now() + DAY), endedAt: new Date(Date.now() + 2 * DAY) };
  const planned = await db.maintenanceTime.create({ data: { serverId: foreign, ...coming } });
  await db.maintenanceTime.create({ data: { serverId: own, ...coming } });
  const [from, to] = [clockField(Date.now() + 5 * HOUR, "UTC"), clockField(Date.now() + 6 * HOUR, "UTC")];
  const typed = { label: "Taken", hostname: "taken.example.com", from, to, serverId: String(foreign) };
  for (const [path, form, id] of [
    ["settings", "form[aria-label=Names]", foreign],
    ["settings", "form[aria-labelledby=key]", foreign],
    ["settings", "form[aria-labelledby=maintenance]", foreign],
    ["settings", "[aria-label=Planned] form", planned.id],
    ["remove", "main form", foreign],
    ["benchmark", "form[aria-label='Run a benchmark']", foreign],
    ["benchmark", "main ul form", run.kind === "requested" ? run.id : 0],
  ] as const) {
    await page.goto(`/dashboard/servers/${own}/${path}`);
    const fields = page.fieldsOf(/./, page.$(form));
    const answers: [number, string][] = [];
    for (const other of [id, 2 ** 31 - 1]) {
      const forged: Record<string, string> = { ...typed, id: String(other), s: String(other) };
      await page.send(fields.map(([name, value]) => [name, forged[name] ?? value] as const));
      answers.push([page.status, page.text]);
      expect(page.html, form).not.toMatch(KEY);
      await page.goto(`/dashboard/servers/${own}/${path}`);
    }
    expect(answers[0]?.[0], form).toBeLessThan(500);
    expect(answers[0], form).toEqual(answers[1]);
  }
  const kept = await db.server.findUniqueOrThrow({
    where: { id: foreign },
    select: { label: true, keys: true, benchmarkRuns: { select: { label: true } } },
  });
  expect(kept).toEqual({ label: "Foreign", keys: [], benchmarkRuns: [{ label: "Theirs" }] });
  expect(await db.maintenanceTime.findMany({ where: { serverId: foreign } })).toEqual([planned]);
});

test("a new server offers a configuration to paste for each of five agents", async () => {
  const { account, page } = await newVisitor();
  await addServer(page);
  const { id } = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
  for (const path of [null, `/dashboard/servers/${id}`]) {
    if (path) await page.goto(path);
    // Five other ways are one line, until somebody asks for them.
    const others = page
      .$("details")
      .filter((_, one) => page.$(one).children("summary").text().startsWith("Other ways to report: Prometheus"));
    expect(others.length).toBe(1);
    expect(others.is("[open]")).toBe(false);
    const figures = others
      .find("details figure")
      .toArray()
      .map((figure) => page.$(figure));
    for (const { name, place, text } of agentConfigurations(origin)) {
      expect(
        page.textsOf(others.find("details > summary")).some((summary) => summary.includes(name)),
        name,
      ).toBe(true);
      const shown = figures
        .filter((figure) => figure.text().includes(place))
        .map((figure) => figure.find("code").text());
      expect(shown, name).toContain(text);
    }
  }
});
