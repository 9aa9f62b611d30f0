import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newAccount, newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expect, test } from "@/e2e/support/pages";
import { runProgram } from "@/e2e/support/run-program";

test("the start page shows a stranger the product: a fleet with its scores, how a server is added, a token, a first request, and game protection", async ({
  page,
}) => {
  await page.goto("/");
  const fleet = page.getByRole("figure", { name: "Example: four servers" });
  const rows = fleet
    .getByRole("table")
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader") });
  await expect(rows).toHaveCount(4);
  const scores = (await rows.locator("td:nth-child(2) data").allInnerTexts()).map(Number);
  expect(scores).toEqual([...scores].sort((a, b) => a - b));
  expect(scores.every((score) => score > 0 && score <= 1000)).toBe(true);
  await expect(rows.first()).toContainText("Offline");
  await expect(rows.last()).toContainText("Online");
  const step = (title: string) =>
    page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
  await expect(step("Add a server").locator("pre")).toContainText("agent.sh install");
  await expect(step("Create a token")).toContainText(/cpat_….*Read-only/s);
  // Both products in the first sentence, and each with a picture; who may sign up, and how.
  await expect(page.getByRole("main").locator("p").first()).toContainText(
    /^[^.]*health score[^.]*server[^.]*protection from attacks for your game servers\./,
  );
  await expect(page.getByRole("figure", { name: /protected Minecraft server/ })).toContainText("attack dropped");
  await expect(page.getByRole("main")).toContainText(
    "Players join through edge nodes, which filter attacks and hide your server's address.",
  );
  await expect(step("Create a token")).toContainText("revoked in seconds");
  await expect(page.getByRole("main")).toContainText(/The operator of this console creates accounts: ask for one\./);
  await expect(page.getByRole("main")).not.toContainText("/api/v1/game-services");
  await expect(step("Read it anywhere").locator("pre")).toContainText(`${sharedOrigin()}/api/v1/servers`);
});

test("the commands of the start page work as they are copied: one reads the servers with a token and is refused without, the other fetches the agent and installs it", async ({
  page,
  context,
}) => {
  needs("curl");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  const copy = async (what: string) => {
    await page.getByRole("button", { name: `Copy ${what}`, exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: `Copied: ${what}` })).toBeAttached();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const account = await newAccount();
  const { id } = await newServer(account.id);
  const request = await copy("A first request");
  const answer = async (token: string) => {
    const { code, output, errors } = await runProgram("sh", ["-c", request], { TOKEN: token });
    expect(code, `${request}\n${errors}`).toBe(0);
    return JSON.parse(output) as unknown;
  };
  expect(await answer(account.token)).toMatchObject({ data: { servers: [{ id }] } });
  expect(await answer("")).toEqual({ error: 'Missing access token. Send "Authorization: Bearer <token>".' });

  const install = await copy("In a terminal of the server");
  const folder = mkdtempSync(join(tmpdir(), "console-landing-"));
  try {
    // What would be done as root is only named.
    writeFileSync(join(folder, "sudo"), '#!/bin/sh\necho "$@"\n');
    chmodSync(join(folder, "sudo"), 0o755);
    const path = `${folder}:${process.env.PATH}`;
    const { code, output, errors } = await runProgram("sh", ["-c", `cd ${folder}\n${install}`], { PATH: path });
    expect(code, errors).toBe(0);
    expect(output).toBe(`sh agent.sh install ${sharedOrigin()}\n`);
    expect(readFileSync(join(folder, "agent.sh"), "utf8")).toBe(readFileSync("public/agent.sh", "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("whatever the start page loads or names is there: pictures, icons, style sheets and the pages it leads to", async ({
  page,
}) => {
  const missing: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) missing.push(`${response.status()} ${response.url()}`);
  });
  await page.goto("/", { waitUntil: "networkidle" });
  const named = await page
    .locator("img[src], a[href], link[href], meta[property='og:image'], source[srcset], use[href]")
    .evaluateAll((elements) =>
      elements.map((element) => {
        const name = ["src", "href", "content", "srcset"].find((attribute) => element.hasAttribute(attribute)) ?? "";
        return new URL(element.getAttribute(name) ?? "", document.baseURI).href;
      }),
    );
  expect(named.filter((url) => url.includes("icon")).length).toBeGreaterThan(0);
  for (const url of new Set(named)) {
    const { status } = await fetch(url);
    if (status !== 200) missing.push(`${status} ${url}`);
  }
  expect(missing).toEqual([]);
});
