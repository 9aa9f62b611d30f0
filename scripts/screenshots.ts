import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import { DASHBOARD, TOKEN_PAGE } from "@/app/paths";
import { findBrowser } from "@/e2e/support/browser";
import { freePort } from "@/e2e/support/free-port";
import { PlainError } from "@/lib/failures";

const FOLDER = "e2e/screenshots";

/** `npm run screenshots`: makes the README's pictures again, from a demo of their own. */
export async function main(): Promise<void> {
  const executablePath = findBrowser();
  if (!executablePath) throw new PlainError("The pictures need Chromium or Chrome; name one in CHROMIUM_PATH.");
  mkdirSync(FOLDER, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), "console-screenshots-"));
  const demo = await startDemo(dataDir);
  const browser = await chromium.launch({ executablePath });
  try {
    await takeAll(browser, demo);
  } finally {
    await browser.close();
    await demo.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Demo = { origin: string; email: string; password: string; stop(): Promise<void> };

async function startDemo(dataDir: string): Promise<Demo> {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/run.mjs", "demo"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir, PORT: String(port) },
  });
  let output = "";
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (output.includes("Ctrl-C stops everything")) resolve();
    });
    child.once("exit", resolve);
  });
  const [, email, password] = /^ {2}(\S+@\S+) +(\S+) +customer$/m.exec(output) ?? [];
  if (!email || !password) throw new PlainError("The demo did not start.");
  return {
    origin: `http://127.0.0.1:${port}`,
    email,
    password,
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

async function takeAll(browser: Browser, { origin, email, password }: Demo): Promise<void> {
  const light = await browser.newPage({ colorScheme: "light", viewport: { width: 1200, height: 900 } });
  // The new token is left behind uncopied.
  light.on("dialog", (dialog) => void dialog.accept());
  await light.goto(`${origin}/sign-in`);
  await light.getByLabel("E-mail").fill(email);
  await light.getByLabel("Password").fill(password);
  await light.getByRole("button", { name: "Sign in" }).click();
  await light.waitForURL(`**${DASHBOARD}**`);
  // The trends of a demo that has just begun are being summed up.
  await light.waitForTimeout(20_000);
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
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: "disabled" });
  console.log(`${FOLDER}/${name}.png`);
}
