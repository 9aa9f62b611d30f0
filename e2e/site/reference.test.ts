import { expect, test } from "vitest";
import { newGameService, newOwnedServer } from "@/e2e/support/factories";
import { askOverHttp, origin } from "@/e2e/support/over-http";
import { createToken, newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { ENDPOINTS } from "@/lib/api/contract";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { API_REFERENCE, TOKEN_PAGE } from "@/lib/page-paths";

const openReference = () => new Visitor(origin).goto(API_REFERENCE);
/** The part of an endpoint. */
const article = (page: Visitor, name: string) =>
  page.$("article").filter((_, part) => page.nameOf(page.$(part)) === name);

test("the reference is complete without JavaScript and without an account", async () => {
  const page = await openReference();
  const described = JSON.parse((await askOverHttp("/openapi.json")).text) as OpenApiDocument;
  for (const [path, { get }] of Object.entries(described.paths)) {
    const section = article(page, `GET ${path}`);
    expect(section.find("pre").first().text(), path).toContain(`curl -sS "${origin}/api/v1/`);
    expect(page.textOf(section)).toContain(get.summary);
  }
  const shown = page.textsOf("dt code");
  const last = new Set(shown.map((name) => name.split(".").at(-1)?.replace("[]", "")));
  for (const [name, schema] of Object.entries(described.components.schemas)) {
    if (name === "Failure") continue;
    for (const field of Object.keys(schema.properties ?? {})) expect(last, `${name}.${field}`).toContain(field);
  }
  for (const status of ["400", "401", "404", "405", "429", "431", "500", "503"]) expect(shown).toContain(status);
  for (const header of Object.keys(described.components.headers)) expect(shown).toContain(header);
  expect(page.$("[role=img]").length).toBe(11);
  expect(page.textOf("main")).toContain("load 1.5 per core: −100");
  // Each heading has a URL, and each link within the page leads to one.
  const targets = page
    .$("main a[href^='#']")
    .toArray()
    .map((link) => page.$(`[id="${page.$(link).attr("href")?.slice(1)}"]`).length);
  expect(targets.length).toBeGreaterThan(15);
  expect(new Set(targets)).toEqual(new Set([1]));
});

test("the worked example recomputes the score of the example from its components", async () => {
  const page = await openReference();
  const lines = page.$("#worked-example ~ table").first().find("tbody tr").toArray();
  const rows = lines.map((line) => page.textsOf(page.$(line).find("td")).map(Number));
  expect(rows).toHaveLength(6);
  const sum = rows.reduce((total, [points = 0, weight = 0]) => total + points * weight, 0);
  expect(rows.map(([points = 0, weight = 0]) => points * weight)).toEqual(rows.map(([, , product]) => product));
  expect(page.textsOf("tfoot td")).toEqual([String(sum), String(Math.round(sum / 100))]);
  const answer = article(page, "GET /api/v1/servers/{id}").find("details pre").last();
  expect(JSON.parse(answer.text()).data.score).toBe(Math.round(sum / 100));
});

test("the reference is linked from the start page, token page and new tokens", async () => {
  const { page } = await newVisitor();
  for (const path of ["/", TOKEN_PAGE]) {
    await page.goto(path);
    await page.follow(/API reference$/, page.$("main"));
    expect(page.path).toBe(API_REFERENCE);
    expect(page.heading).toBe("API reference");
  }
  await page.goto(TOKEN_PAGE);
  await createToken(page, "new");
  expect(page.link("API reference", page.$("main")).attr("href")).toBe(API_REFERENCE);
});

test("the contents lead to every endpoint", async () => {
  const page = await openReference();
  const contents = page.part("On this page");
  for (const [path] of ENDPOINTS) {
    const name = path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}");
    expect(page.textsOf(contents.find("a")).filter((text) => text === name)).toHaveLength(1);
  }
});

test("the Grafana dashboard can be downloaded, and every link of the recipes is served", async () => {
  const page = await openReference();
  const dashboard = page.link("/recipes/grafana/dashboard.json");
  // The browser stores it instead of showing it.
  expect(dashboard.attr("download")).toBeDefined();
  const answer = await askOverHttp(dashboard.attr("href") ?? "");
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toHaveProperty("panels");
  const recipes = (await askOverHttp("/recipes/README.md")).text;
  const links = [...recipes.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? "");
  expect(links.length).toBeGreaterThan(6);
  for (const link of links) expect((await askOverHttp(`/recipes/${link}`)).status, link).toBe(200);
});

test("the reference's requests match its answers, with the reader's own ids when signed in", async () => {
  const reference = (await askOverHttp("/docs/api.md")).text;
  for (const name of ["servers", "game-services"]) {
    const [, asked, shown] =
      new RegExp(`curl -sS "[^"]+/api/v1/${name}/(\\d+)".*?"data": \\{\\s+"id": (\\d+)`, "s").exec(reference) ?? [];
    expect(asked, name).toBe(shown);
    expect(asked, name).toBeDefined();
  }
  const { accountId: id, id: server } = await newOwnedServer();
  const { id: service } = await newGameService(id);
  const page = await (await Visitor.signedIn(origin, id)).goto(API_REFERENCE);
  for (const [operation, path, own] of [
    ["getServer", "servers", server],
    ["getGameService", "game-services", service],
  ] as const) {
    const blocks = page.textsOf(`article[aria-labelledby="${operation}"] pre`);
    expect(blocks.find((text) => text.includes(`/api/v1/${path}/${own}"`))).toContain("curl -sS");
    expect(blocks.filter((text) => text.includes(`"id": ${own},`)).length, operation).toBeGreaterThan(0);
  }
});
