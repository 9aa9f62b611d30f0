import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "cheerio";
import { expect, test } from "vitest";
import { newAccount, newServer } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { runProgram } from "@/e2e/support/run-program";
import { tempFolder } from "@/e2e/support/temp-folder";
import { needsProgram } from "@/e2e/support/unit-needs";
import { Visitor } from "@/e2e/support/visitor";

/** The step with this title, of those from nothing to the first answer. */
const step = (page: Visitor, title: string) =>
  page.$("li").filter((_, item) => page.$(item).find("h2").text() === title);

test("the start page shows a stranger both products and the first steps", async () => {
  const page = await new Visitor(origin).goto("/");
  const rows = page.part("Example: four servers").find("tr:has(th[scope=row])");
  expect(rows.length).toBe(4);
  const scores = page.textsOf(rows.find("td:nth-child(2) data")).map(Number);
  expect(scores).toHaveLength(4);
  expect(scores).toEqual([...scores].sort((a, b) => a - b));
  expect(scores.every((score) => score > 0 && score <= 1000)).toBe(true);
  expect(page.textOf(rows.first())).toContain("Offline");
  expect(page.textOf(rows.last())).toContain("Online");
  expect(step(page, "Add a server").find("pre").text()).toContain("agent.sh install");
  expect(page.textOf(step(page, "Create a token"))).toMatch(/cpat_….*Read-only/);
  // Both products in the first sentence, and each with a picture; who may sign up, and how.
  const main = page.textOf("main");
  expect(page.textOf(page.$("main p").first())).toMatch(
    /^[^.]*health score[^.]*server[^.]*protection from attacks for your game servers\./,
  );
  expect(page.textOf(page.part(/protected Minecraft server/))).toContain("attack dropped");
  expect(main).toContain("Players join through edge nodes, which filter attacks and hide your server's address.");
  expect(page.textOf(step(page, "Create a token"))).toContain("revoked in seconds");
  expect(main).toContain("The operator of this console creates accounts: ask for one.");
  expect(main).not.toContain("/api/v1/game-services");
  expect(step(page, "Read it anywhere").find("pre").text()).toContain(`${origin}/api/v1/servers`);
});

test("the commands of the start page work as they are shown", async (context) => {
  needsProgram(context, "curl");
  const page = await new Visitor(origin).goto("/");
  const account = await newAccount();
  const { id } = await newServer(account.id);
  const request = step(page, "Read it anywhere").find("pre").text();
  const answer = async (token: string) => {
    const { code, output, errors } = await runProgram("sh", ["-c", request], { TOKEN: token });
    expect(code, `${request}\n${errors}`).toBe(0);
    return JSON.parse(output) as unknown;
  };
  expect(await answer(account.token)).toMatchObject({ data: { servers: [{ id }] } });
  expect(await answer("")).toEqual({ error: 'Missing access token. Send "Authorization: Bearer <token>".' });

  const install = step(page, "Add a server").find("pre").text();
  const folder = tempFolder();
  // What would be done as root is only named.
  writeFileSync(join(folder, "sudo"), '#!/bin/sh\necho "$@"\n');
  chmodSync(join(folder, "sudo"), 0o755);
  const path = `${folder}:${process.env.PATH}`;
  const { code, output, errors } = await runProgram("sh", ["-c", `cd ${folder}\n${install}`], { PATH: path });
  expect(code, errors).toBe(0);
  expect(output).toBe(`sh agent.sh install ${origin}\n`);
  expect(readFileSync(join(folder, "agent.sh"), "utf8")).toBe(readFileSync("public/agent.sh", "utf8"));
});

test("everything that the start page loads or links is there", async () => {
  const $ = load((await new Visitor(origin).goto("/")).html);
  const named = $("img[src], script[src], a[href], link[href], meta[property='og:image'], source[srcset], use[href]")
    .toArray()
    .map((element) => {
      const name = ["src", "href", "content", "srcset"].find((attribute) => $(element).attr(attribute) !== undefined);
      return new URL($(element).attr(name ?? "") ?? "", `${origin}/`).href;
    });
  expect(named.filter((url) => url.includes("icon")).length).toBeGreaterThan(0);
  const sheets = named.filter((url) => url.endsWith(".css"));
  expect(sheets.length).toBeGreaterThan(0);
  for (const sheet of sheets) {
    const css = await (await fetch(sheet)).text();
    for (const [, url = ""] of css.matchAll(/url\(["']?([^"')]+)["']?\)/g)) {
      if (!url.startsWith("data:")) named.push(new URL(url, sheet).href);
    }
  }
  const missing: string[] = [];
  for (const url of new Set(named)) {
    const { status } = await fetch(url);
    if (status !== 200) missing.push(`${status} ${url}`);
  }
  expect(missing).toEqual([]);
});
