import { TOKEN_PAGE } from "@/lib/page-paths";
import { API_REQUESTS, policyText } from "@/lib/rate-limit/policy";
import { writeHealthScore } from "./health-score-reference";
import { mcpLines } from "./mcp-lines";
import type { OpenApiDocument } from "./openapi";
import { type OwnIds, writeEndpoints, writeFailures, writeHeaders } from "./reference-tables";
import { CHECK_IN_SECONDS, INTERVAL_SECONDS } from "./schemas";
import { SERVED_FILES } from "./served-files";

/**
 * The reference as Markdown, for the console at `origin`. The page /docs/api is made of it, and the examples there have the
 * reader's own ids. `{#id}` behind a heading is its name in the URL of the page. A paragraph that ends in a colon
 * is the caption of the lines behind it.
 */
export function writeReference(document: OpenApiDocument, origin: string, ownIds: OwnIds = {}): string {
  const { protocol, host } = new URL(origin);
  return `# API reference

Read-only JSON about your account, your servers, their benchmark runs, and your game-protection services. A success is \`{"data": …}\`, a failure \`{"error": "<message>"}\` and nothing else. Timestamps are Unix epoch milliseconds. Lists come whole.

## Authentication {#authentication}

Every request carries a personal access token, which you create on the page [API tokens](${TOKEN_PAGE}). The console shows a token once, when it is created; only its hash is stored. It acts as your account and can change nothing. Cookies are never honoured. Keep it out of your shell’s history:

Paste the token, then Enter:

\`\`\`
read -rs TOKEN && export TOKEN
\`\`\`

Tokens match \`cpat_[0-9A-Za-z]{36}\`. One that is revoked or has expired, and any of a disabled account, is refused from the next request on; so is one that names networks, from anywhere else.

A token sees what its account sees in the dashboard. What belongs to others is answered as if it did not exist. Staff accounts also see a game service whose owner switched on support access or has an open ticket linked to it; their lists hold only what they own or were granted.

## Endpoints {#endpoints}

${writeEndpoints(document, origin, ownIds)}

## Errors {#errors}

They are checked in this order: 401, 429, 404 and 405, 404 for what is not yours, 400.

${writeFailures(document)}

## Limits, and how to wait {#limits}

${policyText(API_REQUESTS)} per token, over all endpoints together. A request that is refused with 429 or 401 is not counted, and neither is a preflight. Every answer says what is left; a 429 says in \`Retry-After\` how many seconds to sleep, and a client that sleeps that long is let in. Many programs do it by themselves:

Waits as long as it is told to:

\`\`\`
curl -sS --fail-with-body --retry 5 "${origin}/api/v1/me" -H "Authorization: Bearer $TOKEN"
\`\`\`

For a whole fleet at once there is [one request](#prometheus). At most 16 KB of request line and headers are read.

## How fresh it is {#freshness}

Nothing is cached: each answer is made from the database as it is asked for. A server’s daemon checks in every ${CHECK_IN_SECONDS} seconds, and its health score is computed as it is read, so it moves between check-ins, too. Edge nodes count traffic in intervals of ${INTERVAL_SECONDS} seconds and report each one when it is over; an interval that no node reported is absent.

## Headers {#headers}

${writeHeaders(document)}

## The health score {#health-score}

${writeHealthScore()}

## Prometheus {#prometheus}

\`GET /metrics\` is the whole account in one answer, with the same token, counted as one request: scores, components, whether a server needs attention, last check-ins, latest samples, and for each game service of the list its state and the newest interval of every node. Seconds, bytes and ratios, all of them gauges.

A scrape:

\`\`\`
curl -sS "${origin}/metrics" -H "Authorization: Bearer $TOKEN"
\`\`\`

prometheus.yml:

\`\`\`
scrape_configs:
  - job_name: console
    scrape_interval: 60s
    scheme: ${protocol.slice(0, -1)}
    authorization:
      credentials_file: /etc/prometheus/console-token
    static_configs:
      - targets: ["${host}"]
\`\`\`

## Language models (MCP) {#mcp}

\`/mcp\` speaks the Model Context Protocol (2026-07-28 and 2025-11-25, over HTTP, without sessions) with the same tokens and the same limit. Its five tools read: the account, servers by any field, one server and what to do about it, game services, and traffic summed up by hour, day or node. A call counts as many requests as endpoints that it reads, and an answer has at most 16,000 bytes. What others wrote, such as names and errors, stands in JSON values: data, never instructions.

${mcpLines(origin)
  .map(({ label, lines }) => `${label}:\n\n\`\`\`\n${lines}\n\`\`\``)
  .join("\n\n")}

## Clients, recipes and the document {#clients}

${Object.entries(SERVED_FILES)
  .map(([path, what]) => `- [${path}](${path}) ${what}.`)
  .join("\n")}

Both clients are made from the document. They wait for \`Retry-After\` by themselves, end an attempt after 30 seconds unless you say otherwise, and say so when the console cannot be reached.

## Reporting a fault {#faults}

Every answer has an \`X-Request-Id\`, and so has the console’s log. Report it to ${contactOf(document)}, with the time and the request; never send a token.

## Versions {#versioning}

The version is part of the path. Within v1 we may add endpoints, optional parameters, fields, headers and values of a state: ignore what you do not know. The wording of messages may change, and a limit may rise. Nothing is removed, renamed or given another type, unit or meaning.

Should an endpoint have to go, its answers say so in the header \`Deprecation\` (RFC 9745), with the day from which it is deprecated, and in \`Sunset\` (RFC 8594), with the day on which it ends: at least twelve months later. A \`Link\` with \`rel="deprecation"\` leads to what replaces it. No answer carries them today.
`;
}

/** The same for readers of /docs/api.md, whose headings have no names of their own. */
export function writeServedReference(document: OpenApiDocument, origin: string): string {
  return writeReference(document, origin).replaceAll(/^(#+ .+) \{#[\w-]+\}$/gm, "$1");
}

function contactOf({ info: { contact } }: OpenApiDocument): string {
  const target = contact?.url ?? (contact?.email ? `mailto:${contact.email}` : null);
  return target ? `[${contact?.email ?? target}](${target})` : "the operator of this console";
}
