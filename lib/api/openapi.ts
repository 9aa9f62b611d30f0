import { z } from "zod";
import { NotFoundError } from "@/lib/failures";
import { INVALID_RANGE, INVALID_SINCE } from "@/lib/game-services/metrics-query";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { API_REQUESTS, policyText, windowSeconds } from "@/lib/rate-limit/policy";
import { ENDPOINTS, type EndpointPath, largestText } from "./contract";
import {
  internalError,
  invalidToken,
  malformedToken,
  methodNotAllowed,
  missingToken,
  rateLimitExceeded,
  unavailable,
} from "./errors";
import examples from "./examples.json";
import { EXPOSED_HEADERS } from "./fixed-headers.mjs";
import { PREFLIGHT_HEADERS } from "./preflight";
import * as schemas from "./schemas";

/** JSON that is not looked into here. */
type Json = Record<string, unknown>;

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
  const?: string | number;
  [keyword: string]: unknown;
};

export type Parameter = {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  schema: Schema;
  example: unknown;
};
export type Header = { description: string; required: boolean; schema: Schema; example: unknown };
export type ApiResponse = {
  description: string;
  headers: Record<string, { $ref: string } | Header>;
  content?: { "application/json": { schema: Schema; examples: Record<string, { summary?: string; value: unknown }> } };
};
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: Parameter[];
  responses: Record<string, ApiResponse | { $ref: string }>;
};

/** The document that describes the API (OpenAPI 3.1), as far as it does not depend on who asks for it. */
export type OpenApiDocument = {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    description: string;
    contact?: { name: string; url?: string; email?: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  security: Json[];
  paths: Record<string, { get: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    responses: Record<string, ApiResponse>;
    securitySchemes: Json;
  };
  "x-other-requests": Record<string, Pick<Operation, "description" | "responses">>;
};

const INFO = `Read-only access to your account, your servers with their health scores, finished benchmark runs, and \
game-protection services with their traffic. Every request carries a personal access token, which the console shows once, \
when it is created, at ${TOKEN_PAGE}: ${policyText(API_REQUESTS)} per token. A success is \`{"data": …}\`, a failure \`{"error": "<message>"}\`. Timestamps are Unix epoch milliseconds. \
Fields, and values of a state, may be added within v1: ignore those that you do not know. Health scores are computed as \
they are read, from what each daemon reports every ${schemas.CHECK_IN_SECONDS} seconds; traffic is counted in intervals \
of ${schemas.INTERVAL_SECONDS} seconds. Report a fault with the \`X-Request-Id\` of the answer.`;

const TAGS: Record<string, string> = {
  Account: "The account that the token acts as.",
  Servers: "Servers that your daemons report from, with their health and benchmark runs.",
  "Game services": "Game-protection services and their traffic.",
};

/** The names of the schemas in the document. */
const NAMES = {
  Account: schemas.account,
  ServerListItem: schemas.serverListItem,
  ServerList: schemas.serverList,
  Facts: schemas.facts,
  ScoreComponents: schemas.scoreComponents,
  LatestSample: schemas.latestSample,
  ServerDetail: schemas.serverDetail,
  BenchmarkScores: schemas.benchmarkScores,
  BenchmarkRun: schemas.benchmarkRun,
  BenchmarkRuns: schemas.benchmarkRuns,
  GameService: schemas.gameService,
  GameServiceList: schemas.gameServiceList,
  MetricSample: schemas.metricSample,
  MetricSeries: schemas.metricSeries,
  Failure: schemas.failure,
};

/** What a token looks like (contract 5.2). */
const TOKEN_PATTERN = "cpat_[0-9A-Za-z]{36}";

const text = (pattern: string): Schema => ({ type: "string", pattern });
const seconds: Schema = { type: "integer", minimum: 0 };

const HEADERS = {
  "Cache-Control": fixed("no-store", "No cache may keep the answer."),
  "X-Content-Type-Options": fixed("nosniff", "The content type is what it says."),
  "Access-Control-Allow-Origin": fixed("*", "Pages of any origin may call the API; cookies are never honoured."),
  "Access-Control-Expose-Headers": header(
    "The headers that a page of another origin may read.",
    text("^[\\w, -]+$"),
    EXPOSED_HEADERS,
  ),
  Link: fixed('</openapi.json>; rel="service-desc"', "This document (RFC 8631)."),
  "X-Request-Id": header(
    "Names this request; quote it when you report a fault.",
    { type: "string", format: "uuid" },
    "0f8fad5b-d9cb-469f-a165-70867728950e",
  ),
  "RateLimit-Policy": header(
    `The limit per token: \`q\` requests in any \`w\` seconds. Today that is ${policyText(API_REQUESTS)}.`,
    text('^"default";q=\\d+;w=\\d+$'),
    `"default";q=${API_REQUESTS.limit};w=${windowSeconds(API_REQUESTS)}`,
  ),
  RateLimit: header(
    "`r` requests are left now; in `t` seconds there is one more.",
    text('^"default";r=\\d+;t=\\d+$'),
    `"default";r=${API_REQUESTS.limit - 1};t=${windowSeconds(API_REQUESTS)}`,
  ),
  "X-RateLimit-Limit": header("As q.", { type: "integer", minimum: 1 }, API_REQUESTS.limit),
  "X-RateLimit-Remaining": header("As r.", { type: "integer", minimum: 0 }, API_REQUESTS.limit - 1),
  "X-RateLimit-Reset": header("When there is one request more than now, in Unix epoch seconds.", seconds, 1795171726),
  "X-Token-Expires-At": {
    description: "When the token ends, in Unix epoch milliseconds. Absent for a token without an end.",
    required: false,
    schema: seconds,
    example: 1798675200000,
  },
  "Retry-After": header(
    "Whole seconds to wait: a client that sleeps that long after a 429 is let in.",
    { type: "integer", minimum: 1 },
    37,
  ),
  "WWW-Authenticate": header(
    'How to authenticate (RFC 6750), with `error="invalid_token"` when a token was sent.',
    text('^Bearer realm="console-api"(, error="invalid_token")?$'),
    'Bearer realm="console-api", error="invalid_token"',
  ),
  Allow: fixed(PREFLIGHT_HEADERS.Allow, "The methods that there are."),
  "Access-Control-Allow-Methods": fixed(
    PREFLIGHT_HEADERS["Access-Control-Allow-Methods"],
    "The methods that a page of another origin may use.",
  ),
  "Access-Control-Allow-Headers": fixed(
    PREFLIGHT_HEADERS["Access-Control-Allow-Headers"],
    "The headers that a page of another origin may set.",
  ),
  "Access-Control-Max-Age": header(
    "Seconds for which a browser need not ask again.",
    seconds,
    Number(PREFLIGHT_HEADERS["Access-Control-Max-Age"]),
  ),
} satisfies Record<string, Header>;
type HeaderName = keyof typeof HEADERS;

/** Headers of answers to requests that OpenAPI cannot attach to a path. They are written inline. */
const OTHER = new Set(Object.keys(PREFLIGHT_HEADERS) as HeaderName[]);
/** On every answer under /api, also where no request exists yet. */
const FIXED: HeaderName[] = [
  "Cache-Control",
  "X-Content-Type-Options",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "Link",
];
/** On every answer of the API's own code. */
const ALWAYS: HeaderName[] = [...FIXED, "X-Request-Id"];
/** On every answer to a token that is good, the last one only if it has an end. */
const QUOTA: HeaderName[] = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Token-Expires-At",
];

const tooLarge = { message: "Request Header Fields Too Large." };
const RESPONSES = {
  InvalidQuery: failure(
    "A parameter of the query has a value that is not allowed, is empty, or is repeated.",
    [...ALWAYS, ...QUOTA],
    { range: { message: INVALID_RANGE }, since: { message: INVALID_SINCE } },
  ),
  Unauthorized: failure(
    "The token is missing, mistyped, unknown, revoked or expired, used outside its networks, or of a disabled account.",
    [...ALWAYS, "WWW-Authenticate"],
    { missing: missingToken(), malformed: malformedToken(), invalid: invalidToken() },
  ),
  NotFound: failure("Unknown, or of another account: the answer is the same.", [...ALWAYS, ...QUOTA], {
    unknown: new NotFoundError(),
  }),
  RateLimited: failure(
    `More than ${policyText(API_REQUESTS)}. It was not counted.`,
    [...ALWAYS, ...QUOTA, "Retry-After"],
    { limited: rateLimitExceeded(37) },
  ),
  HeadersTooLarge: failure("More than 16 KB of request line and headers.", FIXED, { large: tooLarge }),
  InternalError: failure("The console's own fault.", ALWAYS, { fault: internalError() }, QUOTA),
  Unavailable: failure(
    "The console cannot answer just now: ask again after the seconds that it says.",
    [...ALWAYS, "Retry-After"],
    { unavailable: unavailable() },
    QUOTA,
  ),
};

const DOCUMENT: Omit<OpenApiDocument, "servers"> = {
  openapi: "3.1.1",
  info: { title: "Console API", version: "1.0.0", description: INFO },
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ token: [] }],
  paths: Object.fromEntries(ENDPOINTS.map((endpoint) => [templateOf(endpoint[0]), { get: operation(...endpoint) }])),
  components: {
    schemas: publishedSchemas(),
    headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => !OTHER.has(name as HeaderName))),
    responses: RESPONSES,
    securitySchemes: {
      token: {
        type: "http",
        scheme: "bearer",
        bearerFormat: TOKEN_PATTERN,
        description: `A personal access token, which matches \`${TOKEN_PATTERN}\`. People create it on the page ${TOKEN_PAGE}, where it is shown once. It is never accepted from a query or a cookie.`,
      },
    },
  },
  "x-other-requests": {
    "a path under /api that is not described": {
      description: "Without a valid token the answer is that of a described path.",
      responses: {
        401: ref("responses", "Unauthorized"),
        404: ref("responses", "NotFound"),
        429: ref("responses", "RateLimited"),
      },
    },
    HEAD: { description: "Answers as GET does, without the body. It counts.", responses: {} },
    OPTIONS: {
      description: "A preflight needs no token and does not count.",
      responses: {
        204: {
          description: "What a page of another origin may do.",
          headers: headers([...ALWAYS, ...OTHER]),
        },
      },
    },
    "any other method": {
      description: "The API is read-only.",
      responses: {
        401: ref("responses", "Unauthorized"),
        405: failure("The API is read-only.", [...ALWAYS, ...QUOTA, "Allow"], {
          post: methodNotAllowed(HEADERS.Allow.example),
        }),
        429: ref("responses", "RateLimited"),
      },
    },
  },
};

/** The document of the API as it is served under `origin`; `contactUrl` is where people report a fault. */
export function openApiDocument(origin: string, contactUrl?: string): OpenApiDocument {
  const servers = [{ url: origin, description: "This console" }];
  return { ...DOCUMENT, info: { ...DOCUMENT.info, ...(contactUrl && { contact: contactOf(contactUrl) }) }, servers };
}

/** A URL, or an e-mail address as `mailto:` writes it. */
function contactOf(url: string) {
  const [, email] = /^mailto:([^?]+)/.exec(url) ?? [];
  return { name: "Support", ...(email ? { email } : { url }) };
}

/** What a success of an operation holds: the body, the `data` in it, and an example answer. */
export function successOf({ operationId, responses }: Operation): { body: Schema; data: Schema; example: unknown } {
  const success = responses[200];
  const content = success && "content" in success ? success.content?.["application/json"] : undefined;
  const data = content?.schema.properties?.data;
  if (!data) throw new Error(`${operationId} answers no data.`);
  return { body: content.schema, data, example: content.examples.demo?.value };
}

/** Every failure that the document knows, by its status. */
export function failuresOf(document: OpenApiDocument): Map<string, ApiResponse> {
  const { paths, components, "x-other-requests": others } = document;
  const described = [...Object.values(paths).map(({ get }) => get), ...Object.values(others)];
  const byStatus = described.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]): [string, ApiResponse][] => {
      const known = "$ref" in response ? components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
      return known && Number(status) >= 400 ? [[status, known]] : [];
    }),
  );
  return new Map(byStatus.sort(([a], [b]) => Number(a) - Number(b)));
}

/** The known values of a schema that lets further ones pass; null for any other schema. */
export function openValues({ anyOf = [] }: Schema): string[] | null {
  const [known, any] = anyOf;
  return anyOf.length === 2 && known?.enum && any?.type === "string" && !any.enum ? known.enum : null;
}

/** `:id` as OpenAPI writes it. */
export function templateOf(path: EndpointPath): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function operation(...[path, row]: (typeof ENDPOINTS)[number]): Operation {
  const { name, group, summary, details, params, query, largest, data } = row;
  const pathParameters = Object.entries(params).map(
    ([parameter, description]): Parameter => ({
      name: parameter,
      in: "path",
      required: true,
      description: `${description}. Anything but a whole number is answered as an unknown id is.`,
      schema: { type: "integer", minimum: 1, maximum: 2 ** 31 - 1 },
      example: 2,
    }),
  );
  const queryParameters = Object.entries(query).map(
    ([parameter, { schema, default: standard, example }]): Parameter => {
      const { $schema: _, ...json } = z.toJSONSchema(schema);
      return {
        name: parameter,
        in: "query",
        required: false,
        description: json.description ?? "",
        schema: { ...(json as Schema), ...(standard !== undefined && { default: standard }) },
        example,
      };
    },
  );
  return {
    operationId: name,
    tags: [group],
    summary,
    description: `${details} Its largest usual answer: ${largestText(largest)}.`,
    parameters: [...pathParameters, ...queryParameters],
    responses: {
      200: {
        description: data.description ?? summary,
        headers: headers([...ALWAYS, ...QUOTA]),
        content: {
          "application/json": {
            schema: { type: "object", properties: { data: schemaOf(data) }, required: ["data"] },
            examples: { demo: { summary: "From the demo", value: (examples as Record<string, unknown>)[path] } },
          },
        },
      },
      ...(queryParameters.length > 0 && { 400: ref("responses", "InvalidQuery") }),
      401: ref("responses", "Unauthorized"),
      ...(pathParameters.length > 0 && { 404: ref("responses", "NotFound") }),
      429: ref("responses", "RateLimited"),
      431: ref("responses", "HeadersTooLarge"),
      500: ref("responses", "InternalError"),
      503: ref("responses", "Unavailable"),
    },
  };
}

/** A reference where the schema has a name of its own. */
function schemaOf(schema: z.ZodType): Schema {
  const [name] = Object.entries(NAMES).find(([, known]) => known === schema) ?? [];
  if (name) return ref("schemas", name);
  const { $schema: _, ...json } = z.toJSONSchema(schema, { override: tolerant });
  return json as Schema;
}

function publishedSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMES)) registry.add(schema, { id });
  const { schemas: generated } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: tolerant,
  });
  // Removes `$schema` and `$id`, which zod adds for standalone documents. Here the schemas are parts of one document.
  return Object.fromEntries(
    Object.entries(generated).map(([id, { $schema, $id, ...schema }]) => [id, schema as Schema]),
  );
}

/** Loosens a schema, so that a new field or a new state value is not a breaking change. */
function tolerant({ jsonSchema }: { jsonSchema: object }): void {
  const schema = jsonSchema as Schema;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  const known = schema.enum ?? (typeof schema.const === "string" ? [schema.const] : null);
  if (!known) return;
  for (const keyword of ["type", "enum", "const"]) delete schema[keyword];
  schema.anyOf = [{ type: "string", enum: known }, { type: "string" }];
}

function fixed<const Value extends string>(value: Value, description: string) {
  return { ...header(description, { type: "string", const: value }, value), example: value };
}

function header(description: string, schema: Schema, example: unknown): Header {
  return { description, required: true, schema, example };
}

function ref(kind: "schemas" | "headers" | "responses", name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

function headers(names: HeaderName[], sometimes: HeaderName[] = []): ApiResponse["headers"] {
  return {
    ...Object.fromEntries(names.map((name) => [name, OTHER.has(name) ? HEADERS[name] : ref("headers", name)])),
    ...Object.fromEntries(sometimes.map((name) => [name, { ...HEADERS[name], required: false }])),
  };
}

function failure(
  description: string,
  names: HeaderName[],
  errors: Record<string, { message: string }>,
  sometimes: HeaderName[] = [],
): ApiResponse {
  const bodies = Object.entries(errors).map(([name, { message }]) => [name, { value: { error: message } }]);
  return {
    description,
    headers: headers(names, sometimes),
    content: { "application/json": { schema: ref("schemas", "Failure"), examples: Object.fromEntries(bodies) } },
  };
}
