import { expect, test } from "vitest";
import { origin } from "@/e2e/support/over-http";

const COLLECTD = "/ingest/collectd";
const POSTMAN = "/clients/console-api.postman.json";

test("the former path of collectd says what to use instead, by every method", async () => {
  for (const method of ["POST", "GET", "PUT", "DELETE"]) {
    const response = await fetch(origin + COLLECTD, { method, ...(method === "POST" && { body: "[]" }) });
    const type = response.headers.get("content-type");
    expect([response.status, type], method).toEqual([410, "application/json; charset=utf-8"]);
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/^collectd .+ agent\.sh, Telegraf .+ same key\.$/),
    });
  }
});

test("the former path of the Postman collection says what to import instead", async () => {
  const response = await fetch(origin + POSTMAN, { headers: { Origin: "https://elsewhere.example" } });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([410, "*"]);
  expect(await response.text()).toMatch(/^The collection .+ import \/openapi\.json .+\.\n$/);
});
