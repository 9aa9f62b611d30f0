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
export type Arrived = { method: string; path: string; status: number; headers: Headers; text: string };

/** What is wrong with an answer, a sentence for each thing; empty when the document describes it. */
export type Judge = (answer: Arrived) => string[];

/** Reads answers against the document as it was served, and not against the schemas that it was made from. */
export function judgeBy(document: OpenApiDocument): Judge {
  const check = checkerOf(document);

  function judgeHeaders(headers: Headers, described: ApiResponse["headers"]): string[] {
    const problems: string[] = [];
    const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
    for (const [name] of headers) {
      if (!TRANSPORT.has(name) && !names.has(name)) problems.push(`The header ${name} is not described.`);
    }
    for (const [name, reference] of Object.entries(described)) {
      const { schema, required } = resolve<Header>(document, reference);
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
    const responses = responsesOf(document, answer.method, answer.path);
    const described = responses[answer.status];
    if (!described) return [`The status ${answer.status} is not described.`];
    const response = resolve<ApiResponse>(document, described);
    return [...judgeHeaders(answer.headers, response.headers), ...judgeBody(answer, response)];
  };
}

/** What the document says about every answer that a request may get. */
function responsesOf(document: OpenApiDocument, method: string, path: string): Operation["responses"] {
  const other = document["x-other-requests"];
  const { HeadersTooLarge, InternalError, Unavailable } = document.components.responses;
  const common = { 431: HeadersTooLarge, 500: InternalError, 503: Unavailable } as Operation["responses"];
  if (method === "OPTIONS") return { ...common, ...other.OPTIONS?.responses };
  if (method !== "GET" && method !== "HEAD") return { ...common, ...other["any other method"]?.responses };
  const unknown = { ...common, ...other["a path under /api/v1 that is not described"]?.responses };
  const operation = operationOf(document, path);
  if (!operation) return unknown;
  // Whether an encoded slash separates is for the server to say.
  return path.includes("%") ? { ...unknown, ...operation.responses } : operation.responses;
}

function operationOf(document: OpenApiDocument, path: string): Operation | undefined {
  const plain = decode(path.split("?")[0] ?? "")
    .replaceAll(/\/{2,}/g, "/")
    .replace(/\/$/, "");
  const templates = Object.entries(document.paths);
  return templates.find(([template]) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain))?.[1]
    .get;
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

/** Compiles each schema once. */
function checkerOf({ components }: OpenApiDocument): (schema: Schema, value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, formats: { uuid: UUID } });
  ajv.addKeyword("components");
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    // References lead into the document: its schemas stand beside each schema that is compiled.
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas: components.schemas } });
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
