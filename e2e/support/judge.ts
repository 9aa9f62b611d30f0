import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiResponse, Header, OpenApiDocument, Operation, Schema } from "@/lib/api/openapi";

/** What HTTP itself and the framework add to any answer; the document describes the API. */
const TRANSPORT: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
]);
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** An answer of the API as it arrived. `path` may have a query. */
type Arrived = { method: string; path: string; status: number; headers: Headers; text: string };

/** Returns one sentence per violation of the document. Empty means that the answer conforms. */
export type Judge = (answer: Arrived) => string[];

/** Checks answers against the served document, not against the schemas that generate it. */
export function judgeBy(document: OpenApiDocument): Judge {
  const check = checkerOf(document);
  const responsesOf = readResponses(document);
  /** By lower-case name, made once for each kind of answer: a judge reads many thousands. */
  const headersOf = kept(
    (described: ApiResponse["headers"]) =>
      new Map(
        Object.entries(described).map(([name, header]) => [
          name.toLowerCase(),
          { name, ...resolve<Header>(document, header) },
        ]),
      ),
  );

  function judgeHeaders(headers: Headers, described: ApiResponse["headers"]): string[] {
    const problems: string[] = [];
    const expected = headersOf(described);
    for (const [name] of headers) {
      if (!TRANSPORT.has(name) && !expected.has(name)) problems.push(`The header ${name} is not described.`);
    }
    for (const { name, schema, required } of expected.values()) {
      const value = headers.get(name);
      if (value === null) {
        if (required) problems.push(`The header ${name} is absent.`);
      } else {
        const typed = schema.type === "integer" ? Number(value) : value;
        problems.push(...check(schema, typed).map((problem) => `The header ${name}: ${value} ${problem}.`));
      }
    }
    return problems;
  }

  function judgeBody({ method, status, headers, text }: Arrived, { content }: ApiResponse): string[] {
    if (method === "HEAD" || status === 204) return text === "" ? [] : ["There is a body where there may be none."];
    if (headers.get("content-type") !== "application/json; charset=utf-8") return ["The body is not said to be JSON."];
    const schema = content?.["application/json"].schema;
    if (!schema) return ["No body is described."];
    try {
      return check(schema, JSON.parse(text)).map((problem) => `The body: ${problem}.`);
    } catch (error) {
      return [`The body: ${error}`];
    }
  }

  return (answer) => {
    const responses = responsesOf(answer.method, answer.path);
    const described = responses[answer.status];
    if (!described) return [`The status ${answer.status} is not described.`];
    const response = resolve<ApiResponse>(document, described);
    return [...judgeHeaders(answer.headers, response.headers), ...judgeBody(answer, response)];
  };
}

/** Finds the documented responses of a request. */
function readResponses(document: OpenApiDocument): (method: string, path: string) => Operation["responses"] {
  const other = document["x-other-requests"];
  const { HeadersTooLarge, InternalError, Unavailable } = document.components.responses;
  const common = { 431: HeadersTooLarge, 500: InternalError, 503: Unavailable } as Operation["responses"];
  const preflight = { ...common, ...other.OPTIONS?.responses };
  const refused = { ...common, ...other["any other method"]?.responses };
  const unknown = { ...common, ...other["a path under /api that is not described"]?.responses };
  const operations = Object.entries(document.paths).map(([template, { get }]) => ({
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    responses: get.responses,
    // The server decides whether an encoded slash separates path segments.
    orUnknown: { ...unknown, ...get.responses },
  }));
  return (method, path) => {
    if (method === "OPTIONS") return preflight;
    if (method !== "GET" && method !== "HEAD") return refused;
    const plain = decode(path.split("?")[0] ?? "").replaceAll(/\/{2,}/g, "/");
    const operation = operations.find(({ pattern }) => pattern.test(plain));
    if (!operation) return unknown;
    return path.includes("%") ? operation.orUnknown : operation.responses;
  };
}

/** Memoizes a function by its object argument. */
function kept<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function resolve<Part>(document: OpenApiDocument, part: Part | { $ref: string }): Part {
  if (typeof part !== "object" || part === null || !("$ref" in part)) return part as Part;
  const keys = part.$ref.replace("#/", "").split("/");
  return keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document) as Part;
}

function checkerOf({ components }: OpenApiDocument): (schema: Schema, value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, formats: { uuid: UUID } });
  ajv.addKeyword("components");
  // References lead into the document: its schemas stand beside each schema that is compiled.
  const validatorOf = kept((schema: Schema) => ajv.compile({ ...schema, components: { schemas: components.schemas } }));
  return (schema, value) => {
    const validate = validatorOf(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
