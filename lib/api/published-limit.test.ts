import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createElement, type FunctionComponent } from "react";
import { prerender } from "react-dom/static";
import { expect, test, vi } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";
import { API_REQUESTS } from "@/lib/rate-limit/policy";

// The limit of requests is a fact that stands once: what is served of it, where that place says another number.

vi.mock("next/headers", () => ({
  headers: async () => new Headers({ host: "console.example" }),
  cookies: async () => ({ get: () => undefined, has: () => false }),
}));

/** What 120 means where it is not the limit of requests. */
const OTHER_MEANINGS = [
  /maxWait = 120|\(120 by default|max_wait: float = 120\.0/g, // The clients' own patience.
  /120 s: 600|120 → 600|until it is 120 seconds old/g, // Curves of the health score.
  /\\"(?:width|height)\\":120|<[^>]*"120"[^>]*>|0 0 300 120/g, // Drawings.
];

async function htmlOf(page: unknown): Promise<string> {
  const { prelude } = await prerender(createElement(page as FunctionComponent));
  return (await new Response(prelude).text()).replaceAll("<!-- -->", "");
}

function textOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.\w+$/.test(name));
  return files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

test("with another policy of the limit, no served text names the old one", async () => {
  // A number that no other fact of the project has. What is loaded from here on reads it.
  API_REQUESTS.limit = 7531;
  const { default: LandingPage } = await import("@/app/page");
  const { default: Reference } = await import("@/app/docs/api/page");
  const { LIMIT } = await import("@/app/dashboard/settings/api/[id]/day-chart");
  const { writeClients } = await import("@/scripts/documents");
  const { ENDPOINTS } = await import("./contract");
  const { writeLlms } = await import("./llms");
  const { openApiDocument } = await import("./openapi");
  const { requireQuota } = await import("./quota");
  const { writeServedReference } = await import("./reference");
  const document = openApiDocument("https://console.example");
  const headers = new Headers();
  await requireQuota(1, headers);
  const clients = tempFolder();
  await writeClients(clients);
  const naming = {
    "landing page": await htmlOf(LandingPage),
    reference: await htmlOf(Reference),
    "openapi.json": JSON.stringify(document),
    "api.md": writeServedReference(document, "https://console.example"),
    "llms.txt": writeLlms(document, "https://console.example"),
    headers: JSON.stringify([...headers]),
    // The chart shows the account's own day, and this number of the limit.
    chart: String(LIMIT),
  };
  for (const [name, text] of Object.entries(naming)) expect(text, name).toMatch(/7,?531/);
  const all = { ...naming, clients: textOf(clients), recipes: textOf("public/recipes") };
  for (const [name, text] of Object.entries(all)) {
    const rest = OTHER_MEANINGS.reduce<string>((left, meaning) => left.replaceAll(meaning, ""), text);
    expect(rest.match(/.{0,60}\b120\b.{0,40}/)?.[0], name).toBeUndefined();
  }
  for (const [path] of ENDPOINTS) expect(naming.reference).toContain(path.replaceAll(/:(\w+)/g, "{$1}"));
  expect(naming["landing page"]).not.toMatch(/\b(?:six|seven|eight|\d+) endpoints/i);
});
