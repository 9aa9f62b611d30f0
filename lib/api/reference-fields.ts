import { openValues, type Parameter, type Schema } from "./openapi";

type Schemas = Record<string, Schema>;

/** A field of an answer. `name` is the way to it: `servers[].label`. */
type Field = { name: string; type: string; isOptional: boolean; description: string };

/** The fields of an object; those of objects within it follow under its own. */
export function listFields(schema: Schema, schemas: Schemas, path = ""): Field[] {
  const { properties = {}, required = [] } = resolveSchema(schema, schemas);
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${path}${key}`;
    const inner = resolveSchema(property, schemas);
    const field = {
      name,
      type: typeOf(property, schemas),
      isOptional: !required.includes(key),
      description: property.description ?? inner.description ?? "",
    };
    const elements = inner.items ? resolveSchema(inner.items, schemas) : inner;
    const deeper = elements.properties ? listFields(elements, schemas, inner.items ? `${name}[].` : `${name}.`) : [];
    return [field, ...deeper];
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
export function placeOf({ in: place, schema }: Parameter): string {
  if (place === "path") return "in the path";
  const values = schema.enum?.join(", ") ?? schema.type;
  return schema.default === undefined
    ? `in the query: ${values}, optional`
    : `in the query: ${values}; default ${schema.default}`;
}
