import type { Page } from "playwright";
import { HOUR } from "@/lib/format/time";
import { rangeParams, type TimeRange } from "@/lib/format/time-range";
import type { GameServiceStatus } from "@/lib/generated/prisma/enums";
import * as paths from "@/lib/page-paths";

/**
 * Who looks: the demo's first customer or its administrator; that customer in a browser without JavaScript; somebody
 * who is not signed in; an account without anything; one whose only server never checked in; one whose servers are all ill;
 * one with as much, and with names as long, as an account may have.
 */
export type Viewer = "owner" | "admin" | "scriptless" | "stranger" | "newcomer" | "beginner" | "unlucky" | "collector";

/** What has pictures: a page, or a state of it that looks different. */
export type State = {
  name: string;
  path: string;
  /** The owner unless it is said. */
  viewer?: Viewer;
  /** A table that is not there meanwhile, so that the page fails. */
  without?: string;
  /** As it is printed. */
  isPrinted?: boolean;
  /** Goes on from the path. */
  reach?: (page: Page) => Promise<void>;
};

/** Ids of what the states are about. */
type StateIds = {
  server: number;
  token: number;
  /** A game service of the owner in each status. */
  services: Readonly<Record<GameServiceStatus, number>>;
  edgeNode: number;
  /** Of the collector. */
  long: { server: number; service: number; token: number };
};

/** A time that began and ended so many milliseconds ago, as a URL says it. */
function ago({ from, to }: TimeRange): string {
  return String(new URLSearchParams(rangeParams({ from: Date.now() - from, to: Date.now() - to })));
}

const MISSING_ID = 2_147_483_647;

/** Every page and every state of it. Those that change what later ones would show come last. */
export function listStates(ids: StateIds): State[] {
  return [
    ...PUBLIC,
    ...FLEET,
    ...serverStates(ids),
    ...serviceStates(ids),
    ...accountStates(ids),
    ...lastingStates(ids),
  ];
}

const PUBLIC: readonly State[] = [
  { name: "landing", path: "/", viewer: "stranger" },
  { name: "landing-signed-in", path: "/" },
  { name: "sign-in", path: paths.SIGN_IN, viewer: "stranger" },
  { name: "sign-in-refused", path: paths.SIGN_IN, viewer: "stranger", reach: refuseSignIn },
  { name: "sign-in-signed-out", path: `${paths.SIGN_IN}?signed-out`, viewer: "stranger" },
  { name: "confirm-address", path: `${paths.CONFIRM_ADDRESS}?key=none`, viewer: "stranger" },
  { name: "unsubscribe", path: `${paths.UNSUBSCRIBE}?key=none`, viewer: "stranger" },
  { name: "reference", path: paths.API_REFERENCE, viewer: "stranger" },
  { name: "reference-signed-in", path: paths.API_REFERENCE },
  { name: "reference-found", path: paths.API_REFERENCE, viewer: "stranger", reach: findInReference },
  { name: "reference-run", path: paths.API_REFERENCE, viewer: "stranger", reach: runExample },
  { name: "changelog", path: paths.CHANGELOG, viewer: "stranger" },
  { name: "not-found", path: "/no/such/page", viewer: "stranger" },
  { name: "not-found-dashboard", path: paths.NO_PAGE },
  { name: "fault", path: paths.DASHBOARD, without: "sessions" },
  { name: "fault-dashboard", path: paths.TOKEN_PAGE, without: "access_tokens" },
  { name: "refused-form", path: paths.SIGN_IN, viewer: "stranger", reach: sendFromElsewhere },
];

const FLEET: readonly State[] = [
  { name: "fleet", path: paths.DASHBOARD },
  { name: "fleet-compact", path: `${paths.DASHBOARD}?view=compact` },
  { name: "fleet-filtered", path: `${paths.DASHBOARD}?show=attention` },
  { name: "fleet-nothing", path: `${paths.DASHBOARD}?q=nowhere` },
  { name: "fleet-away", path: paths.DASHBOARD, reach: loseConsole },
  { name: "fleet-scriptless", path: paths.DASHBOARD, viewer: "scriptless" },
  { name: "fleet-empty", path: paths.DASHBOARD, viewer: "newcomer" },
  { name: "fleet-beginner", path: paths.DASHBOARD, viewer: "beginner" },
  { name: "fleet-unlucky", path: paths.DASHBOARD, viewer: "unlucky" },
  { name: "fleet-printed", path: paths.DASHBOARD, isPrinted: true },
  { name: "fleet-many", path: paths.DASHBOARD, viewer: "collector" },
  { name: "fleet-many-compact", path: `${paths.DASHBOARD}?view=compact`, viewer: "collector" },
];

function serverStates({ server, long }: StateIds): State[] {
  return [
    { name: "server", path: paths.serverPath(server) },
    { name: "server-7d", path: `${paths.serverPath(server)}?range=7d` },
    { name: "server-30d", path: `${paths.serverPath(server)}?range=30d` },
    {
      name: "server-any-time",
      path: `${paths.serverPath(server)}?${ago({ from: 30 * HOUR, to: 6 * HOUR })}&compare=1d`,
    },
    { name: "server-any-refused", path: `${paths.serverPath(server)}?from=2026-01-02T00:00Z&to=2026-01-01T00:00Z` },
    { name: "server-values", path: paths.serverPath(server), reach: pointAtChart },
    { name: "server-away", path: paths.serverPath(server), reach: loseConsole },
    { name: "server-scriptless", path: paths.serverPath(server), viewer: "scriptless" },
    { name: "server-offline", path: paths.DASHBOARD, reach: (page) => openFirst(page, "offline") },
    { name: "server-never", path: paths.DASHBOARD, reach: (page) => openFirst(page, "never") },
    { name: "server-printed", path: paths.serverPath(server), isPrinted: true },
    { name: "server-long", path: paths.serverPath(long.server), viewer: "collector" },
    { name: "server-months", path: paths.serverPath(long.server), viewer: "collector", reach: openMonths },
    { name: "server-snooze", path: paths.serverPath(long.server), viewer: "collector", reach: openSnooze },
    { name: "several-servers-tags", path: paths.tagsOfSeveralPath({}) },
    { name: "several-servers-maintenance", path: paths.maintenanceOfSeveralPath({}) },
    { name: "server-settings", path: paths.serverSettingsPath(server) },
    { name: "server-settings-long", path: paths.serverSettingsPath(long.server), viewer: "collector" },
    { name: "server-remove", path: paths.removeServerPath(server) },
    { name: "server-benchmark", path: paths.benchmarkPath(server) },
    { name: "server-new", path: paths.NEW_SERVER },
    { name: "server-new-refused", path: paths.NEW_SERVER, reach: refuseServer },
    { name: "server-not-found", path: paths.serverPath(MISSING_ID) },
  ];
}

function serviceStates({ services, edgeNode, long }: StateIds): State[] {
  const service = services.active;
  return [
    { name: "services", path: paths.GAME_SERVICES },
    { name: "services-filtered", path: `${paths.GAME_SERVICES}?filter=nothing` },
    { name: "services-empty", path: paths.GAME_SERVICES, viewer: "newcomer" },
    { name: "services-long", path: paths.GAME_SERVICES, viewer: "collector" },
    { name: "services-admin", path: paths.GAME_SERVICES, viewer: "admin" },
    ...Object.entries(services).map(([status, id]) => ({
      name: `service-${status.replaceAll("_", "-")}`,
      path: paths.servicePath(id),
    })),
    { name: "service-7d", path: `${paths.servicePath(service)}?range=7d` },
    {
      name: "service-any-time",
      path: `${paths.servicePath(service)}?${ago({ from: 30 * HOUR, to: 6 * HOUR })}&compare=1d`,
    },
    { name: "service-away", path: paths.servicePath(service), reach: loseConsole },
    { name: "service-scriptless", path: paths.servicePath(service), viewer: "scriptless" },
    { name: "service-printed", path: paths.servicePath(service), isPrinted: true },
    { name: "service-long", path: paths.servicePath(long.service), viewer: "collector" },
    { name: "service-unserved", path: paths.GAME_SERVICES, viewer: "collector", reach: openUnserved },
    { name: "service-settings", path: paths.serviceSettingsPath(service) },
    { name: "service-access", path: paths.serviceAccessPath(service) },
    { name: "service-access-refused", path: paths.serviceAccessPath(service), reach: refuseGrant },
    { name: "service-disable", path: paths.disableServicePath(service) },
    { name: "service-delete", path: paths.deleteServicePath(service) },
    { name: "service-dns", path: paths.serviceDnsPath(service) },
    { name: "service-new", path: paths.NEW_GAME_SERVICE },
    { name: "service-new-refused", path: paths.NEW_GAME_SERVICE, reach: refuseService },
    { name: "service-not-found", path: paths.servicePath(MISSING_ID) },
    { name: "services-support", path: paths.SUPPORT, viewer: "admin" },
    { name: "edge-nodes", path: paths.EDGE_NODES, viewer: "admin" },
    { name: "edge-node-new", path: paths.NEW_EDGE_NODE, viewer: "admin" },
    { name: "edge-node-settings", path: paths.edgeNodeSettingsPath(edgeNode), viewer: "admin" },
    { name: "edge-node-remove", path: paths.removeEdgeNodePath(edgeNode), viewer: "admin" },
  ];
}

function accountStates({ token, long }: StateIds): State[] {
  return [
    { name: "account", path: paths.ACCOUNT_PAGE },
    { name: "notices", path: paths.NOTICE_PAGE },
    { name: "notices-channels", path: paths.NOTICE_PAGE, viewer: "collector", reach: openDeliveries },
    { name: "account-menu", path: paths.ACCOUNT_PAGE, reach: openMenu },
    { name: "account-refused", path: paths.ACCOUNT_PAGE, reach: refusePassword },
    { name: "account-scriptless", path: paths.ACCOUNT_PAGE, viewer: "scriptless" },
    { name: "account-long", path: paths.ACCOUNT_PAGE, viewer: "collector", reach: openMenu },

    { name: "tokens", path: paths.TOKEN_PAGE },
    { name: "tokens-revoke", path: `${paths.TOKEN_PAGE}?revoke=${token}` },
    { name: "tokens-revoke-all", path: `${paths.TOKEN_PAGE}?revoke=all` },
    { name: "tokens-selected", path: paths.TOKEN_PAGE, reach: selectAll },
    { name: "tokens-filtered", path: `${paths.TOKEN_PAGE}?filter=nothing` },
    { name: "tokens-refused-name", path: paths.TOKEN_PAGE, reach: refuseName },
    { name: "tokens-scriptless", path: paths.TOKEN_PAGE, viewer: "scriptless" },
    { name: "tokens-empty", path: paths.TOKEN_PAGE, viewer: "newcomer" },
    { name: "tokens-many", path: paths.TOKEN_PAGE, viewer: "collector" },
    { name: "token", path: paths.tokenPath(token) },
    { name: "token-used", path: paths.TOKEN_PAGE, reach: (page) => openToken(page, "Grafana") },
    { name: "token-ended", path: paths.TOKEN_PAGE, reach: (page) => openToken(page, "Old laptop") },
    { name: "token-long", path: paths.tokenPath(long.token), viewer: "collector" },
    { name: "token-not-found", path: paths.tokenPath(MISSING_ID) },
  ];
}

/** Each leaves something behind. */
function lastingStates({ server, long }: StateIds): State[] {
  return [
    { name: "server-new-added", path: paths.NEW_SERVER, viewer: "newcomer", reach: addServer },
    { name: "server-new-away", path: paths.NEW_SERVER, viewer: "newcomer", reach: addServerAndLoseConsole },
    { name: "server-snoozed", path: paths.serverPath(long.server), viewer: "collector", reach: snooze },
    { name: "notices-secret", path: paths.NOTICE_PAGE, viewer: "newcomer", reach: addWebhook },
    { name: "server-settings-key", path: paths.serverSettingsPath(server), reach: replaceKey },
    { name: "server-benchmark-line", path: paths.benchmarkPath(server), reach: askForBenchmark },
    { name: "tokens-created", path: paths.TOKEN_PAGE, viewer: "newcomer", reach: createToken },
    { name: "tokens-created-away", path: paths.TOKEN_PAGE, viewer: "newcomer", reach: createTokenAndLoseConsole },
    { name: "token-replaced", path: paths.TOKEN_PAGE, reach: replaceToken },
    { name: "tokens-password", path: `${paths.TOKEN_PAGE}?revoke=all`, viewer: "collector" },
  ];
}

/** Opens the first server of a group of the fleet. */
async function openFirst(page: Page, group: string): Promise<void> {
  await page.locator(`tr[data-group=${group}] th a`).first().click();
  await page.locator("article[data-server]").waitFor();
}

async function openUnserved(page: Page): Promise<void> {
  await page.locator("tr", { hasText: "served by no live edge node" }).locator("th a").click();
  await page.getByText("Players may still reach the origin").waitFor();
}

async function openToken(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name, exact: true }).last().click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

async function openMenu(page: Page): Promise<void> {
  await page.getByRole("banner").locator("details > summary").click();
}

async function selectAll(page: Page): Promise<void> {
  await page.getByLabel("Select all").check();
}

/** Takes the console away from this page alone, and lets it notice. */
async function loseConsole(page: Page): Promise<void> {
  await page.route("**/*", (route) => route.abort());
  // Until the page's program runs nobody hears it.
  await page.evaluate(() => setInterval(() => window.dispatchEvent(new Event("online")), 500));
  await page.getByText("Not updated since").first().waitFor();
}

/** Shows the values at one time, in all charts. */
async function pointAtChart(page: Page): Promise<void> {
  const cursor = page.getByRole("slider").first();
  await cursor.focus();
  for (let steps = 0; steps < 3; steps++) await cursor.press("PageDown");
}

async function openMonths(page: Page): Promise<void> {
  await page.getByText("months before this one").click();
}

async function openSnooze(page: Page): Promise<void> {
  await page.getByText("Snooze notices").click();
}

async function snooze(page: Page): Promise<void> {
  await openSnooze(page);
  await page.getByRole("button", { name: "For 8 hours" }).click();
  await page.getByText("Snoozed until").waitFor();
}

async function openDeliveries(page: Page): Promise<void> {
  await page.locator("main summary", { hasText: "deliveries" }).first().click();
}

async function addWebhook(page: Page): Promise<void> {
  await page.getByText("Webhook", { exact: true }).click();
  const form = page.getByRole("form", { name: "Add the webhook" });
  await form.getByLabel("URL").fill("https://example.com/notices");
  await form.getByRole("button").click();
  await page.getByText("Secret of the webhook").first().waitFor();
}

async function findInReference(page: Page): Promise<void> {
  await page.getByLabel("Find on this page").fill("score");
  await page.locator("search a").first().waitFor();
}

/** With a token that nobody has. */
async function runExample(page: Page): Promise<void> {
  await page.goto(`${page.url()}#getAccount`);
  const example = page.getByRole("article", { name: "GET /api/v1/me" });
  await example.getByText("Run", { exact: true }).click();
  await example.getByLabel("A token, for this request only").fill("cpat_unknown");
  await example.getByRole("button", { name: "Run getAccount" }).click();
  await example.getByText("401 Unauthorized").waitFor();
}

async function refuseSignIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Wrong e-mail or password.").waitFor();
}

/** Sends the form of the page as another site would, which the console refuses. */
async function sendFromElsewhere(page: Page): Promise<void> {
  const action = page.url();
  const fields = await page.locator("form input[type=hidden]").evaluateAll((inputs) => inputs.map((i) => i.outerHTML));
  await page.goto("about:blank");
  await page.setContent(
    `<form method="post" enctype="multipart/form-data" action="${action}">${fields.join("")}<button>Send</button></form>`,
  );
  await page.getByRole("button").click();
  await page.getByRole("heading", { name: "This form was not sent by the console" }).waitFor();
}

async function refuseServer(page: Page): Promise<void> {
  await page.getByLabel("Label").fill("Web front");
  await page.getByLabel("Hostname").fill("not a hostname");
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByText("A hostname consists of").waitFor();
}

async function refuseService(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Survival");
  await page.getByLabel("Public hostname").fill("*.example.com");
  await page.getByRole("button", { name: "Create game service" }).click();
  await page.getByText("Wildcards are not possible").waitFor();
}

async function refuseGrant(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.locator("[aria-invalid=true]").waitFor();
}

async function refusePassword(page: Page): Promise<void> {
  await page.getByLabel("Current password").fill("wrong");
  await page.getByLabel("New password", { exact: true }).fill("correct horse battery staple");
  await page.getByLabel("New password again").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
}

async function refuseName(page: Page): Promise<void> {
  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Give the token a name.").waitFor();
}

async function addServer(page: Page): Promise<void> {
  await page.getByLabel("Label").fill("Web front");
  await page.getByLabel("Hostname").fill("web-1.example.com");
  await page.getByRole("button", { name: "Add server" }).click();
  await page.getByText("Waiting for the first check-in").waitFor();
}

async function addServerAndLoseConsole(page: Page): Promise<void> {
  await addServer(page);
  await loseFirstUse(page);
}

async function replaceKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Replace the key" }).click();
  await page.getByRole("heading", { name: "Give the server its new key now" }).waitFor();
}

async function askForBenchmark(page: Page): Promise<void> {
  await page.getByLabel("Label of the run").fill("After delivery");
  await page.getByRole("button", { name: "Show the line to run" }).click();
  await page.getByText("yabs.sh | bash").waitFor();
}

async function createToken(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Nightly report");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByLabel("Token", { exact: true }).waitFor();
}

async function createTokenAndLoseConsole(page: Page): Promise<void> {
  await createToken(page);
  await loseFirstUse(page);
}

/** Waits until the panel that waits for a first use has noticed that the console is away. */
async function loseFirstUse(page: Page): Promise<void> {
  await page.route("**/*", (route) => route.abort());
  await page.getByText("does not answer").first().waitFor();
}

async function replaceToken(page: Page): Promise<void> {
  await openToken(page, "Home Assistant");
  await page.getByRole("button", { name: "Replace token" }).click();
  await page.getByLabel("Token", { exact: true }).waitFor();
}
