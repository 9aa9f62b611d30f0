import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { answerKept } from "./kept-pages.mjs";

const LONG = "The reference of the API, for everybody. ".repeat(2000);

type PageRequest = { host: string; path?: string; url?: string; method?: string; headers?: Record<string, string> };

let made = 0;
let isDatabaseThere = true;

/** Asks as a browser does; the page that is made says which one it is, and names its nonce twice. */
async function ask(
  { host, path = "/docs/api", url = path, method = "GET", headers = {} }: PageRequest,
  answer = answerKept,
) {
  const request = Object.assign(new IncomingMessage(new Socket()), { url, method, headers: { host, ...headers } });
  const response = new ServerResponse(request);
  const written: { status: number; headers: string[]; body: Buffer } = {
    status: 0,
    headers: [],
    body: Buffer.alloc(0),
  };
  response.writeHead = ((status: number, flat: string[]) => {
    Object.assign(written, { status, headers: flat });
    return response;
  }) as never;
  response.end = ((body?: Buffer) => {
    if (body) written.body = body;
    return response;
  }) as never;
  await answer(
    path,
    request,
    response,
    async (keep) => {
      made++;
      await new Promise(setImmediate);
      const nonce = `first${made}==`;
      keep({
        status: 200,
        headers: [["content-security-policy", `script-src 'nonce-${nonce}'`]],
        body: Buffer.from(`page ${made} ${LONG}<script nonce="${nonce}"></script>é<style nonce="${nonce}"></style>`),
      });
      written.body = Buffer.from(`made ${made}`);
    },
    async () => isDatabaseThere,
  );
  const at = (name: string) => written.headers[written.headers.indexOf(name) + 1];
  const text = at("Content-Encoding") === "gzip" ? gunzipSync(written.body).toString() : written.body.toString();
  return { text, policy: at("content-security-policy"), isMade: text.startsWith("made") };
}

test("a page for everybody is made once for all who ask at once and after, each answer with its own nonce, in gzip as well", async () => {
  made = 0;
  const first = await Promise.all(Array.from({ length: 20 }, () => ask({ host: "one.example" })));
  expect(first.filter(({ isMade }) => isMade)).toHaveLength(1);
  const answers = [
    ...first.filter(({ isMade }) => !isMade),
    await ask({ host: "one.example", headers: { "accept-encoding": "gzip" } }),
    await ask({ host: "ONE.example", headers: { "accept-encoding": "br, gzip;q=0.5" } }),
  ];
  const nonces = answers.map(({ text, policy }) => {
    const [, nonce = ""] =
      /^page 1 .*<script nonce="([\w+/=]{24})"><\/script>é<style nonce="\1"><\/style>$/s.exec(text) ?? [];
    expect(policy).toBe(`script-src 'nonce-${nonce}'`);
    return nonce;
  });
  expect(new Set(nonces).size).toBe(answers.length);
  expect(made).toBe(1);
});

test("what may differ is made anew: another origin, another colour scheme, the query of a form, a session, a part of a page, a host that is none", async () => {
  await ask({ host: "two.example" });
  await ask({ host: "two.example", path: "/sign-in" });
  const others: PageRequest[] = [
    { host: "three.example" },
    { host: "two.example", path: "/sign-in", url: "/sign-in?next=/dashboard" },
    { host: "two.example", headers: { cookie: "a=b; color-scheme=dark" } },
    { host: "two.example", headers: { cookie: "a=b; session=x" } },
    { host: "two.example", headers: { cookie: "__Host-session=x" } },
    { host: "two.example", headers: { rsc: "1" } },
    { host: "two.example", path: "/dashboard" },
    { host: "<script>" },
  ];
  for (const request of others) expect((await ask(request)).isMade, JSON.stringify(request)).toBe(true);
  const same: PageRequest[] = [
    { host: "two.example", headers: { cookie: "theme=dark" } },
    { host: "two.example", headers: { cookie: "color-scheme=dark" } },
    { host: "two.example", headers: { cookie: "color-scheme=%3Cscript%3E" } },
    { host: "two.example", url: "/docs/api?anything=1" },
    { host: "two.example", path: "/sign-in" },
  ];
  for (const request of same) expect((await ask(request)).isMade, JSON.stringify(request)).toBe(false);
});

test("while the database is away, the form is not answered from what is kept, and pages that need none are", async () => {
  for (const path of ["/sign-in", "/"]) await ask({ host: "away.example", path });
  isDatabaseThere = false;
  expect((await ask({ host: "away.example", path: "/sign-in" })).isMade).toBe(true);
  expect((await ask({ host: "away.example", path: "/" })).isMade).toBe(false);
  isDatabaseThere = true;
  expect((await ask({ host: "away.example", path: "/sign-in" })).isMade).toBe(false);
});

test("of nine origins in use, the least used one is forgotten and the other eight stay kept", async () => {
  vi.resetModules();
  const { answerKept: answerAnew } = await import("./kept-pages.mjs");
  const hosts = Array.from({ length: 8 }, (_, n) => `host-${n}.example`);
  for (const [uses, host] of hosts.entries()) {
    for (let n = 0; n <= uses; n++) await ask({ host }, answerAnew);
  }
  const [least = "", ...others] = [...hosts, "ninth.example"];
  expect((await ask({ host: "ninth.example" }, answerAnew)).isMade).toBe(true);
  for (const host of others) expect((await ask({ host }, answerAnew)).isMade, host).toBe(false);
  expect((await ask({ host: least }, answerAnew)).isMade).toBe(true);
});

test("whatever hosts clients make up, the origins in use stay kept", async () => {
  for (let n = 0; n < 5; n++) await ask({ host: "used.example" });
  for (let n = 0; n < 200; n++) await ask({ host: `made-up-${n}.example` });
  expect((await ask({ host: "used.example" })).isMade).toBe(false);
  expect((await ask({ host: "made-up-1.example" })).isMade).toBe(true);
});
