import { expect, test } from "vitest";
import { mintToken } from "@/lib/tokens/format";

const request = (token: string) =>
  new Request("http://console.example/metrics", { headers: { Authorization: `Bearer ${token}` } });

test("while the database is away /metrics is 503, and a mistyped token still 401", async () => {
  // Nothing listens there.
  process.env.DATABASE_URL = "postgresql://nobody@127.0.0.1:1/none";
  const { GET } = await import("./route");
  const answer = await GET(request(mintToken()));
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await answer.text()).toBe("Service temporarily unavailable. Retry in a few seconds.\n");
  expect((await GET(request("cpat_mistyped"))).status).toBe(401);
});
