import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";

/** First the one without windows, which Playwright prefers as well: the same engine for two thirds of the work. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
];
const PLACES = [
  "/usr/bin",
  "/usr/local/bin",
  "/snap/bin",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** The browser to test with: CHROMIUM_PATH, Playwright's own, or one of this system; null when there is none. */
export function findBrowser(): string | null {
  const { CHROMIUM_PATH, PATH = "" } = process.env;
  if (CHROMIUM_PATH) return existsSync(CHROMIUM_PATH) ? CHROMIUM_PATH : null;
  const folders = [...PATH.split(delimiter), ...PLACES];
  const candidates = [
    chromium.executablePath(),
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...PLACES.filter((place) => !place.endsWith("bin")),
  ];
  return candidates.find((path) => path && existsSync(path)) ?? null;
}
