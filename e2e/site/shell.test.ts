import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newAccount, newGameService, newServer } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { createToken, newVisitor, visitorWithServer } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { CHANGELOG, serverPath, servicePath, TOKEN_PAGE } from "@/lib/page-paths";

test("the navigation leads to the tokens, and sign-out is on every signed-in page", async () => {
  const { account, page } = await newVisitor();
  await page.goto("/dashboard");
  await page.follow("API tokens", page.part("Main"));
  expect(page.path).toBe(TOKEN_PAGE);
  for (const [path, here] of [
    ["/dashboard/settings", ["API tokens"]],
    [TOKEN_PAGE, ["API tokens"]],
    ["/docs/api", ["Docs"]],
    ["/dashboard/no/such/page", []],
    ["/no/such/page", []],
  ] as const) {
    await page.goto(path);
    expect(page.textsOf(page.part("Main").find("[aria-current]")), path).toEqual(here);
    const banner = page.$("header").first();
    expect(page.textOf(banner), path).toContain(account.email);
    expect(page.buttons("Sign out", banner).length, path).toBe(1);
  }
});

test("a missing page is a 404 in the usual frame, signed in or not", async () => {
  const { account, page } = await newVisitor();
  const banner = () => page.textOf(page.$("header").first());
  for (const path of ["/no/such/page", "/dashboard/no/such/page"]) {
    await page.goto(path);
    expect([page.status, page.heading], path).toEqual([404, "There is no such page"]);
    expect(banner()).toContain(account.email);
  }
  const stranger = await newAccount();
  const { id: server } = await newServer(stranger.id);
  const { id: token } = await db.accessToken.findFirstOrThrow({ where: { accountId: stranger.id } });
  const servers = ["You have no such server", "Go to your servers", "/dashboard"] as const;
  const tokens = ["You have no such token", "Go to your tokens", TOKEN_PAGE] as const;
  for (const [path, [title, back, list]] of [
    [`/dashboard/servers/${server}`, servers],
    [`/dashboard/servers/${server}/settings`, servers],
    ["/dashboard/servers/2147483647?range=7d", servers],
    ["/dashboard/servers/x/remove", servers],
    [`${TOKEN_PAGE}/${token}`, tokens],
    [`${TOKEN_PAGE}/0`, tokens],
  ] as const) {
    await page.goto(path);
    expect([page.status, page.heading, page.path], path).toEqual([404, title, path]);
    expect(page.link(back).attr("href"), path).toBe(list);
    expect(banner(), path).toContain(account.email);
  }
  const signedOut = new Visitor(origin);
  await signedOut.goto(`/dashboard/servers/${server}`);
  expect(signedOut.path).toMatch(/^\/sign-in\?next=/);
  await signedOut.goto("/no/such/page");
  expect(signedOut.status).toBe(404);
  expect(signedOut.text).not.toContain(account.email);
});

test("a page without scripts has no copy button, and shows what to copy", async () => {
  const { account, page, id } = await visitorWithServer();
  const { hostname } = await db.server.findUniqueOrThrow({ where: { id } });
  const service = await newGameService(account.id);
  const { javaHostname } = await db.gameService.findUniqueOrThrow({ where: { id: service.id } });
  await page.goto(TOKEN_PAGE);
  const raw = await createToken(page, "by hand");
  const seen = { [TOKEN_PAGE]: raw, [serverPath(id)]: hostname, [servicePath(service.id)]: javaHostname };
  for (const [path, text] of Object.entries({ ...seen, "/docs/api": "curl " })) {
    if (path !== TOKEN_PAGE) await page.goto(path);
    expect(page.html, path).toContain(text);
    expect(page.buttons(/cop(?:y|ied)/i).length, path).toBe(0);
  }
});

test("the changelog is a page and a Markdown file that is the project's", async () => {
  const served = await fetch(`${origin}/changelog.md`);
  expect(served.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
  const text = await served.text();
  expect(text).toBe(readFileSync("CHANGELOG.md", "utf8").replaceAll(/\[([^\]]+)\]\(docs\/[^)]*\)/g, "$1"));
  const page = await new Visitor(origin).goto(CHANGELOG);
  expect(page.heading).toBe("Changelog");
  expect(page.textsOf("h2")).toEqual([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title));
  expect(page.link("As Markdown").attr("href")).toBe("/changelog.md");
});
