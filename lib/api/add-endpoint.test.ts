import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MINUTE } from "@/lib/time";

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
    purpose: "Your support tickets",
    params: {},
    query: {},
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

/** Type checks of the whole project take a while on a machine that is busy. */
const TIMEOUT = { timeout: 2 * MINUTE };

let copy: string;

beforeEach(async () => {
  copy = mkdtempSync(join(tmpdir(), "console-copy-"));
  for (const name of [
    "app",
    "bench",
    "lib",
    "e2e",
    "prisma",
    "public",
    "scripts",
    "server",
    "package.json",
    "tsconfig.json",
  ]) {
    cpSync(name, join(copy, name), { recursive: true, filter: (source) => !source.endsWith(".png") });
  }
  for (const name of ["next.config.mjs", "vitest.config.ts"]) cpSync(name, join(copy, name));
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  await write("lib/tickets/tickets.ts", QUERY);
  await write("app/api/v1/tickets/route.ts", ROUTE);
  await write("e2e/api/tickets.spec.ts", SPEC);
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

test(
  "one query function, one row, one route file and one spec make an endpoint; a query that does not answer what its row promises does not compile, nor does a route that no row describes",
  TIMEOUT,
  async () => {
    addRow(ROW);
    expect(typeErrors()).toBe("");
    expect(run("vitest/vitest.mjs", "run", "lib/api/contract.test.ts").status).toBe(0);
    const called = run("tsx/dist/cli.mjs", "--input-type=module", "--eval", CALL_WITHOUT_TOKEN);
    expect(called.stdout, called.stderr).toBe(
      '401 {"error":"Missing access token. Send \\"Authorization: Bearer <token>\\"."}\n',
    );

    addRow(ROW.replace("subject: z.string()", "subject: z.string(), opened_at: z.int()"));
    await write("app/api/v1/ticket/route.ts", ROUTE.replace('"/api/v1/tickets"', '"/api/v1/ticket"'));
    const errors = typeErrors();
    expect(errors).toMatch(/^app\/api\/v1\/ticket\/route\.ts.*"\/api\/v1\/ticket"/);
    expect(errors).toMatch(/^lib\/tickets\/tickets\.ts.*opened_at/ms);
  },
);

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function addRow(row: string): void {
  const contract = readFileSync("lib/api/contract.ts", "utf8");
  writeFileSync(join(copy, "lib/api/contract.ts"), contract.replace("endpoints({", `endpoints({${row}`));
}

/** What the type check of the copy prints; "" when there is nothing to say. The second time it checks what is new. */
function typeErrors(): string {
  return run("typescript/bin/tsc", "--noEmit", "--pretty", "false").stdout;
}

function run(program: string, ...args: string[]) {
  return spawnSync(process.execPath, [join("node_modules", program), ...args], {
    cwd: copy,
    encoding: "utf8",
    // Nothing of the test runner's own environment: it has a BASE_URL, too.
    env: { PATH: process.env.PATH, NODE_ENV: "test", DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" },
  });
}
