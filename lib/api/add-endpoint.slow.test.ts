import { afterEach, beforeEach, expect, test } from "vitest";
import { SLOW } from "@/e2e/support/patience";
import { ProjectCopy } from "@/e2e/support/project-copy";

// What the README says of adding an endpoint, done in a copy of the project: GET /api/v1/tickets.

const QUERY = `
import type { Data } from "@/lib/api/contract";
import { db } from "@/lib/database/client";

/** The tickets of an account, by id. */
export async function listTickets(accountId: number): Promise<Data<"/api/v1/tickets">> {
  const tickets = await db.ticket.findMany({
    where: { accountId },
    select: { id: true, subject: true },
    orderBy: { id: "asc" },
  });
  return { tickets };
}
`;

const ROW = `
  "/api/v1/tickets": {
    name: "listTickets",
    group: "Account",
    summary: "Your support tickets",
    details: "By id.",
    params: {},
    query: {},
    largest: { of: "2,000 tickets", kilobytes: 100 },
    data: z.strictObject({ tickets: z.array(z.strictObject({ id: z.int(), subject: z.string() })) }),
  },`;

const ROUTE = `
import { endpoint } from "@/lib/api/endpoint";
import { listTickets } from "@/lib/tickets/tickets";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = endpoint("/api/v1/tickets", ({ account }) => listTickets(account.id));
`;

const SPEC = `
import { newAccount } from "@/e2e/support/factories";
import { expect, getData, test } from "@/e2e/support/fixtures";

test("GET /tickets of an account without tickets is an empty list", async () => {
  const { token } = await newAccount();
  expect(await getData("/api/v1/tickets", token)).toEqual({ tickets: [] });
});
`;

const CALL_WITHOUT_TOKEN = `
  const { GET } = await import("./app/api/v1/tickets/route.ts");
  const response = await GET(new Request("http://console.example/api/v1/tickets"), { params: Promise.resolve({}) });
  console.log(response.status, await response.text());
`;

let copy: ProjectCopy;

beforeEach(() => {
  copy = new ProjectCopy();
  copy.write("lib/tickets/tickets.ts", QUERY);
  copy.write("app/api/v1/tickets/route.ts", ROUTE);
  copy.write("e2e/api/tickets.spec.ts", SPEC);
});
afterEach(() => copy.remove());

test("an endpoint needs one query, row, route and spec, and mismatches do not compile", SLOW, () => {
  copy.addAfter("lib/api/contract.ts", "endpoints({", ROW);
  expect(copy.typeErrors()).toBe("");
  expect(copy.run("vitest/vitest.mjs", "run", "lib/api/contract.test.ts").status).toBe(0);
  const called = copy.run("tsx/dist/cli.mjs", "--input-type=module", "--eval", CALL_WITHOUT_TOKEN);
  expect(called.stdout, called.stderr).toBe(
    '401 {"error":"Missing access token. Send \\"Authorization: Bearer <token>\\"."}\n',
  );

  const wrongRow = ROW.replace("subject: z.string()", "subject: z.string(), opened_at: z.int()");
  copy.addAfter("lib/api/contract.ts", "endpoints({", wrongRow);
  copy.write("app/api/v1/ticket/route.ts", ROUTE.replace('"/api/v1/tickets"', '"/api/v1/ticket"'));
  const errors = copy.typeErrors();
  expect(errors).toMatch(/^app\/api\/v1\/ticket\/route\.ts.*"\/api\/v1\/ticket"/);
  expect(errors).toMatch(/^lib\/tickets\/tickets\.ts.*opened_at/ms);
});
