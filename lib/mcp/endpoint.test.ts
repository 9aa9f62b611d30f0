import { expect, test } from "vitest";
import { mintToken } from "@/lib/tokens/format";

test("while the database is away a message gets 503 as JSON-RPC without a reason", async () => {
  process.env.DATABASE_URL = "postgresql://postgres@127.0.0.1:1/none";
  const { answerMcp } = await import("./endpoint");
  const headers = { Authorization: `Bearer ${mintToken()}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const response = await answerMcp(new Request("http://console.example/mcp", { method: "POST", headers, body }));
  expect([response.status, Number(response.headers.get("retry-after"))]).toEqual([503, expect.any(Number)]);
  expect(await response.json()).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32603, message: "Service temporarily unavailable. Retry in a few seconds." },
  });
});
