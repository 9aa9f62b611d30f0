import examples from "./examples.json";
import { failuresOf, type OpenApiDocument, openValues, type Parameter, type Schema, successOf } from "./openapi";
import { requestExamples } from "./request-examples";

// The tables of the document as Markdown, for the reference. Each row of a list is a name in backticks, what kind of thing it is in
// parentheses, a colon and what it means; values and messages as they are sent follow in lines of their own.

type Schemas = Record<string, Schema>;

/** The ids of a server and of a game service of the reader, where there are any. */
export type OwnIds = { server?: number | undefined; service?: number | undefined };

/** Each endpoint: what it takes, a request, its answer, and the fields of that. Both are about the reader's own things, if any. */
export function writeEndpoints({ paths, components }: OpenApiDocument, origin: string, ownIds: OwnIds): string {
  const server = ownIds.server ?? examples["/api/v1/servers/:id"].data.id;
  const service = ownIds.service ?? examples["/api/v1/game-services/:id"].data.id;
  const parts = Object.entries(paths).flatMap(([path, { get }]) => {
    const { body, example } = successOf(get);
    const id = path.startsWith("/api/v1/servers") ? server : service;
    const [curl] = requestExamples(origin + path.replace("{id}", String(id)));
    return [
      `### GET ${path} {#${get.operationId}}`,
      `${get.summary}. ${get.description}`,
      get.parameters.map((one) => `- \`${one.name}\` (${placeOf(one)}): ${one.description}`).join("\n"),
      fenced(curl?.text ?? ""),
      fenced(JSON.stringify(path.endsWith("/{id}") ? withId(example, id) : example, null, 2)),
      writeFields(body, components.schemas).join("\n"),
    ];
  });
  const areOwn = Object.values(ownIds).some((id) => id !== undefined);
  const note = areOwn ? "The examples carry your own ids and the URL of this console." : "";
  return [note, ...parts].filter((part) => part !== "").join("\n\n");
}

/** An answer about one thing, as the one to the request beside it. */
function withId(answer: unknown, id: number): unknown {
  return { data: { ...(answer as { data: object }).data, id } };
}

/** The failures by status, with their messages. */
export function writeFailures(document: OpenApiDocument): string {
  const rows = [...failuresOf(document)].map(([status, { description, content }]) => {
    const messages = Object.values(content?.["application/json"].examples ?? {}).map(
      ({ value }) => (value as { error: string }).error,
    );
    return writeTerm(status, description, messages);
  });
  return rows.join("\n");
}

/** The headers of answers, each with a value. */
export function writeHeaders({ components }: OpenApiDocument): string {
  const headers = Object.entries(components.headers);
  return headers.map(([name, { description, example }]) => writeTerm(name, description, [String(example)])).join("\n");
}

function writeTerm(name: string, meaning: string, examples: string[]): string {
  return [`- \`${name}\`: ${meaning}`, ...examples.map((one) => `  \`${one}\``)].join("\n");
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``;
}

/** A row for each field of an object, named by the way to it (`servers[].label`); those within it follow under its own. */
function writeFields(schema: Schema, schemas: Schemas, way = ""): string[] {
  const { properties = {}, required = [] } = resolveSchema(schema, schemas);
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${way}${key}`;
    const inner = resolveSchema(property, schemas);
    const type = `${typeOf(property, schemas)}${required.includes(key) ? "" : ", may be absent"}`;
    const elements = inner.items ? resolveSchema(inner.items, schemas) : inner;
    const deeper = elements.properties ? writeFields(elements, schemas, inner.items ? `${name}[].` : `${name}.`) : [];
    return [`- \`${name}\` (${type}): ${property.description ?? inner.description ?? ""}`, ...deeper];
  });
}

/** The schema itself, past references and "or null". */
export function resolveSchema(schema: Schema, schemas: Schemas): Schema {
  const [, name] = /\/(\w+)$/.exec(schema.$ref ?? "") ?? [];
  if (name) return schemas[name] ?? {};
  const [first] = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  return first ? resolveSchema(first, schemas) : schema;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const known = openValues(schema);
  if (known) return known.map((value) => `"${value}"`).join(" | ");
  const { type, items, enum: values, const: value, minimum, maximum } = resolveSchema(schema, schemas);
  const types = [type ?? []].flat().filter((one) => one !== "null");
  const isNullable = [type ?? []].flat().includes("null") || schema.anyOf?.some((one) => one.type === "null");
  const plain = items
    ? `array of ${typeOf(items, schemas)}s`
    : values
      ? values.map((one) => `"${one}"`).join(" | ")
      : value !== undefined
        ? `"${value}"`
        : `${types.join(" or ")}${rangeOf(minimum, maximum)}`;
  return isNullable ? `${plain} or null` : plain;
}

function rangeOf(minimum: unknown, maximum: unknown): string {
  return typeof minimum === "number" && typeof maximum === "number" && maximum <= 65_535
    ? ` ${minimum}–${maximum}`
    : "";
}

/** Where a parameter stands, and which values it takes. */
function placeOf({ in: place, schema }: Parameter): string {
  if (place === "path") return "in the path";
  const values = schema.enum?.join(", ") ?? schema.type;
  return schema.default === undefined
    ? `in the query: ${values}, optional`
    : `in the query: ${values}; default ${schema.default}`;
}
