import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { newAccount, newServer, putSample } from "@/e2e/support/factories";
import { expect, own, sharedOrigin, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { checkMetrics, startPrometheus } from "@/e2e/support/prometheus-server";
import { DAY } from "@/lib/format/time";

const RECIPE = "public/recipes/prometheus";

test("the Prometheus recipe scrapes clean metrics and finds exactly the servers in need", async () => {
  needs("prometheus", "promtool");
  const account = await newAccount();
  const [now, day] = [new Date(), new Date(Date.now() - DAY)];
  const { id } = await newServer(account.id, { label: "Ill", createdAt: day, lastSeenAt: now });
  await putSample(id, now, { cpuPct: 100 });
  await newServer(account.id, { label: "Gone", createdAt: new Date(day.getTime() - DAY), lastSeenAt: day });
  await newServer(account.id, { label: "Fresh", createdAt: day, lastSeenAt: day });
  const scraped = await fetch(`${sharedOrigin()}/metrics`, { headers: { Authorization: `Bearer ${account.token}` } });
  expect(checkMetrics(await scraped.text())).toBe("");
  const dir = test.info().outputPath("prometheus");
  mkdirSync(dir, { recursive: true });
  writeFileSync(`${dir}/token`, account.token);
  const rules = readFileSync(`${RECIPE}/console-rules.yml`, "utf8");
  writeFileSync(`${dir}/console-rules.yml`, rules.replaceAll("for: 5m", "for: 1s"));
  writeFileSync(`${dir}/prometheus.yml`, recipeFor(sharedOrigin(), `${dir}/token`));
  const prometheus = await own(startPrometheus(`${dir}/prometheus.yml`, `${dir}/data`));
  type Alert = { state: string; labels: { alertname: string; label: string } };
  const firing = async () => {
    // Null until Prometheus has read its rules.
    const answer = (await prometheus.ask("alerts")) as { alerts: Alert[] } | null;
    return (answer?.alerts ?? [])
      .filter(({ state }) => state === "firing")
      .map(({ labels }) => [labels.alertname, labels.label]);
  };
  await expect
    .poll(async () => (await firing()).sort(), { intervals: [500] })
    .toEqual([
      ["ServerNeedsAttention", "Ill"],
      ["ServerOffline", "Gone"],
    ]);
  expect(await prometheus.ask("query?query=up")).toMatchObject({ result: [{ value: [expect.any(Number), "1"] }] });
});

/** The shipped recipe, changed to plain http and to shorter intervals. */
function recipeFor(origin: string, tokenFile: string): string {
  const recipe = readFileSync(`${RECIPE}/prometheus.yml`, "utf8")
    .replace("scheme: https", "scheme: http")
    .replaceAll("/etc/prometheus/console-token", tokenFile)
    .replace("scrape_interval: 60s", "scrape_interval: 2s\n    scrape_timeout: 2s")
    .replace("console.example.com", new URL(origin).host);
  return `global: { evaluation_interval: 1s }\n${recipe}`;
}
