import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { origin } from "@/e2e/support/over-http";

/** The programs that machines fetch from the console and run. */
const PROGRAMS = [
  { path: "/agent.sh", type: "application/x-sh" },
  { path: "/edge.mjs", type: "application/javascript; charset=UTF-8" },
] as const;

for (const { path, type } of PROGRAMS) {
  test(`the console serves ${path} byte for byte to anybody, and caches revalidate it`, async () => {
    const answer = await fetch(origin + path);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(`public${path}`))).toBe(true);
    const etag = answer.headers.get("etag") ?? "none";
    const wanted = {
      "content-type": type,
      "cache-control": "public, max-age=0",
      "x-content-type-options": "nosniff",
      "set-cookie": null,
      etag,
    };
    const namedIn = ({ headers }: Response) =>
      Object.fromEntries(Object.keys(wanted).map((name) => [name, headers.get(name)]));
    expect(namedIn(answer)).toEqual(wanted);
    const head = await fetch(origin + path, { method: "HEAD" });
    expect([head.status, await head.text(), namedIn(head)]).toEqual([200, "", wanted]);
    const same = await fetch(origin + path, { headers: { "If-None-Match": etag } });
    expect([same.status, await same.text()]).toEqual([304, ""]);
  });
}
