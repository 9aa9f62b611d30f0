import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright";
import { findBrowser } from "@/e2e/support/browser";
import { freePort } from "@/e2e/support/free-port";
import { PlainError } from "@/lib/failures";
import { MINUTE } from "@/lib/format/time";
import { DASHBOARD, SIGN_IN, TOKEN_PAGE } from "@/lib/page-paths";
import { waitForDemo } from "./demo-output";

/** `npm run screenshots`: takes the pictures of the README, from a demo of its own. */
export async function main(): Promise<void> {
  const executablePath = findBrowser();
  if (!executablePath) throw new PlainError("The pictures need Chromium or Chrome; name one in CHROMIUM_PATH.");
  const dataDir = mkdtempSync(join(tmpdir(), "console-screenshots-"));
  const port = await freePort();
  const env = { ...process.env, DATABASE_URL: "", DATA_DIR: dataDir, PORT: String(port) };
  const demo = spawn(process.execPath, ["scripts/run.mjs", "demo"], { stdio: ["ignore", "pipe", "inherit"], env });
  const browser = await chromium.launch({ executablePath });
  try {
    const [, email = "", password = ""] = /^ {2}(\S+@\S+) +(\S+) +customer$/m.exec(await waitForDemo(demo)) ?? [];
    const baseURL = `http://127.0.0.1:${port}`;
    const page = await browser.newPage({ baseURL, colorScheme: "light", viewport: { width: 1280, height: 900 } });
    // The demo sums up a month of the past after it has started.
    page.setDefaultTimeout(3 * MINUTE);
    await page.goto(SIGN_IN);
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`**${DASHBOARD}**`);
    await page.getByRole("link", { name: "Session cache" }).click();
    await page.getByRole("link", { name: "7 days" }).click();
    await page.getByText("31 days recorded").first().waitFor();
    await page.getByRole("heading", { name: /^Why/ }).evaluate((heading) => heading.scrollIntoView());
    await take(page, "server-history");
    await page.goto(DASHBOARD);
    await take(page, "fleet");
    await page.goto(TOKEN_PAGE);
    await take(page, "token-page");
  } finally {
    await browser.close();
    demo.kill("SIGINT");
    await once(demo, "exit");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `e2e/screenshots/${name}.png`, animations: "disabled" });
}
