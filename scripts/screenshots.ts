import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { findBrowser } from "@/e2e/support/browser";
import { freePort } from "@/e2e/support/free-port";
import { PlainError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";
import { DASHBOARD, SIGN_IN, TOKEN_PAGE } from "@/lib/page-paths";
import { findRunningDatabase } from "@/server/embedded/database";
import { waitForDemo } from "./demo-output";
import type { Person } from "./screenshots/collections";
import { listStates, type State, type Viewer } from "./screenshots/states";

/** The README's pictures, which are kept. */
const KEPT = "e2e/screenshots";
/** The word that asks for those alone. */
const README = "readme";
/** Every page in every width and colour scheme, for reviewing a change. Ignored by git. */
const ALL = ".screenshots";

/** A demo computes a month of the past after it has started; on a busy machine that takes a while. */
const TRENDS_TAKE = 3 * MINUTE;
/** Servers of the demo without a day of the past: this machine, and the one that never checked in. */
const NEW_SERVERS = 2;

const WIDTHS = [375, 1280, 1920] as const;
const SCHEMES = ["light", "dark"] as const;

/**
 * `npm run screenshots`: makes the README's pictures and those of every page again, from a demo of their own. Words
 * after it choose pages by the beginnings of their names, any widths, and schemes: `npm run screenshots -- token 375 dark`;
 * `-- readme` makes the README's alone.
 * @throws PlainError when some could not be taken; the others are there.
 */
export async function main(words: readonly string[]): Promise<void> {
  const executablePath = findBrowser();
  if (!executablePath) throw new PlainError("The pictures need Chromium or Chrome; name one in CHROMIUM_PATH.");
  const dataDir = mkdtempSync(join(tmpdir(), "console-screenshots-"));
  const demo = await startDemo(dataDir);
  const browser = await chromium.launch({ executablePath });
  try {
    // Chosen pictures are made anew beside the others. All of them leave none behind of a page that is gone.
    if (words.length === 0) rmSync(ALL, { recursive: true, force: true });
    const isReadmeOnly = words.length === 1 && words[0] === README;
    if (!isReadmeOnly) await takeEveryPage(browser, demo, dataDir, choiceOf(words));
    if (words.length === 0 || isReadmeOnly) await takeKept(browser, demo);
  } finally {
    await browser.close();
    await demo.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Choice = { names: readonly string[]; widths: readonly number[]; schemes: readonly ("light" | "dark")[] };

/** What the words choose; where none is about a matter, everything. */
function choiceOf(words: readonly string[]): Choice {
  const widths = words.filter((word) => /^\d+$/.test(word)).map(Number);
  const schemes = SCHEMES.filter((scheme) => words.includes(scheme));
  return {
    names: words.filter((word) => !/^\d+$/.test(word) && !(SCHEMES as readonly string[]).includes(word)),
    widths: widths.length > 0 ? widths : WIDTHS,
    schemes: schemes.length > 0 ? schemes : SCHEMES,
  };
}

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
  await page.goto(origin + SIGN_IN);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`**${DASHBOARD}**`);
}

/** Waits until the fleet shows a day of each server that has one. @throws PlainError when that takes too long. */
async function waitForTrends(page: Page, origin: string): Promise<void> {
  for (const end = Date.now() + TRENDS_TAKE; Date.now() < end; await page.waitForTimeout(2 * SECOND)) {
    await page.goto(origin + DASHBOARD);
    const lengths = await page
      .locator("tr[data-server]")
      .evaluateAll((rows) =>
        rows.map(
          (row) =>
            [...row.querySelectorAll("td:nth-child(4) path")].map((path) => path.getAttribute("d")).join("").length,
        ),
      );
    // A day has two dozen points of several characters each.
    if (lengths.filter((length) => length < 150).length <= NEW_SERVERS) return;
  }
  throw new PlainError("The demo did not compute its past in time.");
}

async function takeEveryPage(browser: Browser, demo: Demo, dataDir: string, choice: Choice): Promise<void> {
  mkdirSync(ALL, { recursive: true });
  // The database's client reads it when it is loaded, so what uses it is imported after that.
  process.env.DATABASE_URL = (await findRunningDatabase(dataDir)) ?? "";
  const { findServices, keepReporting, makeBeginner, makeCollector, makeNewcomer, makeUnlucky } = await import(
    "./screenshots/collections"
  );
  const { db } = await import("@/lib/database/client");
  try {
    const collector = await makeCollector();
    const made = { newcomer: await makeNewcomer(), beginner: await makeBeginner(), unlucky: await makeUnlucky() };
    const people = { owner: demo.owner, admin: demo.admin, scriptless: demo.owner, ...made };
    const contexts = await openContexts(browser, demo.origin, { ...people, collector });
    const first = await contexts.owner.newPage();
    await waitForTrends(first, demo.origin);
    await first.goto(`${demo.origin}${DASHBOARD}?show=attention`);
    const server = await firstId(first, "/dashboard/servers/");
    await first.goto(demo.origin + TOKEN_PAGE);
    const token = await firstId(first, `${TOKEN_PAGE}/`);
    const services = await findServices(demo.owner.email);
    const { id: edgeNode } = await db.edgeNode.findFirstOrThrow({ select: { id: true } });
    const failures: string[] = [];
    for (const state of listStates({ server, token, services, edgeNode, long: collector })) {
      if (choice.names.length > 0 && !choice.names.some((word) => state.name.startsWith(word))) continue;
      await keepReporting(collector.email);
      if (state.without) await db.$executeRawUnsafe(`alter table ${state.without} rename to elsewhere`);
      await takeState(contexts[state.viewer ?? "owner"], demo.origin, state, choice).catch((error: Error) => {
        failures.push(`${state.name}: ${error.message}`);
      });
      if (state.without) await db.$executeRawUnsafe(`alter table elsewhere rename to ${state.without}`);
    }
    for (const context of Object.values(contexts)) await context.close();
    if (failures.length > 0) throw new PlainError(`These could not be taken:\n${failures.join("\n")}`);
  } finally {
    await db.$disconnect();
  }
}

async function openContexts(
  browser: Browser,
  origin: string,
  people: Readonly<Record<Exclude<Viewer, "stranger">, Person>>,
): Promise<Record<Viewer, BrowserContext>> {
  const contexts: Partial<Record<Viewer, BrowserContext>> = { stranger: await browser.newContext() };
  for (const [viewer, person] of Object.entries(people)) {
    const context = await browser.newContext({ javaScriptEnabled: viewer !== "scriptless" });
    const page = await context.newPage();
    await signIn(page, origin, person);
    await page.close();
    contexts[viewer as Viewer] = context;
  }
  return contexts as Record<Viewer, BrowserContext>;
}

async function firstId(page: Page, prefix: string): Promise<number> {
  const hrefs = await page
    .locator(`main :is(th, td) a[href^="${prefix}"]`)
    .evaluateAll((links) => links.map((a) => a.getAttribute("href")));
  // A link of a list keeps its filter behind the id.
  const id = hrefs.map((href) => Number.parseInt(href?.slice(prefix.length) ?? "", 10)).find(Number.isInteger);
  if (id === undefined) throw new PlainError(`The demo has nothing under ${prefix}.`);
  return id;
}

async function takeState(
  context: BrowserContext,
  origin: string,
  { name, path, reach, isPrinted }: State,
  { widths, schemes }: Choice,
): Promise<void> {
  const page = await context.newPage();
  page.setDefaultTimeout(20 * SECOND);
  page.on("dialog", (dialog) => void dialog.accept());
  try {
    await page.goto(origin + path);
    await reach?.(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: width < 600 ? 800 : 900 });
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, media: isPrinted ? "print" : "screen" });
        const file = join(ALL, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: file, animations: "disabled", fullPage: true });
      }
    }
    console.log(`${ALL}/${name}-*.png`);
  } finally {
    await page.close();
  }
}
async function takeKept(browser: Browser, demo: Demo): Promise<void> {
  mkdirSync(KEPT, { recursive: true });
  const { origin } = demo;
  const light = await browser.newPage({ colorScheme: "light", viewport: { width: 1280, height: 900 } });
  light.setDefaultTimeout(TRENDS_TAKE);
  // The new token is left behind uncopied.
  light.on("dialog", (dialog) => void dialog.accept());
  await signIn(light, origin, demo.owner);
  await waitForTrends(light, origin);
  await light.goto(origin + DASHBOARD);
  await take(light, "fleet");
  await light.getByRole("link", { name: "Session cache" }).click();
  await light.getByRole("link", { name: "7 days" }).click();
  await light.getByRole("link", { name: "7 days" }).and(light.locator("[aria-current]")).waitFor();
  await light.getByText("The score is known for all of this time.").waitFor();
  await light.getByRole("heading", { name: /^Why/ }).evaluate((heading) => heading.scrollIntoView());
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
