import type { Page } from "playwright/test";
import { agentConfigurations } from "@/app/dashboard/servers/agent-configurations";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import {
  ACCOUNT_PAGE,
  API_REFERENCE,
  CHANGELOG,
  CONFIRM_ADDRESS,
  DASHBOARD,
  deleteServicePath,
  disableServicePath,
  EDGE_NODES,
  edgeNodeSettingsPath,
  GAME_SERVICES,
  maintenanceOfSeveralPath,
  NEW_EDGE_NODE,
  NEW_GAME_SERVICE,
  NEW_SERVER,
  NOTICE_PAGE,
  removeEdgeNodePath,
  serverPath,
  serverSettingsPath,
  serviceAccessPath,
  servicePath,
  serviceSettingsPath,
  tagsOfSeveralPath,
  UNSUBSCRIBE,
} from "@/lib/page-paths";
import { requestBenchmark } from "@/lib/servers/benchmarks";
import { MAX_ACTIVE_TOKENS, revokeTokens } from "@/lib/tokens/management";
import { eventfulService } from "./eventful-service";
import { newGameService, newNamedToken, newServer, newToken, putEvents, putPast, putSample, unique } from "./factories";
import { sharedOrigin } from "./fixtures";
import { createOnPage, expect, openAccountMenu, submitSignIn, TOKEN_PAGE } from "./pages";

// The pages in their states, with names and ips as long as they can be, for tests of how they look.

/** How a page gets into each of its states. */
export type States = Readonly<Record<string, (page: Page, accountId: number) => Promise<void>>>;

export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("main")).toBeVisible();
}

/** As `visit`. A busy machine may not sum up two days in time, or have no place for it: then it is asked again. */
export async function visitCharts(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(async () => {
    if (await page.getByText(/Its database does not answer\.|The console is busy/).isVisible()) await page.reload();
    await expect(page.getByLabel("From", { exact: true })).toBeVisible({ timeout: SECOND });
  }).toPass();
}

export const SIGNED_OUT: States = {
  "start page": (page) => visit(page, "/"),
  "address to confirm": (page) => visit(page, `${CONFIRM_ADDRESS}?key=k`),
  "stale link": (page) => visit(page, `${CONFIRM_ADDRESS}?done=stale`),
  unsubscribing: (page) => visit(page, `${UNSUBSCRIBE}?key=k`),
  "sign-in": async (page) => {
    await page.context().clearCookies();
    await visit(page, "/sign-in");
  },
  "sign-in refused": async (page) => {
    await page.context().clearCookies();
    await page.goto("/sign-in");
    await submitSignIn(page, "nobody@example.com", "wrong");
    await expect(page.getByText("Wrong e-mail or password.")).toBeVisible();
  },
  "form of another page": async (page) => {
    const signIn = `${sharedOrigin()}/sign-in`;
    const fields = (await (await fetch(signIn)).text()).match(/<input type="hidden"[^>]*>/g) ?? [];
    await page.goto("about:blank");
    await page.setContent(
      `<form method="post" enctype="multipart/form-data" action="${signIn}">${fields.join("")}<button>Send</button></form>`,
    );
    const answered = page.waitForResponse(signIn);
    await page.getByRole("button").click();
    expect((await answered).status()).toBe(403);
    await expect(page.getByRole("heading", { name: "This form was not sent by the console" })).toBeVisible();
  },
};

export const TOKENS: States = {
  "no tokens": (page) => visit(page, TOKEN_PAGE),
  "refused name": async (page) => {
    await page.goto(TOKEN_PAGE);
    await page.getByLabel("Name").fill(" ");
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByText("Give the token a name.")).toBeVisible();
  },
  "just created": async (page) => {
    await page.goto(TOKEN_PAGE);
    await createOnPage(page, "new");
  },
  "tokens in every state, long names": async (page, accountId) => {
    await fillTokens(accountId);
    await visit(page, TOKEN_PAGE);
  },
  "fifty tokens": async (page, accountId) => {
    for (let i = 0; i < MAX_ACTIVE_TOKENS; i++) await newToken(accountId);
    await visit(page, TOKEN_PAGE);
    await expect(page.getByRole("row")).toHaveCount(1 + MAX_ACTIVE_TOKENS);
  },
  "confirm revoke": async (page, accountId) => {
    const { token } = await newNamedToken(accountId, "W".repeat(64));
    await visit(page, `${TOKEN_PAGE}?revoke=${token.id}`);
    await expect(page.getByRole("dialog")).toBeVisible();
  },
  "confirm revoke all": async (page, accountId) => {
    await fillTokens(accountId);
    await visit(page, `${TOKEN_PAGE}?revoke=all`);
    await expect(page.getByRole("dialog")).toBeVisible();
  },
  "one token with a day of traffic": async (page, accountId) => {
    const { token } = await newNamedToken(accountId, "W".repeat(64), { expiresAt: new Date(Date.now() + 30 * DAY) });
    const hour = new Date(Math.floor(Date.now() / DAY) * DAY);
    await db.tokenUseHour.create({ data: { tokenId: token.id, hour, requests: 9, limited: 2, refused: 1, peak: 9 } });
    const ip = "2001:db8:1234:5678:9abc:def0:1234:5678";
    await db.tokenVisitor.create({ data: { tokenId: token.id, ip, network: ip, agent: "x".repeat(100) } });
    await visit(page, `${TOKEN_PAGE}/${token.id}`);
    await page.getByText("Table of Requests").click();
  },
  "password asked again": async (page, accountId) => {
    await fillTokens(accountId);
    await db.session.updateMany({ where: { accountId }, data: { authenticatedAt: new Date(0) } });
    await visit(page, `${TOKEN_PAGE}?revoke=all`);
    await expect(page.getByRole("dialog").getByLabel("Your password")).toBeVisible();
  },
  "nothing to revoke": (page) => visit(page, `${TOKEN_PAGE}?revoke=999999999`),
  "not found": (page) => visit(page, "/no/such/page"),
};

export const FLEET: States = {
  fleet: async (page, accountId) => {
    await newServer(accountId, { label: "W".repeat(64), hostname: `${"h".repeat(63)}.example.com` });
    await newServer(accountId, { publicIp: "2001:db8:1234:5678:9abc:def0:1234:5678" });
    await visit(page, DASHBOARD);
  },
  "empty fleet": (page) => visit(page, DASHBOARD),
  "fleet of one tag": async (page, accountId) => {
    const { id } = await newServer(accountId, { label: "alpha", tags: ["db", "eu west"] });
    await visit(page, `${DASHBOARD}?tag=eu+west`);
    await expect(page.locator(`[data-server="${id}"]`)).toContainText("#db #eu west");
    // A line has no room for ten of 32 characters.
    await expect(page.getByTitle("#db #eu west")).toHaveCSS("text-overflow", "ellipsis");
  },
  "tags of several servers": async (page, accountId) => {
    await newServer(accountId, { label: "alpha", tags: ["db", "eu west"] });
    await page.goto(tagsOfSeveralPath({}));
    await page.getByRole("textbox", { name: "Add tags" }).fill("new");
    await page.getByRole("checkbox", { name: "alpha" }).check();
    await page.getByRole("button", { name: "Change tags" }).click();
    await expect(page.getByRole("status").filter({ hasText: "The tags of 1 server were changed." })).toBeVisible();
  },
  "maintenance of several servers": (page) => visit(page, maintenanceOfSeveralPath({})),
  "add a server": (page) => visit(page, NEW_SERVER),
  "key of a new server": async (page) => {
    await visit(page, NEW_SERVER);
    await page.getByLabel("Label").fill("W".repeat(64));
    await page.getByLabel("Hostname").fill("web-1.example.com");
    await page.getByRole("button", { name: "Add server" }).click();
    await expect(page.getByText(/csrv_[0-9A-Za-z]{36}/).first()).toBeVisible();
  },
};

export const SERVER: States = {
  "one server": async (page, accountId) => {
    const to = new Date();
    const facts = { long: "x".repeat(300), cores: 2 };
    const ago = (ms: number) => new Date(to.getTime() - ms);
    const known = { createdAt: ago(20 * HOUR), firstSeenAt: ago(20 * HOUR), lastSeenAt: to };
    const { id } = await newServer(accountId, { label: "W".repeat(64), facts, ...known });
    await putSample(id, to, { cpuPct: 5, memUsedMb: 500, memTotalMb: 1000, netLossPct: 0.3 });
    const values = {
      cpu_pct: "40 + extract(minute from ts)",
      cpu_steal_pct: "extract(minute from ts) % 7",
      net_loss_pct: "0.3",
    };
    await putPast(id, { from: new Date(to.getTime() - 10 * HOUR), to }, values);
    await db.benchmarkRun.create({
      data: { serverId: id, label: "W".repeat(64), status: "done", cpu: 70, finishedAt: new Date() },
    });
    const time = { startedAt: ago(5 * HOUR), endedAt: ago(4 * HOUR) };
    await putEvents(
      id,
      { kind: "offline", startedAt: ago(2 * MINUTE), endedAt: ago(MINUTE) },
      { kind: "critical", facts: { cause: "disk", score: 317 }, ...time },
      { kind: "strained", facts: { cause: "cpu", score: 667 }, ...time },
      { kind: "disk_full", facts: { percent: 99 }, startedAt: ago(5 * HOUR) },
      { kind: "clock_wrong", facts: { seconds: -90 }, ...time },
    );
    await page.goto(`/dashboard/servers/${id}`);
    await page.locator("[data-outages='5'] summary").click();
    await page.getByText("Table of CPU").click();
  },
  "settings of a server": async (page, accountId) => {
    const { id } = await newServer(accountId, { label: "W".repeat(64) });
    await page.goto(`/dashboard/servers/${id}/settings`);
  },
  "remove a server": async (page, accountId) => {
    const { id } = await newServer(accountId, { label: "W".repeat(64) });
    await page.goto(`/dashboard/servers/${id}/remove`);
  },
  benchmark: async (page, accountId) => {
    const { id } = await newServer(accountId);
    await requestBenchmark(accountId, id, "W".repeat(64));
    await page.goto(`/dashboard/servers/${id}/benchmark`);
  },
  "server with maintenance": async (page, accountId) => {
    const { id } = await plannedServer(accountId);
    await visit(page, serverPath(id));
    await expect(page.locator("[data-uptime='24 hours']")).toContainText(/of maintenance left out/);
  },
  "server of which bodies are refused": async (page, accountId) => {
    const refusal = `This key already reports for "${"W".repeat(256)}".`;
    const { id } = await newServer(accountId, { refusal, refusedSince: new Date(Date.now() - 3 * DAY) });
    await visit(page, serverPath(id));
    await expect(page.getByText("What is sent for this server is not used")).toBeVisible();
  },
  "settings of a server with maintenance": async (page, accountId) => {
    const { id } = await plannedServer(accountId);
    await visit(page, serverSettingsPath(id));
    await expect(page.getByRole("list", { name: "Planned" }).getByRole("listitem")).toHaveCount(1);
  },
  "configurations of other agents": async (page, accountId) => {
    const { id } = await newServer(accountId);
    await visit(page, serverPath(id));
    await page.locator("summary", { hasText: "Other ways to report" }).click();
    for (const { name } of agentConfigurations(sharedOrigin())) {
      await page.locator("details details > summary", { hasText: name }).click();
    }
  },
};

/** A server in the midst of a time of maintenance. */
async function plannedServer(accountId: number): Promise<{ id: number }> {
  const now = Date.now();
  const server = await newServer(accountId, { createdAt: new Date(now - DAY), lastSeenAt: new Date() });
  await putSample(server.id, new Date(), { cpuPct: 5 });
  const [startedAt, endedAt] = [new Date(now - HOUR), new Date(now + HOUR)];
  await db.maintenanceTime.create({ data: { serverId: server.id, startedAt, endedAt } });
  return server;
}

/** Other programs wrote these columns once, with line breaks, terminal commands and changes of the text's direction. */
const HOSTILE = `<b>${"W".repeat(50)}</b>\u001b[2J\u0007\n\u202E`;

/** A service of which each text wants to break out. */
export async function hostileService(accountId: number): Promise<{ id: number }> {
  const service = await newGameService(accountId, {
    name: HOSTILE,
    javaHostname: `${unique("a".repeat(40))}.${"b".repeat(60)}.${"c".repeat(60)}.example.com`,
    originHost: `${"o".repeat(60)}.example.com`,
    status: "failed",
    error: "fra-1: <script>alert(1)</script> connection\u001b[2J\u202E refused\r\n".repeat(4),
  });
  await db.ticket.create({ data: { accountId, serviceId: service.id, subject: HOSTILE } });
  return service;
}

/** The pages of the service with this id, and what each is called in a title. */
export const SERVICE_PAGES: readonly [name: string, path: (id: number) => string][] = [
  ["list of services", () => GAME_SERVICES],
  ["service", servicePath],
  ["settings of a service", serviceSettingsPath],
  ["access to a service", serviceAccessPath],
  ["disabling a service", disableServicePath],
  ["deleting a service", deleteServicePath],
];

export const SERVICES: States = {
  "new service": (page) => visit(page, NEW_GAME_SERVICE),
  ...Object.fromEntries(
    SERVICE_PAGES.map(([name, path]): [string, States[string]] => [
      name,
      async (page, accountId) => visit(page, path((await hostileService(accountId)).id)),
    ]),
  ),
  "service with events": async (page, accountId) => {
    await visit(page, `${servicePath(await eventfulService(accountId))}?range=24h`);
    await page.locator("[data-outages='5'] summary").click();
  },
};

export const ACCOUNT: States = {
  account: async (page, accountId) => {
    await db.session.updateMany({ where: { accountId }, data: { userAgent: "W".repeat(200) } });
    await visit(page, ACCOUNT_PAGE);
    await openAccountMenu(page);
  },
  notices: async (page, accountId) => {
    const now = new Date();
    const base = { accountId, kind: "webhook", host: `${"h".repeat(60)}.example.com`, confirmedAt: now };
    await db.noticeChannel.createMany({
      data: [
        { ...base, name: "x".repeat(64) },
        { ...base, name: "Failing", failingSince: now },
        { ...base, name: "Off", offAt: now, offReason: "Nothing has arrived there for a day." },
        {
          ...base,
          kind: "mail",
          name: "Unconfirmed",
          host: null,
          email: `${"x".repeat(64)}@example.com`,
          confirmedAt: null,
        },
      ],
    });
    await visit(page, NOTICE_PAGE);
    for (const summary of await page.locator("main summary").all()) await summary.click();
  },
};

/** Of an administrator. */
export const NODES: States = {
  "edge nodes": (page, accountId) => visitNode(page, accountId, () => EDGE_NODES),
  "new edge node": (page, accountId) => visitNode(page, accountId, () => NEW_EDGE_NODE),
  "settings of an edge node": (page, accountId) => visitNode(page, accountId, edgeNodeSettingsPath),
  "removal of an edge node": (page, accountId) => visitNode(page, accountId, removeEdgeNodePath),
};

async function visitNode(page: Page, accountId: number, path: (node: number) => string): Promise<void> {
  await db.account.update({ where: { id: accountId }, data: { role: "admin" } });
  const { id: nodeId } = await db.edgeNode.create({ data: { name: unique("seen") }, select: { id: true } });
  const { id: serviceId } = await newGameService(accountId, { name: unique("W".repeat(40)) });
  await db.edgeAcknowledgement.create({ data: { serviceId, nodeId, version: 1, servingVersion: 1 } });
  await visit(page, path(nodeId));
}

export const DOCUMENTS: States = {
  reference: async (page) => {
    await visit(page, API_REFERENCE);
    await page.locator("details").evaluateAll((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
  },
  changelog: (page) => visit(page, CHANGELOG),
};

/** Tokens in every state. */
export async function fillTokens(accountId: number): Promise<void> {
  for (const [name, change] of [
    ["W".repeat(64), {}],
    ["a name of ordinary length", { expiresAt: new Date(Date.now() + 3 * DAY) }],
    [
      "used",
      {
        lastUsedAt: new Date(),
        firstUsedAt: new Date(),
        lastUsedIp: "2001:db8:1234:5678:9abc:def0:1234:5678",
        lastUsedAgent: "Mozilla/5.0 (X11; Linux x86_64) something/1.0",
      },
    ],
    ["expired", { expiresAt: new Date(Date.now() - DAY) }],
  ] as const) {
    await newNamedToken(accountId, name, change);
  }
  const { token } = await newNamedToken(accountId, "revoked and still used");
  await revokeTokens(accountId, [token.id]);
  await db.accessToken.update({
    where: { id: token.id },
    data: { refusedCount: 1400, lastRefusedAt: new Date(), lastRefusedIp: "203.0.113.9", lastRefusedAgent: "curl/8" },
  });
}
