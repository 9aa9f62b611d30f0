import { readFileSync } from "node:fs";
import { readChangelog } from "@/app/changelog/changelog";
import { type Ask, ORIGIN, type Question } from "./play";
import { changesFrom, formFields, outline, pageText } from "./readable";
import { PASSWORD, secret, session, tokenOf } from "./seed";

// What is asked, by parts. A part that reads what changes with time sends its own check-in first.

const VIEWERS = ["customer", "support", "admin", "neighbour"] as const;
const SERVICES = [31, 32, 33, 41, 42, 43, 44, 45];
const ENDPOINTS = [
  "/api/v1/me",
  "/api/v1/servers",
  "/api/v1/servers/11",
  "/api/v1/servers/11/benchmarks",
  "/api/v1/game-services",
  "/api/v1/game-services/31",
  "/api/v1/game-services/31/metrics",
];
const NOT_THERE = [
  "0",
  "-1",
  "007",
  "1.0",
  "1e1",
  "2147483647",
  "2147483648",
  "abc",
  "%20",
  "%00",
  "11%00",
  "%2e%2e",
  "%E0%A4%A",
  "%zz",
];
const MISTYPED = `cpat_${"0".repeat(35)}`;

const SAMPLE = {
  cpu_pct: 80,
  cpu_steal_pct: 0,
  cpu_iowait_pct: 2.5,
  load5: 0.4,
  mem_used_mb: 3072,
  mem_total_mb: 4096,
  swap_used_pct: 0,
  disk_used_pct: 41,
  net_loss_pct: 0,
  net_retransmit_pct: 0.2,
  uptime_s: 500_000,
  oom_kills: 0,
  failed_units: 1,
};
const FACTS = { os: "Debian GNU/Linux 13", kernel: "6.12.48", cores: 2 };
const JSON_TYPE = { "Content-Type": "application/json" };

/** A check-in with all measurements but for these. */
const checkIn = (more: object = {}, bearer = secret("csrv", "server 11")): Question => ({
  method: "POST",
  path: "/ingest/v1/check-ins",
  bearer,
  headers: JSON_TYPE,
  body: JSON.stringify({ ...SAMPLE, facts: FACTS, ...more }),
  says: `a whole check-in, ${JSON.stringify(more)}`,
});

async function askAll(ask: Ask, questions: readonly Question[]): Promise<void> {
  for (const question of questions) await ask(question);
}

/** A form with this button, sent as a browser without JavaScript sends it. */
function form(
  html: string,
  path: string,
  button: string,
  typed: Record<string, string>,
  headers: Record<string, string> = {},
): Question {
  const fields = new Map([...formFields(html, button), ...Object.entries(typed)]);
  const parts = [...fields].map(
    ([name, value]) => `--recording\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    method: "POST",
    path,
    headers: { Origin: ORIGIN, "Content-Type": "multipart/form-data; boundary=recording", ...headers },
    body: `${parts.join("")}--recording--\r\n`,
    says: `the form with "${button}", ${JSON.stringify(typed)}`,
    show: changesFrom(html),
  };
}

const api = {
  title: "The seven endpoints by account",
  async play(ask: Ask) {
    await ask(checkIn(), false);
    for (const viewer of VIEWERS) {
      const bearer = tokenOf(viewer, "the endpoints");
      const servers = [11, 12, 13, 14, 21].map((id) => `/api/v1/servers/${id}`);
      const runs = [11, 14, 21].map((id) => `/api/v1/servers/${id}/benchmarks`);
      const services = SERVICES.flatMap((id) => [`/api/v1/game-services/${id}`, `/api/v1/game-services/${id}/metrics`]);
      const paths = ["/api/v1/me", "/api/v1/servers", ...servers, ...runs, "/api/v1/game-services", ...services];
      await askAll(
        ask,
        paths.map((path) => ({ path, bearer })),
      );
    }
    for (const path of ENDPOINTS) await ask({ path, bearer: tokenOf("disabled", "the endpoints") });
    for (const path of ENDPOINTS) await ask({ path });
  },
};

const queries = {
  title: "The query of endpoint 7, and 400",
  async play(ask: Ask) {
    const bearer = tokenOf("customer", "queries");
    const queries = [
      ...["range=1h", "range=24h", "range=7d", "range=24h&other=1", `since=${Date.UTC(2025, 1)}`, "range=24h&since=0"],
      ...[
        "range=",
        "range=2h",
        "range=1H",
        "range=constructor",
        "range=1h&range=1h",
        "range[]=1h",
        "since=",
        "since=-1",
        "since=1.5",
        "since=x",
        "since=0&since=0",
      ],
    ];
    await askAll(
      ask,
      queries.map((query) => ({ path: `/api/v1/game-services/31/metrics?${query}`, bearer })),
    );
    await ask({ path: "/api/v1/game-services/44/metrics?range=2h", bearer });
    await ask({ path: "/api/v1/game-services/31/metrics?range=7d", bearer, headers: { "Accept-Encoding": "gzip" } });
  },
};

const refusals = {
  title: "401, 404, 405, HEAD and OPTIONS",
  async play(ask: Ask) {
    const bearer = tokenOf("customer", "refusals");
    const path = "/api/v1/me";
    const other = (Authorization: string): Question => ({ path, headers: { Authorization } });
    await askAll(ask, [
      { path },
      ...[
        "",
        "Bearer",
        "Bearer ",
        bearer,
        `Basic ${Buffer.from("a:b").toString("base64")}`,
        `bearer ${bearer}`,
        `Bearer  ${bearer}`,
        `Bearer ${bearer} x`,
        `Bearer ${bearer},`,
      ].map(other),
      { path: `${path}?access_token=${bearer}` },
      { path, headers: { Cookie: `__Host-session=${session("customer")}` } },
      ...[MISTYPED, "x", bearer.slice(0, -1), bearer.toUpperCase()].map((wrong) => ({ path, bearer: wrong })),
      ...["revoked", "expired", "from elsewhere", "of nobody", "expires in ten days"].map((name) => ({
        path,
        bearer: secret("cpat", name),
      })),
      { path, bearer: secret("csrv", "server 11") },
      { path, bearer: secret("cpat", "from elsewhere"), headers: { "X-Forwarded-For": "203.0.113.9" } },
    ]);
    for (const id of NOT_THERE) await ask({ path: `/api/v1/servers/${id}`, bearer });
    for (const id of NOT_THERE) await ask({ path: `/api/v1/game-services/${id}/metrics`, bearer });
    const unknown = [
      "/api",
      "/api/",
      "/api/v1",
      "/api/v2/me",
      "/api/v1/nope",
      "/api/v1/me/",
      "/api/v1//me",
      "/api/v1/me/more",
      "/api/v1/ME",
      "/api/v1/servers/11/nope",
    ];
    await askAll(
      ask,
      unknown.map((path) => ({ path, bearer })),
    );
    await ask({ path: "/api/v1/nope" });
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) await ask({ method, path, bearer });
    await askAll(ask, [
      { method: "POST", path },
      { method: "POST", path: "/api/v1/nope", bearer },
      { method: "DELETE", path: "/api/v1/servers/11", bearer },
      { method: "POST", path, bearer, headers: JSON_TYPE, body: "{}" },
    ]);
    const preflight = {
      Origin: "https://elsewhere.example",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "authorization",
    };
    for (const path of ["/api/v1/me", "/api/v1/nope", "/api", "/metrics"])
      await ask({ method: "OPTIONS", path, headers: preflight });
    const heads = tokenOf("neighbour", "refusals");
    for (const path of [
      ...ENDPOINTS,
      "/api/v1/servers/21",
      "/api/v1/nope",
      "/api/v1/game-services/41/metrics?range=2h",
    ])
      await ask({ method: "HEAD", path, bearer: heads });
    await ask({ method: "HEAD", path });
  },
};

const limit = {
  title: "429",
  async play(ask: Ask) {
    const bearer = secret("cpat", "for the limit");
    for (let sent = 0; sent < 119; sent++) await ask({ path: "/api/v1/me", bearer }, false);
    for (const path of ["/api/v1/nope", ...ENDPOINTS, "/api/v1/nope", "/metrics"]) await ask({ path, bearer });
    for (const method of ["HEAD", "POST", "OPTIONS"]) await ask({ method, path: "/api/v1/me", bearer });
    await ask({ path: "/api/v1/me" });
  },
};

/** A file that is served as it lies in the project. */
const asFile =
  (file: string, text = readFileSync(file, "utf8")) =>
  (body: string) =>
    body === text ? `<${file}>` : body;
const PUBLIC = [
  "agent.sh",
  "edge.mjs",
  "error.css",
  "favicon.svg",
  "logo.svg",
  "clients/console-api.ts",
  "clients/console_api.py",
  "clients/console",
  "recipes/README.md",
  "recipes/grafana/dashboard.json",
];

const documents = {
  title: "Documents and files",
  isTimeless: true,
  async play(ask: Ask) {
    await askAll(
      ask,
      [
        "/openapi.json",
        "/docs/api.md",
        "/llms.txt",
        "/docs/health-score.json",
        "/.well-known/security.txt",
        "/healthz",
        "/readyz",
      ].map((path) => ({ path })),
    );
    await ask({ path: "/changelog.md", show: asFile("CHANGELOG.md", readChangelog()) });
    await ask({ path: "/clients/console-api.postman.json" });
    await askAll(
      ask,
      PUBLIC.map((file) => ({ path: `/${file}`, show: asFile(`public/${file}`) })),
    );
    for (const method of ["HEAD", "OPTIONS", "POST"]) await ask({ method, path: "/openapi.json" });
    const { headers } = await ask({ path: "/openapi.json" }, false);
    await ask({ path: "/openapi.json", headers: { "If-None-Match": '"another"' }, show: () => "<the document>" });
    const again = await ask({ path: "/openapi.json", headers: { "If-None-Match": String(headers.etag) } }, false);
    if (headers.etag && again.status !== 304) throw new Error(`/openapi.json with its own ETag: ${again.status}`);
    await ask({ path: "/agent.sh", headers: { "Accept-Encoding": "gzip" }, show: asFile("public/agent.sh") });
    await ask({ path: "/clients/nope", show: outline });
  },
};

const metrics = {
  title: "/metrics",
  async play(ask: Ask) {
    await ask(checkIn(), false);
    for (const viewer of VIEWERS) await ask({ path: "/metrics", bearer: tokenOf(viewer, "metrics") });
    const bearer = tokenOf("customer", "metrics");
    await askAll(ask, [
      { method: "HEAD", path: "/metrics", bearer },
      { method: "POST", path: "/metrics", bearer },
      { path: "/metrics" },
      { path: "/metrics", bearer: secret("cpat", "revoked") },
      { path: "/metrics/more", bearer },
    ]);
  },
};

const tool = (name: string, input: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: input },
});
const clientInfo = { name: "recording", version: "1" };

const mcp = {
  title: "/mcp",
  async play(ask: Ask) {
    await ask(checkIn(), false);
    const bearer = tokenOf("customer", "MCP");
    const post = (message: unknown, more: Partial<Question> = {}): Question => ({
      method: "POST",
      path: "/mcp",
      bearer,
      body: typeof message === "string" ? message : JSON.stringify(message),
      ...more,
      headers: {
        ...JSON_TYPE,
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
        ...more.headers,
      },
    });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    await askAll(ask, [
      post({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
      }),
      post({ jsonrpc: "2.0", method: "notifications/initialized" }),
      post(list),
      ...(
        [
          ["account", {}],
          ["servers", {}],
          ["server", { id: 11 }],
          ["server", { id: 14, benchmarks: true }],
          ["server", { id: 21 }],
          ["services", {}],
          ["traffic", { id: 31, range: "7d", by: "node" }],
          ["traffic", { id: 44 }],
          ["nope", {}],
          ["server", { id: "x" }],
        ] as const
      ).map(([name, input]) => post(tool(name, input))),
      post({ jsonrpc: "2.0", id: 1, method: "nope" }),
      post("{"),
      post([]),
      post(list, { headers: { Origin: "https://elsewhere.example" } }),
      post(list, { headers: { Origin: ORIGIN } }),
      { ...post(list), bearer: secret("cpat", "revoked") },
      { ...post(list), bearer: MISTYPED },
      { method: "POST", path: "/mcp", headers: JSON_TYPE, body: JSON.stringify(list) },
      { path: "/mcp", bearer },
      { method: "DELETE", path: "/mcp", bearer },
    ]);
    const spent = secret("cpat", "for the limit of MCP");
    for (let sent = 0; sent < 120; sent++) await ask({ path: "/api/v1/me", bearer: spent }, false);
    await ask({ ...post(tool("account", {})), bearer: spent });
  },
};

const ingest = {
  title: "/ingest",
  async play(ask: Ask) {
    const key = secret("csrv", "server 15");
    const bearer = tokenOf("customer", "ingest");
    const body = (text: string, says?: string): Question => ({ ...checkIn({}, key), body: text, says: says ?? text });
    const tenSeconds = Math.floor(Date.now() / 10_000) * 10_000;
    const wrong = [
      ...[{ cpu_pct: 101 }, { cpu_pct: "5" }, { cpuPct: 5 }, { load5: -1 }, { oom_kills: 0.5 }, { sampled_at: 0 }],
      ...[{ sampled_at: 9e15 }, { public_ip: "web-1" }, { facts: { nested: {} } }, { facts: [] }],
    ];
    await askAll(ask, [
      checkIn({ sampled_at: tenSeconds }, key),
      { path: "/api/v1/servers/15", bearer },
      checkIn({ sampled_at: tenSeconds }, key),
      checkIn({ sampled_at: tenSeconds + 1, cpu_pct: 5, public_ip: "192.0.2.15" }, key),
      checkIn({ sampled_at: tenSeconds - 60_000, cpu_pct: 5 }, key),
      { path: "/api/v1/servers/15", bearer },
      ...wrong.map((more) => checkIn(more, key)),
      ...["", "{", "[]", "null", "7"].map((text) => body(text)),
      body("x".repeat(70_000), "70,000 bytes"),
      { ...checkIn({}, key), headers: { "Content-Type": "text/plain" } },
      ...["server 11, replaced", "of nobody"].map((name) => checkIn({}, secret("csrv", name))),
      ...["", "csrv_mistyped", bearer].map((other) => checkIn({}, other)),
      { method: "POST", path: "/ingest/v1/check-ins", headers: JSON_TYPE, body: "{}" },
      ...["GET", "HEAD", "PUT", "OPTIONS"].map((method) => ({ method, path: "/ingest/v1/check-ins", bearer: key })),
      { path: "/ingest/nope" },
      { method: "POST", path: "/ingest/v1/nope", bearer: key },
    ]);

    const lines = (body: string, more: Partial<Question> = {}): Question => ({
      method: "POST",
      path: "/ingest/influx/write?db=x",
      bearer: secret("csrv", "server 21"),
      body,
      ...more,
    });
    const telegraf =
      "mem,host=a total=4294967296i,available=2147483648i\ndisk,host=a,path=/,fstype=ext4 used_percent=41\nsystem,host=a load5=0.4,n_cpus=2i,uptime=500000i\n";
    await askAll(ask, [
      lines(telegraf),
      lines(telegraf, { path: "/ingest/influx/api/v2/write?bucket=x" }),
      lines("no line"),
      lines(telegraf, { bearer: secret("csrv", "of nobody") }),
      { path: "/ingest/influx/ping" },
      { path: "/ingest/influx/health" },
      { method: "POST", path: "/ingest/prometheus/write", bearer: key, body: "not snappy" },
      {
        method: "POST",
        path: "/ingest/otlp/v1/metrics",
        bearer: key,
        headers: JSON_TYPE,
        body: '{"resourceMetrics":[]}',
      },
      { method: "POST", path: "/ingest/otlp/v1/metrics", bearer: key, headers: JSON_TYPE, body: "{" },
    ]);

    const result =
      '{"version":"v2026-07-03","os":{"kernel":"6.12.48"},"cpu":{"cores":2,"freq":"2445.404 MHz"},"mem":{"ram":4194304},"fio":[{"bs":"4k","speed_rw":300000,"iops_rw":75000},{"bs":"1m","speed_rw":1000000,"iops_rw":976}],"iperf":],"geekbench":[{"version":6,"single":1500,"multi":4000,"url":"x"}]}';
    const benchmark = (raw: string, body: string): Question => ({
      method: "POST",
      path: `/ingest/v1/benchmarks/${raw}`,
      headers: JSON_TYPE,
      body,
      says: body === result ? "a result" : body,
    });
    await askAll(ask, [
      benchmark("cbench_mistyped", result),
      benchmark(secret("cbench", "of nobody"), result),
      benchmark(secret("cbench", "run 7"), "no result"),
      benchmark(secret("cbench", "run 7"), result),
      benchmark(secret("cbench", "run 7"), result),
      { path: "/api/v1/servers/15/benchmarks", bearer },
    ]);

    const node = secret("cedg", "node 1");
    const report = (body: unknown, bearer = node): Question => ({
      method: "POST",
      path: "/ingest/v1/edge/reports",
      bearer,
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    await askAll(ask, [
      { path: "/ingest/v1/edge/configuration", bearer: key },
      report({ acknowledgements: [{ service_id: 31, version: 3, error: null }] }),
      report({ acknowledgements: [{ service_id: 9999, version: 1, error: null }] }),
      report({ acknowledgements: [{ service_id: 31 }] }),
      report({ nope: 1 }),
      report({}, secret("cedg", "of nobody")),
      { path: "/ingest/v1/edge/configuration", bearer: node },
    ]);
  },
};

const OPEN_PAGES = ["/", "/docs/api", "/changelog", "/sign-in", "/nope", "/notices/unsubscribe", "/notices/confirm"];
const OWN_PAGES = [
  ...[
    "/dashboard",
    "/dashboard/servers/14",
    "/dashboard/servers/21",
    "/dashboard/servers/abc",
    "/dashboard/servers/new",
    "/dashboard/servers/14/settings",
    "/dashboard/servers/14/remove",
    "/dashboard/servers/14/benchmark",
  ],
  ...[
    "/dashboard/game-services",
    "/dashboard/game-services/31",
    "/dashboard/game-services/44",
    "/dashboard/game-services/new",
    "/dashboard/game-services/31/settings",
    "/dashboard/game-services/31/access",
    "/dashboard/game-services/31/delete",
  ],
  ...[
    "/dashboard/game-services/support",
    "/dashboard/edge-nodes",
    "/dashboard/settings",
    "/dashboard/settings/account",
    "/dashboard/settings/notices",
    "/dashboard/nope",
  ],
];

const pages = {
  title: "Pages, by their title and headings",
  async play(ask: Ask) {
    const as = (name: string) => ({ Cookie: `__Host-session=${session(name)}` });
    await askAll(
      ask,
      OPEN_PAGES.map((path) => ({ path, show: outline })),
    );
    await askAll(
      ask,
      OWN_PAGES.map((path) => ({ path, headers: as("customer"), show: outline })),
    );
    for (const path of ["/dashboard/servers/14", "/dashboard/game-services/support", "/dashboard/edge-nodes"])
      await ask({ path, headers: as("admin"), show: outline });
    await ask({ path: "/dashboard/game-services/43", headers: as("support"), show: outline });
    await ask({ path: "/dashboard/game-services/44", headers: as("support"), show: outline });
    for (const path of ["/dashboard", "/dashboard/servers/14?a=b", "/dashboard/settings/api"])
      await ask({ path, show: outline });
    await ask({ path: "/dashboard", headers: as("disabled"), show: outline });
    await ask({ path: "/dashboard", headers: as("nobody"), show: outline });
    for (const path of ["/", "/sign-in", "/dashboard"]) await ask({ method: "HEAD", path, headers: as("customer") });
    await ask({ method: "POST", path: "/dashboard", headers: as("customer"), show: pageText });
    await ask({
      method: "POST",
      path: "/dashboard",
      headers: { ...as("customer"), Origin: "https://elsewhere.example" },
      show: pageText,
    });
  },
};

const signIn = {
  title: "Sign-in without JavaScript",
  async play(ask: Ask) {
    const path = "/sign-in";
    const { body } = await ask({ path, show: pageText });
    await ask({ path: "/sign-in?next=%2Fdashboard%2Fsettings%2Fapi", show: pageText });
    const typed = (email: string, password: string, at = path) => form(body, at, "Sign in", { email, password });
    await askAll(ask, [
      typed("customer@example.com", "wrong"),
      typed("nobody@example.com", PASSWORD),
      typed("disabled@example.com", PASSWORD),
      typed("", ""),
      {
        ...typed("customer@example.com", PASSWORD),
        headers: { "Content-Type": "multipart/form-data; boundary=recording", Origin: "https://elsewhere.example" },
      },
      { ...typed("customer@example.com", PASSWORD), body: "--recording--\r\n", says: "a form without fields" },
    ]);
    const { headers } = await ask(typed("Customer@Example.com", PASSWORD));
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    const home = await ask({ path: "/dashboard", headers: { Cookie: cookie }, show: outline });
    await ask({ path, headers: { Cookie: cookie }, show: outline });
    await ask(form(home.body, "/dashboard", "Sign out", {}, { Cookie: cookie }));
    await ask({ path: "/dashboard", headers: { Cookie: cookie }, show: outline });
  },
};

const tokens = {
  title: "The token page without JavaScript",
  async play(ask: Ask) {
    const path = "/dashboard/settings/api";
    const headers = { Cookie: `__Host-session=${session("owner")}` };
    const { body } = await ask({ path, headers, show: pageText });
    const page = (at = path): Question => ({ path: at, headers, show: changesFrom(body) });
    const create = (name: string, more: Record<string, string> = {}) =>
      form(body, path, "Create token", { name, ...more }, headers);
    await ask(create(""));
    await ask(create("x".repeat(101)));
    await ask(create("A token", { networks: "nowhere" }));
    const made = create("CI <job> & more");
    const created = await ask(made);
    if (!/cpat_[0-9A-Za-z]{36}/.test(created.body)) throw new Error("No token was shown.");
    await ask(made);
    const list = await ask(page());
    const id = /settings\/api\?revoke=(1\d+)/.exec(list.body)?.[1] ?? "";
    await ask(page(`${path}/${id}`));
    const question = await ask(page(`${path}?revoke=${id}`));
    const revoke = form(question.body, path, "Revoke token", {}, headers);
    await ask(revoke);
    await ask(revoke);
    await ask(page(`${path}?revoked=${id}`));
    await ask(page(`${path}?revoke=all`));
    await ask(page(`${path}?revoke=1`));
    await ask({ method: "HEAD", path, headers });
    const others = { Cookie: `__Host-session=${session("neighbour")}` };
    await ask({ path: `${path}/${id}`, headers: others, show: outline });

    // Another account uses what it made: when a page says so depends on a timer.
    const empty = await ask({ path, headers: others }, false);
    const { body: shown } = await ask(form(empty.body, path, "Create token", { name: "Used" }, others), false);
    const raw = /cpat_[0-9A-Za-z]{36}/.exec(shown)?.[0] ?? "";
    await ask({ path: "/api/v1/me", bearer: raw });
    const { body: asked } = await ask({ path: `${path}?revoke=${Number(id) + 1}`, headers: others }, false);
    await ask(form(asked, path, "Revoke token", {}, others), false);
    await ask({ path: "/api/v1/me", bearer: raw });
  },
};

export const PARTS = [api, queries, refusals, limit, documents, metrics, mcp, pages, signIn, tokens, ingest];
/** The parts with tokens of their own. */
export const TOKEN_PARTS = ["the endpoints", "queries", "refusals", "metrics", "MCP", "ingest"];
