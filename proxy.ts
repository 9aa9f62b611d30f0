import { type NextRequest, NextResponse } from "next/server";
import { HSTS, PAGE_HEADERS } from "@/lib/api/fixed-headers.mjs";
import { reportOutage } from "@/lib/database/outage";
import { isMachinePath } from "@/lib/http/machine-path.mjs";
import { findOriginFault, type OriginFault, withOneOrigin } from "@/lib/http/own-origin";
import { PATH_HEADER } from "@/lib/http/own-path";
import { plainPage } from "@/lib/http/plain-page";
import { OUTAGE, OUTAGE_RETRY_AFTER } from "@/lib/http/plain-page-text.mjs";
import { pingDatabase } from "@/lib/operations/readiness";
import { NO_PAGE } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import { logRepeated } from "@/lib/process/repeated.mjs";
import { isMissingPage } from "@/lib/sign-in/own-pages";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";

/** Next answers every request with this header itself, with 200 and `{}`. The console never sends it. */
const PREFETCH = "x-middleware-prefetch";

/**
 * Runs before every page. Requests for machine routes and static files come here only when they carry `PREFETCH`, to lose
 * that header: this project's server removes it, but a hosting platform does not.
 */
export async function proxy(request: NextRequest): Promise<Response> {
  if (isMachinePath(request.nextUrl.pathname)) return NextResponse.next({ request: { headers: headersOf(request) } });
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy(nonce);
  const response = (await refusal(request, nonce)) ?? (await pageWithPolicy(request, policy));
  response.headers.set("Content-Security-Policy", policy);
  const isHttps = env.baseUrl?.startsWith("https:");
  for (const [name, value] of isHttps ? [...PAGE_HEADERS, HSTS] : PAGE_HEADERS) response.headers.set(name, value);
  return response;
}

export const config = {
  // Next reads the matcher without running code, so names are repeated. `proxy.test.ts` compares them with their sources.
  matcher: [
    "/((?!(?:api|ingest|mcp|metrics|openapi\\.json|changelog\\.md|docs/api\\.md|docs/health-score\\.json|llms\\.txt|clients/console-api\\.postman\\.json|\\.well-known|healthz|readyz|register|authorize|token)(?:/|$)|_next/|__nextjs|(?:agent\\.sh|clients/LICENSE|clients/console|clients/console-api\\.ts|clients/console_api\\.py|edge\\.mjs|error\\.css|favicon-alert\\.svg|favicon\\.ico|favicon\\.svg|logo\\.svg|recipes/README\\.md|recipes/fleet\\.sh|recipes/grafana/dashboard\\.json|recipes/grafana/datasource\\.yaml|recipes/grafana/operations\\.json|recipes/health-score\\.mjs|recipes/health_score\\.py|recipes/home-assistant/configuration\\.yaml|recipes/prometheus/console-rules\\.yml|recipes/prometheus/operations-rules\\.yml|recipes/prometheus/prometheus\\.yml|recipes/unhealthy\\.py|recipes/uptime\\.py)$).*)",
    { source: "/:path*", has: [{ type: "header", key: "x-middleware-prefetch" }] },
  ],
};

/** Returns the answer to a request that must not reach a page. Null means that the page may answer. */
async function refusal(request: NextRequest, nonce: string): Promise<Response | null> {
  const fault = isForm(request) ? findOriginFault(request.headers) : null;
  if (fault !== null) {
    const why = tellOriginFault(fault, request.nextUrl.pathname);
    return plainPage({ status: 403, title: "This form was not sent by the console", ...why, nonce });
  }
  try {
    // Check the database here: a failing page would be empty without JavaScript, and its status would be wrong.
    await pingDatabase();
    return null;
  } catch (error) {
    reportOutage(error, { method: request.method, path: request.nextUrl.pathname });
    const page = plainPage({ status: 503, ...OUTAGE, nonce });
    page.headers.set("Retry-After", String(OUTAGE_RETRY_AFTER));
    return page;
  }
}

function isForm({ method }: NextRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

const FOREIGN = "So nothing was done. Open the console in your browser and use the form there.";

/** What people read of a form that is refused. Where a setting may be wrong, the log says it, too, once a minute. */
function tellOriginFault(fault: OriginFault, path: string) {
  if (fault === "foreign") return { text: FOREIGN };
  const tell = (fields: Record<string, string>) => logRepeated({ level: "info", event: "form refused" }, fields);
  if (fault === "unknown") {
    const hint = "If you did, a proxy or an extension of the browser takes away or changes the headers Origin or Host.";
    tell({ hint });
    return { text: FOREIGN, hint };
  }
  const { from, own } = fault;
  const mend = env.baseUrl
    ? `BASE_URL=${from}`
    : `BASE_URL=${from} for the console, or "proxy_set_header Host $http_host;" in nginx`;
  tell({ sent_from: from, console_at: own, hint: `If sent_from is right: ${mend}` });
  return {
    text: `It was sent from ${from}, and the console is at ${own}: so nothing was done.`,
    hint: `If the first is right, its operator mends that with one line: ${mend}.`,
    ...(env.baseUrl && { link: { href: own + path, words: `Open ${own}` } }),
  };
}

async function pageWithPolicy(request: NextRequest, policy: string): Promise<Response> {
  const headers = isForm(request) ? withOneOrigin(headersOf(request)) : headersOf(request);
  // Next reads the nonce from here and gives it to every script and style of the page.
  headers.set("Content-Security-Policy", policy);
  headers.set(PATH_HEADER, pathOf(request));
  if (request.method !== "POST" && (await isMissing(request))) {
    return NextResponse.rewrite(new URL(NO_PAGE + request.nextUrl.pathname, request.url), { request: { headers } });
  }
  return NextResponse.next({ request: { headers } });
}

function headersOf(request: NextRequest): Headers {
  const headers = new Headers(request.headers);
  headers.delete(PREFETCH);
  return headers;
}

async function isMissing({ nextUrl, cookies }: NextRequest): Promise<boolean> {
  try {
    return await isMissingPage(nextUrl.pathname, cookies.get(SESSION_COOKIE)?.value);
  } catch {
    // The page will meet the same fault and report it.
    return false;
  }
}

/** Returns path and query, without the parameter that Next's router adds. */
function pathOf(request: NextRequest): string {
  const url = new URL(request.url);
  url.searchParams.delete("_rsc");
  return url.pathname + url.search;
}

function contentSecurityPolicy(nonce: string): string {
  // The development server evaluates source text and brings styles and fonts of its own; a built console never does.
  const isDevelopment = process.env.NODE_ENV === "development";
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    ...(isDevelopment ? ["font-src 'self'"] : []),
  ].join("; ");
}
