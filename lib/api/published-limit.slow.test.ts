import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ProjectCopy } from "@/e2e/support/project-copy";
import { MINUTE } from "@/lib/format/time";
import { ENDPOINTS } from "./contract";

// The limit of requests is a fact that stands once: what is served of it, in a copy of the project with another one.

/** A number that no other fact of the project has. */
const OTHER_LIMIT = 7531;
/** What 120 means where it is not the limit of requests. */
const OTHER_MEANINGS = [
  /maxWait = 120|\(120 by default|max_wait: float = 120\.0/g, // The clients' own patience.
  /120 s: 600|120 → 600|until it is 120 seconds old/g, // Curves of the health score.
  /\\"(?:width|height)\\":120|<[^>]*"120"[^>]*>|0 0 300 120/g, // Drawings.
];

test("with another policy of the limit, no served text names the old one", { timeout: 3 * MINUTE }, () => {
  const copy = new ProjectCopy();
  const policy = readFileSync("lib/rate-limit/policy.ts", "utf8");
  const changed = policy.replace("limit: 120,", `limit: ${OTHER_LIMIT},`);
  expect(changed).not.toBe(policy);
  copy.write("lib/rate-limit/policy.ts", changed);
  copy.write("lib/served-texts.test.ts", RENDER);
  const run = copy.run("vitest/vitest.mjs", "run", "lib/served-texts.test.ts", "--reporter=dot");
  expect(run.status, run.stdout + run.stderr).toBe(0);
  const texts = JSON.parse(copy.read("texts.json")) as Record<string, string>;
  expect(Object.keys(texts)).toHaveLength(8);
  for (const [name, text] of Object.entries(texts)) {
    const rest = OTHER_MEANINGS.reduce<string>((left, meaning) => left.replaceAll(meaning, ""), text);
    expect(rest.match(/.{0,60}\b120\b.{0,40}/)?.[0], name).toBeUndefined();
  }
  for (const name of ["landing page", "reference", "openapi.json", "api.md", "llms.txt", "headers", "chart"]) {
    expect(texts[name], name).toMatch(/7,?531/);
  }
  for (const [path] of ENDPOINTS)
    expect(texts.reference?.includes(path.replaceAll(/:(\w+)/g, "{$1}")), path).toBe(true);
  expect(texts["landing page"]).not.toMatch(/\b(?:six|seven|eight|\d+) endpoints/i);
});

/** Run in the copy: writes every served text that could name the limit. Next's request is all that is made up. */
const RENDER = `
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createElement } from "react";
import { prerender } from "react-dom/static";
import { expect, test, vi } from "vitest";
vi.mock("next/headers", () => ({
  headers: async () => new Headers({ host: "console.example" }),
  cookies: async () => ({ get: () => undefined, has: () => false }),
}));
const html = async (element) => (await new Response((await prerender(element)).prelude).text()).replaceAll("<!-- -->", "");
test("writes", async () => {
  const { openApiDocument } = await import("@/lib/api/openapi");
  const { writeLlms } = await import("@/lib/api/llms");
  const { writeServedReference } = await import("@/lib/api/reference");
  const { requireQuota } = await import("@/lib/api/quota");
  const { LIMIT } = await import("@/app/dashboard/settings/api/[id]/day-chart");
  const document = openApiDocument("https://console.example");
  const headers = new Headers();
  await requireQuota(1, headers);
  const { writeClients } = await import("@/scripts/documents");
  await writeClients("clients-of-the-copy");
  const files = (folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\\.\\w+$/.test(name))
    .map((name) => readFileSync(folder + "/" + name, "utf8")).join("\\n");
  writeFileSync("texts.json", JSON.stringify({
    "landing page": await html(createElement((await import("@/app/page")).default)),
    reference: await html(createElement((await import("@/app/docs/api/page")).default)),
    "openapi.json": JSON.stringify(document),
    "api.md": writeServedReference(document, "https://console.example"),
    "llms.txt": writeLlms(document, "https://console.example"),
    headers: JSON.stringify([...headers]),
    // The chart shows the account's own day, and this number of the limit.
    chart: String(LIMIT),
    "clients and recipes": files("clients-of-the-copy") + files("public/recipes"),
  }));
  expect(1).toBe(1);
});
`;
