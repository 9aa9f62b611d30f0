import type { Ask, Question } from "./play";
import { secret, session, tokenOf } from "./seed";

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

/** A check-in with all measurements, which the first endpoints read. */
const CHECK_IN: Question = {
  method: "POST",
  path: "/ingest/v1/check-ins",
  bearer: secret("csrv", "server 11"),
  headers: JSON_TYPE,
  body: JSON.stringify({ ...SAMPLE, facts: FACTS }),
};

async function askAll(ask: Ask, questions: readonly Question[]): Promise<void> {
  for (const question of questions) await ask(question);
}

const api = {
  title: "The seven endpoints by account",
  async play(ask: Ask) {
    await ask(CHECK_IN, false);
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

export const PARTS = [api, queries, refusals, limit];
/** The parts with tokens of their own. */
export const TOKEN_PARTS = ["the endpoints", "queries", "refusals"];
