import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { findBrowser } from "@/e2e/support/browser";
import { freePort } from "@/e2e/support/free-port";
import { PlainError } from "@/lib/failures";
import {
  ACCOUNT_PAGE,
  API_REFERENCE,
  benchmarkPath,
  DASHBOARD,
  deleteServicePath,
  EDGE_NODES,
  GAME_SERVICES,
  NEW_GAME_SERVICE,
  NEW_SERVER,
  serverPath,
  serviceAccessPath,
  serviceDnsPath,
  servicePath,
  serviceSettingsPath,
  TOKEN_PAGE,
} from "@/lib/page-paths";
import { SECOND } from "@/lib/time";
import { waitForDemo } from "./demo-output";

/** The README's pictures, which are kept. */
const KEPT = "e2e/screenshots";
/** The word that asks for those alone. */
const README = "readme";
/** Every page in every width and colour scheme, for reviewing a change. Ignored by git. */
const ALL = ".screenshots";

const TRENDS_TAKE = 20 * SECOND;

const WIDTHS = [375, 1280, 1920] as const;
const SCHEMES = ["light", "dark"] as const;

/**
 * `npm run screenshots`: makes the README's pictures and those of every page again, from a demo of their own. Words
 * after it choose pages by their names: `npm run screenshots -- token`; `-- readme` makes the README's alone.
 */
export async function main(chosen: readonly string[]): Promise<void> {
  const executablePath = findBrowser();
  if (!executablePath) throw new PlainError("The pictures need Chromium or Chrome; name one in CHROMIUM_PATH.");
  const dataDir = mkdtempSync(join(tmpdir(), "console-screenshots-"));
  const demo = await startDemo(dataDir);
  const browser = await chromium.launch({ executablePath });
  try {
    const isReadmeOnly = chosen.length === 1 && chosen[0] === README;
    if (!isReadmeOnly) await takeEveryPage(browser, demo, chosen);
    if (chosen.length === 0 || isReadmeOnly) await takeKept(browser, demo);
  } finally {
    await browser.close();
    await demo.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Person = { email: string; password: string };
type Demo = { origin: string; owner: Person; admin: Person; stop(): Promise<void> };

async function startDemo(dataDir: string): Promise<Demo> {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/run.mjs", "demo"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir, PORT: String(port) },
  });
  const output = await waitForDemo(child);
  return {
    origin: `http://127.0.0.1:${port}`,
    owner: personIn(output, "customer"),
    admin: personIn(output, "admin"),
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

/** The first account of a role that the demo names when it has started. */
function personIn(output: string, role: string): Person {
  const [, email, password] = new RegExp(`^ {2}(\\S+@\\S+) +(\\S+) +${role}$`, "m").exec(output) ?? [];
  if (!email || !password) throw new PlainError("The demo did not start.");
  return { email, password };
}

async function signIn(page: Page, origin: string, { email, password }: Person): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**${DASHBOARD}**`);
}

/** Who looks: the owner of the demo's servers unless it is said. */
type Viewer = "owner" | "stranger" | "admin";
type State = { name: string; path: string; viewer?: Viewer; reach?: (page: Page) => Promise<void> };

/** Every page, and the states of it that look different. */
async function listStates(page: Page, origin: string): Promise<State[]> {
  await page.goto(origin + DASHBOARD);
  const server = await firstId(page, "/dashboard/servers/");
  await page.goto(origin + TOKEN_PAGE);
  const token = await firstId(page, `${TOKEN_PAGE}/`);
  await page.goto(origin + GAME_SERVICES);
  const service = await firstId(page, `${GAME_SERVICES}/`);
  return [
    { name: "landing", path: "/", viewer: "stranger" },
    { name: "sign-in", path: "/sign-in", viewer: "stranger" },
    { name: "sign-in-refused", path: "/sign-in", viewer: "stranger", reach: refuseSignIn },
    { name: "reference", path: API_REFERENCE, viewer: "stranger" },
    { name: "not-found", path: "/no/such/page", viewer: "stranger" },
    { name: "landing-signed-in", path: "/" },
    { name: "fleet", path: DASHBOARD },
    { name: "fleet-compact", path: `${DASHBOARD}?view=compact` },
    { name: "fleet-filtered", path: `${DASHBOARD}?show=attention` },
    { name: "fleet-nothing", path: `${DASHBOARD}?q=nowhere` },
    { name: "server", path: serverPath(server) },
    { name: "server-offline", path: DASHBOARD, reach: (page) => openFirst(page, "offline") },
    { name: "server-never", path: DASHBOARD, reach: (page) => openFirst(page, "never") },
    { name: "server-7d", path: `${serverPath(server)}?range=7d` },
    { name: "server-settings", path: `${serverPath(server)}/settings` },
    { name: "server-remove", path: `${serverPath(server)}/remove` },
    { name: "server-benchmark", path: benchmarkPath(server) },
    { name: "server-new", path: NEW_SERVER },
    { name: "server-not-found", path: serverPath(999_999) },
    { name: "services", path: GAME_SERVICES },
    { name: "services-filtered", path: `${GAME_SERVICES}?filter=nothing` },
    { name: "service", path: servicePath(service) },
    { name: "service-7d", path: `${servicePath(service)}?range=7d` },
    { name: "service-failed", path: servicePath(service + 3) },
    { name: "service-settings", path: serviceSettingsPath(service) },
    { name: "service-access", path: serviceAccessPath(service) },
    { name: "service-delete", path: deleteServicePath(service) },
    { name: "service-dns", path: serviceDnsPath(service) },
    { name: "service-new", path: NEW_GAME_SERVICE },
    { name: "service-new-refused", path: NEW_GAME_SERVICE, reach: refuseService },
    { name: "service-not-found", path: servicePath(999_999) },
    { name: "edge-nodes", path: EDGE_NODES, viewer: "admin" },
    { name: "account", path: ACCOUNT_PAGE },
    { name: "account-menu", path: ACCOUNT_PAGE, reach: openMenu },
    { name: "tokens", path: TOKEN_PAGE },
    { name: "tokens-revoke", path: `${TOKEN_PAGE}?revoke=${token}` },
    { name: "tokens-revoke-all", path: `${TOKEN_PAGE}?revoke=all` },
    { name: "tokens-selected", path: TOKEN_PAGE, reach: selectAll },
    { name: "token", path: `${TOKEN_PAGE}/${token}` },
    {
      name: "token-used",
      path: TOKEN_PAGE,
      reach: (page) => page.getByRole("link", { name: "Grafana" }).last().click(),
    },
    {
      name: "token-ended",
      path: TOKEN_PAGE,
      reach: (page) => page.getByRole("link", { name: "Old laptop" }).last().click(),
    },
    { name: "token-not-found", path: `${TOKEN_PAGE}/999999` },
    { name: "token-refused-name", path: TOKEN_PAGE, reach: refuseName },
    { name: "reference-signed-in", path: API_REFERENCE },
  ];
}

async function firstId(page: Page, prefix: string): Promise<number> {
  const hrefs = await page
    .locator(`main a[href^="${prefix}"]`)
    .evaluateAll((links) => links.map((a) => a.getAttribute("href")));
  const id = hrefs.map((href) => Number(href?.slice(prefix.length))).find(Number.isInteger);
  if (id === undefined) throw new PlainError(`The demo has nothing under ${prefix}.`);
  return id;
}

/** Opens the first server of a group of the fleet. */
async function openFirst(page: Page, group: string): Promise<void> {
  await page.locator(`tr[data-group=${group}] th a`).first().click();
  await page.locator("article[data-server]").waitFor();
}

async function openMenu(page: Page): Promise<void> {
  await page.getByRole("banner").locator("details > summary").click();
}

async function selectAll(page: Page): Promise<void> {
  await page.getByLabel("Select all").check();
}

async function refuseSignIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("nobody@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Wrong e-mail or password.").waitFor();
}

async function refuseService(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Survival");
  await page.getByLabel("Public hostname").fill("*.example.com");
  await page.getByRole("button", { name: "Create game service" }).click();
  await page.getByText("Wildcards are not possible").waitFor();
}

async function refuseName(page: Page): Promise<void> {
  await page.getByLabel("Name").fill(" ");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Give the token a name.").waitFor();
}

async function takeEveryPage(browser: Browser, demo: Demo, chosen: readonly string[]): Promise<void> {
  rmSync(ALL, { recursive: true, force: true });
  mkdirSync(ALL);
  const contexts: Record<Viewer, BrowserContext> = {
    owner: await browser.newContext(),
    stranger: await browser.newContext(),
    admin: await browser.newContext(),
  };
  await signIn(await contexts.admin.newPage(), demo.origin, demo.admin);
  const first = await contexts.owner.newPage();
  await signIn(first, demo.origin, demo.owner);
  // Waits until a fresh demo has computed its trends.
  await first.waitForTimeout(TRENDS_TAKE);
  for (const state of await listStates(first, demo.origin)) {
    if (chosen.length > 0 && !chosen.some((word) => state.name.startsWith(word))) continue;
    await takeState(contexts[state.viewer ?? "owner"], demo.origin, state);
  }
  for (const context of Object.values(contexts)) await context.close();
}

async function takeState(context: BrowserContext, origin: string, { name, path, reach }: State): Promise<void> {
  const page = await context.newPage();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(origin + path);
  await reach?.(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 375 ? 800 : 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const file = join(ALL, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path: file, animations: "disabled", fullPage: true });
    }
  }
  console.log(`${ALL}/${name}-*.png`);
  await page.close();
}

async function takeKept(browser: Browser, demo: Demo): Promise<void> {
  mkdirSync(KEPT, { recursive: true });
  const { origin } = demo;
  const light = await browser.newPage({ colorScheme: "light", viewport: { width: 1200, height: 900 } });
  // The new token is left behind uncopied.
  light.on("dialog", (dialog) => void dialog.accept());
  await signIn(light, origin, demo.owner);
  // Waits until a fresh demo has computed its trends.
  await light.waitForTimeout(TRENDS_TAKE);
  await light.goto(origin + DASHBOARD);
  await take(light, "fleet");
  await light.getByRole("link", { name: "Session cache" }).click();
  await light.getByRole("link", { name: "7 days" }).click();
  await light.getByRole("heading", { name: "History" }).scrollIntoViewIfNeeded();
  await light.getByRole("link", { name: "7 days" }).and(light.locator("[aria-current]")).waitFor();
  await take(light, "server-history");

  await light.goto(origin + TOKEN_PAGE);
  await take(light, "token-page");

  await light.emulateMedia({ colorScheme: "dark" });
  await light.getByLabel("Name").fill("Nightly report");
  await light.getByRole("button", { name: "Create token" }).click();
  await light.getByLabel("Token", { exact: true }).waitFor();
  await take(light, "token-created-dark");
  await light.getByRole("link", { name: "Done" }).click();

  await light.emulateMedia({ colorScheme: "light" });
  await light.setViewportSize({ width: 390, height: 844 });
  await light.goto(origin + TOKEN_PAGE);
  await take(light, "token-page-narrow");
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(KEPT, `${name}.png`), animations: "disabled" });
  console.log(`${KEPT}/${name}.png`);
}
