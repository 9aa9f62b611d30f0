import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { DIST_DIRS } from "@/scripts/build";
import { atExit } from "./at-exit";
import { expect } from "./fixtures";
import { startProgram } from "./own-program";

/**
 * Starts a command of package.json as a newcomer types it, with a free port and a folder of its own, and waits until it says
 * `readyText`. It runs until it is stopped.
 */
export async function runCommand(
  name: string,
  variables: Record<string, string>,
  readyText: string,
  args: string[] = [],
) {
  const { child, output, until } = startProgram(process.execPath, ["scripts/run.mjs", name, ...args], {
    // Ctrl-C on a terminal is told to all processes of the group.
    detached: true,
    env: { ...process.env, DATABASE_URL: "", HOST: "", CONSOLE_DIST_DIR: DIST_DIRS.test, ...variables },
  });
  const interrupt = () => child.exitCode === null && process.kill(-(child.pid ?? 0), "SIGINT");
  atExit(interrupt);
  const ended = once(child, "exit").then(([code]) => code as number | null);
  await until(() => output().includes(readyText));
  return {
    child,
    output,
    /** The exit code, once it has one. */
    ended,
    async stop() {
      interrupt();
      return ended;
    },
  };
}

export const runDemo = (variables: Record<string, string>) => runCommand("demo", variables, "Ctrl-C stops everything");

/** Sees in the whole output of a first demo that each step has its number and how long it took, and that no line is one of the log. */
export function expectSteps(output: string): void {
  const lines = output.split("\n");
  for (const step of ["3 of 5: opening the database", "4 of 5: making data", "5 of 5: starting"]) {
    expect(lines.filter((line) => line.startsWith(step)).at(-1)).toMatch(/: done after \d+ s$/);
    expect(lines).toContain(`${step} …`);
  }
  expect(output).not.toContain("\u001b");
  expect(lines.filter((line) => line.includes("{"))).toEqual([]);
}

/** Signs in as the first account of the demo. */
export async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("E-mail").fill("ada@demo.example");
  await page.getByLabel("Password").fill("ada-demo-password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("banner")).toContainText("ada@demo.example");
}

/** Sends a test by each channel of the demo, and sees it on the page of what was sent. Returns its address. */
export async function expectTestsToArrive(
  page: Page,
  origin: string,
  { output }: { output(): string },
): Promise<string> {
  const [sentPage = ""] = /(?<=^Sent messages )http:\/\/127\.0\.0\.1:\d+/m.exec(output()) ?? [];
  for (const channel of ["Mail", "Webhook"]) {
    await page.goto(origin + NOTICE_PAGE);
    await page.getByRole("article", { name: channel }).getByRole("button", { name: "Send a test" }).click();
    await expect(page.getByText("A test is on its way.")).toBeVisible();
    await page.goto(sentPage);
    // It shows what arrives while it is open.
    const message = page.getByRole("article", { name: `${channel}: ` });
    const arrived = message.filter({ hasText: `Test of the channel ${channel}` });
    await expect(arrived).toHaveCount(1);
    // Its links lead to where the demo says that the console is.
    await expect(arrived).toContainText(origin + NOTICE_PAGE);
  }
  return sentPage;
}

/** The text of a file; null when there is none. */
export function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
